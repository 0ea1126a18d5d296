//! Layers on top of each other: for each key the highest one counts. Pure.

use crate::model::{
    GateSettings, HoursOfDay, NoticeRoute, NoticeSettings, OfferPolicy, Policy, Proof, WatchSettings,
};

use super::ConfigError;
use super::completion_check::CompletionCheck;
use super::key::Key;
use super::kind::Value;
use super::layer::Values;

const HOUR_MS: u64 = 3_600_000;
const MINUTE_MS: u64 = 60_000;
const SECOND_MS: u64 = 1_000;

/// Layers, lowest first.
pub(super) struct Stack<'a>(pub(super) Vec<&'a Values>);

impl<'a> Stack<'a> {
    pub(super) fn get(&self, key: Key) -> Option<&'a Value> {
        self.0.iter().rev().find_map(|layer| layer.get(&key))
    }

    /// Whether any layer has the key.
    pub(super) fn says(&self, key: Key) -> bool {
        self.get(key).is_some()
    }

    /// These layers on top of two others.
    pub(super) fn over(&self, lowest: &'a Values, low: &'a Values) -> Stack<'a> {
        Stack([lowest, low].into_iter().chain(self.0.iter().copied()).collect())
    }

    pub(super) fn text(&self, key: Key) -> Option<&'a str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Number(_) | Value::Switch(_) => None,
        }
    }

    /// A path; the empty string means none.
    pub(super) fn path(&self, key: Key) -> Option<String> {
        self.text(key).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    pub(super) fn list(&self, key: Key) -> Vec<String> {
        match self.get(key) {
            Some(Value::List(entries)) => entries.clone(),
            Some(Value::Text(_) | Value::Number(_) | Value::Switch(_)) | None => Vec::new(),
        }
    }

    pub(super) fn word<T>(&self, key: Key, read: impl Fn(&str) -> Option<T>) -> Result<T, ConfigError> {
        self.text(key).and_then(read).ok_or_else(|| no_default(key))
    }

    /// A number, as a type that holds the key's range.
    pub(super) fn number<T: TryFrom<i64>>(&self, key: Key) -> Result<T, ConfigError> {
        match self.get(key) {
            Some(Value::Number(number)) => T::try_from(*number).map_err(|_| no_default(key)),
            Some(Value::Text(_) | Value::List(_) | Value::Switch(_)) | None => Err(no_default(key)),
        }
    }

    pub(super) fn switch(&self, key: Key) -> Result<bool, ConfigError> {
        match self.get(key) {
            Some(Value::Switch(is_on)) => Ok(*is_on),
            Some(Value::Text(_) | Value::List(_) | Value::Number(_)) | None => Err(no_default(key)),
        }
    }

    pub(super) fn policy(&self) -> Result<Policy, ConfigError> {
        Ok(Policy {
            offers: self.word(Key::Offers, |word| match word {
                "ask" => Some(OfferPolicy::Ask),
                "done" => Some(OfferPolicy::Done),
                _ => None,
            })?,
            stall_stage: self.number(Key::StallStage)?,
            unreadable_limit: self.number(Key::UnreadableLimit)?,
            silent_turn_ms: i64::from(self.number::<u16>(Key::SilentTurnMinutes)?) * MINUTE_MS.cast_signed(),
        })
    }

    pub(super) fn watch(&self) -> Result<WatchSettings, ConfigError> {
        Ok(WatchSettings {
            reconcile_ms: u64::from(self.number::<u16>(Key::ReconcileMinutes)?) * MINUTE_MS,
            poll_ms: u64::from(self.number::<u16>(Key::PollSeconds)?) * SECOND_MS,
            collect_limit_ms: u64::from(self.number::<u16>(Key::CollectLimitSeconds)?) * SECOND_MS,
            fold_after_ms: u64::from(self.number::<u16>(Key::FoldAfterHours)?) * HOUR_MS,
        })
    }

    pub(super) fn gate(&self) -> Result<GateSettings, ConfigError> {
        let deadline = i64::from(self.number::<u16>(Key::GateDeadlineMinutes)?);
        Ok(GateSettings {
            is_on: self.switch(Key::GateEnabled)?,
            most_blocks: self.number(Key::GateMaxBlocks)?,
            deadline_ms: (deadline > 0).then_some(deadline * MINUTE_MS.cast_signed()),
            time_limit_ms: u64::from(self.number::<u16>(Key::GateTimeLimitSeconds)?) * SECOND_MS,
            final_tools: self.list(Key::GateFinalTools),
            required: self.word(Key::Require, Proof::from_name)?,
        })
    }

    pub(super) fn notices(&self) -> NoticeSettings {
        let ways = self.list(Key::NotifyWays);
        NoticeSettings {
            ways: ways.iter().filter_map(|way| NoticeRoute::from_name(way)).collect(),
            about: self.list(Key::NotifyAbout),
            command: self.list(Key::NotifyCommand),
            quiet_hours: self.text(Key::NotifyQuietHours).and_then(HoursOfDay::parse),
            shows_question: self.switch(Key::NotifyQuestion).unwrap_or(false),
        }
    }

    pub(super) fn completion_check(&self) -> Result<CompletionCheck, ConfigError> {
        Ok(CompletionCheck {
            max_probes: self.number(Key::MaxProbes)?,
            probe_interval_ms: u64::from(self.number::<u16>(Key::ProbeIntervalSeconds)?) * SECOND_MS,
            probe_timeout_ms: u64::from(self.number::<u16>(Key::ProbeTimeoutSeconds)?) * SECOND_MS,
            is_final_rescue_wanted: self.switch(Key::FinalRescueAttempt)?,
        })
    }
}

fn no_default(key: Key) -> ConfigError {
    ConfigError::NoDefault { key: key.full_name() }
}
