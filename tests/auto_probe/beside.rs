//! The engine asks by itself: a scripted agent that is a real process, one budget for several engines and
//! workspaces, and nothing done but asking.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use closeout::agent::Adapter;
use closeout::config::{Config, Sources};
use closeout::engine::{Engine, EngineConfig, FrontKind, Overrides, Scope, clock};
use closeout::judge::runs::Catalog;
use closeout::model::{
    Action, ActionClass, ActionKind, ActionOutcome, Actor, AuditEntry, Intent, ProbeFailure, ProbeReading,
    ProbeWord, Response, VerdictState, WorkspaceView,
};
use closeout::present::problem;
use closeout::store::Store;

use crate::asking::{Asked, says};
use crate::support::pty::Terminal;
use crate::support::repo::{Repo, git_program};
use crate::support::test_env::{finish, spawn};

/// No condition of these tests takes so long on any machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Longer than this an engine does not pause while it has something to do.
const QUIET: Duration = Duration::from_secs(1);
/// How often is looked at what the engine does not tell.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
pub(super) const COMPLETE: &str = r#"{"status": "complete", "message": "all done"}"#;
const WAITING: &str = r#"{"status": "waiting", "agents_active": ["a1"]}"#;
/// Tells its process, and answers nothing until that is ended.
pub(super) const SLEEPS: &str =
    "sh -c 'echo $$ > \"$0/pid.new\"; mv \"$0/pid.new\" \"$0/pid\"; exec sleep 600' \"$TRACE\" & wait";

