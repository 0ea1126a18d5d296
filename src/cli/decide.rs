//! `closeout decide`: writes the decision file, so that no model has to.

use crate::config::Flags;
use crate::engine::{Overlay, Scope};
use crate::model::{Act, ActOutcome, display_text};

use super::acting::{Acting, unexpected};
use super::ask_args::{Decide, DecisionWord};
use super::environment::Environment;
use super::exit::{Failure, Outcome};
use super::{Ended, output};

/// Writes it.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other outcome is one that the act cannot have")]
pub(super) fn run(environment: &Environment, decide: &Decide) -> Ended {
    let decision_file =
        decide.decision_file.as_ref().map(|file| {
            environment.absolute(file).into_os_string().into_string().map_err(|file| {
                Failure::Usage(format!("{} is no UTF-8 path", display_text::path(file.as_ref())))
            })
        });
    let overlay = Overlay {
        check_id: decide.check_id.clone(),
        decision_file: decision_file.transpose()?,
        ..Overlay::default()
    };
    let scope = Scope::One(environment.absolute(&decide.path));
    let launch = environment.launch(scope, Flags::default(), overlay)?;
    let mut acting = Acting::judge(&launch)?;
    let is_complete = decide.decision == DecisionWord::Complete;
    match acting.act(Act::Decide { is_complete, reason: decide.reason.clone() }) {
        ActOutcome::Decided(decided) => {
            let word = if is_complete { "complete" } else { "incomplete" };
            let check =
                decided.check_id.as_deref().map(|id| format!(" for check {}", display_text::line(id)));
            let path = display_text::path(&decided.path);
            output::print_line(&format!("{word}{}: {path}", check.unwrap_or_default()))?;
            Ok(Outcome::Done)
        }
        other => Ok(unexpected(&other)),
    }
}
