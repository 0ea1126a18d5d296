//! The final sweep over a finished frame: no cell may hold a character that a terminal could take for more than
//! text (SECURITY.md 1.1). The panels clean what they show; the sweep catches what one of them forgot.

use ratatui::buffer::Buffer;

use super::look::{Look, Sign};
use crate::model::display_text;

/// Replaces every unsafe cell.
pub(super) fn sweep(buffer: &mut Buffer, look: Look) {
    for cell in &mut buffer.content {
        if cell.symbol().chars().any(display_text::is_unsafe) {
            cell.set_symbol(look.sign(Sign::Replacement));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn what_a_panel_forgot_to_clean_is_replaced() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        for (x, symbol) in ["a", "\u{1b}]52;c;aGk=\u{7}", "\u{202E}", "日"].into_iter().enumerate() {
            buffer.content[x].set_symbol(symbol);
        }
        sweep(&mut buffer, Look::colour());
        let symbols: Vec<&str> = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(symbols, ["a", "\u{FFFD}", "\u{FFFD}", "日"]);
    }
}
