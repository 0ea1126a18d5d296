//! Types the key that answers a prompt on an agent's screen, and a second time where the first was certainly
//! lost: a client that has just drawn its prompt may not listen yet.
//!
//! It must not type a second key while the first may still be taken, or once another prompt may stand there.

use std::time::Duration;

use super::input_box::AtCursor;
use super::look::{LOOK_AGAIN, LOOKS_AT_BOX};
use super::pane::{Address, NotTyped, TmuxAccess};
use super::{Current, Replier};
use crate::agent::process_stat;
use crate::model::{ActionProblem, ReplyChannel, ReplyPlan, StatusReport};

/// How long a prompt stands unchanged after a key before the key counts as lost. Clients redraw within a tenth
/// of a second, and give a lone Escape as much to become the beginning of another key.
const UNANSWERED: Duration = Duration::from_millis(1500);

/// What became of the key of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyFate {
    /// The prompt is answered.
    Taken,
    /// The prompt still stands, after this many keys.
    Stands { n_keys: u8 },
    /// tmux did not answer: it may have been typed.
    Unknown,
}

impl KeyFate {
    /// What to say of a prompt that still stands.
    pub(super) fn standing(n_keys: u8) -> String {
        match n_keys {
            1 => "the key was typed, but the prompt is still open",
            _ => "the key was lost and typed again, but the prompt is still open: answer it in its pane",
        }
        .to_owned()
    }
}

/// The prompt before its key was typed.
struct Before {
    screen: AtCursor,
    reports: Vec<StatusReport>,
}

impl Replier<'_> {
    /// Types `key`, with `at` only while the cursor is there, and waits until `is_answered`. An error means that
    /// nothing was typed.
    pub(super) fn type_key(
        &self,
        plan: &ReplyPlan,
        (tmux, address, current): (&TmuxAccess, &Address, &Current),
        (key, at): (&'static str, Option<&AtCursor>),
        is_answered: &dyn Fn(&Current) -> bool,
    ) -> Result<KeyFate, ActionProblem> {
        let before = Before { screen: still_screen(tmux, address)?, reports: reports(current) };
        match tmux.press(address, at, key) {
            Ok(()) => {}
            Err(NotTyped::Surely(problem)) => return Err(problem),
            Err(NotTyped::Perhaps) => return Ok(KeyFate::Unknown),
        }
        if self.wait_within(UNANSWERED.min(self.patience), is_answered) {
            return Ok(KeyFate::Taken);
        }
        let mut n_keys = 1;
        if self.is_lost(plan, &before) {
            (self.report)("the key was lost while the prompt was drawn; typing it again");
            // Not while the cursor is elsewhere: tmux compares and types in one step.
            match tmux.press(address, Some(&before.screen), key) {
                Ok(()) => n_keys = 2,
                Err(NotTyped::Surely(_)) => {}
                Err(NotTyped::Perhaps) => return Ok(KeyFate::Unknown),
            }
        }
        Ok(if self.wait_until(is_answered) { KeyFate::Taken } else { KeyFate::Stands { n_keys } })
    }

    /// Whether the client read the key and did nothing with it: everything is as confirmed, by the same reports;
    /// the screen is as before; nothing that was typed is unread; and the client sleeps.
    fn is_lost(&self, plan: &ReplyPlan, before: &Before) -> bool {
        let Ok((tmux, address, current)) = self.pane_now(plan) else { return false };
        let ReplyChannel::Pane { process, .. } = &plan.channel else { return false };
        let is_same = !before.reports.is_empty() && reports(&current) == before.reports;
        is_same
            && address.n_unread() == Some(0)
            && process_stat::is_asleep(process.pid)
            && tmux.at_cursor(&address).is_ok_and(|screen| screen == before.screen)
    }
}

/// What tells that the session waits, apart from its record. Only what says when counts: a prompt that came
/// since has another time.
fn reports(current: &Current) -> Vec<StatusReport> {
    let waits = |report: &&StatusReport| {
        matches!(report.status, crate::model::LiveStatus::Waiting { .. })
            && (report.since.is_some() || report.reported_at.is_some())
    };
    current.session.live.iter().filter(waits).cloned().collect()
}

/// The screen once two looks at it agree, or the last look: the agent may still be drawing.
fn still_screen(tmux: &TmuxAccess, address: &Address) -> Result<AtCursor, ActionProblem> {
    let mut screen = tmux.at_cursor(address)?;
    for _ in 0..LOOKS_AT_BOX {
        std::thread::sleep(LOOK_AGAIN);
        let now = tmux.at_cursor(address)?;
        if now == screen {
            break;
        }
        screen = now;
    }
    Ok(screen)
}
