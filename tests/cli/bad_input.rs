//! Bad input: each gets a clear word, and the others are unharmed.

use std::fs;

use super::{check, evidence, reasons, schema, with_work};
use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

/// Runs `check` on a path as a person types it.
fn checked(env: &TestEnv, path: &str) -> Run {
    env.run(env.at("."), &["check", path])
}

/// A demonstration where one more path is bad: the row of that path, while the other six are as ever.
fn beside_the_others(env: &TestEnv, path: &str) -> serde_json::Value {
    let run = env.run(env.shop(), &["status", "--json", path]);
    let report = run.json();
    schema().assert_valid(&report);
    let rows = report["workspaces"].as_array().unwrap();
    assert_eq!(rows.len(), 7, "{report:#}");
    let finished = rows.iter().find(|row| row["name"] == "finished").unwrap();
    assert_eq!(finished["state"], "COMPLETE");
    rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{report:#}")).clone()
}

#[test]
fn a_named_path_that_is_missing_is_an_error_beside_others_that_are_there() {
    let env = TestEnv::with_demo();
    let run = env.run(env.shop(), &["status", "nowhere"]);
    assert_eq!((run.code, run.out.lines().count()), (4, 6), "{run:?}");
    assert!(run.err.contains("nowhere") && run.err.ends_with("does not exist\n"), "{run:?}");
    // The name of a worktree of this repository is most likely meant for its folder.
    let meant = format!("does not exist; did you mean {}?\n", env.demo("finished").path().display());
    for command in ["status", "check", "rescues"] {
        let run = env.run(env.shop(), &[command, "finished"]);
        assert_eq!((run.code, run.err.ends_with(&meant)), (4, true), "{run:?}");
    }
    let run = env.run(env.shop(), &["status", "--json", "nowhere"]);
    assert_eq!((run.code, run.json()["refused"].as_array().unwrap().len()), (4, 1));
}

#[test]
fn without_a_home_it_is_said_that_no_session_can_be_found() {
    let env = TestEnv::new();
    let mut command = env.command(&env.at("."), &["check"]);
    let output = command.env_remove("HOME").output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("HOME is not an absolute path: the agents' default folders are not searched"),
        "{err}"
    );
}

#[test]
fn a_path_that_is_no_directory_is_said() {
    let env = TestEnv::new();
    fs::write(env.at("file"), "").unwrap();
    for (path, words) in [
        ("nowhere", "closeout: nowhere does not exist\n"),
        ("file", "closeout: file is no directory\n"),
        ("file/below", "closeout: file/below cannot be opened: Not a directory (os error 20)\n"),
        ("e\u{1b}[5mvil\u{202e}", "closeout: e␛[5mvil‹U+202E› does not exist\n"),
    ] {
        let run = checked(&env, path);
        assert_eq!((run.code, run.err.as_str(), run.out.as_str()), (4, words, ""));
    }
}

#[test]
fn a_bare_repository_is_no_workspace_and_its_worktrees_are() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    repo.git(["clone", "-q", "--bare", ".", "../shop.git"]);
    let run = checked(&env, "shop.git");
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.err.contains("is a bare repository or a git folder; name one of its work trees"), "{run:?}");
    let bare = repo.beside("shop.git");
    bare.git(["worktree", "add", "-q", "-b", "search", "../search"]);
    let run = env.run(env.at("search"), &["status"]);
    assert_eq!(run.code, 0);
    assert!(run.out.starts_with("NO_TASK            search  (search)"), "{run:?}");
}

#[test]
fn a_corrupt_repository_is_an_error_on_its_own_row() {
    let env = TestEnv::with_demo();
    for (name, path, spoilt) in [
        ("head", ".git/HEAD", "garbage"),
        ("config", ".git/config", "[core\n"),
        ("branch", ".git/refs/heads/main", "not an id\n"),
    ] {
        let repo = env.demo(name);
        repo.git(["init", "-q", "-b", "main"]);
        repo.write("README", "hello\n").commit("first");
        repo.write(path, spoilt);
        let row = beside_the_others(&env, repo.path().to_str().unwrap());
        assert_eq!(row["state"], "ERROR", "{name}: {row:#}");
        assert_eq!(row["next_action"]["kind"], "repair", "{name}");
        assert!(!reasons(&row, "commits").is_empty(), "{name}");
        assert_eq!(checked(&env, &format!("demo/{name}")).code, 3, "{name}");
    }
}

