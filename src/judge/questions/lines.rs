//! Splits a text into lines and classifies each: heading, list item, paragraph, table row, quote, code. Reads
//! structure only. Must not know any language.

use std::ops::Range;

use super::lexicon::LEXICON;
use super::markers::{Marker, marker};
use super::shapes::{is_bold_only, is_code_like, is_delimiter_row, is_invisible, is_rule, is_table};

/// The longest text read completely, in bytes. Of a longer one both ends are read, and
/// the middle only for fences.
pub(super) const WHOLE_UP_TO: usize = 256 * 1024;
/// How much is read at the beginning of a longer text, in bytes.
const HEAD: usize = 64 * 1024;
/// How much is read at the end of a longer text, in bytes.
const TAIL: usize = 128 * 1024;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Nothing visible.
    Blank,
    /// A line of running text.
    Paragraph,
    /// A line with `#`, an underlined title, or only a bold passage.
    Heading,
    /// An item of a list.
    Item,
    /// A row of a table, or of a box drawn with characters.
    Table,
    /// A block quote.
    Quote,
    /// A line of code, or a fence.
    Code,
    /// A horizontal rule.
    Rule,
    /// A part of a letter to somebody else.
    Letter,
}

/// One line of the text.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its bytes in the text, without the line break.
    pub(super) range: Range<usize>,
    /// What it is.
    pub(super) role: Role,
    /// The marker of a list item, and the bytes of its label in the text.
    pub(super) marker: Option<(Marker, Range<usize>)>,
    /// Where its content begins, after indentation, marker and heading characters.
    pub(super) content: usize,
    /// The number of its paragraph or list; blank lines separate them.
    pub(super) block: usize,
    /// Whether it begins with a `Q:` label.
    pub(super) labelled_question: bool,
    /// Whether only its bold type makes it a heading.
    pub(super) bold: bool,
}

/// The lines of a text, and whether it ends inside a fence.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The lines in order; of a long text, only those at both ends.
    pub(super) lines: Vec<Line>,
    /// Whether the text ends inside a fence.
    pub(super) open_fence: bool,
}

/// Tags whose content up to the closing tag is not the writer's text.
const RAW: [&str; 6] = ["source", "pre", "code", "script", "style", "textarea"];

/// An open code fence.
#[derive(Clone, Copy)]
struct Fence {
    sign: u8,
    length: usize,
}

/// Splits `text` into lines and gives each its role.
pub(super) fn read(text: &str) -> Lines {
    let mut reader = Reader::new(text, None);
    reader.run();
    // A document in a fence has fences of its own: the bare one that is left open has closed the document if a whole
    // sentence ends the text, or a menu under a question.
    let is_whole = |from: usize| {
        text.trim_end().ends_with(['.', '!', '?', '。', '！', '？'])
            || text[from..].lines().any(|line| line.trim_end().ends_with(['?', '？']))
    };
    let last =
        reader.opened_bare.filter(|from| reader.has_document && text.len() <= WHOLE_UP_TO && is_whole(*from));
    if reader.is_open() && last.is_some() {
        reader = Reader::new(text, last);
        reader.run();
    }
    Lines { open_fence: reader.is_open(), lines: reader.lines }
}

/// The end of the first window and the start of the last one; equal if the whole text is read.
fn windows(text: &str) -> (usize, usize) {
    if text.len() <= WHOLE_UP_TO {
        return (text.len(), text.len());
    }
    let at_character = |mut index: usize| {
        while !text.is_char_boundary(index) {
            index += 1;
        }
        index
    };
    (at_character(HEAD), at_character(text.len() - TAIL))
}

struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line>,
    fence: Option<Fence>,
    /// Whether the text is inside a fence for a reader who lets a shorter one close it, as some writers do.
    is_inside: bool,
    /// The tag of an open raw block.
    raw: Option<&'static str>,
    block: usize,
    /// Where the line begins that is read.
    at: usize,
    /// Where the last fence was opened, if nothing but the fence is on its line.
    opened_bare: Option<usize>,
    /// Whether a fence holds a document in Markdown.
    has_document: bool,
    /// Where a fence begins that only closes.
    closing: Option<usize>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, closing: Option<usize>) -> Self {
        Self {
            text,
            lines: Vec::new(),
            fence: None,
            is_inside: false,
            raw: None,
            block: 0,
            at: 0,
            opened_bare: None,
            has_document: false,
            closing,
        }
    }

    /// Reads all lines; of a long text those at its ends, and the fences between.
    fn run(&mut self) {
        let text = self.text;
        let (head, tail) = windows(text);
        while self.at < text.len() {
            let at = self.at;
            let end = text[at..].find('\n').map_or(text.len(), |offset| at + offset);
            if end <= head || at >= tail {
                self.line(at..end);
            } else if at < head {
                self.line(at..head);
                if end > tail {
                    self.line(tail..end);
                }
            } else if end > tail {
                self.line(tail..end);
            } else {
                self.fence_only(&text[at..end]);
            }
            self.at = end + 1;
        }
    }

    /// Whether a fence is open, also for a reader who lets a shorter one close it.
    fn is_open(&self) -> bool {
        self.fence.is_some() && self.is_inside
    }

    /// Tracks fences in a line that is not otherwise read.
    fn fence_only(&mut self, line: &str) {
        let start = line.trim_start_matches([' ', '\t']);
        if start.starts_with(['`', '~']) {
            self.fence_step(start.trim_end_matches('\r'));
        }
    }

    /// Opens or closes a fence, and returns whether the line is a fence.
    fn fence_step(&mut self, start: &str) -> bool {
        let Some(sign) = start.bytes().next().filter(|sign| matches!(sign, b'`' | b'~')) else {
            return false;
        };
        let length = start.bytes().take_while(|&byte| byte == sign).count();
        let info = &start[length..];
        if self.closing == Some(self.at) {
            self.is_inside = false;
            return true;
        }
        if length >= 3 {
            self.is_inside = !(self.is_inside && info.trim().is_empty());
        }
        match self.fence {
            Some(fence) => {
                let closes = sign == fence.sign && length >= fence.length && info.trim().is_empty();
                if closes {
                    self.fence = None;
                }
                closes
            }
            None if length >= 3 && !(sign == b'`' && info.contains('`')) => {
                self.fence = Some(Fence { sign, length });
                self.opened_bare = info.trim().is_empty().then_some(self.at);
                self.has_document |= matches!(info.trim(), "markdown" | "md");
                true
            }
            None => false,
        }
    }

    fn line(&mut self, range: Range<usize>) {
        let raw = self.text[range.clone()].trim_end_matches('\r');
        let range = range.start..range.start + raw.len();
        let start = raw.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c));
        let content = range.start + (raw.len() - start.len());
        let mut line = Line {
            range,
            role: Role::Paragraph,
            marker: None,
            content,
            block: self.block,
            labelled_question: false,
            bold: false,
        };
        let was_open = self.fence.is_some();
        if self.raw_step(start) || self.fence_step(start) || was_open {
            line.role = Role::Code;
        } else if start.is_empty() {
            line.role = Role::Blank;
            self.block += 1;
        } else {
            self.classify(&mut line, raw, start);
        }
        self.lines.push(line);
    }

    /// Opens or closes a raw block such as `<pre>` (`CommonMark`), and returns whether the line belongs to one.
    fn raw_step(&mut self, start: &str) -> bool {
        let bare = start.trim_end().strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        if let Some(tag) = self.raw {
            if bare.is_some_and(|bare| bare.strip_prefix('/') == Some(tag)) {
                self.raw = None;
            }
            return true;
        }
        if self.fence.is_none() {
            self.raw = RAW.into_iter().find(|tag| bare == Some(*tag));
        }
        self.raw.is_some()
    }

    fn classify(&mut self, line: &mut Line, raw: &str, start: &str) {
        let follows_table = self.lines.last().is_some_and(|last| last.role == Role::Table);
        if start.starts_with('>') {
            line.role = Role::Quote;
        } else if is_table(start, follows_table) {
            line.role = Role::Table;
            self.mark_header(start);
        } else if is_rule(start) {
            line.role = Role::Rule;
            self.block += 1;
        } else if self.is_indented_code(raw) || is_code_like(start) {
            line.role = Role::Code;
        } else if start.starts_with('#') && start.trim_start_matches('#').starts_with([' ', '\u{3000}', '\t'])
        {
            line.role = Role::Heading;
            line.content += start.len() - start.trim_start_matches('#').trim_start().len();
            self.block += 1;
        } else if let Some((marker, label, length)) = marker(start) {
            line.role = Role::Item;
            let from = line.content;
            line.marker = Some((marker, from + label.start..from + label.end));
            line.content = from + length;
            line.labelled_question = is_labelled_question(&start[length..]);
        } else {
            line.labelled_question = is_labelled_question(start);
            if is_bold_only(start) {
                line.role = Role::Heading;
                line.bold = true;
            }
        }
    }

    /// Marks the line above the delimiter row of a table without outer bars as its header.
    fn mark_header(&mut self, start: &str) {
        if let Some(last) = self.lines.last_mut()
            && is_delimiter_row(start)
            && last.role == Role::Paragraph
            && self.text[last.range.clone()].contains('|')
        {
            last.role = Role::Table;
        }
    }

    /// Whether a line is indented by four spaces or a tab after a blank line, outside a list.
    fn is_indented_code(&self, raw: &str) -> bool {
        let indented = raw.starts_with("    ") || raw.starts_with('\t');
        if !indented {
            return false;
        }
        match self.lines.last() {
            None => true,
            Some(last) if last.role == Role::Code => {
                !self.text[last.range.clone()].trim_start().starts_with(['`', '~'])
            }
            Some(last) if last.role == Role::Blank => {
                let above = self.lines.iter().rev().find(|line| line.role != Role::Blank);
                let nested = above.is_some_and(|line| {
                    line.role == Role::Item
                        || (line.role == Role::Code
                            && !self.text[line.range.clone()].starts_with([' ', '\t']))
                });
                !nested || above.is_none()
            }
            Some(_) => false,
        }
    }
}

