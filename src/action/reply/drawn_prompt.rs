//! Recognises a permission prompt on an agent's screen, for exactly one command, in the form in which the
//! agent's keys were tested.
//!
//! It must not treat screen text as evidence of what is asked: that comes from the agent's hook. The screen
//! only prevents a key from reaching something else.

use super::channel::refused;
use super::input_box::{AtCursor, Cell, cells};
use super::pane::Address;
use super::{Current, Replier};
use crate::agent::{DrawnPrompt, PermissionKeys};
use crate::model::ActionProblem;

impl Replier<'_> {
    /// The keys that answer the current permission prompt, if they are certain.
    pub(super) fn permission_keys(&self, current: &Current) -> Option<PermissionKeys> {
        self.adapter.permission_keys(&current.session).ok().map(|(_, keys)| keys)
    }

    /// The cursor position while the prompt is on the screen in the required form; `None` for an agent whose
    /// keys do not depend on the screen.
    pub(super) fn drawn_prompt(
        &self,
        address: &Address,
        current: &Current,
    ) -> Result<Option<AtCursor>, ActionProblem> {
        let Ok((what, keys)) = self.adapter.permission_keys(&current.session) else { return Ok(None) };
        let Some(drawn) = keys.drawn.filter(|_| self.tmux.is_some()) else { return Ok(None) };
        if self.adapter.is_shown(&current.session, current.record.as_deref(), &address.title) != Some(true) {
            let message = "it is not certain that its screen shows this session";
            return Err(refused(message, "answer it in its pane"));
        }
        // The tool's name comes first, before ": ".
        let command = what.split_once(": ").map_or(what, |(_, command)| command);
        let message =
            "its screen does not show this whole command with its first answer selected; nothing was typed";
        let shown = self.screen_when(address, |at| is_drawn(at, command, &drawn))?;
        shown.map(Some).ok_or_else(|| refused(message, "answer it in its pane"))
    }
}

/// Whether the lowest prompt on the screen asks to run exactly this command, with the first answer selected.
fn is_drawn(at: &AtCursor, command: &str, drawn: &DrawnPrompt) -> bool {
    let lines = at.above.iter().chain([&at.line]).chain(&at.below);
    let Some(lines) = lines.map(|line| cells(line)).collect::<Option<Vec<_>>>() else { return false };
    let texts: Vec<String> = lines.iter().map(|line| line.iter().map(|cell| cell.sign).collect()).collect();
    let shown = match drawn {
        DrawnPrompt::Framed { frame: (begin, end), asks, first } => framed(&texts, *begin, *end, asks, first),
        DrawnPrompt::Buttons { sign, bar, labels } => above_buttons(&lines, &texts, sign, *bar, labels),
    };
    shown.is_some_and(|shown| !shown.is_empty() && shown == squeezed(command))
}

/// The command in the frame above the question.
fn framed(texts: &[String], begin: char, end: char, asks: &str, first: &str) -> Option<String> {
    let question = texts.iter().rposition(|text| text.contains(asks))?;
    texts[question + 1..].iter().find(|text| text.contains(first))?;
    let last = texts[..question].iter().rposition(|text| text.contains(end))?;
    let top = texts[..last].iter().rposition(|text| text.contains(begin))?;
    Some(squeezed(&texts[top + 1..last].concat()))
}

/// The command between its marker and the row of options, of which the first is highlighted.
fn above_buttons(
    lines: &[Vec<Cell>],
    texts: &[String],
    sign: &str,
    bar: char,
    labels: &[&str],
) -> Option<String> {
    let row = texts.iter().rposition(|text| labels.iter().all(|label| text.contains(label)))?;
    let look = |label: &str| {
        let before = texts[row].split(label).next().unwrap_or_default().chars().count();
        lines[row].get(before).map(|cell| cell.background)
    };
    let looks: Vec<_> = labels.iter().map(|label| look(label)).collect::<Option<_>>()?;
    let (first, others) = looks.split_first()?;
    let is_set_off = !others.contains(first) && others.iter().all(|other| *other == others[0]);
    // All lines of the prompt begin with its bar.
    let above = texts[..row].iter().rev().take_while(|text| text.trim_start().starts_with(bar));
    let above: Vec<&str> = above.map(|text| text.trim_start().trim_start_matches(bar)).collect();
    let begun = above.iter().rposition(|text| text.trim_start().starts_with(sign))?;
    let command: Vec<&str> = above[..=begun].iter().rev().copied().collect();
    let command = command.join(" ");
    let command = command.trim_start().strip_prefix(sign)?;
    is_set_off.then(|| squeezed(command))
}

