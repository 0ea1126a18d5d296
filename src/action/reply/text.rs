//! Decides which texts may be sent at all: only those without characters that a terminal or program would take
//! for something else. It must not change a text: it is sent as it is, or refused with the position of the
//! problem.

use crate::agent::Typing;
use crate::model::{ActionClass, ActionProblem, ReplyChannel};

/// The longest text that is pasted into a pane, in bytes.
const LONGEST_PASTE: usize = 128 << 10;
/// The longest text for a program's input or a file, in bytes.
const LONGEST: usize = 1 << 20;

/// Checks whether `text` may be sent through `channel`.
pub(super) fn check(
    text: &str,
    channel: &ReplyChannel,
    typing: Option<&Typing>,
) -> Result<(), ActionProblem> {
    if text.trim().is_empty() {
        return Err(ActionProblem::new(ActionClass::Refused, "there is no text in it"));
    }
    let is_pane = matches!(channel, ReplyChannel::Pane { .. });
    no_control(text, is_pane)?;
    let longest = if is_pane { LONGEST_PASTE } else { LONGEST };
    if text.len() > longest {
        let message =
            format!("it has {} bytes; this way takes {longest} at most. Nothing was sent", text.len());
        let next = "put it into a file in the workspace, and tell the agent to read it";
        return Err(ActionProblem::new(ActionClass::Refused, message).with_next(next));
    }
    match typing.filter(|_| is_pane) {
        Some(typing) => as_typed(text, typing),
        None => Ok(()),
    }
}

/// Refuses text that the agent's screen would take for a command, or for several replies.
fn as_typed(text: &str, typing: &Typing) -> Result<(), ActionProblem> {
    if let Some(first) = text.trim_start().chars().next().filter(|sign| typing.not_first.contains(sign)) {
        let message = format!("it begins with `{first}`, which the agent takes for a command");
        return Err(ActionProblem::new(ActionClass::Refused, message).with_next("put a word before it"));
    }
    if !typing.takes_lines && text.contains('\n') {
        let message = "it has several lines, and the agent would take each for a reply of its own";
        return Err(ActionProblem::new(ActionClass::Refused, message).with_next("write it in one line"));
    }
    Ok(())
}

/// Refuses control characters except the line feed, and the tab for programs and files.
fn no_control(text: &str, is_pane: bool) -> Result<(), ActionProblem> {
    let is_control = |sign: char| sign.is_control() && sign != '\n' && (is_pane || sign != '\t');
    let Some((place, sign)) = text.chars().enumerate().find(|(_, sign)| is_control(*sign)) else {
        return Ok(());
    };
    let message = format!(
        "character {} is the control character U+{:04X}, which a terminal obeys. Nothing was sent",
        place + 1,
        u32::from(sign)
    );
    Err(ActionProblem::new(ActionClass::Refused, message).with_next("take it out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPING: Typing =
        Typing { pause_ms: 0, not_first: &['/', '!'], takes_lines: true, long_paste: None, empty_box: None };

    fn problem(text: &str, channel: &ReplyChannel) -> Option<String> {
        check(text, channel, Some(&TYPING)).err().map(|problem| problem.message)
    }

    fn pane() -> ReplyChannel {
        ReplyChannel::Pane {
            pane: crate::model::Pane { socket: None, id: "%1".to_owned() },
            server: 1,
            process: crate::model::ProcessId { pid: 1, started_at: 1 },
            input: crate::model::PaneInput::Paste { long_text: None },
        }
    }

    fn resume() -> ReplyChannel {
        ReplyChannel::Resume { program: "p".to_owned(), is_described: false }
    }

    /// R02, R10.
    #[test]
    fn controls_are_refused_with_their_place() {
        let bad = ["a\u{3}b", "\u{1b}[A", "\0", "日\r", "\u{9b}A", "\u{7f}", "x\u{85}", "\u{1b}[201~"];
        for channel in [pane(), resume(), ReplyChannel::Queue { program: "p".to_owned() }] {
            for text in bad {
                let words = problem(text, &channel).unwrap();
                assert!(words.contains("control character U+"), "{text:?}: {words}");
            }
        }
        assert!(problem("日\r", &pane()).unwrap().contains("character 2 is the control character U+000D"));
        assert!(problem("a\tb", &pane()).is_some());
        assert_eq!(problem("a\tb", &resume()), None);
    }

    #[test]
    fn words_are_sent_as_they_are() {
        let good = ["-R hello", "Enter", "$(touch x)", "a; b;", "\"'`", "はい", "a\nb\nc", "👩‍👩‍👧 ok", ";"];
        for channel in [pane(), resume()] {
            for text in good {
                assert_eq!(problem(text, &channel), None, "{text:?}");
            }
        }
    }

    #[test]
    fn what_the_agent_would_take_for_a_command_is_refused_at_its_screen_only() {
        for text in ["/clear", " !rm -rf x", "\n/x"] {
            assert!(problem(text, &pane()).unwrap().contains("takes for a command"), "{text:?}");
            assert_eq!(problem(text, &resume()), None);
        }
        assert_eq!(problem(" \n ", &resume()).unwrap(), "there is no text in it");
    }

    /// R10.
    #[test]
    fn what_is_too_long_is_refused_with_the_limit() {
        assert_eq!(problem(&"x".repeat(100_000), &pane()), None);
        assert!(problem(&"x".repeat(200_000), &pane()).unwrap().contains("131072"));
        assert_eq!(problem(&"x".repeat(200_000), &resume()), None);
        assert!(problem(&"x".repeat(2_000_000), &resume()).unwrap().contains("1048576"));
    }
}
