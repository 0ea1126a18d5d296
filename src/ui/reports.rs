//! What agents answered when they were asked, as lines: attempts of a smart check, the closer's checklist.
//!
//! How many lines there are does not depend on the time.

use ratatui::text::Line;

use super::act_words;
use super::look::{Sign, Tone};
use super::sheet::Sheet;
use super::{age, detail, text};
use crate::model::{ProbeAttempt, ProbeReading, ProbeWord, SmartReport, Timestamp, VerifyReport, quantity};

/// Behind an attempt's number.
const INDENT: usize = 4;

/// What a smart check found.
pub(super) fn smart(report: &SmartReport, sheet: Sheet) -> Vec<Line<'static>> {
    let (sign, tone) =
        if report.outcome.complete { (Sign::Done, Tone::Good) } else { (Sign::Open, Tone::Open) };
    let mut lines = sheet.signed(sign, tone, act_words::smart(report), Tone::Strong);
    if report.outcome.changes_left == Some(true) {
        lines.extend(sheet.signed(Sign::Warning, Tone::Bad, "Uncommitted changes are left.", Tone::Open));
    }
    for note in &report.notes {
        lines.extend(sheet.signed(Sign::Warning, Tone::Open, &text::line(note), Tone::Plain));
    }
    if let Some(record) = &report.record {
        lines.extend(sheet.labelled("record", &text::line(record)));
    }
    lines.extend(attempts(&report.attempts, sheet));
    lines
}

/// The attempts of a smart check: when, how long, how it was read, what was answered.
pub(super) fn attempts(attempts: &[ProbeAttempt], sheet: Sheet) -> Vec<Line<'static>> {
    attempts.iter().flat_map(|attempt| one_attempt(attempt, sheet)).collect()
}

fn one_attempt(attempt: &ProbeAttempt, sheet: Sheet) -> Vec<Line<'static>> {
    let (read, tone) = match attempt.reading {
        None => ("asked, no answer yet", Tone::Busy),
        Some(reading) => (act_words::reading(reading), reading_tone(reading)),
    };
    let took = attempt.took_ms.map_or_else(
        || format!("for {}", seconds(sheet.now, attempt.began_at)),
        |took| format!("in {}", act_words::span(took)),
    );
    let when = age::ago(sheet.now, attempt.began_at);
    let dot = sheet.look.dot();
    let cost = act_words::cost(attempt.cost).map(|cost| format!("{dot}{cost}")).unwrap_or_default();
    let mut lines = vec![sheet.one(Line::from(vec![
        sheet.span(format!("{:>2}  ", attempt.number), Tone::Faint),
        sheet.span(read, tone),
        sheet.span(format!("  {took}{dot}{when}{cost}"), Tone::Faint),
    ]))];
    for said in attempt.answer.iter().chain(&attempt.words) {
        lines.extend(sheet.text(&text::line(said), Tone::Plain, INDENT));
    }
    lines
}

fn reading_tone(reading: ProbeReading) -> Tone {
    match reading {
        ProbeReading::Answered(ProbeWord::Complete) => Tone::Good,
        ProbeReading::Answered(ProbeWord::Waiting | ProbeWord::Working) => Tone::Busy,
        ProbeReading::Failed(_) => Tone::Bad,
    }
}

/// Whole seconds from a moment until now.
pub(super) fn seconds(now: Timestamp, since: Timestamp) -> String {
    format!("{} s", now.millis_since(since).max(0) / 1_000)
}

/// What the closer found, without what it left open.
pub(super) fn verified(report: &VerifyReport, sheet: Sheet) -> Vec<Line<'static>> {
    let (sign, tone, words) = if report.is_complete {
        (Sign::Done, Tone::Good, "The closer says that all is done.")
    } else if report.error.is_some() {
        (Sign::Error, Tone::Bad, "The closer's answer could not be used.")
    } else {
        (Sign::Open, Tone::Open, "The closer says that something is left to do.")
    };
    let mut lines = sheet.signed(sign, tone, words, Tone::Strong);
    if let Some(error) = &report.error {
        lines.extend(sheet.text(&text::line(error), Tone::Plain, 2));
    }
    for note in &report.notes {
        lines.extend(sheet.signed(Sign::Warning, Tone::Open, &text::line(note), Tone::Plain));
    }
    let facts = [
        report.confidence_percent.map(|percent| format!("confidence {percent} %")),
        (report.round > 1).then(|| format!("round {}", report.round)),
        (report.n_attempts > 1).then(|| format!("asked {} times", report.n_attempts)),
        act_words::cost(report.cost),
        Some(age::ago(sheet.now, report.at)),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let facts = sheet.span(format!("  {}", facts.join(sheet.look.dot())), Tone::Faint);
    lines.push(sheet.one(Line::from(facts)));
    if let Some(summary) = &report.summary {
        lines.extend(sheet.text(&text::line(summary), Tone::Plain, 2));
    }
    if !report.checklist.items.is_empty() {
        lines.extend(detail::checklist_of(&report.checklist, sheet));
    }
    lines
}

/// How many points the closer left open, in words; `None` when there is none.
pub(super) fn open_points(report: &VerifyReport) -> Option<String> {
    let n = report.pending_actions.len();
    (n > 0).then(|| quantity::counted(n, "point is left to do", "points are left to do"))
}
