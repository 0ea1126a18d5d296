//! The keys of the reply box, as data: one table per thing that it can show. Other keys are written.

use crate::model::{Choice, Question};
use crate::ui::input::{KeyCode, KeyPress};
use crate::ui::keymap::{Binding, bind, key, sign};

/// What a key does in the reply box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAction {
    /// Send the text; if it cannot be sent, plan again.
    Send,
    /// Send it once the agent's turn has ended.
    WhenIdle,
    /// Start a new line.
    NewLine,
    /// Open it in the person's editor.
    Editor,
    /// Undo the last change.
    Undo,
    /// Redo it.
    Redo,
    /// Switch to another session of the workspace.
    OtherSession,
    /// Scroll the question up.
    ScrollUp,
    /// Scroll the question down.
    ScrollDown,
    /// Close the box; the text is kept.
    Leave,
    /// Confirm.
    Yes,
    /// Decline.
    No,
    /// Go to the agent's pane.
    Pane,
    /// One session down.
    Down,
    /// One session up.
    Up,
    /// Choose the selected session.
    Take,
}

const ESC: KeyPress = key(KeyCode::Esc);

/// The keys while a reply is written. Every other character becomes part of it.
pub const BINDINGS: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter)], ReplyAction::Send, "send").hinted("send"),
    bind(&[KeyPress::ctrl('s')], ReplyAction::WhenIdle, "send it when the agent's turn has ended")
        .hinted("send when idle"),
    bind(&[KeyPress::alt(KeyCode::Enter), KeyPress::ctrl('j')], ReplyAction::NewLine, "new line")
        .hinted("new line")
        .labelled("Alt-Enter Ctrl-J"),
    bind(&[ESC], ReplyAction::Leave, "leave; what was written is kept").hinted("leave"),
    bind(&[KeyPress::ctrl('e')], ReplyAction::Editor, "write it in $VISUAL or $EDITOR").hinted("editor"),
    bind(
        &[KeyPress::alt(KeyCode::Char('u')), KeyPress::ctrl('_'), KeyPress::ctrl('7'), KeyPress::ctrl('/')],
        ReplyAction::Undo,
        "undo the last change",
    )
    .hinted("undo")
    .labelled("Alt-u Ctrl-_"),
    bind(&[KeyPress::ctrl('y'), KeyPress::alt(KeyCode::Char('e'))], ReplyAction::Redo, "make it again")
        .labelled("Ctrl-Y Alt-e"),
    bind(&[key(KeyCode::PageUp)], ReplyAction::ScrollUp, "the question: page up"),
    bind(&[key(KeyCode::PageDown)], ReplyAction::ScrollDown, "the question: page down"),
    bind(&[key(KeyCode::Tab)], ReplyAction::OtherSession, "another session of the workspace"),
];

/// The keys while the options of a prompt are shown. Enter is not among them.
pub(super) const OPTIONS: &[Binding<ReplyAction>] = &[
    bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave"),
    bind(&[key(KeyCode::PageUp), key(KeyCode::Up)], ReplyAction::ScrollUp, "up"),
    bind(&[key(KeyCode::PageDown), key(KeyCode::Down)], ReplyAction::ScrollDown, "down"),
    bind(&[key(KeyCode::Tab)], ReplyAction::OtherSession, "another session"),
];

/// The key beside those of [`OPTIONS`] while a prompt is shown that can only be answered in its pane.
pub(super) const IN_PANE: &[Binding<ReplyAction>] =
    &[bind(&[key(KeyCode::Enter)], ReplyAction::Pane, "go to its pane").hinted("go to its pane")];

/// The keys while something is to be confirmed. Enter is not among them.
pub(super) const CONFIRM: &[Binding<ReplyAction>] = &[
    bind(&[sign('y')], ReplyAction::Yes, "yes").hinted("yes, send it"),
    bind(&[sign('n'), ESC], ReplyAction::No, "no").hinted("no"),
];

/// The keys for confirming an option of a question, where Enter works too: it gives no permission.
pub(super) const CHOOSE: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter), sign('y')], ReplyAction::Yes, "yes").hinted("yes, send it"),
    bind(&[sign('n'), ESC], ReplyAction::No, "no").hinted("no"),
];

