//! Findings of a third round: moved repositories, locks left by a crash, deeply nested folders, memory-mapped
//! files, a git that is slow or says less than all.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};
use closeout::model::{CommitTarget, RecordState, RefName};

use super::fixture::*;
use crate::support::repo::{Repo, git_program};

/// A moved repository keeps its records and its undo, and so does its linked worktree.
#[test]
fn a_repository_that_was_moved_keeps_its_undo_and_its_records() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    let moved = repo.root().join("moved");
    fs::rename(repo.path(), &moved).unwrap();
    let moved = repo.beside("moved");
    let rescuer = rescuer(&repo);
    let listed = rescuer.list(moved.path()).unwrap();
    let states: Vec<RecordState> = listed.records.iter().map(|record| record.state).collect();
    assert_eq!(states, [RecordState::Kept]);
    rescuer.undo(moved.path()).unwrap();
    let after = fingerprint(&moved);
    assert_eq!(
        (after.work_tree, after.index, after.references),
        (before.work_tree, before.index, before.references)
    );
    // A copy beside it is a different repository.
    let copy = repo.root().join("copy");
    assert!(copied(moved.path(), &copy));
    assert!(matches!(rescuer.undo(&copy), Err(RescueError::Nothing | RescueError::Refused(_))));
}

/// Git cannot be asked whose records these are; what its references say is enough to save, and is asked about later.
#[test]
fn a_moved_repository_in_which_git_would_hang_saves_work_and_keeps_its_records() {
    let repo = rich();
    let first = record(&repo);
    let moved = repo.root().join("moved");
    fs::rename(repo.path(), &moved).unwrap();
    let moved = repo.beside("moved");
    let alternates = moved.git_dir().join("objects/info/alternates");
    moved.fifo(&alternates);
    moved.write("later", "1\n");
    let rescuer = rescuer(&repo);
    let made = rescuer.record(moved.path()).unwrap();
    assert!(made.vault.is_some());
    let states = || {
        let records = rescuer.list(moved.path()).unwrap().records;
        records.into_iter().map(|record| (record.reference, record.state)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(states(), [(made.reference.clone(), RecordState::VaultOnly)].into());
    fs::remove_file(&alternates).unwrap();
    let both = [(made.reference, RecordState::VaultOnly), (first.reference, RecordState::Kept)];
    assert_eq!(states(), both.into());
    assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "a git hung");
}

#[expect(clippy::disallowed_methods, reason = "a copy with all its modes and times")]
fn copied(from: &std::path::Path, to: &std::path::Path) -> bool {
    std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success()
}

/// A repository that merely claims a record of one that is gone gets nothing of it.
#[test]
fn a_claim_to_the_records_of_a_repository_that_is_gone_is_not_believed() {
    let repo = rich();
    commit(&repo);
    let rescuer = rescuer(&repo);
    let listed = rescuer.list(repo.path()).unwrap().records.remove(0);
    fs::rename(repo.path(), repo.root().join("elsewhere-and-not-looked-at")).unwrap();
    let other = repo.beside("other");
    other.git(["init", "-q", "-b", "main"]);
    other.write("f", "1\n").commit("one");
    other.git(["update-ref", &listed.reference, "HEAD"]);
    assert!(matches!(rescuer.undo(other.path()), Err(RescueError::Nothing)));
    // A file can hold the id of a commit that is not there.
    let foreign = repo.beside("foreign");
    foreign.git(["init", "-q", "-b", "main"]);
    fs::create_dir_all(foreign.at(".git").join(&*listed.reference).parent().unwrap()).unwrap();
    fs::write(foreign.at(".git").join(&*listed.reference), format!("{}\n", listed.snapshot)).unwrap();
    foreign.write("f", "1\n");
    assert!(matches!(rescuer.undo(foreign.path()), Err(RescueError::Nothing)));
    fs::rename(repo.root().join("elsewhere-and-not-looked-at"), repo.path()).unwrap();
    assert!(!rescuer.list(repo.path()).unwrap().is_damaged());
    rescuer.undo(repo.path()).unwrap();
}

/// A reftable has a single lock for all references.
#[test]
fn a_lock_on_a_table_of_references_sends_the_record_to_the_vault() {
    let repo = Repo::with_format(&["--ref-format=reftable"]);
    repo.write("f", "1\n").commit("one");
    repo.write("f", "2\n");
    let lock = repo.at(".git/reftable/tables.list.lock");
    fs::write(&lock, "").unwrap();
    let record = rescuer(&repo).record(repo.path()).unwrap();
    assert!(record.vault.is_some());
    assert!(lock.exists(), "the lock of another");
    fs::remove_file(&lock).unwrap();
    let into = repo.root().join("into");
    rescuer(&repo).restore(repo.path(), &record.reference, &into).unwrap();
    assert_eq!(fs::read(into.join("f")).unwrap(), b"2\n");
}

/// Git says only that it "cannot lock references".
#[test]
fn a_lock_on_a_table_of_references_is_named_to_who_wants_an_undo() {
    let repo = Repo::with_format(&["--ref-format=reftable"]);
    repo.write("f", "1\n").commit("one");
    repo.write("f", "2\n");
    commit(&repo);
    let lock = repo.at(".git/reftable/tables.list.lock");
    fs::write(&lock, "").unwrap();
    let busy = rescuer(&repo).undo(repo.path()).unwrap_err();
    let RescueError::Busy(words) = busy.cause() else { panic!("{busy:?}") };
    assert!(words.contains("tables.list.lock is there"), "{words}");
    fs::remove_file(&lock).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
}

/// A new branch is moved under a provably own lock, so that leftovers of a crash are removed at the next start.
#[test]
fn the_lock_on_a_new_branch_is_known_after_a_crash() {
    let repo = rich();
    let mut plan = plan(&repo);
    plan.target = Some(CommitTarget::NewBranch(RefName::of_branch("beside")));
    let before = fingerprint(&repo);
    let lock = repo.git_dir().join("refs/heads/beside.lock");
    // A copy of the state right before the branch moves, which is what a crash would leave.
    let held = lock.clone();
    let watched = rescuer_at(&repo, RescueStep::BranchMoved, move || {
        assert!(!held.exists(), "the lock became the branch");
    });
    watched.commit(repo.path(), &plan).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    // Someone else's lock stops the move and stays.
    fs::write(&lock, "of another\n").unwrap();
    let refused = rescuer(&repo).commit(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::Busy(_))), "{refused:?}");
    assert_eq!(fs::read(&lock).unwrap(), b"of another\n");
    fs::remove_file(&lock).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

