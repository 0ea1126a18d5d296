//! What a command receives: its environment and the prompt. It must not run it.

use std::ffi::OsString;

use crate::action::decision;
use crate::judge::supervised_loop::{NextPrompt, next_prompt};
use crate::model::{CommandEnd, RunIteration, VerdictState};
use crate::present::runs;
use crate::process;

use super::driver::Driver;

impl Driver<'_> {
    /// The variables of the command: the person's whole environment for a command of their own; for an agent,
    /// only what is meant for it.
    pub(super) fn variables(&self, number: u32, check_id: &str) -> Vec<(OsString, OsString)> {
        let adapters = self.environment.adapters();
        let agent = self.run.order.agent.as_deref();
        let adapter = adapters.iter().find(|adapter| Some(adapter.name()) == agent);
        let mut all = match adapter {
            Some(adapter) => process::environment(&self.config.variables, &adapter.facts().variables),
            None => self.environment.all(),
        };
        let file = self.decision_file();
        let mut own = decision::variables(self.workspace.path(), file.as_deref(), Some(check_id));
        own.push(("CLOSEOUT_PROMPT_FILE".into(), self.folder.place("prompt").into_os_string()));
        own.push(("CLOSEOUT_ITERATION".into(), number.to_string().into()));
        all.retain(|(name, _)| own.iter().all(|(own, _)| own != name));
        all.extend(own);
        all
    }

    pub(super) fn prompt(&self, number: u32, stage: u8, check_id: &str) -> String {
        let file = self.decision_file();
        let decision = file.map(|file| decision::label(self.workspace.path(), &file, Some(check_id)));
        let last = self.run.iterations.iter().rev().find(|iteration| iteration.verdict.is_some());
        let is_cut = self
            .run
            .iterations
            .last()
            .is_some_and(|last| matches!(last.end, Some(CommandEnd::Unknown | CommandEnd::Ended)));
        let mut summary = last.map(summary).unwrap_or_default();
        if is_cut {
            summary.push_str(" Then the command was cut off; look at what is there before you go on.");
        }
        let question = self.run.question.as_deref();
        next_prompt(&NextPrompt {
            first: &self.run.order.prompt,
            number,
            max_iterations: self.run.order.max_iterations,
            stage,
            open_points: last.map(|last| last.open_points.as_slice()).unwrap_or_default(),
            summary: summary.trim(),
            answered: question.zip(self.run.answer.as_deref()),
            decision: decision.as_deref(),
        })
    }
}

/// What an iteration achieved, for the next prompt.
fn summary(iteration: &RunIteration) -> String {
    let end = iteration.end.map_or_else(|| "ended".to_owned(), runs::command_end);
    let state = iteration.verdict.map_or("not judged", VerdictState::name);
    format!(
        "The last iteration {end}; the run has {} new commits. The check says {state}: {}.",
        iteration.new_commits,
        iteration.why.trim_end_matches('.')
    )
}
