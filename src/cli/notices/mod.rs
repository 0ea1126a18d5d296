//! Notices: a person is told once when they are needed or when work is finished, by an open screen or without
//! one (`closeout watch --headless`).
//!
//! The state folder records who was told what, so that neither a restart nor another closeout repeats a
//! notice. A notice holds closeout's own words and the workspace's short name; it must not hold the agent's
//! question unless the person's configuration says so.

mod end_of_run;
mod means;
mod signs;
mod teller;

use std::io::IsTerminal as _;

use clap::Args;

use crate::config::Flags;
use crate::engine::{Engine, Overrides, Scope, clock};
use crate::model::{HoursOfDay, NoticeRoute, display_text};
use crate::store::Store;

pub(super) use end_of_run::tell as tell_end_of_run;
pub(super) use means::Delivery;
pub(super) use signs::RESTORE_TITLE;
pub(super) use teller::Teller;

use teller::Given;

use super::environment::Environment;
use super::exit::{Ended, Failure};
use super::output;
use super::runtime::runtime;
use super::value_parsers::{hours, way};

/// The notices of `closeout watch`.
#[derive(Debug, Default, Args)]
pub(super) struct Notices {
    /// Open no screen; tell once when you are needed, or when work is finished
    #[arg(long)]
    pub(super) headless: bool,
    /// How, in place of `notify.ways`: bell, title, osc9, osc777, osc99, desktop; several with commas. What your
    /// terminal does with them is up to it
    #[arg(long, value_name = "WAY", value_parser = way, value_delimiter = ',', requires = "headless")]
    pub(super) notify: Vec<NoticeRoute>,
    /// A program that is started for each notice with its arguments, then why, the name and the path of the workspace
    #[arg(long, value_name = "PROGRAM", requires = "headless", num_args = 1.., allow_hyphen_values = true, value_terminator = ";")]
    pub(super) notify_command: Vec<String>,
    /// Nobody is told between these times of the day, like 22:00-07:30; what came meanwhile is told then
    #[arg(long, value_name = "FROM-TO", value_parser = hours, requires = "headless")]
    pub(super) quiet_hours: Option<HoursOfDay>,
}

/// Watches everything and sends notices until a signal ends it.
pub(super) fn run(environment: &Environment, paths: &[std::path::PathBuf], notify: &Notices) -> Ended {
    let scope = Scope::Worktrees {
        with_sessions: paths.is_empty(),
        here: environment.here.clone(),
        paths: paths.iter().map(|path| environment.absolute(path)).collect(),
    };
    let config = environment.engine_config(scope, Flags::default(), Overrides::default())?;
    let folder = config.state_folder.clone();
    let folder = folder.ok_or_else(|| Failure::Unreadable("notices need a state folder".to_owned()))?;
    let store = Store::open(folder).map_err(|error| Failure::Unreadable(error.to_string()))?;
    let runtime = runtime()?;
    let mut teller = Teller::new(environment, config.config.clone(), store, config.own_program.clone())
        .given(notify.given());
    runtime.block_on(async {
        let mut engine = Engine::start_sending(config);
        loop {
            let due_at = teller.due_at(None, clock::now());
            tokio::select! {
                () = engine.turn() => {}
                told = teller.next_delivery() => print(told)?,
                () = clock::sleep_until(due_at) => {}
            }
            let changes = engine.take_changes();
            changes.removed.iter().for_each(|id| teller.remove(id));
            changes.views.iter().for_each(|view| teller.take(view, clock::now()));
            teller.tell_due(None, clock::now());
            if let Some(title) = teller.new_title().filter(|_| std::io::stdout().is_terminal()) {
                output::print(&title)?;
            }
            for notice in engine.take_notices() {
                output::complain(&format!("closeout: {}", display_text::line(&notice)));
            }
        }
    })
}

impl Notices {
    fn given(&self) -> Given {
        Given {
            ways: (!self.notify.is_empty()).then(|| self.notify.clone()),
            command: (!self.notify_command.is_empty()).then(|| self.notify_command.clone()),
            quiet_hours: self.quiet_hours,
        }
    }
}

fn print(told: Delivery) -> Result<(), Failure> {
    match told {
        Delivery::Notice { signs, line } => {
            if std::io::stdout().is_terminal() {
                output::print(&signs)?;
            }
            output::print_line(&format!("{}  {line}", super::local_time::second(clock::now())))
        }
        Delivery::Failed(words) => {
            output::complain(&format!("closeout: {words}"));
            Ok(())
        }
    }
}
