//! Configuration, as far as a person meets it: mistakes in it, and a machine without a home.

use std::fs;

use super::{check, schema, with_work};
use crate::support::test_env::TestEnv;

#[test]
fn a_mistake_in_the_own_file_ends_every_command_with_its_place() {
    let env = TestEnv::with_demo();
    let file = env.at("home/config/closeout/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "[judge]\noffers = \"ask\"\nstall_stag = 3\n").unwrap();
    for arguments in [["check"].as_slice(), &["check", "--json"], &["status"], &["status", "--follow"]] {
        let run = env.run(env.shop(), arguments);
        assert_eq!(run.code, 5, "{arguments:?}");
        if arguments.contains(&"--json") {
            assert_eq!(run.json()["exit_code"], 5, "{run:?}");
        } else {
            assert_eq!(run.out, "", "{arguments:?}");
        }
        let place = format!("{}:3:1: ", file.display());
        assert!(run.err.contains(&place), "{run:?}");
        assert!(run.err.contains("did you mean `judge.stall_stage`?"), "{run:?}");
    }
    fs::write(&file, "[judge]\nstall_stage = 1\n").unwrap();
    let run = env.run(env.shop(), &["check"]);
    assert_eq!(run.code, 5);
    assert!(run.err.contains(":2:"), "{run:?}");
}

#[test]
fn a_named_file_that_is_missing_is_an_error_and_an_unnamed_one_is_none() {
    let env = TestEnv::with_demo();
    assert_eq!(env.run(env.at("demo/finished"), &["check"]).code, 0);
    let env = env.with_variable("CLOSEOUT_CONFIG", "/nowhere/config.toml");
    let run = env.run(env.at("demo/finished"), &["check"]);
    assert_eq!(run.code, 5);
    assert!(run.err.contains("/nowhere/config.toml"), "{run:?}");
}

#[test]
fn a_mistake_in_the_file_of_a_workspace_is_said_on_its_row_only() {
    let env = TestEnv::with_demo();
    let own = "mood = \"good\"\n[evidence]\nrequired_files = [\"docs.md\"]\n";
    env.demo("failing").write(".closeout.toml", own);
    let run = env.run(env.shop(), &["status", "--json"]);
    assert_eq!(run.code, 0);
    let report = run.json();
    schema().assert_valid(&report);
    for row in report["workspaces"].as_array().unwrap() {
        if row["name"] == "failing" {
            let problem = row["problem"].as_str().unwrap();
            assert!(problem.contains(".closeout.toml:1:1") && problem.contains("`mood`"), "{problem}");
            let files = super::evidence(row, "required_files");
            assert_eq!(files["claim"], "NO", "its other keys count: {row:#}");
        } else {
            assert!(row["problem"].is_null(), "{row:#}");
        }
    }
    // The text says it too.
    for arguments in [["status"].as_slice(), &["check", "../failing"]] {
        let run = env.run(env.shop(), arguments);
        assert!(run.out.contains(".closeout.toml:1:1"), "{run:?}");
    }
}

#[test]
fn settings_for_a_workspace_count_there() {
    let repo = with_work();
    repo.write("verdict.json", r#"{"decision":"incomplete","reasons":["no docs"]}"#).commit("verdict");
    let env = TestEnv::beside(&repo);
    let file = env.at("own.toml");
    let entry = format!(
        "[[workspace]]\npath = \"{}\"\nevidence.decision_file = \"verdict.json\"\n",
        repo.path().display()
    );
    fs::write(&file, entry).unwrap();
    let since = ["--baseline-commit", "main"];
    assert_eq!(check(&env, repo.path(), &since).0.code, 0);
    let env = env.with_variable("CLOSEOUT_CONFIG", &file);
    assert_eq!(check(&env, repo.path(), &since).0.code, 1);
}

#[test]
fn without_a_home_it_judges_and_remembers_nothing() {
    let repo = with_work();
    let env = TestEnv::beside(&repo)
        .with_variable("HOME", "")
        .with_variable("CLOSEOUT_STATE_DIR", "")
        .with_variable("XDG_CONFIG_HOME", "")
        .with_variable("XDG_STATE_HOME", "")
        .with_variable("CLAUDE_CONFIG_DIR", "");
    let (run, workspace) = check(&env, repo.path(), &["--baseline-commit", "main"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{workspace:#}");
    assert!(!env.at("state").exists());
}

#[test]
fn config_lists_every_key_with_its_value_and_where_it_comes_from() {
    let repo = with_work();
    repo.write("docs/note.md", "x").write(
        ".closeout.toml",
        "task_kind = \"REPORT\"\nevidence.plans = [\"TODO.md\"]\ncloser.step = \"review/pr\"\nmood = 1\n",
    );
    let env = TestEnv::beside(&repo).with_variable("CLOSEOUT_LOOK", "ascii");
    env.configure(&format!(
        "judge.stall_stage = 5\nevidence.plans = [\"PLAN.md\"]\n[[workspace]]\npath = \"{}\"\ngate.enabled = true\n",
        repo.path().display()
    ));
    let run = env.run(repo.path().join("docs"), &["config", "--json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let found = run.json();
    schema().assert_valid(&found);
    let rows = found["settings"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(names, closeout::config::Key::all().map(|(_, name)| name).collect::<Vec<_>>());
    let setting = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap().clone();
    let row = |key: &str, value: serde_json::Value, origin: &str, own: serde_json::Value| {
        assert_eq!(
            setting(key),
            serde_json::json!({"key": key, "value": value, "origin": origin, "own": own})
        );
    };
    let none = || serde_json::Value::Null;
    row("judge.stall_stage", 5.into(), "user", none());
    row("judge.offers", "done".into(), "default", none());
    row("gate.enabled", true.into(), "user_for_some", none());
    row("ui.look", "ascii".into(), "environment", none());
    row("closer.step", "review/pr".into(), "workspace", none());
    let added = serde_json::json!({"value": ["TODO.md"], "effect": "added"});
    row("evidence.plans", serde_json::json!(["PLAN.md"]), "user", added);
    let waits = serde_json::json!({"value": "REPORT", "effect": "if_in_baseline"});
    assert_eq!(setting("task_kind")["own"], waits);
    assert!(found["problems"][0].as_str().unwrap().contains("`mood`"), "{found:#}");
    assert_eq!(found["files"][0]["exists"], true);
    // As text it is TOML, which says the same again where it is read as a configuration.
    let text = env.run(repo.path(), &["config"]).out;
    let keys = closeout::config::parse_layer(&text, "config", closeout::config::LayerOrigin::BuiltIn, None);
    assert!(keys.is_ok(), "{keys:?}\n{text}");
    let changed = env.run(repo.path(), &["config", "--changed"]).out;
    assert!(changed.contains("judge.stall_stage = 5") && !changed.contains("judge.offers"), "{changed}");
}

#[test]
fn config_needs_no_repository() {
    let env = TestEnv::with_demo();
    let run = env.run(env.at("home"), &["config"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("judge.offers = \"done\"") && run.out.contains("(none)"), "{run:?}");
    assert_eq!(env.run(env.at("home"), &["config", "missing"]).code, 4);
}
