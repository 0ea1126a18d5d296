//! `closeout` and `closeout watch`: the screen. Owns the terminal. It must not contain rules or draw by
//! itself: `ui` turns views into a frame, and input into intents.

mod backend;
pub(super) mod editor;
mod front;
mod pace;
mod planted;
mod run_loop;
mod terminal;

use std::io::IsTerminal;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use rustix::io::Errno;

use crate::config::{Flags, LookSetting};
use crate::engine::Overrides;
use crate::store;
use crate::ui::{Look, Size, State};

use super::args::Watch;
use super::environment::{Environment, is_utf8};
use super::exit::{Ended, Failure, Outcome};
use super::notices::Teller;
use super::output;
use super::runtime::runtime;
use front::Front;
use planted::Planted;

/// How long actions may still run after a defect in the screen.
const AFTER_A_DEFECT: Duration = Duration::from_secs(30);

pub(super) fn run(environment: &Environment, watch: &Watch) -> Ended {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(
            "the screen needs a terminal; for scripts there are `closeout status` and `closeout check`"
                .to_owned(),
        ));
    }
    let scope = environment.worktrees(&watch.paths);
    let config = environment.engine_config(scope, Flags::default(), Overrides::default())?;
    let settings = config.config.ui.clone();
    let notices = environment.log_problem().map(str::to_owned).into_iter().collect();
    let editor = editor::Editor::of(environment, config.state_folder.clone());
    let runtime = runtime()?;
    let store = config.state_folder.as_ref().and_then(|folder| store::Store::open(folder).ok());
    let teller =
        store.map(|store| Teller::new(environment, config.config.clone(), store, config.own_program.clone()));
    // The terminal tells its size once it is taken.
    let mut state = State::new(Size { width: 0, height: 0 }, look(environment, settings.look));
    state.asks_by_itself = config.config.auto_probes.is_on;
    let front = Front::new(state, notices, Planted::of(environment), teller);
    let ran = panic::catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(run_loop::run(config, editor, front, settings.has_mouse))
    }));
    let ended = match ran {
        Ok(ended) => ended,
        Err(defect) => {
            // The terminal is restored and the defect is reported. Running actions, above all a rescue, end
            // as they would have; one that exceeds the limit is cut off as by a crash, and recovered through
            // its journal.
            runtime.shutdown_timeout(AFTER_A_DEFECT);
            panic::resume_unwind(defect);
        }
    };
    // A collection that hangs must not delay the exit: its thread ends with the process. All actions have
    // ended.
    runtime.shutdown_background();
    output::notes(&ended.messages);
    match ended.end {
        Ok(run_loop::End::Quit) => Ok(Outcome::Done),
        Ok(run_loop::End::Signal(signal)) => Ok(Outcome::Signalled(signal)),
        // The terminal was closed, and the signal that reports it has not arrived yet.
        Err(source) if source.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
            Ok(Outcome::Signalled(run_loop::SIGHUP))
        }
        Err(source) => Err(Failure::Stream { what: "the terminal failed".to_owned(), source }),
    }
}

/// How the screen looks: `NO_COLOR`, or a terminal without colours, disables colours; a locale known not to
/// be UTF-8 disables special signs.
fn look(environment: &Environment, setting: LookSetting) -> Look {
    let is_dumb = environment.variable("TERM").is_none_or(|term| term == "dumb" || term == "vt100");
    let has_signs = environment.locale().is_none_or(|locale| is_utf8(&locale));
    match setting {
        LookSetting::Auto if !has_signs => Look { has_colour: false, ..Look::ascii() },
        LookSetting::Auto if environment.variable("NO_COLOR").is_some() || is_dumb => Look::plain(),
        LookSetting::Auto | LookSetting::Color => Look::colour(),
        LookSetting::Plain => Look::plain(),
        LookSetting::Ascii => Look { has_colour: false, ..Look::ascii() },
    }
}
