//! Workspaces with sessions: working with subagents, waiting for a permission, two agents in one workspace,
//! gone, silent, guessed, with todos.

use std::sync::Arc;

use closeout::model::{
    Activity, ActivitySource, ActivityState, Attention, Certainty, Pane, ProcessId, Question, QuestionWeight,
    Rule, SessionOrigin, SessionUsage, SessionView, Subagent, TodoProgress, VerdictState, Why, WorkspaceView,
};
use closeout::present;

use super::samples::asks_in_japanese;
use super::screen::{judged, last_words, minutes_ago};

/// A session in this state for this many minutes, as reported by this source.
pub(crate) fn session(
    agent: &str,
    state: ActivityState,
    source: ActivitySource,
    minutes: i64,
    detail: &str,
) -> SessionView {
    let since = Some(minutes_ago(minutes));
    SessionView {
        agent: agent.to_owned(),
        session_id: format!("{agent}-0b1c2d3e").into(),
        name: None,
        version: None,
        model: None,
        origin: SessionOrigin::Person,
        activity: Activity { state, source, since, detail: (!detail.is_empty()).then(|| detail.to_owned()) },
        prompt: None,
        prompted_at: None,
        moved_at: since,
        ended_at: since.filter(|_| matches!(state, ActivityState::Idle)),
        question: None,
        asks: None,
        set_aside: None,
        todos: None,
        usage: SessionUsage::default(),
        subagents: Vec::new(),
        process: None,
        pane: None,
    }
}

/// The pane with this id on the default server.
pub(crate) fn pane(id: &str) -> Pane {
    Pane { socket: None, id: id.to_owned() }
}

fn todos(n_done: u32, n_all: u32, active: &str) -> TodoProgress {
    TodoProgress { n_done, n_all, active: Some(active.to_owned()) }
}

/// The workspace with these sessions, of which the first is its own.
fn with(mut view: WorkspaceView, sessions: Vec<SessionView>) -> WorkspaceView {
    let first = &sessions[0];
    view.agent = Some(first.agent.clone());
    view.model.clone_from(&first.model);
    view.activity = first.activity.clone();
    view.verdict_since = Some(minutes_ago(0));
    view.sessions = sessions.into_iter().map(Arc::new).collect();
    view
}

fn works(name: &str) -> WorkspaceView {
    judged(name, VerdictState::Working, Why::Rule(Rule::SessionWorks))
}

/// Claude at work with two subagents.
pub(crate) fn with_subagents() -> WorkspaceView {
    let mut claude =
        session("claude", ActivityState::Working, ActivitySource::Registry, 12, "Bash: cargo test --all");
    claude.name = Some("Fix the parser of dates".to_owned());
    claude.model = Some("claude-sonnet-4-5".to_owned());
    claude.version = Some("2.1.330".to_owned());
    claude.usage =
        SessionUsage { context_tokens: Some(45_210), context_limit: Some(200_000), n_turns: Some(12) };
    claude.todos = Some(todos(2, 5, "Run the tests"));
    let subagent = |what: &str, minutes| Subagent {
        id: what.to_owned(),
        what: Some(what.to_owned()),
        moved_at: Some(minutes_ago(minutes)),
    };
    claude.subagents = vec![subagent("Look for other parsers", 0), subagent("Read the change log", 3)];
    claude.process = Some(ProcessId { pid: 4_242, started_at: 1 });
    claude.pane = Some(pane("%3"));
    with(works("dates"), vec![claude])
}

/// Claude waits for permission.
pub(crate) fn wants_permission() -> WorkspaceView {
    let detail = "Bash: cargo test -- --ignored";
    let mut claude = session("claude", ActivityState::NeedsPermission, ActivitySource::Hook, 3, detail);
    claude.model = Some("claude-opus-4-1".to_owned());
    claude.pane = Some(pane("%7"));
    claude.process = Some(ProcessId { pid: 5_151, started_at: 1 });
    let mut view = judged("server", VerdictState::AwaitingResponse, Why::Permission);
    view.attention = Some(Attention::Permission);
    with(view, vec![claude])
}

/// Claude's session, the newest, has finished; Codex asks in the same folder.
pub(crate) fn codex_asks_beside_claude() -> WorkspaceView {
    let mut claude = session("claude", ActivityState::Idle, ActivitySource::Registry, 26, "");
    claude.name = Some("Write the migration".to_owned());
    claude.process = Some(ProcessId { pid: 800, started_at: 1 });
    claude.pane = Some(pane("%1"));
    let mut codex = session("codex", ActivityState::Idle, ActivitySource::Transcript, 9, "");
    codex.model = Some("gpt-5-codex".to_owned());
    codex.question = Some(Question {
        text: "Shall I drop the column `legacy_id`, or keep it for one more release?".to_owned(),
        choices: Vec::new(),
        weight: QuestionWeight::Blocking,
        certainty: Certainty::High,
    });
    codex.usage = SessionUsage { context_tokens: Some(12_800), context_limit: None, n_turns: Some(4) };
    codex.process = Some(ProcessId { pid: 900, started_at: 1 });
    codex.pane = Some(pane("%2"));
    let mut view = judged(
        "migration",
        VerdictState::Complete,
        Why::Commits { n_new: 2, n_rescued: 0, agree: Vec::new() },
    );
    view.attention = Some(Attention::Asks);
    with(view, vec![claude, codex])
}

