//! Whether the input box of an agent in a pane is empty, by the place of the cursor and by what stands at it.
//!
//! It must not take the text of a screen for evidence of what an agent does: it only keeps words from going
//! out with others that somebody left half written, and what is not certainly empty counts as not empty.

use crate::agent::EmptyBox;

/// Where the cursor of a pane is, and the lines there, with their escape sequences for looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AtCursor {
    pub(super) column: u32,
    pub(super) row: u32,
    /// The cursor's line. Untrusted text.
    pub(super) line: String,
    /// The lines below it. Untrusted text.
    pub(super) below: Vec<String>,
}

/// A cell of a line, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    sign: char,
    is_faint: bool,
}

/// Whether this is an empty box.
pub(super) fn is_empty(seen: &AtCursor, empty: &EmptyBox) -> bool {
    let below = seen.below.first().map(String::as_str).unwrap_or_default();
    let (Some(line), Some(below)) = (cells(&seen.line), cells(below)) else { return false };
    let Some((prompt, rest)) = line.split_first() else { return false };
    // tmux leaves blanks at the end of a line out.
    let (is_apart, rest) = rest.split_first().map_or((true, rest), |(blank, rest)| (is_blank(blank), rest));
    let is_prompt = empty.prompts.contains(&prompt.sign) && is_apart;
    // The frame below it begins at the left edge; another line of words would be indented.
    let is_framed = below.first().is_some_and(|cell| cell.sign == empty.below);
    is_prompt && is_framed && seen.column == empty.column && (rest.iter().all(is_blank) || is_hint(rest))
}

/// Whether these cells are the faint hint that an empty box may show: the cursor stands on its first sign,
/// which is drawn as the cursor is. One sign alone may be a word.
fn is_hint(cells: &[Cell]) -> bool {
    let Some((_, rest)) = cells.split_first() else { return false };
    rest.iter().any(|cell| !is_blank(cell)) && rest.iter().all(|cell| is_blank(cell) || cell.is_faint)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "it is handed to iterators over cells")]
fn is_blank(cell: &Cell) -> bool {
    matches!(cell.sign, ' ' | '\u{a0}')
}

/// The cells of a line of `capture-pane -e`; `None` with an escape sequence that is no look.
fn cells(line: &str) -> Option<Vec<Cell>> {
    let mut cells = Vec::new();
    let mut is_faint = false;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        if sign != '\x1b' {
            cells.push(Cell { sign, is_faint });
            continue;
        }
        if signs.next() != Some('[') {
            return None;
        }
        let look: String = signs.by_ref().take_while(|sign| *sign != 'm').collect();
        if !look.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, ';' | ':')) {
            return None;
        }
        is_faint = is_faint_after(&look, is_faint);
    }
    Some(cells)
}

/// A line without its looks; `None` with an escape sequence that is no look.
pub(super) fn plain(line: &str) -> Option<String> {
    Some(cells(line)?.into_iter().map(|cell| cell.sign).collect())
}

/// Whether text is faint after this look (ECMA-48, SGR: 2 begins it, 0 and 22 end it).
fn is_faint_after(look: &str, before: bool) -> bool {
    let mut is_faint = before;
    let mut numbers = look.split(';');
    while let Some(number) = numbers.next() {
        match number {
            "" | "0" | "22" => is_faint = false,
            "2" => is_faint = true,
            // A colour: its own numbers follow, three after 2 and one after 5.
            "38" | "48" | "58" => {
                let n_more = if numbers.next() == Some("2") { 3 } else { 1 };
                numbers.by_ref().take(n_more).for_each(drop);
            }
            _ => {}
        }
    }
    is_faint
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: EmptyBox = EmptyBox { prompts: &['❯', '>'], column: 2, below: '─' };
    const FRAME: &str = "\x1b[38;5;244m──────";

    fn at(column: u32, line: &str, below: &str) -> bool {
        let seen = AtCursor { column, row: 7, line: line.to_owned(), below: vec![below.to_owned()] };
        is_empty(&seen, &EMPTY)
    }

    /// As Claude Code 2.1.330 draws it: a blank that does not break behind the sign, then the cursor.
    #[test]
    fn an_empty_box_and_one_with_a_faint_hint_are_empty() {
        for line in [
            "\x1b[39m❯\u{a0}\x1b[7m \x1b[0m\x1b[39m\x1b[49m",
            "\x1b[39m❯\u{a0}\x1b[7m",
            "> ",
            "❯",
            "\x1b[38;2;2;2;2m❯ \x1b[7mT\x1b[0;2mry \"fix the tests\"\x1b[0m",
        ] {
            assert!(at(2, line, FRAME), "{line:?}");
        }
    }

    #[test]
    fn words_in_the_box_wherever_the_cursor_stands_are_seen() {
        for (column, line, below) in [
            (8, "❯\u{a0}a word\x1b[7m ", FRAME),
            // The cursor was moved to the beginning.
            (2, "❯\u{a0}\x1b[7mh\x1b[0malf a draft", FRAME),
            (2, "❯\u{a0}\x1b[7my\x1b[0m", FRAME),
            (2, "❯\u{a0}\x1b[7mh\x1b[0m\x1b[38;2;2;2;2malf", FRAME),
            (2, "❯\u{a0}\x1b[7mh\x1b[0m\x1b[2;22malf", FRAME),
            // A second line, and a first one with a line below it.
            (2, "  \x1b[7m ", FRAME),
            (2, "❯\u{a0}\x1b[7m ", "  the second line"),
            // A blank that was typed, another mode, an escape that is no look, no box at all.
            (3, "❯\u{a0} \x1b[7m ", FRAME),
            (2, "!\u{a0}\x1b[7m ", FRAME),
            (2, "❯\u{a0}\x1b]8;;x\x1b\\", FRAME),
            (2, "❯x", FRAME),
            (2, "❯\u{a0}", ""),
            (2, "", FRAME),
        ] {
            assert!(!at(column, line, below), "{column} {line:?} {below:?}");
        }
    }
}
