//! Finds the plan files that people's prompts name and no configuration does, by their names alone. Must not decide
//! whether such a plan belongs to the task; the judge reads what the prompt wants of it.

use crate::model::{Observations, PromptKind, SessionObservation, WorkspaceSettings};

/// At most this many turns of a session are searched, from the newest.
const MAX_TURNS: usize = 40;
/// At most this many plans are read.
const MAX_PLANS: usize = 5;
/// The longest name.
const LONGEST_NAME: usize = 200;
/// What stands in the name of a plan.
const PLAN_WORDS: [&str; 6] = ["plan", "todo", "task", "checklist", "roadmap", "backlog"];

/// The names of plans in the prompts of all sessions, relative to the workspace, without those in `settings`.
pub(super) fn find(found: &Observations, settings: &WorkspaceSettings) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let sessions = found.sessions();
    for name in sessions.flat_map(prompts).flat_map(plans_in) {
        let is_known =
            names.iter().any(|known| known == name) || settings.plan_files().any(|known| known == name);
        if !is_known && names.len() < MAX_PLANS {
            names.push(name.to_owned());
        }
    }
    names
}

fn prompts(session: &SessionObservation) -> impl Iterator<Item = &str> {
    let newest = session.history.turns.iter().rev().take(MAX_TURNS);
    let prompts = newest.filter_map(|turn| turn.prompt.as_deref());
    prompts
        .filter(|prompt| matches!(prompt.kind, PromptKind::Person | PromptKind::CustomCommand))
        .map(|prompt| prompt.text.as_str())
}

fn plans_in(prompt: &str) -> impl Iterator<Item = &str> {
    let is_sign = |sign: char| sign.is_whitespace() || !sign.is_ascii() || "`\"'()[]<>,;:@".contains(sign);
    prompt.split(is_sign).map(|word| word.trim_end_matches(['.', '!', '?'])).filter(|word| is_plan(word))
}

fn is_plan(word: &str) -> bool {
    let Some(stem) = word.len().checked_sub(3).and_then(|at| word.get(..at)) else { return false };
    let name = stem.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_here = !word.starts_with(['/', '~', '$']) && !word.split('/').any(|part| part == "..");
    word.len() <= LONGEST_NAME
        && word[stem.len()..].eq_ignore_ascii_case(".md")
        && is_here
        && PLAN_WORDS.iter().any(|plan| name.contains(plan))
}

#[cfg(test)]
mod tests {
    use super::plans_in;

    #[test]
    fn a_plan_is_told_by_its_name() {
        let found = |prompt| plans_in(prompt).collect::<Vec<&str>>();
        assert_eq!(found("Do everything in PLAN.md."), ["PLAN.md"]);
        assert_eq!(found("Arbeite @docs/release-checklist.md ab"), ["docs/release-checklist.md"]);
        assert_eq!(found("`TODO.md`をすべて実装して"), ["TODO.md"]);
        assert_eq!(found("See README.md, ../PLAN.md, /etc/plan.md, .md and plan.mdx"), [""; 0]);
    }
}
