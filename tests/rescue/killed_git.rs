//! Git is killed while it changes references, as the kernel does when memory runs out. Its locks must not block
//! everybody from then on, and the locks of others stay.

use std::fs;
use std::path::PathBuf;

use closeout::action::rescue::{RescueError, Rescuer};

use super::fixture::*;
use crate::support::repo::{Repo, git_program};

/// A rescuer whose git does `before_the_end` and kills itself in each call that changes a reference, as long as the
/// file `kill` exists.
fn killed(repo: &Repo, before_the_end: &str) -> Rescuer {
    let kill = repo.root().join("kill");
    fs::write(&kill, "").unwrap();
    let script = repo.script(
        "git",
        &format!(
            "case \" $* \" in *' update-ref '*) if [ -e {} ]; then {before_the_end}; kill -9 $$; fi;; esac\nexec {} \"$@\"",
            kill.display(),
            git_program().display()
        ),
    );
    Rescuer { git: script, ..rescuer(repo) }
}

/// A repository of each format with work in it, and its lock on all or many references. In the second one HEAD names a
/// branch that stands for another, which is left to git.
fn repositories() -> [(Repo, PathBuf); 2] {
    [("--ref-format=reftable", "reftable/tables.list.lock"), ("--ref-format=files", "packed-refs.lock")].map(
        |(format, lock)| {
            let repo = Repo::with_format(&[format]);
            repo.write("f", "1\n").commit("one");
            if format == "--ref-format=files" {
                repo.git(["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
                repo.git(["symbolic-ref", "HEAD", "refs/heads/alias"]);
            }
            repo.write("f", "2\n");
            let lock = repo.git_dir().join(lock);
            (repo, lock)
        },
    )
}

/// Makes a record, and a visible commit of it.
fn act(rescuer: &Rescuer, repo: &Repo) -> Result<(), RescueError> {
    let plan = rescuer.plan(repo.path(), "rescue: work\n")?;
    rescuer.commit(repo.path(), &plan).map(drop)
}

// K03
#[test]
fn a_git_that_is_killed_with_the_lock_on_all_references_blocks_nobody() {
    for (repo, lock) in repositories() {
        let list = repo.git_dir().join("packed-refs.new");
        let rescuer = killed(&repo, &format!(": > {}; : > {}", lock.display(), list.display()));
        let failed = act(&rescuer, &repo);
        assert!(failed.is_err(), "{failed:?}");
        assert!(!lock.exists(), "{}", lock.display());
        // The person and the agent can go on, and so can the next rescue.
        repo.git(["update-ref", "refs/heads/other", "HEAD"]);
        repo.git(["pack-refs", "--all"]);
        fs::remove_file(repo.root().join("kill")).unwrap();
        act(&rescuer, &repo).unwrap();
        assert_eq!(repo.git(["status", "--porcelain"]), "");
    }
}

#[test]
fn a_lock_that_a_living_process_has_open_or_that_was_there_stays() {
    for (repo, lock) in repositories() {
        let name = lock.display();
        // Git's environment has no path to other programs.
        let holder = format!(
            "PATH=/usr/bin:/bin; setsid sh -c 'exec 9> {name}; echo > {name}.held; sleep 3' \
             > /dev/null 2>&1 < /dev/null & while [ ! -e {name}.held ]; do sleep 0.01; done"
        );
        let failed = act(&killed(&repo, &holder), &repo);
        assert!(failed.is_err() && lock.exists(), "{failed:?}");
        // Now nobody has it open, but it was there before.
        fs::write(&lock, "of another\n").unwrap();
        let failed = act(&killed(&repo, ":"), &repo);
        assert!(failed.is_err(), "{failed:?}");
        assert_eq!(fs::read(&lock).unwrap(), b"of another\n");
    }
}

/// A repository whose only branch was made by a rescue, and whose references are all packed, a tag among them.
fn packed() -> (Repo, Fingerprint) {
    let repo = Repo::unborn();
    let tree = repo.git(["mktree"]);
    let other = repo.git(["commit-tree", "-m", "other", &tree]);
    repo.git(["tag", "--annotate", "-m", "one", "zone", &other]);
    repo.write("f", "2\n");
    let before = fingerprint(&repo);
    commit(&repo);
    repo.git(["pack-refs", "--all"]);
    (repo, before)
}

// K03: git would leave a list of packed references that stops every other git.
#[test]
fn what_is_packed_is_deleted_without_git() {
    let (repo, before) = packed();
    let rescuer = killed(&repo, ":");
    rescuer.undo(repo.path()).unwrap();
    let after = fingerprint(&repo);
    assert_eq!((after.work_tree, after.index, after.locks), (before.work_tree, before.index, before.locks));
    assert_eq!(repo.git(["for-each-ref", "--format=%(refname)", "refs/heads"]), "");
    assert_eq!(repo.git(["cat-file", "-t", "refs/tags/zone"]), "tag");
    let records = rescuer.list(repo.path()).unwrap().records;
    for record in &records {
        rescuer.delete(repo.path(), &record.reference, true).unwrap();
    }
    assert!(!records.is_empty() && rescuer.list(repo.path()).unwrap().records.is_empty());
    repo.git(["pack-refs", "--all"]);
    repo.git(["fsck", "--no-dangling"]);
}

#[test]
fn what_is_packed_stays_while_another_holds_the_lock() {
    let (repo, _) = packed();
    let lock = repo.git_dir().join("packed-refs.lock");
    let rescuer = rescuer(&repo);
    let reference = rescuer.list(repo.path()).unwrap().records.remove(0).reference;
    let undo: &dyn Fn() -> Result<(), RescueError> = &|| rescuer.undo(repo.path());
    let delete: &dyn Fn() -> Result<(), RescueError> =
        &|| rescuer.delete(repo.path(), &reference, true).map(drop);
    for act in [undo, delete] {
        fs::write(&lock, "of another\n").unwrap();
        let before = fingerprint(&repo);
        let failed = act().unwrap_err();
        assert!(format!("{failed:?}").contains("packed-refs.lock"), "{failed:?}");
        assert_eq!(fingerprint(&repo), before);
        fs::remove_file(&lock).unwrap();
        act().unwrap();
    }
}

// K01: the lock on the packed references is a link to another lock of ours, so that it goes with it.
#[test]
fn what_a_killed_closeout_left_of_a_deletion_goes_at_the_next_start() {
    let (repo, _) = packed();
    let reference = rescuer(&repo).list(repo.path()).unwrap().records.remove(0).reference;
    let own = repo.git_dir().join(format!("{reference}.lock"));
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "").unwrap();
    let lock = repo.git_dir().join("packed-refs.lock");
    fs::hard_link(&own, &lock).unwrap();
    // No process has this number.
    let list = repo.git_dir().join(".closeout-new-2147483647-0");
    fs::write(&list, "").unwrap();
    rescuer(&repo).recover(repo.path()).unwrap();
    assert_eq!([&own, &lock, &list].map(|left| left.exists()), [false; 3]);
}

/// A rescuer whose git does `what` in its first call of `command`, and is as usual afterwards.
fn once(repo: &Repo, command: &str, what: &str) -> (Rescuer, std::thread::JoinHandle<()>) {
    let (mark, fifo) = (repo.root().join("mark"), repo.root().join("fifo"));
    fs::write(&mark, "").unwrap();
    repo.fifo(&fifo);
    // It may change nothing itself.
    let script = repo.script(
        "git",
        &format!(
            "case \" $* \" in *' {command} '*) if [ -e {} ]; then read -r _ < {}; {what}; fi;; esac\nexec {} \"$@\"",
            mark.display(),
            fifo.display(),
            git_program().display()
        ),
    );
    let unmark = std::thread::spawn(move || {
        let waiting = fs::File::options().write(true).open(fifo).unwrap();
        fs::remove_file(mark).unwrap();
        drop(waiting);
    });
    (Rescuer { git: script, ..rescuer(repo) }, unmark)
}

// K03
#[test]
fn a_git_that_is_killed_once_while_it_reads_is_asked_again() {
    for command in ["ls-tree", "for-each-ref", "ls-files"] {
        let repo = rich();
        let (rescuer, unmark) = once(&repo, command, "kill -9 $$");
        let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
        assert_eq!(plan.refusal, None, "{command}");
        rescuer.commit(repo.path(), &plan).unwrap();
        rescuer.list(repo.path()).unwrap();
        unmark.join().unwrap();
    }
}

/// It was killed with its lock on the index, which is its own: the next call would be told of another git.
#[test]
fn a_git_that_is_killed_while_it_locks_an_index_is_not_asked_again() {
    let repo = rich();
    let before = fingerprint(&repo);
    let (rescuer, unmark) = once(&repo, "update-index", ": > \"$GIT_INDEX_FILE.lock\"; kill -9 $$");
    let plan = rescuer.plan(repo.path(), "rescue: work\n");
    let failed = plan.and_then(|plan| rescuer.commit(repo.path(), &plan)).unwrap_err().to_string();
    unmark.join().unwrap();
    assert!(failed.contains("signal 9"), "{failed}");
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn a_git_whose_answer_another_process_holds_is_asked_again() {
    for command in ["ls-tree", "ls-files"] {
        let repo = rich();
        let (rescuer, unmark) = once(&repo, command, "PATH=/usr/bin:/bin; sleep 60 & :");
        let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
        assert_eq!(plan.refusal, None, "{command}");
        unmark.join().unwrap();
    }
}
