//! The agent's last words, rendered as Markdown.

use ratatui::text::{Line, Span};

use crate::model::WorkspaceView;
use crate::present::age;
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::{markdown, text};

const INDENT: usize = 2;

pub(super) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let Some(last) = &view.last_words else { return Vec::new() };
    let from = text::line(&last.from);
    let remark = last.at.map_or_else(|| from.clone(), |at| format!("{from}, {}", age::ago(sheet.now, at)));
    let mut lines = sheet.heading("Last words", &remark).to_vec();
    if last.is_cut {
        let cut = format!("{} (the beginning is not shown)", sheet.look.sign(Sign::Ellipsis));
        lines.extend(sheet.text(&cut, TextStyle::Faint, INDENT));
    }
    let words = markdown::render(&last.text, sheet.width.saturating_sub(INDENT), sheet.look);
    lines.extend(words.into_iter().map(|mut line| {
        line.spans.insert(0, Span::raw(" ".repeat(INDENT)));
        line
    }));
    lines
}
