//! The state of all workspaces as data: what is known of each, what to report to fronts, and what is due. No
//! rules here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::{Effect, Parts, Policy, Response, Timestamp, WatchSettings, WorkspaceId, WorkspaceView};

use super::automatic::AutoProbePolicy;
use super::collecting::Started;
use super::timers::Timers;
use super::tracked::Tracked;
use super::view;

/// The state of all workspaces.
#[derive(Debug)]
pub struct Monitor {
    pub(super) policy: Policy,
    pub(super) settings: WatchSettings,
    /// Boxed, because a B-tree node has room for eleven values and holds about six.
    pub(super) workspaces: BTreeMap<WorkspaceId, Box<Tracked>>,
    pub(super) names: BTreeMap<WorkspaceId, String>,
    /// Workspaces touched by the current event: nothing else can have become due before its time.
    pub(super) touched: BTreeSet<WorkspaceId>,
    pub(super) timers: Timers,
    pub(super) refused: Vec<(PathBuf, String)>,
    pub(super) n_older_sessions: usize,
    /// Workspaces whose view changed since a front last asked.
    pub(super) changed: BTreeSet<WorkspaceId>,
    /// Workspaces removed since a front last asked.
    pub(super) removed: Vec<WorkspaceId>,
    /// What the current event asks of the outside world.
    pub(super) effects: Vec<Effect>,
    /// Answers for the person.
    pub(super) responses: Vec<Response>,
    pub(super) reconcile_at: Timestamp,
    pub(super) wake_at: Option<Timestamp>,
    /// The time of the newest event.
    pub(super) newest_at: Timestamp,
    pub(super) is_discovered: bool,
    /// The collections that were started.
    pub(super) started: Started,
    /// The number of the last action that was started.
    pub(super) last_action: u64,
    /// The rules for asking agents without a person's request; `None` asks no agent.
    pub(super) auto_probe_policy: Option<AutoProbePolicy>,
    /// Whether this monitor sends held replies.
    pub(super) sends_held: bool,
}

/// What changed since a front last asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewChanges {
    /// New and changed views.
    pub views: Vec<WorkspaceView>,
    /// Workspaces that no longer exist.
    pub removed: Vec<WorkspaceId>,
    /// Answers to what a person wanted, in the order in which they arrived.
    pub responses: Vec<Response>,
}

impl Monitor {
    /// A monitor that knows no workspace yet.
    pub fn new(policy: Policy, settings: WatchSettings) -> Monitor {
        Monitor {
            policy,
            settings,
            workspaces: BTreeMap::new(),
            names: BTreeMap::new(),
            touched: BTreeSet::new(),
            timers: Timers::default(),
            refused: Vec::new(),
            n_older_sessions: 0,
            changed: BTreeSet::new(),
            removed: Vec::new(),
            effects: Vec::new(),
            responses: Vec::new(),
            reconcile_at: Timestamp(0),
            wake_at: None,
            newest_at: Timestamp(0),
            is_discovered: false,
            started: Started::none(),
            last_action: 0,
            auto_probe_policy: None,
            sends_held: false,
        }
    }

    /// Returns what changed since the last call, and resets it.
    pub fn take_changes(&mut self) -> ViewChanges {
        let views = std::mem::take(&mut self.changed)
            .iter()
            .filter_map(|id| {
                let tracked = self.workspaces.get(id)?;
                Some(view::view(tracked, self.names.get(id).map_or("", String::as_str)))
            })
            .collect();
        ViewChanges {
            views,
            removed: std::mem::take(&mut self.removed),
            responses: std::mem::take(&mut self.responses),
        }
    }

    /// Paths that were given but are not workspaces, each with the reason.
    pub fn refused(&self) -> &[(PathBuf, String)] {
        &self.refused
    }

    /// How many sessions were left out because they are old.
    pub fn n_older_sessions(&self) -> usize {
        self.n_older_sessions
    }

    /// True once discovery has answered and every workspace has been read at least once.
    pub fn is_all_judged(&self) -> bool {
        self.is_discovered && self.workspaces.values().all(|tracked| tracked.is_judged())
    }

    /// True once discovery has answered.
    pub fn is_discovered(&self) -> bool {
        self.is_discovered
    }

    pub(super) fn look_at_all(&mut self, parts: Parts, at: Timestamp) {
        for tracked in self.workspaces.values_mut() {
            tracked.changed(parts, at);
        }
        self.touch_all();
    }

    pub(super) fn touch_all(&mut self) {
        self.touched.extend(self.workspaces.keys().cloned());
    }

    /// Changes a workspace, if it is known.
    pub(super) fn with(&mut self, id: &WorkspaceId, change: impl FnOnce(&mut Tracked)) {
        self.with_effects(id, |tracked| {
            change(tracked);
            None
        });
    }

    /// Changes a workspace, if it is known, and takes the effects of that.
    pub(super) fn with_effects<E: IntoIterator<Item = Effect>>(
        &mut self,
        id: &WorkspaceId,
        change: impl FnOnce(&mut Tracked) -> E,
    ) {
        if let Some(tracked) = self.workspaces.get_mut(id) {
            self.effects.extend(change(tracked));
            self.touched.insert(id.clone());
        }
    }
}

/// Milliseconds as the signed type that timestamps use; saturates.
pub(super) fn millis(span: u64) -> i64 {
    i64::try_from(span).unwrap_or(i64::MAX)
}
