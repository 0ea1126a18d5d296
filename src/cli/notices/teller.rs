//! Decides which notices are due: for what lasts, is wanted, and is not in front of the person. It must not
//! wait: whatever touches the disk or starts a program runs beside the loop.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::means::{Delivery, Means, Notice, SAVE_TITLE, title};
use crate::cli::environment::Environment;
use crate::cli::text;
use crate::cli::value_parsers::{hours, way};
use crate::config::Config;
use crate::model::{
    Attention, HoursOfDay, NoticeKind, NoticeRoute, NoticeSettings, Point, RescueDegree, RunEnd, Timestamp,
    WorkspaceId, WorkspaceView, display_text, stable_hash,
};
use crate::present::{runs, sets};
use crate::store::Store;

/// A state found at the start is news only if the session moved less than this long ago, in milliseconds.
const FRESH_MS: i64 = 600_000;
/// How long an occasion must last, in milliseconds: a verdict may briefly rest on a tree read before a commit.
const SETTLE_MS: i64 = 1_500;
/// The extra delay, in milliseconds, in a closeout where the row is not looked at: one where it is claims
/// first.
const BESIDE_MS: i64 = 800;
/// The interval, in milliseconds, of checks whether the quiet hours have ended.
const THINK_AGAIN_MS: i64 = 30_000;

/// The notices of `closeout watch`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Notices {
    /// Open no screen; notify once when you are needed or work is finished
    #[arg(long)]
    pub(crate) headless: bool,
    /// How to notify, instead of `notify.ways`: bell, title, osc9, osc777, osc99, desktop; separate several with commas.
    /// What your terminal makes of them is up to it
    #[arg(long, value_name = "WAY", value_parser = way, value_delimiter = ',', requires = "headless")]
    pub(crate) notify: Vec<NoticeRoute>,
    /// A program with its arguments, started for each notice with the reason, the workspace's name and its path appended
    #[arg(long, value_name = "PROGRAM", requires = "headless", num_args = 1.., allow_hyphen_values = true, value_terminator = ";")]
    pub(crate) notify_command: Vec<String>,
    /// Quiet hours, such as 22:00-07:30; notices that still apply are sent afterwards
    #[arg(long, value_name = "FROM-TO", value_parser = hours, requires = "headless")]
    pub(crate) quiet_hours: Option<HoursOfDay>,
}

pub(crate) struct Teller {
    config: Config,
    /// What the flags set in place of the configuration.
    given: Notices,
    means: Arc<Means>,
    /// Occasions that have not yet lasted, or that fall in the quiet hours.
    waiting: Vec<Waiting>,
    /// The workspaces that need the person.
    in_need: BTreeSet<WorkspaceId>,
    /// The number shown in the window's title.
    titled: Option<usize>,
    sender: UnboundedSender<Delivery>,
    deliveries: UnboundedReceiver<Delivery>,
}

/// An occasion that may lead to a notice.
struct Waiting {
    notice: Notice,
    settings: NoticeSettings,
    since: Timestamp,
}

impl Teller {
    pub(crate) fn new(
        environment: &Environment,
        config: Config,
        store: Store,
        launcher: Option<PathBuf>,
    ) -> Teller {
        let (sender, deliveries) = unbounded_channel();
        Teller {
            config,
            given: Notices::default(),
            means: Arc::new(Means::new(environment, store, launcher)),
            waiting: Vec::new(),
            in_need: BTreeSet::new(),
            titled: None,
            sender,
            deliveries,
        }
    }

    pub(super) fn given(self, given: Notices) -> Teller {
        Teller { given, ..self }
    }

