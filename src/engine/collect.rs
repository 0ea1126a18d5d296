//! Carries out one collection: reads the evidence, weighs it, and answers with exactly one event, even if it
//! panics. It must not judge.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::evidence::{self, CollectContext, CollectError, InForce};
use crate::judge::weigh::{self, WeighContext, weigh_again};
use crate::model::{CollectProblem, CollectRequest, Event, Sample, Timestamp};

use super::clock;

/// What is cached for one workspace between collections. Losing it only costs time.
#[derive(Debug, Default)]
pub(super) struct Memory {
    evidence: evidence::Memory,
    weighed: weigh::Memory,
}

impl Memory {
    /// A memory for one collection, after which it is dropped.
    pub(super) fn for_once() -> Memory {
        Memory { evidence: evidence::Memory::for_once(), ..Memory::default() }
    }

    /// A memory for one collection, right after that of another workspace.
    pub(super) fn for_once_after(before: Memory) -> Memory {
        Memory { evidence: evidence::Memory::for_once_after(before.evidence), ..Memory::default() }
    }
}

/// Carries out the collection. Blocks on the disk and on git, and hangs if they do.
pub(super) fn perform(
    request: &CollectRequest,
    collect_context: &CollectContext,
    memory: &mut Memory,
) -> Result<Box<Sample>, CollectProblem> {
    guarded(|| {
        let held = evidence::in_force(request, collect_context, &mut memory.evidence);
        let request = held.as_ref().map_or(request, |held| &held.request);
        let observations = evidence::collect(request, collect_context, &mut memory.evidence)?;
        let context = WeighContext::new(request.task_kind, &request.policy, &request.settings);
        let mut sample = weigh_again(observations, &context, &mut memory.weighed);
        if let Some(InForce { request, found_baseline }) = held {
            sample.new_baseline = found_baseline.or(sample.new_baseline);
            sample.in_force = Some(Box::new(request.settings));
        }
        Ok(Box::new(sample))
    })
}

/// The outcome of `work`, even if it panics.
fn guarded(work: impl FnOnce() -> Result<Box<Sample>, CollectError>) -> Result<Box<Sample>, CollectProblem> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(sample)) => Ok(sample),
        Ok(Err(CollectError::Gone { .. })) => Err(CollectProblem::Gone),
        Ok(Err(error @ CollectError::Unopenable { .. })) => Err(CollectProblem::Broke(error.to_string())),
        Err(panic) => Err(CollectProblem::Broke(format!("a defect in closeout: {}", panic_text(&*panic)))),
    }
}

pub(super) fn answer(
    request: &CollectRequest,
    began: Timestamp,
    outcome: Result<Box<Sample>, CollectProblem>,
) -> Event {
    let at = clock::now();
    Event::Collected {
        at,
        workspace: request.workspace.clone(),
        generation: request.generation,
        took_ms: u32::try_from(at.millis_since(began).max(0)).unwrap_or(u32::MAX),
        outcome,
    }
}

pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_outcome_like_any_other() {
        let outcome = guarded(|| panic!("planted"));
        assert_eq!(outcome, Err(CollectProblem::Broke("a defect in closeout: planted".to_owned())));
    }
}
