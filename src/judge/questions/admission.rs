//! Decides whether a text admits that something of this work fails, is not done or was not verified, whatever else was
//! finished. Must not judge how the text ends.

use super::admission_model::{self, Doubt};
use super::clauses;
use super::document::Document;
use super::forms::{Form, FormSet};
use super::lines::{Line, Role};
use super::sentence::{End, Sentence};
use super::shapes::cells;
use crate::judge::words;

/// Whether a sentence or a row of a table admits. Findings, limits and next steps that a title names are no admission.
pub(super) fn admits(document: &Document<'_>) -> bool {
    let has_ticked = document.sentences.iter().any(|sentence| is_box(document, sentence, &["[x]", "[X]"]));
    let is_open = |at: usize, is_under_undone: bool| {
        let sentence = &document.sentences[at];
        is_under_undone && !words::has(&lower(document, sentence), "says_none")
            || has_ticked && is_box(document, sentence, &["[ ]"])
            || says_so(document, at, sentence)
    };
    has_an_open_row(document)
        || has_an_open_mark(document)
        || has_an_open_item(document)
        || has_an_admitting_note(document)
        || has_a_counting_lead(document)
        || sentences(document, is_open).next().is_some()
}

/// The sentence that most likely admits, where none surely does.
pub(super) fn may_admit<'t>(document: &Document<'t>) -> Option<&'t str> {
    let is_doubtful = |at: usize, _| {
        let sentence = &document.sentences[at];
        sentence.doubt.is_some() && !sentence.forms.has(Form::AdmitsNot) && !is_mended(document, at)
    };
    let most = sentences(document, is_doubtful).max_by_key(|sentence| sentence.doubt);
    most.map(|sentence| document.words(sentence))
}

/// The sentences in the writer's own voice about this work that are open, by their places and whether they stand under a
/// title for what is not done.
fn sentences<'d>(
    document: &'d Document<'_>,
    is_open: impl Fn(usize, bool) -> bool,
) -> impl Iterator<Item = &'d Sentence> {
    let mut title = FormSet::EMPTY;
    let mut is_under_undone = false;
    // The paragraph of which a title within it tells what was wrong before.
    let mut past_block = None;
    // The one of which it tells what is not done.
    let mut undone_block = None;
    // A list of what a document that was written is about.
    let mut is_contents = false;
    let open = document.sentences.iter().enumerate().filter(move |(at, sentence)| {
        is_contents &= sentence.role == Role::Item;
        if is_contents {
            return false;
        }
        is_contents = sentence.end == End::Colon && leads_contents(&lower(document, sentence));
        if let Some(title) = run_in_title(document, sentence) {
            if words::of("title_of_past").contains(&title) {
                past_block = Some(sentence.block);
                return false;
            }
            if names_undone(&title) {
                undone_block = Some(sentence.block);
                return false;
            }
        }
        if sentence.role == Role::Heading || sentence.end == End::Colon {
            // "The leak is not fixed: I have not found it" is no title.
            if sentence.end == End::Colon && !sentence.closes_line && is_open(*at, false) {
                return true;
            }
            title = sentence.forms;
            is_under_undone = names_undone(&lower(document, sentence));
            return false;
        }
        if past_block == Some(sentence.block) {
            return false;
        }
        is_open(*at, is_under_undone || undone_block == Some(sentence.block))
            && matches!(sentence.role, Role::Paragraph | Role::Item)
            && sentence.end != End::Question
            && !title.any(&[Form::AdmitsNot, Form::Subordinate, Form::Elsewhere, Form::Optional])
    });
    open.map(|(_, sentence)| sentence)
}

/// The bold words that a paragraph begins with, in lower case: "**What was wrong.** The parser …".
fn run_in_title(document: &Document<'_>, sentence: &Sentence) -> Option<String> {
    let words = document.words(sentence);
    let is_bold = words.starts_with("**") && words.ends_with("**");
    let is_title =
        is_bold && sentence.role == Role::Paragraph && sentence.opens_line && !sentence.closes_line;
    is_title.then(|| words.to_lowercase().trim_matches(|sign: char| !sign.is_alphanumeric()).to_owned())
}

/// Whether words say of a document which questions or troubles it is about: "`docs/faq.md` answers the ten questions:".
fn leads_contents(words: &str) -> bool {
    words::has(words, "names_document")
        && words::has(words, "is_about")
        && words::has(words, "names_troubles")
        && !words::has(words, "are_open")
}

/// Whether a title is one for what is not done, and nothing but that.
fn names_undone(title: &str) -> bool {
    let title = title.trim_matches(|c: char| !c.is_alphanumeric());
    words::of("title_of_undone").contains(title)
}