// J05
#[test]
fn lost_objects_are_never_complete() {
    let repo = with_work();
    repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    let env = TestEnv::beside(&repo);
    assert_eq!(checked(&env, "repo").code, 0);
    for folder in fs::read_dir(repo.at(".git/objects")).unwrap() {
        fs::remove_dir_all(folder.unwrap().path()).unwrap();
    }
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, workspace["state"].as_str()), (3, Some("ERROR")), "{workspace:#}");
}

#[test]
fn a_repository_of_another_user_is_not_trusted() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED a_repository_of_another_user_is_not_trusted: only root can give files away");
        return;
    }
    let env = TestEnv::with_demo();
    let repo = env.demo("theirs");
    repo.git(["init", "-q", "-b", "main"]);
    repo.write("README", "hello\n").commit("first");
    for path in ["", ".git", ".git/config", ".git/HEAD"] {
        std::os::unix::fs::chown(repo.at(path), Some(65_534), Some(65_534)).unwrap();
    }
    let row = beside_the_others(&env, repo.path().to_str().unwrap());
    assert_eq!(row["state"], "ERROR", "{row:#}");
    assert!(reasons(&row, "commits").contains("belongs to another user"), "{row:#}");
    let run = checked(&env, "demo/theirs");
    assert_eq!(run.code, 3);
    assert!(run.out.contains("safe.directory"), "it says what to do: {run:?}");
}

#[test]
fn a_locked_index_does_not_keep_from_looking() {
    let repo = with_work();
    repo.write(".git/index.lock", "");
    let env = TestEnv::beside(&repo);
    let (run, workspace) = check(&env, repo.path(), &["--baseline-commit", "main"]);
    assert_eq!((run.code, workspace["state"].as_str()), (0, Some("COMPLETE")), "{workspace:#}");
    assert!(repo.at(".git/index.lock").exists());
}

// D01, D02, D03
#[test]
fn a_decision_file_that_is_no_plain_file_is_not_read() {
    let repo = with_work();
    let env = TestEnv::beside(&repo);
    let inside = repo.at(".closeout/decision.json");
    let rejected = |what: &str, words: &str| {
        let (run, workspace) = check(&env, repo.path(), &[]);
        let decision = evidence(&workspace, "decision");
        assert_eq!(decision["rejection"], "unreadable", "{what}: {decision:#}");
        assert!(reasons(&workspace, "decision").contains(words), "{what}: {decision:#}");
        // It may have said "incomplete", whatever git tells.
        assert_eq!((run.code, workspace["rule"].as_str()), (1, Some("decision_unreadable")), "{what}");
    };
    repo.fifo(&inside);
    rejected("a FIFO", "FIFO");
    fs::remove_file(&inside).unwrap();
    fs::write(env.at("secret"), r#"{"decision":"incomplete"}"#).unwrap();
    std::os::unix::fs::symlink(env.at("secret"), &inside).unwrap();
    rejected("a link", "symbolic link");
    fs::remove_file(&inside).unwrap();
    fs::create_dir(&inside).unwrap();
    rejected("a directory", "directory");
    fs::remove_dir(&inside).unwrap();
    fs::File::create(&inside).unwrap().set_len(2 << 30).unwrap();
    rejected("2 GB", "longer than");
    fs::write(&inside, r#"{"decision":"comp"#).unwrap();
    // A single check waits until the file would be whole by now.
    rejected("a half-written file", "found broken JSON");
    fs::write(&inside, b"\xff\xfe\x00\x1b[5m").unwrap();
    let (run, _) = check(&env, repo.path(), &[]);
    assert_eq!(run.code, 1);
}

#[test]
fn a_named_decision_file_is_no_less_careful() {
    let repo = with_work();
    let env = TestEnv::beside(&repo);
    repo.fifo(&env.at("fifo"));
    fs::File::create(env.at("big")).unwrap().set_len(2 << 30).unwrap();
    fs::write(env.at("half"), r#"{"decision":"comp"#).unwrap();
    std::os::unix::fs::symlink(env.at("half"), env.at("link")).unwrap();
    for name in ["fifo", "big", "half", "link", "home", "/dev/zero", "/dev/tty"] {
        let (run, workspace) = check(&env, repo.path(), &["--decision-file", name]);
        let decision = evidence(&workspace, "decision");
        assert_eq!((run.code, &decision["rejection"]), (1, &"unreadable".into()), "{name}: {decision:#}");
    }
}

// J07, T01
#[test]
fn escape_sequences_in_an_output_reach_no_terminal() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let evil = "\u{1b}]0;PWNED\u{7}\u{9b}5m\u{202e}";
    fs::write(env.at("evil.md"), format!("{evil}Which database should I use, {evil}PostgreSQL or SQLite?\n"))
        .unwrap();
    let run = env.run(env.at("."), &["check", "repo", "--task-kind", "REPORT", "--output", "evil.md"]);
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with("AWAITING_RESPONSE"), "{run:?}");
    for sign in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'] {
        assert!(!run.out.contains(sign), "{run:?}");
    }
    // Whole sequences are no words and are left out; what is left of a broken one is made visible.
    assert!(!run.out.contains("PWNED") && run.out.contains("‹U+202E›"), "{run:?}");
}

