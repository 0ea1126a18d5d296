//! What every dialog is: inputs in, steps out, and what it shows. Most show a page of lines, which is laid out once a
//! frame; the others have rooms of their own and draw themselves.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::{Context, Step, page};
use crate::model::{Response, WorkspaceId};
use crate::ui::input::{Edited, KeyPress};
use crate::ui::keymap::Hint;
use crate::ui::sheet::put;
use crate::ui::steps;

/// The lines of a dialog, from the one on at which it is scrolled.
pub(in crate::ui) struct Page {
    pub(in crate::ui) lines: Vec<Line<'static>>,
    pub(in crate::ui) top: usize,
}

/// A dialog. What most have no use for has a default.
pub(in crate::ui) trait Modal {
    /// The workspace that it is about.
    fn workspace(&self) -> &WorkspaceId;

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step;

    fn paste(&mut self, _text: &str, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// A text comes back from the person's editor.
    fn edited(&mut self, _edited: &Edited, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// By so many lines with the wheel, up if negative.
    fn scroll(&mut self, by: isize, context: Context<'_>) -> Step {
        let n_lines = self.page(context).map_or(0, |page| page.lines.len());
        if let Some(top) = self.top() {
            *top = steps::Step::By(by).scroll(*top, n_lines, context.n_shown());
        }
        Step::stay()
    }

    /// A press of the mouse at a place of the dialog, counted from its top left.
    fn press(&mut self, _at: Position, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// An answer of the engine; `None` when it is not for this dialog.
    fn told(&mut self, _told: &Response, _context: Context<'_>) -> Option<Step> {
        None
    }

    /// The title in the rule above it. Cleaned.
    fn title(&self, context: Context<'_>) -> String;

    fn hints(&self, context: Context<'_>) -> Vec<Hint>;

    /// What it shows, where that is a page of lines.
    fn page(&self, _context: Context<'_>) -> Option<Page> {
        None
    }

    /// The first line of the page that is shown, where it can be scrolled.
    fn top(&mut self) -> Option<&mut usize> {
        None
    }

    /// Where the cursor stands in a page in this area.
    fn cursor(&self, _area: Rect, _context: Context<'_>) -> Option<Position> {
        None
    }

    /// How many lines it wants, where it is no page.
    fn height(&self, _context: Context<'_>) -> u16 {
        0
    }

    /// A remark at the right end of the title's rule, where it is no page. Cleaned.
    fn remark(&self, _context: Context<'_>) -> String {
        String::new()
    }

    /// Draws it into an area that was made empty, where it is no page; answers where the cursor stands.
    fn draw(&self, _buffer: &mut Buffer, _area: Rect, _context: Context<'_>) -> Option<Position> {
        None
    }
}

impl Page {
    /// A page that is not scrolled.
    pub(in crate::ui) fn of(lines: Vec<Line<'static>>) -> Page {
        Page { lines, top: 0 }
    }

    /// Which of its lines are shown, where not all are.
    pub(in crate::ui) fn place(&self, n_shown: usize) -> String {
        page::place(self.top, self.lines.len(), n_shown)
    }

    /// Draws as many of its lines as there is room for.
    pub(in crate::ui) fn draw(self, buffer: &mut Buffer, area: Rect) {
        let top = self.top.min(self.lines.len().saturating_sub(usize::from(area.height)));
        put(buffer, page::inner(area), self.lines.into_iter().skip(top));
    }
}