    /// Takes a changed workspace. An occasion that ends before it is due is dropped.
    pub(crate) fn take(&mut self, view: &WorkspaceView, now: Timestamp) {
        let kind = kind_of(view);
        if kind.is_some_and(|kind| kind != NoticeKind::Finished) {
            self.in_need.insert(view.id.clone());
        } else {
            self.in_need.remove(&view.id);
        }
        let before = self.waiting.iter().position(|waiting| waiting.notice.workspace == view.id);
        let before = before.map(|position| self.waiting.swap_remove(position));
        let Some(kind) = kind else { return };
        let settings = self.settings(view);
        if !settings.about.iter().any(|about| about == kind.name()) {
            return;
        }
        let notice = notice(view, kind, now);
        let same = before.filter(|before| before.notice.occasion == notice.occasion);
        let since = same.map_or(now, |before| before.since);
        self.waiting.push(Waiting { notice, settings, since });
    }

    pub(crate) fn remove(&mut self, workspace: &WorkspaceId) {
        self.in_need.remove(workspace);
        self.waiting.retain(|waiting| waiting.notice.workspace != *workspace);
    }

    fn settings(&self, view: &WorkspaceView) -> NoticeSettings {
        let settings = self.config.notices_for(view.id.path());
        let Notices { notify, notify_command, quiet_hours, .. } = &self.given;
        NoticeSettings {
            ways: if notify.is_empty() { settings.ways } else { notify.clone() },
            command: if notify_command.is_empty() { settings.command } else { notify_command.clone() },
            quiet_hours: quiet_hours.or(settings.quiet_hours),
            ..settings
        }
    }

    /// Sends the notices that are due, except in quiet hours. `looked_at` is the workspace the person is
    /// looking at: its occasion is claimed silently, so that no closeout sends a notice for it.
    pub(crate) fn tell_due(&mut self, looked_at: Option<&WorkspaceId>, now: Timestamp) {
        let minute = minute_of_day(now);
        let is_due = |waiting: &Waiting| {
            let is_seen = looked_at == Some(&waiting.notice.workspace);
            waiting.due_at(is_seen) <= now && (is_seen || !waiting.is_quiet(minute))
        };
        let (due, later) = std::mem::take(&mut self.waiting).into_iter().partition(is_due);
        self.waiting = later;
        let due: Vec<Waiting> = due;
        for Waiting { mut notice, settings, .. } in due {
            notice.is_seen = looked_at == Some(&notice.workspace);
            let (means, sender) = (Arc::clone(&self.means), self.sender.clone());
            tokio::task::spawn_blocking(move || {
                for delivery in means.tell(&notice, &settings, now) {
                    // Sending fails only when the program is about to end.
                    let _ = sender.send(delivery);
                }
            });
        }
    }

    /// When [`Self::tell_due`] should be called next; `None` if nothing is waiting.
    pub(crate) fn due_at(&self, looked_at: Option<&WorkspaceId>, now: Timestamp) -> Option<Timestamp> {
        let minute = minute_of_day(now);
        let due_at = |waiting: &Waiting| {
            let is_seen = looked_at == Some(&waiting.notice.workspace);
            let due_at = waiting.due_at(is_seen);
            if !is_seen && waiting.is_quiet(minute) {
                due_at.max(now.plus_millis(THINK_AGAIN_MS))
            } else {
                due_at
            }
        };
        self.waiting.iter().map(due_at).min()
    }

    /// The next result of a notice. Cancel-safe.
    pub(crate) async fn next_delivery(&mut self) -> Delivery {
        match self.deliveries.recv().await {
            Some(delivery) => delivery,
            // Cannot happen: this value holds a sender itself.
            None => std::future::pending().await,
        }
    }

    /// The window's title, if it has to change.
    pub(crate) fn new_title(&mut self) -> Option<String> {
        let given = &self.given.notify;
        let ways = if given.is_empty() { self.config.notices().ways } else { given.clone() };
        if !ways.contains(&NoticeRoute::Title) || self.titled == Some(self.in_need.len()) {
            return None;
        }
        let save = if self.titled.is_none() { SAVE_TITLE } else { "" };
        self.titled = Some(self.in_need.len());
        Some(format!("{save}{}", title(self.in_need.len())))
    }

