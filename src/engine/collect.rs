//! Carries out one collection: reads the evidence, weighs it, and answers with exactly one event, even if it
//! panics. It must not judge.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::evidence::{self, CollectContext, CollectError, InForce};
use crate::judge::runs::Catalog;
use crate::judge::weigh::{self, WeighContext, weigh_again};
use crate::model::{CollectProblem, CollectRequest, Event, NamedBaseline, Parts, Sample, Timestamp};

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
    catalog: &Catalog,
    memory: &mut Memory,
) -> Result<Box<Sample>, CollectProblem> {
    guarded(|| {
        let mut sample = read_and_weigh(request, collect_context, catalog, memory)?;
        let again = for_its_task(request, &sample);
        if let Some(again) = &again {
            sample = read_and_weigh(again, collect_context, catalog, memory)?;
        }
        sample.named = named(again.as_ref().unwrap_or(request), &sample);
        Ok(Box::new(sample))
    })
}

fn read_and_weigh(
    request: &CollectRequest,
    collect_context: &CollectContext,
    catalog: &Catalog,
    memory: &mut Memory,
) -> Result<Sample, CollectError> {
    let in_force = evidence::in_force(request, collect_context, &mut memory.evidence);
    let request = in_force.as_ref().map_or(request, |in_force| &in_force.request);
    let observations = evidence::collect(request, collect_context, &mut memory.evidence)?;
    let context = WeighContext::new(request.task_kind, &request.policy, &request.settings);
    let context = context.with_catalog(catalog);
    let mut sample = weigh_again(observations, &context, &mut memory.weighed);
    if let Some(InForce { request, found_baseline }) = in_force {
        sample.new_baseline = found_baseline.or(sample.new_baseline);
        sample.in_force = Some(Box::new(request.settings));
    }
    Ok(sample)
}

/// The name that was given as the baseline, if it can move.
fn given_name<'a>(request: &'a CollectRequest, sample: &'a Sample) -> Option<&'a str> {
    let settings = sample.in_force.as_deref().unwrap_or(&request.settings);
    settings.baseline.as_ref().filter(|given| given.can_move()).map(|given| &*given.rev)
}

/// What is known of the given name, if it is this one.
fn known<'a>(request: &'a CollectRequest, rev: &str) -> Option<&'a NamedBaseline> {
    request.named.as_ref().filter(|named| named.rev == rev)
}

/// The same request for the task that the sessions have told of, if the given baseline was read for another: a name is
/// resolved once a task.
fn for_its_task(request: &CollectRequest, sample: &Sample) -> Option<CollectRequest> {
    let rev = given_name(request, sample)?;
    let facts = sample.session_facts.as_ref()?;
    if sample.parts.contains(Parts::COMMITS) && sample.git.is_none() {
        return None;
    }
    let read_for = known(request, rev).map(|named| named.task_at).or(request.task_at);
    let task_at = facts.task_begin.map(|begin| begin.after(read_for));
    (task_at != read_for).then(|| CollectRequest {
        parts: request.parts | Parts::COMMITS,
        named: None,
        task_at,
        ..request.clone()
    })
}

/// What the given name means for the task it was read for.
fn named(request: &CollectRequest, sample: &Sample) -> Option<NamedBaseline> {
    let rev = given_name(request, sample)?;
    known(request, rev).cloned().or_else(|| {
        let (task_at, git) = (request.task_at?, sample.git.as_ref()?);
        Some(NamedBaseline { rev: rev.to_owned(), task_at, baseline: git.baseline.clone() })
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
