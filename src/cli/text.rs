//! Verdicts as plain text, for a terminal or a pipe without the screen. All foreign text must be cleaned here.

use std::fmt::Write as _;

use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::model::{
    Head, Part, PartRole, Proof, Question, QuestionWeight, SessionView, Strength, Timestamp, Verdict,
    WorkspaceView, display_text,
};
use crate::present::phrases::row;
use crate::present::{age, baseline, left, mark, problem, reason, sessions, sets, verdict, warnings};

/// One line: state, name, branch, reason, what the sessions are doing, and what prevents closeout from
/// reading the workspace properly.
pub(super) fn short(view: &WorkspaceView, now: Timestamp) -> String {
    let Some(verdict) = &view.verdict else { return format!("…  {}", view.name) };
    let branch = match view.git.as_ref().map(|git| &git.head) {
        Some(Head::Detached { .. }) => row::detached(),
        head => head.and_then(Head::branch).unwrap_or("-"),
    };
    let what = match &verdict.question {
        // A person who says that the work is done has seen the question.
        Some(question) if verdict.proof != Some(Proof::ByYou) => {
            format!("{}: {}", verb(question), display_text::line(&question.text))
        }
        _ => verdict::why(verdict),
    };
    let notes = [problem::label(&view.reading.problems), mark::lapsed(&view.marks)];
    let note: String = notes.into_iter().flatten().flat_map(|note| ["  note: ".to_owned(), note]).collect();
    let mut sessions: Vec<String> =
        sessions::listed(view).take(MAX_SHORT).map(|(_, session)| of_agent(session, now)).collect();
    let n_more = sessions::listed(view).count().saturating_sub(MAX_SHORT);
    sessions.extend((n_more > 0).then(|| format!("and {n_more} more")));
    sessions.extend(sessions::left_over(view));
    let sessions = if sessions.is_empty() { String::new() } else { format!("  [{}]", sessions.join("; ")) };
    let (state, branch) = (verdict.state.name(), display_text::line(branch));
    format!("{state:<17}  {}  ({branch})  {what}{sessions}{note}", view.name)
}

/// How many sessions of a workspace are named; the rest are counted.
const MAX_SHORT: usize = 3;

/// A session and what it is doing, like `claude working 12m: Bash`.
fn of_agent(session: &SessionView, now: Timestamp) -> String {
    format!("{} {}", display_text::line(&session.agent), doing(session, now))
}

/// What a session is doing, and how far it is.
fn doing(session: &SessionView, now: Timestamp) -> String {
    let todos = session.todos.as_ref().map(|todos| format!(", todos {}", sessions::progress(todos)));
    format!("{}{}", display_text::line(&sessions::doing(session, now)), todos.unwrap_or_default())
}

fn write_sessions(text: &mut String, view: &WorkspaceView, now: Timestamp) {
    for (position, session) in sessions::listed(view) {
        let source = sets::activity_source(session.activity.source);
        let id = display_text::line(&session.session_id);
        let name = sessions::told_apart(view, &session.session_name());
        let name = name.map(|name| format!(" {}", display_text::line(&name))).unwrap_or_default();
        let (agent, doing) = (display_text::line(&session.agent), doing(session, now));
        let _ = writeln!(text, "  session  {agent}{name} {doing}  [{source}, {id}]");
        // The verdict already shows the question of the first session.
        let asked = session.question.as_ref().filter(|_| position > 0);
        if let Some(asked) = asked {
            for line in asked.text.lines() {
                let _ = writeln!(text, "           {}  {}", verb(asked), display_text::line(line));
            }
        }
    }
    if let Some(left_over) = sessions::left_over(view) {
        let _ = writeln!(text, "  session  {left_over}");
    }
}