/// An agent that answers with this script, whose turn ended a minute ago, in a workspace in which it may be
/// asked by itself.
pub(super) fn agent(probe: &str, more: &str) -> Asked {
    let asked = Asked::new(probe, "exit 9");
    let file = asked.repo.home().join("config/closeout/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    let block = "[completion_check]\nauto_probe = true\nprobe_interval_seconds = 1\n";
    asked.configure(&format!("{block}{more}\n{text}"));
    rests(&asked.repo, 60);
    asked
}

/// The agent's turn in this worktree ended so many seconds ago, by its own word.
fn rests(repo: &Repo, seconds: u64) {
    repo.write(".mine/last.md", "I looked at the parser.\n");
    repo.write(".mine/status.json", r#"{"status": "idle"}"#);
    for name in [".mine/last.md", ".mine/status.json"] {
        let since_epoch = Duration::from_millis(clock::now().0.unsigned_abs());
        let at = UNIX_EPOCH + since_epoch - Duration::from_secs(seconds);
        File::options().write(true).open(repo.at(name)).unwrap().set_modified(at).unwrap();
    }
}

fn engine_config(asked: &Asked) -> EngineConfig {
    let repo = &asked.repo;
    let file = repo.home().join("config/closeout/config.toml");
    let sources = Sources {
        environment: BTreeMap::from([("CLOSEOUT_CONFIG".into(), file.into())]),
        home: Some(repo.home()),
        ..Sources::default()
    };
    let config = Config::load(&sources).unwrap();
    let adapters = config.agents().iter().cloned().map(Adapter::described).collect();
    EngineConfig {
        config,
        catalog: Catalog::built_in(),
        scope: Scope::Worktrees { with_sessions: false, here: repo.path().to_owned(), paths: Vec::new() },
        overrides: Overrides::default(),
        home: Some(repo.home()),
        temporary_folders: Vec::new(),
        adapters,
        variables: std::env::vars_os().filter(|(name, _)| name == "PATH").collect(),
        git_program: Some(git_program()),
        own_program: Some(env!("CARGO_BIN_EXE_closeout").into()),
        live: None,
        has_terminal: false,
        state_folder: Some(repo.root().join("state")),
    }
}

fn store(asked: &Asked) -> Store {
    Store::open(asked.repo.root().join("state")).unwrap()
}

/// How many questions were sent by itself within the hour.
fn n_counted(asked: &Asked) -> u32 {
    store(asked).auto_budget(6, clock::now()).unwrap().n_sent
}

/// What is written down of questions, the oldest first.
fn written(asked: &Asked) -> Vec<(Actor, String, Option<ActionClass>)> {
    let entries = store(asked).audit(None).unwrap().entries;
    let told = |entry: AuditEntry| (entry.by, entry.plan, entry.end.map(|end| end.class));
    entries.into_iter().rev().filter(|entry| entry.kind == ActionKind::Probe).map(told).collect()
}

/// A front without a screen.
struct Front {
    engine: Engine,
    views: BTreeMap<String, WorkspaceView>,
    responses: Vec<Response>,
    /// Whether it began to ask by itself.
    has_begun: bool,
}

impl Front {
    fn start(engine_config: EngineConfig) -> Front {
        let engine = Engine::start(engine_config, FrontKind::Attended);
        Front { engine, views: BTreeMap::new(), responses: Vec::new(), has_begun: false }
    }

    fn take(&mut self) {
        let changes = self.engine.take_changes();
        let is_automatic =
            |view: &WorkspaceView| view.actions.running.as_ref().is_some_and(|action| action.is_automatic);
        self.has_begun |= changes.views.iter().any(is_automatic);
        self.views.extend(changes.views.into_iter().map(|view| (view.name.clone(), view)));
        self.responses.extend(changes.responses);
    }

    /// Turns the engine until all is as wanted.
    async fn until(&mut self, what: &str, is_so: impl Fn(&Front) -> bool) {
        let turning = async {
            loop {
                self.take();
                if is_so(self) {
                    break;
                }
                // What happens on disk is no turn of the engine.
                let _ = tokio::time::timeout(LOOK_AGAIN, self.engine.turn()).await;
            }
        };
        let is_done = tokio::time::timeout(PATIENCE, turning).await.is_ok();
        assert!(is_done, "never came: {what}; {:#?}", self.views.values().map(short).collect::<Vec<_>>());
    }

    /// Turns the engine until nothing happens any more. What begins and ends within one turn is never seen in a
    /// view, so that nobody can wait for its beginning.
    async fn settle(&mut self) {
        let turning = async {
            while tokio::time::timeout(QUIET, self.engine.turn()).await.is_ok() {
                self.take();
            }
        };
        // On a busy machine something may come for as long as one waits; a question would have been sent by then.
        let _ = tokio::time::timeout(10 * QUIET, turning).await;
        self.take();
    }

    /// Ends as every front does, so that what it knows stands on disk for the next one.
    async fn end(mut self) {
        assert_eq!(self.engine.finish(PATIENCE).await, Vec::<String>::new());
    }

    /// The one workspace.
    fn view(&self) -> &WorkspaceView {
        self.views.values().next().unwrap()
    }

    fn is(&self, state: VerdictState) -> bool {
        self.views.values().next().is_some_and(|view| is(view, state))
    }
}

fn is(view: &WorkspaceView, state: VerdictState) -> bool {
    view.actions.running.is_none() && view.verdict.as_deref().is_some_and(|verdict| verdict.state == state)
}

fn short(view: &WorkspaceView) -> String {
    let verdict = view.verdict.as_deref().map(|verdict| (verdict.state, &verdict.why, &verdict.parts));
    format!("{} {verdict:?} {:?} {:?} {:?}", view.name, view.actions.running, view.not_asked, view.sessions)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
    runtime.shutdown_background();
}

/// Waits until the agent that sleeps was started.
fn wait_for_agent(asked: &Asked) {
    let began = clock::now();
    while !asked.trace("pid").exists() {
        assert!(clock::now().millis_since(began) < 60_000, "the agent was never started");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_alive(asked: &Asked) -> bool {
    let pid = fs::read_to_string(asked.trace("pid")).unwrap();
    Path::new("/proc").join(pid.trim()).exists()
}

#[test]
fn an_agent_that_says_nothing_is_asked_and_its_work_is_left_as_it_is() {
    let asked = agent(&says(COMPLETE), "");
    asked.repo.write("parser.rs", "fn parse() {}\n");
    let head = asked.repo.head();
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("its answer", |front| front.is(VerdictState::RescueNeeded)).await;
        assert!(front.has_begun);
        let report = front.view().actions.smart_check.clone().unwrap();
        let reading = report.attempts[0].reading;
        assert_eq!((report.attempts.len(), reading), (1, Some(ProbeReading::Answered(ProbeWord::Complete))));
        assert_eq!((report.record, report.outcome.rescued), (None, false));
        // No dialog opens: nobody is told.
        assert_eq!(front.responses, []);
        let entry = front.view().actions.history[0].clone();
        assert_eq!((entry.by, entry.kind), (Actor::Automatic, ActionKind::Probe));
        front.end().await;
    });
    let entry = (Actor::Automatic, "mine, 1 of 6 this hour".to_owned(), Some(ActionClass::Done));
    assert_eq!(written(&asked), [entry]);
    assert_eq!((asked.n_started("probe"), n_counted(&asked)), (1, 1));
    let records = asked.repo.git(["for-each-ref", "refs/closeout"]);
    assert_eq!((asked.repo.head(), records), (head, String::new()));
    assert_eq!(fs::read_to_string(asked.repo.at("parser.rs")).unwrap(), "fn parse() {}\n");
    // Another run knows what was said, and asks no more.
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("what is known", |front| front.is(VerdictState::RescueNeeded)).await;
        assert!(!front.has_begun);
    });
    assert_eq!(asked.n_started("probe"), 1);
    let log = asked.env.run(asked.repo.path(), &["log"]);
    assert!(log.out.contains("(automatic)  mine, 1 of 6 this hour"), "{log:?}");
    let doctor = asked.env.run(asked.repo.path(), &["doctor"]);
    assert!(doctor.out.contains("5 of 6 questions left this hour"), "{doctor:?}");
}

