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
fn what_one_check_runs_keeps_no_other_from_running() {
    let own = "[[check]]\nname = \"smoke\"\nkind = \"command\"\ncommand = [\"./ci.sh\"]\n";
    let (repo, env) = done_work(&format!("{}{own}", shell("marks", "exit 0")));
    script(&repo, "exit 0");
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(row(&workspace, "marks").0, "YES", "{workspace:#}");
    let (claim, reasons) = row(&workspace, "smoke");
    assert!(claim == "NO" && reasons.contains("that is not trusted"), "{reasons}");
}

#[test]
fn a_check_that_hangs_crashes_floods_or_leaves_children_is_no_pass() {
    let marker = "left-by-a-check";
    for (limit, script, told) in [
        (1, "sleep 600", "took longer than 1 s"),
        (60, "yes | head -c 30000000; exit 3", "ended with 3"),
        (60, "kill -SEGV $$", "signal 11"),
        (1, "(sleep 60; touch left-by-a-check) & sleep 60", "took longer than 1 s"),
    ] {
        let config = format!("{}limit_seconds = {limit}\n", shell("bad", script));
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
fn a_plan_files_and_tests_are_combined_and_read_at_every_look() {
    let kind = |name: &str, kind: &str, files: &str| {
        format!("[[check]]\nname = \"{name}\"\nkind = \"{kind}\"\nfiles = [{files}]\n")
    };
    let config = format!(
        "{}{}{}{}[[check]]\nname = \"either\"\nkind = \"any\"\nof = [\"md\", \"html\"]\n",
        kind("steps", "plan", "\"./steps.md\""),
        kind("md", "files", "\"out.md\""),
        kind("html", "files", "\"out.html\""),
        kind("unit", "tests", "\"junit.json\""),
    );
    let (repo, env) = done_work(&config);
    repo.write("steps.md", "- [x] read\n- [ ] write\n");
    repo.write("junit.json", r#"{"passed": 3, "failed": 1}"#).stage("steps.md").commit("a plan");
    let claims = |workspace: &Value| {
        let claims = ["steps", "md", "html", "unit"].map(|name| row(workspace, name).0);
        claims.join(" ")
    };
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, claims(&workspace).as_str()), (1, "NO NO NO NO"), "{workspace:#}");
    assert!(row(&workspace, "steps").1.contains("1 of 2 plan steps is not done: write"), "{workspace:#}");
    repo.write("steps.md", "- [x] read\n- [x] write\n").write("out.html", "<p>\n");
    repo.write("junit.json", r#"{"passed": 4, "failed": 0}"#);
    repo.stage("steps.md").stage("out.html").commit("written");
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, claims(&workspace).as_str()), (0, "YES ABSTAIN YES YES"), "{workspace:#}");
    assert_eq!(workspace["proof"], "checked", "by the test results");
    // Nothing of it is a program to be run.
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!((run.code, claims(&workspace).as_str()), (0, "YES ABSTAIN YES YES"), "{workspace:#}");
    assert!(row(&workspace, "md").1.contains("the others suffice"), "{workspace:#}");
}

#[test]
fn a_plan_alone_is_no_proof_and_one_that_nobody_made_meets_no_any() {
    let plan = "[[check]]\nname = \"plan\"\nkind = \"plan\"\n";
    let (repo, env) = done_work(plan);
    repo.write("tasks.md", "- [x] all\n").stage("tasks.md").commit("a plan");
    let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!((row(&workspace, "plan").0.as_str(), &workspace["proof"]), ("YES", &json!("committed")));
    let (repo, env) = done_work(&format!("[checks]\nmode = \"any\"\n{plan}{}", shell("tests", "exit 1")));
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!((run.code, row(&workspace, "tests").0.as_str()), (1, "NO"), "{workspace:#}");
}

/// An agent of the person's own whose program answers by `script`, and a check that asks it.
fn judged_by(script: &str, more: &str) -> String {
    format!(
        "[[agent]]\nname = \"critic\"\noutput = \"critic.txt\"\ncommands.query = [\"/bin/sh\", \"-c\", {script:?}]\n\
         [[check]]\nname = \"review\"\nkind = \"judge\"\nagent = \"critic\"\n\
         criteria = [\"it is tested\", \"it is told of\"]\n{more}"
    )
}

