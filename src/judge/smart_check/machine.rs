//! The transitions of the smart check.
//!
//! Must not take "complete" from anything but git's own answer, or run for ever.

use super::{Happened, ProbeReading, ProbeWord, SmartCheckConfig, SmartOutcome, SmartStatus, Step};
use crate::model::VerdictState;

/// What the machine waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// The count before a probe, or the last count.
    CommitsOfRound,
    ProbeAnswer,
    /// The count after "complete": commits may have been made while the probe ran.
    CommitsAfterComplete,
    ChangesAfterComplete,
    RescueAfterComplete,
    CommitsAfterRescue,
    WaitEnd,
    /// Time is up.
    FinalChanges,
    FinalRescue,
    CommitsAfterFinalRescue,
    ChangesAfterFinalRescue,
    Nothing,
}

/// One smart check. Drive it with [`SmartCheck::advance`] until it returns a [`Step::Finish`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmartCheck {
    config: SmartCheckConfig,
    awaits: Awaits,
    step: Step,
    probes_used: u32,
    has_answer: bool,
    waits: u32,
    rescued: bool,
}

impl SmartCheck {
    /// A new check and its first step.
    pub fn new(config: SmartCheckConfig) -> (Self, Step) {
        let check = Self {
            config,
            awaits: Awaits::CommitsOfRound,
            step: Step::CountCommits,
            probes_used: 0,
            has_answer: false,
            waits: 0,
            rescued: false,
        };
        (check, Step::CountCommits)
    }

    /// Takes an event and returns the next step. An event that does not belong to the current step changes
    /// nothing; the step is returned again.
    pub fn advance(&mut self, happened: Happened) -> Step {
        if let Some((awaits, step)) = self.transition(happened) {
            self.awaits = awaits;
            self.step = step;
        }
        self.step.clone()
    }

    /// Sends no further probe, because it would end as the last one did.
    pub fn send_no_more(&mut self) {
        self.config.max_probes = self.probes_used;
    }

    /// Skips the probe that was about to be sent and all later ones: time is up.
    pub fn send_none(&mut self) -> Step {
        if self.awaits == Awaits::ProbeAnswer {
            self.probes_used = self.probes_used.saturating_sub(1);
            self.send_no_more();
            (self.awaits, self.step) = (Awaits::FinalChanges, Step::LookAtChanges);
        }
        self.step.clone()
    }

    fn transition(&mut self, happened: Happened) -> Option<(Awaits, Step)> {
        let next = match (self.awaits, happened) {
            (Awaits::CommitsOfRound | Awaits::CommitsAfterComplete, Happened::Commits(Some(1..))) => {
                self.finish(SmartStatus::CommitsCreated, None)
            }
            (Awaits::CommitsOfRound, Happened::Commits(_)) => self.probe_or_end(),
            (Awaits::ProbeAnswer, Happened::Probed(reading)) => self.probed(reading),
            (Awaits::CommitsAfterComplete, Happened::Commits(Some(0))) => {
                (Awaits::ChangesAfterComplete, Step::LookAtChanges)
            }
            (Awaits::CommitsAfterComplete | Awaits::CommitsAfterRescue, Happened::Commits(None))
            | (Awaits::ChangesAfterComplete, Happened::Changes(None)) => {
                self.finish(SmartStatus::GitError, None)
            }
            (Awaits::ChangesAfterComplete, Happened::Changes(Some(false))) => {
                self.finish(SmartStatus::NothingToDo, Some(false))
            }
            (Awaits::ChangesAfterComplete, Happened::Changes(Some(true))) if self.config.may_commit => {
                (Awaits::RescueAfterComplete, Step::Rescue { is_final: false })
            }
            (Awaits::RescueAfterComplete, Happened::Rescued) => {
                (Awaits::CommitsAfterRescue, Step::CountCommits)
            }
            (Awaits::CommitsAfterRescue, Happened::Commits(Some(0))) => self.round_is_lost(),
            (Awaits::CommitsAfterRescue, Happened::Commits(Some(1..))) => {
                self.rescued = true;
                self.finish(SmartStatus::Rescued, None)
            }
            (Awaits::WaitEnd, Happened::Waited) => {
                self.waits = self.waits.saturating_add(1);
                (Awaits::CommitsOfRound, Step::CountCommits)
            }
            (Awaits::ChangesAfterComplete | Awaits::FinalChanges, Happened::Changes(Some(true)))
                if self.config.has_final_rescue =>
            {
                (Awaits::FinalRescue, Step::Rescue { is_final: true })
            }
            (Awaits::ChangesAfterComplete, Happened::Changes(Some(true))) => self.time_is_up(Some(true)),
            (Awaits::FinalChanges | Awaits::ChangesAfterFinalRescue, Happened::Changes(changes)) => {
                self.time_is_up(changes)
            }
            (Awaits::FinalRescue, Happened::Rescued) => (Awaits::CommitsAfterFinalRescue, Step::CountCommits),
            (Awaits::CommitsAfterFinalRescue, Happened::Commits(commits)) => {
                self.rescued = commits.is_some_and(|commits| commits > 0);
                (Awaits::ChangesAfterFinalRescue, Step::LookAtChanges)
            }
            (
                _,
                Happened::Commits(_)
                | Happened::Probed(_)
                | Happened::Changes(_)
                | Happened::Rescued
                | Happened::Waited,
            ) => {
                return None;
            }
        };
        Some(next)
    }

