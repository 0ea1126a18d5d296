//! What an agent's screen makes of what is pasted or typed into it: facts from real runs, as data. Nothing is
//! typed here.

use super::{claude, codex, gemini, opencode};
use crate::model::{
    ActivitySource, AskedByTool, LiveStatus, PermissionOption, SessionObservation, StatusReport, WaitsOn,
};

/// How words reach an agent at its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typing {
    /// So long after a paste Return is certainly taken as Return, in milliseconds.
    pub pause_ms: u32,
    /// Signs that are no words at the beginning: a command, a shell command, help.
    pub not_first: &'static [char],
    /// Whether several lines that are pasted in brackets arrive as one message.
    pub takes_lines: bool,
    /// What it makes of a long paste, where that is another thing than of a short one.
    pub long_paste: Option<LongPaste>,
    /// How its input box looks when nothing stands in it; `None` where that was not seen.
    pub empty_box: Option<EmptyBox>,
}

/// From which length on a paste is taken for another thing than typed words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPaste {
    /// With more lines than these,
    pub n_lines: usize,
    /// or more characters.
    pub n_signs: usize,
    /// What becomes of it, in words.
    pub words: &'static str,
}

/// An input box without words, with the cursor in it, in which words are words. Columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyBox {
    /// A line that begins with a sign, with a frame below it.
    Framed {
        /// The sign that its line begins with; a blank follows.
        prompts: &'static [char],
        /// The cursor's column.
        column: u32,
        /// What its frame below begins with, at the left edge.
        below: char,
    },
    /// A line that holds these words only as long as nobody has written any.
    WithHint {
        /// The sign in its second column; a blank follows, then the cursor.
        prompts: &'static [char],
        /// The cursor's column.
        column: u32,
        /// The words, with blanks before them.
        hint: &'static str,
    },
    /// A block with a bar at its left: a blank line, the cursor's line, a blank line, one line of other words,
    /// and its lower edge.
    Barred {
        /// The bar.
        bar: char,
        /// So many columns right of the bar is the cursor.
        from_bar: u32,
        /// What stands in that line of other words only while words are words.
        mode: &'static str,
        /// The edge's sign below the bar, and the sign that follows to its right end.
        edge: (char, char),
    },
}

/// A dialog in which the session asks and each option has a key that chooses it at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionDialog {
    /// The keys of the options in their order, by tmux's names of them.
    pub keys: &'static [&'static str],
    /// The cursor's column while keys choose, from 0.
    pub column: u32,
    /// What stands before the number of the option that is selected.
    pub marker: char,
    /// How the line below the dialog begins.
    pub below: &'static str,
}

/// An answer to a permission prompt, and the key that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionKey {
    /// What it means, in closeout's words.
    pub label: &'static str,
    /// The same once it was given.
    pub given: &'static str,
    /// The agent's own name of it.
    pub answer: &'static str,
    /// The key by tmux's name of it.
    pub key: &'static str,
}

/// Claude Code 2.1.330: a digit chooses at once, and `1. Yes` stands first in every prompt for a tool; the
/// others move with the tool. Esc ends the turn.
const CLAUDE_KEYS: [PermissionKey; 2] = [
    PermissionKey { label: "allow once", given: "allowed once", answer: "1", key: "1" },
    PermissionKey { label: "deny, and end the turn", given: "denied", answer: "Esc", key: "Escape" },
];
/// The version whose prompts were seen.
const CLAUDE_SEEN: &str = "2.1.330";
/// Prompts of Claude Code whose first option is no plain yes.
const CLAUDE_OTHER_PROMPTS: [&str; 2] = ["ExitPlanMode", "AskUserQuestion"];

/// Claude Code 2.1.330: the terminal's cursor is hidden, and stands where the drawn one is. A faint hint may
/// stand in an empty box, so that its text tells less than the cursor's place.
const CLAUDE_EMPTY_BOX: EmptyBox = EmptyBox::Framed { prompts: &['❯', '>'], column: 2, below: '─' };

/// opencode 1.18.33, in a session: the terminal's cursor is the drawn one. With more lines the box is higher,
/// and scrolls from some height on, so only its lowest form counts. In the shell mode that `!` begins its
/// last line is `Shell` alone; else it is `AGENT · MODEL PROVIDER`. With dialogs, lists and prompts for a
/// permission the cursor is elsewhere, and so it is on the first screen, which is no session. Behind the edge's
/// right end a wide screen shows a column of facts; a theme without a background has blanks for the edge.
const OPENCODE_EMPTY_BOX: EmptyBox =
    EmptyBox::Barred { bar: '┃', from_bar: 3, mode: " · ", edge: ('╹', '▀') };

