//! The standard streams, for text that is already clean. The only place that writes to them, but for
//! the screen.

use std::io::{self, Write};

use super::exit::Failure;

/// Writes to standard output.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(failed)
}

/// Writes a line to standard output.
pub(super) fn print_line(line: &str) -> Result<(), Failure> {
    print(&format!("{line}\n"))
}

/// Writes a line to standard error. When even that fails nobody can be told.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

fn failed(source: io::Error) -> Failure {
    Failure::Stream { what: "cannot write the output".to_owned(), source }
}
