//! `closeout completions` and `closeout man`: both are made from the command line itself, so that they are never of
//! another version.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::Arguments;
use super::exit::{Ended, Failure, Outcome};
use super::output;

/// Prints what this shell needs to complete commands and options.
pub(super) fn completions(shell: Shell) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "closeout", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}

/// Prints the manual page.
pub(super) fn page() -> Ended {
    let mut page = Vec::new();
    let failed = |source| Failure::Stream { what: "cannot make the manual page".to_owned(), source };
    clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(failed)?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Done)
}
