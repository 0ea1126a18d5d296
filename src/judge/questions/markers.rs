//! The markers of list items: bullets, numbers, letters, boxes, and words such as "Option 1". Reads the
//! beginning of a line. Must not look at other lines.

use std::ops::Range;

use super::lexicon::LEXICON;

/// How a list item is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker {
    /// A dash or another bullet.
    Bullet,
    /// A number.
    Number,
    /// A letter.
    Letter,
    /// A word such as "Option" with a number or letter.
    Word,
    /// An unticked box.
    OpenBox,
    /// A ticked box.
    DoneBox,
}

/// The line without its list marker.
pub(super) fn without_marker(line: &str) -> &str {
    let start = line.trim_start();
    marker(start).map_or(start, |(_, _, length)| &start[length..])
}

/// The marker at the beginning of a line: its kind, the bytes of its label, and its
/// length including the spaces after it.
pub(super) fn marker(start: &str) -> Option<(Marker, Range<usize>, usize)> {
    let bold = start.len() - start.trim_start_matches('*').len();
    let bold = if bold == 2 { 2 } else { 0 };
    let rest = &start[bold..];
    let first = rest.chars().next()?;
    if bold == 0 {
        if matches!(
            first,
            '-' | '*'
                | '+'
                | '\u{2022}'
                | '\u{2023}'
                | '\u{25e6}'
                | '\u{25aa}'
                | '\u{25cf}'
                | '\u{25cb}'
                | '\u{25a0}'
                | '\u{25a1}'
                | '\u{2610}'
                | '\u{30fb}'
                | '\u{2013}'
                | '\u{2014}'
                | '\u{276f}'
                | '\u{2705}'
                | '\u{274c}'
                | '\u{2b1c}'
        ) {
            return bullet(rest, first);
        }
        if let Some(label) = emoji_letter(rest) {
            return Some((Marker::Letter, 0..label, label));
        }
    }
    if matches!(first, '\u{2460}'..='\u{2473}' | '\u{2776}'..='\u{277f}' | '\u{24b6}'..='\u{24cf}') {
        let length = first.len_utf8();
        return Some((Marker::Number, bold..bold + length, bold + length + blanks(&rest[length..])));
    }
    numbered(rest)
        .or_else(|| worded(rest))
        .map(|(kind, label, length)| (kind, bold + label.start..bold + label.end, bold + length))
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\u{3000}']).len()
}

fn bullet(rest: &str, first: char) -> Option<(Marker, Range<usize>, usize)> {
    let length = first.len_utf8();
    let after = &rest[length..];
    let tight = first > '\u{2100}' && first != '\u{2705}';
    if !tight && !after.starts_with([' ', '\t', '\u{3000}']) {
        return None;
    }
    let start = length + blanks(after);
    let inner = &rest[start..];
    if first == '\u{2610}' || first == '\u{25a1}' || first == '\u{2b1c}' {
        return Some((Marker::OpenBox, 0..length, start));
    }
    let mut signs = inner.chars();
    if let (Some('['), Some(state), Some(']')) = (signs.next(), signs.next(), signs.next()) {
        let length = 2 + state.len_utf8();
        let kind = if matches!(state, 'x' | 'X' | '\u{2713}' | '\u{2714}') {
            Marker::DoneBox
        } else {
            Marker::OpenBox
        };
        return Some((kind, 0..first.len_utf8(), start + length + blanks(&inner[length..])));
    }
    if let Some((kind, label, length)) = numbered(inner).or_else(|| worded(inner)) {
        return Some((kind, start + label.start..start + label.end, start + length));
    }
    Some((Marker::Bullet, 0..first.len_utf8(), start))
}

/// The letters A, B, AB and O as emoji, and keycap digits.
fn emoji_letter(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices();
    let (_, first) = chars.next()?;
    if !matches!(first, '\u{1f170}' | '\u{1f171}' | '\u{1f18e}' | '\u{1f17e}' | '\u{1f1e6}'..='\u{1f1ff}' | '0'..='9')
    {
        return None;
    }
    let keycap = first.is_ascii_digit();
    let mut end = first.len_utf8();
    let mut capped = false;
    for (index, c) in chars {
        match c {
            '\u{fe0f}' => end = index + c.len_utf8(),
            '\u{20e3}' => {
                end = index + c.len_utf8();
                capped = true;
            }
            _ => break,
        }
    }
    (!keycap || capped).then_some(end)
}

