//! Undo: exact, or refused with everything left as it is.

use std::fs;
use std::time::{Duration, SystemTime};

use closeout::action::rescue::RescueError;

use super::fixture::*;
use crate::support::repo::Repo;

// U01
#[test]
fn undo_gives_back_branch_index_bytes_and_times() {
    let repo = rich();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    fs::File::options().write(true).open(repo.git_dir().join("index")).unwrap().set_modified(old).unwrap();
    let before = (fingerprint(&repo), status(&repo));
    commit(&repo);
    assert_ne!(fingerprint(&repo), before.0);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!((fingerprint(&repo), status(&repo)), before);
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

/// An index that names a file without its content names the empty blob, which no commit needs.
#[test]
fn a_collection_in_between_leaves_all_that_an_index_with_mere_names_needs() {
    let repo = Repo::new();
    repo.write("intended", "later\n").git(["add", "-N", "intended"]);
    let before = fingerprint(&repo);
    commit(&repo);
    repo.git(["gc", "-q", "--prune=now"]);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

// U02
#[test]
fn a_status_in_between_does_not_matter() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    let index = fs::read(repo.git_dir().join("index")).unwrap();
    let readme = fs::File::options().write(true).open(repo.at("README")).unwrap();
    let time = readme.metadata().unwrap().modified().unwrap();
    readme.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000)).unwrap();
    repo.git(["status"]);
    assert_ne!(fs::read(repo.git_dir().join("index")).unwrap(), index);
    readme.set_modified(time).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// U03, U04, U08
#[test]
fn undo_is_refused_when_branch_or_index_is_another_now() {
    let changes: [(&[&str], &str); 7] = [
        (&["commit", "-q", "--allow-empty", "-m", "theirs"], "1 commit came on top"),
        (&["commit", "-q", "--amend", "-m", "theirs"], "was reset, amended or rebased"),
        (&["reset", "-q", "--soft", "HEAD~1"], "was reset, amended or rebased"),
        (
            &["checkout", "-q", "-b", "other"],
            "branch other is checked out here, and not main: `git switch main`",
        ),
        (&["checkout", "-q", "--detach"], "HEAD is on no branch, and not main: `git switch main`"),
        (&["add", "late"], "staged or unstaged since the rescue"),
        (&[], "git merge is in progress"),
    ];
    for (change, why) in changes {
        let repo = rich();
        commit(&repo);
        let shown = rescuer(&repo).undo_plan(repo.path()).unwrap();
        repo.write("late", "late\n");
        if change.is_empty() {
            begin_merge(&repo);
        } else {
            repo.git(change);
        }
        let before = fingerprint(&repo);
        // What a plan promises, the undo does.
        let turned = rescuer(&repo).turn_back(repo.path(), &shown);
        for refused in [rescuer(&repo).undo_plan(repo.path()).map(drop), turned] {
            let Err(RescueError::Refused(words)) = &refused else { panic!("{change:?}: {refused:?}") };
            assert!(words.contains(why) && !words.contains("since you looked"), "{change:?}: {words}");
        }
        assert_eq!(fingerprint(&repo), before, "{change:?}");
    }
}

/// U03: what the refusal says can be done makes the undo possible.
#[test]
fn what_came_on_top_can_be_taken_back_as_the_refusal_says() {
    let repo = rich();
    let before = fingerprint(&repo).index;
    let made = commit(&repo);
    repo.write("theirs", "1\n").git(["add", "theirs"]);
    repo.git(["commit", "-q", "-m", "theirs"]);
    let Err(RescueError::Refused(words)) = rescuer(&repo).undo_plan(repo.path()) else { panic!("planned") };
    assert!(words.contains(&format!("`git reset --soft {made}`")), "{words}");
    repo.git(["reset", "-q", "--soft", &made]);
    let Err(RescueError::Refused(words)) = rescuer(&repo).undo_plan(repo.path()) else { panic!("planned") };
    assert!(words.contains("`git restore --staged FILE`"), "{words}");
    repo.git(["restore", "--staged", "theirs"]);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo).index, before);
}

