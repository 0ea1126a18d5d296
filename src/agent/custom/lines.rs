//! The last lines of a record as they are, for formats that read them all at once.

use crate::agent::record_tail::LineReader;

/// So many bytes of the end are kept.
const KEPT: usize = 1 << 20;
/// With so many bytes at hand no earlier piece is asked for.
const ENOUGH: usize = 512 << 10;

/// The last lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// True when earlier lines were let go.
    pub(super) is_cut: bool,
    /// Lines that were too long.
    pub(super) n_passed_over: u32,
}

impl LineReader for Lines {
    fn take(&mut self, line: &[u8]) {
        if line.len() >= KEPT {
            self.pass_over(line);
            return;
        }
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
        // Twice the size before anything is moved, so that moving costs a constant for each byte.
        if self.bytes.len() > 2 * KEPT {
            let from = self.bytes.len() - KEPT;
            let line_end = self.bytes[from..].iter().position(|byte| *byte == b'\n');
            self.bytes.drain(..line_end.map_or(self.bytes.len(), |end| from + end + 1));
            self.is_cut = true;
        }
    }

    fn pass_over(&mut self, _begin: &[u8]) {
        self.n_passed_over = self.n_passed_over.saturating_add(1);
    }

    fn is_enough(&self) -> bool {
        self.bytes.len() >= ENOUGH
    }
}

impl Lines {
    /// The lines, each with its line feed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
