//! Whole verdicts over worlds that are data: each file of `tests/scenarios` is a class, each scenario a list of steps
//! and what a careful reviewer would say. All failures are told at once, by name.
//!
//! A `look_NN` holds worlds that somebody wrote who knew the rules and not the program; the others are each a subject.
//! A step is `[session:] verb[@seconds ago] words`; the verbs stand in `world.rs`, those of
//! subagents in `subagent.rs`, `{OK}` and the other long texts here.

mod claude;
mod codex;
mod commit;
mod front;
mod gemini;
mod opencode;
mod own_agent;
mod subagent;
mod world;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use closeout::model::{Conflict, Verdict, WorkspaceView};
use closeout::present::Urgency;
use serde::Deserialize;
use serde_json::json;
use world::World;

/// How many worlds are built at once.
const N_WORKERS: usize = 4;
/// Long texts that many scenarios share.
const TEXTS: [(&str, &str); 6] = [
    ("{OK}", "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s"),
    (
        "{BAD}",
        "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
    ),
    ("{ADD}", "Add a login page and commit it."),
    ("{DONE}", "Done. I added the login page and committed it as requested."),
    ("{YES}", "{\"decision\":\"complete\"}"),
    ("{NO}", "{\"decision\":\"incomplete\",\"reasons\":[\"tests are missing\"]}"),
];

/// The scenarios of one class.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    /// Named lists of steps that scenarios begin with.
    #[serde(default)]
    begin: std::collections::BTreeMap<String, Vec<String>>,
    /// The sessions that each scenario is told of in turn, where a step names none: their names tell the agents.
    #[serde(default = "of_claude")]
    sessions: Vec<String>,
    scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    /// The state, or several between `|` where the rules leave it open.
    expect: String,
    rule: Option<String>,
    proof: Option<String>,
    /// The question that waits.
    asks: Option<String>,
    /// The open points, in words.
    left: Option<Vec<String>>,
    /// What to do next, in words.
    next: Option<String>,
    /// Words of the reason.
    why: Option<String>,
    /// The pairs of sources that contradict one another, in words.
    conflicts: Option<Vec<String>>,
    /// Why a person should look, and how urgent a rescue is: as JSON names them, or `none`.
    attention: Option<String>,
    degree: Option<String>,
    /// The subjects of the commits that a rescue would give a branch.
    keeps: Option<Vec<String>>,
    /// A list of `begin` that stands before the steps.
    from: Option<String>,
    steps: Vec<String>,
}

/// One scenario with its class, the session it is of, and all its steps.
struct Case {
    class: String,
    session: String,
    scenario: Arc<Scenario>,
}

fn of_claude() -> Vec<String> {
    vec!["a".to_owned()]
}

