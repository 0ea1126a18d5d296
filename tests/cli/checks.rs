//! The checks that a person configured: run by `check --run-checks` and by the gate, each with a row of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::check;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A repository with work on a branch that says done, and a person who configured `config`.
fn done_work(config: &str) -> (Repo, TestEnv) {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    let env = TestEnv::beside(&repo);
    env.configure(config);
    (repo, env)
}

/// The workspace's own script.
fn script(repo: &Repo, body: &str) {
    repo.write("ci.sh", format!("#!/bin/sh\n{body}\n"));
    fs::set_permissions(repo.at("ci.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    repo.stage("ci.sh").commit("the script");
}

fn shell(name: &str, script: &str) -> String {
    format!("[[check]]\nname = \"{name}\"\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n")
}

/// The row of a check: its claim, and all its reasons.
fn row(workspace: &Value, name: &str) -> (String, String) {
    let rows = workspace["evidence"].as_array().unwrap();
    let name = format!("check {name}");
    let row = rows.iter().find(|row| row["name"] == name.as_str()).unwrap_or_else(|| panic!("{workspace:#}"));
    (row["claim"].as_str().unwrap().to_owned(), row["reasons"].to_string())
}

#[test]
fn a_check_that_has_not_run_since_the_last_change_keeps_work_from_being_complete() {
    let (repo, env) = done_work(&shell("tests", "echo all well"));
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, workspace["state"].as_str()), (1, Some("INCOMPLETE")), "{workspace:#}");
    assert!(row(&workspace, "tests").1.contains("--run-checks"), "{workspace:#}");
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!((run.code, workspace["state"].as_str()), (0, Some("COMPLETE")), "{workspace:#}");
    assert_eq!((row(&workspace, "tests").0.as_str(), &workspace["proof"]), ("YES", &json!("checked")));
    // It holds for a later look, and no longer than the work is as it was.
    assert_eq!(check(&env, repo.path(), &[]).1["state"], "COMPLETE");
    repo.commit_file("more.rs");
    assert_eq!(check(&env, repo.path(), &[]).1["state"], "INCOMPLETE");
}

#[test]
fn a_check_that_fails_is_told_with_its_last_line() {
    let (repo, env) = done_work(&shell("tests", "echo one; echo '3 of 14 fail' >&2; exit 4"));
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!(run.code, 1, "{run:?}");
    let (claim, reasons) = row(&workspace, "tests");
    assert_eq!(claim, "NO");
    assert!(reasons.contains("ended with 4: 3 of 14 fail"), "{reasons}");
    let left = workspace["left_to_do"].to_string();
    assert!(left.contains("3 of 14 fail"), "{left}");
    let log = env.run(repo.path(), &["log"]);
    assert!(log.out.contains("checks"), "{log:?}");
}

#[test]
fn a_check_that_hangs_floods_or_leaves_children_is_ended() {
    let marker = "left-by-a-check";
    for (script, told) in [
        ("sleep 600", "took longer than 1 s"),
        ("yes | head -c 30000000; exit 3", "ended with 3"),
        ("(sleep 60; touch left-by-a-check) & sleep 60", "took longer than 1 s"),
    ] {
        let config = format!("{}limit_seconds = 1\n", shell("bad", script));
        let (repo, env) = done_work(&config);
        let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
        let (claim, reasons) = row(&workspace, "bad");
        assert!(claim == "NO" && reasons.contains(told), "{script}: {reasons}");
        assert!(!repo.at(marker).exists());
    }
}

#[test]
fn an_external_check_reads_the_context_and_answers_in_json() {
    let external = |script: &str| {
        format!(
            "[[check]]\nname = \"review\"\nkind = \"external\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
        )
    };
    for (script, claim, told) in [
        ("cat > ../context.json; echo '{\"complete\":true,\"feedback\":\"well done\"}'", "YES", "well done"),
        ("echo '{\"complete\":false,\"feedback\":\"no docs\"}'", "NO", "no docs"),
        ("echo '{\"complete\":false}'", "NO", "gives no reason"),
        ("echo '{\"complete\":tr'", "NO", "did not answer"),
        ("echo '{\"complete\":\"yes\"}'", "NO", "did not answer"),
        ("exit 3", "NO", "ended with 3"),
        ("exec /nowhere/at/all", "NO", "ended with 127"),
    ] {
        let (repo, env) = done_work(&external(script));
        let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
        let (found, reasons) = row(&workspace, "review");
        assert!(found == claim && reasons.contains(told), "{script}: {found} {reasons}");
        if claim == "YES" {
            let context = fs::read_to_string(repo.path().parent().unwrap().join("context.json")).unwrap();
            let context: Value = serde_json::from_str(&context).unwrap();
            assert_eq!((&context["version"], &context["task_kind"]), (&json!(1), &json!("IMPLEMENTATION")));
        }
    }
}

#[test]
fn only_allowed_paths_and_so_many_lines() {
    let scope = |more: &str| format!("[[check]]\nname = \"scope\"\nkind = \"scope\"\n{more}\n");
    let (repo, env) = done_work(&scope("paths = [\"parser.rs\", \"docs/**\"]\nmax_lines = 1000"));
    let found = |env: &TestEnv| row(&check(env, repo.path(), &["--run-checks"]).1, "scope");
    assert_eq!(found(&env).0, "YES", "{:?}", found(&env));
    repo.write("docs/a.md", "a\n").write("other/x.rs", "x\n");
    let (claim, reasons) = found(&env);
    assert!(
        claim == "NO" && reasons.contains("1 changed outside of what is allowed: other/x.rs"),
        "{reasons}"
    );
    env.configure(&scope("max_lines = 1"));
    let (claim, reasons) = found(&env);
    assert!(claim == "NO" && reasons.contains("lines were changed, and 1 are allowed"), "{reasons}");
}

