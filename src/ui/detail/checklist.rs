//! The checklists, best source first, with their progress.

use ratatui::text::{Line, Span};

use crate::model::{Checklist, ChecklistItem, ItemState, WorkspaceView};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// More items of one list are counted, not shown.
const MAX_ITEMS: usize = 100;

/// The lines of the section.
pub(in crate::ui) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    view.checklists.iter().flat_map(|list| one(list, sheet)).collect()
}

/// One checklist with its heading.
pub(in crate::ui) fn one(list: &Checklist, sheet: TextLayout) -> Vec<Line<'static>> {
    let remark = format!("{} of {} done  {}", list.n_done(), list.items.len(), text::line(&list.from));
    let mut lines = sheet.heading("Checklist", &remark).to_vec();
    lines.extend(list.items.iter().take(MAX_ITEMS).flat_map(|step| item(step, sheet)));
    if list.items.len() > MAX_ITEMS {
        lines.extend(sheet.text(&format!("and {} more", list.items.len() - MAX_ITEMS), TextStyle::Faint, 2));
    }
    lines
}

fn item(item: &ChecklistItem, sheet: TextLayout) -> Vec<Line<'static>> {
    let (sign, sign_tone, style) = match item.state {
        ItemState::Done => (Sign::Done, TextStyle::Good, TextStyle::Faint),
        ItemState::Active => (Sign::Active, TextStyle::Busy, TextStyle::Strong),
        ItemState::Open => (Sign::Open, TextStyle::Open, TextStyle::Plain),
    };
    let sign = sheet.span(format!("  {} ", sheet.look.sign(sign)), sign_tone);
    let indent = text::width(&sign.content);
    let title = sheet.span(text::line(&item.title), style);
    let mut lines = text::wrap(&[title], sheet.width, &sign, &Span::raw(" ".repeat(indent)));
    for evidence in item.evidence.iter().filter(|evidence| !evidence.is_empty()) {
        lines.extend(sheet.text(&text::line(evidence), TextStyle::Faint, indent + 2));
    }
    lines
}