#[test]
fn a_redo_is_refused_where_the_branch_went_on() {
    let repo = rich();
    commit(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    let shown = rescuer(&repo).redo_plan(repo.path()).unwrap();
    repo.git(["commit", "-q", "--allow-empty", "-m", "theirs", "--only"]);
    let before = fingerprint(&repo);
    let turned = rescuer(&repo).turn_back(repo.path(), &shown);
    for refused in [rescuer(&repo).redo_plan(repo.path()).map(drop), turned] {
        let Err(RescueError::Refused(words)) = &refused else { panic!("{refused:?}") };
        assert!(words.contains("1 commit came to main since the undo: `closeout rescue`"), "{words}");
    }
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn a_plan_tells_that_the_upstream_has_the_commit_already() {
    let repo = rich();
    commit(&repo);
    let pushed_to = || rescuer(&repo).undo_plan(repo.path()).unwrap().pushed_to;
    assert_eq!(pushed_to(), None, "no upstream");
    let remote = repo.root().join("remote.git").display().to_string();
    repo.git(["init", "-q", "--bare", &remote]);
    repo.git(["remote", "add", "origin", &remote]);
    repo.git(["push", "-q", "-u", "origin", "HEAD~1:refs/heads/main"]);
    repo.git(["branch", "-q", "--set-upstream-to=origin/main"]);
    assert_eq!(pushed_to(), None, "the upstream is behind");
    repo.git(["push", "-q", "origin", "main"]);
    assert_eq!(pushed_to().as_deref(), Some("origin/main"));
}

// U05
#[test]
fn edits_after_the_commit_stay() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    repo.write("split", "edited on\n").write("later", "new\n");
    let edited = fingerprint(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    let after = fingerprint(&repo);
    assert_eq!(after.work_tree, edited.work_tree);
    assert_eq!((after.index, after.references), (before.index, before.references));
}

// S23, U06
#[test]
fn the_first_commit_is_taken_back_to_an_unborn_branch() {
    let repo = Repo::unborn();
    repo.write("staged", "1\n").git(["add", "staged"]);
    repo.write("untracked", "2\n");
    let before = fingerprint(&repo);
    commit(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// U06, without an index
#[test]
fn an_index_that_was_not_there_is_gone_after_undo() {
    let repo = Repo::unborn();
    repo.write("untracked", "2\n");
    let before = fingerprint(&repo);
    assert_eq!(before.index, None);
    commit(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// U07
#[test]
fn redo_brings_the_same_commit_back_and_a_second_undo_has_nothing_to_do() {
    let repo = rich();
    let before = fingerprint(&repo);
    let made = commit(&repo);
    let after = fingerprint(&repo);
    let rescuer = rescuer(&repo);
    rescuer.undo(repo.path()).unwrap();
    rescuer.redo(repo.path()).unwrap();
    assert_eq!((repo.head(), fingerprint(&repo)), (made, after));
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    assert!(matches!(rescuer.undo(repo.path()), Err(RescueError::Nothing)));
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn undo_outlives_the_collection_of_garbage() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["pack-refs", "--all"]);
    repo.git(["gc", "-q", "--prune=now"]);
    rescuer(&repo).undo(repo.path()).unwrap();
    let after = fingerprint(&repo);
    assert_eq!((after.work_tree, after.index), (before.work_tree, before.index));
    repo.git(["fsck", "--no-dangling"]);
}

/// U03: otherwise the other worktree would show everything as staged for removal.
#[test]
fn undo_is_refused_while_another_worktree_has_the_branch() {
    let repo = rich();
    commit(&repo);
    let shown = rescuer(&repo).undo_plan(repo.path()).unwrap();
    let other = repo.root().join("other").display().to_string();
    repo.git(["worktree", "add", "-q", "--force", &other, "main"]);
    let before = fingerprint(&repo);
    let turned = rescuer(&repo).turn_back(repo.path(), &shown);
    for refused in [rescuer(&repo).undo_plan(repo.path()).map(drop), turned] {
        let Err(RescueError::Refused(words)) = &refused else { panic!("{refused:?}") };
        assert!(words.contains("another worktree"), "{words}");
    }
    assert_eq!(fingerprint(&repo), before);
    repo.git(["worktree", "remove", "--force", &other]);
    rescuer(&repo).undo(repo.path()).unwrap();
}

/// U03: another repository in the same place does not have the commit.
#[test]
fn nothing_is_undone_in_a_repository_that_was_made_anew() {
    let repo = rich();
    commit(&repo);
    let shown = rescuer(&repo).undo_plan(repo.path()).unwrap();
    fs::remove_dir_all(repo.at(".git")).unwrap();
    repo.git(["init", "-q", "-b", "main"]);
    repo.commit("anew");
    let before = fingerprint(&repo);
    let turned = rescuer(&repo).turn_back(repo.path(), &shown);
    for refused in [rescuer(&repo).undo_plan(repo.path()).map(drop), turned] {
        assert!(matches!(&refused, Err(RescueError::Nothing)), "{refused:?}");
    }
    assert_eq!(fingerprint(&repo), before);
    repo.write("work", "1\n");
    commit(&repo);
}

/// U03: someone removed the record's reference, and git collected what was staged.
#[test]
fn undo_is_refused_when_what_was_staged_is_gone_from_the_repository() {
    let repo = rich();
    commit(&repo);
    let shown = rescuer(&repo).undo_plan(repo.path()).unwrap();
    let record = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/rescue"]);
    repo.git(["update-ref", "-d", &record]);
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["gc", "-q", "--prune=now"]);
    let before = fingerprint(&repo);
    let turned = rescuer(&repo).turn_back(repo.path(), &shown);
    for refused in [rescuer(&repo).undo_plan(repo.path()).map(drop), turned] {
        let Err(RescueError::Refused(words)) = &refused else { panic!("{refused:?}") };
        assert!(words.contains("staged as split") && words.contains("git reset --soft"), "{words}");
    }
    assert_eq!(fingerprint(&repo), before);
    // There git can fetch it.
    repo.git(["config", "remote.origin.promisor", "true"]);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_ne!(fingerprint(&repo).index, before.index);
}

/// X05: a commit whose last journal line is cut counts as made and can be undone.
#[test]
fn a_line_that_is_cut_from_the_journal_takes_no_undo_away() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    let folder = fs::read_dir(repo.root().join("state/rescue")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read(folder.join("journal")).unwrap();
    fs::write(folder.join("journal"), &text[..text.len() - 20]).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    // If no journal line mentions it, the error must not be "nothing to undo".
    fs::write(folder.join("journal"), "garbage\n").unwrap();
    let undone = rescuer(&repo).undo(repo.path());
    assert!(matches!(undone, Err(RescueError::Damage(_))), "{undone:?}");
}
