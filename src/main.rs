//! Arguments and exit code; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A program is waited for, and an agent waits: before anything else is read.
    closeout::cli::run_if_launcher(std::env::args_os())
        .or_else(|| closeout::cli::run_if_called_by_agent(std::env::args_os()))
        .unwrap_or_else(|| closeout::cli::run(std::env::args_os()))
}
