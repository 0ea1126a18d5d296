//! Verdicts as plain text, for a terminal or a pipe without the screen. Every text that comes from
//! outside is cleaned here.

use std::fmt::Write as _;

use crate::model::{
    Baseline, BaselineOrigin, Evidence, PartRole, Rejection, SessionView, Strength, Timestamp, Verdict,
    WorkspaceView, display_text,
};
use crate::ui;

/// One line: state, name, branch, why, what the sessions do, and what keeps closeout from looking
/// properly.
pub(super) fn short(view: &WorkspaceView, now: Timestamp) -> String {
    let Some(verdict) = &view.verdict else { return format!("…  {}", view.name) };
    let branch = view.git.as_ref().and_then(|git| git.head.branch()).unwrap_or("-");
    let what = match &verdict.question {
        Some(question) => format!("asks: {}", display_text::line(&question.text)),
        None => verdict.why.clone(),
    };
    let note = view.problem.as_deref().map(|problem| format!("  note: {problem}")).unwrap_or_default();
    let sessions: Vec<String> =
        view.sessions.iter().take(MAX_SHORT).map(|session| doing(session, now)).collect();
    let n_more = view.sessions.len().saturating_sub(MAX_SHORT);
    let more = if n_more == 0 { String::new() } else { format!("; and {n_more} more") };
    let sessions =
        if sessions.is_empty() { String::new() } else { format!("  [{}{more}]", sessions.join("; ")) };
    let (state, branch) = (verdict.state.name(), display_text::line(branch));
    format!("{state:<17}  {}  ({branch})  {what}{sessions}{note}", view.name)
}

/// More sessions of one workspace are counted, not named.
const MAX_SHORT: usize = 3;

/// A session with what it does, like `claude working 12m: Bash`.
fn doing(session: &SessionView, now: Timestamp) -> String {
    let todos = session.todos.as_ref().map(|todos| format!(", todos {}/{}", todos.n_done, todos.n_all));
    format!(
        "{} {}{}",
        display_text::line(&session.agent),
        display_text::line(&ui::doing(session, now)),
        todos.unwrap_or_default()
    )
}

fn sessions(text: &mut String, view: &WorkspaceView, now: Timestamp) {
    for (position, session) in view.sessions.iter().enumerate() {
        let source = ui::told_by(session.activity.source);
        let id = display_text::line(&session.session_id);
        let _ = writeln!(text, "  session  {}  [{source}, {id}]", doing(session, now));
        // The question of the first one is the question of the verdict.
        let asked = session.question.as_ref().filter(|_| position > 0);
        for line in asked.iter().flat_map(|asked| asked.text.lines()) {
            let _ = writeln!(text, "           asks  {}", display_text::line(line));
        }
    }
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
    for chosen in &view.chosen {
        let counts = if chosen.counts { "" } else { ", which does not count: it is not so in the baseline" };
        let _ = writeln!(text, "  own   {} is chosen by the workspace's .closeout.toml{counts}", chosen.key);
    }
    question(&mut text, verdict);
    sessions(&mut text, view, now);
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
        Strength::Person => marks.push("by you".to_owned()),
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
            Some(Rejection::Dismissed) => "not of this task",
            Some(Rejection::MidTurn) => "in mid-turn",
            Some(Rejection::LeftOver) => "left over",
        },
    }
}

fn baseline(baseline: &Baseline) -> String {
    let commit =
        baseline.commit.as_deref().map_or("the empty history", |commit| commit.get(..10).unwrap_or(commit));
    let origin = match &baseline.origin {
        BaselineOrigin::Flag => "given by flag".to_owned(),
        BaselineOrigin::Configuration => "given by configuration".to_owned(),
        BaselineOrigin::Workspace => "chosen by the workspace's own file".to_owned(),
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
