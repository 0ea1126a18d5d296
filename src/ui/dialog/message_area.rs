//! The message of a commit while it is written: all of its lines, with the keys of every text area.
//!
//! The text is kept exactly as shown; nothing is suggested or cut.

use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::Context;
use super::keys::{MESSAGE, MessageAction};
use crate::ui::input::{Edited, KeyPress};
use crate::ui::keymap::command_of;
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;
use crate::ui::text_area::keys::{Meaning, meaning_of};
use crate::ui::text_area::rows::Rows;
use crate::ui::text_area::{Edit, TextArea};

/// Width of the mark before the text.
const MARGIN: usize = 3;
/// A message gets at least this many rows, if there is room.
const LEAST_ROWS: usize = 3;
/// Lines above the text, for its heading.
const N_HEAD: usize = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MessageArea {
    area: TextArea,
    /// The result of the last input, as a message. Untrusted.
    remark: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKey {
    /// The message is still being written.
    More,
    Kept,
    Left,
    /// The message should open in the person's editor.
    Editor,
}

impl MessageArea {
    /// The cursor starts at the end of the first line, the line that is changed most often.
    pub(super) fn of(message: &str) -> MessageArea {
        let mut area = TextArea::of(message.to_owned());
        area.edit(Edit::Start, usize::MAX);
        area.edit(Edit::LineEnd, usize::MAX);
        MessageArea { area, remark: None }
    }

    pub(super) fn text(&self) -> &str {
        self.area.text()
    }

    pub(super) fn key(&mut self, press: KeyPress, context: Context<'_>) -> MessageKey {
        self.remark = None;
        match command_of(MESSAGE, press) {
            Some(MessageAction::Keep) => return MessageKey::Kept,
            Some(MessageAction::Leave) => return MessageKey::Left,
            Some(MessageAction::Editor) => return MessageKey::Editor,
            // The text area handles these keys itself.
            Some(MessageAction::NewLine | MessageAction::Undo | MessageAction::Redo) | None => {}
        }
        match meaning_of(press) {
            Meaning::Edit(edit) => self.area.edit(edit, room(context.sheet())),
            Meaning::Sign(sign) => self.remark = self.area.type_sign(sign).label(),
            Meaning::None => {}
        }
        self.settle(context);
        MessageKey::More
    }

    pub(super) fn paste(&mut self, pasted: &str, context: Context<'_>) {
        self.remark = self.area.paste(pasted).label();
        self.settle(context);
    }

    /// Takes over the text that comes back from the person's editor.
    pub(super) fn edited(&mut self, edited: &Edited, context: Context<'_>) {
        self.remark = match edited {
            Edited::Text(text) => self.area.replace_all(text).label(),
            Edited::Failed(words) => Some(words.clone()),
        };
        self.settle(context);
    }

    /// Moves the cursor to a mouse press; `at` is relative to the top left of these lines.
    pub(super) fn press(&mut self, at: Position, context: Context<'_>) {
        let Some(row) = usize::from(at.y).checked_sub(N_HEAD).filter(|row| *row < self.n_rows(context))
        else {
            return;
        };
        let room = room(context.sheet());
        let top = self.area.top(&Rows::of(self.text(), room), self.n_rows(context));
        // The lines are indented by one cell from the edge of the dialog.
        self.area.point_at(top + row, usize::from(at.x).saturating_sub(MARGIN + 1), room);
    }

    /// How many rows of text are visible; some room is left for what is below.
    fn n_rows(&self, context: Context<'_>) -> usize {
        let most = usize::from(context.room.height).saturating_sub(N_HEAD + 2).max(1);
        Rows::of(self.text(), room(context.sheet())).len().max(LEAST_ROWS).min(most)
    }

    fn settle(&mut self, context: Context<'_>) {
        let n_rows = self.n_rows(context);
        self.area.settle(room(context.sheet()), n_rows);
    }

    pub(super) fn lines(&self, context: Context<'_>) -> Vec<Line<'static>> {
        let sheet = context.sheet();
        let head = match &self.remark {
            Some(remark) => sheet.span(text::line(remark), TextStyle::Open),
            None => sheet.span("The message of the commit:", TextStyle::Strong),
        };
        let mark = sheet.span(format!(" {} ", sheet.look.sign(Sign::Marker)), TextStyle::Busy);
        let rows = Rows::of(self.text(), room(sheet));
        let n_shown = self.n_rows(context);
        let top = self.area.top(&rows, n_shown);
        let shown = (top..top + n_shown)
            .map(|row| Line::from(vec![mark.clone(), Span::raw(rows.shown(self.text(), row))]));
        std::iter::once(sheet.one(Line::from(head))).chain(shown).collect()
    }

    /// The cursor position if the lines are drawn at the top of `area`.
    pub(super) fn cursor(&self, area: Rect, context: Context<'_>) -> Option<Position> {
        let rows = Rows::of(self.text(), room(context.sheet()));
        let top = self.area.top(&rows, self.n_rows(context));
        let (row, column) = rows.cell_of(self.text(), self.area.cursor());
        let y = u16::try_from(row.checked_sub(top)? + N_HEAD).ok()?;
        let x = u16::try_from(column + MARGIN).ok()?.min(area.width.checked_sub(1)?);
        (y < area.height).then(|| Position::new(area.x + x, area.y + y))
    }
}

/// How many cells a row of the text has.
fn room(sheet: TextLayout) -> usize {
    sheet.width.saturating_sub(MARGIN + 1)
}
