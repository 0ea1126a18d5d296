//! Records changes so that they can be undone and redone. Knows only positions and pieces of text.

/// At most this many changes can be undone.
const MAX_CHANGES: usize = 500;
/// At most this many bytes of text are kept for that.
const MAX_BYTES: usize = 1 << 20;

/// One change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// Position in bytes.
    pub(super) at: usize,
    pub(super) removed: String,
    pub(super) inserted: String,
    /// Where the cursor was before, in bytes.
    pub(super) cursor_before: usize,
}

/// The changes of a text, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct History {
    changes: Vec<Change>,
    /// How many of them are in effect; the later ones were undone.
    n_made: usize,
    /// Whether the next typed character may join the last change.
    is_open: bool,
}

impl History {
    /// Records a change that was made.
    pub(super) fn push(&mut self, change: Change, is_typed: bool) {
        self.changes.truncate(self.n_made);
        let is_joined = is_typed && self.is_open && self.join(&change);
        if !is_joined {
            self.changes.push(change);
        }
        self.is_open = is_typed;
        let mut n_bytes = 0;
        let is_kept = |change: &&Change| {
            n_bytes += change.removed.len() + change.inserted.len();
            n_bytes <= MAX_BYTES
        };
        // The last change is always kept, whatever its size.
        let n_kept = self.changes.iter().rev().take(MAX_CHANGES).take_while(is_kept).count().max(1);
        self.changes.drain(..self.changes.len() - n_kept);
        self.n_made = self.changes.len();
    }

    /// Joins a typed character to the word that is being typed.
    fn join(&mut self, change: &Change) -> bool {
        let Some(last) = self.changes.last_mut() else { return false };
        let is_next = last.removed.is_empty() && last.at + last.inserted.len() == change.at;
        let begins_word =
            !change.inserted.starts_with(char::is_whitespace) && last.inserted.ends_with(char::is_whitespace);
        if is_next && !begins_word {
            last.inserted.push_str(&change.inserted);
        }
        is_next && !begins_word
    }

    /// The cursor was moved, so what is typed next is a separate change.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// Undoes the last change; returns the new cursor position.
    pub(super) fn undo(&mut self, text: &mut String) -> Option<usize> {
        self.is_open = false;
        let change = self.changes.get(self.n_made.checked_sub(1)?)?;
        text.replace_range(change.at..change.at + change.inserted.len(), &change.removed);
        self.n_made -= 1;
        Some(change.cursor_before)
    }

    /// Redoes the change that was undone last; returns the new cursor position.
    pub(super) fn redo(&mut self, text: &mut String) -> Option<usize> {
        self.is_open = false;
        let change = self.changes.get(self.n_made)?;
        text.replace_range(change.at..change.at + change.removed.len(), &change.inserted);
        self.n_made += 1;
        Some(change.at + change.inserted.len())
    }
}
