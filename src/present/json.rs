//! The JSON that scripts read: a version, closed sets, and the part of every source. `closeout schema` prints
//! its schema; a test keeps the two consistent.

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{problem, verdict};
use crate::model::{
    Activity, Attention, Checklist, ChosenKey, DecisionReport, Evidence, GitFacts, LastWords, LeftToDo, Mark,
    MarkLapse, MarkOrder, MarkWord, Marks, NextActionKind, PartRole, Proof, Question, RescueDegree, Rule,
    RunView, SessionView, TaskKind, TaskView, Timestamp, Verdict, VerdictState, Warning, WorkspaceId,
    WorkspaceView, display_text,
};

/// The version of this format. It is raised when a field is removed or changes its meaning; new fields, and
/// new values of `rule` and `source`, do not raise it.
pub const VERSION: u32 = 1;

/// What `check --json` and `status --json` print.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The version of this form.
    pub version: u32,
    /// When it was made, in milliseconds since 1970.
    pub at: Timestamp,
    /// The workspaces, most urgent first.
    pub workspaces: Vec<Row>,
    /// Paths that are no workspace.
    pub refused: Vec<Refused>,
    /// What else should be known, in words.
    pub notices: Vec<String>,
}

impl Report {
    /// The report on `views`, with no path refused.
    pub(crate) fn of(views: &[WorkspaceView], notices: Vec<String>, at: Timestamp) -> Report {
        let workspaces = views.iter().filter_map(Row::of).collect();
        Report { version: VERSION, at, workspaces, refused: Vec::new(), notices }
    }
}

/// A line of `status --json --follow`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Follow {
    /// A workspace as it is now: sent first for each, then whenever it changed.
    Changed {
        /// The version of this form.
        version: u32,
        /// When.
        at: Timestamp,
        /// The workspace.
        workspace: Box<Row>,
    },
    /// A workspace no longer exists.
    Removed {
        /// The version of this form.
        version: u32,
        /// When.
        at: Timestamp,
        /// Its path.
        path: String,
    },
    /// Something that should be known, in words.
    Notice {
        /// The version of this form.
        version: u32,
        /// When.
        at: Timestamp,
        /// The words.
        text: String,
    },
}

/// A path that is no workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Refused {
    /// The path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// One workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Its directory; bytes that are no UTF-8 as `\xNN`.
    path: String,
    /// Its short name.
    name: String,
    /// What the user asked for: the task of the newest session.
    task: Option<TaskView>,
    /// The task kind that it is judged by.
    task_kind: TaskKind,
    /// The verdict.
    state: VerdictState,
    /// True when nothing changes without the user or a new turn of the agent: every state but WORKING
    /// and WAITING.
    is_terminal: bool,
    /// The rule that decided.
    rule: Rule,
    /// The rule in words.
    why: String,
    /// What the user would do next.
    next_action: NextStep,
    /// What is left to do, by every source.
    left_to_do: LeftToDo,
    /// Since when the verdict has its state; of a single check, the check itself.
    since: Option<Timestamp>,
    /// Why the user should look.
    attention: Option<Attention>,
    /// What the user should know beside the state.
    warnings: Vec<Warning>,
    /// What the user said of it and holds, and the last verdict of theirs that lapsed.
    marks: Vec<MarkRow>,
    /// Why the user's last mark has lapsed.
    mark_lapsed: Option<MarkLapse>,
    /// The question that stands, under any verdict.
    question: Option<Question>,
    /// How often the same open points were seen in a row.
    stage: u8,
    /// True when only the agent's answer to a probe says that the work is done.
    is_self_reported: bool,
    /// How well a COMPLETE is proven.
    proof: Option<Proof>,
    /// How urgent a RESCUE_NEEDED is.
    degree: Option<RescueDegree>,
    /// While a session is at work: what the rest says.
    so_far: Option<VerdictState>,
    /// Every source with its part, strongest first.
    evidence: Vec<PartRow>,
    /// Pairs of sources that contradict one another, as positions in `evidence`.
    conflicts: Vec<crate::model::Conflict>,
    /// Git's facts.
    git: Option<Arc<GitFacts>>,
    /// What became of the decision of this check: the channel that gave it, and why a file was not used.
    decision: DecisionReport,
    /// Checklists.
    checklists: Vec<Arc<Checklist>>,
    /// The agent of the newest session.
    agent: Option<String>,
    /// What that session does.
    activity: Activity,
    /// The sessions here, the one whose words count first.
    sessions: Vec<Arc<SessionView>>,
    /// The supervised run that is alive here.
    run: Option<Box<RunView>>,
    /// The newest words.
    last_words: Option<Arc<LastWords>>,
    /// Keys of the workspace's own file (`.closeout.toml`) that could soften the verdict, and whether they
    /// count.
    chosen: Vec<ChosenKey>,
    /// What keeps closeout from looking properly, in words.
    problem: Option<String>,
    /// When the evidence was read.
    taken_at: Option<Timestamp>,
    /// When the work tree was last looked at.
    tree_at: Option<Timestamp>,
}