/// A marker such as `1.`, `1)`, `(1)`, `[1]`, `a)` or `A:`, with at most three digits or one letter.
fn numbered(rest: &str) -> Option<(Marker, Range<usize>, usize)> {
    let mut chars = rest.char_indices().peekable();
    let bracket = matches!(chars.peek(), Some((_, '(' | '[' | '\u{ff08}')));
    if bracket {
        chars.next();
    }
    let from = chars.peek()?.0;
    let mut kind = None;
    let mut length = 0;
    while let Some(&(_, c)) = chars.peek() {
        let digit = c.is_ascii_digit() || ('\u{ff10}'..='\u{ff19}').contains(&c);
        let letter = matches!(c, 'A'..='L' | 'a'..='l') || ('\u{ff21}'..='\u{ff3a}').contains(&c);
        match kind {
            None if digit => kind = Some(Marker::Number),
            None if letter => kind = Some(Marker::Letter),
            Some(Marker::Number) if digit && length < 3 => {}
            _ => break,
        }
        length += 1;
        chars.next();
    }
    let kind = kind?;
    let (end, sign) = chars.next()?;
    let closed = if bracket {
        matches!(sign, ')' | ']' | '\u{ff09}')
    } else {
        matches!(sign, '.' | ')' | ':' | '\u{ff0e}' | '\u{ff09}' | '\u{ff1a}' | '\u{3001}')
    };
    let mut after = end + sign.len_utf8();
    let wide = sign > '\u{2100}' || rest[after..].chars().next().is_some_and(|c| c > '\u{2e80}');
    if !closed || !(wide || rest[after..].is_empty() || rest[after..].starts_with([' ', '\t', '*'])) {
        return None;
    }
    after += rest[after..].len() - rest[after..].trim_start_matches([' ', '\t', '\u{3000}']).len();
    Some((kind, from..end, after))
}

/// A digit, a circled number, or a Chinese numeral, of any width.
fn is_numeral(value: char) -> bool {
    value.is_ascii_digit()
        || ('\u{ff10}'..='\u{ff19}').contains(&value)
        || ('\u{ff21}'..='\u{ff3a}').contains(&value)
        || matches!(value, '\u{2460}'..='\u{2473}' | '一' | '二' | '三' | '四' | '五' | '甲' | '乙' | '丙')
}

/// A marker such as `Option 1:`, `案A` or `Plan B —`.
fn worded(rest: &str) -> Option<(Marker, Range<usize>, usize)> {
    let window_end = rest.char_indices().nth(24).map_or(rest.len(), |(index, _)| index);
    let lower = rest[..window_end].to_lowercase();
    let word =
        LEXICON.option_words.iter().filter(|word| lower.starts_with(*word)).max_by_key(|word| word.len())?;
    let mut at = word.len();
    if !rest.is_char_boundary(at) {
        return None;
    }
    at += blanks(&rest[at..]);
    let value = rest[at..].chars().next()?;
    if !is_numeral(value) && !value.is_ascii_alphabetic() {
        return None;
    }
    let end = at + value.len_utf8();
    let next = rest[end..].chars().next();
    if next.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let separated = next.is_none_or(|c| {
        matches!(
            c,
            ':' | '.'
                | ')'
                | ','
                | '\u{ff1a}'
                | '\u{2014}'
                | '\u{2013}'
                | '-'
                | '*'
                | '\u{3001}'
                | '\u{ff09}'
                | '\u{ff0e}'
                | ' '
                | '\u{3000}'
                | '\u{ff08}'
                | '('
        )
    });
    if !separated {
        return None;
    }
    let skip = rest[end..].len()
        - rest[end..]
            .trim_start_matches([
                ':', '.', ')', ',', ' ', '\u{ff1a}', '\u{2014}', '\u{2013}', '\u{3001}', '\u{3000}',
            ])
            .len();
    // "Option 1 is faster" is a sentence about an option, not its label.
    if next == Some(' ')
        && word.is_ascii()
        && !rest[end..].trim_start().starts_with(['\u{2014}', '\u{2013}', '-', '(', ':'])
    {
        return None;
    }
    Some((Marker::Word, 0..end, end + skip))
}