#[test]
fn without_configuration_nobody_is_asked() {
    let asked = Asked::new(&says(COMPLETE), "exit 9");
    rests(&asked.repo, 60);
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("a verdict", |front| front.is(VerdictState::Incomplete)).await;
        assert!(!front.has_begun);
    });
    assert_eq!((asked.n_started("probe"), written(&asked)), (0, vec![]));
    let doctor = asked.env.run(asked.repo.path(), &["doctor"]);
    assert!(!doctor.out.contains("this hour"), "{doctor:?}");
}

/// The workspace's own file can be written by its agent.
#[test]
fn a_workspaces_own_file_has_nobody_asked() {
    let asked = Asked::new(&says(COMPLETE), "exit 9");
    rests(&asked.repo, 60);
    asked.repo.write(".closeout.toml", "[completion_check]\nauto_probe = true\n");
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("a verdict", |front| front.is(VerdictState::Incomplete)).await;
        assert!(!front.has_begun);
        let problem = problem::label(&front.view().reading.problems).unwrap();
        assert!(problem.contains("counts only in your own configuration file"), "{problem}");
    });
    assert_eq!(asked.n_started("probe"), 0);
}

#[test]
fn the_budget_is_one_over_all_workspaces_and_said_on_the_row() {
    let asked = agent(&says(COMPLETE), "auto_probes_per_hour = 1\n");
    let other = asked.repo.worktree("other");
    rests(&other, 50);
    run(async {
        let mut front = Front::start(engine_config(&asked));
        let is_said = |front: &Front| {
            let mut said: Vec<_> = front
                .views
                .values()
                .map(|view| {
                    (view.actions.smart_check.is_some(), view.not_asked.as_ref().map(problem::not_asked))
                })
                .collect();
            said.sort_unstable();
            said == [(false, Some("not asked automatically: 1 of 1 this hour".to_owned())), (true, None)]
        };
        front.until("one answer and one that was not asked", is_said).await;
        assert_eq!(front.responses, []);
        front.end().await;
    });
    assert_eq!((asked.n_started("probe"), written(&asked).len(), n_counted(&asked)), (1, 1, 1));
    // Nor after a restart.
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front
            .until("it is said again", |front| front.views.values().any(|view| view.not_asked.is_some()))
            .await;
    });
    assert_eq!(asked.n_started("probe"), 1);
}

