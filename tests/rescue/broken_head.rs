//! A HEAD that git cannot use: git takes the whole for no repository then. What was saved is listed and restored all the
//! same, new work is saved, and a person is told what to write into HEAD.

use std::fs;
use std::os::unix::fs::symlink;

use closeout::action::rescue::RescueError;
use closeout::model::{RecordNotice, RecordState};

use super::fixture::*;
use crate::support::repo::Repo;

/// A way to break HEAD, of which nothing is left before.
type Break = (&'static str, fn(&Repo, &std::path::Path));

const WAYS: [Break; 7] = [
    ("missing", |_, _| {}),
    ("empty", |_, head| fs::write(head, "").unwrap()),
    ("garbage", |_, head| fs::write(head, b"\x1b[5m\0garbage").unwrap()),
    ("no reference", |_, head| fs::write(head, "ref: heads/work\n").unwrap()),
    ("a folder", |_, head| fs::create_dir(head).unwrap()),
    ("a FIFO", |repo, head| {
        repo.fifo(head);
    }),
    ("a link outside", |repo, head| symlink(repo.root().join("outside"), head).unwrap()),
];

// S44
#[test]
fn what_was_saved_is_listed_and_restored_although_git_cannot_use_head() {
    for (name, spoil) in WAYS {
        let repo = Repo::new();
        repo.switch("work").write("a", "1\n").commit("more");
        fs::write(repo.root().join("outside"), "ref: refs/heads/work\n").unwrap();
        repo.write("a", "2\n").write("new", "3\n");
        let rescuer = rescuer(&repo);
        let plan = rescuer.plan(repo.path(), "m").unwrap();
        rescuer.commit(repo.path(), &plan).unwrap();
        let head = repo.at(".git/HEAD");
        let before = fs::read(&head).unwrap();
        fs::remove_file(&head).unwrap();
        spoil(&repo, &head);

        let list = rescuer.list(repo.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found: Vec<_> = list.records.iter().map(|it| (&it.reference, it.state)).collect();
        assert_eq!(found, [(&plan.record.reference, RecordState::Kept)], "{name}");
        let told = list.notices.iter().any(|notice| {
            matches!(notice, RecordNotice::NoRepository { reason, n_unseen: 0 }
                if reason.contains(".git/HEAD") && reason.contains("`ref: refs/heads/BRANCH`"))
        });
        assert!(told, "{name}: {:?}", list.notices);
        let into = repo.root().join("into");
        rescuer.restore(repo.path(), &plan.record.reference, &into).unwrap();
        assert_eq!(fs::read_to_string(into.join("a")).unwrap(), "2\n", "{name}");
        assert_eq!(fs::read_to_string(into.join("new")).unwrap(), "3\n", "{name}");

        for words in [rescuer.undo_plan(repo.path()).unwrap_err(), rescuer.undo(repo.path()).unwrap_err()] {
            let RescueError::Refused(words) = words else { panic!("{name}: {words:?}") };
            assert!(words.contains("`ref: refs/heads/BRANCH`"), "{name}: {words}");
            assert!(words.contains("closeout rescues"), "{name}: {words}");
        }
        repo.write("new", "4\n");
        let more = rescuer.record(repo.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(more.vault.is_some(), "{name}");
        let again = repo.root().join("again");
        rescuer.restore(repo.path(), &more.reference, &again).unwrap();
        assert_eq!(fs::read_to_string(again.join("new")).unwrap(), "4\n", "{name}");
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{name}: a git hung");

        // As the person is told.
        fs::remove_dir(&head).or_else(|_| fs::remove_file(&head)).ok();
        fs::write(&head, "ref: refs/heads/work\n").unwrap();
        assert_eq!(fs::read(&head).unwrap(), before);
        rescuer.undo(repo.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(repo.git(["log", "-1", "--format=%s"]), "more", "{name}");
    }
}

#[test]
fn work_is_saved_although_git_hangs_on_its_own_files() {
    for place in [".git/packed-refs", ".git/refs/heads/work"] {
        let repo = Repo::new();
        repo.switch("work").write("a", "1\n").commit("more");
        repo.write("a", "2\n").write("new", "3\n");
        let rescuer = rescuer(&repo);
        repo.fifo(&repo.at(place));
        let made = rescuer.record(repo.path()).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(format!("{:?}", made.notices).contains(place), "{place}: {made:?}");
        let into = repo.root().join("into");
        rescuer.restore(repo.path(), &made.reference, &into).unwrap();
        assert_eq!(fs::read_to_string(into.join("a")).unwrap(), "2\n", "{place}");
        assert_eq!(fs::read_to_string(into.join("new")).unwrap(), "3\n", "{place}");
    }
}
