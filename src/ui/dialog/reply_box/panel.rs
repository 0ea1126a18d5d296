//! Places the parts of the reply box: what to read, how it is sent, and the text. Drawing, the mouse and the
//! scrolling keys share this division.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::reply::{Mode, ReplyBox, plan_options};
use crate::ui::dialog::Context;
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::put;
use crate::ui::steps::Motion;
use crate::ui::text_area::rows::Rows;

/// Lines longer than this are hard to read; the rest of a wide screen stays empty.
const MAX_WIDTH: u16 = 120;
/// Width of the mark before the text.
const MARGIN: u16 = 3;
/// A text gets at least this many rows, if there is room.
const LEAST_ROWS: usize = 3;

/// The parts of the box at one size, from top to bottom.
struct Parts {
    width: u16,
    head: Vec<Line<'static>>,
    n_head: usize,
    facts: Vec<Line<'static>>,
    n_facts: usize,
    /// `None` if no text is written.
    rows: Option<Rows>,
    n_rows: usize,
}

/// How many cells a row of the text has.
pub(super) fn text_room(context: Context<'_>) -> usize {
    usize::from(context.room.width.min(MAX_WIDTH).saturating_sub(MARGIN + 1))
}

impl ReplyBox {
    fn parts(&self, context: Context<'_>, height: u16) -> Parts {
        let width = context.room.width.min(MAX_WIDTH);
        let head = self.head(context, usize::from(width.saturating_sub(1)));
        let facts = self.facts(context, usize::from(width.saturating_sub(1)));
        let is_prompt = self.plan().is_some_and(|plan| plan_options(plan).is_some());
        let rows = match self.mode(context.view) {
            Mode::Sessions | Mode::Options(_) | Mode::InPane => None,
            Mode::Confirm | Mode::Sending if is_prompt => None,
            Mode::Writing | Mode::Confirm | Mode::Sending => {
                Some(Rows::of(self.area.text(), text_room(context)))
            }
        };
        let height = usize::from(height);
        let n_wanted = rows.as_ref().map_or(0, |rows| rows.len().max(LEAST_ROWS));
        let n_least = if height >= 9 { n_wanted.min(LEAST_ROWS) } else { n_wanted.min(1) };
        let n_facts = facts.len().min(height.saturating_sub(n_least + 1).max(1));
        let left = height.saturating_sub(n_facts);
        let n_most = (left / 2).max(n_least);
        let n_head = head.len().min(left.saturating_sub(n_wanted.min(n_most)));
        let n_rows = left.saturating_sub(n_head).min(n_wanted);
        Parts { width, head, n_head, facts, n_facts, rows, n_rows }
    }

    pub(super) fn n_lines(&self, context: Context<'_>) -> u16 {
        let parts = self.parts(context, context.room.height);
        let n_lines = parts.n_head + parts.n_facts + parts.n_rows;
        u16::try_from(n_lines).unwrap_or(u16::MAX)
    }

    /// Adjusts scrolling to what exists; called after every change.
    pub(super) fn settle(&mut self, context: Context<'_>) {
        let parts = self.parts(context, context.room.height);
        self.top = self.top.min(parts.head.len().saturating_sub(parts.n_head));
        self.area.settle(text_room(context), parts.n_rows);
    }

    pub(super) fn scroll_head(&mut self, step: Motion, context: Context<'_>) {
        let parts = self.parts(context, context.room.height);
        self.top = step.scroll(self.top, parts.head.len(), parts.n_head);
    }

    /// Moves the cursor to a mouse press.
    pub(super) fn point_at(&mut self, at: Position, context: Context<'_>) {
        let parts = self.parts(context, context.room.height);
        let above = parts.n_head + parts.n_facts;
        if let (Mode::Writing, Some(rows)) = (self.mode(context.view), &parts.rows)
            && let Some(row) = usize::from(at.y).checked_sub(above)
            && row < parts.n_rows
        {
            let top = self.area.top(rows, parts.n_rows);
            let column = usize::from(at.x.saturating_sub(MARGIN));
            self.area.point_at(top + row, column, text_room(context));
        }
    }

    /// Which lines of a long question are visible.
    pub(super) fn place(&self, context: Context<'_>) -> String {
        let parts = self.parts(context, context.room.height);
        let n_lines = parts.head.len();
        if parts.n_head >= n_lines {
            return String::new();
        }
        let top = self.top.min(n_lines - parts.n_head);
        format!("{}-{} of {n_lines}  PgUp PgDn", top + 1, top + parts.n_head)
    }

    pub(super) fn draw_parts(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: Context<'_>,
    ) -> Option<Position> {
        let parts = self.parts(context, area.height);
        let high = |n_lines: usize| u16::try_from(n_lines).unwrap_or(u16::MAX).min(area.height);
        let width = parts.width.min(area.width);
        let head = Rect { width, height: high(parts.n_head), ..area };
        let top = self.top.min(parts.head.len().saturating_sub(parts.n_head));
        put(buffer, head, parts.head.into_iter().skip(top));
        let facts = Rect { y: head.bottom(), height: high(parts.n_facts), ..head };
        put(buffer, facts, parts.facts);
        let text = Rect { y: facts.bottom(), height: high(parts.n_rows), ..head }.intersection(area);
        let rows = parts.rows?;
        self.draw_text(buffer, text, &rows, context)
    }

    /// Draws the text; returns the cursor position, where an input method opens.
    fn draw_text(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        rows: &Rows,
        context: Context<'_>,
    ) -> Option<Position> {
        let is_written = matches!(self.mode(context.view), Mode::Writing);
        let look = context.look;
        let style = if is_written { TextStyle::Plain } else { TextStyle::Faint };
        let mark = Span::styled(format!(" {} ", look.sign(Sign::Marker)), look.style(TextStyle::Busy));
        let n_shown = usize::from(area.height);
        let top = self.area.top(rows, n_shown);
        let lines = (top..top + n_shown).map(|row| {
            let shown = rows.shown(self.area.text(), row);
            Line::from(vec![mark.clone(), Span::styled(shown, look.style(style))])
        });
        put(buffer, area, lines);
        let (row, column) = rows.cell_of(self.area.text(), self.area.cursor());
        let row = u16::try_from(row.checked_sub(top)?).ok().filter(|row| is_written && *row < area.height)?;
        let last = area.width.checked_sub(1)?;
        let column = u16::try_from(column).unwrap_or(u16::MAX).saturating_add(MARGIN).min(last);
        Some(Position::new(area.x + column, area.y + row))
    }
}
