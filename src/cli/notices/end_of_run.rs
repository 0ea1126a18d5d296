//! The notice of a supervised run that ended by a limit, told by the run itself where no open closeout tells it.

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

/// An open screen tells within this time, or knows that the person looks at it.
const OTHERS_FIRST: Duration = Duration::from_secs(3);

/// Tells that the run `id` ended so in the workspace of `view`, unless nobody could be reached from here, or somebody else
/// has told it. `stop` ends the wait for that.
pub(in crate::cli) fn tell(
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
    for told in means.tell(&notice, &settings, clock::now()) {
        match told {
            // What happened stands on the terminal already; nobody else reads the signs.
            Delivery::Notice { signs, .. } if is_seen_here => drop(output::print(&signs)),
            Delivery::Notice { .. } => {}
            Delivery::Failed(words) => output::complain(&format!("closeout: {words}")),
        }
    }
}
