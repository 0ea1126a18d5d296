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

use crate::config::Flags;
use crate::engine::{Engine, Overrides, clock};
use crate::store::Store;

pub(super) use end_of_run::tell as tell_end_of_run;
pub(super) use means::Delivery;
pub(super) use signs::RESTORE_TITLE;
pub(super) use teller::{Notices, Teller};

use super::environment::Environment;
use super::exit::{Ended, Failure};
use super::output;
use super::runtime::runtime;

/// Watches everything and sends notices until a signal ends it.
pub(super) fn run(environment: &Environment, paths: &[std::path::PathBuf], notify: &Notices) -> Ended {
    let scope = environment.worktrees(paths);
    let config = environment.engine_config(scope, Flags::default(), Overrides::default())?;
    let folder = config.state_folder.clone();
    let folder = folder.ok_or_else(|| Failure::Unreadable("notices need a state folder".to_owned()))?;
    let store = Store::open(folder)?;
    let runtime = runtime()?;
    let mut teller = Teller::new(environment, config.config.clone(), store, config.own_program.clone())
        .given(notify.clone());
    runtime.block_on(async {
        let mut engine = Engine::start_sending(config);
        loop {
            let due_at = teller.due_at(None, clock::now());
            tokio::select! {
                () = engine.turn() => {}
                delivery = teller.next_delivery() => print(delivery)?,
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
                output::note(&notice);
            }
        }
    })
}

fn print(delivery: Delivery) -> Result<(), Failure> {
    match delivery {
        Delivery::Notice { signs, line } => {
            if std::io::stdout().is_terminal() {
                output::print(&signs)?;
            }
            output::print_line(&format!("{}  {line}", super::local_time::second(clock::now())))
        }
        Delivery::Failed(message) => {
            output::complain(&format!("closeout: {message}"));
            Ok(())
        }
    }
}
