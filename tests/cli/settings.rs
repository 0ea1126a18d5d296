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