#[test]
fn output_that_is_no_utf8_is_still_read() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    fs::write(env.at("latin.md"), b"Caf\xe9 is written.\n\xff\xfe\n").unwrap();
    let (run, workspace) = check(&env, repo.path(), &["--task-kind", "REPORT", "--output", "latin.md"]);
    assert_eq!((run.code, workspace["state"].as_str()), (0, Some("COMPLETE")), "{workspace:#}");
}

#[test]
fn one_line_of_100_megabytes_is_read_from_its_end() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    // Sparse: nearly all of it is one line of NUL bytes.
    let long = fs::File::create(env.at("long.md")).unwrap();
    long.set_len(100 << 20).unwrap();
    let question = "\n\nWhich database should I use, PostgreSQL or SQLite?\n";
    std::os::unix::fs::FileExt::write_all_at(&long, question.as_bytes(), 100 << 20).unwrap();
    let (run, workspace) = check(&env, repo.path(), &["--task-kind", "REPORT", "--output", "long.md"]);
    assert_eq!((run.code, workspace["state"].as_str()), (1, Some("AWAITING_RESPONSE")), "{workspace:#}");
    assert!(run.out.len() < 1 << 20, "the report itself stays small: {} bytes", run.out.len());
}

// T01, T02
#[test]
fn hostile_names_are_shown_as_text() {
    let evil = "\u{1b}]0;PWNED\u{7}\u{9b}5m\u{202e}\n";
    let repo = Repo::new();
    let hostile = repo.beside(&format!("line{evil}break"));
    hostile.git(["init", "-q", "-b", "evil\u{9b}5m\u{202e}"]);
    hostile.write("README", "hello\n").commit("first");
    hostile.write(&format!("file{evil}.rs"), "x");
    hostile.write(
        ".closeout/decision.json",
        serde_json::json!({"decision": "no", "reasons": [evil]}).to_string(),
    );
    hostile.write(".closeout.toml", "\"key\\u001B]0;PWNED\\u0007\" = 1\n");
    let env = TestEnv::beside(&hostile);
    let here = hostile.path().to_str().unwrap();
    for arguments in
        [["status", here].as_slice(), &["check", here], &["check", here, "--baseline-commit", evil]]
    {
        let run = env.run(env.at("."), arguments);
        let all = format!("{}{}", run.out, run.err);
        for sign in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'] {
            assert!(!all.contains(sign), "{arguments:?}: {run:?}");
        }
        assert!(all.contains('␛'), "{arguments:?}: {run:?}");
    }
    let (_, workspace) = check(&env, hostile.path(), &[]);
    assert_eq!(workspace["path"], here, "JSON has the name as it is");
}