pub(super) const SENDING: &[Binding<ReplyAction>] =
    &[bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave; it goes on")];

pub(super) const SESSIONS: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter)], ReplyAction::Take, "this one").hinted("this one"),
    bind(&[sign('j'), key(KeyCode::Down), key(KeyCode::Tab)], ReplyAction::Down, "down").hinted("down"),
    bind(&[sign('k'), key(KeyCode::Up), key(KeyCode::BackTab)], ReplyAction::Up, "up").hinted("up"),
    bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyedAnswer {
    /// The key, in lower case.
    pub(super) key: char,
    /// What the answer means. Untrusted text.
    pub(super) words: String,
    /// The text that goes into the box. Untrusted text.
    pub(super) answer: String,
}

/// The answers of a question, at most as many as there are keys.
pub(super) fn answers_of(question: Option<&Question>) -> Vec<KeyedAnswer> {
    let choices = question.map(|question| question.choices.as_slice()).unwrap_or_default();
    let own: Option<Vec<char>> = choices.iter().map(own_key).collect();
    // Labels serve as keys only if each yields a key and all keys differ.
    let own = own.filter(|keys| keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key)));
    let keys = own.unwrap_or_else(|| ('1'..='9').collect());
    let answers = question.map(Question::answers).unwrap_or_default();
    let keyed = choices.iter().zip(answers).zip(keys).map(|((choice, answer), key)| KeyedAnswer {
        key,
        words: if choice.text.is_empty() { choice.label.clone() } else { choice.text.clone() },
        answer,
    });
    keyed.collect()
}

/// The index of the answer that a key selects. Full-width characters of an input method count as plain.
pub(super) fn given(answers: &[KeyedAnswer], press: KeyPress) -> Option<usize> {
    let KeyCode::Char(sign) = press.folded().code else { return None };
    let sign = sign.to_ascii_lowercase();
    (!press.ctrl && !press.alt).then(|| answers.iter().position(|answer| answer.key == sign)).flatten()
}

/// The label as a key, if it is a character that every keyboard has; of a word such as "yes", its first letter.
fn own_key(choice: &Choice) -> Option<char> {
    let mut signs = choice.label.chars();
    let sign = signs.next()?;
    let is_alone = signs.next().is_none();
    let is_key = sign.is_ascii_alphabetic() || (is_alone && sign.is_ascii_digit());
    is_key.then(|| sign.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Certainty, QuestionWeight};

    #[test]
    fn a_choice_has_the_key_that_its_label_is_else_a_number() {
        let keyed = |choices: &[(&str, &str)]| -> Vec<(char, String)> {
            let choice = |(label, text): &(&str, &str)| Choice {
                label: (*label).to_owned(),
                text: (*text).to_owned(),
            };
            let choices = choices.iter().map(choice).collect();
            let question = Question {
                text: String::new(),
                choices,
                weight: QuestionWeight::Blocking,
                certainty: Certainty::High,
            };
            answers_of(Some(&question)).into_iter().map(|answer| (answer.key, answer.answer)).collect()
        };
        let wanted = |pairs: &[(char, &str)]| -> Vec<(char, String)> {
            pairs.iter().map(|(key, answer)| (*key, (*answer).to_owned())).collect()
        };
        assert_eq!(keyed(&[("1", "Postgres"), ("2", "SQLite")]), wanted(&[('1', "1"), ('2', "2")]));
        assert_eq!(keyed(&[("A", "now"), ("B", "later")]), wanted(&[('a', "A"), ('b', "B")]));
        assert_eq!(keyed(&[("yes", ""), ("no", "")]), wanted(&[('y', "yes"), ('n', "no")]));
        assert_eq!(keyed(&[("はい", ""), ("いいえ", "")]), wanted(&[('1', "はい"), ('2', "いいえ")]));
        assert_eq!(keyed(&[("-", "blue"), ("-", "red")]), wanted(&[('1', "blue"), ('2', "red")]));
        assert_eq!(answers_of(None), []);
    }
}
