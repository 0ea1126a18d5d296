//! Notices without a screen (`closeout watch --headless`): a person is told once when they are needed, or when work is
//! finished.
//!
//! Whether somebody was told already is kept in the state folder, so that restarts and other closeouts ring no second
//! time. A notice holds closeout's own words and the workspace's short name, and nothing of an agent's.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::config::Flags;
use crate::engine::{Engine, Overrides, Scope, clock};
use crate::model::{Attention, Timestamp, WorkspaceView, display_text, stable_hash};
use crate::process::{self, Launcher, Spec};
use crate::store::Store;

use super::environment::Environment;
use super::exit::{Ended, Failure};
use super::output;
use super::value_parsers::hours;

/// How long a command of the person's has for a notice.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);
/// What closeout finds at its start is news only if its session moved so long ago at most.
const FRESH_MS: i64 = 600_000;
/// An occasion has to last so long: a verdict may rest for a moment on a tree that was read before a commit.
const SETTLE_MS: i64 = 1_500;
/// What waits for the end of the quiet hours is thought of again so often.
const THINK_AGAIN: Duration = Duration::from_secs(30);

/// The notices of `closeout watch`.
#[derive(Debug, Default, Args)]
pub(super) struct Notices {
    /// Open no screen; tell once when you are needed, or when work is finished
    #[arg(long)]
    pub(super) headless: bool,
    /// How: bell, title, osc9, osc777, osc99; several with commas. What your terminal does with them is up to it
    #[arg(
        long,
        value_name = "WAY",
        value_enum,
        value_delimiter = ',',
        requires = "headless",
        default_value = "bell"
    )]
    pub(super) notify: Vec<Route>,
    /// A program that is started for each notice with its arguments, then why, the name and the path of the workspace
    #[arg(long, value_name = "PROGRAM", requires = "headless", num_args = 1.., allow_hyphen_values = true, value_terminator = ";")]
    pub(super) notify_command: Vec<String>,
    /// Nobody is told between these times of the day, like 22:00-07:30; what came meanwhile is told then
    #[arg(long, value_name = "FROM-TO", value_parser = hours, requires = "headless")]
    pub(super) quiet_hours: Option<(u16, u16)>,
}

/// A way to tell a person on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Route {
    /// The bell
    Bell,
    /// The title of the window, with the number of workspaces that need you
    Title,
    /// A notification as of iTerm2, Ghostty, Windows Terminal
    Osc9,
    /// A notification as of urxvt, foot
    Osc777,
    /// A notification as of kitty
    Osc99,
}

/// Looks at everything, and tells what a person has to know, until it is ended.
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
    let failed = |source| Failure::Stream { what: "cannot start".to_owned(), source };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let mut teller = Teller {
        environment,
        notify,
        store,
        launcher: config.own_program.clone(),
        is_in_tmux: environment.variable("TMUX").is_some(),
        waiting: Vec::new(),
        n_in_need: 0,
    };
    let mut in_need = std::collections::BTreeMap::new();
    runtime.block_on(async {
        let mut engine = Engine::start(config);
        loop {
            match teller.pause(clock::now()) {
                None => engine.turn().await,
                // What comes of the time-out is that it is thought of again.
                Some(pause) => drop(tokio::time::timeout(pause, engine.turn()).await),
            }
            let changes = engine.take_changes();
            for id in changes.removed {
                in_need.remove(&id);
            }
            for view in changes.views {
                in_need.insert(view.id.clone(), view.attention.is_some_and(needs_a_person));
                teller.n_in_need = in_need.values().filter(|is_in_need| **is_in_need).count();
                teller.take(view, clock::now());
            }
            teller.tell_due(clock::now())?;
            for notice in engine.take_notices() {
                output::complain(&format!("closeout: {}", display_text::line(&notice)));
            }
        }
    })
}

struct Teller<'a> {
    environment: &'a Environment,
    notify: &'a Notices,
    store: Store,
    launcher: Option<std::path::PathBuf>,
    is_in_tmux: bool,
    /// What came just now, or in the quiet hours.
    waiting: Vec<Waiting>,
    n_in_need: usize,
}

/// An occasion that may be told.
struct Waiting {
    view: WorkspaceView,
    due_at: Timestamp,
}

