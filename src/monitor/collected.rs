//! What a collection of a workspace returned, or why it returned nothing; and which supervised runs are
//! alive.

use std::collections::BTreeMap;

use crate::model::{
    BaselineOrigin, Claim, CollectProblem, Effect, Evidence, GitReader, Parts, Policy, RunEnd, RunView,
    Sample, Snapshot, Source, Timestamp, WorkspaceId,
};

use super::state::Monitor;
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
        if generation != self.generation {
            return Vec::new();
        }
        let parts = self.running.take().unwrap_or_default();
        if parts.contains(Parts::CHANGES) {
            self.scanned_at = Some(now);
            self.scan_ms = took_ms;
        }
        let mut effects = Vec::new();
        match outcome {
            Ok(sample) => {
                if self.problem.take().is_some() {
                    // The failure discarded what was known, so the parts that this collection left out are
                    // read too.
                    self.again |= Parts::all().difference(sample.parts);
                }
                self.absorb(generation, *sample, &mut effects);
            }
            Err(problem) => self.failed(generation, &problem, now),
        }
        effects.extend(self.judge(policy, now));
        effects
    }

    fn absorb(&mut self, generation: u64, sample: Sample, effects: &mut Vec<Effect>) {
        let prompted_before = self.snapshot.session_facts.prompted_at;
        self.snapshot = self.snapshot.with(generation, &sample);
        if sample.session_facts.is_some()
            && self.snapshot.session_facts.prompted_at != prompted_before
            && !sample.parts.contains(Parts::CHECKS)
        {
            // A new prompt makes older plans, reports and results stale: weigh them again.
            self.again |= Parts::CHECKS;
        }
        // A reading of git alone does not cancel the recheck that the words asked for.
        let still = self.recheck_at.filter(|at| sample.session_facts.is_none() && *at > sample.taken_at);
        self.recheck_at = still.into_iter().chain(sample.recheck_at).min();
        if let Some(git) = &sample.git
            && git.baseline.origin != BaselineOrigin::Workspace
        {
            self.baseline = Some(git.baseline.clone());
        }
        if sample.in_force.is_some() {
            self.in_force = sample.in_force;
        }
        if let Some(baseline) = sample.new_baseline {
            self.baseline = Some(baseline.clone());
            effects.push(Effect::RememberBaseline { workspace: self.id.clone(), baseline });
        }
        if sample.session_facts.is_some() && sample.processes != self.processes {
            self.processes = sample.processes;
            let processes = self.processes.clone();
            effects.push(Effect::WatchProcesses { workspace: self.id.clone(), processes });
        }
        if !sample.watch_targets.is_empty() && sample.watch_targets != self.targets {
            self.targets = sample.watch_targets;
            effects.push(Effect::Watch { workspace: self.id.clone(), targets: self.targets.clone() });
        }
    }

    /// Nothing could be read: what was known is no longer evidence.
    fn failed(&mut self, generation: u64, problem: &CollectProblem, now: Timestamp) {
        let words = match problem {
            CollectProblem::TimedOut => {
                if self.git_reader != Some(GitReader::Program) {
                    // The next collection uses the git program, which can be killed.
                    self.git_reader = Some(GitReader::Program);
                    self.again = Parts::all();
                }
                "not answering: reading it was given up; something in it hangs (a FIFO, a dead mount)"
                    .to_owned()
            }
            CollectProblem::Gone => "gone: the directory does not exist any more".to_owned(),
            CollectProblem::Broke(reason) => format!("reading it broke: {reason}"),
        };
        let evidence = Evidence::claim(Source::Commits, "workspace", Claim::Fail).because(words.clone());
        self.snapshot = Snapshot {
            generation,
            evidence: vec![(Parts::COMMITS, evidence)],
            taken_at: now,
            session_facts: self.snapshot.session_facts.clone(),
            ..Snapshot::default()
        };
        self.problem = Some(words);
    }
}

impl Monitor {
    /// Takes over the lists of live and ended runs. Returns `at`.
    pub(super) fn runs_found(
        &mut self,
        mut runs: BTreeMap<WorkspaceId, RunView>,
        mut ended: BTreeMap<WorkspaceId, RunEnd>,
        at: Timestamp,
        effects: &mut Vec<Effect>,
    ) {
        for (id, tracked) in &mut self.workspaces {
            let (run, run_end) = (runs.remove(id), ended.remove(id));
            if tracked.run_end != run_end {
                tracked.run_end = run_end;
                self.changed.insert(id.clone());
            }
            if tracked.run == run {
                continue;
            }
            if tracked.run.is_some() != run.is_some() {
                // A reading made while the run was working served the checks of that run.
                tracked.changed(Parts::all(), at);
            }
            tracked.run = run;
            if tracked.is_judged() {
                effects.extend(tracked.judge(&self.policy, at));
            }
            self.touched.insert(id.clone());
            self.changed.insert(id.clone());
        }
    }
}
