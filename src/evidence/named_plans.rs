//! Finds the files that people's prompts name and no configuration does, and that may be plans, those first that are called
//! so; and those that a session wrote where a prompt speaks of a plan. Must not decide whether such a plan belongs to the
//! task; the judge reads what the prompt wants of it.

use std::path::Path;

use crate::model::{Deed, Observations, PromptKind, SessionObservation, Turn, WorkspaceSettings};

/// At most this many turns of a session are searched, from the newest.
const MAX_TURNS: usize = 40;
/// At most this many plans are read.
const MAX_PLANS: usize = 5;
/// The longest name.
const LONGEST_NAME: usize = 200;
/// How the name of a text with boxes may end.
const ENDINGS: [&str; 3] = [".md", ".markdown", ".txt"];
/// A list may be named in capitals alone, from so many letters on.
const SHORTEST_BARE: usize = 4;
/// What stands in the name of a plan.
const PLAN_WORDS: [&str; 6] = ["plan", "todo", "task", "checklist", "roadmap", "backlog"];

/// How a plan is called in scripts without blanks.
const JOINED_PLAN_WORDS: [&str; 3] = ["計画", "计划", "계획"];

/// The names of plans in the prompts of all sessions, and of what they wrote, relative to `workspace`, without those in
/// `settings`.
pub(super) fn find(found: &Observations, workspace: &Path, settings: &WorkspaceSettings) -> Vec<String> {
    let named = found.sessions().flat_map(prompts).flat_map(texts_in).map(str::to_owned);
    let mut plans = first_of(named, &[], settings);
    // Most sessions write no such text, and their prompts need not be searched.
    let can_be_plans = |session: &&SessionObservation| {
        written(session, workspace).next().is_some() && prompts(session).any(speaks_of_plan)
    };
    let written = found.sessions().filter(can_be_plans).flat_map(|session| written(session, workspace));
    let written = first_of(written, &plans, settings);
    plans.extend(written);
    plans
}

/// The names that are neither `known` nor in `settings`, those first that are called plans, at most so many.
fn first_of(
    found: impl Iterator<Item = String>,
    known: &[String],
    settings: &WorkspaceSettings,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in found {
        let is_known = names.contains(&name)
            || known.contains(&name)
            || settings.plan_files().any(|known| *known == name);
        if !is_known {
            names.push(name);
        }
    }
    names.sort_by_key(|name| (is_bare(name), !is_called_plan(name)));
    names.truncate(MAX_PLANS);
    names
}

fn speaks_of_plan(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    PLAN_WORDS.iter().chain(&JOINED_PLAN_WORDS).any(|word| prompt.contains(word))
}

/// The texts in `workspace` that a session wrote.
fn written<'s>(session: &'s SessionObservation, workspace: &'s Path) -> impl Iterator<Item = String> + 's {
    let home = session.folder.as_deref().unwrap_or(workspace);
    let paths = newest(session).flat_map(|turn| &turn.steps).filter_map(|step| match &step.deed {
        Deed::Edit { paths, was_done: true } => Some(paths),
        Deed::Edit { .. }
        | Deed::Command(_)
        | Deed::Asked { .. }
        | Deed::SentOff { .. }
        | Deed::Other { .. } => None,
    });
    let texts = paths.flatten().filter(|path| ends_as_text(path));
    let inside = texts.filter_map(move |path| {
        let full = home.join(path);
        full.strip_prefix(workspace).ok()?.to_str().map(str::to_owned)
    });
    inside.filter(|path| is_text(path) && !is_bare(path))
}

fn newest(session: &SessionObservation) -> impl Iterator<Item = &Turn> {
    session.history.turns.iter().rev().take(MAX_TURNS).map(AsRef::as_ref)
}

/// What people wrote in the newest turns of a session, the newest first.
pub(super) fn prompts(session: &SessionObservation) -> impl Iterator<Item = &str> {
    let prompts = newest(session).filter_map(|turn| turn.prompt.as_deref());
    prompts
        .filter(|prompt| matches!(prompt.kind, PromptKind::Person | PromptKind::CustomCommand))
        .map(|prompt| prompt.text.as_str())
}

fn texts_in(prompt: &str) -> impl Iterator<Item = &str> {
    let is_sign = |sign: char| sign.is_whitespace() || !sign.is_ascii() || "`\"'()[]<>,;:@".contains(sign);
    prompt.split(is_sign).map(|word| word.trim_end_matches(['.', '!', '?'])).filter(|word| is_text(word))
}

/// Whether a word is the path of a text in the workspace.
fn is_text(word: &str) -> bool {
    word.len() <= LONGEST_NAME
        && (ends_as_text(word) || is_bare(word))
        && !word.starts_with(['/', '~', '$'])
        && !word.split('/').any(|part| part == "..")
}

fn ends_as_text(path: &str) -> bool {
    ENDINGS.iter().any(|ending| {
        let at = path.len().checked_sub(ending.len());
        let parts = at.and_then(|at| path.split_at_checked(at));
        parts.is_some_and(|(stem, end)| {
            end.eq_ignore_ascii_case(ending) && !stem.is_empty() && !stem.ends_with('/')
        })
    })
}

/// Whether a name is in capitals alone, as that of a list at the top may be: "PUNCHLIST".
fn is_bare(word: &str) -> bool {
    word.len() >= SHORTEST_BARE
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_'))
}

fn is_called_plan(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    PLAN_WORDS.iter().any(|plan| name.contains(plan))
}

#[cfg(test)]
mod tests {
    use super::{is_called_plan, texts_in};

    #[test]
    fn a_text_that_may_be_a_plan_is_told_by_its_name() {
        let found = |prompt| texts_in(prompt).collect::<Vec<&str>>();
        assert_eq!(found("Do everything in PLAN.md."), ["PLAN.md"]);
        assert_eq!(found("Arbeite @docs/release-checklist.md ab"), ["docs/release-checklist.md"]);
        assert_eq!(found("`TODO.md`をすべて実装して"), ["TODO.md"]);
        assert_eq!(found("Work through docs/rollout.md, then steps.txt"), ["docs/rollout.md", "steps.txt"]);
        assert_eq!(found("PUNCHLIST is all that is left, OK? Clear it"), ["PUNCHLIST"]);
        assert_eq!(found("See ../PLAN.md, /etc/plan.md, .md, docs/.md and plan.mdx"), [""; 0]);
        assert!(is_called_plan("docs/TODO.md") && !is_called_plan("plans/rollout.md"));
    }
}
