//! The vectors of the judges: every case of every file, compared whole.
//!
//! `CLOSEOUT_VECTORS` names a folder whose files are used instead of the project's own.

use closeout::judge::{checkers, closer, decision, smart_check};
use closeout::model::{PlanStep, ProbeFailure};
use serde_json::{Map, Value, json};

use crate::support::vectors;

type Object = Map<String, Value>;

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    match object.get(key) {
        None | Some(Value::Null) => None,
        Some(value) => Some(value.as_str().unwrap_or_else(|| panic!("`{key}` is not a text: {value}"))),
    }
}

fn objects<'a>(object: &'a Object, key: &str) -> Vec<&'a Object> {
    let list = object.get(key).and_then(Value::as_array).into_iter().flatten();
    list.map(|item| item.as_object().unwrap_or_else(|| panic!("`{key}` holds {item}"))).collect()
}

fn flag(object: &Object, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

// ---- decision

// D04, D05, D06, D07, D09, J01, J02
#[test]
fn decision_vectors_hold() {
    let inputs = ["decision_file", "worker_output", "check_id", "env", "file_age_before_check_ms"];
    vectors::run("decision.json", &inputs, judge_decision, any_of_sources);
}

fn judge_decision(input: &Object) -> Object {
    let age = input.get("file_age_before_check_ms").map(|age| match (age.as_i64(), age.as_f64()) {
        (Some(age), _) => age,
        #[expect(clippy::cast_possible_truncation, reason = "a fraction of a millisecond does not matter")]
        (None, Some(age)) => age as i64,
        (None, None) => panic!("an age that is no number: {age}"),
    });
    let file = text(input, "decision_file").map(|content| decision::DecisionFile {
        content: decision::FileContent::Text(content),
        age_before_check_ms: Some(age.unwrap_or_default()),
    });
    let env = input.get("env").and_then(Value::as_object);
    vectors::as_map(&decision::decide(&decision::DecisionInput {
        file,
        worker_output: text(input, "worker_output").unwrap_or_default(),
        check_id: text(input, "check_id"),
        env_check_id: env.and_then(|env| text(env, "AGENTCORE_COMPLETION_CHECK_ID")),
    }))
}

/// A list as the value of `source` means "any of these".
fn any_of_sources(key: &str, expected: &Value, actual: &Object) -> Option<bool> {
    (key == "source")
        .then_some(expected.as_array())?
        .map(|any| actual.get(key).is_some_and(|source| any.contains(source)))
}

// ---- closer

#[test]
fn closer_vectors_hold() {
    vectors::run(
        "closer.json",
        &["structured_output", "raw_response", "query_error"],
        judge_closer,
        vectors::by_equality,
    );
}

fn judge_closer(input: &Object) -> Object {
    let answer =
        match (text(input, "query_error"), text(input, "raw_response"), input.get("structured_output")) {
            (Some(_), _, _) => closer::CloserAnswer::QueryError,
            (None, Some(raw), None | Some(Value::Null)) => closer::CloserAnswer::Raw(raw),
            (None, _, Some(value)) => closer::CloserAnswer::Structured(value),
            (None, None, None) => closer::CloserAnswer::Raw(""),
        };
    vectors::as_map(&closer::read(answer))
}

// ---- smart check

#[test]
fn smart_check_vectors_hold() {
    let inputs = ["baseline", "config", "start", "probes", "waits", "rescue"];
    vectors::run("smart_check.json", &inputs, judge_smart_check, vectors::by_equality);
}

/// A repository as the vectors tell of it.
struct World {
    is_baseline_known: bool,
    commits: u64,
    is_dirty: bool,
    is_git_broken: bool,
}

impl World {
    fn apply(&mut self, change: &Object) {
        for (key, value) in change {
            match key.as_str() {
                "commits" => {
                    self.commits = value.as_u64().unwrap_or_else(|| panic!("commits: {value}"));
                }
                "dirty" => {
                    self.is_dirty = value.as_bool().unwrap_or_else(|| panic!("dirty: {value}"));
                }
                "git" => {
                    self.is_git_broken =
                        value.as_str().unwrap_or_else(|| panic!("a state of git: {value}")) == "broken";
                }
                _ => panic!("unknown state `{key}`"),
            }
        }
    }

    fn then(&mut self, event: Option<&Object>) {
        if let Some(change) = event.and_then(|event| event.get("then")).and_then(Value::as_object) {
            self.apply(change);
        }
    }
}

fn smart_config(input: &Object) -> smart_check::SmartCheckConfig {
    let empty = Map::new();
    let config = input.get("config").and_then(Value::as_object).unwrap_or(&empty);
    for key in config.keys() {
        let known = ["max_probes", "probe_interval_seconds", "final_rescue_attempt"];
        assert!(known.contains(&key.as_str()), "unknown configuration `{key}`");
    }
    let number =
        |key: &str, default: u64| config.get(key).map_or(default, |value| value.as_u64().unwrap_or_default());
    smart_check::SmartCheckConfig {
        max_probes: u32::try_from(number("max_probes", 5)).expect("a small number"),
        probe_interval_seconds: number("probe_interval_seconds", 30),
        has_final_rescue: config
            .get("final_rescue_attempt")
            .is_none_or(|value| value.as_bool().unwrap_or_default()),
        may_commit: true,
    }
}

fn judge_smart_check(input: &Object) -> Object {
    use smart_check::{Happened, Step};
    let (probes, waits, rescues) =
        (objects(input, "probes"), objects(input, "waits"), objects(input, "rescue"));
    let (mut n_probes, mut n_waits, mut n_rescues) = (0, 0, 0);
    // The last one repeats.
    let nth = |list: &[&'_ Object], n: usize| list.get(n).or(list.last()).map(|object| (*object).clone());
    let mut world = World {
        is_baseline_known: text(input, "baseline") != Some("invalid"),
        commits: 0,
        is_dirty: false,
        is_git_broken: false,
    };
    world.apply(input.get("start").and_then(Value::as_object).expect("a start"));
    let (mut check, mut step) = smart_check::SmartCheck::new(smart_config(input));
    for _ in 0..10_000 {
        let happened = match step {
            Step::Finish(outcome) => {
                assert_eq!(outcome.waits, u32::try_from(n_waits).expect("a small number"));
                return vectors::as_map(&outcome);
            }
            Step::CountCommits => {
                Happened::Commits((world.is_baseline_known && !world.is_git_broken).then_some(world.commits))
            }
            Step::LookAtChanges => Happened::Changes((!world.is_git_broken).then_some(world.is_dirty)),
            Step::Probe { .. } => {
                let probe = nth(&probes, n_probes);
                n_probes += 1;
                world.then(probe.as_ref());
                Happened::Probed(read_probe(probe.as_ref()).reading)
            }
            Step::Rescue { .. } => {
                let rescue = nth(&rescues, n_rescues);
                n_rescues += 1;
                world.then(rescue.as_ref());
                // How it ended does not count: the commits show what it achieved.
                Happened::Rescued
            }
            Step::Wait { .. } => {
                world.then(waits.get(n_waits).copied());
                n_waits += 1;
                Happened::Waited
            }
        };
        step = check.advance(happened);
    }
    panic!("the check does not end")
}

fn read_probe(probe: Option<&Object>) -> smart_check::ProbeReport {
    let Some(probe) = probe else { return ProbeFailure::SpawnError.into() };
    match (probe.get("json"), text(probe, "raw")) {
        (Some(value), None) => smart_check::read_probe(value),
        (None, Some(raw)) => smart_check::read_probe_text(raw),
        (None, None) if flag(probe, "timeout") => ProbeFailure::Timeout.into(),
        (None, None) if flag(probe, "spawn_error") => ProbeFailure::SpawnError.into(),
        (_, _) => panic!("an unknown answer to a probe: {probe:?}"),
    }
}

// ---- checkers

#[test]
fn checkers_vectors_hold() {
    vectors::run("checkers.json", &["checker", "context"], judge_checkers, feedback_parts);
}

fn judge_checkers(input: &Object) -> Object {
    let checker = input.get("checker").filter(|checker| !checker.is_null()).map(read_checker);
    let empty = Map::new();
    let context = read_context(input.get("context").and_then(Value::as_object).unwrap_or(&empty));
    vectors::as_map(&checkers::check(checker.as_ref(), &context))
}

fn feedback_parts(key: &str, expected: &Value, actual: &Object) -> Option<bool> {
    let feedback = text(actual, "feedback").unwrap_or_default();
    match key {
        "feedback_contains" => {
            Some(!feedback.trim().is_empty() && texts(expected).iter().all(|part| feedback.contains(part)))
        }
        "feedback_not_contains" => Some(!texts(expected).iter().any(|part| feedback.contains(part))),
        _ => None,
    }
}

fn read_checker(value: &Value) -> checkers::Checker {
    let object = value.as_object().expect("a checker");
    let id = || text(object, "id").unwrap_or_default().to_owned();
    match text(object, "type") {
        Some("plan") => {
            let plan_type = object.get("plan_type").map_or(Some("default"), Value::as_str);
            checkers::Checker::Plan { plan_type: plan_type.map(str::to_owned) }
        }
        Some("files") => checkers::Checker::Files {
            required: object
                .get("required")
                .map(texts)
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        },
        Some("tests") => checkers::Checker::Tests,
        Some("static") => checkers::Checker::Static {
            id: id(),
            complete: flag(object, "complete"),
            feedback: text(object, "feedback").map(str::to_owned),
        },
        Some("error") => checkers::Checker::Broken {
            id: id(),
            message: text(object, "message").unwrap_or_default().to_owned(),
        },
        Some("composite") => checkers::Checker::Composite {
            mode: match object.get("all_must_pass") {
                Some(Value::Bool(false)) => checkers::CompositeMode::Any,
                _ => checkers::CompositeMode::All,
            },
            checkers: object
                .get("checkers")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .map(read_checker)
                .collect(),
        },
        other => panic!("an unknown checker: {other:?}"),
    }
}

fn read_context(context: &Object) -> checkers::CheckContext {
    use checkers::PlanSource;
    for key in context.keys() {
        let known =
            ["plan", "plan_registered", "files", "test_results", "budget_exhausted", "deadline_expired"];
        assert!(known.contains(&key.as_str()), "unknown key `{key}` in the context");
    }
    let plan = match (context.get("plan_registered"), context.get("plan")) {
        (Some(Value::Bool(false)), _) => PlanSource::NotRegistered,
        (_, None | Some(Value::Null)) => PlanSource::NotMade,
        (_, Some(Value::Object(plan))) => match plan.get("steps") {
            None | Some(Value::Null) => PlanSource::Steps(Vec::new()),
            Some(Value::Array(steps)) => PlanSource::Steps(steps.iter().map(read_step).collect()),
            Some(_) => PlanSource::Unreadable,
        },
        (_, Some(_)) => PlanSource::Unreadable,
    };
    let results = context.get("test_results").and_then(Value::as_object);
    let number = |results: &Object, key: &str| results.get(key).and_then(Value::as_u64);
    checkers::CheckContext {
        plan,
        files: context.get("files").and_then(Value::as_array).map(|_| {
            context.get("files").map(texts).unwrap_or_default().into_iter().map(str::to_owned).collect()
        }),
        test_results: results.map(|results| checkers::TestCounts {
            n_passed: number(results, "passed"),
            n_failed: number(results, "failed"),
        }),
        is_budget_exhausted: flag(context, "budget_exhausted"),
        is_deadline_expired: flag(context, "deadline_expired"),
    }
}

fn read_step(step: &Value) -> PlanStep {
    let field = |key: &str| step.get(key).and_then(Value::as_str).map(str::to_owned);
    PlanStep {
        title: field("title").or_else(|| step.as_str().map(str::to_owned)).unwrap_or_default(),
        status: field("status"),
    }
}

// ---- the harness itself

fn harness(cases: &Value, actual: &Value) -> Result<(), String> {
    let folder = crate::support::scratch::folder();
    let path = folder.path().join("cases.json");
    std::fs::write(&path, cases.to_string()).expect("a file");
    let judge = |input: &Object| {
        let mut answer = actual.as_object().expect("an object").clone();
        answer.insert("echo".to_owned(), input.get("text").cloned().unwrap_or_default());
        answer
    };
    let run = || vectors::check(&path, true, &["text"], judge, vectors::by_equality);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        match panic.downcast::<String>() {
            Ok(message) => *message,
            Err(_) => "a panic without words".to_owned(),
        }
    })
}