/// Whether a sentence opens an item with one of these boxes.
fn is_box(document: &Document<'_>, sentence: &Sentence, boxes: &[&str]) -> bool {
    let item = document.line_text(sentence).trim_start_matches(['-', '*', '+', ' ']);
    sentence.role == Role::Item && sentence.opens_line && boxes.iter().any(|sign| item.starts_with(sign))
}

/// Whether the sentence at this place admits by its own words, or counts a part of what there is.
fn says_so(document: &Document<'_>, at: usize, sentence: &Sentence) -> bool {
    let forms = sentence.forms;
    let is_word = forms.has(Form::Admits) && !forms.has(Form::AdmitsNot);
    is_word && !is_mended(document, at) && !explains(document, at) || counts_a_part(document, at)
}

/// Whether the sentence at this place answers the writer's own question why.
fn explains(document: &Document<'_>, at: usize) -> bool {
    let asks = at.checked_sub(1).is_some_and(|before| document.sentences[before].end == End::Question);
    let lower = lower(document, &document.sentences[at]);
    asks && words::begins(&lower, "begins_reason")
}

/// Whether the sentence at this place counts a part of what there is.
fn counts_a_part(document: &Document<'_>, at: usize) -> bool {
    let sentence = &document.sentences[at];
    sentence.forms.has(Form::Counted)
        && clauses::counts_a_part(document.words(sentence))
        && !accounts_for_rest(document, at)
}

/// Whether the words above a list or a table count a part: "4 of 6 endpoints now answer with it:".
fn has_a_counting_lead(document: &Document<'_>) -> bool {
    let mut places = 0..document.sentences.len();
    places.any(|at| document.sentences[at].end == End::Colon && counts_a_part(document, at))
}

/// Whether the sentence at this place, or the next, says that the rest needed nothing.
fn accounts_for_rest(document: &Document<'_>, at: usize) -> bool {
    let mut said = document.sentences[at..].iter().take(2);
    said.any(|said| words::has(&lower(document, said), "accounts_for_rest"))
}

/// Whether the sentence at this place tells what was so before: the next one says how it is now.
fn is_mended(document: &Document<'_>, at: usize) -> bool {
    let Some(next) = document.sentences.get(at + 1) else { return false };
    let lower_next = lower(document, next);
    words::begins(&lower_next, "tells_of_now")
        && !next.forms.any(&[Form::Admits, Form::Partial, Form::Stuck, Form::Announce, Form::Doing])
        && !words::has(&lower(document, &document.sentences[at]), "goes_on")
}

fn lower(document: &Document<'_>, sentence: &Sentence) -> String {
    document.words(sentence).to_lowercase()
}

/// Marks of what goes on.
const UNDERWAY: [char; 2] = ['⏳', '🚧'];
/// Marks of what is done, and of what is not.
const DONE: [char; 8] = ['✅', '✔', '☑', '✓', '○', '◯', '〇', '◎'];
const OPEN: [char; 11] = ['❌', '✗', '✘', '⬜', '☐', '⏳', '🚧', '🔲', '×', '✕', '△'];

/// Whether a table of what is done has a row that is not: a row says so, or one column tells what is done, and tells of
/// a row that it is not, by a mark or in words.
fn has_an_open_row(document: &Document<'_>) -> bool {
    document.lines.chunk_by(|one, other| one.block == other.block).any(|block| {
        let rows = block.iter().filter(|line| line.role == Role::Table);
        let rows: Vec<Vec<&str>> = rows.map(|line| cells(&document.text[line.range.clone()])).collect();
        let Some((title, rows)) = rows.split_first() else { return false };
        let defines = title.len() == 2
            && title.iter().any(|cell| words::of("title_defines").contains(&cell.to_lowercase()));
        !defines && rows.iter().any(|row| reads_open(&row.join(" | "), document))
            || rows.iter().flatten().any(|cell| is_not_yet(cell))
            || counts_failures(title, rows)
            || has_open_cell(title, rows)
    })
}

/// Whether a cell says of what its row is about that it is not done yet: "not limited yet".
fn is_not_yet(cell: &str) -> bool {
    let lower = cell.to_lowercase();
    lower.starts_with("not ")
        && lower.trim_end_matches('.').ends_with(" yet")
        && lower.split(' ').count() <= 4
}

/// Whether words that are no sentence admit.
fn reads_open(words: &str, document: &Document<'_>) -> bool {
    admission_model::doubt(words, document.n_parts) == Doubt::Admits
}

