//! Actions, their ends and their numbers in words for a person.
//!
//! Words only: which key begins an action, and where its words stand, is said elsewhere.

use super::keymap::WorkspaceCommand;
use super::text;
use crate::model::{
    ActionKind, Actor, AskCost, AskPlan, LeftOut, PlannedChange, ProbeFailure, ProbeReading, ProbeWord,
    ReceiptState, RunningAction, SmartReport, SmartStatus, quantity,
};

/// Signs of a commit's id that a person is shown.
const ID: usize = 7;

/// The beginning of a commit's id. Cleaned.
pub(super) fn short(commit: &str) -> String {
    text::line(commit).chars().take(ID).collect()
}

/// The name of a branch as a person knows it. Cleaned.
pub(super) fn branch(full: &str) -> String {
    text::line(full.strip_prefix("refs/heads/").unwrap_or(full))
}

/// A time span in a sentence: `0.4 s`, `12 s`, `3 min`.
pub(super) fn span(millis: u64) -> String {
    match millis {
        0..10_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        10_000..120_000 => format!("{} s", millis / 1_000),
        _ => format!("{} min", millis / 60_000),
    }
}

/// A command line with its arguments apart. Cleaned; it is to be read, not to be run.
pub(super) fn command(arguments: &[String]) -> String {
    let quoted = |argument: &String| {
        let shown = text::line(argument);
        let is_plain = !shown.is_empty()
            && shown.chars().all(|sign| sign.is_alphanumeric() || "-_./=:@%+,".contains(sign));
        if is_plain { shown } else { format!("'{shown}'") }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// An argument longer than this is told by what it is and how long it is: a person reads the rest.
const LONGEST_ARGUMENT: usize = 120;

/// The command line by which an agent would be asked. What stands in the box by itself, and what only a
/// program reads, is not spelled out in it.
pub(super) fn asking_command(plan: &AskPlan) -> String {
    let prompt = plan.prompt.trim();
    let shortened = |argument: &String| {
        if !prompt.is_empty() && argument.contains(prompt) {
            return "<the prompt>".to_owned();
        }
        if argument.len() <= LONGEST_ARGUMENT {
            return command(std::slice::from_ref(argument));
        }
        let kind = if argument.trim_start().starts_with(['{', '[']) { "JSON" } else { "text" };
        format!("<{kind}, {}>", quantity::size(argument.len() as u64))
    };
    plan.command.iter().map(shortened).collect::<Vec<_>>().join(" ")
}

/// What runs, as the note of a row begins.
pub(super) fn running(action: &RunningAction) -> &'static str {
    match action.kind {
        ActionKind::Probe if action.is_automatic => "auto probe",
        ActionKind::Plan => "preparing",
        ActionKind::Record => "recording the work",
        ActionKind::Rescue => "rescue",
        ActionKind::Undo => "undo",
        ActionKind::Redo => "redo",
        ActionKind::Restore => "restore",
        ActionKind::Forget => "deleting a record",
        ActionKind::Trust => "trust",
        ActionKind::Reply => "sending a reply",
        ActionKind::Probe => "smart check",
        ActionKind::Verify => "the closer checks",
        ActionKind::Decide => "writing a decision",
        ActionKind::Mark => "taking your word",
    }
}

/// The agent that answers a reply. Cleaned.
pub(super) fn answering_agent(turn: &RunningAction) -> String {
    turn.progress
        .taken
        .as_ref()
        .map_or_else(|| "the agent".to_owned(), |taken| text::line(&taken.session.agent))
}

/// The title of what became of an action.
pub(super) fn title(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Plan => "Not done",
        ActionKind::Record => "Record",
        ActionKind::Rescue => "Rescue",
        ActionKind::Undo => "Undo",
        ActionKind::Redo => "Redo",
        ActionKind::Restore => "Restore",
        ActionKind::Forget => "Deletion of a record",
        ActionKind::Trust => "Trust",
        ActionKind::Reply => "Reply",
        ActionKind::Probe => "Smart check",
        ActionKind::Verify => "Check by the closer",
        ActionKind::Decide => "Decision",
        ActionKind::Mark => "Mark",
    }
}

/// What waits to be shown, by its key.
pub(super) fn ready(command: WorkspaceCommand) -> &'static str {
    match command {
        WorkspaceCommand::Rescue => "the rescue is ready to be looked at",
        WorkspaceCommand::Undo => "the undo is ready to be looked at",
        WorkspaceCommand::Redo => "the redo is ready to be looked at",
        WorkspaceCommand::SmartCheck => "the smart check is ready to be looked at",
        WorkspaceCommand::Verify => "the check by the closer is ready to be looked at",
        WorkspaceCommand::Reply
        | WorkspaceCommand::Report
        | WorkspaceCommand::Decide
        | WorkspaceCommand::Cancel => "an answer has come",
    }
}

