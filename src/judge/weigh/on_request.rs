//! What a person asked to have taken back or put into a stash, and when: whatever is missing since then because of that
//! is not lost. Must not read git.

use super::act_names;
use super::tasks::is_only;
use crate::model::{Deed, Exit, PromptKind, SessionObservation, Timestamp, Turn, TurnSpan};

/// What may be asked for beside taking something back, without being work that could be lost by it.
const BESIDE: [&str; 8] = ["undo", "rewrite", "rebase", "push", "pull", "branch", "switch", "stash"];
/// Commands that take commits back.
const TAKES_BACK: [&str; 5] = ["reset", "rebase", "revert", "branch -D", "filter-"];

/// When a person asked this session to take something back, and it did.
pub(super) fn taken_back_at(session: &SessionObservation) -> impl Iterator<Item = Timestamp> {
    let asked = turns_that_ran(session, &TAKES_BACK).filter(|(prompt, _)| act_names::takes_back(prompt));
    asked.filter_map(|(_, turn)| turn.prompt.as_ref()?.at)
}

/// The turns in which this session was asked to stash, and did.
pub(super) fn stash_turns(session: &SessionObservation) -> impl Iterator<Item = TurnSpan> {
    let asked =
        turns_that_ran(session, &["stash"]).filter(|(prompt, _)| act_names::names_act(prompt, "stash"));
    asked.filter_map(|(_, turn)| {
        let from = turn.prompt.as_ref()?.at?;
        Some(TurnSpan { from, to: turn.ended_at, may_commit: false })
    })
}

/// The turns that a person's prompt began which asks for nothing but such acts, and in which a command with one of these
/// words succeeded.
fn turns_that_ran<'s>(
    session: &'s SessionObservation,
    words: &'s [&str],
) -> impl Iterator<Item = (&'s str, &'s Turn)> {
    let ran = move |turn: &Turn| {
        turn.steps.iter().any(|step| match &step.deed {
            Deed::Command(run) => {
                run.exit == Exit::Code(0) && words.iter().any(|word| run.command.contains(word))
            }
            Deed::Edit { .. } | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => false,
        })
    };
    session.history.turns.iter().map(AsRef::as_ref).filter_map(move |turn: &Turn| {
        let prompt = turn.prompt.as_deref().filter(|prompt| prompt.kind == PromptKind::Person)?;
        // Few turns ran such a command, and to read a prompt takes longer.
        (ran(turn) && is_only(&prompt.text, &BESIDE)).then_some((prompt.text.as_str(), turn))
    })
}
