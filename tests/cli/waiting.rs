//! A command that waits says for what and until when, and one that does not wait says nothing.

use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// G07: the reading is told once, although it is tried twice, and so is the action.
#[test]
fn a_command_that_waits_for_a_repository_says_so() {
    std::thread::scope(|scope| {
        for words in ["status", "check", "check --json", "rescue --dry-run"] {
            scope.spawn(move || {
                let repo = Repo::new();
                repo.write("deep/file", "1\n").fifo(&repo.at("deep/.gitignore"));
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