pub(super) fn full(view: &WorkspaceView, now: Timestamp) -> String {
    let mut text = String::new();
    let Some(verdict) = &view.verdict else { return text };
    let _ = writeln!(text, "{}  {}", verdict.state.name(), view.name);
    let _ = writeln!(text, "  why   {}", verdict::why(verdict));
    if let Some(proof) = verdict.proof {
        let _ = writeln!(text, "  proof {}", sets::proof(proof));
    }
    let _ = writeln!(text, "  next  {}", verdict::next_action(verdict));
    if let Some(when) = left::complete_when(view) {
        let _ = writeln!(text, "  {when}");
    }
    if let Some(problem) = problem::label(&view.reading.problems) {
        let _ = writeln!(text, "  note  {problem}");
    }
    for sentence in warnings::of(view) {
        let _ = writeln!(text, "  !     {sentence}");
    }
    for said in mark::holding(&view.marks, now) {
        let _ = writeln!(text, "  mark  {}", display_text::line(&said));
    }
    for chosen in &view.chosen {
        let counts = if chosen.counts { "" } else { ", which does not count: the baseline differs" };
        let _ = writeln!(text, "  own   {} is chosen by the workspace's .closeout.toml{counts}", chosen.key);
    }
    question(&mut text, verdict);
    left_to_do(&mut text, verdict, now);
    write_sessions(&mut text, view, now);
    let _ = writeln!(text, "  evidence");
    for part in verdict::speaking(verdict) {
        evidence(&mut text, view, part, now);
    }
    for silent in verdict::silent(verdict) {
        let _ = writeln!(text, "    {silent}");
    }
    for (at, [yes, against]) in verdict::conflicts(verdict).enumerate() {
        if at == 0 {
            let _ = writeln!(text, "  conflicts");
        }
        let side = |part: &Part| format!("{}: {}", part.evidence.source.title(), verdict::said(part));
        let _ = writeln!(text, "    {}  against  {}", side(yes), side(against));
    }
    if let Some(git) = &view.git {
        let _ = writeln!(text, "  baseline {}", baseline::label(&git.baseline));
    }
    text
}

/// What an agent does with these words.
fn verb(question: &Question) -> &'static str {
    match question.weight {
        QuestionWeight::Blocking => "asks",
        QuestionWeight::Offer => "offers",
    }
}

fn question(text: &mut String, verdict: &Verdict) {
    let Some(question) = &verdict.question else { return };
    for line in display_text::block(&question.text).lines() {
        let _ = writeln!(text, "  {}  {line}", verb(question));
    }
    for choice in &question.choices {
        let label = display_text::line(&choice.label);
        let _ = writeln!(text, "        {label}) {}", display_text::line(&choice.text));
    }
}

/// At most this many open points are printed; the rest are counted. `--json` has all.
const MAX_POINTS: usize = 30;

fn left_to_do(text: &mut String, verdict: &Verdict, now: Timestamp) {
    let n_open = verdict.left_to_do.open().count();
    if n_open == 0 {
        return;
    }
    let _ = writeln!(text, "  left to do");
    for point in verdict.left_to_do.open().take(MAX_POINTS) {
        let state = left::state_of(point, now).map(|state| format!(", {state}")).unwrap_or_default();
        let verdict = display_text::line(&point.text);
        let _ = writeln!(text, "    - {verdict}  [{}{state}]", point.source.title());
    }
    if n_open > MAX_POINTS {
        let _ = writeln!(text, "    and {} more", n_open - MAX_POINTS);
    }
}

fn evidence(text: &mut String, view: &WorkspaceView, part: &Part, now: Timestamp) {
    let evidence = &part.evidence;
    let role = match (part.role, evidence.rejection()) {
        (PartRole::Rejected, Some(rejection)) => sets::rejection(rejection),
        _ => sets::role(part.role),
    };
    let mut marks = vec![role.to_owned()];
    if evidence.is_vacuous {
        marks.push("vacuous".to_owned());
    }
    if evidence.strength != Strength::Verified {
        marks.push(sets::strength(evidence.strength).to_owned());
    }
    if let Some(said_at) = evidence.said_at() {
        marks.push(age::ago(now, said_at));
    }
    let title = evidence.source.title();
    let name = display_text::line(&evidence.name);
    let name = if name == title { String::new() } else { format!(" {name}") };
    let of_session = evidence.session().and_then(|session| sessions::told_apart(view, session));
    let of_session = of_session.map(|name| format!(" {}", display_text::line(&name))).unwrap_or_default();
    let claim = verdict::claim(part);
    let _ = writeln!(text, "    {claim:<7}  {title}{name}{of_session}  [{}]", marks.join(", "));
    for reason in &evidence.reasons {
        let _ = writeln!(text, "             {}", display_text::line(&reason::label(reason)));
    }
}

pub(super) fn local_minute(at: Timestamp) -> String {
    local_time(at).strftime("%Y-%m-%d %H:%M").to_string()
}

pub(super) fn local_second(at: Timestamp) -> String {
    local_time(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

pub(super) fn local_time(at: Timestamp) -> Zoned {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or_default().to_zoned(TimeZone::system())
}
