//! `check`: verdicts, exit codes, and what its flags name.

use super::{check, evidence, reasons, schema, with_work};
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};

#[test]
fn each_worktree_of_the_demonstration_has_its_state_and_exit_code() {
    let env = TestEnv::with_demo();
    for (name, state, code) in [
        ("finished", "COMPLETE", 0),
        ("asks", "AWAITING_RESPONSE", 1),
        ("uncommitted", "RESCUE_NEEDED", 1),
        ("failing", "INCOMPLETE", 1),
        ("working", "WORKING", 1),
    ] {
        let (run, workspace) = check(&env, &env.at("demo").join(name), &[]);
        assert_eq!((workspace["state"].as_str(), run.code), (Some(state), code), "{name}: {workspace:#}");
        assert_eq!(workspace["is_terminal"], state != "WORKING");
        let text = env.run(env.at("demo").join(name), &["check"]);
        assert_eq!(text.code, code);
        assert!(text.out.starts_with(&format!("{state}  {name}\n")), "{text:?}");
    }
}

#[test]
fn a_question_is_told_in_its_own_words() {
    let env = TestEnv::with_demo();
    let (_, workspace) = check(&env, &env.at("demo/asks"), &[]);
    assert!(workspace["question"]["text"].as_str().unwrap().contains("どちらにしますか"), "{workspace:#}");
    assert_eq!(workspace["attention"], "asks");
    let text = env.run(env.at("demo/asks"), &["check"]);
    assert!(text.out.contains("どちらにしますか") && !text.out.contains("  proof "), "{text:?}");
    let text = env.run(env.at("demo/finished"), &["check"]);
    assert!(text.out.contains("\n  proof committed\n"), "{text:?}");
}

#[test]
fn the_open_points_stand_before_the_evidence_and_silent_sources_share_a_line() {
    let env = TestEnv::with_demo();
    let text = env.run(env.at("demo/failing"), &["check"]).out;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = |start: &str| lines.iter().position(|line| line.starts_with(start)).expect(start);
    let order =
        ["next", "COMPLETE when:", "left to do", "- 2 tests fail", "evidence", "not there: closer"].map(at);
    assert!(order.is_sorted(), "{text}");
    assert!(lines[at("- 2 tests fail")].contains("decision"), "{text}");
    assert!(!text.contains("ABSTAIN  closer"), "{text}");
}

#[test]
fn a_step_is_done_where_its_plan_says_so_and_asks_for_nothing_once_the_plan_is_deleted() {
    for (then, expected) in [(Some("- [x] Parse\n- [x] Document\n"), Some("done")), (None, None)] {
        let env = TestEnv::with_demo();
        let finished = env.demo("finished");
        finished.write("docs/plan.md", "- [x] Parse\n- [ ] Document\n");
        env.person_says("finished", "Do everything in docs/plan.md and commit.");
        env.agent_says("finished", "The parser is there.");
        let state = || {
            let (_, workspace) = check(&env, finished.path(), &[]);
            let points = workspace["left_to_do"]["points"].as_array().unwrap();
            let step = points.iter().find(|point| point["text"] == "Document");
            step.map(|step| step["state"]["is"].as_str().unwrap().to_owned())
        };
        assert_eq!(state().as_deref(), Some("open"));
        match then {
            Some(text) => drop(finished.write("docs/plan.md", text)),
            None => std::fs::remove_file(finished.at("docs/plan.md")).unwrap(),
        }
        assert_eq!(state().as_deref(), expected);
    }
}

/// Spoils a report in one way.
type Spoil = fn(&mut serde_json::Value);

