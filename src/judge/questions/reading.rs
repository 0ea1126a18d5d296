//! Whether a sentence asks the reader: what `asking` finds, and all others reason with.

/// How a sentence asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asks {
    /// Not at all.
    No,
    /// It is a question that nobody has to answer: courtesy, answered on the spot, told, rhetorical.
    Empty,
    /// It is a question or a request to the reader.
    Reader,
}

/// What is known of one sentence beyond its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Whether it is a question by its mark or its words.
    pub(super) question: bool,
    /// Whether it asks, by the rules of the signals.
    pub(super) signal: Asks,
    /// Whether it asks, for the label.
    pub(super) label: Asks,
}