#[test]
fn the_vectors_harness_fails_loudly_and_by_name() {
    let case = |input: Value, expect: Value| json!({"cases": [{"name": "n1", "why": "w", "input": input, "expect": expect}]});
    let actual = json!({"a": [1, 2], "b": null, "c": [false, ""]});
    assert_eq!(harness(&case(json!({"text": "x"}), json!({"a": [1, 2], "echo": "x"})), &actual), Ok(()));
    let recipe = json!({"text_gen": {"prefix": "<", "unit": "ab", "times": 2, "suffix": ">"}});
    assert_eq!(harness(&case(recipe, json!({"echo": "<abab>", "a": [1, 2]})), &actual), Ok(()));
    let marked = json!({"cases": [{"name": "n", "input": {}, "expect": {"b": null}, "unchecked": ["a"]}]});
    assert_eq!(harness(&marked, &actual), Ok(()));
    let marked = json!({"unchecked": ["a"], "cases": [{"name": "n", "input": {}, "expect": {"b": null}}]});
    assert_eq!(harness(&marked, &actual), Ok(()));
    for (cases, words) in [
        (case(json!({}), json!({"a": [1]})), "n1"),
        (case(json!({}), json!({"a": [1, 2, 3]})), "1 of 1 cases fail"),
        (case(json!({}), json!({"b": null})), "a: expected nothing, got [1,2]"),
        (case(json!({"text": "x"}), json!({"a": [1, 2]})), "echo: expected nothing, got \"x\""),
        (case(json!({}), json!({"d": null})), "nothing of that name"),
        (case(json!({"other": 1}), json!({"b": null})), "unknown key `other`"),
        (case(json!({"text_gen": {"unti": "x"}}), json!({"b": null})), "unknown key `unti`"),
        (case(json!({}), json!({})), "nothing is expected"),
        (json!({"cases": [{"name": "n", "input": {}, "expect": {"b": null}, "more": 1}]}), "unknown keys"),
        (json!({"cases": []}), "no cases"),
        (json!({}), "no list of cases"),
    ] {
        let message = harness(&cases, &actual).expect_err("a failure");
        assert!(message.contains(words), "{message}");
    }
}
