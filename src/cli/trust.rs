//! `closeout trust`: shows everything that could run a program in a workspace, and stores a person's consent
//! to exactly that.
//!
//! It must not run anything of what it shows. All of the text comes from the repository and is cleaned here.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{ActionClass, ActionProblem, TrustItem, TrustList, display_text};
use crate::present::sets;

use super::environment::Environment;
use super::exit::{Ended, Outcome};
use super::json::Printed;
use super::output;
use super::rescue_args::Trust;
use super::target_workspace::{confirm, engine_config, fail};

/// The list, for scripts.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Trusted {
    /// Whether exactly this is trusted.
    is_trusted: bool,
    #[serde(flatten)]
    list: TrustList,
}

pub(super) fn run(environment: &Environment, trust: &Trust) -> Ended {
    let config = engine_config(environment, &trust.path)?;
    let path = environment.absolute(&trust.path);
    if trust.remove {
        config.distrust(&path)?;
        output::print_line("nothing is trusted here any more")?;
        return Ok(Outcome::Action(ActionClass::Done));
    }
    let (list, was_trusted) = config.trust_list(&path)?;
    if !trust.json {
        output::print(&text(&list))?;
    }
    let ended = if list.items.is_empty() {
        Err(ActionProblem::new(ActionClass::Nothing, "nothing here could run a program"))
    } else if was_trusted {
        Ok("it is trusted already")
    } else if !is_wanted(trust, &list) {
        Err(ActionProblem::new(ActionClass::Untrusted, "it is not trusted: none of it runs"))
    } else {
        config.trust(&path, &list).map(|()| "it is trusted until any byte of it changes")
    };
    if trust.json {
        let content = Trusted { is_trusted: ended.is_ok(), list };
        match &ended {
            Ok(_) => Printed::new(ActionClass::Done, content).print()?,
            Err(problem) => Printed::of_problem(problem, content).print()?,
        }
    }
    match ended {
        Ok(message) if !trust.json => output::print_line(message)?,
        Ok(_) => {}
        Err(problem) => return Ok(fail(&problem)),
    }
    Ok(Outcome::Action(ActionClass::Done))
}

/// Asks for consent. If the list was not shown as text, only consent given by a flag counts.
fn is_wanted(trust: &Trust, list: &TrustList) -> bool {
    let question = match list.items.len() {
        1 => "Trust this, so that it may run when work of this workspace is committed or checked?".to_owned(),
        n => format!(
            "Trust these {n}, so that they may run when work of this workspace is committed or checked?"
        ),
    };
    trust.yes || (!trust.json && confirm(&question, false))
}

fn text(list: &TrustList) -> String {
    let mut text = String::new();
    for item in &list.items {
        write_item(&mut text, item);
    }
    if !list.items.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "digest {}", list.digest);
    }
    text
}

fn write_item(text: &mut String, item: &TrustItem) {
    let kind = sets::trust_kind(item.kind);
    let _ = writeln!(text, "{kind:<14}  {}", display_text::line(&item.name));
    for line in item.content.split('\n').filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "{:14}  | {}", "", display_text::line(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TrustKind;

    #[test]
    fn what_is_shown_is_cleaned_and_cannot_look_like_another_item() {
        let content = "cat\u{1b}[2K\nhook            pre-commit\u{202e}".to_owned();
        let item = TrustItem { kind: TrustKind::Setting, name: "filter.x\nhook.clean".to_owned(), content };
        let text = text(&TrustList { items: vec![item], digest: "d".to_owned() });
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.lines().next().unwrap().starts_with("setting         filter.x"), "{text}");
        assert!(text.lines().nth(2).unwrap().starts_with("                | hook  "), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}
