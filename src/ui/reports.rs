//! Agents' answers to questions, as lines: attempts of a smart check, the closer's checklist.
//!
//! The number of lines does not depend on the time.

use ratatui::text::Line;

use super::look::{Sign, TextStyle};
use super::sheet::TextLayout;
use super::text;
use crate::model::{ProbeAttempt, ProbeReading, ProbeWord, SmartReport, VerifyReport};
use crate::present::{Urgency, action, age};

/// Indent of the lines below an attempt's number.
const INDENT: usize = 4;

pub(super) fn smart(report: &SmartReport, sheet: TextLayout) -> Vec<Line<'static>> {
    let (sign, style) =
        if report.outcome.complete { (Sign::Done, TextStyle::Good) } else { (Sign::Open, TextStyle::Open) };
    let mut lines = sheet.signed(sign, style, action::smart(report), TextStyle::Strong);
    if report.outcome.changes_left == Some(true) {
        lines.extend(sheet.signed(
            Sign::Warning,
            TextStyle::Bad,
            "There are uncommitted changes.",
            TextStyle::Open,
        ));
    }
    for note in &report.notes {
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Open, &text::line(note), TextStyle::Plain));
    }
    if let Some(record) = &report.record {
        lines.extend(sheet.labelled("record", &text::line(record)));
    }
    lines.extend(attempts(&report.attempts, sheet));
    lines
}

/// The attempts of a smart check: when, how long, how the answer was read, what was answered.
pub(super) fn attempts(attempts: &[ProbeAttempt], sheet: TextLayout) -> Vec<Line<'static>> {
    attempts.iter().flat_map(|attempt| one_attempt(attempt, sheet)).collect()
}

fn one_attempt(attempt: &ProbeAttempt, sheet: TextLayout) -> Vec<Line<'static>> {
    let (read, style) = match attempt.reading {
        None => ("asked, no answer yet", TextStyle::Busy),
        Some(reading) => (action::reading(reading), reading_tone(reading)),
    };
    let took = attempt.took_ms.map_or_else(
        || format!("for {}", age::seconds(sheet.now, attempt.began_at)),
        |took| format!("in {}", age::span(took)),
    );
    let when = age::ago(sheet.now, attempt.began_at);
    let dot = sheet.look.dot();
    let cost = action::cost(attempt.cost).map(|cost| format!("{dot}{cost}")).unwrap_or_default();
    let mut lines = vec![sheet.one(Line::from(vec![
        sheet.span(format!("{:>2}  ", attempt.number), TextStyle::Faint),
        sheet.span(read, style),
        sheet.span(format!("  {took}{dot}{when}{cost}"), TextStyle::Faint),
    ]))];
    for said in attempt.answer.iter().chain(&attempt.detail) {
        lines.extend(sheet.text(&text::line(said), TextStyle::Plain, INDENT));
    }
    lines
}

fn reading_tone(reading: ProbeReading) -> TextStyle {
    match reading {
        ProbeReading::Answered(ProbeWord::Complete) => TextStyle::Good,
        ProbeReading::Answered(ProbeWord::Waiting | ProbeWord::Working) => TextStyle::Busy,
        ProbeReading::Failed(_) => TextStyle::Bad,
    }
}

/// What the closer found, without the points it left open.
pub(super) fn verified(report: &VerifyReport, sheet: TextLayout) -> Vec<Line<'static>> {
    let (sign, style) = if report.is_complete {
        (Sign::Done, TextStyle::Good)
    } else if report.error.is_some() {
        (Sign::Urgency(Urgency::Error), TextStyle::Bad)
    } else {
        (Sign::Open, TextStyle::Open)
    };
    let mut lines = sheet.signed(sign, style, action::verified(report), TextStyle::Strong);
    if let Some(error) = &report.error {
        lines.extend(sheet.text(&text::line(error), TextStyle::Plain, 2));
    }
    for note in &report.notes {
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Open, &text::line(note), TextStyle::Plain));
    }
    let facts = [
        report.confidence_percent.map(|percent| format!("confidence {percent} %")),
        (report.round > 1).then(|| format!("round {}", report.round)),
        (report.n_attempts > 1).then(|| format!("asked {} times", report.n_attempts)),
        action::cost(report.cost),
        Some(age::ago(sheet.now, report.at)),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let facts = sheet.span(format!("  {}", facts.join(sheet.look.dot())), TextStyle::Faint);
    lines.push(sheet.one(Line::from(facts)));
    if let Some(summary) = &report.summary {
        lines.extend(sheet.text(&text::line(summary), TextStyle::Plain, 2));
    }
    if !report.checklist.items.is_empty() {
        lines.extend(super::detail::checklist::one(&report.checklist, sheet));
    }
    lines
}
