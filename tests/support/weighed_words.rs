//! Collects and weighs the words of one workspace as the engine does.

use std::path::Path;

use closeout::agent::Adapter;
use closeout::evidence::{CollectContext, Memory, collect};
use closeout::judge::weigh::{WeighContext, weigh};
use closeout::model::{
    CollectRequest, OfferPolicy, Parts, Policy, Sample, SessionPlace, TaskKind, Timestamp, WorkspaceId,
    WorkspaceSettings,
};

/// The input of the collection.
pub(crate) struct Asked<'a> {
    pub(crate) workspace: &'a Path,
    pub(crate) task_kind: TaskKind,
    pub(crate) adapter: Adapter,
    pub(crate) sessions: Vec<SessionPlace>,
    /// The current time, in milliseconds since the epoch.
    pub(crate) now: i64,
    /// The session in which the check was started.
    pub(crate) own_session: Option<&'a str>,
}

/// The sample weighed from these words.
pub(crate) fn sample(asked: Asked<'_>) -> Sample {
    let own_session = asked.own_session.map(Into::into);
    let settings = WorkspaceSettings { own_session, ..WorkspaceSettings::default() };
    let policy =
        Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 };
    let request = CollectRequest {
        workspace: WorkspaceId::local(asked.workspace),
        generation: 1,
        parts: Parts::WORDS,
        settings: settings.clone(),
        policy: policy.clone(),
        task_kind: asked.task_kind,
        git_reader: None,
        baseline: None,
        named: None,
        task_at: None,
        sessions: asked.sessions,
        prompted_at: None,
        not_before: Timestamp(0),
    };
    let context = CollectContext {
        now: Timestamp(asked.now),
        home: None,
        adapters: vec![asked.adapter],
        hook_folder: None,
        git_program: None,
        live: None,
        budget: closeout::process::Budget::default(),
        ending: None,
    };
    let found = collect(&request, &context, &mut Memory::default()).unwrap();
    weigh(found, &WeighContext::new(asked.task_kind, &policy, &settings))
}
