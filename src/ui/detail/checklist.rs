//! The checklists, best source first, with their progress.

use ratatui::text::{Line, Span};

use crate::model::{Checklist, ChecklistItem, ItemState, WorkspaceView};
use crate::ui::look::{Sign, Tone};
use crate::ui::sheet::Sheet;
use crate::ui::text;

/// More items of one list are counted, not shown.
const MAX_ITEMS: usize = 100;

/// The lines of the section.
pub(super) fn lines(view: &WorkspaceView, sheet: Sheet) -> Vec<Line<'static>> {
    view.checklists.iter().flat_map(|list| one(list, sheet)).collect()
}

/// One checklist with its heading.
pub(super) fn one(list: &Checklist, sheet: Sheet) -> Vec<Line<'static>> {
    let remark = format!("{} of {} done  {}", list.n_done(), list.items.len(), text::line(&list.from));
    let mut lines = sheet.heading("Checklist", &remark).to_vec();
    lines.extend(list.items.iter().take(MAX_ITEMS).flat_map(|step| item(step, sheet)));
    if list.items.len() > MAX_ITEMS {
        lines.extend(sheet.text(&format!("and {} more", list.items.len() - MAX_ITEMS), Tone::Faint, 2));
    }
    lines
}

fn item(item: &ChecklistItem, sheet: Sheet) -> Vec<Line<'static>> {
    let (sign, sign_tone, tone) = match item.state {
        ItemState::Done => (Sign::Done, Tone::Good, Tone::Faint),
        ItemState::Active => (Sign::Active, Tone::Busy, Tone::Strong),
        ItemState::Open => (Sign::Open, Tone::Open, Tone::Plain),
    };
    let sign = sheet.span(format!("  {} ", sheet.look.sign(sign)), sign_tone);
    let indent = text::width(&sign.content);
    let title = sheet.span(text::line(&item.title), tone);
    let mut lines = text::wrap(&[title], sheet.width, &sign, &Span::raw(" ".repeat(indent)));
    for evidence in item.evidence.iter().filter(|evidence| !evidence.is_empty()) {
        lines.extend(sheet.text(&text::line(evidence), Tone::Faint, indent + 2));
    }
    lines
}
