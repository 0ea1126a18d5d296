//! Notices: a person is told once when they are needed or when work is finished, by an open screen or without
//! one (`closeout watch --headless`).
//!
//! The state folder records who was told what, so that neither a restart nor another closeout repeats a
//! notice. A notice holds closeout's own words and the workspace's short name; it must not hold the agent's
//! question unless the person's configuration says so.

mod means;
mod teller;

use std::io::IsTerminal as _;
use std::time::Duration;

use self::means::{Means, Notice};
use super::exit::{Ended, Failure};
use super::runtime::runtime;
use crate::cli::environment::Environment;
use crate::cli::output;
use crate::config::Flags;
use crate::engine::{Engine, EngineConfig, FrontKind, Overrides, clock};
use crate::model::{NoticeKind, NoticeRoute, RunStatus, WorkspaceView, display_text};
use crate::present::runs;
use crate::process::Cancel;
use crate::store::Store;

pub(super) use means::{Delivery, RESTORE_TITLE};
pub(super) use teller::{Notices, Teller};

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
        let mut engine = Engine::start(config, FrontKind::Unattended);
        let mut problems: Vec<String> = Vec::new();
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
            let new = engine.problems().iter().filter(|problem| !problems.contains(problem));
            new.for_each(|problem| output::note(problem));
            problems = engine.problems().to_vec();
            engine.take_notices().iter().for_each(|notice| output::note(notice));
        }
    })
}

fn print(delivery: Delivery) -> Result<(), Failure> {
    match delivery {
        Delivery::Notice { signs, line } => {
            if std::io::stdout().is_terminal() {
                output::print(&signs)?;
            }
            output::print_line(&format!("{}  {line}", super::text::local_second(clock::now())))
        }
        Delivery::Failed(message) => {
            output::complain(&format!("closeout: {message}"));
            Ok(())
        }
    }
}

/// How long to wait for an open screen, which sends the notice within this time or knows that the person is
/// looking.
const OTHERS_FIRST: Duration = Duration::from_secs(3);

/// Sends the notice that the run `id` ended in the workspace of `view`, unless it is unwanted, it is quiet,
/// no way reaches anyone from here, or another closeout has sent it. `stop` ends the wait for the others.
pub(super) fn tell_end_of_run(
    environment: &Environment,
    config: &EngineConfig,
    store: &Store,
    (view, id, status): (&WorkspaceView, &str, RunStatus),
    stop: &Cancel,
) {
    let settings = config.config.notices_for(view.id.path());
    let is_wanted = |kind: NoticeKind| settings.about.iter().any(|about| about == kind.name());
    if !status.notice().is_some_and(is_wanted) {
        return;
    }
    let is_seen_here = std::io::stdout().is_terminal() && !settings.ways.is_empty();
    let reaches_far = settings.ways.contains(&NoticeRoute::Desktop) || !settings.command.is_empty();
    let now = clock::now();
    let is_quiet = settings.quiet_hours.is_some_and(|hours| hours.contains(teller::minute_of_day(now)));
    if is_quiet || !(is_seen_here || reaches_far) || stop.wait(OTHERS_FIRST) {
        return;
    }
    let notice = Notice {
        workspace: view.id.clone(),
        name: display_text::line(&view.name).into_owned(),
        why: runs::ended(status),
        occasion: teller::end_of_run(id),
        question: None,
        is_news: true,
        is_seen: false,
    };
    let means = Means::new(environment, store.clone(), config.own_program.clone());
    for delivery in means.tell(&notice, &settings, clock::now()) {
        match delivery {
            // The terminal already shows the words; only the control sequences are written.
            Delivery::Notice { signs, .. } if is_seen_here => drop(output::print(&signs)),
            Delivery::Notice { .. } => {}
            Delivery::Failed(words) => output::complain(&format!("closeout: {words}")),
        }
    }
}
