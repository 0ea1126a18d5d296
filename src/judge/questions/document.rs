//! A text as the writer's own sentences, each with its position, its end and its phrases. Must not decide what
//! a sentence means.

use std::ops::Range;

use super::forms::{Form, FormSet};
use super::language::{Language, Share};
use super::lexicon::Search;
use super::lines::{self, Line, Role};
use super::masks::{self, Masked};
use super::normal::{self, Normal};
use super::{admission_model, clauses, letters, script};

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
    /// The index of its line in [`Document::lines`].
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
}

impl Sentence {
    /// Whether it says that something was finished. Laying out a plan, or changing nothing, does not finish work.
    pub(super) fn says_done(&self) -> bool {
        self.forms.has(Form::Done) && !self.forms.any(&[Form::PlanLead, Form::NothingDone])
    }
}

/// A parsed text.
#[derive(Debug)]
pub(super) struct Document<'t> {
    /// The text itself.
    pub(super) text: &'t str,
    /// Its language.
    pub(super) language: Language,
    /// Its lines.
    pub(super) lines: Vec<Line>,
    /// Its sentences in the writer's own voice, in order.
    pub(super) sentences: Vec<Sentence>,
    /// For each line, the first one below it that is neither blank nor a rule.
    below: Vec<usize>,
    /// Whether it ends inside a code fence.
    pub(super) open_fence: bool,
}

impl<'t> Document<'t> {
    /// Parses `text`.
    pub(super) fn read(text: &'t str) -> Self {
        let lines::Lines { mut lines, open_fence } = lines::read(text);
        let language = language_of(text, &lines);
        letters::mark(text, language, &mut lines);
        let mut sentences = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            if matches!(line.role, Role::Paragraph | Role::Heading | Role::Item) {
                split(text, index, line, &mut sentences);
            }
        }
        find_phrases(text, language, &mut sentences);
        let below = next_visible(&lines);
        Self { text, language, lines, sentences, below, open_fence }
    }

    /// The words of a sentence as they appear in the text.
    pub(super) fn words(&self, sentence: &Sentence) -> &'t str {
        &self.text[sentence.range.clone()]
    }

    /// The whole line of a sentence.
    pub(super) fn line_text(&self, sentence: &Sentence) -> &'t str {
        self.text[self.lines[sentence.line].range.clone()].trim()
    }

    /// The first line after `line` that is neither blank nor a rule.
    pub(super) fn line_below(&self, line: usize) -> Option<&Line> {
        self.lines.get(*self.below.get(line)?)
    }
}

/// For each line, the number of the first one below it that is neither blank nor a rule. Read once, because
/// many sentences on one line may be followed by many blank lines.
fn next_visible(lines: &[Line]) -> Vec<usize> {
    let mut next = lines.len();
    let mut below = vec![next; lines.len()];
    for (number, line) in lines.iter().enumerate().rev() {
        below[number] = next;
        if !matches!(line.role, Role::Blank | Role::Rule) {
            next = number;
        }
    }
    below
}

/// How many bytes of a text are used to determine its language.
const SAMPLE: usize = 16 * 1024;

/// The language of the writer's own words.
fn language_of(text: &str, lines: &[Line]) -> Language {
    let (mut share, mut read) = (Share::default(), 0);
    for line in lines.iter().filter(|line| matches!(line.role, Role::Paragraph | Role::Heading | Role::Item))
    {
        share.add(&text[line.content.min(line.range.end)..line.range.end]);
        read += line.range.len();
        if read > SAMPLE {
            break;
        }
    }
    share.of_text()
}

/// How many sentences at either end are searched for all phrases.
const EDGE: usize = 12;

/// What counts wherever it stands: admissions, and titles that say of what they are not.
const TOLD_ANYWHERE: [Form; 4] = [Form::Admits, Form::AdmitsNot, Form::Subordinate, Form::Counted];

/// Finds the phrases where they can matter: at both ends, around a sentence that asks, and above a list.
fn find_phrases(text: &str, language: Language, sentences: &mut [Sentence]) {
    let mut search = Search::default();
    for sentence in &mut *sentences {
        let mut share = Share::default();
        let words =
            if sentence.normal.spaced.is_empty() { &sentence.normal.joined } else { &sentence.normal.spaced };
        share.add(words);
        sentence.language = share.of_passage(language);
        sentence.forms = search.find(sentence.language, &sentence.normal.spaced, &sentence.normal.joined);
        let whole = if sentence.has_mask {
            let whole = normal::form(&text[sentence.range.clone()], &[]);
            search.find(sentence.language, &whole.spaced, &whole.joined)
        } else {
            sentence.forms
        };
        let said = &text[sentence.range.clone()];
        let denied = clauses::deny_what_is_left(said, sentence.language, sentence.forms, &mut search);
        let (forms, said) = denied.as_ref().map_or((sentence.forms, said), |(forms, rest)| (*forms, rest));
        sentence.forms = clauses::settle(said, sentence.language, forms, &mut search);
        sentence.names_questions = whole.has(Form::QuestionsMade);
        if sentence.end != End::Question && is_ticked(&text[sentence.range.clone()]) {
            sentence.forms = sentence.forms.with(FormSet::of(&[Form::Done]));
        }
        let can_admit = matches!(sentence.role, Role::Paragraph | Role::Item)
            && sentence.end != End::Question
            && !sentence.forms.has(Form::Admits);
        if can_admit && admission_model::admits(said) {
            sentence.forms = sentence.forms.with(FormSet::of(&[Form::Admits]));
        }
    }
    let count = sentences.len();
    let asks = |sentence: &Sentence| sentence.end == End::Question || sentence.forms.meets(FormSet::ASKING);
    let (mut before, mut this) = (false, sentences.first().is_some_and(asks));
    for index in 0..count {
        let next = sentences.get(index + 1);
        let after = next.is_some_and(asks);
        let above_list =
            sentences[index].role != Role::Item && next.is_some_and(|next| next.role == Role::Item);
        let at_edge = index < EDGE || index + EDGE >= count;
        if !(before || this || after || above_list || at_edge) {
            sentences[index].forms = sentences[index].forms.only(&TOLD_ANYWHERE);
        }
        (before, this) = (this, after);
    }
}

/// Whether the writer ticks off what the words name, in any language.
fn is_ticked(words: &str) -> bool {
    words.starts_with('✅') || words.trim_end_matches('*').ends_with(['✅', '🎉'])
}

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 22] = [
    "e.g", "i.e", "vs", "cf", "no", "fig", "approx", "mr", "mrs", "ms", "dr", "st", "z.b", "bzw", "usw",
    "d.h", "ca", "p.ej", "sr", "sra", "nr", "resp",
];

fn split(text: &str, index: usize, line: &Line, out: &mut Vec<Sentence>) {
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
    let wide = run.contains(['。', '\u{ff1f}', '\u{ff01}']) || script::is_joined(next);
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
