//! Answers a dialog in which a session asks: types the key of one option once it is certain that the key
//! selects it, then looks for the answer in the record.
//!
//! It must not treat screen text as evidence of what is asked: question and options come from the record. The
//! screen only prevents a key from reaching something else.

use super::channel::refused;
use super::input_box::{AtCursor, plain};
use super::pane::{Address, NotTyped, Sent};
use super::prompt_key::KeyFate;
use super::{Current, Replier};
use crate::agent::{Adapter, OptionDialog};
use crate::model::display_text::one_spaced;
use crate::model::{ActionProblem, AskedOption, ReceiptState, ReplyPlan};

/// Where to answer if closeout cannot.
const IN_PANE: &str = "answer it in its pane";

/// Checks that this is an option of the dialog that the session shows.
pub(super) fn check(
    adapter: &Adapter,
    place: usize,
    label: &str,
    call: &str,
    current: &Current,
) -> Result<(), ActionProblem> {
    let (asked, _) = adapter
        .option_dialog(&current.session)
        .map_err(|why| refused(format!("{why}; nothing was typed"), IN_PANE))?;
    let options = asked.questions.first().map(|question| question.options.as_slice()).unwrap_or_default();
    let is_same = asked.call == call && options.get(place).is_some_and(|option| option.label == label);
    if is_same {
        Ok(())
    } else {
        Err(refused("its dialog has another option there; nothing was typed", "look again"))
    }
}

impl Replier<'_> {
    /// The cursor position in the pane's dialog, while its keys select options.
    pub(super) fn open_dialog(
        &self,
        address: &Address,
        current: &Current,
    ) -> Result<AtCursor, ActionProblem> {
        let (asked, dialog) = self
            .adapter
            .option_dialog(&current.session)
            .map_err(|why| refused(format!("{why}; nothing was typed"), IN_PANE))?;
        let options = asked.questions.first().map(|question| question.options.as_slice()).unwrap_or_default();
        let message = "its dialog does not look ready for a key: it is higher than its pane, or somebody \
                       is answering it there";
        let ready = self.screen_when(address, |at| is_choosing(at, &dialog, options))?;
        ready.ok_or_else(|| refused(message, IN_PANE))
    }

    /// Types the key of an option and waits for the answer in the record.
    pub(super) fn choose_option(&self, plan: &ReplyPlan, place: usize, label: &str, call: &str) -> Sent {
        let (tmux, address, current) = self.pane_now(plan)?;
        check(self.adapter, place, label, call, &current)?;
        let key = self
            .adapter
            .option_dialog(&current.session)
            .ok()
            .and_then(|(_, dialog)| dialog.keys.get(place).copied());
        let key =
            key.ok_or_else(|| refused("which key chooses it is not certain; nothing was typed", IN_PANE))?;
        let at = self.open_dialog(&address, &current)?;
        let is_answered = |current: &Current| answer(current, call).is_some();
        match self.type_key(plan, (tmux, &address, &current), (key, Some(&at)), &is_answered)? {
            KeyFate::Taken => {}
            KeyFate::Stands { .. } => {
                let message = "the key was typed, but its record does not show the answer yet".to_owned();
                return Ok((ReceiptState::Held, Some(message)));
            }
            KeyFate::Unknown => return NotTyped::Perhaps.sent(),
        }
        let shown = (self.look)().ok().and_then(|current| answer(&current, call));
        Ok(match shown {
            Some(shown) if shown.trim() == label.trim() => (ReceiptState::Consumed, None),
            Some(shown) => (ReceiptState::Unknown, Some(format!("its record shows another answer: {shown}"))),
            None => (ReceiptState::Held, Some("the key was typed".to_owned())),
        })
    }
}

/// The answer to this call in the record; several answers are joined.
fn answer(current: &Current, call: &str) -> Option<String> {
    let answered = current.session.answered.as_ref().filter(|answered| answered.call == call)?;
    let answers: Vec<&str> = answered.answers.iter().map(|(_, answer)| answer.as_str()).collect();
    Some(answers.join(", "))
}

/// Whether the cursor is on the selected option of this very dialog, so that its keys select options.
fn is_choosing(at: &AtCursor, dialog: &OptionDialog, options: &[AskedOption]) -> bool {
    let is_below = |line: &String| plain(line).is_some_and(|line| line.starts_with(dialog.below));
    let Some(line) = plain(&at.line) else { return false };
    let Some((number, rest)) = line.strip_prefix(dialog.marker).and_then(|line| line.split_once('.')) else {
        return false;
    };
    let place = number.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let Some(option) = place.and_then(|place| options.get(place)) else { return false };
    // A long label continues on the next line.
    let shown = one_spaced(rest);
    let is_its = !shown.is_empty() && one_spaced(&option.label).starts_with(&shown);
    at.column == dialog.column && is_its && at.below.iter().any(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALOG: OptionDialog =
        OptionDialog { keys: &["1", "2", "3"], column: 0, marker: '❯', below: "Enter to select" };

    fn is_open(column: u32, line: &str, below: &[&str]) -> bool {
        let options: Vec<AskedOption> = ["PostgreSQL", "A file that is named at the start"]
            .map(|label| AskedOption { label: label.to_owned(), description: String::new() })
            .into();
        let below = below.iter().map(|line| (*line).to_owned()).collect();
        is_choosing(
            &AtCursor { column, row: 3, above: Vec::new(), line: line.to_owned(), below },
            &DIALOG,
            &options,
        )
    }

    /// As Claude Code 2.1.330 draws it with 120 and with 40 columns.
    #[test]
    fn a_key_chooses_only_while_one_of_the_options_is_selected() {
        let below = ["     A server", "", "Enter to select · ↑/↓ to navigate · Esc to cancel"];
        assert!(is_open(0, "\x1b[38;5;153m❯\x1b[39m 1. \x1b[1mPostgreSQL\x1b[0m", &below));
        assert!(is_open(0, "❯ 2. A file that is named", &below));
        for (column, line) in [
            (0, "❯ 3. Type something."),
            (5, "❯ 3. Type something."),
            (5, "❯ 1. PostgreSQL"),
            (0, "  1. PostgreSQL"),
            // Another dialog, whose first key grants a permission.
            (1, " ❯ 1. Yes"),
            (0, "❯ 1. Yes"),
            (0, "❯ 1. "),
            (0, "❯ 0. PostgreSQL"),
            (0, "❯ hello"),
            (0, ""),
        ] {
            assert!(!is_open(column, line, &below), "{column} {line:?}");
        }
        assert!(!is_open(0, "❯ 1. PostgreSQL", &["     A server", "Esc to cancel · Tab to amend"]));
        assert!(!is_open(0, "❯ 1. PostgreSQL", &[]));
    }
}
