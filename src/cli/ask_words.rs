//! Texts about asking an agent: the plan, each attempt while it runs, the checklist. All foreign text must be
//! cleaned here.

use std::fmt::Write as _;

use crate::model::{ActionProgress, AskPlan, ItemState, ProbeAttempt, VerifyReport, display_text};
use crate::present::{action, age, sets};

/// The whole plan, as a person sees it before confirming.
pub(super) fn plan(plan: &AskPlan) -> String {
    let mut text = String::new();
    let session = display_text::line(&plan.session.session_id);
    let _ = writeln!(text, "asks     {} (session {session})", display_text::line(&plan.session.agent));
    let _ = writeln!(text, "runs     {}", action::command(&plan.command));
    let _ = writeln!(text, "leaves   {}", sets::trace(plan.trace));
    let _ = writeln!(text, "prompt   {}", display_text::line(&plan.prompt_from));
    for warning in &plan.warnings {
        let _ = writeln!(text, "note     {}", display_text::line(warning));
    }
    let _ = writeln!(text, "\n{}", display_text::block(plan.prompt.trim_end()));
    text
}

/// Turns progress reports into lines, each printed once.
#[derive(Debug, Default)]
pub(super) struct Lines {
    n_ended: usize,
    last: String,
}

impl Lines {
    /// The lines that `progress` adds.
    pub(super) fn new_in(&mut self, progress: &ActionProgress, most: u32) -> Vec<String> {
        let mut lines = Vec::new();
        let ended = progress.attempts.iter().filter(|attempt| attempt.reading.is_some());
        for attempt in ended.skip(self.n_ended) {
            self.n_ended += 1;
            lines.push(self::attempt(attempt, most));
        }
        let running = progress.attempts.last().filter(|attempt| attempt.reading.is_none());
        let words = match running {
            Some(attempt) => format!("probe {}/{most}: {}", attempt.number, progress.message),
            None => progress.message.clone(),
        };
        // The result of an attempt was just added.
        if words != self.last && lines.is_empty() {
            lines.push(display_text::line(&words).into_owned());
        }
        self.last = words;
        lines
    }
}

/// An attempt that has ended.
fn attempt(attempt: &ProbeAttempt, most: u32) -> String {
    let reading = attempt.reading.map_or("no answer yet", action::reading);
    let mut text = format!("probe {}/{most}: {reading}", attempt.number);
    if let Some(took_ms) = attempt.took_ms.filter(|took_ms| *took_ms > 0) {
        let _ = write!(text, " after {}", age::span(took_ms));
    }
    if let Some(cost) = action::cost(attempt.cost) {
        let _ = write!(text, ", {cost}");
    }
    if let Some(words) = &attempt.detail {
        let _ = write!(text, ": {}", display_text::line(words));
    }
    text
}

/// A checklist with its evidence.
pub(super) fn checklist(report: &VerifyReport) -> String {
    let mut text = String::new();
    for item in &report.checklist.items {
        let mark = if item.state == ItemState::Done { "[x]" } else { "[ ]" };
        let _ = writeln!(text, "{mark} {}", display_text::line(&item.title));
        if let Some(evidence) = &item.evidence {
            let _ = writeln!(text, "      {}", display_text::line(evidence));
        }
    }
    for action in &report.pending_actions {
        let _ = writeln!(text, "to do: {}", display_text::line(action));
    }
    if let Some(summary) = &report.summary {
        let _ = writeln!(text, "{}", display_text::line(summary));
    }
    if let Some(error) = &report.error {
        let _ = writeln!(text, "the answer cannot be used: {}", display_text::line(error));
    }
    let done = if report.is_complete { "complete" } else { "not complete" };
    let confidence = report.confidence_percent.map(|percent| format!(", confidence {percent} %"));
    let cost = action::cost(report.cost).map(|cost| format!(", {cost}"));
    let round = report.round;
    let (confidence, cost) = (confidence.unwrap_or_default(), cost.unwrap_or_default());
    let _ = writeln!(text, "{done} (round {round}{confidence}{cost})");
    text
}
