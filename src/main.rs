//! Arguments and exit code; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    closeout::cli::run(std::env::args_os())
}
