//! Multi-line text that a person writes; what they see as one character moves and is deleted as one.
//!
//! Plain data, so that two states of a screen can be compared: no clock, screen cells only in `rows`, and keys
//! only in `keys`. The text is kept byte for byte; only invisible characters and controls are dropped on input,
//! and the result says so.

mod history;
mod incoming;
pub(super) mod keys;
pub(super) mod rows;
#[cfg(test)]
mod tests;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use history::{Change, History};
pub(super) use incoming::LeftOut;
pub use incoming::MAX_BYTES;
use incoming::cleaned;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextArea {
    text: String,
    /// A position in bytes, always between two graphemes.
    cursor: usize,
    /// The column that moving up and down keeps to.
    column: Option<usize>,
    top: usize,
    history: History,
}

/// A change or a move that a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    NewLine,
    Erase,
    EraseNext,
    EraseWord,
    EraseNextWord,
    EraseToStart,
    EraseToEnd,
    Left,
    Right,
    WordLeft,
    WordRight,
    Up,
    Down,
    LineStart,
    LineEnd,
    Start,
    End,
    Undo,
    Redo,
}

impl TextArea {
    /// An area with this text and the cursor at its end. Stored text is taken over unchanged.
    pub(super) fn of(text: String) -> TextArea {
        TextArea { cursor: text.len(), text, ..TextArea::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The cursor's position in bytes.
    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Inserts a typed character; returns what was dropped.
    pub(super) fn type_sign(&mut self, sign: char) -> LeftOut {
        self.take(sign.encode_utf8(&mut [0; 4]), Joining::WithTyped)
    }

    /// Inserts pasted text; returns what was dropped. Line breaks of any kind become line feeds.
    pub(super) fn paste(&mut self, text: &str) -> LeftOut {
        self.take(text, Joining::Alone)
    }

    /// Replaces the whole text; one undo brings the old text back.
    pub(super) fn replace_all(&mut self, text: &str) -> LeftOut {
        let (text, left_out) = cleaned(text, MAX_BYTES);
        if text != self.text {
            self.change(0, self.text.len(), &text, Joining::Alone);
        }
        self.cursor = self.text.len();
        left_out
    }

    fn take(&mut self, text: &str, joining: Joining) -> LeftOut {
        let (text, left_out) = cleaned(text, MAX_BYTES.saturating_sub(self.text.len()));
        if !text.is_empty() {
            self.change(self.cursor, self.cursor, &text, joining);
        }
        left_out
    }

    /// Carries out a change or a move. `room` is the number of cells in a row, for moves by rows.
    pub(super) fn edit(&mut self, edit: Edit, room: usize) {
        let column = self.column.take();
        match edit {
            Edit::NewLine => self.change(self.cursor, self.cursor, "\n", Joining::Alone),
            Edit::Erase => self.erase(self.before(), self.cursor),
            Edit::EraseNext => self.erase(self.cursor, self.after()),
            Edit::EraseWord => self.erase(self.word_before(), self.cursor),
            Edit::EraseNextWord => self.erase(self.cursor, self.word_after()),
            Edit::EraseToStart if self.line_start() == self.cursor => self.erase(self.before(), self.cursor),
            Edit::EraseToStart => self.erase(self.line_start(), self.cursor),
            Edit::EraseToEnd if self.line_end() == self.cursor => self.erase(self.cursor, self.after()),
            Edit::EraseToEnd => self.erase(self.cursor, self.line_end()),
            Edit::Left => self.move_to(self.before()),
            Edit::Right => self.move_to(self.after()),
            Edit::WordLeft => self.move_to(self.word_before()),
            Edit::WordRight => self.move_to(self.word_after()),
            Edit::Up => self.move_by_rows(-1, column, room),
            Edit::Down => self.move_by_rows(1, column, room),
            Edit::LineStart => self.move_to(self.line_start()),
            Edit::LineEnd => self.move_to(self.line_end()),
            Edit::Start => self.move_to(0),
            Edit::End => self.move_to(self.text.len()),
            Edit::Undo => {
                if let Some(cursor) = self.history.undo(&mut self.text) {
                    self.cursor = self.settled(cursor);
                }
            }
            Edit::Redo => {
                if let Some(cursor) = self.history.redo(&mut self.text) {
                    self.cursor = self.settled(cursor);
                }
            }
        }
    }

    /// Moves the cursor to a cell, given by its row among all rows and its column.
    pub(super) fn point_at(&mut self, row: usize, column: usize, room: usize) {
        self.column = None;
        let rows = rows::Rows::of(&self.text, room);
        self.move_to(rows.position_at(&self.text, row, column));
    }

    /// The first row to show in an area of `n_shown` rows, so that the cursor is visible.
    pub(super) fn top(&self, rows: &rows::Rows, n_shown: usize) -> usize {
        let (row, _) = rows.cell_of(&self.text, self.cursor);
        super::steps::scrolled_to(self.top, row, rows.len(), n_shown.max(1))
    }

    /// Remembers the first visible row of an area of this size.
    pub(super) fn settle(&mut self, room: usize, n_shown: usize) {
        self.top = self.top(&rows::Rows::of(&self.text, room), n_shown);
    }

    fn erase(&mut self, from: usize, to: usize) {
        if from < to {
            self.change(from, to, "", Joining::Alone);
        }
    }

    fn change(&mut self, from: usize, to: usize, text: &str, joining: Joining) {
        let change = Change {
            at: from,
            removed: self.text[from..to].to_owned(),
            inserted: text.to_owned(),
            cursor_before: self.cursor,
        };
        self.text.replace_range(from..to, text);
        self.history.push(change, joining == Joining::WithTyped);
        self.column = None;
        // Two halves of one grapheme may have met.
        self.cursor = self.settled(from + text.len());
    }

    fn move_to(&mut self, position: usize) {
        self.cursor = position;
        self.history.close();
    }

    fn move_by_rows(&mut self, by: isize, column: Option<usize>, room: usize) {
        let rows = rows::Rows::of(&self.text, room);
        let (row, at) = rows.cell_of(&self.text, self.cursor);
        let column = column.unwrap_or(at);
        let aim = row.saturating_add_signed(by);
        let position = if by < 0 && row == 0 {
            0
        } else if aim >= rows.len() {
            self.text.len()
        } else {
            rows.position_at(&self.text, aim, column)
        };
        self.move_to(position);
        self.column = Some(column);
    }

    /// The first position between two graphemes at or after `position`.
    fn settled(&self, position: usize) -> usize {
        let mut cursor = GraphemeCursor::new(position, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(false) => cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len()),
            Ok(true) | Err(_) => position,
        }
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }

    fn after(&self) -> usize {
        self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len)
    }

    /// The beginning of the word that the cursor is in or after.
    fn word_before(&self) -> usize {
        let words = self.text[..self.cursor].split_word_bound_indices().rev();
        words.skip_while(|(_, word)| !is_word(word)).map(|(start, _)| start).next().unwrap_or(0)
    }

    /// The end of the word that the cursor is in or before.
    fn word_after(&self) -> usize {
        let words = self.text[self.cursor..].split_word_bound_indices();
        words
            .skip_while(|(_, word)| !is_word(word))
            .map(|(start, word)| self.cursor + start + word.len())
            .next()
            .unwrap_or(self.text.len())
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |position| position + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |position| self.cursor + position)
    }
}

/// Whether a change joins the typed ones before it, so that one undo reverts them together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    WithTyped,
    Alone,
}

fn is_word(piece: &str) -> bool {
    piece.chars().any(char::is_alphanumeric)
}
