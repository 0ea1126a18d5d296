//! `closeout completions` and `closeout man`, both generated from the command line's types, so that they
//! always match this version.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::Arguments;
use super::exit::{Ended, Failure, Outcome};
use super::output;

/// Prints the completion script of a shell.
pub(super) fn completions(shell: Shell) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "closeout", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}

pub(super) fn page() -> Ended {
    let mut page = Vec::new();
    let failed = |source| Failure::Stream { what: "cannot make the manual page".to_owned(), source };
    clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(failed)?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Done)
}