/// A statement of the user.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MarkRow")]
pub struct MarkRow {
    /// What was said.
    said: MarkOrder,
    /// When; of a task kind or of points that are not of this task it is not known.
    at: Option<Timestamp>,
    /// Why, in the user's words.
    reason: Option<String>,
    /// Why it holds no longer; `None` if it holds.
    lapsed: Option<MarkLapse>,
}

/// What the user would do next.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NextAction")]
pub struct NextStep {
    /// The kind.
    kind: NextActionKind,
    /// In words, like `answer: Which database?`. Cleaned for a screen.
    text: String,
}

/// One source with its part.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Part")]
pub struct PartRow {
    /// Its part in the verdict.
    role: PartRole,
    /// Its rank; smaller is stronger.
    rank: u8,
    #[serde(flatten)]
    evidence: Arc<Evidence>,
}

impl Row {
    /// The row of a view; `None` while the view has no verdict.
    pub fn of(view: &WorkspaceView) -> Option<Row> {
        let verdict = Verdict::clone(view.verdict.as_deref()?);
        Some(Row {
            path: path(&view.id),
            name: view.name.clone(),
            task: view.task.clone(),
            task_kind: view.task_kind,
            state: verdict.state,
            is_terminal: verdict.state.is_terminal(),
            rule: verdict.rule(),
            why: verdict::why(&verdict),
            next_action: NextStep { kind: verdict.next_action.kind(), text: verdict::next_action(&verdict) },
            left_to_do: verdict.left_to_do,
            since: view.verdict_since,
            attention: view.attention,
            warnings: verdict.warnings,
            marks: rows_of(&view.marks),
            mark_lapsed: view.marks.lapsed,
            question: verdict.question,
            stage: verdict.stage,
            is_self_reported: verdict.is_self_reported,
            proof: verdict.proof,
            degree: verdict.degree,
            so_far: verdict.so_far,
            evidence: verdict
                .parts
                .into_iter()
                .map(|part| PartRow {
                    role: part.role,
                    rank: part.evidence.source.rank(),
                    evidence: part.evidence,
                })
                .collect(),
            conflicts: verdict.conflicts,
            git: view.git.clone(),
            decision: view.decision.clone(),
            checklists: view.checklists.clone(),
            agent: view.agent.clone(),
            activity: view.activity.clone(),
            sessions: view.sessions.clone(),
            run: view.run.clone(),
            last_words: view.last_words.clone(),
            chosen: view.chosen.clone(),
            problem: problem::label(&view.reading.problems),
            taken_at: view.reading.taken_at,
            tree_at: view.reading.tree_at,
        })
    }
}

/// The statements of the user that hold, and their verdict that lapsed last.
fn rows_of(marks: &Marks) -> Vec<MarkRow> {
    fn row<T>(said: MarkOrder, mark: &Mark<T>, lapsed: Option<MarkLapse>) -> MarkRow {
        MarkRow { said, at: Some(mark.at), reason: mark.reason.clone(), lapsed }
    }
    let word = |mark: &Mark<MarkWord>, lapsed| match mark.word {
        MarkWord::Done => row(MarkOrder::Done, mark, lapsed),
        MarkWord::Open => row(MarkOrder::Open, mark, lapsed),
    };
    let undated = |said| MarkRow { said, at: None, reason: None, lapsed: None };
    let point = |point: &String| undated(MarkOrder::NotOfThisTask { point: Some(point.clone()) });
    let holding = marks.word.iter().map(|mark| word(mark, None));
    let quiet = marks.quiet.iter().map(|mark| row(MarkOrder::Quiet, mark, None));
    let baseline = marks.baseline.iter().map(|mark| row(MarkOrder::BaselineHere, mark, None));
    let kind = marks.task_kind.map(|task_kind| undated(MarkOrder::TaskKind { task_kind }));
    let lapsed = marks.lapsed_word.iter().map(|mark| word(mark, marks.lapsed));
    let points = marks.not_of_task.iter().map(point);
    holding.chain(quiet).chain(baseline).chain(kind).chain(points).chain(lapsed).collect()
}

/// The path of a workspace for JSON; a path that is not UTF-8 is made readable.
pub fn path(id: &WorkspaceId) -> String {
    id.path().to_str().map_or_else(|| display_text::path(id.path()), str::to_owned)
}

/// Serialises a value to one line of JSON. Control and invisible characters are escaped so that the line is
/// safe on a terminal; a JSON parser reads the same value. Serialising these plain types cannot fail; if it
/// fails anyway, the line contains the error.
pub fn line(value: &impl Serialize) -> String {
    let json =
        serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()));
    escape_unsafe(json)
}

/// Escapes characters that must not reach a terminal. In JSON they occur only inside strings.
fn escape_unsafe(json: String) -> String {
    if !json.chars().any(display_text::is_unsafe) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 32);
    for sign in json.chars() {
        if display_text::is_unsafe(sign) {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(sign);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_reach_a_terminal_is_escaped_and_reads_the_same() {
        let evil = "a\u{7f}\u{9b}31m\u{202e}\u{200b}\u{e0041} é 日本";
        let json = line(&evil);
        assert_eq!(json, r#""a\u007f\u009b31m\u202e\u200b\udb40\udc41 é 日本""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), evil);
    }
}
