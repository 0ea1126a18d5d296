//! What a front shows of one workspace: plain values, so that the screen, a one-shot check, the JSON stream and
//! a remote host show the same.

use std::sync::Arc;

use super::{
    Activity, Attention, AuditEntry, Checklist, ChosenKey, ConfiguredCheck, DecisionReport, Draft, GitFacts,
    HeldReply, Hindrance, HistoryEntry, LastWords, Marks, Question, Receipt, Rule, RunEnd, RunView,
    RunningAction, SessionView, SmartReport, TaskKind, TaskView, Timestamp, Verdict, VerdictState,
    VerifyReport, WorkspaceId, WorkspaceProblems,
};

/// One workspace as a front shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceView {
    /// Which workspace.
    pub id: WorkspaceId,
    /// Its short name: the last part of the path, made longer where two are the same. Cleaned.
    pub name: String,
    /// The task kind that it is judged by.
    pub task_kind: TaskKind,
    /// The verdict; `None` until the first collection answered. Shared with the monitor.
    pub verdict: Option<Arc<Verdict>>,
    /// Since when the verdict has its state.
    pub verdict_since: Option<Timestamp>,
    /// Whether that is the state in which closeout found the workspace: then it may have had it for longer.
    pub is_found_state: bool,
    /// Why the user should look.
    pub attention: Option<Attention>,
    /// The agent of the newest session.
    pub agent: Option<String>,
    /// Its model. Untrusted text.
    pub model: Option<String>,
    /// What that session does.
    pub activity: Activity,
    /// The sessions in this workspace, the one whose words count first.
    pub sessions: Vec<Arc<SessionView>>,
    /// The supervised run that is alive here. It is the last of the sessions, too.
    pub run: Option<Box<RunView>>,
    /// How the last one ended, if that was by a limit, and nothing came after it.
    pub run_end: Option<RunEnd>,
    /// Git's facts; `None` where there is no repository or it does not answer.
    pub git: Option<Arc<GitFacts>>,
    /// Checklists, best source first.
    pub checklists: Vec<Arc<Checklist>>,
    /// The agent's newest words.
    pub last_words: Option<Arc<LastWords>>,
    /// What the user asked for: the task of the newest session.
    pub task: Option<TaskView>,
    /// The user's last prompt, shortened: it may be an answer, or words to go on. Untrusted text.
    pub prompt: Option<String>,
    /// What became of the decision of this check.
    pub decision: DecisionReport,
    /// The checks that the user configured for it.
    pub checks: Vec<ConfiguredCheck>,
    /// What the user said of it and holds.
    pub marks: Marks,
    /// Keys of the workspace's own file that could soften the verdict, and whether they count.
    pub chosen: Vec<ChosenKey>,
    /// Why the agent is not asked by closeout itself now, although it would be.
    pub not_asked: Option<Hindrance>,
    /// True when the user has seen the present state.
    pub is_seen: bool,
    /// What was done here, and what is being done.
    pub actions: ActionsView,
    /// How it was last read.
    pub reading: ReadingView,
}

impl WorkspaceView {
    /// The offer of more work that a session other than the newest makes, where the work is done and neither a mark nor a
    /// question comes before it.
    pub fn offer_beside(&self) -> Option<(&SessionView, &Question)> {
        let is_open = |verdict: &&Verdict| {
            let is_done = verdict.state == VerdictState::Complete && verdict.rule() != Rule::ByYou;
            is_done && verdict.question.is_none()
        };
        self.verdict.as_deref().filter(is_open)?;
        let beside = self.sessions.iter().skip(1).filter(|session| !session.is_left_over());
        beside.map(|session| &**session).find_map(|session| Some((session, session.offer()?)))
    }
}

/// The actions on one workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionsView {
    /// The action that runs here.
    pub running: Option<Box<RunningAction>>,
    /// Replies that agents are answering by programs that closeout started, and that end with it. The oldest first.
    pub answering: Vec<RunningAction>,
    /// What was done here, the newest first.
    pub history: Vec<AuditEntry>,
    /// What happened here, the newest first: verdicts that changed, notices, iterations of runs.
    pub timeline: Vec<HistoryEntry>,
    /// Replies that are being written.
    pub drafts: Vec<Draft>,
    /// Replies that wait for the end of their agent's turn.
    pub held: Vec<HeldReply>,
    /// What became of replies that this run sent, the newest first.
    pub receipts: Vec<Receipt>,
    /// What the last smart check of this run found.
    pub smart_check: Option<Box<SmartReport>>,
    /// What the closer found last in this run.
    pub verified: Option<Box<VerifyReport>>,
}

impl ActionsView {
    /// All actions that closeout has under way here.
    pub fn under_way(&self) -> impl Iterator<Item = &RunningAction> {
        self.running.as_deref().into_iter().chain(&self.answering)
    }
}

/// How a workspace was last read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingView {
    /// What keeps closeout from looking properly.
    pub problems: WorkspaceProblems,
    /// True while a collection runs.
    pub is_running: bool,
    /// The number of the collection that this is from.
    pub generation: u64,
    /// When the evidence was read.
    pub taken_at: Option<Timestamp>,
    /// When the work tree was last looked at, on which everything about uncommitted changes rests. It is not
    /// watched, so it may be another since.
    pub tree_at: Option<Timestamp>,
}

impl ReadingView {
    /// This reading with the problems of another: what differs then is more than when it was read.
    #[must_use]
    pub fn with_problems_of(&self, other: &ReadingView) -> ReadingView {
        ReadingView { problems: other.problems.clone(), ..self.clone() }
    }
}
