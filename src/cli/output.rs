//! The standard streams. Text must already be cleaned. Only the screen, the question before an action,
//! `closeout mcp` and the gates write to them elsewhere.

use std::io::{self, Write};

use super::exit::Failure;

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

fn failed(source: io::Error) -> Failure {
    Failure::Stream { what: "cannot write the output".to_owned(), source }
}
