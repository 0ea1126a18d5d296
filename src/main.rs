//! Arguments and exit code; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    // An agent waits for it: before anything else is read.
    closeout::cli::run_if_event(std::env::args_os())
        .unwrap_or_else(|| closeout::cli::run(std::env::args_os()))
}