/// Codex waits for permission while Claude, the newest, is working.
pub(crate) fn codex_wants_permission_beside_claude() -> WorkspaceView {
    let mut claude = session("claude", ActivityState::Working, ActivitySource::Hook, 1, "Edit: src/main.rs");
    claude.pane = Some(pane("%4"));
    let detail = "shell: git push origin main";
    let mut codex = session("codex", ActivityState::NeedsPermission, ActivitySource::Hook, 6, detail);
    codex.pane = Some(pane("%5"));
    let mut view = works("release");
    view.attention = Some(Attention::Permission);
    with(view, vec![claude, codex])
}

/// Gemini's process is gone in the middle of a turn; there are older sessions.
pub(crate) fn gone() -> WorkspaceView {
    let mut sessions =
        vec![session("gemini", ActivityState::Gone, ActivitySource::Process, 64, "write_file: docs/api.md")];
    sessions[0].origin = SessionOrigin::Headless;
    for hours in 2..8 {
        sessions.push(session("gemini", ActivityState::Gone, ActivitySource::Process, hours * 60, "ended"));
    }
    sessions[1].origin = SessionOrigin::Fork { of: Some("5f0e9d8c-1111-2222".into()) };
    with(judged("docs", VerdictState::Incomplete, Why::Rule(Rule::NoEvidence)), sessions)
}

/// opencode working on the fourth of seven todos.
pub(crate) fn with_todos() -> WorkspaceView {
    let mut opencode =
        session("opencode", ActivityState::Working, ActivitySource::Api, 4, "edit: src/cart.ts");
    opencode.model = Some("qwen3-coder".to_owned());
    opencode.todos = Some(todos(3, 7, "Count the items in the cart"));
    opencode.usage =
        SessionUsage { context_tokens: Some(1_340_000), context_limit: Some(2_000_000), n_turns: Some(1) };
    with(works("cart"), vec![opencode])
}

/// At work, according to nothing but the title of its pane.
pub(crate) fn guessed() -> WorkspaceView {
    let mut codex = session("codex", ActivityState::Working, ActivitySource::PaneTitle, 31, "shell: make");
    codex.pane = Some(pane("%9"));
    let mut view = works("firmware");
    view.verdict_since = Some(minutes_ago(31));
    with(view, vec![codex])
}

/// A turn is open, but its record is silent.
pub(crate) fn silent() -> WorkspaceView {
    let codex = session("codex", ActivityState::Unknown, ActivitySource::Transcript, 14, "shell: pytest");
    with(judged("reports", VerdictState::Incomplete, Why::Rule(Rule::NoEvidence)), vec![codex])
}

/// Claude asks in Japanese.
pub(crate) fn japanese_question() -> WorkspaceView {
    let asked = asks_in_japanese();
    let mut claude = session("claude", ActivityState::Idle, ActivitySource::Registry, 12, "");
    claude.name = Some("検索画面を追加して、結果をデータベースに保存してください。".to_owned());
    claude.question = asked.verdict.as_ref().and_then(|verdict| verdict.question.clone());
    claude.todos = Some(todos(2, 4, "結果を保存する"));
    claude.pane = Some(pane("%11"));
    with(asked, vec![claude])
}

/// Finished and not yet seen.
pub(crate) fn just_finished() -> WorkspaceView {
    let mut claude = session("claude", ActivityState::Idle, ActivitySource::Hook, 5, "");
    claude.model = Some("claude-sonnet-4-5".to_owned());
    claude.todos = Some(TodoProgress { n_done: 4, n_all: 4, active: None });
    let mut view =
        judged("login", VerdictState::Complete, Why::Commits { n_new: 3, n_rescued: 0, agree: Vec::new() });
    view.attention = Some(Attention::Finished);
    view.last_words = Some(last_words("The login works.", 5).into());
    with(view, vec![claude])
}

/// All of them, in the order of the list.
pub(crate) fn all() -> Vec<WorkspaceView> {
    let mut views = vec![
        with_subagents(),
        wants_permission(),
        codex_asks_beside_claude(),
        codex_wants_permission_beside_claude(),
        gone(),
        with_todos(),
        guessed(),
        silent(),
        japanese_question(),
        just_finished(),
    ];
    present::order(&mut views, None);
    views
}