/// The time for nested folders grows with their number, not with its square.
#[test]
fn a_thousand_folders_in_each_other_are_recorded_in_time() {
    let repo = Repo::new();
    let mut folder =
        rustix::fs::open(repo.path(), rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..1000 {
        rustix::fs::mkdirat(&folder, "d", rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
        folder =
            rustix::fs::openat(&folder, "d", rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
    }
    let file = rustix::fs::openat(
        &folder,
        "f",
        rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY,
        rustix::fs::Mode::from_raw_mode(0o644),
    )
    .unwrap();
    rustix::io::write(&file, b"deep\n").unwrap();
    #[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
    let began = Instant::now();
    let record =
        Rescuer { git_limit: Duration::from_secs(10), ..rescuer(&repo) }.record(repo.path()).unwrap();
    let took = began.elapsed();
    let deep = ["d/"; 1000].concat() + "f";
    let found = listed(&repo, &record.snapshot).contains_key(deep.as_bytes());
    eprintln!("1000 folders in each other: {took:?}, recorded: {found}, gaps {:?}", record.gaps.len());
    assert!(found || !record.gaps.is_empty());
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A git that does something else first when it is called with words like `named`, behind its folder for objects.
fn git_that(repo: &Repo, named: &str, does: &str) -> PathBuf {
    let git = git_program();
    let calls = format!("case \"$GIT_OBJECT_DIRECTORY $*\" in {named}) {does} ;; esac");
    repo.script("odd-git", &format!("{calls}\nexec '{}' \"$@\"", git.display()))
}

/// As where git ignores that its answer could not be written (K07): no reference may name a commit that did not arrive.
#[test]
fn a_commit_of_which_git_lists_too_little_is_neither_made_visible_nor_named() {
    let repo = rich();
    let (plan, before) = (plan(&repo), fingerprint(&repo));
    let git = git_that(&repo, "*/work-*rev-list*--objects*", "exit 0");
    let refused = Rescuer { git, ..rescuer(&repo) }.commit(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    assert_eq!(fingerprint(&repo), before);
    commit(&repo);
}

/// A git that gets on with a long list is not taken for one that hangs.
#[test]
fn a_long_list_has_a_longer_time() {
    let repo = Repo::new();
    let paths: Vec<String> = (0..2500).map(|n| format!("{}{n}", "a".repeat(80))).collect();
    for content in ["a", "b"] {
        for path in &paths {
            repo.write(path, content);
        }
        if content == "a" {
            repo.git(["add", "-A"]);
            repo.git(["commit", "-q", "-m", "begin"]);
        }
    }
    let git = git_that(&repo, "*check-attr*", "for n in 1 2 3 4 5 6 7; do /bin/sleep 0.5; done");
    let git_limit = Duration::from_secs(3);
    #[expect(clippy::disallowed_methods, reason = "git has to take longer than it usually may")]
    let began = Instant::now();
    let record = Rescuer { git, git_limit, ..rescuer(&repo) }.record(repo.path()).unwrap();
    assert!(began.elapsed() > git_limit);
    assert!(record.n_files >= paths.len(), "{}", record.n_files);
}

/// Only what git says of objects tells that one is missing: where git itself fails, nothing is known.
#[test]
fn a_git_that_fails_to_look_for_objects_makes_no_record_a_lost_one() {
    let repo = rich();
    record(&repo);
    for does in ["kill -9 $$", "echo 'fatal: Out of memory, malloc failed' >&2; exit 128"] {
        let git = git_that(&repo, "*rev-list*--no-walk*", does);
        let listed = Rescuer { git, ..rescuer(&repo) }.list(repo.path());
        assert!(matches!(listed, Err(RescueError::Git { .. })), "{does}: {listed:?}");
    }
    assert!(!rescuer(&repo).list(repo.path()).unwrap().is_damaged());
}
