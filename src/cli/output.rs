//! The standard streams. Text must already be cleaned. Only the screen, the question before an action,
//! `closeout mcp` and the gates write to them elsewhere.

use std::io::{self, Write};

use super::exit::Failure;
use crate::model::display_text;

pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(failed)
}

pub(super) fn print_line(line: &str) -> Result<(), Failure> {
    print(&format!("{line}\n"))
}

/// Writes a line to standard error. A failure is ignored, since there is no other way to report it.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes closeout's own words about something, cleaned, to standard error.
pub(super) fn note(text: &str) {
    complain(&format!("closeout: {}", display_text::line(text)));
}

/// Writes several of them.
pub(super) fn notes<'t>(texts: impl IntoIterator<Item = &'t String>) {
    texts.into_iter().for_each(|text| note(text));
}

fn failed(source: io::Error) -> Failure {
    Failure::Stream { what: "cannot write the output".to_owned(), source }
}