/// The text without white space and frame characters, so that line breaks of the screen do not matter.
fn squeezed(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_whitespace() && !('\u{2500}'..='\u{257f}').contains(sign)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMED: DrawnPrompt =
        DrawnPrompt::Framed { frame: ('╭', '╰'), asks: "Allow execution of", first: "1. Allow once" };
    const BUTTONS: DrawnPrompt =
        DrawnPrompt::Buttons { sign: "$ ", bar: '┃', labels: &["Allow once", "Allow always", "Reject"] };

    fn is_ready(lines: &[&str], command: &str, drawn: &DrawnPrompt) -> bool {
        let below = lines.iter().map(|line| (*line).to_owned()).collect();
        let at = AtCursor { column: 0, row: 0, above: Vec::new(), line: String::new(), below };
        is_drawn(&at, command, drawn)
    }

    /// As Gemini CLI 0.61.0 draws it.
    #[test]
    fn a_framed_command_is_the_one_that_is_asked_for() {
        let screen = |command: &[&str], first: &str| {
            let head = ["╭────────╮", "│ ? Shell  touch a    │", "│ ╭──────╮ │"];
            let foot =
                ["│ ╰──────╯ │", "│ Allow execution of [Shell]? │", "│          │", first, "╰────────╯"];
            [&head[..], command, &foot[..]].concat().iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()
        };
        let of = |command: &[&str], first: &str, what: &str| {
            let lines = screen(command, first);
            is_ready(&lines.iter().map(String::as_str).collect::<Vec<_>>(), what, &FRAMED)
        };
        let first = "│\x1b[39m \x1b[48;5;28m●\x1b[39m 1. Allow once │";
        assert!(of(&["│ │ touch a │ │"], first, "touch a"));
        assert!(of(&["│ │ cd api &&│ │", "│ │ cargo test │ │"], first, "cd api && cargo test"));
        assert!(of(&["│ │ touch a │ │"], "│   1. Allow once │", "touch a"));
        for (command, first, what) in [
            (&["│ │ rm -rf / ; touch a │ │"][..], first, "touch a"),
            (&["│ │ touch a │ │"], first, "touch b"),
            (&["│ │ … first 3 lines hidden … │ │", "│ │ touch a │ │"], first, "cd x\ntouch a"),
            (&["│ │ touch a │ │"], "│ ● 1. Yes │", "touch a"),
            (&["│ │ touch a │ │"], first, ""),
        ] {
            assert!(!of(command, first, what), "{command:?} {first} {what}");
        }
        assert!(!is_ready(&[" > Type your message"], "touch a", &FRAMED));
    }

    const ONCE: &str = "  ┃\x1b[48;5;234m  \x1b[48;5;215m \x1b[38;5;232mAllow once\x1b[38;5;15m \x1b[48;5;234m  Allow always   Reject   enter confirm";
    const ALWAYS: &str =
        "  ┃\x1b[48;5;234m   Allow once  \x1b[48;5;215m Allow always \x1b[48;5;234m  Reject   enter confirm";

    /// As opencode 1.18.33 draws it.
    #[test]
    fn return_counts_only_while_the_first_option_is_set_off() {
        let of = |command: &[&str], row: &str, what: &str| {
            let head =
                ["     $ touch a", "", "  ┃", "  ┃  △ Permission required", "  ┃    # Shell command", "  ┃"];
            is_ready(&[&head[..], command, &["  ┃", row, "  ┃"]].concat(), what, &BUTTONS)
        };
        assert!(of(&["  ┃  $ touch a"], ONCE, "touch a"));
        assert!(of(&["  ┃  $ cd api &&", "  ┃  cargo test"], ONCE, "cd api && cargo test"));
        for (command, row, what) in [
            (&["  ┃  $ touch a"][..], ALWAYS, "touch a"),
            (&["  ┃  $ touch a"], "  ┃   Allow once   Allow always   Reject", "touch a"),
            (&["  ┃  $ touch b"], ONCE, "touch a"),
            (&["  ┃  $ touch a", "  ┃  rm -rf b"], ONCE, "touch a"),
            (&["  ┃  → Edit a"], ONCE, "touch a"),
            (&["     $ touch a"], ONCE, "touch a"),
        ] {
            assert!(!of(command, row, what), "{command:?} {row} {what}");
        }
    }
}
