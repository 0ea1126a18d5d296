//! The engine on real repositories: watching, hanging and vanishing workspaces, answers to effects.

use std::collections::BTreeMap;
use std::time::Duration;

use closeout::config::{Config, Sources};
use closeout::engine::{Engine, Launch, Overlay, Scope, judge_once};
use closeout::model::{Rule, VerdictState, WorkspaceView};

use crate::support::repo::{Repo, git_program};

/// No condition of these tests takes so long on any machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn launch(repo: &Repo, paths: &[&Repo]) -> Launch {
    let configuration = repo.home().join("config.toml");
    std::fs::write(&configuration, "[watch]\ncollect_limit_seconds = 1\n").unwrap();
    let sources = Sources {
        environment: BTreeMap::from([("CLOSEOUT_CONFIG".into(), configuration.into())]),
        home: Some(repo.home()),
        ..Sources::default()
    };
    Launch {
        config: Config::load(&sources).unwrap(),
        scope: Scope::Worktrees {
            with_sessions: false,
            here: repo.path().to_owned(),
            paths: paths.iter().map(|repo| repo.path().to_owned()).collect(),
        },
        overlay: Overlay::default(),
        home: Some(repo.home()),
        adapters: Vec::new(),
        variables: BTreeMap::new(),
        git_program: Some(git_program()),
        own_program: Some(env!("CARGO_BIN_EXE_closeout").into()),
        live: None,
        state_folder: Some(repo.root().join("state")),
    }
}

/// A front without a screen.
struct Front {
    engine: Engine,
    views: BTreeMap<String, WorkspaceView>,
}

impl Front {
    fn start(launch: Launch) -> Front {
        Front { engine: Engine::start(launch), views: BTreeMap::new() }
    }

    /// Turns the engine until the views are as wanted.
    async fn until(&mut self, what: &str, is_so: impl Fn(&BTreeMap<String, WorkspaceView>) -> bool) {
        let turning = async {
            loop {
                let changes = self.engine.take_changes();
                self.views.extend(changes.views.into_iter().map(|view| (view.name.clone(), view)));
                self.views.retain(|_, view| !changes.removed.contains(&view.id));
                if is_so(&self.views) {
                    break;
                }
                self.engine.turn().await;
            }
        };
        let is_done = tokio::time::timeout(PATIENCE, turning).await.is_ok();
        let states: Vec<_> = self.views.iter().map(|(name, view)| (name, state(view))).collect();
        assert!(is_done, "never came: {what}; states: {states:?}");
    }
}

fn state(view: &WorkspaceView) -> Option<VerdictState> {
    view.verdict.as_ref().map(|verdict| verdict.state)
}

fn is(views: &BTreeMap<String, WorkspaceView>, name: &str, wanted: VerdictState) -> bool {
    views.get(name).and_then(state) == Some(wanted)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
    runtime.shutdown_background();
}

#[test]
fn what_happens_on_disk_becomes_a_verdict() {
    let main = Repo::new();
    let work = main.worktree("work");
    run(async {
        let mut front = Front::start(launch(&main, &[]));
        front.until("the first verdicts", |views| is(views, "work", VerdictState::Incomplete)).await;
        work.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
        front.until("done, nothing to commit", |views| is(views, "work", VerdictState::Complete)).await;
        work.write("parser.rs", "fn parse() {}\n");
        work.write(".closeout/decision.json", r#"{"decision": "complete"}"#);
        front.until("done, not committed", |views| is(views, "work", VerdictState::RescueNeeded)).await;
        work.stage("parser.rs");
        work.git(["commit", "-q", "-m", "parser"]);
        front
            .until("committed", |views| {
                let verdict = views["work"].verdict.as_ref().unwrap();
                verdict.rule == Rule::YesWithCommits && verdict.warnings.is_empty()
            })
            .await;
        work.write(".closeout/decision.json", r#"{"decision":"incomplete","reasons":["no tests"]}"#);
        front.until("a no", |views| is(views, "work", VerdictState::Incomplete)).await;
    });
}

#[test]
fn worktrees_come_and_go_by_themselves() {
    let main = Repo::new();
    run(async {
        let mut front = Front::start(launch(&main, &[]));
        front.until("the main one", |views| is(views, "repo", VerdictState::Incomplete)).await;
        let late = main.worktree("late");
        front.until("a new one", |views| is(views, "late", VerdictState::Incomplete)).await;
        main.git(["worktree", "remove", "--force", &late.path().display().to_string()]);
        front.until("it goes", |views| !views.contains_key("late")).await;
    });
}

#[test]
fn a_workspace_that_hangs_is_said_and_the_others_are_judged() {
    let main = Repo::new();
    let healthy = main.worktree("healthy");
    healthy.commit_file("work.rs");
    let hanging = main.worktree("hanging");
    hanging.write("deep/file", "x");
    hanging.fifo(&hanging.at("deep/.gitignore"));
    run(async {
        let mut front = Front::start(launch(&main, &[]));
        front.until("the healthy one", |views| is(views, "healthy", VerdictState::Complete)).await;
        assert_ne!(state(&front.views["hanging"]), Some(VerdictState::Complete));
        front.until("the hanging one", |views| is(views, "hanging", VerdictState::Error)).await;
        // The others still answer.
        healthy.write(".closeout/decision.json", r#"{"decision":"incomplete"}"#);
        front.until("the healthy one again", |views| is(views, "healthy", VerdictState::Incomplete)).await;
        std::fs::remove_file(hanging.at("deep/.gitignore")).unwrap();
        hanging.commit_file("other.rs");
        front.until("it answers again", |views| is(views, "hanging", VerdictState::Complete)).await;
    });
}

#[test]
fn a_directory_that_vanishes_is_said_and_returns() {
    let main = Repo::new();
    let other = Repo::new();
    other.commit_file("work.rs");
    let moved = other.root().join("moved");
    run(async {
        let plain = other.beside("plain");
        plain.write("report.md", "# Report\n\nAll three services are up.\n");
        let mut front = Front::start(launch(&main, &[&plain]));
        front
            .until("it is there", |views| views.get("plain").is_some_and(|view| state(view).is_some()))
            .await;
        std::fs::rename(plain.path(), &moved).unwrap();
        front
            .until("it is gone", |views| {
                views["plain"].problem.as_ref().is_some_and(|problem| problem.starts_with("gone"))
            })
            .await;
        std::fs::rename(&moved, plain.path()).unwrap();
        front.until("it is back", |views| views["plain"].problem.is_none()).await;
    });
}

#[test]
fn the_baseline_of_the_first_look_holds_over_restarts() {
    let main = Repo::new();
    let launch = launch(&main, &[]);
    let first = judge_once(&launch).views.remove(0);
    assert_eq!(state(&first), Some(VerdictState::Incomplete));
    main.commit_file("work.rs");
    let second = judge_once(&launch).views.remove(0);
    assert_eq!(state(&second), Some(VerdictState::Complete));
    let baselines = [&first, &second].map(|view| view.git.as_ref().unwrap().baseline.clone());
    assert_eq!(baselines[0], baselines[1]);
}
