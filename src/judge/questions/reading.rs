//! Whether a sentence asks the reader: determined by `asking`, used by all others. Must
//! not decide anything itself.

/// How a sentence asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asks {
    /// It does not ask.
    No,
    /// A question that nobody has to answer: courteous, answered on the spot, reported, or rhetorical.
    Empty,
    /// A question or a request to the reader.
    Reader,
}

/// What is known about one sentence beyond its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Whether its mark or its words make it a question.
    pub(super) question: bool,
    /// Whether it asks, by the rules of the signals.
    pub(super) signal: Asks,
    /// Whether it asks, for the label.
    pub(super) label: Asks,
}
