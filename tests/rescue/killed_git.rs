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

/// A repository of each format with work in it, its lock on all or many references, and what makes closeout call git for
/// a reference: a record where they are in one table, and the end of a packed record where they are files.
fn repositories() -> [(Repo, PathBuf, Option<String>); 2] {
    [("--ref-format=reftable", "reftable/tables.list.lock"), ("--ref-format=files", "packed-refs.lock")].map(
        |(format, lock)| {
            let repo = Repo::with_format(&[format]);
            repo.write("f", "1\n").commit("one");
            repo.write("f", "2\n");
            let lock = repo.git_dir().join(lock);
            let packed = (format == "--ref-format=files").then(|| {
                let made = rescuer(&repo).record(repo.path()).unwrap();
                repo.git(["pack-refs", "--all"]);
                made.reference
            });
            (repo, lock, packed)
        },
    )
}

fn act(rescuer: &Rescuer, repo: &Repo, packed: Option<&String>) -> Result<(), RescueError> {
    match packed {
        None => rescuer.record(repo.path()).map(|made| assert_eq!(made.vault, None)),
        Some(reference) => rescuer.delete(repo.path(), reference, true).map(drop),
    }
}

// K03
#[test]
fn a_git_that_is_killed_with_the_lock_on_all_references_blocks_nobody() {
    for (repo, lock, packed) in repositories() {
        let rescuer = killed(&repo, &format!(": > {}", lock.display()));
        let failed = act(&rescuer, &repo, packed.as_ref());
        assert!(failed.is_err(), "{failed:?}");
        assert!(!lock.exists(), "{}", lock.display());
        // The person and the agent can go on, and so can the next rescue, without the vault.
        repo.git(["update-ref", "refs/heads/other", "HEAD"]);
        repo.git(["pack-refs", "--all"]);
        fs::remove_file(repo.root().join("kill")).unwrap();
        act(&rescuer, &repo, packed.as_ref()).unwrap();
        let n_left = rescuer.list(repo.path()).unwrap().records.len();
        assert_eq!(n_left, usize::from(packed.is_none()));
    }
}

#[test]
fn a_lock_that_a_living_process_has_open_or_that_was_there_stays() {
    for (repo, lock, packed) in repositories() {
        let name = lock.display();
        // Git's environment has no path to other programs.
        let holder = format!(
            "PATH=/usr/bin:/bin; setsid sh -c 'exec 9> {name}; echo > {name}.held; sleep 3' \
             > /dev/null 2>&1 < /dev/null & while [ ! -e {name}.held ]; do sleep 0.01; done"
        );
        let failed = act(&killed(&repo, &holder), &repo, packed.as_ref());
        assert!(failed.is_err() && lock.exists(), "{failed:?}");
        // Now nobody has it open, but it was there before.
        fs::write(&lock, "of another\n").unwrap();
        let failed = act(&killed(&repo, ":"), &repo, packed.as_ref());
        assert!(failed.is_err(), "{failed:?}");
        assert_eq!(fs::read(&lock).unwrap(), b"of another\n");
    }
}
