//! `mark`: a person's own word, above all evidence, bound to what they saw.

use std::fs::File;
use std::time::Duration;

use serde_json::Value;

use super::check;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A repository whose decision file says that it is not done.
fn undone() -> (Repo, TestEnv) {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    repo.write(".closeout/decision.json", r#"{"decision":"incomplete","reasons":["no docs"]}"#);
    let env = TestEnv::beside(&repo);
    (repo, env)
}

fn state(env: &TestEnv, repo: &Repo) -> (String, String, i32, Value) {
    let (run, workspace) = check(env, repo.path(), &[]);
    let word = |key: &str| workspace[key].as_str().unwrap_or_default().to_owned();
    (word("state"), word("rule"), run.code, workspace["proof"].clone())
}

fn mark(env: &TestEnv, repo: &Repo, arguments: &[&str]) {
    let run = env.run(repo.path(), &[&["mark"][..], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
}

#[test]
fn done_is_above_a_no_and_is_taken_back() {
    let (repo, env) = undone();
    assert_eq!(state(&env, &repo).0, "INCOMPLETE");
    mark(&env, &repo, &["done", "--reason", "the docs are elsewhere"]);
    assert_eq!(state(&env, &repo), ("COMPLETE".to_owned(), "by_you".to_owned(), 0, "by_you".into()));
    let log = env.run(repo.path(), &["log"]);
    assert!(log.out.contains("mark"), "{log:?}");
    let told = env.run(repo.path(), &["mark"]);
    assert_eq!(told.out, "You said just now: done, because the docs are elsewhere\n", "{told:?}");
    let told = env.run(repo.path(), &["check"]);
    assert!(
        told.out.contains("  mark  You said just now: done, because the docs are elsewhere\n"),
        "{told:?}"
    );
    mark(&env, &repo, &["--clear", "."]);
    assert_eq!(state(&env, &repo).1, "says_no");
    assert_eq!(env.run(repo.path(), &["mark", "."]).out, "no mark holds\n");
}

#[test]
fn done_lapses_with_what_it_did_not_see_and_says_so() {
    for change in ["another point", "another commit", "uncommitted work"] {
        let (repo, env) = undone();
        mark(&env, &repo, &["done"]);
        match change {
            "another point" => drop(repo.write(
                ".closeout/decision.json",
                r#"{"decision":"incomplete","reasons":["no docs","no tests"]}"#,
            )),
            "another commit" => drop(repo.commit_file("more.rs")),
            _ => drop(repo.write("left.rs", "fn left() {}\n")),
        }
        let (_, workspace) = check(&env, repo.path(), &[]);
        assert_eq!(workspace["state"], "INCOMPLETE", "{change}: {workspace:#}");
        let warnings = workspace["warnings"].as_array().unwrap();
        assert!(warnings.contains(&"mark_lapsed".into()), "{change}: {workspace:#}");
        let (why, words) = match change {
            "another point" => ("point", "there is a new open point"),
            _ => ("content", "the content has changed"),
        };
        assert_eq!(workspace["mark_lapsed"], why, "{change}");
        let sentence = format!("Your mark has lapsed: {words}.");
        for command in ["check", "status"] {
            let told = env.run(repo.path(), &[command, "."]);
            assert!(told.out.contains(&sentence), "{change}: {told:?}");
        }
    }
}

#[test]
fn done_holds_over_another_commit_of_the_same_content() {
    let (repo, env) = undone();
    mark(&env, &repo, &["done"]);
    repo.git(["commit", "--quiet", "--amend", "--message", "The same in other words"]);
    assert_eq!(state(&env, &repo).1, "by_you");
}

#[test]
fn open_is_above_every_yes() {
    let (repo, env) = undone();
    repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    assert_eq!(state(&env, &repo).0, "COMPLETE");
    mark(&env, &repo, &["open"]);
    assert_eq!(state(&env, &repo).1, "by_you");
    assert_eq!(state(&env, &repo).2, 1);
}

#[test]
fn a_point_that_is_not_of_this_task_says_nothing_and_others_do() {
    let (repo, env) = undone();
    mark(&env, &repo, &["not-of-this-task", "no docs"]);
    assert_ne!(state(&env, &repo).1, "says_no");
    repo.write(".closeout/decision.json", r#"{"decision":"incomplete","reasons":["no tests"]}"#);
    assert_eq!(state(&env, &repo).1, "says_no");
}

#[test]
fn the_kind_of_a_task_and_its_begin_can_be_said() {
    let (repo, env) = undone();
    mark(&env, &repo, &["kind", "report"]);
    let (_, workspace) = check(&env, repo.path(), &[]);
    assert_eq!(workspace["task_kind"], "REPORT", "{workspace:#}");
    mark(&env, &repo, &["baseline-here"]);
    let (_, workspace) = check(&env, repo.path(), &[]);
    assert_eq!(workspace["git"]["commits"]["n_new"], 0, "{workspace:#}");
}

#[test]
fn a_reason_in_hostile_words_is_shown_and_kept_as_text() {
    let (repo, env) = undone();
    let hostile = "fine\u{1b}]0;owned\u{7}\u{1b}[2J\r\nYou said just now: open\u{202e}\"}],";
    mark(&env, &repo, &["done", "--reason", hostile]);
    assert_eq!(state(&env, &repo).1, "by_you");
    let is_plain =
        |text: &str| text.chars().all(|sign| sign == '\n' || !sign.is_control() && sign != '\u{202e}');
    let told = env.run(repo.path(), &["mark"]);
    assert!(is_plain(&told.out) && told.out.lines().count() == 1, "{told:?}");
    for arguments in [&["log"][..], &["check"], &["check", "--json"]] {
        let run = env.run(repo.path(), arguments);
        assert!(is_plain(&run.out), "{arguments:?}: {run:?}");
        assert!(!run.out.contains("\nYou said just now: open"), "{arguments:?}: {run:?}");
    }
}

#[test]
fn of_two_marks_at_once_one_holds_and_both_are_in_the_log() {
    let (repo, env) = undone();
    for _ in 0..3 {
        std::thread::scope(|scope| {
            scope.spawn(|| mark(&env, &repo, &["done"]));
            scope.spawn(|| mark(&env, &repo, &["open"]));
        });
        assert_eq!(state(&env, &repo).1, "by_you");
    }
    let log = env.run(repo.path(), &["log", "--json"]);
    let n_marks = log.out.matches("\"mark\"").count();
    assert!(n_marks >= 6, "{n_marks}: {log:?}");
}

#[test]
fn of_many_marks_at_once_none_is_lost() {
    let (repo, env) = undone();
    let points: Vec<String> = (0..6).map(|at| format!("point {at}")).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| mark(&env, &repo, &["done"]));
        scope.spawn(|| mark(&env, &repo, &["quiet"]));
        scope.spawn(|| mark(&env, &repo, &["kind", "report"]));
        for point in &points {
            let (env, repo) = (&env, &repo);
            scope.spawn(move || mark(env, repo, &["not-of-this-task", point]));
        }
    });
    let told = env.run(repo.path(), &["mark"]);
    for words in ["done", "quiet", "REPORT", "6 open points"] {
        assert!(told.out.contains(words), "{words}: {told:?}");
    }
}

#[test]
fn a_mark_that_cannot_be_kept_is_an_error() {
    let (repo, env) = undone();
    assert_eq!(state(&env, &repo).0, "INCOMPLETE");
    std::fs::remove_dir_all(env.at("state/reports")).unwrap();
    std::fs::write(env.at("state/reports"), "").unwrap();
    let run = env.run(repo.path(), &["mark", "done"]);
    assert_eq!(run.code, 6, "{run:?}");
    assert!(run.err.contains("the mark is not kept"), "{run:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (repo, env) = undone();
    for arguments in
        [&["mark", "don"][..], &["mark", "kind"], &["mark", "kind", "poem"], &["mark", "done", ".", "."]]
    {
        assert_eq!(env.run(repo.path(), arguments).code, 2, "{arguments:?}");
    }
    assert_eq!(env.run(repo.path(), &["mark", "done", "nowhere"]).code, 4);
}

/// Rounds are remembered: a loop in a shell stalls as a screen does.
#[test]
fn the_same_open_points_in_three_rounds_of_a_loop_are_a_stall() {
    let (repo, env) = undone();
    let mut states = Vec::new();
    for round in 0..3 {
        repo.write(".closeout/decision.json", r#"{"decision":"incomplete","reasons":["no docs"]}"#);
        let file = File::options().write(true).open(repo.at(".closeout/decision.json")).unwrap();
        let written_at = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written_at + Duration::from_millis(10 * round)).unwrap();
        states.push(check(&env, repo.path(), &["--check-id", "loop"]).1["stage"].clone());
    }
    assert_eq!(states, [1, 2, 3]);
    // Another check begins anew.
    let (_, other) = check(&env, repo.path(), &["--check-id", "other"]);
    assert_eq!(other["stage"], 1, "{other:#}");
}

/// Writes a test result with one failing test, as a test runner does each time.
fn fails(repo: &Repo, name: &str, round: u64) {
    let text = format!(
        r#"<testsuite tests="2" failures="1" errors="0"><testcase name="{name}"><failure/></testcase></testsuite>"#
    );
    let path = repo.at("junit.xml");
    repo.write("junit.xml", &text);
    let file = File::options().write(true).open(path).unwrap();
    let written_at = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written_at + Duration::from_millis(10 * round)).unwrap();
}

/// A loop whose agent leaves no record and writes no decision.
fn loop_with_tests() -> (Repo, TestEnv) {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    let env = TestEnv::beside(&repo);
    env.configure("[evidence]\ntest_results = [\"junit.xml\"]\n");
    (repo, env)
}

fn stage(env: &TestEnv, repo: &Repo, more: &[&str]) -> (u64, String) {
    let (_, workspace) = check(env, repo.path(), more);
    (workspace["stage"].as_u64().unwrap(), workspace["state"].as_str().unwrap().to_owned())
}

#[test]
fn a_loop_without_sessions_and_decisions_stalls_by_what_its_checks_find() {
    let (repo, env) = loop_with_tests();
    let id = ["--check-id", "loop"];
    let mut stages = Vec::new();
    for round in 0..3 {
        fails(&repo, "parses", round);
        repo.commit_file(&format!("round{round}.rs"));
        stages.push(stage(&env, &repo, &id).0);
        // Who asks again, or looks otherwise, changes nothing.
        assert_eq!(stage(&env, &repo, &id).0, round + 1);
        let _ = stage(&env, &repo, &[]);
        let _ = env.run(repo.path(), &["status"]);
    }
    assert_eq!(stages, [1, 2, 3]);
    assert_eq!(stage(&env, &repo, &id).1, "STALLED");
    // Without an id nothing is counted.
    assert_eq!(stage(&env, &repo, &[]).1, "INCOMPLETE");
    // Another failure begins again.
    fails(&repo, "prints", 4);
    assert_eq!(stage(&env, &repo, &id), (1, "INCOMPLETE".to_owned()));
}

#[test]
fn a_check_that_runs_the_checks_itself_is_one_round() {
    let (repo, env) = loop_with_tests();
    env.configure(concat!(
        "[[check]]\nname = \"unit\"\nkind = \"command\"\n",
        "command = [\"/bin/sh\", \"-c\", \"echo 2 fail; exit 1\"]\n",
    ));
    let arguments = ["--check-id", "loop", "--run-checks"];
    let mut stages = Vec::new();
    for round in 0..3 {
        repo.commit_file(&format!("round{round}.rs"));
        stages.push(stage(&env, &repo, &arguments).0);
        assert_eq!(stage(&env, &repo, &arguments).0, round + 1, "nothing has changed");
    }
    assert_eq!(stages, [1, 2, 3]);
}

#[test]
fn rounds_begin_anew_for_one_check_id_alone() {
    let (repo, env) = loop_with_tests();
    for round in 0..3 {
        fails(&repo, "parses", round);
        for id in ["loop", "other"] {
            assert_eq!(stage(&env, &repo, &["--check-id", id]).0, round + 1);
        }
    }
    assert_eq!(stage(&env, &repo, &["--check-id", "loop", "--reset-rounds"]), (1, "INCOMPLETE".to_owned()));
    assert_eq!(stage(&env, &repo, &["--check-id", "loop"]).0, 1);
    assert_eq!(stage(&env, &repo, &["--check-id", "other"]).1, "STALLED");
    fails(&repo, "parses", 4);
    assert_eq!(stage(&env, &repo, &["--check-id", "loop"]).0, 2);
}

#[test]
fn json_has_each_mark_with_its_reason_and_the_one_that_lapsed() {
    let (repo, env) = undone();
    let marks = || {
        let (_, workspace) = check(&env, repo.path(), &[]);
        let rows: Vec<Value> = workspace["marks"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| {
                let said = row["said"]["kind"].as_str().unwrap().to_owned();
                let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
                (said, row["at"].is_i64(), text("reason"), text("lapsed"))
            })
            .collect::<Vec<_>>()
    };
    let row = |said: &str, is_dated, reason: &str, lapsed: &str| {
        (said.to_owned(), is_dated, reason.to_owned(), lapsed.to_owned())
    };
    assert_eq!(marks(), []);
    mark(&env, &repo, &["done", "--reason", "the docs are elsewhere"]);
    mark(&env, &repo, &["quiet"]);
    let quiet = row("quiet", true, "", "");
    assert_eq!(marks(), [row("done", true, "the docs are elsewhere", ""), quiet.clone()]);
    repo.commit_file("other.rs");
    let lapsed = row("done", true, "the docs are elsewhere", "content");
    assert_eq!(marks(), [quiet.clone(), lapsed], "it is told which mark lapsed");
    mark(&env, &repo, &["open"]);
    assert_eq!(marks(), [row("open", true, "", ""), quiet]);
}