#[test]
fn two_closeouts_beside_each_other_ask_one_moment_once() {
    let script = format!("while [ ! -e \"$TRACE/go\" ]; do sleep 0.05; done\n{}", says(COMPLETE));
    let asked = agent(&script, "");
    run(async {
        let (mut one, mut other) = (Front::start(engine_config(&asked)), Front::start(engine_config(&asked)));
        tokio::join!(
            one.until("one thinks of it", |front| front.has_begun),
            other.until("the other thinks of it", |front| front.has_begun),
        );
        // One of them asks; the other one has found that out, and does nothing.
        let both = async {
            loop {
                one.take();
                other.take();
                if one.view().actions.running.is_none() || other.view().actions.running.is_none() {
                    break;
                }
                tokio::select! { () = one.engine.turn() => {}, () = other.engine.turn() => {} }
            }
        };
        tokio::time::timeout(PATIENCE, both).await.unwrap();
        let (mut asking, mut idle) =
            if one.view().actions.running.is_some() { (one, other) } else { (other, one) };
        assert_eq!((idle.view().not_asked.as_ref(), idle.responses.len()), (None, 0));
        fs::write(asked.trace("go"), "").unwrap();
        asking.until("its answer", |front| front.is(VerdictState::Complete)).await;
        asking.end().await;
        idle.engine.want(Intent::Refresh { workspace: None });
        idle.until("the answer of the other", |front| front.is(VerdictState::Complete)).await;
    });
    assert_eq!((asked.n_started("probe"), written(&asked).len(), n_counted(&asked)), (1, 1, 1));
}

#[test]
fn an_agent_that_waits_is_asked_again_within_the_budget() {
    let asked = agent(&says(WAITING), "auto_probes_per_hour = 2\n");
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("the end of the check", |front| front.is(VerdictState::Waiting)).await;
        let report = front.view().actions.smart_check.clone().unwrap();
        let outcome = report.outcome;
        assert_eq!((report.attempts.len(), outcome.probes_used, outcome.waits), (2, 2, 2));
        assert_eq!(report.notes, ["not asked again automatically: 2 of 2 this hour"]);
    });
    assert_eq!((asked.n_started("probe"), n_counted(&asked)), (2, 2));
    let entry = (Actor::Automatic, "mine, 1 of 2 this hour".to_owned(), Some(ActionClass::Done));
    assert_eq!(written(&asked), [entry]);
}

/// P05, P06: what is not clear, or was given while files changed, decides nothing; nor is it asked for again.
#[test]
fn an_answer_that_is_not_clear_or_came_with_changes_is_not_used() {
    let changes = format!("echo x > new.txt\n{}", says(COMPLETE));
    for (script, failure) in
        [(says("All good, I think!"), ProbeFailure::Unreadable), (changes, ProbeFailure::ChangedFiles)]
    {
        let asked = agent(&script, "max_probes = 1\n");
        run(async {
            let mut front = Front::start(engine_config(&asked));
            let has_ended = |front: &Front| {
                front.is(VerdictState::Incomplete) && front.view().actions.smart_check.is_some()
            };
            front.until("the end of the check", has_ended).await;
            let report = front.view().actions.smart_check.clone().unwrap();
            let readings: Vec<_> = report.attempts.iter().map(|attempt| attempt.reading).collect();
            assert_eq!(readings, [Some(ProbeReading::Failed(failure))]);
        });
        assert_eq!((asked.n_started("probe"), n_counted(&asked)), (1, 1));
    }
}

