//! Turns the state of a workspace into what a front shows of it. It changes nothing.

use std::collections::{BTreeMap, HashMap};
use std::path::Component;
use std::sync::Arc;

use crate::model::{
    ActionsView, Activity, Attention, ReadingView, SessionView, WorkspaceId, WorkspaceView, display_text,
};

use super::attention;
use super::tracked::Tracked;

/// The view of one workspace.
pub(super) fn view(tracked: &Tracked, name: &str) -> WorkspaceView {
    let (snapshot, judged) = (&tracked.snapshot, &tracked.judged);
    let facts = &snapshot.session_facts;
    let sessions = tracked.sessions_and_run();
    WorkspaceView {
        id: tracked.id.clone(),
        name: name.to_owned(),
        task_kind: tracked.task_kind(),
        verdict: judged.verdict.clone(),
        verdict_since: judged.since,
        is_found_state: judged.is_found_state,
        is_seen: judged.is_seen,
        attention: attention(tracked, &sessions),
        agent: facts.agent.clone(),
        model: facts.model.clone(),
        activity: facts.activity.clone().unwrap_or_else(Activity::unknown),
        sessions,
        run: tracked.runs.alive.clone(),
        run_end: tracked.run_end().cloned(),
        git: snapshot.git.clone(),
        checklists: snapshot.checklists.iter().map(|(_, checklist)| checklist.clone()).collect(),
        last_words: facts.last_words.clone(),
        task: facts.task.clone(),
        prompt: facts.prompt.clone(),
        decision: facts.decision.clone(),
        checks: tracked.settings().checks.checks.clone(),
        marks: tracked.actions.marks.clone(),
        chosen: tracked.settings().chosen.clone(),
        not_asked: tracked.auto_probe.hindrance(facts).cloned(),
        actions: ActionsView { held: tracked.actions.held.replies.clone(), ..tracked.actions.shown.clone() },
        reading: ReadingView {
            problems: tracked.problems.clone(),
            is_running: tracked.collecting.is_running(),
            generation: snapshot.generation,
            taken_at: judged.verdict.as_deref().map(|_| snapshot.taken_at),
            tree_at: snapshot.tree_at,
        },
    }
}

/// Why the person should look at the workspace. Where they want quiet, only what is asked of them counts.
fn attention(tracked: &Tracked, sessions: &[Arc<SessionView>]) -> Option<Attention> {
    let (judged, run_end) = (&tracked.judged, tracked.unseen_run_end());
    let marks = &tracked.actions.marks;
    let is_closed = marks.questions_closed_at().is_some();
    let verdict = judged.verdict.as_deref()?;
    let attention = attention::attention(verdict, sessions, run_end, judged.is_seen, is_closed)?;
    let is_asked = matches!(attention, Attention::Permission | Attention::Asks);
    (is_asked || marks.quiet.is_none()).then_some(attention)
}

/// A short name for each workspace: the last component of its path, preceded by as many more as it takes to
/// tell it from the others.
pub(super) fn names<'a>(ids: impl Iterator<Item = &'a WorkspaceId> + Clone) -> BTreeMap<WorkspaceId, String> {
    let mut names = BTreeMap::new();
    let mut open: Vec<&WorkspaceId> = ids.collect();
    let mut n_parts = 1;
    while !open.is_empty() {
        let mut groups: HashMap<String, Vec<&WorkspaceId>> = HashMap::new();
        for id in open.drain(..) {
            groups.entry(last_parts(id, n_parts)).or_default().push(id);
        }
        for (name, group) in groups {
            let is_whole = |id: &WorkspaceId| last_parts(id, n_parts) == last_parts(id, n_parts + 1);
            if group.len() == 1 || group.iter().all(|id| is_whole(id)) {
                names.extend(group.into_iter().map(|id| (id.clone(), name.clone())));
            } else {
                open.extend(group);
            }
        }
        n_parts += 1;
    }
    names
}

fn last_parts(id: &WorkspaceId, count: usize) -> String {
    let parts: Vec<String> = id
        .path()
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| display_text::bytes(part.as_os_str().as_encoded_bytes()))
        .collect();
    if parts.is_empty() {
        return id.to_string();
    }
    parts[parts.len().saturating_sub(count)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_grow_only_where_two_are_the_same() {
        let ids = ["/a/x/main", "/a/y/main", "/a/feature", "/"].map(WorkspaceId::local);
        let names: Vec<String> = names(ids.iter()).into_values().collect();
        assert_eq!(names, ["/", "feature", "x/main", "y/main"]);
    }
}