#[test]
fn checks_are_combined_and_nested() {
    let both = format!("{}{}", shell("a", "exit 1"), shell("b", "exit 0"));
    let states = |config: &str| {
        let (repo, env) = done_work(config);
        let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
        let claims = ["a", "b"].map(|name| row(&workspace, name).0);
        (workspace["state"].as_str().unwrap().to_owned(), claims.join(" "))
    };
    assert_eq!(states(&both), ("INCOMPLETE".to_owned(), "NO ABSTAIN".to_owned()));
    let any = format!("[checks]\nmode = \"any\"\n{both}");
    assert_eq!(states(&any), ("COMPLETE".to_owned(), "ABSTAIN YES".to_owned()));
    let group = "[[check]]\nname = \"g\"\nkind = \"any\"\nof = [\"a\", \"b\"]\n";
    assert_eq!(states(&format!("{both}{group}")), ("COMPLETE".to_owned(), "ABSTAIN YES".to_owned()));
}

#[test]
fn what_failed_before_the_work_began_is_not_the_agents() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    env.configure(&shell("tests", "exit 1"));
    let run = env.run(repo.path(), &["check", "--run-checks"]);
    assert_ne!(run.code, 0, "{run:?}");
    repo.commit_file("parser.rs");
    repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
    let (claim, reasons) = row(&workspace, "tests");
    assert!(claim == "ABSTAIN" && reasons.contains("before the work began"), "{reasons}");
}

#[test]
fn a_program_of_the_workspace_runs_only_when_it_is_trusted() {
    let config = "[[check]]\nname = \"own\"\nkind = \"command\"\ncommand = [\"./ci.sh\"]\n";
    let (repo, env) = done_work(config);
    script(&repo, "touch ../it-ran");
    let mark = repo.path().parent().unwrap().join("it-ran");
    let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
    let (claim, reasons) = row(&workspace, "own");
    assert!(claim == "NO" && reasons.contains("closeout trust"), "{reasons}");
    assert!(!mark.exists());
    assert_eq!(env.run(repo.path(), &["trust", "--yes"]).code, 0);
    let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!(row(&workspace, "own").0, "YES", "{workspace:#}");
    assert!(mark.exists());
    script(&repo, "touch ../it-ran-again");
    assert_eq!(row(&check(&env, repo.path(), &["--run-checks"]).1, "own").0, "NO");
    assert!(!repo.path().parent().unwrap().join("it-ran-again").exists());
}

#[test]
fn the_gate_runs_them_when_nothing_else_is_open() {
    let config = format!("[gate]\nenabled = true\n{}", shell("tests", "test -e parser.md"));
    let (repo, env) = done_work(&config);
    let payload = json!({"session_id": "s", "cwd": repo.path(), "stop_hook_active": false,
        "last_assistant_message": "All is done.", "background_tasks": []})
    .to_string();
    let stop = || env.run_with_input(&["hook", "stop", "--agent", "claude"], payload.as_bytes());
    let held = stop();
    assert!(held.out.contains("`/bin/sh -c test -e parser.md` ended with 1"), "{held:?}");
    repo.commit_file("parser.md");
    let let_go = stop();
    assert_eq!((let_go.code, let_go.out.as_str()), (0, ""), "{let_go:?}");
}

#[test]
fn wrong_entries_are_told() {
    for (entry, told) in [
        ("name = \"a\"", "`check.kind` is missing"),
        ("name = \"a\"\nkind = \"comand\"", "did you mean \"command\""),
        ("name = \"a\"\nkind = \"command\"", "`check.command` is missing"),
        ("name = \"a\"\nkind = \"scope\"", "or `max_lines` is missing"),
        ("name = \"a\"\nkind = \"all\"\nof = [\"b\"]", "names a check that is not there: \"b\""),
        ("name = \"a\"\nkind = \"all\"\nof = [\"a\"]", "names a check that is not there: \"a\""),
        ("name = 3\nkind = \"scope\"", "`check.name` must be a string"),
        ("name = \"a\"\nkind = \"scope\"\nmax_lines = 1\nlimit = 3", "is not a key of closeout"),
        ("name = \"a\"\nkind = \"scope\"\nmax_lines = 1\nlimit_seconds = 0", "must be from 1"),
        ("name = \"a\"\nkind = \"scope\"\nmax_lines = -1", "must not be negative"),
        (
            "name = \"a\"\nkind = \"scope\"\npath = \"x\"\nmax_lines = 1",
            "`check.path` must be an absolute path",
        ),
    ] {
        let (repo, env) = done_work(&format!("[[check]]\n{entry}\n"));
        let run = env.run(repo.path(), &["check"]);
        assert!(run.code == 5 && run.err.contains(told), "{entry}: {run:?}");
    }
    // The workspace's own file cannot name one.
    let (repo, env) = done_work("");
    repo.write(".closeout.toml", shell("mine", "exit 0"));
    let (_, workspace) = check(&env, repo.path(), &[]);
    assert!(
        workspace["problem"].as_str().unwrap().contains("`check` counts only in your own"),
        "{workspace:#}"
    );
}
