//! Steps through rows and lines: arithmetic on positions, bounded by their number.

/// Lines per turn of the wheel.
pub(super) const WHEEL_LINES: isize = 3;

/// The step of a movement key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// By this many rows.
    By(isize),
    /// By this many pages.
    Pages(isize),
    /// To the first.
    First,
    /// To the last.
    Last,
}

impl Motion {
    /// The position after the step from `from` among `n`, with pages of `page` rows.
    pub(super) fn go(self, from: usize, n: usize, page: usize) -> usize {
        // One row of the old page stays visible for orientation.
        let page = isize::try_from(page.saturating_sub(1).max(1)).unwrap_or(1);
        match self {
            Motion::By(by) => moved(from, by, n),
            Motion::Pages(pages) => moved(from, page.saturating_mul(pages), n),
            Motion::First => 0,
            Motion::Last => n.saturating_sub(1),
        }
    }

    /// The first visible line after the step, if `n_shown` of `n_lines` lines are visible.
    pub(super) fn scroll(self, top: usize, n_lines: usize, n_shown: usize) -> usize {
        let n_tops = n_lines.saturating_sub(n_shown) + 1;
        self.go(top.min(n_tops - 1), n_tops, n_shown)
    }
}

/// `from` moved by `by`, kept below `n`.
pub(super) fn moved(from: usize, by: isize, n: usize) -> usize {
    from.saturating_add_signed(by).min(n.saturating_sub(1))
}

/// The first row to show so that `selected` is visible, as near to `top` as possible.
pub(super) fn scrolled_to(top: usize, selected: usize, n_rows: usize, n_shown: usize) -> usize {
    let last_top = n_rows.saturating_sub(n_shown);
    let lowest = selected.saturating_add(1).saturating_sub(n_shown);
    top.clamp(lowest.min(selected), selected).min(last_top)
}
