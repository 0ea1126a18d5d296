//! Lines of the detail and of dialogs: headings, labels and wrapped text, all in one width.
//!
//! It knows no workspace; text that is put on it is cleaned before.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::look::{Look, Sign, TextStyle};
use super::text;
use crate::model::Timestamp;

/// A sheet of lines: how wide, how it looks, and when.
#[derive(Clone, Copy)]
pub(super) struct TextLayout {
    /// The cells of a line.
    pub(super) width: usize,
    /// How things look.
    pub(super) look: Look,
    /// The time now.
    pub(super) now: Timestamp,
}

impl TextLayout {
    /// The style of a style.
    pub(super) fn style(self, style: TextStyle) -> Style {
        self.look.style(style)
    }

    /// Words in a style.
    pub(super) fn span(self, words: impl Into<String>, style: TextStyle) -> Span<'static> {
        Span::styled(words.into(), self.look.style(style))
    }

    /// A heading with a remark behind it, after an empty line.
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
