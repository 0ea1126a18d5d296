//! Whether a text is cut off: in a fence, a table, a list or a sentence, or after a heading. Looks at the last
//! line and its surroundings. Must not ask what the text says.

use super::document::Document;
use super::forms::Form;
use super::lines::{Line, Role};
use super::sentence::{End, Sentence};

/// Whether the text is cut off: in a fence, a table or a sentence, or after a heading.
pub(super) fn cut_off(document: &Document<'_>, hard_only: bool) -> bool {
    if document.open_fence {
        return true;
    }
    let Some((index, last)) = document
        .lines
        .iter()
        .enumerate()
        .rev()
        .find(|(_, line)| !matches!(line.role, Role::Blank | Role::Rule))
    else {
        return false;
    };
    if last.role == Role::Table {
        return table_is_cut(document, index, last);
    }
    if hard_only {
        return false;
    }
    let words = document.text[last.range.clone()].trim();
    if index > 0 && is_bare_marker(words) {
        return true;
    }
    if last.role == Role::Item && words.ends_with([':', '\u{ff1a}']) {
        return true;
    }
    if last.role == Role::Item && is_stump(document) {
        return true;
    }
    if last.role == Role::Heading {
        let has_text_above = document.lines[..index].iter().any(|line| line.role != Role::Blank);
        return !last.bold || (has_text_above && !is_whole(words));
    }
    let Some(sentence) = document.sentences.last().filter(|sentence| sentence.line == index) else {
        return false;
    };
    sentence_is_cut(document, sentence)
}

/// Whether a line in bold type ends as a sentence does, or with a sign of joy: it closes the text, and is no title.
fn is_whole(words: &str) -> bool {
    let end = words.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    let is_sign =
        |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？') || u32::from(c) >= 0x1f300 || c == '✅';
    end.chars().next_back().is_some_and(is_sign)
}

/// Whether the last sentence ends with a word that cannot end one.
pub(super) fn breaks_off(document: &Document<'_>) -> bool {
    document.sentences.last().is_some_and(|last| {
        last.role == Role::Paragraph
            && last.end == End::Open
            && !last.ends_masked
            && last.forms.has(Form::CutOff)
            && last.closes_line
            && document.line_below(last.line).is_none()
    })
}

/// Whether the last item is a single word while all others have several.
fn is_stump(document: &Document<'_>) -> bool {
    let Some((last, above)) = document.sentences.split_last() else { return false };
    let mut items =
        above.iter().filter(|sentence| sentence.role == Role::Item && sentence.opens_line).peekable();
    let bare = last.opens_line && last.end == End::Open && last.normal.words == 1 && !last.has_mask;
    let lower = document.words(last).chars().all(char::is_lowercase);
    bare && lower && items.peek().is_some() && items.all(|item| item.normal.words >= 3)
}

/// Whether this is a list marker with nothing after it.
fn is_bare_marker(words: &str) -> bool {
    matches!(words, "-" | "*" | "+" | "\u{2022}")
        || words
            .strip_suffix(['.', ')'])
            .is_some_and(|label| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()))
}

fn table_is_cut(document: &Document<'_>, index: usize, last: &Line) -> bool {
    let row = document.text[last.range.clone()].trim();
    let Some(above) = document.lines[..index].iter().rev().find(|line| line.role != Role::Blank) else {
        return false;
    };
    if above.role != Role::Table || !row.starts_with('|') {
        return false;
    }
    let full = document.text[above.range.clone()].trim();
    let bars = |row: &str| row.bytes().filter(|&byte| byte == b'|').count();
    (full.ends_with('|') && !row.ends_with('|')) || bars(row) < bars(full)
}

fn sentence_is_cut(document: &Document<'_>, sentence: &Sentence) -> bool {
    let words = document.words(sentence);
    match sentence.end {
        End::Comma => return true,
        End::Stop | End::Question | End::Dots | End::Colon => return false,
        End::Open => {}
    }
    if sentence.ends_masked {
        return false;
    }
    if sentence.forms.has(Form::CutOff) || has_open_bracket(words) {
        return true;
    }
    if sentence.normal.words < 7 || sentence.normal.spaced.is_empty() || sentence.forms.has(Form::Direct) {
        return false;
    }
    // A long sentence without a full stop, although all others have one.
    let ended = words.chars().next_back().is_some_and(char::is_alphabetic);
    let others = document.sentences.iter().filter(|other| {
        other.role == sentence.role && other.range != sentence.range && other.normal.words > 4
    });
    let (mut stops, mut open) = (0, 0);
    for other in others {
        match other.end {
            End::Stop | End::Question => stops += 1,
            End::Open | End::Comma => open += 1,
            End::Dots | End::Colon => {}
        }
    }
    ended && stops >= 1 && open == 0
}

fn has_open_bracket(words: &str) -> bool {
    let count = |sign: char| words.chars().filter(|c| *c == sign).count();
    count('(') > count(')') && !words.contains(":(")
        || count('\u{ff08}') > count('\u{ff09}')
        || count('「') > count('」')
        || count('`') % 2 == 1
}
