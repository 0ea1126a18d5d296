//! Cuts a line into the writer's own sentences, each with its place and how it ends. Must not look for phrases, and sees
//! no other line.

use std::ops::Range;

use super::admission_model::Doubt;
use super::forms::{Form, FormSet};
use super::language::Language;
use super::lines::{Line, Role};
use super::masks::{self, Masked};
use super::normal::{self, Normal};
use crate::judge::joined;

/// How a sentence ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// A question mark is among the closing characters.
    Question,
    /// A full stop or an exclamation mark.
    Stop,
    /// An ellipsis.
    Dots,
    /// A colon.
    Colon,
    /// A comma.
    Comma,
    /// None of these.
    Open,
}

/// A sentence in the writer's own voice.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "five independent facts of its place, no states")]
pub(super) struct Sentence {
    /// Its bytes in the text, without surrounding whitespace.
    pub(super) range: Range<usize>,
    /// The index of its line in [`super::document::Document::lines`].
    pub(super) line: usize,
    /// The role of its line.
    pub(super) role: Role,
    /// The number of the block that its line belongs to.
    pub(super) block: usize,
    /// How it ends.
    pub(super) end: End,
    /// Its folded form.
    pub(super) normal: Normal,
    /// The phrases in it.
    pub(super) forms: FormSet,
    /// Its language.
    pub(super) language: Language,
    /// Whether it opens its line.
    pub(super) opens_line: bool,
    /// Whether it closes its line.
    pub(super) closes_line: bool,
    /// Whether it ends with code, a quotation or an address.
    pub(super) ends_masked: bool,
    /// Whether it contains code, a quotation or an address.
    pub(super) has_mask: bool,
    /// Whether its words, including code and quotations, mention questions that are themselves the result.
    pub(super) names_questions: bool,
    /// Whether a phrase in it is one of those that admit: for what trains the reading of admissions.
    #[cfg(test)]
    pub(super) has_admitting_phrase: bool,
    /// Whether it leaves something open in words that no phrase names.
    pub(super) doubt: Option<Doubt>,
}

impl Sentence {
    /// Whether it says that something was finished. Laying out a plan, or changing nothing, does not finish work.
    pub(super) fn says_done(&self) -> bool {
        self.forms.has(Form::Done) && !self.forms.any(&[Form::PlanLead, Form::NothingDone])
    }
}

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 22] = [
    "e.g", "i.e", "vs", "cf", "no", "fig", "approx", "mr", "mrs", "ms", "dr", "st", "z.b", "bzw", "usw",
    "d.h", "ca", "p.ej", "sr", "sra", "nr", "resp",
];

pub(super) fn split(text: &str, index: usize, line: &Line, out: &mut Vec<Sentence>) {
    let content = &text[line.content.min(line.range.end)..line.range.end];
    let base = line.range.end - content.len();
    let masks = masks::find(content);
    let first = out.len();
    let mut start = 0;
    let mut at = 0;
    let mut next_mask = 0;
    while at < content.len() {
        if let Some((range, _)) = masks.get(next_mask)
            && at >= range.start
        {
            at = range.end.max(at + 1);
            next_mask += 1;
            continue;
        }
        let Some(c) = content[at..].chars().next() else { break };
        let after = at + c.len_utf8();
        if is_terminator(c)
            && let Some(end) = sentence_end(content, start, at, c)
        {
            push(content, base, start..end, &masks, index, line, out);
            start = end;
            at = end;
            while masks.get(next_mask).is_some_and(|(range, _)| range.end <= at) {
                next_mask += 1;
            }
        } else if is_terminator(c) {
            at += content[at..].len() - content[at..].trim_start_matches(is_terminator).len();
        } else {
            at = after;
        }
    }
    push(content, base, start..content.len(), &masks, index, line, out);
    if let Some(sentence) = out.get_mut(first) {
        sentence.opens_line = true;
    }
    if out.len() > first
        && let Some(sentence) = out.last_mut()
    {
        sentence.closes_line = true;
    }
}

/// The question marks of all scripts that write one of their own.
const QUESTION_MARKS: [char; 3] = ['?', '\u{ff1f}', '\u{61f}'];

fn is_terminator(c: char) -> bool {
    matches!(c, '.' | '?' | '!' | '。' | '\u{ff1f}' | '\u{61f}' | '\u{ff01}' | '\u{ff0e}' | '\u{2026}')
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        ')' | ']'
            | '"'
            | '\''
            | '*'
            | '_'
            | '~'
            | '\u{201d}'
            | '\u{2019}'
            | '」'
            | '』'
            | '\u{ff09}'
            | '】'
            | '\u{bb}'
    )
}

