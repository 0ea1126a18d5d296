//! What was read from the sessions of one workspace, so that a history that grew is not
//! read again from its beginning. Must keep only what follows from the text of single
//! turns; what it means is judged anew each time.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use super::deeds::WorkMemory;
use super::texts::Texts;
use crate::judge::runs::{self, Catalog, Demands};
use crate::judge::supervised_loop::own_part;
use crate::judge::task;
use crate::model::{Observations, SessionName, SessionObservation};

/// What was read from the sessions of one workspace. Losing it costs only time.
#[derive(Debug, Default)]
pub struct Memory {
    /// Boxed, because an empty slot of the map takes as much memory as a full one.
    sessions: HashMap<SessionName, Box<SessionMemory>>,
    /// What was read from their texts.
    pub(super) texts: Texts,
    /// The prompts of the current tasks, for collections that do not read sessions.
    pub(super) prompts: Vec<String>,
    /// The top of the work tree, once git has told it.
    pub(super) top: Option<String>,
}

/// What was read from one session.
#[derive(Debug, Default)]
pub(super) struct SessionMemory {
    pub(super) tasks: task::Memory,
    pub(super) runs: runs::Memory,
    pub(super) work: WorkMemory,
    /// What its prompts demand, by the hash and the length of each.
    demands: HashMap<(u64, usize), Arc<Demands>>,
    /// What all looks hash prompts with.
    hashes: RandomState,
}

impl SessionMemory {
    /// What each of these prompts demands, in order. Forgets others.
    pub(super) fn demands<'p>(
        &mut self,
        prompts: impl Iterator<Item = &'p str>,
        catalog: &Catalog,
    ) -> Vec<Arc<Demands>> {
        let mut known = std::mem::take(&mut self.demands);
        let read = prompts.map(|prompt| {
            let key = (self.hashes.hash_one(prompt), prompt.len());
            let demands = self.demands.get(&key).cloned().or_else(|| known.remove(&key));
            let demands = demands.unwrap_or_else(|| Arc::new(Demands::of(own_part(prompt), catalog)));
            self.demands.insert(key, demands.clone());
            demands
        });
        read.collect()
    }
}

impl Memory {
    /// What was read from this session, empty if it is new.
    pub(super) fn of(&mut self, session: &SessionObservation) -> &mut SessionMemory {
        self.sessions.entry(session.session_name()).or_default()
    }

    /// Forgets sessions that are no longer here.
    pub(super) fn keep_sessions_of(&mut self, observations: &Observations) {
        self.sessions.retain(|name, _| observations.sessions().any(|session| session.is(name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_prompt_demands_is_found_out_once() {
        let mut memory = SessionMemory::default();
        let mut demands = |prompts: &[&str]| memory.demands(prompts.iter().copied(), Catalog::built_in());
        let first = demands(&["Run the tests.", "Thanks."]);
        let again = demands(&["Run the tests.", "Thanks.", "Go on."]);
        assert!(first.iter().zip(&again).all(|(first, again)| Arc::ptr_eq(first, again)));
    }
}
