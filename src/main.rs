//! The binary: passes the arguments to the library and returns its exit code. No logic belongs here.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Launcher mode and hook calls run first, before any configuration is read: another program is waiting
    // for the result.
    let code = closeout::cli::run_if_launcher(std::env::args_os())
        .or_else(|| closeout::cli::run_if_called_by_agent(std::env::args_os()))
        .unwrap_or_else(|| closeout::cli::run(std::env::args_os()));
    // A reading that was given up may still wait for git on a thread of its own.
    closeout::cli::end_all_children();
    code
}
