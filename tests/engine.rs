//! The engine on real repositories: watching, hanging and vanishing workspaces, answers to effects.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use closeout::agent::Adapter;
use closeout::config::{Config, Sources};
use closeout::engine::{Engine, EngineConfig, FrontKind, OneShot, Overrides, Scope, clock};
use closeout::judge::runs::Catalog;
use closeout::model::{
    Action, ActionOutcome, Baseline, BaselineOrigin, CollectProblem, Intent, RecordOrder, Response, Rule,
    Timestamp, VerdictState, WorkspaceId, WorkspaceView,
};
use closeout::store::Store;

use crate::support::repo::{Repo, git_program};

/// No condition of these tests takes so long on any machine.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) fn engine_config(repo: &Repo, paths: &[&Repo]) -> EngineConfig {
    let configuration = repo.home().join("config.toml");
    std::fs::write(&configuration, "[watch]\ncollect_limit_seconds = 1\n").unwrap();
    let sources = Sources {
        environment: BTreeMap::from([("CLOSEOUT_CONFIG".into(), configuration.into())]),
        home: Some(repo.home()),
        ..Sources::default()
    };
    EngineConfig {
        config: Config::load(&sources).unwrap(),
        catalog: Catalog::built_in(),
        scope: Scope::Worktrees {
            with_sessions: false,
            here: repo.path().to_owned(),
            paths: paths.iter().map(|repo| repo.path().to_owned()).collect(),
        },
        overrides: Overrides::default(),
        home: Some(repo.home()),
        temporary_folders: Vec::new(),
        adapters: Vec::new(),
        variables: BTreeMap::new(),
        git_program: Some(git_program()),
        own_program: Some(env!("CARGO_BIN_EXE_closeout").into()),
        live: None,
        state_folder: Some(repo.root().join("state")),
        has_terminal: false,
    }
}

/// A front without a screen.
pub(crate) struct Front {
    engine: Engine,
    views: BTreeMap<String, WorkspaceView>,
    responses: Vec<Response>,
}

impl Front {
    pub(crate) fn start(engine_config: EngineConfig) -> Front {
        Front {
            engine: Engine::start(engine_config, FrontKind::Display),
            views: BTreeMap::new(),
            responses: Vec::new(),
        }
    }

    /// Wishes the same of all workspaces.
    pub(crate) fn want_of_all(&mut self, intent: impl Fn(WorkspaceId) -> Intent) {
        for view in self.views.values() {
            self.engine.want(intent(view.id.clone()));
        }
    }

    /// What is known.
    pub(crate) fn views(&self) -> impl Iterator<Item = &WorkspaceView> {
        self.views.values()
    }

    /// Turns the engine for so long, and takes over what changed.
    pub(crate) async fn turn_for(&mut self, span: Duration) {
        let turning = async {
            loop {
                self.engine.turn().await;
            }
        };
        let _ = tokio::time::timeout(span, turning).await;
        self.take();
    }

    /// Takes over what changed.
    fn take(&mut self) {
        let changes = self.engine.take_changes();
        self.views.extend(changes.views.into_iter().map(|view| (view.name.clone(), view)));
        self.views.retain(|_, view| !changes.removed.contains(&view.id));
        self.responses.extend(changes.responses);
    }

    /// Turns the engine until the problems of its last survey are these.
    async fn until_problems(&mut self, are: impl Fn(&[String]) -> bool) {
        let turning = async {
            while !self.engine.is_discovered() || !are(self.engine.problems()) {
                self.engine.turn().await;
                self.take();
            }
        };
        tokio::time::timeout(PATIENCE, turning).await.expect("the problems stayed others");
    }

    /// Turns the engine until something is told, and takes it.
    async fn answer(&mut self) -> Response {
        let turning = async {
            loop {
                self.take();
                if !self.responses.is_empty() {
                    break self.responses.remove(0);
                }
                self.engine.turn().await;
            }
        };
        tokio::time::timeout(PATIENCE, turning).await.expect("nothing was told")
    }

    /// Turns the engine until somebody reads from a FIFO, and returns its other end.
    async fn until_read(&mut self, fifo: &Path) -> File {
        let began = clock::now();
        loop {
            // It opens only if it is being read.
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
            if let Ok(opened) = rustix::fs::open(fifo, flags, rustix::fs::Mode::empty()) {
                return File::from(opened);
            }
            assert!(clock::now().millis_since(began) < 60_000, "{} was never read", fifo.display());
            // What happens on disk is no turn of the engine.
            let _ = tokio::time::timeout(Duration::from_millis(20), self.engine.turn()).await;
        }
    }

