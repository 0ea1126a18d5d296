//! The notice of a supervised run that a limit ended. The run must not send it if an open closeout does.

use std::io::IsTerminal as _;
use std::time::Duration;

use super::means::{Delivery, Means, Notice};
use super::teller;
use crate::cli::environment::Environment;
use crate::cli::output;
use crate::engine::{EngineConfig, clock};
use crate::model::{NoticeKind, NoticeRoute, RunStatus, WorkspaceView, display_text};
use crate::present::runs;
use crate::process::Cancel;
use crate::store::Store;

/// How long to wait for an open screen, which sends the notice within this time or knows that the person is
/// looking.
const OTHERS_FIRST: Duration = Duration::from_secs(3);

/// Sends the notice that the run `id` ended in the workspace of `view`, unless it is unwanted, it is quiet,
/// no way reaches anyone from here, or another closeout has sent it. `stop` ends the wait for the others.
pub(crate) fn tell(
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
