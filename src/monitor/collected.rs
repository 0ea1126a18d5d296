//! What a collection of a workspace returned, or why it returned nothing.

use std::sync::Arc;

use crate::model::{
    BaselineOrigin, Claim, CollectProblem, Effect, Evidence, GitReader, Origin, Parts, Policy, Reason,
    Sample, Snapshot, Source, Timestamp,
};

use super::tracked::Tracked;

impl Tracked {
    /// A collection has answered.
    pub(super) fn collected(
        &mut self,
        generation: u64,
        took_ms: u32,
        outcome: Result<Box<Sample>, CollectProblem>,
        policy: &Policy,
        now: Timestamp,
    ) -> Vec<Effect> {
        if !self.collecting.ended(generation, took_ms, now) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        let mut has_new_decision = false;
        match outcome {
            Ok(sample) => {
                if self.problems.reading.take().is_some() {
                    // The failure discarded what was known, so the parts that this collection left out are
                    // read too.
                    self.collecting.add(Parts::all().difference(sample.parts));
                }
                has_new_decision =
                    sample.session_facts.as_ref().is_some_and(|facts| self.actions.note_decision(facts));
                if has_new_decision {
                    self.collecting.decided();
                }
                self.absorb(generation, *sample, &mut effects);
            }
            Err(problem) => self.failed(generation, problem, now),
        }
        let judged = self.judge(policy, now);
        // What is kept holds the decision, too.
        let is_kept = judged.iter().any(|effect| matches!(effect, Effect::KeepReports { .. }));
        effects.extend(judged);
        effects.extend((has_new_decision && !is_kept).then(|| self.keep_reports()));
        effects
    }

    fn absorb(&mut self, generation: u64, sample: Sample, effects: &mut Vec<Effect>) {
        let before = std::mem::take(&mut self.snapshot);
        self.snapshot = before.with(generation, &sample);
        if sample.parts.contains(Parts::CHANGES) {
            let is_first = before.generation == 0;
            self.collecting.tree_read(is_first || self.snapshot.has_other_tree(&before));
        }
        self.follow_sessions(&before);
        if sample.session_facts.is_some()
            && self.snapshot.session_facts.prompted_at != before.session_facts.prompted_at
            && !sample.parts.contains(Parts::CHECKS)
        {
            // A new prompt makes older plans, reports and results stale: weigh them again.
            self.collecting.add(Parts::CHECKS);
        }
        // A reading of git alone does not cancel the recheck that the words asked for.
        let still =
            self.watched.recheck_at.filter(|at| sample.session_facts.is_none() && *at > sample.taken_at);
        let wait_ends_at = self.actions.wait_ends_at().filter(|at| *at > sample.taken_at);
        self.watched.recheck_at = still.into_iter().chain(sample.recheck_at).chain(wait_ends_at).min();
        if let Some(git) = &sample.git
            && git.baseline.origin != BaselineOrigin::Workspace
        {
            self.baseline = Some(git.baseline.clone());
        }
        if sample.in_force.is_some() {
            self.in_force = sample.in_force;
        }
        if let Some(named) = self.take_named(sample.named) {
            effects.push(Effect::RememberNamed { workspace: self.id.clone(), named });
        }
        if let Some(baseline) = sample.new_baseline {
            self.baseline = Some(baseline.clone());
            effects.push(Effect::RememberBaseline { workspace: self.id.clone(), baseline });
        }
        if sample.session_facts.is_some() && sample.processes != self.watched.processes {
            self.watched.processes = sample.processes;
            let processes = self.watched.processes.clone();
            effects.push(Effect::WatchProcesses { workspace: self.id.clone(), processes });
        }
        if !sample.watch_targets.is_empty() && sample.watch_targets != self.watched.targets {
            self.watched.targets = sample.watch_targets;
            self.watched.targets.shrink_to_fit();
            effects.push(Effect::Watch { workspace: self.id.clone(), targets: self.watched.targets.clone() });
        }
    }

    /// What the sessions did since `before` may have changed the work tree.
    fn follow_sessions(&mut self, before: &Snapshot) {
        let (now, before) = (&self.snapshot.session_facts, &before.session_facts);
        let (sessions, known) = (now.sessions.iter(), before.sessions.iter());
        if sessions.clone().map(|it| &it.activity).ne(known.clone().map(|it| &it.activity)) {
            self.collecting.stirred();
        }
        let is_turned = now.round_mark != before.round_mark
            || sessions.clone().map(|it| it.activity.state).ne(known.clone().map(|it| it.activity.state))
            || sessions.filter_map(|it| it.ended_at).max() != known.filter_map(|it| it.ended_at).max();
        if is_turned {
            self.collecting.turned();
        }
    }

    /// Nothing could be read: what was known is no longer evidence.
    fn failed(&mut self, generation: u64, problem: CollectProblem, now: Timestamp) {
        if problem == CollectProblem::TimedOut && self.git_reader != Some(GitReader::Program) {
            // The next collection uses the git program, which can be killed.
            self.git_reader = Some(GitReader::Program);
            self.collecting.add(Parts::all());
        }
        let reason = Reason::CannotRead(problem.clone());
        let found = Origin::Git.as_read();
        let evidence = Evidence::claim(Source::Commits, "workspace", Claim::Fail, found).because(reason);
        self.snapshot = Snapshot {
            generation,
            evidence: vec![(Parts::COMMITS, Arc::new(evidence))],
            taken_at: now,
            session_facts: self.snapshot.session_facts.clone(),
            ..Snapshot::default()
        };
        self.problems.reading = Some(problem);
    }
}
