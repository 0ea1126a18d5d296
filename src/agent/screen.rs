//! What an agent's screen makes of what is pasted or typed into it, as data. Nothing is typed here.

use crate::model::{
    ActivitySource, HOOK_TEXT, LiveStatus, PermissionOption, SessionObservation, StatusReport, WaitsOn,
};

/// The permission that a session waits for, by the hook that names its call: others may be open beside it.
pub(super) fn asked_permission(session: &SessionObservation) -> Option<&str> {
    let is_named = |word: &&StatusReport| {
        word.source == ActivitySource::Hook && word.status == LiveStatus::Waiting { on: WaitsOn::Permission }
    };
    let what = session.live.iter().find(is_named)?.what.as_deref()?;
    // Nobody allows what they cannot read to its end.
    (what.chars().count() < HOOK_TEXT).then_some(what)
}

/// Why keys are not typed into a dialog of an agent or a version that was never tried.
pub(super) const NOT_TRIED: &str = "what keys do in its dialog was not tried with this version of its agent";

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

impl Typing {
    /// Most screens: lines that are pasted arrive as one message.
    pub(super) const USUAL: Typing = Typing {
        pause_ms: 300,
        not_first: &['/', '!', '?'],
        takes_lines: true,
        long_paste: None,
        empty_box: None,
    };
}

impl From<&PermissionKey> for PermissionOption {
    fn from(key: &PermissionKey) -> PermissionOption {
        PermissionOption { label: key.label.to_owned(), answer: key.answer.to_owned() }
    }
}