/// Whether a list tells of each part in a word whether it is done, and of one that it is not: "- rename: yes".
fn has_an_open_item(document: &Document<'_>) -> bool {
    let state = |line: &Line| {
        let (_, state) = document.text[line.range.clone()].split_once(": ")?;
        state.split([',', ';', '(']).next()
    };
    document.lines.chunk_by(|one, other| one.block == other.block).any(|block| {
        let items = block.iter().filter(|line| line.role == Role::Item);
        let states: Vec<&str> = items.filter_map(state).collect();
        states.iter().any(|state| says(state, &DONE, "state_done"))
            && states.iter().any(|state| says(state, &OPEN, "state_open"))
    })
}

/// Whether a cell or a word tells a state, by a mark or a word of `group`.
fn says(cell: &str, signs: &[char], group: &str) -> bool {
    let lower = cell.to_lowercase();
    let word = lower.trim_matches(|c: char| !c.is_alphanumeric());
    // "31 passed" says what "passed" does.
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let word = words::of("beside_state").iter().find_map(|it| word.strip_suffix(it)).unwrap_or(word);
    let word = words::of("goes_before_state").iter().find_map(|it| word.strip_prefix(it)).unwrap_or(word);
    cell.starts_with(signs) || words::of(group).contains(word)
}

fn has_open_cell(title: &[&str], rows: &[Vec<&str>]) -> bool {
    let tells_state = |cell: &&str| words::of("tells_state").contains(&cell.to_lowercase());
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let is_done = |cell: &&str| says(cell, &DONE, "state_done");
    if let Some(column) = title.iter().position(tells_state) {
        return cells(column).any(is_done) && cells(column).any(|cell| says(cell, &OPEN, "state_open"));
    }
    // Under another title it takes both: a mark alone may be what a thing has, and a word what it means.
    let is_marked_open = |cell: &&&str| cell.starts_with(OPEN) || cell.starts_with(['—', '–']);
    let is_bare = |cell: &&&str| cell.starts_with(DONE) && cell.chars().count() <= 2;
    let mut columns = 1..title.len();
    columns.any(|column| {
        cells(column).any(|cell| cell.starts_with(DONE))
            && cells(column).filter(is_marked_open).any(|cell| says(cell, &[], "state_open"))
            // What only goes on has nothing beside marks that things are done.
            || cells(column).filter(is_bare).nth(1).is_some()
                && cells(column).any(|cell| cell.starts_with(UNDERWAY))
    })
}

/// Whether lines beside each other are marked as done, and one as not. What was so before is marked so too.
fn has_an_open_mark(document: &Document<'_>) -> bool {
    let marked = |line: &Line, signs: &[char]| {
        let said = document.text[line.range.clone()].trim_start_matches(['-', '*', '+', '•', ' ', '\t']);
        matches!(line.role, Role::Paragraph | Role::Item)
            && said.starts_with(signs)
            && !words::has(&said.to_lowercase(), "tells_of_before")
    };
    document.lines.chunk_by(|one, other| one.block == other.block).any(|block| {
        block.iter().any(|line| marked(line, &DONE)) && block.iter().any(|line| marked(line, &OPEN))
    })
}

/// Whether a note admits: a block quote that begins with a bold word or a sign is the writer's own.
fn has_an_admitting_note(document: &Document<'_>) -> bool {
    document.lines.chunk_by(|one, other| one.block == other.block).any(|block| {
        let said = |line: &Line| document.text[line.range.clone()].trim_start_matches(['>', ' ']);
        let is_quote = |line: &&Line| line.role == Role::Quote;
        let is_note = block
            .iter()
            .find(is_quote)
            .is_some_and(|line| NOTES.iter().any(|sign| said(line).starts_with(sign)));
        is_note && block.iter().filter(is_quote).any(|line| reads_open(said(line), document))
    })
}

/// How a note begins.
const NOTES: [&str; 5] = ["**", "[!", "⚠", "ℹ", "📝"];

/// Whether a table of two columns counts what passed, and what failed, which is more than none.
fn counts_failures(title: &[&str], rows: &[Vec<&str>]) -> bool {
    let counts = |is_enough: fn(u64) -> bool, group: &str| {
        std::iter::once(title).chain(rows.iter().map(|row| &row[..])).any(|row| match row {
            [what, count] => {
                let digits = count.find(|c: char| !c.is_ascii_digit()).map_or(*count, |at| &count[..at]);
                let what = what.to_lowercase();
                let what = what.trim_matches(|c: char| !c.is_alphanumeric());
                words::of(group).contains(what) && digits.parse().is_ok_and(is_enough)
            }
            _ => false,
        })
    };
    counts(|_| true, "counts_passing") && counts(|n| n > 0, "counts_failing")
}
