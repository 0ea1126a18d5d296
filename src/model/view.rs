//! What a front shows of one workspace: plain and serialisable, so that the screen, a one-shot check, the
//! JSON stream and a remote host show the same.

use serde::Serialize;

use super::{
    Activity, Attention, AuditEntry, Checklist, ChosenKey, ConfiguredCheck, DecisionReport, Draft, GitFacts,
    HeldReply, HistoryEntry, LastWords, Marks, Receipt, RunEnd, RunView, RunningAction, SessionView,
    SmartReport, TaskKind, Timestamp, Verdict, VerifyReport, WorkspaceId,
};

/// One workspace as a front shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkspaceView {
    /// Which workspace.
    pub id: WorkspaceId,
    /// Its short name: the last part of the path, made longer where two are the same. Cleaned.
    pub name: String,
    /// The task kind that it is judged by.
    pub task_kind: TaskKind,
    /// The verdict; `None` until the first collection answered.
    pub verdict: Option<Verdict>,
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
    pub sessions: Vec<SessionView>,
    /// The supervised run that is alive here. It is the last of the sessions, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
    /// How the last one ended, if that was by a limit, and nothing came after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_end: Option<RunEnd>,
    /// Git's facts; `None` where there is no repository or it does not answer.
    pub git: Option<GitFacts>,
    /// Checklists, best source first.
    pub checklists: Vec<Checklist>,
    /// The agent's newest words.
    pub last_words: Option<LastWords>,
    /// The user's last prompt, shortened. Untrusted text.
    pub prompt: Option<String>,
    /// What became of the decision of this check.
    pub decision: DecisionReport,
    /// The action that runs here.
    pub action: Option<RunningAction>,
    /// Replies that agents are answering by programs that closeout started, and that end with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answering: Vec<RunningAction>,
    /// What was done here, the newest first.
    pub history: Vec<AuditEntry>,
    /// What happened here, the newest first: verdicts that changed, notices, iterations of runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<HistoryEntry>,
    /// The checks that the user configured for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ConfiguredCheck>,
    /// Replies that are being written.
    pub drafts: Vec<Draft>,
    /// Replies that wait for the end of their agent's turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldReply>,
    /// What became of replies that this run sent, the newest first.
    pub receipts: Vec<Receipt>,
    /// What the last smart check of this run found.
    pub smart_check: Option<SmartReport>,
    /// What the closer found last in this run.
    pub verified: Option<VerifyReport>,
    /// What the user said of it and holds.
    pub marks: Marks,
    /// Keys of the workspace's own file that could soften the verdict, and whether they count.
    pub chosen: Vec<ChosenKey>,
    /// Why the agent is not asked by closeout itself now, although it would be, in words. Cleaned.
    pub not_asked: Option<String>,
    /// What keeps closeout from looking properly, in words: gone, not answering, polled. Cleaned.
    pub problem: Option<String>,
    /// True while a collection runs.
    pub is_collecting: bool,
    /// True when the user has seen the present state.
    pub is_seen: bool,
    /// The number of the collection that this is from.
    pub generation: u64,
    /// When the evidence was read.
    pub taken_at: Option<Timestamp>,
    /// When the work tree was last looked at, on which everything about uncommitted changes rests. It is not
    /// watched, so it may be another since.
    pub tree_at: Option<Timestamp>,
}