    /// Turns the engine until the views are as wanted.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        is_so: impl Fn(&BTreeMap<String, WorkspaceView>) -> bool,
    ) {
        let turning = async {
            loop {
                self.take();
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
    view.verdict.as_deref().map(|verdict| verdict.state)
}

fn is(views: &BTreeMap<String, WorkspaceView>, name: &str, wanted: VerdictState) -> bool {
    views.get(name).and_then(state) == Some(wanted)
}

pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
    runtime.shutdown_background();
}

#[test]
fn what_happens_on_disk_becomes_a_verdict() {
    let main = Repo::new();
    let work = main.worktree("work");
    run(async {
        let mut front = Front::start(engine_config(&main, &[]));
        front.until("the first verdicts", |views| is(views, "work", VerdictState::NoTask)).await;
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
                verdict.rule() == Rule::YesWithCommits && verdict.warnings.is_empty()
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
        let mut front = Front::start(engine_config(&main, &[]));
        front.until("the main one", |views| is(views, "repo", VerdictState::NoTask)).await;
        let late = main.worktree("late");
        front.until("a new one", |views| is(views, "late", VerdictState::NoTask)).await;
        main.git(["worktree", "remove", "--force", &late.path().display().to_string()]);
        front.until("it goes", |views| !views.contains_key("late")).await;
    });
}

// J05, W03
#[test]
fn a_workspace_that_hangs_is_said_and_the_others_are_judged() {
    let main = Repo::new();
    let healthy = main.worktree("healthy");
    healthy.commit_file("work.rs");
    let hanging = main.worktree("hanging");
    hanging.write("deep/file", "x");
    hanging.fifo(&hanging.at("deep/.gitignore"));
    run(async {
        let mut front = Front::start(engine_config(&main, &[]));
        front.until("the healthy one", |views| is(views, "healthy", VerdictState::NoTask)).await;
        assert_ne!(state(&front.views["hanging"]), Some(VerdictState::Complete));
        front.until("the hanging one", |views| is(views, "hanging", VerdictState::Error)).await;
        // The others still answer.
        healthy.write(".closeout/decision.json", r#"{"decision":"incomplete"}"#);
        front.until("the healthy one again", |views| is(views, "healthy", VerdictState::Incomplete)).await;
        std::fs::remove_file(hanging.at("deep/.gitignore")).unwrap();
        hanging.commit_file("other.rs");
        front.until("it answers again", |views| is(views, "hanging", VerdictState::NoTask)).await;
    });
}

// W04
#[test]
fn a_directory_that_vanishes_is_said_and_returns() {
    let main = Repo::new();
    let other = Repo::new();
    other.commit_file("work.rs");
    let moved = other.root().join("moved");
    run(async {
        let plain = other.beside("plain");
        plain.write("report.md", "# Report\n\nAll three services are up.\n");
        let mut front = Front::start(engine_config(&main, &[&plain]));
        front
            .until("it is there", |views| views.get("plain").is_some_and(|view| state(view).is_some()))
            .await;
        std::fs::rename(plain.path(), &moved).unwrap();
        front
            .until("it is gone", |views| {
                views["plain"].reading.problems.reading == Some(CollectProblem::Gone)
            })
            .await;
        std::fs::rename(&moved, plain.path()).unwrap();
        front.until("it is back", |views| views["plain"].reading.problems.is_empty()).await;
    });
}

/// A session of opencode that is made while the screen is open.
#[test]
fn problems_of_a_survey_last_as_long_as_they_do_and_a_database_may_be_made() {
    let main = Repo::new();
    let data = main.home().join("opencode");
    std::fs::create_dir(&data).unwrap();
    let database = data.join("opencode.db");
    let open = || rusqlite::Connection::open(&database).unwrap();
    open().execute_batch("CREATE TABLE session (id TEXT)").unwrap();
    let config = EngineConfig {
        adapters: vec![Adapter::named("opencode", data.clone()).unwrap()],
        ..engine_config(&main, &[])
    };
    let whole = "ALTER TABLE session ADD COLUMN directory TEXT; ALTER TABLE session ADD COLUMN time_updated INTEGER; \
                 CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)";
    run(async {
        let mut front = Front::start(config.clone());
        front.until_problems(|problems| problems.len() == 1 && problems[0].contains("lacks what")).await;
        open().execute_batch(whole).unwrap();
        front.until_problems(<[String]>::is_empty).await;
        assert_eq!(front.engine.take_notices(), Vec::<String>::new(), "nothing of it stays");
    });
    // As opencode begins: a file, and a moment later its tables.
    std::fs::write(&database, "").unwrap();
    assert_eq!(OneShot::judge(&config).judged().notices, Vec::<String>::new());
    let file = File::options().write(true).open(&database).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert!(OneShot::judge(&config).judged().notices[0].contains("lacks what"));
}

#[test]
fn the_baseline_of_the_first_look_holds_over_restarts() {
    let main = Repo::new();
    let engine_config = engine_config(&main, &[]);
    let first = OneShot::judge(&engine_config).judged().views.remove(0);
    main.commit_file("work.rs");
    let second = OneShot::judge(&engine_config).judged().views.remove(0);
    let n_new = |view: &WorkspaceView| view.git.as_ref().unwrap().commits.n_new;
    assert_eq!((n_new(&first), n_new(&second)), (0, 1));
    let baselines = [&first, &second].map(|view| view.git.as_ref().unwrap().baseline.clone());
    assert_eq!(baselines[0], baselines[1]);
}

/// A rescue that holds still in the middle of its commit: the last git before the branch is moved waits for a line. It
/// may write nowhere, so it is seen by its reading.
struct Moving {
    repo: Repo,
    id: WorkspaceId,
    front: Front,
    release: File,
}

impl Moving {
    async fn begin() -> Moving {
        let repo = Repo::new();
        // `main` is protected.
        repo.switch("work");
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            repo.git(["config", key, value]);
        }
        repo.write("work.rs", "fn work() {}\n");
        let release = repo.root().join("release");
        repo.fifo(&release);
        let body = format!(
            "case \"$*\" in *\"worktree list\"*) read -r line < {};; esac\nexec {} \"$@\"",
            release.display(),
            git_program().display()
        );
        let mut engine_config = engine_config(&repo, &[]);
        engine_config.git_program = Some(repo.script("slow-git", &body));
        let mut front = Front::start(engine_config);
        front.until("a verdict", |views| views.values().any(|view| state(view).is_some())).await;
        let id = front.views.values().next().unwrap().id.clone();
        let plan = Action::PlanRescue { message: None, order: RecordOrder::default() };
        let planned = want(&mut front, &id, plan).await;
        let ActionOutcome::RescuePlanned(plan) = planned else { panic!("{planned:?}") };
        front.engine.want(action(&id, Action::Rescue { plan }));
        let release = front.until_read(&release).await;
        front.until("what runs", |views| views.values().any(|view| view.actions.running.is_some())).await;
        Moving { repo, id, front, release }
    }

    fn release(&mut self) {
        writeln!(self.release).unwrap();
    }

    fn is_committed(&self) -> bool {
        self.repo.git(["log", "-1", "--format=%an"]) == "Ada"
    }
}

fn action(id: &WorkspaceId, action: Action) -> Intent {
    Intent::Action { workspace: id.clone(), action: Box::new(action) }
}

async fn want(front: &mut Front, id: &WorkspaceId, wanted: Action) -> ActionOutcome {
    front.engine.want(action(id, wanted));
    let told = front.answer().await;
    let Response::Action { outcome, .. } = told else { panic!("{told:?}") };
    *outcome
}

#[test]
fn a_commit_that_is_being_made_is_finished_whoever_ends_it_and_that_is_said() {
    run(async {
        let mut moving = Moving::begin().await;
        let number = moving.front.views.values().next().unwrap().actions.running.as_ref().unwrap().number;
        moving.front.engine.want(Intent::CancelAction { workspace: moving.id.clone(), number });
        let told = moving.front.answer().await;
        assert!(
            matches!(&told, Response::EndsLater { workspace, .. } if *workspace == moving.id),
            "{told:?}"
        );
        let running = moving.front.views.values().next().unwrap().actions.running.clone().unwrap();
        assert!(!running.is_cancelled, "it goes on, and is not shown as one that is being ended");
        moving.release();
        let told = moving.front.answer().await;
        assert!(
            matches!(&told, Response::Action { outcome, .. } if matches!(**outcome, ActionOutcome::Rescued(_))),
            "{told:?}"
        );
        assert!(moving.is_committed());
    });
}

/// K04
#[test]
fn at_the_end_a_commit_that_is_being_made_is_finished() {
    run(async {
        let mut moving = Moving::begin().await;
        // The first is polled first.
        let (left, ()) = tokio::join!(moving.front.engine.finish(PATIENCE), async {
            writeln!(moving.release).unwrap();
        });
        assert_eq!(left, Vec::<String>::new());
        let told = moving.front.answer().await;
        assert!(
            matches!(&told, Response::Action { outcome, .. } if matches!(**outcome, ActionOutcome::Rescued(_))),
            "{told:?}"
        );
        assert!(moving.is_committed());
        // Nothing begins any more.
        let plan = Action::PlanRescue { message: None, order: RecordOrder::default() };
        let outcome = want(&mut moving.front, &moving.id.clone(), plan).await;
        assert!(
            matches!(&outcome, ActionOutcome::Failed(problem) if problem.class == closeout::model::ActionClass::Cancelled),
            "{outcome:?}"
        );
    });
}

/// The end does not wait for ever; what a crash leaves there is brought to an end by the next start.
#[test]
fn what_does_not_end_in_time_is_named_at_the_end() {
    run(async {
        let mut moving = Moving::begin().await;
        let left = moving.front.engine.finish(Duration::from_millis(50)).await;
        assert_eq!(left, [format!("rescue in {}", moving.repo.path().display())]);
        moving.release();
        let told = moving.front.answer().await;
        assert!(matches!(&told, Response::Action { .. }), "{told:?}");
    });
}

#[test]
fn what_was_remembered_of_a_directory_that_is_gone_for_long_is_forgotten() {
    let main = Repo::new();
    let store = Store::open(main.root().join("state")).unwrap();
    let (gone, back) = (main.root().join("gone"), main.root().join("back"));
    for path in [&gone, &back] {
        let baseline = Baseline {
            commit: main.head().parse().ok(),
            origin: BaselineOrigin::FirstSeen,
            set_at: Timestamp(1_000),
            commit_time: None,
        };
        store.remember_baseline(&WorkspaceId::local(path.clone()), &baseline).unwrap();
    }
    // Both were missed for the first time long ago, and one is there again.
    assert_eq!(store.forget_gone(clock::now().plus_millis(-91 * 24 * 3_600_000)).unwrap(), 0);
    std::fs::create_dir(&back).unwrap();
    run(async {
        let mut front = Front::start(engine_config(&main, &[]));
        let known = || store.baselines().unwrap().baselines;
        let began = clock::now();
        while known().contains_key(&WorkspaceId::local(gone.clone())) {
            assert!(clock::now().millis_since(began) < 60_000, "it was never forgotten");
            let _ = tokio::time::timeout(Duration::from_millis(20), front.engine.turn()).await;
        }
        assert!(known().contains_key(&WorkspaceId::local(back)));
    });
}

/// A loop in a shell checks with an id while a screen is open, which counts the same decisions without one.
#[test]
fn a_loop_stalls_beside_an_open_screen() {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    let config = engine_config(&repo, &[]);
    let store = Store::open(repo.root().join("state")).unwrap();
    let id = WorkspaceId::local(repo.path());
    let looped = EngineConfig {
        scope: Scope::One(repo.path().to_owned()),
        overrides: Overrides { check_id: Some("loop".to_owned()), ..Overrides::default() },
        ..config.clone()
    };
    let stage = |view: &WorkspaceView| view.verdict.as_ref().map_or(0, |verdict| verdict.stage);
    run(async {
        let mut front = Front::start(config);
        front.until("the first verdict", |views| views.values().all(|view| view.verdict.is_some())).await;
        let mut stages = Vec::new();
        for round in 1..=3_u8 {
            repo.write(".closeout/next", r#"{"decision":"incomplete","reasons":["no docs"]}"#);
            let file = File::options().write(true).open(repo.at(".closeout/next")).unwrap();
            let written_at = file.metadata().unwrap().modified().unwrap();
            file.set_modified(written_at + Duration::from_millis(10 * u64::from(round))).unwrap();
            std::fs::rename(repo.at(".closeout/next"), repo.at(".closeout/decision.json")).unwrap();
            stages.push(stage(&OneShot::judge(&looped).judged().views[0]));
            front.until("its own round", |views| views.values().any(|view| stage(view) == round)).await;
            let has_kept_it = || {
                let (kept, _) = store.reports_of(std::slice::from_ref(&id));
                kept.get(&id).and_then(|kept| kept.rounds.get("")).is_some_and(|own| own.round_stage == round)
            };
            let began = clock::now();
            while !has_kept_it() {
                assert!(clock::now().millis_since(began) < 60_000, "round {round} is never kept");
                front.turn_for(Duration::from_millis(20)).await;
            }
        }
        assert_eq!(stages, [1, 2, 3]);
    });
}

/// A person's repository with uncommitted work in it, and a git that fails at `fails` once [`Planning::broken`] is
/// there.
struct Planning {
    repo: Repo,
    id: WorkspaceId,
    front: Front,
    broken: PathBuf,
}

impl Planning {
    async fn begin(name: &str, fails: &str, prepare: impl FnOnce(&Repo)) -> Planning {
        let repo = Repo::new();
        // `main` is protected.
        repo.switch("work");
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            repo.git(["config", key, value]);
        }
        repo.write(name, "fn work() {}\n");
        prepare(&repo);
        let broken = repo.root().join("broken");
        let body = format!(
            "case \"$*\" in *{fails}*) [ -e {} ] && exit 1;; esac\nexec {} \"$@\"",
            broken.display(),
            git_program().display()
        );
        let mut engine_config = engine_config(&repo, &[]);
        engine_config.git_program = Some(repo.script("failing-git", &body));
        let mut front = Front::start(engine_config);
        front.until("a verdict", |views| views.values().any(|view| state(view).is_some())).await;
        let id = front.views.values().next().unwrap().id.clone();
        Planning { repo, id, front, broken }
    }

    async fn plan(&mut self) -> ActionOutcome {
        let plan = Action::PlanRescue { message: None, order: RecordOrder::default() };
        want(&mut self.front, &self.id, plan).await
    }

    fn breaks(&self) {
        std::fs::write(&self.broken, "").unwrap();
    }
}

/// Whatever fails after the work was recorded. Of a record that is gone nothing is said.
#[test]
fn a_commit_that_fails_says_once_where_the_work_is_kept() {
    run(async {
        let mut planning = Planning::begin("work.rs", "commit-tree", |_| {}).await;
        let planned = planning.plan().await;
        let ActionOutcome::RescuePlanned(plan) = planned else { panic!("{planned:?}") };
        let record = plan.record.reference.clone();
        planning.breaks();
        let mut unknown = plan.clone();
        unknown.record.reference = format!("{record}x").into();
        let cases =
            [("git commit-tree failed", &plan, 1), ("does not know", &unknown, 0), ("link", &plan, 1)];
        for (words, plan, n_named) in cases {
            if words == "link" {
                let (heads, elsewhere) =
                    (planning.repo.git_dir().join("refs/heads"), planning.repo.root().join("heads"));
                std::fs::rename(&heads, &elsewhere).unwrap();
                std::os::unix::fs::symlink(&elsewhere, &heads).unwrap();
            }
            let failed = want(&mut planning.front, &planning.id, Action::Rescue { plan: plan.clone() }).await;
            let ActionOutcome::Failed(problem) = failed else { panic!("{failed:?}") };
            let next = problem.next.clone().unwrap_or_default();
            assert!(problem.message.contains(words), "{words}: {problem:?}");
            let told = format!("{}\n{next}", problem.message);
            assert_eq!(told.matches(&*record).count(), n_named, "{words}: {told}");
            assert_eq!(next.ends_with(&format!("the work is kept in {record}")), n_named == 1, "{told}");
        }
    });
}

/// What was recorded stands where the branch for the commits cannot be planned. The reason is told where nothing was.
#[test]
fn a_branch_that_cannot_be_planned_hides_no_record() {
    run(async {
        let mut planning = Planning::begin(".env", "--contains", |repo| {
            repo.git(["checkout", "-q", "--detach"]);
            repo.commit_file("parser.rs");
        })
        .await;
        let planned = planning.plan().await;
        assert!(matches!(planned, ActionOutcome::BranchPlanned(_)), "{planned:?}");
        planning.breaks();
        let planned = planning.plan().await;
        let ActionOutcome::RescuePlanned(plan) = &planned else { panic!("{planned:?}") };
        assert!(plan.paths.iter().all(|path| path.left_out.is_some()), "{planned:?}");
        std::fs::remove_file(planning.repo.at(".env")).unwrap();
        let failed = planning.plan().await;
        let ActionOutcome::Failed(problem) = &failed else { panic!("{failed:?}") };
        assert!(problem.message.contains("for-each-ref"), "{problem:?}");
    });
}
