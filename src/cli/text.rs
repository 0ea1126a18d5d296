//! Verdicts as plain text, for a terminal or a pipe without the screen. Every text that comes from
//! outside is cleaned here.

use std::fmt::Write as _;

use crate::model::{
    Baseline, BaselineOrigin, Evidence, PartRole, Rejection, Strength, Timestamp, Verdict, WorkspaceView,
    display_text,
};

/// One line: state, name, branch, why, and what keeps closeout from looking properly.
pub(super) fn short(view: &WorkspaceView) -> String {
    let Some(verdict) = &view.verdict else { return format!("…  {}", view.name) };
    let branch = view.git.as_ref().and_then(|git| git.head.branch()).unwrap_or("-");
    let what = match &verdict.question {
        Some(question) => format!("asks: {}", display_text::line(&question.text)),
        None => verdict.why.clone(),
    };
    let note = view.problem.as_deref().map(|problem| format!("  note: {problem}")).unwrap_or_default();
    format!("{:<17}  {}  ({})  {what}{note}", verdict.state.name(), view.name, display_text::line(branch))
}

/// Everything that a check found.
pub(super) fn full(view: &WorkspaceView, now: Timestamp) -> String {
    let mut text = String::new();
    let Some(verdict) = &view.verdict else { return text };
    let _ = writeln!(text, "{}  {}", verdict.state.name(), view.name);
    let _ = writeln!(text, "  why   {}", verdict.why);
    let _ = writeln!(text, "  next  {}", verdict.next_action.text);
    if let Some(problem) = &view.problem {
        let _ = writeln!(text, "  note  {problem}");
    }
    question(&mut text, verdict);
    let _ = writeln!(text, "  evidence");
    for part in &verdict.parts {
        evidence(&mut text, &part.evidence, part.role, now);
    }
    if let Some(git) = &view.git {
        let _ = writeln!(text, "  {}", baseline(&git.baseline));
    }
    text
}

fn question(text: &mut String, verdict: &Verdict) {
    let Some(question) = &verdict.question else { return };
    for line in display_text::block(&question.text).lines() {
        let _ = writeln!(text, "  asks  {line}");
    }
    for choice in &question.choices {
        let label = display_text::line(&choice.label);
        let _ = writeln!(text, "        {label}) {}", display_text::line(&choice.text));
    }
}

fn evidence(text: &mut String, evidence: &Evidence, role: PartRole, now: Timestamp) {
    let mut marks = vec![role_words(evidence, role).to_owned()];
    if evidence.is_vacuous {
        marks.push("vacuous".to_owned());
    }
    match evidence.strength {
        Strength::Verified => {}
        Strength::SelfReported => marks.push("self-reported".to_owned()),
        Strength::Guess => marks.push("a guess".to_owned()),
    }
    if let Some(said_at) = evidence.said_at {
        marks.push(age(now, said_at));
    }
    let name = display_text::line(&evidence.name);
    let _ = writeln!(
        text,
        "    {:<7}  {} {name}  [{}]",
        evidence.claim.name(),
        evidence.source.title(),
        marks.join(", ")
    );
    for reason in &evidence.reasons {
        let _ = writeln!(text, "             {}", display_text::line(reason));
    }
}

fn role_words(evidence: &Evidence, role: PartRole) -> &'static str {
    match role {
        PartRole::Decided => "decided",
        PartRole::Agrees => "agrees",
        PartRole::Overruled => "overruled",
        PartRole::NotConfigured => "not configured",
        PartRole::NotThere => "not there",
        PartRole::Noted => "noted",
        PartRole::Rejected => match evidence.rejection {
            Some(Rejection::Stale) => "stale",
            Some(Rejection::Foreign) => "of another check",
            Some(Rejection::Unreadable) => "unreadable",
            Some(Rejection::Absent) => "not there",
            Some(Rejection::Vacuous) | None => "nothing to check",
            Some(Rejection::Undecided | Rejection::NotConfigured) => "undecided",
        },
    }
}

fn baseline(baseline: &Baseline) -> String {
    let commit =
        baseline.commit.as_deref().map_or("the empty history", |commit| commit.get(..10).unwrap_or(commit));
    let origin = match &baseline.origin {
        BaselineOrigin::Flag => "given by flag".to_owned(),
        BaselineOrigin::Configuration => "given by configuration".to_owned(),
        BaselineOrigin::FirstSeen => "HEAD when first seen".to_owned(),
        BaselineOrigin::BranchPoint(branch) => {
            format!("where this branch left {}", display_text::line(branch))
        }
    };
    format!("baseline {commit}, {origin}")
}

fn age(now: Timestamp, at: Timestamp) -> String {
    let minutes = now.millis_since(at) / 60_000;
    match minutes {
        ..1 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}
