//! What closeout itself does in a world: it looks, takes a person's word, rescues. All by the entries that its commands use.

use std::collections::BTreeMap;
use std::fs;

use closeout::agent::Adapter;
use closeout::config::{Config, Sources};
use closeout::engine::{EngineConfig, OneShot, Scope};
use closeout::evidence::LiveSources;
use closeout::judge::runs::Catalog;
use closeout::model::{
    Action, ActionClass, ActionOutcome, BranchPlan, MarkOrder, RecordOrder, RunEnding, RunIteration,
    RunStatus, SupervisedRun, TaskKind, Timestamp, WorkspaceView,
};
use closeout::store::Store;

use super::own_agent::DESCRIBED;
use super::world::World;
use crate::support::repo::git_program;

impl World {
    /// Writes the records of all sessions, and what a command of closeout starts with here.
    fn engine_config(&self) -> EngineConfig {
        let home = self.home();
        self.claude.values().for_each(|session| session.write(&home));
        self.codex.values().for_each(|session| session.write(&home));
        self.opencode.values().for_each(|session| session.write(&home));
        self.gemini.values().for_each(|session| session.write(&home));
        self.own.values().for_each(super::own_agent::OwnAgent::write);
        let described = if self.own.is_empty() { "" } else { DESCRIBED };
        fs::create_dir_all(home.join(".config/closeout")).unwrap();
        fs::write(home.join(".config/closeout/config.toml"), format!("{}{described}", self.config)).unwrap();
        let sources = Sources { home: Some(home.clone()), flags: self.flags.clone(), ..Sources::default() };
        let config = Config::load(&sources).unwrap();
        let mut adapters = Adapter::all(|folder| folder.path(Some(&home), |_| None));
        adapters.extend(config.agents().iter().cloned().map(Adapter::described));
        EngineConfig {
            catalog: Catalog::with(config.tools()),
            config,
            scope: Scope::One(self.work()),
            overrides: self.overrides.clone(),
            temporary_folders: if self.is_temporary { vec![self.work()] } else { Vec::new() },
            home: Some(home.clone()),
            adapters,
            variables: BTreeMap::new(),
            git_program: Some(git_program()),
            own_program: None,
            live: Some(LiveSources::new(None)),
            state_folder: Some(self.root.path().join("state")),
            has_terminal: false,
        }
    }

    /// The workspace, as `closeout check` finds it.
    pub(super) fn view(&self) -> WorkspaceView {
        let judged = OneShot::judge(&self.engine_config()).judged();
        judged.views.into_iter().next().unwrap_or_else(|| panic!("{:?}", judged.refused))
    }

    /// A person's word, as `closeout mark` takes it.
    pub(super) fn mark(&self, words: &str) {
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        let order = match word {
            "done" => MarkOrder::Done,
            "open" => MarkOrder::Open,
            "quiet" => MarkOrder::Quiet,
            "clear" => MarkOrder::Clear,
            "baseline-here" => MarkOrder::BaselineHere,
            "not-of-this-task" => {
                MarkOrder::NotOfThisTask { point: Some(rest.to_owned()).filter(|point| !point.is_empty()) }
            }
            "kind" => MarkOrder::TaskKind { task_kind: TaskKind::from_name(rest).unwrap() },
            _ => panic!("no such word: {words}"),
        };
        let outcome = self.perform(|_| Action::Mark { order: order.clone(), reason: None });
        assert!(matches!(outcome, ActionOutcome::Marked { .. }), "{outcome:?}");
    }

    /// All uncommitted work becomes a visible commit.
    pub(super) fn rescue(&self) {
        let outcome = self.perform(|outcome| match outcome {
            Some(ActionOutcome::RescuePlanned(plan)) => {
                let mut plan = plan.clone();
                plan.choose_usual();
                Action::Rescue { plan }
            }
            _ => Action::PlanRescue { message: None, order: RecordOrder::default() },
        });
        assert!(matches!(outcome, ActionOutcome::Rescued { .. }), "{outcome:?}");
    }

    /// A supervised run of a command without a record, which ended: how, and after how many seconds.
    pub(super) fn ran(&self, at: i64, words: &str) {
        let (status, seconds) = words.split_once(' ').unwrap();
        let status: RunStatus = serde_json::from_value(status.into()).unwrap();
        let began_at = Timestamp((at - seconds.parse::<i64>().unwrap()) * 1000);
        let run = SupervisedRun {
            id: "r".to_owned(),
            began_at,
            iterations: vec![RunIteration { number: 1, began_at, ..RunIteration::default() }],
            ended: Some(RunEnding { at: Timestamp(at * 1000), status }),
            ..SupervisedRun::default()
        };
        let id = OneShot::judge(&self.engine_config()).judged().views[0].id.clone();
        Store::open(self.root.path().join("state")).unwrap().keep_run(&id, &run).unwrap();
    }

    /// The branch that a rescue would make for commits that none holds.
    pub(super) fn branch_plan(&self) -> Option<BranchPlan> {
        let outcome = self.perform(|_| Action::PlanRescue { message: None, order: RecordOrder::default() });
        if let ActionOutcome::BranchPlanned(plan) = outcome {
            return Some(*plan);
        }
        assert_eq!(outcome.class(), ActionClass::Nothing, "{outcome:?}");
        None
    }

    /// Has an action carried out, and the one that follows from its plan.
    fn perform(&self, action: impl Fn(Option<&ActionOutcome>) -> Action) -> ActionOutcome {
        let config = self.engine_config();
        let mut all = OneShot::judge(&config);
        let id = all.judged().views[0].id.clone();
        let outcome = all.action(&id, action(None), &|_| {});
        if matches!(outcome, ActionOutcome::RescuePlanned(_)) {
            all.action(&id, action(Some(&outcome)), &|_| {})
        } else {
            outcome
        }
    }
}