/// Who wanted an action, where it was nobody at this screen.
pub(super) fn by(by: Actor) -> &'static str {
    match by {
        Actor::Screen => "",
        Actor::Command => "by a command",
        Actor::Configuration => "by configuration",
        Actor::Agent => "by an agent",
        Actor::Automatic => "by itself",
    }
}

/// What became of a path, as a letter.
pub(super) fn change(change: PlannedChange) -> char {
    match change {
        PlannedChange::Added => 'A',
        PlannedChange::Modified => 'M',
        PlannedChange::Deleted => 'D',
    }
}

/// Why a path is left out, in a word or two.
pub(super) fn left_out(why: LeftOut) -> &'static str {
    match why {
        LeftOut::Secret => "secret",
        LeftOut::Junk => "build product",
        LeftOut::Large => "over 10 MB",
        LeftOut::Nested => "of a repository inside this one",
        LeftOut::Flagged => "marked as unchanged in the index",
        LeftOut::Gap => "not read exactly",
        LeftOut::Name => "a name that git refuses",
        LeftOut::Untrusted => "its filter is not trusted",
    }
}

/// What is known of a reply.
pub(super) fn receipt(state: ReceiptState) -> &'static str {
    match state {
        ReceiptState::Delivered => "delivered",
        ReceiptState::Queued => "queued by the agent",
        ReceiptState::Held => "typed, not yet taken",
        ReceiptState::Refused => "not sent",
        ReceiptState::Consumed => "read by the agent",
        ReceiptState::Unknown => "not known whether it was sent",
    }
}

/// How the answer to a probe was read.
pub(super) fn reading(reading: ProbeReading) -> &'static str {
    match reading {
        ProbeReading::Answered(ProbeWord::Complete) => "complete",
        ProbeReading::Answered(ProbeWord::Waiting) => "waiting",
        ProbeReading::Answered(ProbeWord::Working) => "working",
        ProbeReading::Failed(ProbeFailure::Timeout) => "no answer in time",
        ProbeReading::Failed(ProbeFailure::SpawnError) => "could not be started",
        ProbeReading::Failed(ProbeFailure::Unreadable) => "no status in the answer",
        ProbeReading::Failed(ProbeFailure::UnknownStatus) => "a status of no meaning",
        ProbeReading::Failed(ProbeFailure::ClientError) => "the client failed",
        ProbeReading::Failed(ProbeFailure::ChangedFiles) => "the probe changed files",
    }
}

/// How a smart check ended, as a sentence.
pub(super) fn smart(report: &SmartReport) -> &'static str {
    let last = report.attempts.last().and_then(|attempt| attempt.reading);
    match report.outcome.status {
        SmartStatus::CommitsCreated => "There are new commits.",
        SmartStatus::Rescued => "The agent is done, and its changes were committed.",
        SmartStatus::NothingToDo => "The agent says that it is done, and nothing is left to commit.",
        SmartStatus::Timeout if last == Some(ProbeReading::Answered(ProbeWord::Complete)) => {
            "The agent says that it is done, and its changes are not committed."
        }
        SmartStatus::Timeout => "The rounds are used up, and the agent did not say that it is done.",
        SmartStatus::ProbeError => "The rounds are used up, and no question was answered.",
        SmartStatus::GitError => "The agent says that it is done, and git cannot confirm it.",
    }
}

/// What asking cost; nothing where the client does not tell.
pub(super) fn cost(cost: AskCost) -> Option<String> {
    let tokens = |n: u64| match n {
        0..1_000 => n.to_string(),
        _ => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
    };
    let facts = [
        cost.input_tokens.map(|n| format!("{} in", tokens(n))),
        cost.cached_tokens.filter(|n| *n > 0).map(|n| format!("{} of them cached", tokens(n))),
        cost.output_tokens.map(|n| format!("{} out", tokens(n))),
        cost.micro_dollars.map(|n| format!("${}.{:04}", n / 1_000_000, n % 1_000_000 / 100)),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_their_unit() {
        let spans = [(412, "0.4 s"), (12_999, "12 s"), (119_000, "119 s"), (120_000, "2 min")];
        assert!(spans.iter().all(|(millis, shown)| span(*millis) == *shown));
    }

    #[test]
    fn a_command_line_shows_where_its_arguments_end() {
        let arguments = ["claude", "-p", "two words", "", "a\u{1b}b"].map(str::to_owned);
        assert_eq!(command(&arguments), "claude -p 'two words' '' 'a␛b'");
    }

    #[test]
    fn what_asking_cost_is_said_where_it_is_known() {
        assert_eq!(cost(AskCost::default()), None);
        let known = AskCost {
            input_tokens: Some(21_340),
            cached_tokens: Some(20_000),
            output_tokens: Some(56),
            micro_dollars: Some(12_345),
        };
        assert_eq!(cost(known).unwrap(), "21.3k in, 20.0k of them cached, 56 out, $0.0123");
    }
}