impl Teller<'_> {
    /// A workspace has changed. What does not last is no occasion.
    fn take(&mut self, view: WorkspaceView, now: Timestamp) {
        let before = self.waiting.iter().position(|waiting| waiting.view.id == view.id);
        let before = before.map(|position| self.waiting.swap_remove(position));
        if view.attention.and_then(label).is_none() {
            return;
        }
        let same = before.filter(|before| occasion(&before.view) == occasion(&view));
        let due_at = same.map_or(now.plus_millis(SETTLE_MS), |before| before.due_at);
        self.waiting.push(Waiting { view, due_at });
    }

    /// Tells what has lasted, unless it is quiet now.
    fn tell_due(&mut self, now: Timestamp) -> Result<(), Failure> {
        if self.is_quiet(now) {
            return Ok(());
        }
        let (due, later) =
            std::mem::take(&mut self.waiting).into_iter().partition(|waiting| waiting.due_at <= now);
        self.waiting = later;
        let due: Vec<Waiting> = due;
        for Waiting { view, .. } in due {
            let Some(why) = view.attention.and_then(label) else { continue };
            match self.store.claim_notice(&view.id, (&occasion(&view), why), now) {
                Ok(true) if is_news(&view, now) => self.tell(&view, why)?,
                Ok(_) => {}
                Err(error) => output::complain(&format!("closeout: {error}")),
            }
        }
        Ok(())
    }

    fn is_quiet(&self, now: Timestamp) -> bool {
        self.notify.quiet_hours.is_some_and(|hours| is_within(hours, minute_of_day(now)))
    }

    /// How long nothing has to be thought of; `None` where nothing waits.
    fn pause(&self, now: Timestamp) -> Option<Duration> {
        if self.waiting.is_empty() {
            return None;
        }
        Some(if self.is_quiet(now) {
            THINK_AGAIN
        } else {
            Duration::from_millis(SETTLE_MS.unsigned_abs() / 4)
        })
    }

    fn tell(&self, view: &WorkspaceView, why: &str) -> Result<(), Failure> {
        let name = display_text::line(&view.name);
        if std::io::stdout().is_terminal() {
            output::print(&signs(&self.notify.notify, (&name, why), self.n_in_need, self.is_in_tmux))?;
        }
        output::print_line(&format!("{}  {name}: {why}", super::local_time::second(clock::now())))?;
        if let Some((program, arguments)) = self.notify.notify_command.split_first()
            && let Err(words) = self.start(program, arguments, (view, &name, why))
        {
            output::complain(&format!("closeout: {program}: {}", display_text::line(&words)));
        }
        Ok(())
    }

    fn start(
        &self,
        program: &str,
        arguments: &[String],
        (view, name, why): (&WorkspaceView, &str, &str),
    ) -> Result<(), String> {
        let found = if program.contains('/') {
            Some(self.environment.here.join(program))
        } else {
            self.environment.program(program)
        };
        let found = found.ok_or_else(|| "there is no such program".to_owned())?;
        let own: [OsString; 3] = [why.into(), name.into(), view.id.path().as_os_str().to_owned()];
        let spec = Spec {
            env: self.environment.all(),
            time_limit: COMMAND_LIMIT,
            own_session: self.launcher.clone().map(|program| Launcher { program }),
            ..Spec::new(found, &self.environment.here).args(arguments).args(own)
        };
        process::run(&spec).map(drop).map_err(|error| error.to_string())
    }
}

/// Why a person is told, in closeout's own words. An offer waits for nobody.
fn label(attention: Attention) -> Option<&'static str> {
    match attention {
        Attention::Permission => Some("needs a permission"),
        Attention::Asks => Some("asks a question"),
        Attention::Rescue => Some("has finished work that is not committed"),
        Attention::Stalled => Some("is stalled"),
        Attention::Error => Some("failed"),
        Attention::Finished => Some("is finished"),
        Attention::Offer => None,
    }
}

fn needs_a_person(attention: Attention) -> bool {
    !matches!(attention, Attention::Finished | Attention::Offer)
}

/// A name for the occasion: the same in every closeout, and another one when the same comes again later.
fn occasion(view: &WorkspaceView) -> String {
    let prompted_at = view.sessions.iter().filter_map(|session| session.prompted_at).max();
    let verdict = view.verdict.as_ref();
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

/// Whether it happened lately: what closeout finds at its start may be days old.
fn is_news(view: &WorkspaceView, now: Timestamp) -> bool {
    let moved_at = view.sessions.iter().filter_map(|session| session.moved_at).max();
    !view.is_found_state || moved_at.is_some_and(|at| now.millis_since(at) < FRESH_MS)
}

/// What makes a terminal tell a person.
fn signs(ways: &[Route], (name, why): (&str, &str), n_in_need: usize, is_in_tmux: bool) -> String {
    let mut signs = String::new();
    for way in ways {
        // A semicolon ends a field.
        let text = format!("{name}: {why}").replace(';', ",");
        let sequence = match way {
            Route::Bell => {
                signs.push('\u{7}');
                continue;
            }
            Route::Title => {
                // tmux takes the title of a pane itself.
                let _ = write!(signs, "\u{1b}]2;closeout: {n_in_need} need you\u{7}");
                continue;
            }
            Route::Osc9 => format!("\u{1b}]9;{text}\u{7}"),
            Route::Osc777 => format!("\u{1b}]777;notify;closeout;{text}\u{7}"),
            Route::Osc99 => format!("\u{1b}]99;;{text}\u{1b}\\"),
        };
        if is_in_tmux {
            let _ = write!(signs, "\u{1b}Ptmux;{}\u{1b}\\", sequence.replace('\u{1b}', "\u{1b}\u{1b}"));
        } else {
            signs.push_str(&sequence);
        }
    }
    signs
}

fn minute_of_day(now: Timestamp) -> u16 {
    let moment = jiff::Timestamp::from_millisecond(now.0).unwrap_or_default();
    let time = moment.to_zoned(jiff::tz::TimeZone::system()).time();
    u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or_default()
}

/// Whether a minute of the day lies in a span, which may go over midnight.
fn is_within((from, to): (u16, u16), minute: u16) -> bool {
    if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_each_way_and_through_tmux() {
        let all = [Route::Bell, Route::Title, Route::Osc9, Route::Osc777, Route::Osc99];
        let plain = signs(&all, ("a;b", "is finished"), 2, false);
        let expected = "\u{7}\u{1b}]2;closeout: 2 need you\u{7}\u{1b}]9;a,b: is finished\u{7}\
                        \u{1b}]777;notify;closeout;a,b: is finished\u{7}\u{1b}]99;;a,b: is finished\u{1b}\\";
        assert_eq!(plain, expected);
        let inside = signs(&[Route::Osc99], ("a", "failed"), 0, true);
        assert_eq!(inside, "\u{1b}Ptmux;\u{1b}\u{1b}]99;;a: failed\u{1b}\u{1b}\\\u{1b}\\");
    }

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let night = (22 * 60, 7 * 60);
        for (minute, is_quiet) in [(22 * 60, true), (0, true), (419, true), (420, false), (1319, false)] {
            assert_eq!(is_within(night, minute), is_quiet, "{minute}");
        }
        assert!(is_within((60, 120), 60) && !is_within((60, 120), 120));
    }
}
