//! The turns of a session in short form, for comparison with what a reader extracts from its record.

use closeout::model::{Deed, PromptKind, TurnHistory};

/// A line for each prompt, step and end.
pub(crate) fn texts(history: &TurnHistory) -> Vec<String> {
    let mut lines = Vec::new();
    for turn in &history.turns {
        if let Some(prompt) = &turn.prompt {
            let kind = match prompt.kind {
                PromptKind::Person => "person",
                PromptKind::CustomCommand => "command",
                PromptKind::ClientCommand => "client",
                PromptKind::HookFeedback => "hook",
                PromptKind::Gate => "gate",
                PromptKind::Reminder => "reminder",
                PromptKind::Notice => "notice",
            };
            let first = prompt.text.lines().next().unwrap_or_default();
            let queued = if prompt.was_queued { " (queued)" } else { "" };
            lines.push(format!("{kind}: {first}{queued}"));
        }
        for step in &turn.steps {
            lines.push(match &step.deed {
                Deed::Command(run) => format!("run {}: {:?}", run.command, run.exit),
                Deed::Edit { paths, was_done: true } => format!("edit {}", paths.join(" ")),
                Deed::Edit { paths, was_done: false } => format!("no edit {}", paths.join(" ")),
                Deed::Asked { was_answered, .. } => format!("asked, answered: {was_answered}"),
                Deed::SentOff { what, was_read: true, .. } => format!("sent off, read: {what}"),
                Deed::SentOff { what, .. } => format!("sent off: {what}"),
                Deed::Other { tool } => format!("other: {tool}"),
            });
        }
        let missing = if turn.is_missing_steps { " (steps are missing)" } else { "" };
        let end = format!("{:?}", turn.end);
        let end = end.split([' ', '{']).next().unwrap_or_default().to_owned();
        lines.push(end + missing);
    }
    lines
}