#[test]
fn x_ends_it_with_all_that_was_started_and_it_is_not_asked_again() {
    let asked = agent(SLEEPS, "");
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("it is asked", |_| asked.trace("pid").exists()).await;
        let id = front.view().id.clone();
        let number = front.view().actions.running.as_ref().unwrap().number;
        front.engine.want(Intent::CancelAction { workspace: id, number });
        front
            .until("its end", |front| front.is(VerdictState::Incomplete) && !front.view().reading.is_running)
            .await;
        assert!(!is_alive(&asked));
        assert_eq!((front.responses.len(), front.view().not_asked.as_ref()), (0, None));
        front.end().await;
    });
    let entry = (Actor::Automatic, "mine, 1 of 6 this hour".to_owned(), Some(ActionClass::Cancelled));
    assert_eq!(written(&asked), [entry]);
    // Nor by another run, which knows no report of it.
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("a verdict", |front| front.is(VerdictState::Incomplete)).await;
        front.settle().await;
    });
    assert_eq!((asked.n_started("probe"), n_counted(&asked)), (1, 1));
}

#[test]
fn a_person_is_not_kept_waiting() {
    let asked = agent(SLEEPS, "");
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("it is asked", |_| asked.trace("pid").exists()).await;
        let workspace = front.view().id.clone();
        let action = Box::new(Action::Decide { is_complete: true, reason: None });
        front.engine.want(Intent::Action { workspace, action });
        front.until("what the person wanted", |front| !front.responses.is_empty()).await;
        assert!(!is_alive(&asked));
        let [Response::Action { kind: ActionKind::Decide, outcome, .. }] = front.responses.as_slice() else {
            panic!("{:?}", front.responses)
        };
        assert!(matches!(**outcome, ActionOutcome::Decided(_)), "{outcome:?}");
        front.until("the decision", |front| front.is(VerdictState::Complete)).await;
    });
    assert_eq!(asked.n_started("probe"), 1);
}

/// What a person asked for counts, by whichever command and however it ended.
#[test]
fn what_a_person_asked_in_this_moment_is_not_asked_again() {
    let asked = agent("echo 'no key' >&2; exit 3", "");
    assert_eq!(asked.env.run(asked.repo.path(), &["probe"]).code, 30);
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("a verdict", |front| front.is(VerdictState::Incomplete)).await;
        assert!(!front.has_begun);
    });
    assert_eq!((asked.n_started("probe"), n_counted(&asked)), (1, 0));
    // One that they ended left no report; it is written down.
    let asked = agent(SLEEPS, "");
    let child = spawn(&mut asked.env.command(asked.repo.path(), &["probe"]));
    wait_for_agent(&asked);
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(finish(child).code, 130);
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("a verdict", |front| front.is(VerdictState::Incomplete)).await;
        front.settle().await;
        assert_eq!((front.view().not_asked.as_ref(), front.responses.len()), (None, 0));
    });
    assert_eq!((asked.n_started("probe"), n_counted(&asked), written(&asked).len()), (1, 0, 1));
}

/// Its closeout was killed while it asked: the next moment is asked by another one.
#[test]
fn what_a_closeout_left_that_was_killed_blocks_nobody() {
    let script = format!("if [ \"$N\" = 0 ]; then {SLEEPS}; fi\n{}", says(COMPLETE));
    let asked = agent(&script, "");
    let terminal = Terminal::start(&asked.env, asked.repo.path(), &[], (80, 24));
    terminal.wait_for("it asks", |shown| shown.has("auto ask: "));
    wait_for_agent(&asked);
    terminal.signal(rustix::process::Signal::KILL);
    let _ = terminal.wait_for_end();
    rests(&asked.repo, 30);
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("its answer", |front| front.is(VerdictState::Complete)).await;
    });
    let ends: Vec<_> = written(&asked).into_iter().map(|(_, plan, end)| (plan, end)).collect();
    let expected = [
        ("mine, 1 of 6 this hour".to_owned(), None),
        ("mine, 2 of 6 this hour".to_owned(), Some(ActionClass::Done)),
    ];
    assert_eq!((ends.as_slice(), n_counted(&asked)), (expected.as_slice(), 2));
}

