//! The questions that closeout sent to agents on its own: one small file, replaced as a whole before each
//! of them is sent, so that all closeouts of this folder share one budget and ask only once at each moment
//! of a task.
//!
//! A question counts from the moment at which it may be sent, whatever becomes of it. So nothing has to be
//! given back, and a killed closeout blocks nobody. An unreadable file grants no permit.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{AutoBudget, NotAsked, ProbePermit, SessionMoment, Timestamp};

use super::StoreError;
use super::folder::{Store, read_form, replace_form};

/// The largest file, in bytes.
const MAX_FILE: u64 = 4 << 20;
/// The period of the budget, in milliseconds.
const HOUR_MS: i64 = 3_600_000;
/// How long the last question to a session is remembered, in milliseconds: a week.
const KEPT_MS: i64 = 7 * 24 * HOUR_MS;
/// How many questions are remembered. The hourly budget is far below.
const MAX_KEPT: usize = 2_000;

#[derive(Default, Serialize, Deserialize)]
struct Questions {
    /// Oldest first.
    sent: Vec<Sent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    at: Timestamp,
    moment: SessionMoment,
}

impl Store {
    /// Acquires the permit to send one question unasked, right before it is sent. The question is then
    /// counted, and the count is on disk when this returns. `is_first` says that it is the first question
    /// at `moment` rather than a later one of the same smart check.
    ///
    /// # Errors
    /// The file cannot be read or written, so there is no permit.
    pub fn acquire_probe_permit(
        &self,
        moment: &SessionMoment,
        is_first: bool,
        per_hour: u32,
        now: Timestamp,
    ) -> Result<ProbePermit, StoreError> {
        let _lock = self.lock()?;
        let mut sent = self.sent_by_itself()?;
        // The last prompt is known only if enough of the record was read; session and time identify the turn without it.
        let turn = |moment: &SessionMoment| (moment.session.clone(), moment.rested_at);
        if is_first && sent.iter().any(|known| turn(&known.moment) == turn(moment)) {
            return Ok(ProbePermit::Denied(NotAsked::AskedBefore));
        }
        let counted = within_the_hour(&sent, now);
        let budget = AutoBudget { n_sent: number(counted.len()), per_hour };
        // There is room again once enough questions are more than an hour old for one more.
        let n_over = counted.len().checked_sub(usize::try_from(per_hour).unwrap_or(usize::MAX));
        if let Some(n_over) = n_over {
            let until = counted.get(n_over).copied().unwrap_or(now).plus_millis(HOUR_MS);
            return Ok(ProbePermit::Denied(NotAsked::UsedUp { budget, until }));
        }
        sent.push(Sent { at: now, moment: moment.clone() });
        replace_form(&self.sent_file(), &Questions { sent: remembered(&sent, now) })?;
        Ok(ProbePermit::Granted(AutoBudget { n_sent: budget.n_sent + 1, per_hour }))
    }

    /// How much of the hourly budget is used.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn auto_budget(&self, per_hour: u32, now: Timestamp) -> Result<AutoBudget, StoreError> {
        let n_sent = within_the_hour(&self.sent_by_itself()?, now).len();
        Ok(AutoBudget { n_sent: number(n_sent), per_hour })
    }

    fn sent_by_itself(&self) -> Result<Vec<Sent>, StoreError> {
        let expected = "a record of the questions that were sent; without the file it begins anew";
        read_form(&self.sent_file(), MAX_FILE, expected).map(|form: Questions| form.sent)
    }

    fn sent_file(&self) -> PathBuf {
        self.folder().join("auto-probes.json")
    }
}

/// When the questions of the last hour were sent, oldest first. If the clock was set back, questions up to
/// an hour ahead count too: the budget is then neither exceeded nor used up for days.
fn within_the_hour(sent: &[Sent], now: Timestamp) -> Vec<Timestamp> {
    let mut times: Vec<Timestamp> =
        sent.iter().map(|sent| sent.at).filter(|at| now.millis_since(*at).abs() < HOUR_MS).collect();
    times.sort_unstable();
    times
}

/// The questions to remember: those of the last hour, and the last one to each session.
fn remembered(sent: &[Sent], now: Timestamp) -> Vec<Sent> {
    let is_last = |index: usize, one: &Sent| {
        !sent[index + 1..].iter().any(|later| later.moment.session == one.moment.session)
    };
    let is_needed = |(index, one): &(usize, &Sent)| {
        let age = now.millis_since(one.at).abs();
        age < HOUR_MS || age < KEPT_MS && is_last(*index, one)
    };
    let kept: Vec<&Sent> = sent.iter().enumerate().filter(is_needed).map(|(_, one)| one).collect();
    let n_forgotten = kept.len().saturating_sub(MAX_KEPT);
    kept.into_iter().skip(n_forgotten).cloned().collect()
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
