//! A command that waits says for what and until when, and one that does not wait says nothing.

use std::fmt::Write as _;

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