    pub(crate) fn has_title(&self) -> bool {
        self.titled.is_some()
    }
}

impl Waiting {
    fn due_at(&self, is_seen: bool) -> Timestamp {
        self.since.plus_millis(if is_seen { SETTLE_MS } else { SETTLE_MS + BESIDE_MS })
    }

    fn is_quiet(&self, minute: u16) -> bool {
        self.settings.quiet_hours.is_some_and(|hours| hours.contains(minute))
    }
}

/// The kind of notice that a view calls for. Work to be committed is no news to a person who commits by hand.
fn kind_of(view: &WorkspaceView) -> Option<NoticeKind> {
    let verdict = view.verdict.as_deref()?;
    let kind = view.attention.and_then(NoticeKind::of)?;
    if let Some(end) = run_end(view) {
        return end.status.notice();
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "any other notice is what attention calls for")]
    match kind {
        NoticeKind::Finished if verdict.degree == Some(RescueDegree::ToCommit) => None,
        NoticeKind::Error => {
            let is_limit = verdict.parts.iter().any(|part| part.evidence.has(&Point::UsageLimit));
            Some(if is_limit { NoticeKind::Limit } else { kind })
        }
        _ => Some(kind),
    }
}

/// The end of a run, if that is what calls for attention.
fn run_end(view: &WorkspaceView) -> Option<&RunEnd> {
    let is_its = matches!(view.attention, Some(Attention::Stalled | Attention::Error));
    view.run_end.as_ref().filter(|_| is_its)
}

/// The occasion's name for the end of the run `id`. The run itself uses the same name.
pub(super) fn end_of_run(id: &str) -> String {
    format!("run/{id}")
}

fn notice(view: &WorkspaceView, kind: NoticeKind, now: Timestamp) -> Notice {
    let question = view.verdict.as_deref().and_then(|verdict| verdict.question.as_ref());
    Notice {
        workspace: view.id.clone(),
        name: display_text::line(&view.name).into_owned(),
        occasion: run_end(view).map_or_else(|| occasion(view), |end| end_of_run(&end.id)),
        why: run_end(view).map_or_else(|| sets::notice_kind(kind).to_owned(), |end| runs::ended(end.status)),
        question: question.filter(|_| kind == NoticeKind::Question).map(|question| question.text.clone()),
        is_news: is_news(view, now),
        is_seen: false,
    }
}

/// The occasion's name: the same in every closeout, but different if the same thing happens again later.
fn occasion(view: &WorkspaceView) -> String {
    let prompted_at = view.sessions.iter().filter_map(|session| session.prompted_at).max();
    let verdict = view.verdict.as_deref();
    let question =
        verdict.and_then(|verdict| verdict.question.as_ref()).map(|question| question.text.as_str());
    let head = view.git.as_ref().and_then(|git| git.head.commit());
    let points: Vec<&str> = verdict
        .map(|verdict| verdict.left_to_do.open().map(|point| point.id.as_str()).collect())
        .unwrap_or_default();
    let what = match view.attention {
        Some(Attention::Finished | Attention::Rescue) => format!("{head:?}"),
        Some(Attention::Stalled | Attention::Error) => format!("{points:?}"),
        Some(Attention::Permission | Attention::Asks | Attention::Offer) | None => format!("{question:?}"),
    };
    let text = format!("{:?} {prompted_at:?} {what}", view.attention);
    format!("{:016x}", stable_hash(text.as_bytes()))
}

/// Whether it is recent: what closeout finds at its start may be days old.
fn is_news(view: &WorkspaceView, now: Timestamp) -> bool {
    let moved_at = view.sessions.iter().filter_map(|session| session.moved_at).max();
    let moved_at = moved_at.max(run_end(view).map(|end| end.at));
    !view.is_found_state || moved_at.is_some_and(|at| now.millis_since(at) < FRESH_MS)
}

pub(super) fn minute_of_day(now: Timestamp) -> u16 {
    let time = text::local_time(now).time();
    u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or_default()
}