/// Recognises labels such as `Q:`, `Q1.`, `**Frage:**`.
fn is_labelled_question(start: &str) -> bool {
    let start = start.trim_start_matches(['*', '_', ' ']);
    let end =
        start.char_indices().take(16).find(|(_, c)| matches!(c, ':' | '.' | '\u{ff1a}' | '\u{ff0e}' | ')'));
    let Some((end, _)) = end else { return false };
    let label = start[..end].trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ').to_lowercase();
    LEXICON.question_labels.contains(&label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(text: &str) -> Vec<Role> {
        read(text).lines.iter().map(|line| line.role).collect()
    }

    #[test]
    fn a_fence_is_closed_by_one_at_least_as_long() {
        assert_eq!(
            roles("````\n```\na?\n````\nb"),
            [Role::Code, Role::Code, Role::Code, Role::Code, Role::Paragraph]
        );
        assert_eq!(roles("~~~\n```\n~~~\nb"), [Role::Code, Role::Code, Role::Code, Role::Paragraph]);
    }

    #[test]
    fn an_open_fence_runs_to_the_end() {
        let lines = read("a\n```rust\nfn x() {\n");
        assert!(lines.open_fence);
        assert!(!read("```\na\n```").open_fence);
    }

    #[test]
    fn a_document_in_a_fence_may_have_fences_of_its_own() {
        let read = read("```markdown\n# A\n```json\n{}\n```\n```\nShall I start?");
        assert!(!read.open_fence);
        assert_eq!(read.lines.last().map(|line| line.role), Some(Role::Paragraph));
        assert!(super::read("```markdown\n# A\n```json\n{}\n").open_fence);
    }

    #[test]
    fn list_markers_are_recognised() {
        let kinds: Vec<_> =
            read("- a\n1. b\nB) c\n[1] d\n① e\nOption 1: f\n案1：g\n- [ ] h\n- [x] i\n🅰️ j\n（２） k")
                .lines
                .iter()
                .map(|line| line.marker.clone().map(|(marker, _)| marker))
                .collect();
        let expected = [
            Marker::Bullet,
            Marker::Number,
            Marker::Letter,
            Marker::Number,
            Marker::Number,
            Marker::Word,
            Marker::Word,
            Marker::OpenBox,
            Marker::DoneBox,
            Marker::Letter,
            Marker::Number,
        ];
        assert_eq!(kinds, expected.map(Some));
    }

    #[test]
    fn a_long_text_is_read_at_both_ends_and_its_fences_are_followed() {
        let text = format!("start\n```\n{}end?", "filler line\n".repeat(40_000));
        let read = read(&text);
        assert!(read.open_fence);
        let bytes: usize = read.lines.iter().map(|line| line.range.len()).sum();
        assert!(bytes <= HEAD + TAIL, "{bytes}");
        assert!(read.lines.iter().skip(1).all(|line| line.role == Role::Code));
    }
}
