//! Places the panels: from the size, the number of rows and what is open to rectangles.

use ratatui::layout::Rect;

use super::list_rows::{ListRows, ListShape};
use super::state::{Focus, Page, State};

/// From this width on, the detail is beside the list.
const WIDE: u16 = 110;
/// From this width on, a list beside the detail has rows of one line.
const ONE_LINE: u16 = 70;
/// On a smaller screen nothing sensible can be shown.
pub(super) const MIN_WIDTH: u16 = 30;
pub(super) const MIN_HEIGHT: u16 = 8;
/// From this height on, a narrow screen has a rule under its header.
const ROOMY_HEIGHT: u16 = 20;

/// The panels' places. A panel without room has no rectangle, or one of height 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Areas {
    pub(super) header: Rect,
    /// The notice, if there is one.
    pub(super) notice: Option<Rect>,
    /// The rule under them, if there is room.
    pub(super) rule: Option<Rect>,
    pub(super) list: Option<Rect>,
    /// The line below the list that tells what is folded away.
    pub(super) folded: Option<Rect>,
    /// Lines per row of the list: 1 or 2.
    pub(super) row_height: u16,
    /// Whether every section has a heading; all rows are visible then.
    pub(super) has_headings: bool,
    /// The line between list and detail on a wide screen.
    pub(super) divider: Option<Rect>,
    pub(super) detail_title: Option<Rect>,
    /// The tabs of the detail, unless they are in its title.
    pub(super) tabs: Option<Rect>,
    pub(super) detail: Option<Rect>,
    /// A page that replaces list and detail.
    pub(super) page: Option<Rect>,
    /// Everything between the header and the hints, where a dialog may be drawn.
    pub(super) body: Rect,
    pub(super) footer: Rect,
}

impl Areas {
    /// The areas of a screen with these list rows; `None` if too small. Without workspaces there is no list.
    pub(super) fn of(state: &State, rows: &ListRows, has_list: bool) -> Option<Areas> {
        let bare = Areas::bare(state)?;
        if state.page == Page::Help || !has_list {
            return Some(Areas { page: Some(bare.body), ..bare });
        }
        let is_wide = state.size.width >= WIDE && !state.is_full;
        Some(if is_wide { bare.wide(rows, state) } else { bare.narrow(rows, state) })
    }

    /// The areas without list and detail, which a dialog covers; `None` if the screen is too small.
    pub(super) fn bare(state: &State) -> Option<Areas> {
        let (width, height) = (state.size.width, state.size.height);
        if width < MIN_WIDTH || height < MIN_HEIGHT {
            return None;
        }
        let header = Rect::new(0, 0, width, 1);
        let footer = Rect::new(0, height - 1, width, 1);
        let n_notices = u16::from(!state.notices.is_empty());
        let notice = (n_notices > 0).then(|| Rect::new(0, 1, width, 1));
        let is_wide = width >= WIDE;
        let has_rule = is_wide || height >= ROOMY_HEIGHT;
        let top = 1 + n_notices + u16::from(has_rule);
        let rule = has_rule.then(|| Rect::new(0, top - 1, width, 1));
        let body = Rect::new(0, top, width, height - 1 - top);
        Some(Areas { header, notice, rule, row_height: 1, body, footer, ..Areas::default() })
    }

    fn wide(self, rows: &ListRows, state: &State) -> Areas {
        let body = self.body;
        let list_width = (body.width / 20 * 9).clamp(50, 86);
        let n_folded = u16::from(rows.has_fold(state));
        let list = Rect { width: list_width, height: body.height - n_folded, ..body };
        let divider = Rect { x: list_width, width: 1, ..body };
        let x = list_width + 1;
        let detail = Rect { x, width: body.width - x, ..body };
        // The title is drawn in the rule above.
        let title = Rect { y: body.y - 1, height: 1, ..detail };
        let (tabs, detail) = below_tabs(detail);
        let fits = |row_height: u16| rows.n_lines(row_height) <= list.height;
        let row_height = if fits(2) || list_width < ONE_LINE { 2 } else { 1 };
        let has_headings = rows.has_headings() && fits(row_height);
        let n_lines = if has_headings {
            rows.n_lines(row_height)
        } else {
            height_of(rows.positions.len().max(1)).saturating_mul(row_height)
        };
        // Directly below the last row.
        let folded = Rect { y: list.y + n_lines.min(list.height), height: n_folded, ..list };
        Areas {
            list: Some(list),
            folded: (n_folded > 0).then_some(folded),
            row_height,
            has_headings,
            divider: Some(divider),
            detail_title: Some(title),
            tabs: Some(tabs),
            detail: Some(detail),
            ..self
        }
    }

    fn narrow(self, rows: &ListRows, state: &State) -> Areas {
        let is_zoomed = state.is_full || state.is_zoomed && state.focus == Focus::Detail;
        // The title of the detail is itself a rule; two in a row would be one too many.
        let n_freed = u16::from(is_zoomed && self.rule.is_some());
        let body = Rect { y: self.body.y - n_freed, height: self.body.height + n_freed, ..self.body };
        let n_folded = u16::from(rows.has_fold(state) && !is_zoomed);
        let has_headings = rows.has_headings() && rows.n_lines(1) + n_folded <= body.height.div_ceil(2);
        let n_lines = if has_headings {
            rows.n_lines(1)
        } else {
            height_of(rows.positions.len()).clamp(1, (body.height * 2 / 5).saturating_sub(n_folded).max(2))
        };
        let list = Rect { height: if is_zoomed { 0 } else { n_lines }, ..body };
        let folded = Rect { y: list.bottom(), height: n_folded, ..body };
        let title = Rect { y: folded.bottom(), height: 1, ..body };
        let detail = Rect { y: title.y + 1, height: body.bottom() - title.y - 1, ..body };
        // The list shows the name; without the list the title must.
        let (tabs, detail) = if is_zoomed {
            let (tabs, detail) = below_tabs(detail);
            (Some(tabs), detail)
        } else {
            (None, detail)
        };
        Areas {
            rule: self.rule.filter(|_| !is_zoomed),
            list: (!is_zoomed).then_some(list),
            folded: (n_folded > 0).then_some(folded),
            has_headings,
            detail_title: Some(title),
            tabs,
            detail: Some(detail),
            ..self
        }
    }

    pub(super) fn list_shape(&self) -> ListShape {
        let n_shown = self.list.map_or(1, |list| usize::from(list.height / self.row_height).max(1));
        ListShape { n_shown, row_height: self.row_height, has_headings: self.has_headings }
    }
}

/// Splits off the first line for the tabs.
fn below_tabs(detail: Rect) -> (Rect, Rect) {
    let tabs = Rect { height: detail.height.min(1), ..detail };
    (tabs, Rect { y: tabs.bottom(), height: detail.height - tabs.height, ..detail })
}

fn height_of(n_lines: usize) -> u16 {
    u16::try_from(n_lines).unwrap_or(u16::MAX)
}
