//! Renders a table in an agent's words: columns as wide as their cells, narrower if the screen requires it.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::look::{Look, Sign, TextStyle};
use super::text;

/// Further columns are dropped; a screen could not show them.
const MAX_COLUMNS: usize = 16;
const GAP: usize = 2;

/// The cells of a table, in rows; the first row is the head.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Adds a cell to the last row, without the styles inside it.
    pub(super) fn push_cell(&mut self, spans: &[Span<'_>]) {
        let Some(row) = self.rows.last_mut() else { return };
        if row.len() < MAX_COLUMNS {
            row.push(spans.iter().map(|span| span.content.as_ref()).collect());
        }
    }

    /// The rows as lines of at most `max` cells.
    pub(super) fn lines(&self, max: usize, look: Look) -> Vec<Line<'static>> {
        let widths = self.widths(max);
        let head = Style::new().add_modifier(Modifier::BOLD);
        let mut lines: Vec<Line<'static>> = Vec::with_capacity(self.rows.len() + 1);
        for (position, row) in self.rows.iter().enumerate() {
            let style = if position == 0 { head } else { Style::new() };
            let cells = widths.iter().zip(row).map(|(width, cell)| text::fit(cell, *width, look));
            let shown = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
            lines.push(Line::from(Span::styled(shown.trim_end().to_owned(), style)));
            if position == 0 {
                let rules: Vec<String> =
                    widths.iter().map(|width| look.sign(Sign::Rule).repeat(*width)).collect();
                let rule = rules.join(&" ".repeat(GAP));
                lines.push(Line::from(Span::styled(rule, look.style(TextStyle::Faint))));
            }
        }
        lines
    }

    /// The widths of the columns. If they do not fit, the widest shrinks first.
    fn widths(&self, max: usize) -> Vec<usize> {
        let n_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| text::width(cell)).max()
        };
        let mut widths: Vec<usize> =
            (0..n_columns).map(|column| widest(column).unwrap_or(0).min(max)).collect();
        let room = max.saturating_sub(GAP * n_columns.saturating_sub(1)).max(n_columns);
        while widths.iter().sum::<usize>() > room {
            let Some(width) = widths.iter_mut().max() else { break };
            *width -= 1;
        }
        widths
    }
}
