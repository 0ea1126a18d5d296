//! What an agent's screen makes of what is pasted or typed into it: facts from real runs, as data. Nothing is
//! typed here.

use super::{claude, codex, gemini, opencode};
use crate::model::{ActivitySource, LiveStatus, LiveWord, PermissionOption, SessionObservation, WaitsOn};

/// How words reach an agent at its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typing {
    /// So long after a paste Return is certainly taken as Return, in milliseconds.
    pub pause_ms: u32,
    /// Signs that are no words at the beginning: a command, a shell command, help.
    pub not_first: &'static [char],
    /// Whether several lines that are pasted in brackets arrive as one message.
    pub takes_lines: bool,
    /// What a person should know before words are pasted.
    pub warning: Option<&'static str>,
    /// How its input box looks when nothing stands in it; `None` where that was not seen.
    pub empty_box: Option<EmptyBox>,
}

/// An input box without words, with the cursor in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyBox {
    /// The sign that its line begins with; a blank follows.
    pub prompts: &'static [char],
    /// The cursor's column, from 0.
    pub column: u32,
    /// What its frame below begins with, at the left edge.
    pub below: char,
}

/// An answer to a permission prompt, and the key that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionKey {
    /// What it means, in closeout's words.
    pub label: &'static str,
    /// The agent's own name of it.
    pub answer: &'static str,
    /// The key by tmux's name of it.
    pub key: &'static str,
}

/// Claude Code 2.1.330: a digit chooses at once, and `1. Yes` stands first in every prompt for a tool; the
/// others move with the tool. Esc ends the turn.
const CLAUDE_KEYS: [PermissionKey; 2] = [
    PermissionKey { label: "allow once", answer: "1", key: "1" },
    PermissionKey { label: "deny, and end the turn", answer: "Esc", key: "Escape" },
];
/// The version whose prompts were seen.
const CLAUDE_SEEN: &str = "2.1.330";
/// Prompts of Claude Code whose first option is no plain yes.
const CLAUDE_OTHER_PROMPTS: [&str; 2] = ["ExitPlanMode", "AskUserQuestion"];

/// Claude Code 2.1.330: the terminal's cursor is hidden, and stands where the drawn one is. A faint hint may
/// stand in an empty box, so that its text tells less than the cursor's place.
const CLAUDE_EMPTY_BOX: EmptyBox = EmptyBox { prompts: &['❯', '>'], column: 2, below: '─' };

const PAUSE_MS: u32 = 300;

/// How words reach this agent at its screen; `None` for one of which nothing was seen, and for one that has a
/// queue of its own, in which words are never taken for keys.
pub(super) fn typing(agent: &str) -> Option<Typing> {
    let plain = Typing {
        pause_ms: PAUSE_MS,
        not_first: &['/', '!', '?'],
        takes_lines: true,
        warning: None,
        empty_box: None,
    };
    match agent {
        claude::NAME => Some(Typing {
            not_first: &['/', '!', '?', '#'],
            warning: Some(
                "Claude Code marks more than 3 lines or 800 characters as pasted, and its model obeys such words \
                 less readily",
            ),
            empty_box: Some(CLAUDE_EMPTY_BOX),
            ..plain
        }),
        opencode::NAME | gemini::NAME => Some(plain),
        _ => None,
    }
}

/// What can be answered to the permission that a session waits for, with the keys, and what it is about.
/// `None` unless it is certain which call the prompt is for and what the keys mean: only the agent's own hook
/// names the call, since others may be open beside it.
pub fn permission_keys(session: &SessionObservation) -> Option<(&str, &'static [PermissionKey])> {
    let is_named = |word: &&LiveWord| {
        word.source == ActivitySource::Hook && word.status == LiveStatus::Waiting { on: WaitsOn::Permission }
    };
    let what = session.live.iter().find(is_named)?.what.as_deref()?;
    let is_other = CLAUDE_OTHER_PROMPTS.iter().any(|tool| what.starts_with(tool));
    let is_known = session.agent == claude::NAME && session.version.as_deref() == Some(CLAUDE_SEEN);
    (is_known && !is_other).then_some((what, CLAUDE_KEYS.as_slice()))
}

/// Whether the keys of this agent's prompts can be known, if its hook tells of them.
pub fn hooks_tell_keys(agent: &str) -> bool {
    agent == claude::NAME
}

impl From<&PermissionKey> for PermissionOption {
    fn from(key: &PermissionKey) -> PermissionOption {
        PermissionOption { label: key.label.to_owned(), answer: key.answer.to_owned() }
    }
}

/// Whether words for a live session go by the agent's own queue, which takes them at any time.
pub(super) fn has_queue(agent: &str) -> bool {
    agent == codex::NAME
}