#[test]
fn commits_that_no_ref_holds_have_to_be_put_on_a_branch() {
    let env = TestEnv::with_demo();
    let finished = env.demo("finished");
    finished.git(["checkout", "-q", "--detach"]);
    finished.git(["branch", "-q", "-D", "finished"]);
    let told = env.run(finished.path(), &["check"]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(told.out.contains("is on no branch\n"), "{told:?}");
    assert!(told.out.contains("COMPLETE when: the commits are on a branch\n"), "{told:?}");
}

#[test]
fn the_schema_refuses_what_is_not_in_it() {
    let env = TestEnv::with_demo();
    let schema = schema();
    let report = env.run(env.shop(), &["status", "--json"]).json();
    schema.assert_valid(&report);
    let broken: [(&str, Spoil); 5] = [
        ("a state outside the closed set", |report| report["workspaces"][0]["state"] = "DONE".into()),
        ("a missing field", |report| drop(report.as_object_mut().unwrap().remove("notices"))),
        ("an unknown field", |report| report["workspaces"][0]["mood"] = "good".into()),
        ("another type", |report| report["workspaces"][0]["stage"] = "1".into()),
        ("a number out of range", |report| report["workspaces"][0]["stage"] = 256.into()),
    ];
    for (what, spoil) in broken {
        let mut spoilt = report.clone();
        spoil(&mut spoilt);
        assert!(!schema.problems(&spoilt).is_empty(), "{what} passes");
    }
}

#[test]
fn new_work_is_counted_from_the_baseline_that_is_named() {
    let repo = with_work();
    let env = TestEnv::beside(&repo);
    for (revision, code, n_new) in [("main", 0, 1), ("HEAD", 1, 0), (repo.head().as_str(), 1, 0)] {
        let (run, workspace) = check(&env, repo.path(), &["--baseline-commit", revision]);
        assert_eq!(run.code, code, "{revision}: {workspace:#}");
        assert_eq!(workspace["git"]["commits"]["n_new"], n_new, "{revision}");
        assert_eq!(workspace["git"]["baseline"]["origin"]["kind"], "flag");
    }
}

#[test]
fn a_baseline_that_is_no_commit_is_an_error_with_its_name() {
    let repo = with_work();
    let env = TestEnv::beside(&repo);
    for revision in ["no-such-branch", "0123456789012345678901234567890123456789", "HEAD:parser.rs"] {
        let (run, workspace) = check(&env, repo.path(), &["--baseline-commit", revision]);
        assert_eq!(run.code, 3, "{revision}: {workspace:#}");
        assert_eq!(workspace["state"], "ERROR");
        assert!(workspace["why"].as_str().unwrap().contains(revision), "{workspace:#}");
    }
    for wrong in ["--baseline-commit=--all", "--baseline-commit=", "--baseline-commit"] {
        let run = env.run(repo.path(), &["check", wrong]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("--baseline-commit"), "{run:?}");
    }
}

#[test]
fn a_report_is_judged_by_its_output() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    std::fs::write(env.at("report.md"), "# Findings\n\nThe parser is linear.\n").unwrap();
    std::fs::write(env.at("question.md"), "Which database should I use, PostgreSQL or SQLite?\n").unwrap();
    for kind in ["REPORT", "READ_INFO"] {
        for (output, state, code) in [
            ("report.md", "COMPLETE", 0),
            ("question.md", "AWAITING_RESPONSE", 1),
            ("not-there.md", "INCOMPLETE", 1),
        ] {
            let (run, workspace) = check(&env, repo.path(), &["--task-kind", kind, "--output", output]);
            assert_eq!((workspace["state"].as_str(), run.code), (Some(state), code), "{kind} {output}");
            assert_eq!(workspace["task_kind"], kind);
        }
    }
    // Relative to where one stands, or absolute; each of several has to be there.
    std::fs::write(repo.path().join("summary.md"), "# Summary\n\nNothing is quadratic.\n").unwrap();
    let report = env.at("report.md").display().to_string();
    for (other, code) in [("not-there.md", 1), ("summary.md", 0)] {
        let arguments = ["check", "--task-kind", "REPORT", "--output", other, "--output", &report];
        assert_eq!(env.run(repo.path(), &arguments).code, code, "{other}");
    }
}

#[test]
fn a_declared_output_speaks_beside_the_last_words_of_a_session() {
    let env = TestEnv::with_demo();
    let finished = env.demo("finished");
    let output = env.at("review.txt").display().to_string();
    for (text, state) in [
        ("Reviewed.\n\nVERDICT: PASS\n", "COMPLETE"),
        ("INCOMPLETE: the parser drops comments\n", "INCOMPLETE"),
        ("{\"decision\":\"incomplete\",\"reasons\":[\"the parser drops comments\"]}\n", "INCOMPLETE"),
    ] {
        std::fs::write(&output, text).unwrap();
        let (_, workspace) = check(&env, finished.path(), &["--output", &output]);
        assert_eq!(workspace["state"], state, "{text}");
        if state == "INCOMPLETE" {
            assert_eq!(reasons(&workspace, "marker"), "the parser drops comments", "{text}");
        }
    }
    // One from before the prompt is of another task.
    let written = std::fs::metadata(&output).unwrap().modified().unwrap();
    let old = written - std::time::Duration::from_hours(1);
    std::fs::File::options().write(true).open(&output).unwrap().set_modified(old).unwrap();
    assert_eq!(check(&env, finished.path(), &["--output", &output]).1["state"], "COMPLETE");
}

#[test]
fn results_behind_the_exclude_file_are_evidence_and_no_hidden_work() {
    let env = TestEnv::with_demo();
    env.configure("[evidence]\ntest_results = [\"junit.xml\"]\n");
    let finished = env.demo("finished");
    finished.write("junit.xml", "<testsuite><testcase name=\"a\"/></testsuite>");
    let exclude = env.demo("shop").at(".git/info/exclude");
    for (excluded, state) in [("junit.xml\n", "COMPLETE"), ("junit.xml\nleft.rs\n", "RESCUE_NEEDED")] {
        std::fs::write(&exclude, excluded).unwrap();
        finished.write("left.rs", "fn left() {}\n");
        if state == "COMPLETE" {
            finished.remove("left.rs");
        }
        let (_, workspace) = check(&env, finished.path(), &[]);
        assert_eq!(workspace["state"], state, "{workspace:#}");
    }
}

