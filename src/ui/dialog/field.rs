//! A field in which a person writes one line: a reason, a name.
//!
//! Characters are only added and removed at its end; whoever wants to move the cursor writes in their editor.

use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::keys::{FIELD, FieldAction};
use crate::model::display_text;
use crate::ui::input::{KeyCode, KeyPress};
use crate::ui::keymap::command_of;
use crate::ui::look::TextStyle;
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// The most characters in one line, more than a person writes.
const MAX_SIGNS: usize = 500;
/// The label's column.
const LABEL: usize = 10;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::ui) struct Field {
    line: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// The line is still being written.
    More,
    /// The line was accepted.
    Kept,
    /// The line was abandoned.
    Left,
}

impl Field {
    /// The text, without leading and trailing spaces.
    pub(super) fn text(&self) -> String {
        self.line.trim().to_owned()
    }

    pub(super) fn key(&mut self, press: KeyPress) -> Written {
        match (command_of(FIELD, press), press.code) {
            (Some(FieldAction::Keep), _) => return Written::Kept,
            (Some(FieldAction::Leave), _) => return Written::Left,
            (Some(FieldAction::Erase), _) => drop(self.line.pop()),
            (Some(FieldAction::EraseWord), _) => {
                let kept = self.line.trim_end().rfind(' ').map_or(0, |blank| blank + 1);
                self.line.truncate(kept);
            }
            (Some(FieldAction::EraseAll), _) => self.line.clear(),
            (None, KeyCode::Char(sign)) if !press.ctrl && !press.alt => {
                self.write(sign.encode_utf8(&mut [0; 4]));
            }
            (None, _) => {}
        }
        Written::More
    }

    /// Appends text, without characters that a terminal could take for more than text.
    pub(super) fn write(&mut self, text: &str) {
        let n_free = MAX_SIGNS.saturating_sub(self.line.chars().count());
        let signs = text.chars().map(|sign| if sign.is_whitespace() { ' ' } else { sign });
        self.line.extend(signs.filter(|sign| !display_text::is_unsafe(*sign)).take(n_free));
    }

    /// The field behind its label, in as many lines as the text takes.
    pub(super) fn lines(&self, label: &str, sheet: TextLayout) -> Vec<Line<'static>> {
        let label = sheet.span(text::fit(label, LABEL, sheet.look), TextStyle::Faint);
        let words = [sheet.span(text::line(&self.line), TextStyle::Strong)];
        text::wrap(&words, sheet.width.saturating_sub(1), &label, &Span::raw(" ".repeat(LABEL)))
    }

    /// The cursor position if the field is drawn at the top of `area`: after the last character.
    pub(super) fn cursor(&self, label: &str, sheet: TextLayout, area: Rect) -> Position {
        let lines = self.lines(label, sheet);
        let n_blanks = self.line.len() - self.line.trim_end_matches(' ').len();
        let n_cells = lines.last().map_or(LABEL, text::line_width).max(LABEL);
        let column =
            if lines.len() == 1 { LABEL + text::width(&text::line(&self.line)) } else { n_cells + n_blanks };
        let cells = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let x = area.x.saturating_add(cells(column)).min(area.right().saturating_sub(1));
        Position::new(x, area.y.saturating_add(cells(lines.len().saturating_sub(1))))
    }
}
