//! Commits that somebody else squashed or picked into what HEAD now stands on: they are neither lost nor elsewhere, if
//! all of them are there.

use closeout::evidence::git::BaselineChoice;
use closeout::model::Baseline;

use super::case::{facts, first_seen};
use crate::support::repo::Repo;

/// A repository whose worktree made two commits on a branch, and another worktree on `main`.
fn two_commits() -> (Repo, Baseline, Repo) {
    let repo = Repo::new();
    let beside = repo.worktree("beside");
    let baseline = first_seen(&repo);
    repo.switch("feature").commit_file("a");
    repo.write("a", "one\ntwo\n").stage("a").commit("more");
    (repo, baseline, beside)
}

/// What landed, is elsewhere, and is lost, once HEAD stands on what `beside` made.
fn counted(repo: &Repo, baseline: &Baseline, beside: &Repo) -> [u32; 3] {
    repo.git(["checkout", "-q", "--detach", &beside.head()]);
    let commits = facts(repo, BaselineChoice::Remembered(baseline)).commits;
    assert_eq!(commits.newest_landed.is_some(), commits.n_landed > 0);
    [commits.n_landed, commits.n_elsewhere, commits.n_lost]
}

#[test]
fn what_was_squashed_has_landed_wherever_the_branch_is() {
    let (repo, baseline, beside) = two_commits();
    beside.git(["merge", "-q", "--squash", "feature"]);
    beside.commit("all in one");
    beside.commit_file("others");
    assert_eq!(counted(&repo, &baseline, &beside), [2, 0, 0]);
    repo.git(["branch", "-q", "-D", "feature"]);
    assert_eq!(counted(&repo, &baseline, &beside), [2, 0, 0]);
}

#[test]
fn what_was_picked_beside_a_change_of_the_same_file_has_landed() {
    let repo = Repo::new();
    let beside = repo.worktree("beside");
    repo.write("a", "one\n2\n3\n4\n5\nsix\n").stage("a").commit("the file");
    beside.git(["reset", "-q", "--hard", "main"]);
    let baseline = first_seen(&repo);
    repo.switch("feature").write("a", "ONE\n2\n3\n4\n5\nsix\n").stage("a").commit("the first line");
    beside.write("a", "one\n2\n3\n4\n5\nSIX\n").stage("a").commit("the last line");
    beside.git(["merge", "-q", "--squash", "feature"]);
    beside.commit("of others");
    assert_eq!(counted(&repo, &baseline, &beside), [1, 0, 0]);
}

#[test]
fn a_part_has_not_landed() {
    let (repo, baseline, beside) = two_commits();
    beside.git(["cherry-pick", "feature~1"]);
    assert_eq!(counted(&repo, &baseline, &beside), [0, 2, 0]);
}

#[test]
fn what_was_picked_in_part_has_not_landed() {
    let (repo, baseline, beside) = two_commits();
    beside.git(["cherry-pick", "feature~1"]);
    beside.git(["cherry-pick", "feature"]);
    beside.write("a", "one\n").stage("a").git(["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(counted(&repo, &baseline, &beside), [0, 2, 0]);
}

#[test]
fn what_was_taken_back_has_not_landed() {
    let (repo, baseline, beside) = two_commits();
    beside.git(["merge", "-q", "--squash", "feature"]);
    beside.commit("all in one");
    beside.commit_file("others");
    beside.git(["revert", "--no-edit", "HEAD~1"]);
    assert_eq!(counted(&repo, &baseline, &beside), [0, 2, 0]);
}

#[test]
fn what_the_baseline_held_already_has_not_landed() {
    let repo = Repo::new();
    let beside = repo.worktree("beside");
    repo.git(["checkout", "-q", "-b", "feature"]);
    repo.commit_file("a");
    repo.git(["checkout", "-q", "main"]);
    repo.commit_file("b");
    repo.git(["cherry-pick", "feature"]);
    let baseline = first_seen(&repo);
    repo.git(["checkout", "-q", "feature~1"]);
    repo.write("a", "content of a\n").stage("a").commit("add a once more");
    beside.git(["reset", "-q", "--hard", "main"]);
    beside.commit_file("others");
    assert_eq!(counted(&repo, &baseline, &beside)[0], 0);
}
