//! Texts that wait for the agent: what was typed while it worked, and reports of the client. The record says when one is
//! put in and when one is taken out, mostly without saying which; the text itself follows or precedes that. Must not
//! decide what a text asks for.

use super::history::{is_client_command, is_from_a_person, without_paste_marks};
use super::line::Line;
use crate::agent::record_text::shortened;

/// Further texts are not tracked.
const MAX: usize = 64;
/// A text is told from others by so many bytes at its beginning.
const LONGEST: usize = 4 << 10;

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Vec<Waiting>,
    /// What was taken out last, until the text that the agent was given is read.
    taken: Option<Waiting>,
    /// How many texts the agent was given before the record said that one is taken out.
    n_ahead: usize,
}

#[derive(Debug)]
struct Waiting {
    text: String,
    /// Whether the user wrote it, and for the agent. The client takes out such texts first.
    is_prompt: bool,
}

impl Queue {
    /// Takes a line about the queue: `operation`, with the text if the line has it.
    pub(super) fn take(&mut self, line: &Line<'_>, operation: &str) {
        let text = line.content_text().map(|text| kept(&text));
        if operation == "enqueue" {
            if self.waiting.len() < MAX {
                let text = text.unwrap_or_default();
                let is_prompt = text.is_empty() || is_from_a_person(line, &text) && !is_client_command(&text);
                self.waiting.push(Waiting { text, is_prompt });
            }
            return;
        }
        if self.n_ahead > 0 {
            self.n_ahead -= 1;
            return;
        }
        let named = text.and_then(|text| self.place_of(&text));
        let next = || self.waiting.iter().position(|waiting| waiting.is_prompt);
        if let Some(at) = named.or_else(next).or((!self.waiting.is_empty()).then_some(0)) {
            self.taken = Some(self.waiting.remove(at));
        }
    }

    /// Takes a text that the agent was given. A task of the user's that never waited was typed at rest: what waited then
    /// was lost with an earlier process, and is left behind.
    pub(super) fn hear(&mut self, text: &str, is_new_task: bool) {
        let text = kept(text);
        if self.taken.as_ref().is_some_and(|taken| taken.text == text) {
            self.taken = None;
            return;
        }
        match (self.place_of(&text), self.taken.take()) {
            // Another one was taken out than it seemed.
            (Some(at), Some(taken)) => self.waiting[at] = taken,
            (Some(at), None) => {
                self.waiting.remove(at);
                self.n_ahead += 1;
            }
            (None, taken) => {
                let was_typed_at_rest = is_new_task && taken.is_none();
                self.taken = taken;
                if was_typed_at_rest {
                    *self = Queue::default();
                }
            }
        }
    }

    /// The first prompt that waits, shortened.
    pub(super) fn prompt(&self) -> Option<String> {
        let prompt = self.waiting.iter().find(|waiting| waiting.is_prompt)?;
        Some(shortened(&prompt.text))
    }

    fn place_of(&self, text: &str) -> Option<usize> {
        self.waiting.iter().position(|waiting| waiting.text == text)
    }
}

/// As much of a text as tells it from others, the same however the client writes it.
fn kept(text: &str) -> String {
    let text = without_paste_marks(text.to_owned());
    let text = text.trim();
    text[..text.floor_char_boundary(LONGEST)].to_owned()
}

#[cfg(test)]
mod tests {
    use crate::agent::claude::read_transcript;

    /// What waits after these lines, written as the client writes them: lines of the queue have no id.
    fn waits(lines: &[&str]) -> Option<String> {
        let line = |line: &&str| {
            let (verb, text) = line.split_once(' ').unwrap_or((line, ""));
            match verb {
                "prompt" => format!(
                    r#"{{"type":"user","uuid":"u","origin":{{"kind":"human"}},"message":{{"role":"user","content":"{text}"}}}}"#
                ),
                "said" => format!(
                    r#"{{"type":"assistant","uuid":"a","message":{{"id":"m","role":"assistant","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn"}}}}"#
                ),
                "given" => format!(
                    r#"{{"type":"attachment","uuid":"g","attachment":{{"type":"queued_command","prompt":"{text}"}}}}"#
                ),
                "enqueue" => format!(
                    r#"{{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"{text}"}}"#
                ),
                _ => format!(r#"{{"type":"queue-operation","operation":"{verb}","sessionId":"s"}}"#),
            }
        };
        let record: String = lines.iter().map(|each| line(each) + "\n").collect();
        read_transcript("s", record.as_bytes()).queued
    }

    #[test]
    fn a_prompt_waits_until_it_is_taken_out_or_given_to_the_agent() {
        let begun = ["prompt Add a footer", "enqueue And a header", "said Done."];
        assert_eq!(waits(&begun).as_deref(), Some("And a header"));
        assert_eq!(waits(&begun[..2]), None, "the turn runs");
        for end in [vec!["dequeue"], vec!["remove"], vec!["dequeue", "prompt And a header", "said Done."]] {
            assert_eq!(waits(&[&begun[..], &end].concat()), None, "{end:?}");
        }
        for way in [["given And a header", "remove"], ["remove", "given And a header"]] {
            let lines = [&begun[..2], &["enqueue And a page"], &way, &begun[2..]].concat();
            assert_eq!(waits(&lines).as_deref(), Some("And a page"), "{way:?}");
        }
    }

    #[test]
    fn what_is_taken_out_is_told_by_what_the_agent_is_given() {
        let lines = ["prompt one", "enqueue a", "enqueue b", "said x", "dequeue", "prompt b", "said y"];
        assert_eq!(waits(&lines).as_deref(), Some("a"));
        let report = "<task-notification> <task-id>1</task-id>";
        let reported = format!("enqueue {report}");
        let lines = ["prompt one", &reported, "enqueue a", "said x", "dequeue", "prompt a", "said y"];
        assert_eq!(waits(&lines), None, "a report is no prompt");
        assert_eq!(waits(&["enqueue a", "dequeue", "dequeue", "dequeue", "prompt a", "said y"]), None);
    }
}
