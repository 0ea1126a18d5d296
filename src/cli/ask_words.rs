//! What is told of asking an agent, in words: the plan, each attempt while it runs, the checklist. Every text
//! that comes from outside is cleaned here.

use std::fmt::Write as _;

use crate::model::{
    ActionProgress, AskCost, AskPlan, ItemState, ProbeAttempt, ProbeFailure, ProbeReading, ProbeWord, Trace,
    VerifyReport, display_text,
};

/// The whole plan, as a person sees it before.
pub(super) fn plan(plan: &AskPlan) -> String {
    let mut text = String::new();
    let session = display_text::line(&plan.session.session_id);
    let _ = writeln!(text, "asks     {} (session {session})", display_text::line(&plan.session.agent));
    let command: Vec<_> = plan.command.iter().map(|part| display_text::line(part)).collect();
    let _ = writeln!(text, "runs     {}", command.join(" "));
    let trace = match plan.trace {
        Trace::Nothing => "nothing",
        Trace::Copy => "a copy of the session, which is deleted afterwards",
        Trace::InSession => "a turn in the session",
    };
    let _ = writeln!(text, "leaves   {trace}");
    let _ = writeln!(text, "prompt   {}", display_text::line(&plan.prompt_from));
    for warning in &plan.warnings {
        let _ = writeln!(text, "note     {}", display_text::line(warning));
    }
    let _ = writeln!(text, "\n{}", display_text::block(plan.prompt.trim_end()));
    text
}

/// Turns reports of progress into lines, each told once.
#[derive(Debug, Default)]
pub(super) struct Lines {
    n_ended: usize,
    last: String,
}

impl Lines {
    /// The lines that are new in `progress`.
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
        // What an attempt brought was just said.
        if words != self.last && lines.is_empty() {
            lines.push(display_text::line(&words).into_owned());
        }
        self.last = words;
        lines
    }
}

/// An attempt that ended.
fn attempt(attempt: &ProbeAttempt, most: u32) -> String {
    let reading = attempt.reading.map_or("no answer yet", reading);
    let mut text = format!("probe {}/{most}: {reading}", attempt.number);
    if let Some(took_ms) = attempt.took_ms.filter(|took_ms| *took_ms > 0) {
        let _ = write!(text, " after {}.{} s", took_ms / 1000, took_ms % 1000 / 100);
    }
    if let Some(cost) = cost(&attempt.cost) {
        let _ = write!(text, ", {cost}");
    }
    if let Some(words) = &attempt.detail {
        let _ = write!(text, ": {}", display_text::line(words));
    }
    text
}

/// How an answer was read.
fn reading(reading: ProbeReading) -> &'static str {
    match reading {
        ProbeReading::Answered(ProbeWord::Complete) => "complete",
        ProbeReading::Answered(ProbeWord::Waiting) => "waiting",
        ProbeReading::Answered(ProbeWord::Working) => "working",
        ProbeReading::Failed(ProbeFailure::Timeout) => "no answer in time",
        ProbeReading::Failed(ProbeFailure::SpawnError) => "could not be asked",
        ProbeReading::Failed(ProbeFailure::Unreadable) => "an answer without a status",
        ProbeReading::Failed(ProbeFailure::UnknownStatus) => "an answer without a clear status",
        ProbeReading::Failed(ProbeFailure::ClientError) => "the client failed",
        ProbeReading::Failed(ProbeFailure::ChangedFiles) => "files changed; the answer is not used",
    }
}

/// What asking cost; `None` where the client does not tell.
pub(super) fn cost(cost: &AskCost) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(input) = cost.input_tokens {
        let output = cost.output_tokens.unwrap_or_default();
        parts.push(format!("{input} + {output} tokens"));
    }
    if let Some(micro) = cost.micro_dollars {
        parts.push(format!("${}.{:04}", micro / 1_000_000, micro % 1_000_000 / 100));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
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
    let cost = cost(&report.cost).map(|cost| format!(", {cost}"));
    let round = report.round;
    let (confidence, cost) = (confidence.unwrap_or_default(), cost.unwrap_or_default());
    let _ = writeln!(text, "{done} (round {round}{confidence}{cost})");
    text
}