/// Gemini CLI 0.61.0: the terminal's cursor is hidden, and stands where the drawn one is. The hint goes with
/// the first sign that is typed, a line break too. `*` is the sign of the mode that asks for no permission,
/// `!` that of the shell mode, in which words are run; that one and the keys of vi have another hint.
const GEMINI_EMPTY_BOX: EmptyBox =
    EmptyBox::WithHint { prompts: &['>', '*'], column: 3, hint: "  Type your message or @path/to/file" };

/// Claude Code 2.1.330, `AskUserQuestion` with one question of which one option is chosen: a digit chooses and
/// submits at once, wherever the selection stands among the options. Behind them come `Type something.`, a
/// field in which a digit is text (the cursor then stands in column 5 or more), and `Chat about this`. With
/// `multiSelect` a digit only ticks, with several questions it goes on to the next one, with previews it only
/// selects. A dialog that is higher than its pane has its cursor in the corner. A prompt for a permission has
/// its cursor in column 1.
const CLAUDE_OPTIONS: OptionDialog = OptionDialog {
    keys: &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    column: 0,
    marker: '❯',
    below: "Enter to select",
};

const PAUSE_MS: u32 = 300;

/// How words reach this agent at its screen; `None` for one of which nothing was seen, and for one that has a
/// queue of its own, in which words are never taken for keys.
pub(super) fn typing(agent: &str) -> Option<Typing> {
    let plain = Typing {
        pause_ms: PAUSE_MS,
        not_first: &['/', '!', '?'],
        takes_lines: true,
        long_paste: None,
        empty_box: None,
    };
    match agent {
        claude::NAME => Some(Typing {
            not_first: &['/', '!', '?', '#'],
            long_paste: Some(LongPaste {
                n_lines: 3,
                n_signs: 800,
                words: "Claude Code marks more than 3 lines or 800 characters as pasted, and its model obeys \
                        such words less readily",
            }),
            empty_box: Some(CLAUDE_EMPTY_BOX),
            ..plain
        }),
        opencode::NAME => Some(Typing { empty_box: Some(OPENCODE_EMPTY_BOX), ..plain }),
        gemini::NAME => Some(Typing { empty_box: Some(GEMINI_EMPTY_BOX), ..plain }),
        _ => None,
    }
}

/// What can be answered to the permission that a session waits for, with the keys, and what it is about.
/// `None` unless it is certain which call the prompt is for and what the keys mean: only the agent's own hook
/// names the call, since others may be open beside it.
pub fn permission_keys(session: &SessionObservation) -> Option<(&str, &'static [PermissionKey])> {
    let is_named = |word: &&StatusReport| {
        word.source == ActivitySource::Hook && word.status == LiveStatus::Waiting { on: WaitsOn::Permission }
    };
    let what = session.live.iter().find(is_named)?.what.as_deref()?;
    let is_other = CLAUDE_OTHER_PROMPTS.iter().any(|tool| what.starts_with(tool));
    let is_known = session.agent == claude::NAME && session.version.as_deref() == Some(CLAUDE_SEEN);
    (is_known && !is_other).then_some((what, CLAUDE_KEYS.as_slice()))
}

/// The dialog that a session asks in, and how its options are chosen. Otherwise why that is not certain, in
/// words.
///
/// # Errors
/// It is not certain what a key would do.
pub fn option_dialog(session: &SessionObservation) -> Result<(&AskedByTool, OptionDialog), &'static str> {
    let asked = session.asked.as_ref().ok_or("what its dialog offers is not known")?;
    if session.agent != claude::NAME || session.version.as_deref() != Some(CLAUDE_SEEN) {
        return Err("what keys do in its dialog was not tried with this version of its agent");
    }
    let is_told = |word: &StatusReport| {
        matches!(word.source, ActivitySource::Hook | ActivitySource::Registry)
            && word.status == LiveStatus::Waiting { on: WaitsOn::Input }
    };
    if !session.live.iter().any(is_told) {
        return Err("only its record says that it asks: its dialog may not stand yet, or not any more");
    }
    if !asked.is_alone || !session.subagents.is_empty() {
        return Err(
            "other work of the session can ask as well: which of them its screen shows is not certain",
        );
    }
    let [question] = asked.questions.as_slice() else {
        return Err("it asks several questions at once: answer them one by one there");
    };
    if question.takes_several {
        return Err("several options can be chosen together: choose and submit them there");
    }
    if question.has_previews {
        return Err("its options have previews to look at, in another kind of dialog");
    }
    let labels: Vec<&str> = question.options.iter().map(|option| option.label.trim()).collect();
    let is_own = |(at, label): (usize, &&str)| !label.is_empty() && !labels[..at].contains(label);
    if labels.is_empty() || labels.len() > CLAUDE_OPTIONS.keys.len() || !labels.iter().enumerate().all(is_own)
    {
        return Err("its options cannot be told apart");
    }
    Ok((asked, CLAUDE_OPTIONS))
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
