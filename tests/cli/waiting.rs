//! A command that waits says for what and until when, and one that does not wait says nothing.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A repository in which git waits for ever, and nobody finds out for what: its settings name more files than are looked
/// at, and one of them names a pipe.
fn hanging() -> Repo {
    let repo = Repo::new();
    repo.write("deep/file", "1\n");
    let folder = repo.beside("settings");
    let mut named = String::new();
    for number in 0..40 {
        folder.write(&number.to_string(), "");
        // Writing to a string cannot fail.
        let _ = writeln!(named, "[include]\n\tpath = {}", folder.at(&number.to_string()).display());
    }
    folder.write("0", format!("[include]\n\tpath = {}\n", folder.at("pipe").display()));
    folder.fifo(&folder.at("pipe"));
    let settings = std::fs::read_to_string(repo.at(".git/config")).unwrap();
    repo.write(".git/config", settings + &named);
    repo
}

/// G07: the reading is told once, although it is tried twice, and so is the action.
#[test]
fn a_command_that_waits_for_a_repository_says_so() {
    std::thread::scope(|scope| {
        for words in ["status", "check", "check --json", "rescue --dry-run"] {
            scope.spawn(move || {
                let repo = hanging();
                let env = TestEnv::beside(&repo);
                env.configure("[watch]\ncollect_limit_seconds = 5\n");
                let run = env.run(repo.path(), &words.split(' ').collect::<Vec<_>>());
                let place = repo.path().display();
                let read = format!("closeout: reading {place} is slow; it is abandoned after 5 s\n");
                assert_eq!(run.err.matches(&read).count(), 1, "{words}: {run:?}");
                let acted = format!("closeout: recording the work in {place} is slow; hanging git calls");
                let n_acted = usize::from(words.starts_with("rescue"));
                assert_eq!(run.err.matches(&acted).count(), n_acted, "{words}: {run:?}");
                assert!(!run.out.contains("is slow"), "{words}: {run:?}");
            });
        }
    });
}

#[test]
fn a_command_that_does_not_wait_says_nothing_of_it() {
    let repo = Repo::new();
    repo.write("file", "1\n");
    let env = TestEnv::beside(&repo);
    for words in ["status", "check", "rescue --dry-run"] {
        let run = env.run(repo.path(), &words.split(' ').collect::<Vec<_>>());
        assert!(!run.err.contains("is slow"), "{words}: {run:?}");
    }
}

/// G07: what git would wait for below the work tree is found, and no limit is waited for: it is ten minutes here.
#[test]
fn a_pipe_among_the_ignore_rules_is_named_and_not_waited_for() {
    let repo = Repo::new();
    repo.switch("work").write("a", "1\n").commit("one");
    repo.write(".gitignore", "*.log\n").write("a.log", "ignored\n").write("deep/file", "1\n");
    repo.fifo(&repo.at("deep/.gitignore"));
    let env = TestEnv::beside(&repo);
    env.configure("[watch]\ncollect_limit_seconds = 600\n");
    let named = |text: &str| text.contains("deep/.gitignore is a FIFO") && !text.contains("did not answer");
    for (words, code) in [
        ("status", 0),
        ("check", 3),
        ("undo -y", 12),
        ("doctor", 1),
        ("rescue -y", 11),
        ("rescue --record-only", 0),
    ] {
        let run = env.run(repo.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, code, "{words}: {run:?}");
        assert!(words.starts_with("undo") || named(&run.out), "{words}: {run:?}");
    }
    let listed: Value = env.run(repo.path(), &["rescues", "--json"]).json();
    assert_eq!(
        (listed["records"].as_array().unwrap().len(), &listed["records"][0]["state"]),
        (1, &"vault_only".into())
    );
}
