//! All evidence of one workspace at one moment.

use serde::{Deserialize, Serialize};

use super::{
    Activity, Baseline, Certainty, Checklist, DecisionReport, Demand, Evidence, GitFacts, Parts, ProcessId,
    Question, SessionView, TaskWork, Timestamp, WatchTarget, WorkspaceSettings,
};
use schemars::JsonSchema;

/// What one collection brought, weighed: the evidence of the parts it read, and what a front shows
/// of them. It carries no long texts, so that a thousand workspaces stay small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The parts that were read.
    pub parts: Parts,
    /// When the collection began.
    pub taken_at: Timestamp,
    /// The evidence of those parts.
    pub evidence: Vec<(Parts, Evidence)>,
    /// Git's facts, when `COMMITS` was read; `changes` is `None` when `CHANGES` was not.
    pub git: Option<GitFacts>,
    /// Checklists of the parts read.
    pub checklists: Vec<(Parts, Checklist)>,
    /// What the agent says; present exactly when `WORDS` was read.
    pub session_facts: Option<SessionFacts>,
    /// Where changes would show.
    pub watch_targets: Vec<WatchTarget>,
    /// Processes whose end would change what was read, each once, in order.
    pub processes: Vec<ProcessId>,
    /// A baseline to be remembered.
    pub new_baseline: Option<Baseline>,
    /// Something was half-written, or can be told by a source that tells no changes, and no event may
    /// come: look again at this moment.
    pub recheck_at: Option<Timestamp>,
    /// The settings that this was read by, where they are not those that were asked for: what the
    /// workspace's own file says was held against the baseline.
    pub in_force: Option<Box<WorkspaceSettings>>,
}

/// What an agent says, beside the evidence made of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// The agent of the newest session.
    pub agent: Option<String>,
    /// Its model. Untrusted text.
    pub model: Option<String>,
    /// What the newest session does.
    pub activity: Option<Activity>,
    /// The sessions, the one whose words count first.
    pub sessions: Vec<SessionView>,
    /// Its newest words, or the declared output's.
    pub last_words: Option<LastWords>,
    /// The person's last prompt, shortened. Untrusted text.
    pub prompt: Option<String>,
    /// When a person last asked any session here for work: what was claimed before is about an earlier task.
    pub prompted_at: Option<Timestamp>,
    /// What the last prompts asked for, of all sessions that count together.
    pub last_demand: Option<Demand>,
    /// The work of their tasks.
    pub work: TaskWork,
    /// Whether a whole test run passed after the last edit of every session that edited.
    pub is_checked: bool,
    /// Whether a session acted outside the work tree, and that succeeded.
    pub acted_outside: bool,
    /// Another value for each turn that ended and each decision file that was written: a new value
    /// begins a new round (R5).
    pub round_mark: Option<String>,
    /// What became of the decision of this check.
    pub decision: DecisionReport,
    /// The SHA-256 of the decision file, in hexadecimal, and when it was written.
    pub decision_file: Option<(String, Timestamp)>,
}

/// All evidence of one workspace at one moment. Never changed after it was built: a new sample
/// makes a new snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of the newest collection in it.
    pub generation: u64,
    /// The evidence, each with the part that it was read in.
    pub evidence: Vec<(Parts, Evidence)>,
    /// Git's facts.
    pub git: Option<GitFacts>,
    /// Checklists, each with the part that it was read in.
    pub checklists: Vec<(Parts, Checklist)>,
    /// What the agent says.
    pub session_facts: SessionFacts,
    /// When the newest sample was taken.
    pub taken_at: Timestamp,
    /// When the work tree was last looked at; `None` where nothing is known of it.
    pub tree_at: Option<Timestamp>,
}

/// The newest words of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastWords {
    /// The text, at most 4 KiB of its end. Untrusted.
    pub text: String,
    /// True when its beginning was cut off.
    pub is_cut: bool,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// Where it was read: an agent's name or a file.
    pub from: String,
    /// The question in it.
    pub question: Option<Question>,
    /// How certain its reading is: whether it asks, is the result, or stops half-way; `None` where something came after
    /// it, so that it was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
}

impl Snapshot {
    /// The snapshot that follows this one when `sample` of collection `generation` came in: the
    /// parts that were read are replaced, the others stay.
    #[must_use]
    pub fn with(&self, generation: u64, sample: &Sample) -> Snapshot {
        let mut next = self.clone();
        next.generation = generation;
        next.taken_at = sample.taken_at;
        next.evidence.retain(|(part, _)| !sample.parts.contains(*part));
        next.evidence.extend(sample.evidence.iter().cloned());
        next.evidence.sort_by_key(|(_, evidence)| (evidence.source.rank(), evidence.source));
        next.checklists.retain(|(part, _)| !sample.parts.contains(*part));
        next.checklists.extend(sample.checklists.iter().cloned());
        if let Some(git) = &sample.git {
            let mut git = git.clone();
            if git.changes.is_none() {
                git.changes = self.git.as_ref().and_then(|old| old.changes.clone());
                // A commit changes nothing that lies in the work tree.
                git.content = self.git.as_ref().and_then(|old| old.content.clone());
            } else {
                next.tree_at = Some(sample.taken_at);
            }
            next.git = Some(git);
        } else if sample.parts.contains(Parts::COMMITS) {
            next.git = None;
            next.tree_at = None;
        }
        if let Some(words) = &sample.session_facts {
            next.session_facts = words.clone();
        }
        next
    }
}
