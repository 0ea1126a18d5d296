//! Whether words stand in an agent's input box, read from its screen. They would be sent with a reply.
//!
//! It must not touch the pane, and says "they do" only of what it surely sees: a screen that looks another way,
//! or a cursor that was moved to the beginning, tells nothing.

/// The column after an agent's mark and the space behind it.
const FIRST_COLUMN: usize = 2;
/// What draws the upper edge of the box.
const EDGE: char = '─';

/// True if words stand before the cursor in the box that begins with `mark` (Claude Code 2.1.330: the cursor is
/// where the next sign goes, a box of several lines has its mark in the first; a hint stands behind the cursor).
/// `column` and `row` are the cursor's, from 0.
pub(super) fn holds_words(screen: &str, mark: char, column: usize, row: usize) -> bool {
    let lines: Vec<&str> = screen.lines().take(row.saturating_add(1)).collect();
    if lines.len() <= row {
        return false;
    }
    let Some(edge) = lines.iter().rposition(|line| line.starts_with(EDGE)) else { return false };
    let first = edge.saturating_add(1);
    let is_box = lines.get(first).is_some_and(|line| line.starts_with(mark));
    is_box && (row > first || column > FIRST_COLUMN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_the_cursor_are_seen_and_a_hint_behind_it_is_none() {
        let edge = "────────";
        let screen = |line: &str| format!("❯ old\n● OK.\n{edge}\n{line}\n{edge}\n  manual mode on\n");
        let is_held = |line: &str, column, row| holds_words(&screen(line), '❯', column, row);
        assert!(is_held("❯\u{a0}half a draft", 14, 3));
        assert!(is_held("❯\u{a0}one\n  two", 2, 4), "the second line of a box");
        assert!(!is_held("❯\u{a0}", 2, 3));
        assert!(!is_held("❯\u{a0}Try \"fix the tests\"", 2, 3), "a hint");
        assert!(!is_held("> words", 7, 3), "no box");
        assert!(!is_held("❯\u{a0}", 5, 99), "the cursor is elsewhere");
        assert!(!holds_words("❯ half a draft", '❯', 14, 0), "no edge");
        assert!(!holds_words("", '❯', 0, 0));
    }
}
