//! What a collection returned, and what all collections of a workspace say together; unjudged.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Activity, Baseline, Certainty, Checklist, DecisionReport, Demand, Evidence, GitFacts, NamedBaseline,
    Parts, ProcessId, Question, SessionView, TaskBegin, TaskView, TaskWork, Timestamp, WatchTarget,
    WorkspaceSettings,
};
use schemars::JsonSchema;

/// The weighed result of one collection: the evidence of the parts that it read, and what a front shows of
/// them. It contains no long texts, so that even a thousand workspaces need little memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The parts that were read.
    pub parts: Parts,
    /// When the collection began.
    pub taken_at: Timestamp,
    /// The evidence of those parts.
    pub evidence: Vec<(Parts, Arc<Evidence>)>,
    /// Git's facts, if `COMMITS` was read; `changes` is `None` unless `CHANGES` was read too.
    pub git: Option<Arc<GitFacts>>,
    /// Checklists from the parts that were read.
    pub checklists: Vec<(Parts, Arc<Checklist>)>,
    /// What the agent says; present exactly if `WORDS` was read.
    pub session_facts: Option<SessionFacts>,
    /// Where changes would be visible.
    pub watch_targets: Vec<WatchTarget>,
    /// Processes whose end would change what was read; sorted, without duplicates.
    pub processes: Vec<ProcessId>,
    /// A new baseline to keep.
    pub new_baseline: Option<Baseline>,
    /// What the given baseline's name means for the present task; `None` without a task, or where no name was given.
    pub named: Option<NamedBaseline>,
    /// When to look again, because something was half-written, or because a source that reports no changes
    /// may say more by then.
    pub recheck_at: Option<Timestamp>,
    /// The settings in force for this reading, if they differ from the requested ones: the workspace's own
    /// file was compared with the baseline.
    pub in_force: Option<Box<WorkspaceSettings>>,
}

/// What the agents of a workspace say, apart from the evidence made from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// The agent of the newest session.
    pub agent: Option<String>,
    /// Its model. Untrusted text.
    pub model: Option<String>,
    /// What the newest session is doing.
    pub activity: Option<Activity>,
    /// The sessions; the one whose words count comes first.
    pub sessions: Vec<Arc<SessionView>>,
    /// The agent's newest words, or those of the declared output.
    pub last_words: Option<Arc<LastWords>>,
    /// What the user asked for: the task of the newest session.
    pub task: Option<TaskView>,
    /// The user's last prompt, shortened: it may be an answer, or words to go on. Untrusted text.
    pub prompt: Option<String>,
    /// When the user last asked any session here for work: earlier claims are about an earlier task.
    pub prompted_at: Option<Timestamp>,
    /// When a person last asked any session here for work or for an answer: thanks ask for nothing.
    pub last_asked_at: Option<Timestamp>,
    /// When the oldest task that counts began.
    pub task_begin: Option<TaskBegin>,
    /// What the last prompts of all relevant sessions together asked for.
    pub last_demand: Option<Demand>,
    /// The work of the sessions' tasks.
    pub work: TaskWork,
    /// When the last complete test run passed, if one did after the last edit of every session that edited.
    pub passed_at: Option<Timestamp>,
    /// True if a session successfully acted outside the work tree.
    pub acted_outside: bool,
    /// The name of the present round (R5): when the last turn ended and the decision file was written.
    pub round_mark: Option<String>,
    /// How the decision of this check was received.
    pub decision: DecisionReport,
    /// The SHA-256 of the decision file in hexadecimal, and when the file was written.
    pub decision_file: Option<(String, Timestamp)>,
}

/// All evidence of one workspace, each part from the newest collection that read it. Immutable: a new sample makes a new snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of the newest collection that it includes.
    pub generation: u64,
    /// The evidence, each with the part from which it was read.
    pub evidence: Vec<(Parts, Arc<Evidence>)>,
    /// Git's facts.
    pub git: Option<Arc<GitFacts>>,
    /// The checklists, each with the part from which it was read.
    pub checklists: Vec<(Parts, Arc<Checklist>)>,
    /// What the agents say.
    pub session_facts: SessionFacts,
    /// When the newest sample was taken.
    pub taken_at: Timestamp,
    /// When the work tree was last scanned; `None` if nothing is known of it.
    pub tree_at: Option<Timestamp>,
}

/// The newest words of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LastWords {
    /// The text, at most 4 KiB of its end. Untrusted.
    pub text: String,
    /// True when its beginning was cut off.
    pub is_cut: bool,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// Where it was read: an agent's name or a file.
    pub from: String,
    /// The question in it, or the task's earlier one that an answer to a side question left open.
    pub question: Option<Question>,
    /// How certain its reading is: whether it asks, is the result, or stops half-way; `None` where something came after
    /// it, so that it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
}

impl Snapshot {
    /// The snapshot after `sample` of collection `generation`: the parts that were read are replaced, the
    /// others are kept.
    #[must_use]
    pub fn with(&self, generation: u64, sample: &Sample) -> Snapshot {
        let mut next = self.clone();
        next.generation = generation;
        next.taken_at = sample.taken_at;
        next.evidence.retain(|(part, _)| !sample.parts.contains(*part));
        next.evidence.extend(sample.evidence.iter().cloned());
        next.evidence.sort_by_key(|(_, evidence)| (evidence.source.rank(), evidence.source));
        next.evidence.shrink_to_fit();
        next.checklists.retain(|(part, _)| !sample.parts.contains(*part));
        next.checklists.extend(sample.checklists.iter().cloned());
        if let Some(git) = &sample.git {
            let mut git = Arc::clone(git);
            if git.changes.is_none() {
                let known = Arc::make_mut(&mut git);
                known.changes = self.git.as_ref().and_then(|old| old.changes.clone());
                // A commit does not change the content of the work tree.
                known.content = self.git.as_ref().and_then(|old| old.content.clone());
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

    /// Whether HEAD or the work tree differs from that of `other`, as far as git told them.
    pub fn has_other_tree(&self, other: &Snapshot) -> bool {
        match (&self.git, &other.git) {
            (Some(now), Some(before)) => {
                (&now.head, &now.changes, &now.content) != (&before.head, &before.changes, &before.content)
            }
            (now, before) => now.is_some() != before.is_some(),
        }
    }
}