/// Where the sentence ends whose first closing character `c` is at `at`; `None` if it continues.
fn sentence_end(content: &str, start: usize, at: usize, c: char) -> Option<usize> {
    let tail = &content[at..];
    let signs = tail.len() - tail.trim_start_matches(is_terminator).len();
    let rest = &tail[signs..];
    let closers = rest.len() - rest.trim_start_matches(is_closer).len();
    let after = &rest[closers..];
    let end = at + signs + closers;
    let Some(next) = after.chars().next() else { return Some(end) };
    let run = &tail[..signs];
    let question = run.contains(QUESTION_MARKS);
    let wide = run.contains(['。', '\u{ff1f}', '\u{ff01}']) || joined::is_joined(next);
    let spaced = next.is_whitespace();
    if !spaced && !wide {
        return None;
    }
    let following = after.trim_start().chars().next();
    let goes_on = following.is_some_and(|c| c.is_lowercase() || c == ',' || c == ';');
    if question || c == '!' || c == '\u{ff01}' {
        // Punctuation inside brackets or emphasis does not end the sentence around it.
        let enclosed = rest[..closers]
            .chars()
            .any(|c| matches!(c, ')' | ']' | '*' | '_' | '\u{ff09}' | '"' | '\u{201d}' | '」'));
        let runs_on = enclosed && (goes_on || (wide && !spaced));
        return (!runs_on).then_some(end);
    }
    if wide {
        return Some(end);
    }
    if goes_on && signs == 1 {
        return None;
    }
    let word = content[start..at].rsplit([' ', '(', '\u{a0}']).next().unwrap_or("");
    let known = word.len() <= 6 && ABBREVIATIONS.contains(&word.to_lowercase().as_str());
    let initial = word.chars().count() == 1
        && word.chars().all(char::is_uppercase)
        && following.is_some_and(char::is_alphabetic);
    let initial = initial && at - start > 4;
    (!known && !initial).then_some(end)
}

fn push(
    content: &str,
    base: usize,
    range: Range<usize>,
    masks: &[(Range<usize>, Masked)],
    index: usize,
    line: &Line,
    out: &mut Vec<Sentence>,
) {
    let raw = &content[range.clone()];
    let trimmed = raw.trim();
    if trimmed.is_empty() {
        return;
    }
    let start = range.start + (raw.len() - raw.trim_start().len());
    let end = start + trimmed.len();
    let from = masks.partition_point(|(mask, _)| mask.end <= start);
    let inside: Vec<_> = masks[from..]
        .iter()
        .take_while(|(mask, _)| mask.start < end)
        .map(|(mask, kind)| (mask.start.saturating_sub(start)..mask.end - start, *kind))
        .collect();
    let normal = normal::form(trimmed, &inside);
    if normal.letters == 0 && inside.is_empty() {
        return;
    }
    let forms = FormSet::default();
    let closing = trimmed.trim_end_matches(is_closer);
    let ends_masked = inside.last().is_some_and(|(mask, _)| mask.end >= closing.len());
    out.push(Sentence {
        range: base + start..base + end,
        line: index,
        role: line.role,
        block: line.block,
        end: if ends_masked { End::Open } else { end_of(unmasked_tail(trimmed, closing, &inside)) },
        normal,
        forms,
        language: Language::default(),
        opens_line: false,
        closes_line: false,
        ends_masked,
        has_mask: !inside.is_empty(),
        names_questions: false,
        #[cfg(test)]
        has_admitting_phrase: false,
        doubt: None,
    });
}

/// The part of a sentence after its last code, quotation or address.
fn unmasked_tail<'t>(trimmed: &'t str, closing: &'t str, inside: &[(Range<usize>, Masked)]) -> &'t str {
    let from = inside.last().map_or(0, |(mask, _)| mask.end.min(trimmed.len()));
    if from <= closing.len() { &closing[from..] } else { &trimmed[from..] }
}

/// How a sentence ends, given its text without closing brackets.
fn end_of(closing: &str) -> End {
    let signs = &closing[closing.trim_end_matches(|c: char| is_terminator(c) || is_closer(c)).len()..];
    if signs.contains(QUESTION_MARKS) {
        End::Question
    } else if signs.contains("...") || signs.contains('\u{2026}') {
        End::Dots
    } else if signs.contains(['.', '!', '。', '\u{ff01}', '\u{ff0e}']) {
        End::Stop
    } else if closing.ends_with([':', '\u{ff1a}']) {
        End::Colon
    } else if closing.ends_with([',', '、', '\u{ff0c}']) {
        End::Comma
    } else {
        End::Open
    }
}
