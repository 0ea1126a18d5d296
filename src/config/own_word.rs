//! Sorts what a workspace's own file says by the rule of each key ([`Reach`]). An agent can write that
//! file, so it may offer, add and propose, but never take back what the user says. Pure.

use crate::model::{ChosenKey, OwnSettings, Proof, TaskKind, WorkspaceSettings};

use super::key::{Key, Reach, spec_of};
use super::kind::Value;
use super::layer::Values;
use super::stack::Stack;

/// A value in the workspace's own files that does not replace the one that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnValue {
    /// It is added: more entries, a switch turned on, a higher proof.
    Added(Value),
    /// It counts only if the baseline's commit holds the same file.
    IfInBaseline(Value),
    /// The user says otherwise.
    Overruled(Value),
}

/// What a workspace's own file says, sorted by its effect.
#[derive(Debug, Default)]
pub(super) struct OwnWord {
    /// Applies, because the user says nothing.
    pub(super) offered: Values,
    /// Is added to what applies.
    added: Values,
    /// Waits until the file has been compared with the baseline.
    waiting: Values,
}

impl OwnWord {
    /// Sorts the `values` of the file, given what the user says.
    pub(super) fn of(values: &Values, person: &Stack<'_>) -> OwnWord {
        let mut word = OwnWord::default();
        for (key, value) in values {
            let Some(spec) = spec_of(*key) else { continue };
            let place = match spec.reach {
                Reach::Person | Reach::PersonForSome => continue,
                Reach::Adds => &mut word.added,
                Reach::Offers | Reach::Settled if person.says(*key) => continue,
                Reach::Offers => &mut word.offered,
                Reach::Settled => &mut word.waiting,
            };
            place.insert(*key, value.clone());
        }
        word
    }

    /// What becomes of `value`, which the file has for `key`.
    pub(super) fn place(&self, key: Key, value: Value) -> OwnValue {
        if self.added.contains_key(&key) {
            OwnValue::Added(value)
        } else if self.waiting.contains_key(&key) {
            OwnValue::IfInBaseline(value)
        } else {
            OwnValue::Overruled(value)
        }
    }

    /// Whether the file turns this switch on.
    pub(super) fn turns_on(&self, key: Key) -> bool {
        self.added.get(&key) == Some(&Value::Switch(true))
    }

    /// Applies the additions to `settings`, and leaves there what waits. `text` is the whole file.
    pub(super) fn complete(&self, settings: &mut WorkspaceSettings, stack: &Stack<'_>, text: String) {
        // A value that changes nothing, or that demands the strictest task kind, softens nothing.
        let mut waiting = self.waiting.clone();
        waiting.retain(|key, value| stack.get(*key) != Some(value));
        let mut chosen: Vec<Key> = waiting.keys().copied().collect();
        let hardest = Value::Text(TaskKind::Implementation.name().to_owned());
        if waiting.get(&Key::TaskKind) == Some(&hardest) {
            chosen.retain(|key| *key != Key::TaskKind);
        }
        // The workspace can raise the bar but not lower it.
        if let Some(Value::Text(word)) = self.added.get(&Key::Require) {
            settings.required = settings.required.max(Proof::from_name(word).unwrap_or_default());
        }
        let lists = [
            (Key::Plans, &mut settings.plans),
            (Key::RequiredFiles, &mut settings.required_files),
            (Key::TestResults, &mut settings.test_results),
        ];
        for (key, list) in lists {
            let Some(Value::List(names)) = self.added.get(&key) else { continue };
            let new: Vec<String> = names.iter().filter(|name| !list.contains(*name)).cloned().collect();
            if !new.is_empty() {
                chosen.push(key);
                list.extend(new.iter().cloned());
                settings.doubted.extend(new);
            }
        }
        chosen.sort();
        settings.chosen =
            chosen.into_iter().map(|key| ChosenKey { key: key.full_name(), counts: false }).collect();
        if waiting.is_empty() && settings.doubted.is_empty() {
            return;
        }
        let waiting = Stack(vec![&waiting]);
        let text_of = |key| waiting.text(key).map(str::to_owned);
        settings.own = Some(Box::new(OwnSettings {
            text,
            task_kind: waiting.text(Key::TaskKind).and_then(TaskKind::from_name),
            baseline: text_of(Key::BaselineRev),
            decision_file: text_of(Key::DecisionFile),
            outputs: waiting.says(Key::Outputs).then(|| waiting.list(Key::Outputs)),
            closer_report: text_of(Key::CloserReport),
        }));
    }
}