/// An answer about two criteria.
fn answer(evidence: &str) -> String {
    let entry = |number: u8, evidence: &str| json!({"number": number, "met": true, "evidence": evidence});
    json!({"criteria": [entry(1, "tests/a.rs:1"), entry(2, evidence)]}).to_string()
}

#[test]
fn a_model_judges_by_written_criteria_and_names_what_shows_each() {
    let asks = |evidence: &str| {
        judged_by(&format!("cat > ../asked.txt; echo x >> ../n-asked; echo '{}'", answer(evidence)), "")
    };
    let (repo, env) = done_work(&asks("README.md:3"));
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, row(&workspace, "review").0.as_str()), (1, "NO"), "not asked yet");
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert_eq!((run.code, &workspace["proof"]), (0, &json!("checked")), "{workspace:#}");
    assert!(row(&workspace, "review").1.contains("all 2 criteria are met"), "{workspace:#}");
    let beside = repo.path().parent().unwrap().to_owned();
    let asked = fs::read_to_string(beside.join("asked.txt")).unwrap();
    assert!(asked.contains("1. it is tested\n2. it is told of"), "{asked}");
    // The same work is not judged again.
    drop(check(&env, repo.path(), &["--run-checks"]));
    assert_eq!(fs::read_to_string(beside.join("n-asked")).unwrap(), "x\n");
    repo.commit_file("more.rs");
    assert_eq!(row(&check(&env, repo.path(), &[]).1, "review").0, "NO", "an old answer is none for new work");
    drop(check(&env, repo.path(), &["--run-checks"]));
    assert_eq!(fs::read_to_string(beside.join("n-asked")).unwrap(), "x\nx\n");
    let (repo, env) = done_work(&asks("n/a"));
    let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
    let (claim, reasons) = row(&workspace, "review");
    assert_eq!((run.code, claim.as_str()), (1, "NO"), "{reasons}");
    assert!(reasons.contains("1 of 2 criteria is not met: it is told of"), "{reasons}");
}

#[test]
fn a_judge_that_cannot_be_used_lets_nothing_pass() {
    let good = answer("README.md:3");
    for (script, more, told) in [
        ("echo fine", "", "no JSON object"),
        ("echo '{\"criteria\": [{\"number\": 1'", "", "no JSON object"),
        ("exit 3", "", "exit code 3"),
        ("sleep 60", "limit_seconds = 1\n", "no answer within 1 s"),
        (&format!("echo x >> parser.rs; echo '{good}'"), "", "not run since the last change"),
        ("yes", "", "printed more than"),
    ] {
        let (repo, env) = done_work(&judged_by(script, more));
        let (run, workspace) = check(&env, repo.path(), &["--run-checks"]);
        let (claim, reasons) = row(&workspace, "review");
        assert!(run.code == 1 && claim == "NO", "{script}: {reasons}");
        assert!(reasons.contains(told), "{script}: {reasons}");
    }
    // Its budget is spent over runs.
    let (repo, env) = done_work(&judged_by("echo fine", "per_hour = 1\n"));
    drop(check(&env, repo.path(), &["--run-checks"]));
    let (_, workspace) = check(&env, repo.path(), &["--run-checks"]);
    assert!(row(&workspace, "review").1.contains("it was asked 1 times within an hour"), "{workspace:#}");
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
        ("name = \"a\"\nkind = \"judge\"", "`check.criteria` is missing"),
        ("name = \"a\"\nkind = \"judge\"\ncriteria = [\" \"]", "a list of 1 to 100 criteria"),
        ("name = \"a\"\nkind = \"judge\"\ncriteria = [\"x\"]\nper_hour = 0", "must be from 1 to 60"),
        ("name = \"a\"\nkind = \"files\"", "`check.files` is missing"),
        ("name = \"a\"\nkind = \"files\"\nfiles = [\"../x\"]", "is not"),
        ("name = \"a\"\nkind = \"all\"\nof = [\"b\"]", "names a check that does not exist: \"b\""),
        ("name = \"a\"\nkind = \"all\"\nof = [\"a\"]", "names a check that does not exist: \"a\""),
        ("name = 3\nkind = \"scope\"", "`check.name` must be a string"),
        ("name = \"a\"\nkind = \"scope\"\nmax_lines = 1\nlimit = 3", "is not a closeout key"),
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
