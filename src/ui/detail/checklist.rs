//! A checklist with its progress.

use ratatui::text::{Line, Span};

use crate::model::{Checklist, ChecklistItem, ItemState};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// At most this many items of a list are shown; the rest are counted.
pub(super) const MAX_ITEMS: usize = 100;

/// One checklist with its heading.
pub(in crate::ui) fn one(list: &Checklist, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = heading(list, sheet).to_vec();
    lines.extend(list.items.iter().take(MAX_ITEMS).flat_map(|step| item(step, sheet)));
    lines.extend(more(list, sheet));
    lines
}

pub(super) fn heading(list: &Checklist, sheet: TextLayout) -> [Line<'static>; 2] {
    let remark = format!("{} of {} done  {}", list.n_done(), list.items.len(), text::line(&list.from));
    sheet.heading("Checklist", &remark)
}

/// How many items are not shown.
pub(super) fn more(list: &Checklist, sheet: TextLayout) -> Vec<Line<'static>> {
    match list.items.len().saturating_sub(MAX_ITEMS) {
        0 => Vec::new(),
        n_more => sheet.text(&format!("and {n_more} more"), TextStyle::Faint, 2),
    }
}

pub(super) fn item(item: &ChecklistItem, sheet: TextLayout) -> Vec<Line<'static>> {
    let (sign, sign_tone, style) = match item.state {
        ItemState::Done => (Sign::Done, TextStyle::Good, TextStyle::Faint),
        ItemState::Active => (Sign::Active, TextStyle::Busy, TextStyle::Strong),
        ItemState::Open => (Sign::Open, TextStyle::Open, TextStyle::Plain),
    };
    let sign = sheet.span(format!("     {} ", sheet.look.sign(sign)), sign_tone);
    let indent = text::width(&sign.content);
    let title = text::line(&item.title);
    let evidence: Vec<String> = item
        .evidence
        .iter()
        .filter(|evidence| !evidence.is_empty())
        .map(|evidence| text::line(evidence))
        .collect();
    let beside = match &evidence[..] {
        [only] => Some(format!("  {only}"))
            .filter(|beside| indent + text::width(&title) + text::width(beside) <= sheet.width),
        _ => None,
    };
    let below = if beside.is_some() { &[] } else { &evidence[..] };
    let words = [sheet.span(title, style), sheet.span(beside.unwrap_or_default(), TextStyle::Faint)];
    let mut lines = text::wrap(&words, sheet.width, &sign, &Span::raw(" ".repeat(indent)));
    lines.extend(below.iter().flat_map(|evidence| sheet.text(evidence, TextStyle::Faint, indent + 2)));
    lines
}