    /// Rule 1: the commits were counted, and git knows of none.
    fn probe_or_end(&mut self) -> (Awaits, Step) {
        if self.probes_used >= self.config.max_probes {
            return (Awaits::FinalChanges, Step::LookAtChanges);
        }
        self.probes_used += 1;
        (Awaits::ProbeAnswer, Step::Probe { number: self.probes_used })
    }

    fn probed(&mut self, reading: ProbeReading) -> (Awaits, Step) {
        self.has_answer |= matches!(reading, ProbeReading::Answered(_));
        match reading {
            ProbeReading::Answered(ProbeWord::Complete) => (Awaits::CommitsAfterComplete, Step::CountCommits),
            ProbeReading::Answered(ProbeWord::Waiting | ProbeWord::Working) | ProbeReading::Failed(_) => {
                self.round_is_lost()
            }
        }
    }

    /// Rule 3. After the last probe there is nothing to wait for.
    fn round_is_lost(&self) -> (Awaits, Step) {
        if self.probes_used < self.config.max_probes {
            (Awaits::WaitEnd, Step::Wait { seconds: self.config.probe_interval_seconds })
        } else {
            (Awaits::CommitsOfRound, Step::CountCommits)
        }
    }

    /// Rule 4.
    fn time_is_up(&self, changes_left: Option<bool>) -> (Awaits, Step) {
        let is_unanswered = self.probes_used > 0 && !self.has_answer;
        self.finish(if is_unanswered { SmartStatus::ProbeError } else { SmartStatus::Timeout }, changes_left)
    }

    fn finish(&self, status: SmartStatus, changes_left: Option<bool>) -> (Awaits, Step) {
        let verdict = match status {
            SmartStatus::CommitsCreated | SmartStatus::Rescued | SmartStatus::NothingToDo => {
                VerdictState::Complete
            }
            SmartStatus::Timeout | SmartStatus::ProbeError if changes_left == Some(true) => {
                VerdictState::RescueNeeded
            }
            SmartStatus::Timeout => VerdictState::Stalled,
            SmartStatus::ProbeError | SmartStatus::GitError => VerdictState::Error,
        };
        let outcome = SmartOutcome {
            status,
            complete: verdict == VerdictState::Complete,
            probes_used: self.probes_used,
            waits: self.waits,
            rescued: self.rescued,
            verdict,
            changes_left,
        };
        (Awaits::Nothing, Step::Finish(outcome))
    }
}
