//! What was read from the last texts of a workspace, so that an unchanged text is not read again at every
//! look. Keeps results, not the texts themselves; losing it costs only time.

use sha2::{Digest as _, Sha256};

use crate::judge::questions::{self, Classification, Context, EndOfTurn, Finding};

/// How many texts are known; the least recently used one is dropped.
const MAX_TEXTS: usize = 8;

/// The most recently used texts, newest last.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: Vec<TextRead>,
}

/// What was read from one text. Its methods take the text that was read.
#[derive(Debug)]
pub(super) struct TextRead {
    name: TextName,
    /// What it leaves its reader with.
    pub(super) judged: Classification,
    /// The sentences that say that something is unfinished.
    pub(super) unfinished: Box<[Finding]>,
    says_done: Option<bool>,
    says_tests_pass: Option<bool>,
}

/// Everything that determines how a text is read: its bytes and its context.
#[derive(Debug, PartialEq, Eq)]
struct TextName {
    text: [u8; 32],
    request: Option<[u8; 32]>,
    end: Option<EndOfTurn>,
    counts: [Option<u32>; 4],
}

impl TextName {
    fn of(text: &str, context: &Context<'_>) -> TextName {
        let Context { request, end, edits, commands, commits, todos_open } = *context;
        let digest = |text: &str| Sha256::digest(text.as_bytes()).into();
        let counts = [edits, commands, commits, todos_open];
        TextName { text: digest(text), request: request.map(digest), end, counts }
    }
}

impl Texts {
    /// Reads `text` in its `context`, or returns what was read before.
    pub(super) fn read(&mut self, text: &str, context: &Context<'_>) -> &mut TextRead {
        let name = TextName::of(text, context);
        let read = if let Some(at) = self.known.iter().position(|read| read.name == name) {
            self.known.remove(at)
        } else {
            let (judged, unfinished) = questions::of_work_with_unfinished(text, context);
            let unfinished = unfinished.into();
            TextRead { name, judged, unfinished, says_done: None, says_tests_pass: None }
        };
        if self.known.len() == MAX_TEXTS {
            self.known.remove(0);
        }
        let last = self.known.len();
        // Most workspaces have one text.
        self.known.reserve_exact(1);
        self.known.push(read);
        &mut self.known[last]
    }
}

impl TextRead {
    /// Whether the text reports that something is done.
    pub(super) fn says_done<T: AsRef<str>>(&mut self, text: impl FnOnce() -> T) -> bool {
        *self.says_done.get_or_insert_with(|| questions::reports_done(text().as_ref()))
    }

    /// Whether the text says that the tests pass.
    pub(super) fn says_tests_pass(&mut self, text: &str) -> bool {
        *self.says_tests_pass.get_or_insert_with(|| questions::says_tests_pass(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_by_its_bytes_and_by_what_is_known_beside_them() {
        let mut texts = Texts::default();
        let ended = Context { end: Some(EndOfTurn::ByItself), ..Context::default() };
        let cut = Context { end: Some(EndOfTurn::Interrupted), ..Context::default() };
        for (text, context) in [
            ("The parser is written and all tests pass.", &ended),
            ("The parser is written and all tests pass.", &cut),
            ("Which of the two do you want?", &ended),
        ] {
            for _ in 0..2 {
                let read = texts.read(text, context);
                assert_eq!(read.judged, questions::of_work(text, context), "{text} {context:?}");
            }
        }
        assert_eq!(texts.known.len(), 3);
        for number in 0..20 {
            texts.read(&format!("Done, part {number}."), &ended);
        }
        assert_eq!(texts.known.len(), MAX_TEXTS);
        let text = "The parser is written and all tests pass.";
        for _ in 0..2 {
            let read = texts.read(text, &ended);
            assert!(read.says_done(|| text) && read.unfinished.is_empty());
        }
    }
}
