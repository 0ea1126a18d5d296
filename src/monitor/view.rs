//! Turns the state of a workspace into what a front shows of it. It changes nothing.

use std::collections::{BTreeMap, HashMap};
use std::path::Component;

use crate::model::{Activity, Attention, WorkspaceId, WorkspaceView, display_text};

use super::attention;
use super::tracked::Tracked;

/// The view of one workspace.
pub(super) fn view(tracked: &Tracked, name: &str) -> WorkspaceView {
    let snapshot = &tracked.snapshot;
    let words = &snapshot.session_facts;
    let sessions = tracked.sessions_and_run();
    WorkspaceView {
        id: tracked.id.clone(),
        name: name.to_owned(),
        task_kind: tracked.task_kind(),
        verdict: tracked.verdict.clone(),
        verdict_since: tracked.verdict_since,
        is_found_state: tracked.is_found_state,
        attention: tracked
            .verdict
            .as_ref()
            .and_then(|verdict| {
                attention::attention(verdict, &sessions, tracked.unseen_run_end(), tracked.is_seen)
            })
            .filter(|attention| {
                let is_quiet = tracked.actions.marks.quiet.is_some();
                !is_quiet || matches!(attention, Attention::Permission | Attention::Asks)
            }),
        agent: words.agent.clone(),
        model: words.model.clone(),
        activity: words.activity.clone().unwrap_or_else(Activity::unknown),
        sessions,
        run: tracked.run.clone(),
        run_end: tracked.run_end().cloned(),
        git: snapshot.git.clone(),
        checklists: snapshot.checklists.iter().map(|(_, checklist)| checklist.clone()).collect(),
        last_words: words.last_words.clone(),
        prompt: words.prompt.clone(),
        decision: words.decision.clone(),
        action: tracked.actions.running.clone(),
        answering: tracked.actions.answering.clone(),
        history: tracked.actions.history.clone(),
        timeline: tracked.actions.timeline.clone(),
        checks: tracked.settings().checks.checks.clone(),
        drafts: tracked.actions.drafts.clone(),
        held: tracked.actions.held.replies.clone(),
        receipts: tracked.actions.receipts.clone(),
        smart_check: tracked.actions.smart_check.clone(),
        verified: tracked.actions.verified.clone(),
        marks: tracked.actions.marks.clone(),
        chosen: tracked.settings().chosen.clone(),
        not_asked: tracked.auto_probe.hindrance(words),
        problem: problem(tracked),
        is_collecting: tracked.is_collecting(),
        is_seen: tracked.is_seen,
        generation: snapshot.generation,
        taken_at: tracked.verdict.as_ref().map(|_| snapshot.taken_at),
        tree_at: snapshot.tree_at,
    }
}

/// Everything that keeps closeout from reading properly, most serious first.
fn problem(tracked: &Tracked) -> Option<String> {
    let problems: Vec<&str> = [&tracked.problem, &tracked.settings_problem, &tracked.watch_problem]
        .into_iter()
        .filter_map(|problem| problem.as_deref())
        .collect();
    (!problems.is_empty()).then(|| display_text::line(&problems.join("; ")).into_owned())
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