#[test]
fn a_decision_file_is_named_from_where_one_stands() {
    let repo = with_work();
    let env = TestEnv::beside(&repo);
    std::fs::write(env.at("verdict.json"), r#"{"decision":"incomplete","reasons":["no docs"]}"#).unwrap();
    let absolute = env.at("verdict.json").display().to_string();
    for name in ["verdict.json", "./verdict.json", absolute.as_str()] {
        let (run, workspace) = check(&env, repo.path(), &["--decision-file", name]);
        assert_eq!((run.code, reasons(&workspace, "decision").as_str()), (1, "no docs"), "{name}");
    }
    // From another place the same name is another file.
    let run = env.run(repo.path(), &["check", "--json", "--decision-file", "verdict.json"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.workspace()["state"], "NO_TASK", "{run:?}");
    assert_eq!(evidence(&run.workspace(), "decision")["rejection"], "absent");
}

#[test]
fn a_decision_counts_for_the_check_that_it_names() {
    let repo = with_work();
    repo.write(
        ".closeout/decision.json",
        r#"{"decision":"incomplete","check_id":"check-7","reasons":["no docs"]}"#,
    );
    let env = TestEnv::beside(&repo);
    let (run, workspace) = check(&env, repo.path(), &["--check-id", "check-7"]);
    assert_eq!((run.code, reasons(&workspace, "decision").as_str()), (1, "no docs"));
    // That of another check is shown and does not count.
    let since = ["--baseline-commit", "main"];
    let (run, workspace) = check(&env, repo.path(), &[&["--check-id", "check-8"][..], &since].concat());
    assert_eq!(evidence(&workspace, "decision")["rejection"], "foreign", "{workspace:#}");
    assert_eq!(run.code, 0);
    let env = env.with_variable("AGENTCORE_COMPLETION_CHECK_ID", "check-8");
    let (run, workspace) = check(&env, repo.path(), &since);
    assert_eq!((run.code, &evidence(&workspace, "decision")["rejection"]), (0, &"foreign".into()));
    // The flag is stronger than the environment.
    let (run, _) = check(&env, repo.path(), &["--check-id", "check-7"]);
    assert_eq!(run.code, 1);
}

#[test]
fn a_folder_below_a_worktree_is_that_worktree() {
    let repo = with_work();
    repo.write("src/deep/mod.rs", "").commit("deep");
    let env = TestEnv::beside(&repo);
    let (_, workspace) = check(&env, &repo.at("src/deep"), &[]);
    assert_eq!(workspace["path"], repo.path().to_str().unwrap());
    let run = env.run(repo.at("src/deep"), &["check", "--json"]);
    assert_eq!(run.workspace()["path"], repo.path().to_str().unwrap());
}

#[test]
fn a_folder_without_a_repository_is_judged_by_its_output() {
    let env = TestEnv::new();
    let notes = env.at("notes");
    std::fs::create_dir(&notes).unwrap();
    std::fs::write(notes.join("answer.md"), "The parser is linear.\n").unwrap();
    let (run, workspace) = check(&env, &notes, &["--output", "notes/answer.md"]);
    assert_eq!((run.code, workspace["task_kind"].as_str()), (0, Some("READ_INFO")), "{workspace:#}");
}

#[test]
fn looking_leaves_no_trace_in_the_repository() {
    let env = TestEnv::with_demo();
    // A file that is as long as before and newer than the index: git itself would write the index anew.
    env.demo("finished").write("src/main.rs", "fn main() {}\n");
    let before = traces(&env.at("demo"));
    for name in ["finished", "asks", "uncommitted", "failing", "working", "shop"] {
        let _ = check(&env, &env.at("demo").join(name), &[]);
    }
    assert_eq!(env.run(env.shop(), &["status"]).code, 0);
    assert_eq!(traces(&env.at("demo")), before);
}

#[test]
fn uncommitted_work_in_a_temporary_folder_of_the_system_is_at_risk() {
    let env = TestEnv::with_demo();
    let folder = env.at("demo");
    let env = env.with_variable("TMPDIR", folder);
    env.demo("finished").write("src/more.rs", "pub fn more() {}\n");
    let (_, workspace) = check(&env, &env.at("demo/finished"), &[]);
    assert_eq!(workspace["state"], "RESCUE_NEEDED", "{workspace:#}");
    assert_eq!(workspace["degree"], "at_risk", "{workspace:#}");
    assert_eq!(workspace["attention"], "rescue", "{workspace:#}");
}
