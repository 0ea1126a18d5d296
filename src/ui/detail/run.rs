//! The live supervised run: its iteration, what it does now, and what its last check left to do.

use ratatui::text::Line;

use crate::model::{RunView, WorkspaceView};
use crate::present::phrases::run as say;
use crate::present::{age, runs, sets};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// At most this many open points are shown; the workspace's list has the others.
const MAX_POINTS: usize = 5;

pub(super) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    view.run.iter().flat_map(|run| one(run, sheet)).collect()
}

fn one(run: &RunView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.heading(&runs::title(run), &age::seconds(sheet.now, run.since)).to_vec();
    let style = if run.question.is_some() { TextStyle::Asks } else { TextStyle::Busy };
    lines.extend(sheet.signed(Sign::Active, style, &runs::with_points(run), TextStyle::Plain));
    if let Some(question) = &run.question {
        lines.extend(sheet.text(&text::line(&question.text), TextStyle::Asks, 4));
    }
    if let Some(verdict) = run.verdict.filter(|_| !run.open_points.is_empty()) {
        lines.extend(sheet.text(&say::last_check(sets::state(verdict)), TextStyle::Faint, 2));
    }
    for point in run.open_points.iter().take(MAX_POINTS) {
        lines.extend(sheet.signed(Sign::Bullet, TextStyle::Open, &text::line(point), TextStyle::Plain));
    }
    lines
}