#[test]
fn a_careful_reviewer_would_say_the_same() {
    let only = std::env::var("SCENARIO").unwrap_or_default();
    let mut cases = read_all();
    cases.retain(|case| case.name().contains(&only));
    let next = AtomicUsize::new(0);
    let failures: Mutex<Vec<(usize, String)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..N_WORKERS {
            scope.spawn(|| {
                while let Some((at, case)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, cases.get(at)?)))
                {
                    let said = std::panic::catch_unwind(|| judge(case));
                    let what = match said {
                        Ok(None) => continue,
                        Ok(Some(what)) => what,
                        Err(_) => "the world cannot be built".to_owned(),
                    };
                    let line = format!("{}: {what}", case.name());
                    failures.lock().unwrap_or_else(PoisonError::into_inner).push((at, line));
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let lines: Vec<String> = failures.into_iter().map(|(_, line)| line).collect();
    assert!(lines.is_empty(), "{} of {} scenarios:\n{}", lines.len(), cases.len(), lines.join("\n"));
}

/// What the last words of a session that is not the newest offer is a row of evidence that claims nothing.
#[test]
fn an_offer_of_an_earlier_session_is_told() {
    let mut world = World::new("a");
    for step in [
        "codex: prompt@3800 Add a parser and commit it.",
        "codex: edit@3500 parser.rs",
        "codex: run@3400 0 git add -A && git commit -m 'Add a parser' => [main 4f1c2aa] Add a parser",
        "commit@3400 Add a parser",
        "codex: say@3300 The parser is written and committed. Should I also add a benchmark?",
        "prompt@1800 Add a login page and commit it.",
        "edit@1500 src/login.py",
        "run@1200 0 git add -A && git commit -m 'Add a login page' => [main 5f1c2aa] Add a login page",
        "commit@1200 Add a login page",
        "say@900 Done. I added the login page and committed it as requested.",
    ] {
        world.take(step);
    }
    let view = world.view();
    let verdict = view.verdict.as_deref().expect("it was judged");
    let offer = "an offer, by configuration no question: Should I also add a benchmark?";
    let said: Vec<String> = verdict.parts.iter().map(closeout::present::verdict::said).collect();
    assert!(said.iter().any(|said| said == offer), "{said:#?}");
    assert_eq!(verdict.state.name(), "COMPLETE");
    assert_eq!(Urgency::of(&view), Urgency::Offer);
}

impl Case {
    fn name(&self) -> String {
        let of = if self.session == "a" { String::new() } else { format!(" ({})", self.session) };
        format!("{}/{}{of}", self.class, self.scenario.name)
    }
}

/// What is other than expected, in words.
fn judge(case: &Case) -> Option<String> {
    let scenario = &case.scenario;
    let mut world = World::new(&case.session);
    for step in &scenario.steps {
        let step = TEXTS.iter().fold(step.clone(), |step, (name, text)| step.replace(name, text));
        world.take(&step);
    }
    let view = world.view();
    let verdict = view.verdict.as_deref().expect("it was judged");
    let state = verdict.state.name();
    let is_state = scenario.expect.split('|').any(|expected| expected.trim() == state);
    let name = |value: serde_json::Value| value.as_str().unwrap_or("none").to_owned();
    let rule = name(serde_json::to_value(verdict.rule()).unwrap());
    let proof = verdict.proof.map_or("none", closeout::model::Proof::name);
    let is_rule = scenario.rule.as_ref().is_none_or(|expected| *expected == rule);
    let is_proof = scenario.proof.as_ref().is_none_or(|expected| expected == proof);
    if is_state && is_rule && is_proof {
        return other_than_told(scenario, verdict)
            .or_else(|| other_than_urgent(scenario, &view))
            .or_else(|| other_than_kept(scenario, &world, verdict));
    }
    let expected = [Some(scenario.expect.as_str()), scenario.rule.as_deref(), scenario.proof.as_deref()];
    let expected: Vec<&str> = expected.into_iter().flatten().collect();
    Some(format!(
        "expected {}, got {state} {rule} {proof}: {}",
        expected.join(" "),
        closeout::present::verdict::why(verdict)
    ))
}

/// What is told of a verdict other than expected.
fn other_than_told(scenario: &Scenario, verdict: &Verdict) -> Option<String> {
    let asked = verdict.question.as_ref().map(|question| question.text.as_str());
    if scenario.asks.is_some() && scenario.asks.as_deref() != asked {
        return Some(format!("expected the question {:?}, got {asked:?}", scenario.asks));
    }
    let next = closeout::present::verdict::next_action(verdict);
    if scenario.next.as_ref().is_some_and(|expected| *expected != next) {
        return Some(format!("expected to do next {:?}, got {next:?}", scenario.next));
    }
    let why = closeout::present::verdict::why(verdict);
    if scenario.why.as_ref().is_some_and(|expected| !why.contains(expected)) {
        return Some(format!("expected the reason {:?}, got {why:?}", scenario.why));
    }
    let conflicts: Vec<String> = verdict.conflicts.iter().map(|pair| label(pair, verdict)).collect();
    if scenario.conflicts.as_ref().is_some_and(|expected| *expected != conflicts) {
        return Some(format!("expected the conflicts {:?}, got {conflicts:?}", scenario.conflicts));
    }
    let left: Vec<&str> = verdict.left_to_do.open().map(|point| point.text.as_str()).collect();
    let expected = scenario.left.as_ref()?;
    (*expected != left).then(|| format!("expected to be left {expected:?}, got {left:?}"))
}

/// What two sources say that contradict one another.
fn label(pair: &Conflict, verdict: &Verdict) -> String {
    let said = |at: usize| closeout::present::verdict::said(&verdict.parts[at]);
    format!("{} / {}", said(pair.yes), said(pair.against))
}

/// How a person's attention is asked for other than expected.
fn other_than_urgent(scenario: &Scenario, view: &WorkspaceView) -> Option<String> {
    let degree = view.verdict.as_deref().and_then(|verdict| verdict.degree);
    let found =
        [json!(view.attention), json!(degree)].map(|value| value.as_str().unwrap_or("none").to_owned());
    let mut pairs = [&scenario.attention, &scenario.degree].into_iter().zip(found);
    pairs.find_map(|(expected, found)| {
        let expected = expected.as_ref().filter(|expected| **expected != found)?;
        Some(format!("expected {expected}, got {found}"))
    })
}

/// What a rescue of commits would keep other than expected, or than the verdict knows.
fn other_than_kept(scenario: &Scenario, world: &World, verdict: &Verdict) -> Option<String> {
    let expected = scenario.keeps.as_ref()?;
    let plan = world.branch_plan();
    let subjects = plan.iter().flat_map(|plan| &plan.commits).map(|shown| &shown.subject);
    let (subjects, tip) = (subjects.collect::<Vec<_>>(), plan.as_ref().map(|plan| &plan.tip));
    let is_as_expected = subjects.iter().eq(&expected.iter().collect::<Vec<_>>());
    (!is_as_expected || verdict.loose.first() != tip).then(|| {
        format!("expected to keep {expected:?}, got {subjects:?} up to {tip:?}; {:?}", verdict.loose)
    })
}

fn read_all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let class = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Class = toml::from_str(&text).unwrap_or_else(|error| panic!("{class}: {error}"));
        for mut scenario in read.scenario {
            if let Some(from) = &scenario.from {
                let begin = read.begin.get(from).unwrap_or_else(|| panic!("{class}: no begin {from}"));
                scenario.steps.splice(0..0, begin.iter().cloned());
            }
            let scenario = Arc::new(scenario);
            cases.extend(read.sessions.iter().map(|session| Case {
                class: class.clone(),
                session: session.clone(),
                scenario: scenario.clone(),
            }));
        }
    }
    cases
}
