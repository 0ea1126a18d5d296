//! How an agent's screen treats text that is pasted or typed into it, as data. Nothing is typed here.

use crate::model::{
    ActivitySource, HOOK_TEXT, LiveStatus, PermissionOption, SessionObservation, StatusReport, WaitsOn,
};

/// Why no keys are sent to a dialog of an agent or version that was never tried.
pub(super) const NOT_TRIED: &str = "the keys of its dialog are untested with this version of its agent";
/// Why no key answers a permission whose call no hook names.
pub(super) const NOT_NAMED: &str = "it is unclear which keys would answer it";
/// Why no key answers a prompt beside which another one can stand.
const BESIDE_SUBAGENTS: &str = "its subagents can ask as well: it is unclear whose prompt its screen shows";
/// A text that was cut must not be approved unread.
const SHOWN_CUT: &str = "it is shown shortened: read it in full and decide in its pane";
/// A hook of an older closeout kept so many characters, and its plugin of opencode so many. A text of just that
/// length may have been longer.
const OLDER_LIMITS: [usize; 2] = [200, 400];

/// The permission a session waits for, as reported by a hook. Only a hook names the call; others may be
/// open at the same time.
///
/// # Errors
/// No hook names it, or its text may be cut, in words.
fn asked_permission(session: &SessionObservation) -> Result<&str, &'static str> {
    let is_named = |word: &&StatusReport| {
        word.source == ActivitySource::Hook && word.status == LiveStatus::Waiting { on: WaitsOn::Permission }
    };
    let named = session.live.iter().find(is_named).and_then(|word| word.what.as_deref());
    let what = named.ok_or(NOT_NAMED)?;
    // The tool's name stands before it.
    let text = what.split_once(": ").map_or(what, |(_, text)| text);
    let is_cut = what.chars().count() >= HOOK_TEXT || OLDER_LIMITS.contains(&text.chars().count());
    if is_cut { Err(SHOWN_CUT) } else { Ok(what) }
}

/// How text is entered at an agent's screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typing {
    /// How long after a paste Return is reliably taken as Return, in milliseconds.
    pub pause_ms: u32,
    /// Characters that have a special meaning at the start: a command, a shell command, help.
    pub not_first: &'static [char],
    /// Whether several lines in one bracketed paste arrive as one message.
    pub takes_lines: bool,
    /// What happens to a long paste, if it is treated differently from a short one.
    pub long_paste: Option<LongPaste>,
    /// What the empty input box looks like; `None` if that was never observed.
    pub empty_box: Option<EmptyBox>,
}

/// The size above which a paste is treated differently from typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPaste {
    /// With more lines than this,
    pub n_lines: usize,
    /// or more characters, it counts as long.
    pub n_signs: usize,
    /// What happens to it, in words for the user.
    pub words: &'static str,
}

/// An empty input box with the cursor in it, in a mode in which text is taken as a message. Columns count
/// from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyBox {
    /// A line that begins with a prompt character and has a frame below it.
    Framed {
        /// The possible prompt characters; a blank follows.
        prompts: &'static [char],
        /// The cursor's column.
        column: u32,
        /// The first character of the frame below, at the left edge.
        below: char,
    },
    /// A line with a hint that disappears as soon as anything is typed.
    WithHint {
        /// The possible prompt characters, in the second column; a blank follows, then the cursor.
        prompts: &'static [char],
        /// The cursor's column.
        column: u32,
        /// The hint, with the blanks before it.
        hint: &'static str,
    },
    /// A block with a bar on its left: a blank line, the cursor's line, a blank line, a status line, and
    /// the lower edge.
    Barred {
        /// The bar.
        bar: char,
        /// How many columns to the right of the bar the cursor is.
        from_bar: u32,
        /// A text that the status line contains only while input is taken as a message.
        mode: &'static str,
        /// The edge's character below the bar, and the one that follows up to the right end.
        edge: (char, char),
    },
}

/// A dialog in which a session asks and each option has a key that selects it immediately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionDialog {
    /// The keys of the options in order, by tmux's names for them.
    pub keys: &'static [&'static str],
    /// The cursor's column while keys select, counted from 0.
    pub column: u32,
    /// The character before the number of the highlighted option.
    pub marker: char,
    /// How the line below the dialog begins.
    pub below: &'static str,
}

/// The keys that answer a prompt for a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionKeys {
    /// The answers. What allows more than this one call is none of them.
    pub keys: &'static [PermissionKey],
    /// How the prompt must be drawn so that the keys mean that; `None` where they mean it in any prompt.
    pub drawn: Option<DrawnPrompt>,
    /// The version whose prompts were observed; `None` if the records name no version, so that only the drawn
    /// prompt tells.
    pub seen: Option<&'static str>,
    /// Whether the keys are certain beside subagents: the screen may show the prompt of one of those.
    pub beside_subagents: bool,
    /// Tools whose prompt has a first option that is not a plain yes.
    pub not_for: &'static [&'static str],
}

impl PermissionKeys {
    /// Keys that mean the same in any prompt of the version `seen`.
    pub(super) const fn of_version(keys: &'static [PermissionKey], seen: &'static str) -> PermissionKeys {
        PermissionKeys { keys, drawn: None, seen: Some(seen), beside_subagents: false, not_for: &[] }
    }

    /// The permission that `session` waits for, if it is certain that these keys answer it. Only its hook names
    /// the call, since others may be open at the same time.
    pub(super) fn permission_of<'s>(&self, session: &'s SessionObservation) -> Result<&'s str, &'static str> {
        let what = asked_permission(session)?;
        if self.seen.is_some() && session.version.as_deref() != self.seen {
            return Err(NOT_TRIED);
        }
        if !self.beside_subagents && !session.subagents.is_empty() {
            return Err(BESIDE_SUBAGENTS);
        }
        if self.not_for.iter().any(|tool| what.starts_with(tool)) {
            return Err("its first option is not a plain yes");
        }
        Ok(what)
    }
}

/// A prompt for the leave to run one command, as it is drawn while its keys mean what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnPrompt {
    /// The command alone in a frame, then a question, then options with numbers, each chosen by its number at once.
    Framed {
        /// What begins the frame's first line, and its last.
        frame: (char, char),
        /// What the question begins with.
        asks: &'static str,
        /// What the line of the first option holds.
        first: &'static str,
    },
    /// The command behind a sign, then a row of options of which Return chooses the one that is set off.
    Buttons {
        /// What stands before the command.
        sign: &'static str,
        /// The bar at the left edge.
        bar: char,
        /// The options. The first one is set off.
        labels: &'static [&'static str],
    },
}

/// An answer to a permission prompt, and the key that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermissionKey {
    /// What it means, in closeout's words.
    pub label: &'static str,
    /// The same in the past tense, for an answer already given.
    pub given: &'static str,
    /// The agent's own name for it.
    pub answer: &'static str,
    /// The key, by tmux's name for it.
    pub key: &'static str,
}

impl PermissionKey {
    /// Allows this one call. `answer` and `key` as in the fields.
    pub(super) const fn allow_once(answer: &'static str, key: &'static str) -> PermissionKey {
        PermissionKey { label: "allow once", given: "allowed once", answer, key }
    }

    /// Refuses the call, which ends the turn in every client that has such a key.
    pub(super) const fn deny(answer: &'static str, key: &'static str) -> PermissionKey {
        PermissionKey { label: "deny, and end the turn", given: "denied", answer, key }
    }
}

impl Typing {
    /// Most screens: several pasted lines arrive as one message.
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