/// Whose sessions can be asked without a trace is said by the adapter, and its command lines agree.
#[test]
fn an_adapter_says_whether_it_asks_without_a_trace() {
    use closeout::agent::{Asking, Trace};
    use closeout::model::SessionObservation;
    let asked = Asked::new("exit 0", "exit 9");
    let folder = || asked.repo.path().to_owned();
    let config = engine_config(&asked).config;
    let own = Adapter::described(config.agents()[0].clone());
    let id = "0199a2f4-0b1c-7d3e-8f10-213243546576";
    let adapters = [
        (Adapter::named("claude", folder()).unwrap(), id, true),
        (Adapter::named("codex", folder()).unwrap(), id, true),
        (Adapter::named("opencode", folder()).unwrap(), "ses_66b3f4a5affeQnJpM1bkZ2hXyz", true),
        (Adapter::named("gemini", folder()).unwrap(), id, false),
        (own, ".mine/last.md", true),
    ];
    for (adapter, id, is_traceless) in adapters {
        let mut session = SessionObservation::named(adapter.name(), id);
        session.folder = Some(folder());
        let command =
            adapter.command(&session, &Asking::Probe { prompt: "?".to_owned(), model: None }).unwrap();
        let found = (adapter.facts().has_traceless_probe, command.trace == Trace::Nothing);
        assert_eq!(found, (is_traceless, is_traceless), "{}", adapter.name());
    }
}

#[test]
fn a_second_model_reads_what_closeout_is_not_certain_of() {
    const WORDS: &str = "Dry run looks clean: 12 deletions, 3 moves. Say the word and I'll run it for real.";
    let answer = r#"{"reading": "asks", "quote": "Say the word and I'll run it for real"}"#;
    let query = format!("cat > \"$TRACE/prompt\"\ncat <<'END'\n{answer}\nEND");
    let asked = Asked::new("exit 9", &query);
    asked.configure_more("[judge]\nsecond_opinion = \"mine\"\n");
    rests(&asked.repo, 60);
    let said_at = asked.repo.at(".mine/last.md").metadata().unwrap().modified().unwrap();
    asked.repo.write(".mine/last.md", WORDS);
    File::options().write(true).open(asked.repo.at(".mine/last.md")).unwrap().set_modified(said_at).unwrap();
    asked.repo.commit_file("parser.rs");
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("its reading", |front| front.is(VerdictState::AwaitingResponse)).await;
        assert!(front.has_begun);
        assert_eq!(front.responses, []);
        let entry = front.view().actions.history[0].clone();
        assert_eq!((entry.by, entry.kind), (Actor::Automatic, ActionKind::Opinion));
        assert_eq!(entry.plan, "mine, 1 of 6 this hour");
        front.end().await;
    });
    let prompt = fs::read_to_string(asked.trace("prompt")).unwrap();
    assert!(prompt.contains("12 deletions, 3 moves"), "{prompt}");
    assert_eq!((asked.n_started("query"), asked.n_started("probe"), n_counted(&asked)), (1, 0, 1));
    // Every other run of closeout judges by it, and asks no more.
    let check = asked.env.run(asked.repo.path(), &["check"]);
    assert!(check.code == 1 && check.out.contains("read by mine"), "{check:?}");
    run(async {
        let mut front = Front::start(engine_config(&asked));
        front.until("what is known", |front| front.is(VerdictState::AwaitingResponse)).await;
        assert!(!front.has_begun);
    });
    assert_eq!(asked.n_started("query"), 1);
}
