//! Maps a text to the rows of cells that show it, and positions in the text to cells and back.
//!
//! Nothing here changes a text. Rows are cleaned like everything on the screen, so a character whose width
//! terminals disagree about is shown in parts, and still moves as one.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use crate::ui::text;

/// The rows of a text, each a part of it. Together they are the whole text except for the line feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rows {
    rows: Vec<Row>,
}

/// One row, in bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    start: usize,
    end: usize,
    /// Whether the text continues in the next row without a line feed.
    goes_on: bool,
}

impl Rows {
    /// Breaks a text into rows of at most `room` cells, one of which is reserved for the cursor at the end.
    /// Spaces at a break stay at the end of their row, and may lie beyond `room`.
    pub(crate) fn of(text: &str, room: usize) -> Rows {
        let room = room.saturating_sub(1).max(2);
        let mut rows = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            break_line(line, start, room, &mut rows);
            start += line.len() + 1;
        }
        Rows { rows }
    }

    /// How many there are; at least one.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The text shown in a row.
    pub(crate) fn shown(&self, text: &str, row: usize) -> String {
        self.rows
            .get(row)
            .map_or_else(String::new, |row| text[row.start..row.end].graphemes(true).map(shown).collect())
    }

    /// The row and the column of a position.
    pub(crate) fn cell_of(&self, text: &str, position: usize) -> (usize, usize) {
        let row = self.rows.partition_point(|row| row.start <= position).saturating_sub(1);
        let start = self.rows.get(row).map_or(0, |row| row.start);
        (row, text[start..position].graphemes(true).map(cells).sum())
    }

    /// The position shown at a column of a row, or the nearest one before it.
    pub(crate) fn position_at(&self, text: &str, row: usize, column: usize) -> usize {
        let Some(row) = self.rows.get(row.min(self.rows.len().saturating_sub(1))) else { return 0 };
        let mut used = 0;
        let mut position = row.start;
        for grapheme in text[row.start..row.end].graphemes(true) {
            used += cells(grapheme);
            // The end of a row that continues is the beginning of the next.
            let is_last = row.goes_on && position + grapheme.len() == row.end;
            if used > column || is_last {
                break;
            }
            position += grapheme.len();
        }
        position
    }
}

/// Breaks one line, which begins at `offset` of its text.
fn break_line(line: &str, offset: usize, room: usize, rows: &mut Vec<Row>) {
    let is_short = line.len() <= room && line.bytes().all(|byte| (0x20..0x7F).contains(&byte));
    if is_short {
        rows.push(Row { start: offset, end: offset + line.len(), goes_on: false });
        return;
    }
    let mut start = 0;
    let mut used = 0;
    // Where the row may end, and the cells taken by the text after that.
    let mut last_break: Option<(usize, usize)> = None;
    let mut before = Cow::Borrowed("");
    for (position, grapheme) in line.grapheme_indices(true) {
        let seen = seen(grapheme);
        if position > start && text::may_break(&before, &seen) {
            last_break = Some((position, 0));
        }
        let n_cells = cells(grapheme);
        if used + n_cells > room && seen != " " && position > start {
            let (end, n_behind) = last_break.unwrap_or((position, 0));
            rows.push(Row { start: offset + start, end: offset + end, goes_on: true });
            start = end;
            used = n_behind;
            last_break = None;
        }
        used += n_cells;
        if let Some((_, n_behind)) = &mut last_break {
            *n_behind += n_cells;
        }
        before = seen;
    }
    rows.push(Row { start: offset + start, end: offset + line.len(), goes_on: false });
}

/// The form of a grapheme that decides where a row may end.
fn seen(grapheme: &str) -> Cow<'_, str> {
    match grapheme.as_bytes() {
        [b' '..=b'~'] => Cow::Borrowed(grapheme),
        [b'\t'] => Cow::Borrowed(" "),
        _ => Cow::Owned(text::line(grapheme)),
    }
}

fn shown(grapheme: &str) -> String {
    if grapheme == "\t" { "    ".to_owned() } else { text::line(grapheme) }
}

fn cells(grapheme: &str) -> usize {
    match grapheme.as_bytes() {
        [b' '..=b'~'] => 1,
        [b'\t'] => 4,
        _ => text::width(&shown(grapheme)),
    }
}
