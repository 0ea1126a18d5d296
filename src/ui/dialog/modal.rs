//! The interface of all dialogs: inputs in, steps out, and what to draw. Most show a page of lines, laid out
//! once per frame; the others divide their area and draw it themselves.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::{Context, page};
use crate::model::{Intent, Response, WorkspaceId};
use crate::ui::input::{Edited, KeyPress};
use crate::ui::keymap::Hint;
use crate::ui::sheet::put;
use crate::ui::steps::Motion;

/// The lines of a dialog, and the first visible one.
pub(in crate::ui) struct Page {
    pub(in crate::ui) lines: Vec<Line<'static>>,
    pub(in crate::ui) top: usize,
}

/// A dialog. Methods that most dialogs do not need have a default.
pub(in crate::ui) trait Modal {
    fn workspace(&self) -> &WorkspaceId;

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step;

    fn paste(&mut self, _text: &str, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// A text comes back from the person's editor.
    fn edited(&mut self, _edited: &Edited, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// Scrolls its lines.
    fn scroll(&mut self, step: Motion, context: Context<'_>) -> Step {
        let n_lines = self.page(context).map_or(0, |page| page.lines.len());
        if let Some(top) = self.top() {
            *top = step.scroll(*top, n_lines, context.n_shown());
        }
        Step::stay()
    }

    /// The mouse was pressed at this place, relative to the dialog's top left.
    fn press(&mut self, _at: Position, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// An answer of the engine; `None` if it is not for this dialog.
    fn on_response(&mut self, _response: &Response, _context: Context<'_>) -> Option<Step> {
        None
    }

    /// What is shown beside it has changed.
    fn on_views(&mut self, _context: Context<'_>) -> Step {
        Step::stay()
    }

    /// The title for the rule above it. Cleaned.
    fn title(&self, context: Context<'_>) -> String;

    fn hints(&self, context: Context<'_>) -> Vec<Hint>;

    /// The page of lines; `None` if the dialog draws itself.
    fn page(&self, _context: Context<'_>) -> Option<Page> {
        None
    }

    /// The first visible line of the page, if it can be scrolled.
    fn top(&mut self) -> Option<&mut usize> {
        None
    }

    /// The cursor position in a page drawn in this area.
    fn cursor(&self, _area: Rect, _context: Context<'_>) -> Option<Position> {
        None
    }

    /// How many lines a dialog without a page needs.
    fn height(&self, _context: Context<'_>) -> u16 {
        0
    }

    /// A remark at the right end of the title's rule, for a dialog without a page. Cleaned.
    fn remark(&self, _context: Context<'_>) -> String {
        String::new()
    }

    /// Draws a dialog without a page into a cleared area; returns the cursor position.
    fn draw(&self, _buffer: &mut Buffer, _area: Rect, _context: Context<'_>) -> Option<Position> {
        None
    }
}

impl Page {
    /// A page that does not scroll.
    pub(in crate::ui) fn of(lines: Vec<Line<'static>>) -> Page {
        Page { lines, top: 0 }
    }

    /// Which of its lines are visible, if not all.
    pub(in crate::ui) fn place(&self, n_shown: usize) -> String {
        page::place(self.top, self.lines.len(), n_shown)
    }

    /// Draws as many of its lines as there is room for.
    pub(in crate::ui) fn draw(self, buffer: &mut Buffer, area: Rect) {
        let top = self.top.min(self.lines.len().saturating_sub(usize::from(area.height)));
        put(buffer, page::inner(area), self.lines.into_iter().skip(top));
    }
}

/// The result of an input to a dialog.
#[derive(Debug, Default, PartialEq)]
pub(in crate::ui) struct Step {
    /// What the person wants of the engine, in order.
    pub(in crate::ui) intents: Vec<Intent>,
    pub(in crate::ui) then: Then,
    /// It asks something else now, so keys count only once that could be read.
    pub(in crate::ui) is_new_question: bool,
    /// A message for the last line until the next key. Untrusted.
    pub(in crate::ui) answer: Option<String>,
    /// A text to open in the person's editor; it comes back as an input.
    pub(in crate::ui) edit: Option<String>,
    /// Whether the program ends now.
    pub(in crate::ui) is_quit: bool,
}

#[derive(Debug, Default, PartialEq)]
pub(in crate::ui) enum Then {
    #[default]
    Stay,
    Close,
    /// The reply box replaces it, with this text in it. Untrusted.
    Reply(String),
}

impl Step {
    /// The dialog stays; nothing else happens.
    pub(in crate::ui) fn stay() -> Step {
        Step::default()
    }

    /// The dialog stays and shows this message. Untrusted.
    pub(in crate::ui) fn say(words: impl Into<String>) -> Step {
        Step { answer: Some(words.into()), ..Step::default() }
    }

    /// The confirming key came before the dialog could be read.
    pub(in crate::ui) fn too_early() -> Step {
        Step::say("Not yet: this key came before the box could be read. Press it again.")
    }

    pub(in crate::ui) fn close() -> Step {
        Step { then: Then::Close, ..Step::default() }
    }

    /// The dialog closes and sends this intent.
    pub(in crate::ui) fn want(intent: Intent) -> Step {
        Step { intents: vec![intent], ..Step::close() }
    }
}
