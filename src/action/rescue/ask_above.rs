//! From which size on a record is asked about. Pure.

/// A record of more than this is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskAbove {
    /// New or changed bytes.
    pub n_bytes: u64,
    /// New or changed files.
    pub n_files: usize,
}

impl Default for AskAbove {
    fn default() -> AskAbove {
        AskAbove { n_bytes: 200_000_000, n_files: 10_000 }
    }
}
