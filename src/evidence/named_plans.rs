//! Finds the files that people's prompts name and no configuration does, and that may be plans: those first that are
//! called so. Must not decide whether such a plan belongs to the task; the judge reads what the prompt wants of it.

use crate::model::{Observations, PromptKind, SessionObservation, WorkspaceSettings};

/// At most this many turns of a session are searched, from the newest.
const MAX_TURNS: usize = 40;
/// At most this many plans are read.
const MAX_PLANS: usize = 5;
/// The longest name.
const LONGEST_NAME: usize = 200;
/// How the name of a text with boxes may end.
const ENDINGS: [&str; 3] = [".md", ".markdown", ".txt"];
/// What stands in the name of a plan.
const PLAN_WORDS: [&str; 6] = ["plan", "todo", "task", "checklist", "roadmap", "backlog"];

/// The names of plans in the prompts of all sessions, relative to the workspace, without those in `settings`.
pub(super) fn find(found: &Observations, settings: &WorkspaceSettings) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in found.sessions().flat_map(prompts).flat_map(texts_in) {
        let is_known =
            names.iter().any(|known| known == name) || settings.plan_files().any(|known| known == name);
        if !is_known {
            names.push(name.to_owned());
        }
    }
    names.sort_by_key(|name| !is_called_plan(name));
    names.truncate(MAX_PLANS);
    names
}

fn prompts(session: &SessionObservation) -> impl Iterator<Item = &str> {
    let newest = session.history.turns.iter().rev().take(MAX_TURNS);
    let prompts = newest.filter_map(|turn| turn.prompt.as_deref());
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
    let is_ending = |ending: &str| {
        let at = word.len().checked_sub(ending.len());
        let parts = at.and_then(|at| word.split_at_checked(at));
        parts.is_some_and(|(stem, end)| {
            end.eq_ignore_ascii_case(ending) && !stem.is_empty() && !stem.ends_with('/')
        })
    };
    word.len() <= LONGEST_NAME
        && ENDINGS.iter().any(|ending| is_ending(ending))
        && !word.starts_with(['/', '~', '$'])
        && !word.split('/').any(|part| part == "..")
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
        assert_eq!(found("See ../PLAN.md, /etc/plan.md, .md, docs/.md and plan.mdx"), [""; 0]);
        assert!(is_called_plan("docs/TODO.md") && !is_called_plan("plans/rollout.md"));
    }
}
