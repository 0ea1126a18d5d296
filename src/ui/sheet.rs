//! Lines of the detail and of dialogs: headings, labels and wrapped text, all of one width.
//!
//! It knows no workspace; callers clean the text first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::look::{Look, Sign, TextStyle};
use super::text;
use crate::model::Timestamp;

/// The width, look and time for a set of lines.
#[derive(Clone, Copy)]
pub(super) struct TextLayout {
    /// The width of a line, in cells.
    pub(super) width: usize,
    pub(super) look: Look,
    pub(super) now: Timestamp,
}

impl TextLayout {
    pub(super) fn style(self, style: TextStyle) -> Style {
        self.look.style(style)
    }

    pub(super) fn span(self, message: impl Into<String>, style: TextStyle) -> Span<'static> {
        Span::styled(message.into(), self.look.style(style))
    }

    /// An empty line, then a heading with a remark after it.
    pub(super) fn heading(self, title: &str, remark: &str) -> [Line<'static>; 2] {
        let mut line = Line::from(self.span(title, TextStyle::Strong));
        if !remark.is_empty() {
            line.push_span(self.span(format!("  {remark}"), TextStyle::Faint));
        }
        [Line::default(), self.one(line)]
    }

    /// The line cut to the width.
    pub(super) fn one(self, line: Line<'static>) -> Line<'static> {
        text::cut_line(line, self.width, self.look)
    }

    /// Text wrapped behind an indent.
    pub(super) fn text(self, words: &str, style: TextStyle, indent: usize) -> Vec<Line<'static>> {
        text::wrap_text(words, self.style(style), self.width, indent)
    }

    /// A label and its text, wrapped behind the label's column.
    pub(super) fn labelled(self, label: &str, words: &str) -> Vec<Line<'static>> {
        const LABEL: usize = 13;
        let label = text::fit(&format!("  {label}"), LABEL, self.look);
        let first = self.span(label, TextStyle::Faint);
        let spans = [Span::raw(words.to_owned())];
        text::wrap(&spans, self.width, &first, &Span::raw(" ".repeat(LABEL)))
    }

    /// A sentence behind a sign, wrapped.
    pub(super) fn signed(
        self,
        sign: Sign,
        sign_tone: TextStyle,
        words: &str,
        style: TextStyle,
    ) -> Vec<Line<'static>> {
        let sign = self.span(format!("{} ", self.look.sign(sign)), sign_tone);
        let indent = " ".repeat(text::width(&sign.content));
        text::wrap(&[self.span(words, style)], self.width, &sign, &Span::raw(indent))
    }
}

/// Puts lines into an area from its top; lines that do not fit are left out.
pub(super) fn put(buffer: &mut Buffer, area: Rect, lines: impl IntoIterator<Item = Line<'static>>) {
    let area = area.intersection(buffer.area);
    for (y, line) in (area.top()..area.bottom()).zip(lines) {
        buffer.set_line(area.x, y, &line, area.width);
    }
}

/// Draws a rule across an area, with a title on the left and a remark on the right.
pub(super) fn put_rule(
    buffer: &mut Buffer,
    area: Rect,
    title: &str,
    title_tone: TextStyle,
    remark: &str,
    look: Look,
) {
    let rule = look.sign(Sign::Rule);
    let width = usize::from(area.width);
    let remark = if remark.is_empty() { String::new() } else { format!(" {remark} ") };
    let remark = if text::width(&remark) + 12 > width { String::new() } else { remark };
    let room = width.saturating_sub(text::width(&remark) + 6);
    let title = if title.is_empty() { String::new() } else { format!(" {} ", text::cut(title, room, look)) };
    let n_left = 2.min(width);
    let n_right = if remark.is_empty() { 0 } else { 2 };
    let n_fill = width.saturating_sub(n_left + text::width(&title) + text::width(&remark) + n_right);
    let faint = look.style(TextStyle::Faint);
    put(
        buffer,
        area,
        [Line::from(vec![
            Span::styled(rule.repeat(n_left), faint),
            Span::styled(title, look.style(title_tone)),
            Span::styled(rule.repeat(n_fill), faint),
            Span::styled(remark, faint),
            Span::styled(rule.repeat(n_right), faint),
        ])],
    );
}
