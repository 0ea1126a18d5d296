//! Which commits are new work, and from which commit they are counted.

use closeout::evidence::git::{BaselineChoice, GitMemory};
use closeout::model::{
    Baseline, BaselineOrigin, CommitId, GitReader, Head, LooseCommit, Operation, ReadProblem, Reading,
    Timestamp,
};

use super::case::{counts, facts, first_seen, look, present};
use crate::support::repo::{Repo, git_program};
use crate::support::samples::commit_id;

#[test]
fn a_commit_made_here_is_new_work() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 0));
    let first = repo.commit_file("a");
    let second = repo.commit_file("b");
    let facts = facts(&repo, BaselineChoice::Remembered(&baseline));
    assert_eq!(facts.commits.n_new, 2);
    assert_eq!(facts.head, Head::Branch { name: "main".into(), commit: commit_id(&second) });
    let newest: Vec<_> = facts.commits.newest.iter().map(|one| (one.id, one.subject.as_str())).collect();
    assert_eq!(newest, [(commit_id(&second), "add b"), (commit_id(&first), "add a")]);
}

#[test]
fn a_commit_of_a_rescue_is_not_new_work() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.write("saved", "1\n").stage("saved");
    repo.git([
        "commit",
        "-q",
        "-m",
        "chore: save\n\n- add saved\n\nRescued-by: closeout\nRescue-record: refs/x\n",
    ]);
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((commits.n_new, commits.n_rescued, commits.newest), (0, 1, vec![]));
    repo.commit_file("own");
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((commits.n_new, commits.n_rescued, commits.newest.len()), (1, 1, 1));
}

/// A program of the person's own, and hooks, write the message that they like: the hidden reference tells.
#[test]
fn a_commit_that_a_rescue_pinned_is_not_new_work_whatever_it_says() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let commit = repo.commit_file("saved");
    let before = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((before.n_new, before.n_rescued), (1, 0));
    repo.git(["update-ref", "refs/closeout/visible/0011223344556677/20260101T000000Z-00112233", &commit]);
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((commits.n_new, commits.n_rescued, commits.newest), (0, 1, vec![]));
    repo.commit_file("own");
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((commits.n_new, commits.n_rescued), (1, 1));
}

/// What was remembered before the reference was there does not hold.
#[test]
fn a_reference_that_comes_after_the_commit_is_seen() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let mut memory = GitMemory::default();
    let mut counted = || {
        let choice = BaselineChoice::Remembered(&baseline);
        let commits = present(look(&repo, repo.path(), choice, None, &mut memory)).facts.commits;
        (commits.n_new, commits.n_rescued)
    };
    assert_eq!(counted(), (0, 0));
    let commit = repo.commit_file("saved");
    assert_eq!(counted(), (1, 0));
    repo.git(["update-ref", "refs/closeout/visible/0011223344556677/20260101T000000Z-00112233", &commit]);
    assert_eq!(counted(), (0, 1));
    repo.commit_file("own");
    assert_eq!(counted(), (1, 1));
}

#[test]
fn rescues_that_are_squashed_are_no_new_work() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.switch("work");
    repo.write("saved", "1\n").stage("saved");
    repo.git(["commit", "-q", "-m", "save\n\nRescued-by: closeout\n"]);
    repo.switch("main");
    repo.git(["merge", "-q", "--squash", "work"]);
    repo.git(["commit", "-q", "--no-edit"]);
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((commits.n_new, commits.n_rescued), (0, 1));
    // With a commit of somebody among them it is work.
    repo.switch("work").commit_file("own");
    repo.switch("main");
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    repo.git(["merge", "-q", "--squash", "work"]);
    repo.git(["commit", "-q", "--no-edit"]);
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert_eq!((commits.n_new, commits.n_rescued), (1, 0));
}

// J03
#[test]
fn an_empty_commit_is_not_new_work() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.commit_nothing("nothing");
    assert_eq!(counts(&repo, &baseline), (0, 0, 1, 0, 0));
}

// J03
#[test]
fn a_merge_of_others_commits_is_not_new_work() {
    let origin = Repo::new();
    let repo = origin.clone_to("clone");
    let baseline = first_seen(&repo);
    for name in ["x", "y", "z"] {
        origin.commit_file(name);
    }
    repo.commit_file("mine");
    repo.git(["pull", "-q", "--no-rebase", "--no-edit"]);
    assert_eq!(counts(&repo, &baseline), (1, 3, 1, 0, 0));
}

#[test]
fn a_fast_forward_brings_only_foreign_commits() {
    let origin = Repo::new();
    let repo = origin.clone_to("clone");
    let baseline = first_seen(&repo);
    origin.commit_file("x");
    repo.git(["pull", "-q", "--ff-only"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 0, 0, 0));
}

#[test]
fn a_pull_without_a_remote_branch_is_foreign_too() {
    let other = Repo::new();
    let repo = other.beside("copy");
    repo.git(["init", "-q", "-b", "main"]);
    repo.git(["pull", "-q", &other.path().display().to_string(), "main"]);
    let baseline = first_seen(&repo);
    other.commit_file("x");
    repo.git(["pull", "-q", "--ff-only", &other.path().display().to_string(), "main"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 0, 0, 0));
}

#[test]
fn what_was_fetched_and_reset_to_is_foreign() {
    let other = Repo::new();
    let repo = other.clone_to("copy");
    repo.git(["remote", "remove", "origin"]);
    let baseline = first_seen(&repo);
    other.commit_file("x");
    let url = format!("file://{}", other.path().display());
    repo.git(["fetch", "-q", &url, "main"]);
    repo.git(["reset", "-q", "--hard", "FETCH_HEAD"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 0, 0, 0));
    other.commit_file("y");
    repo.git(["pull", "-q", "--ff-only", &url, "main"]);
    assert_eq!(counts(&repo, &baseline), (0, 2, 0, 0, 0));
}

#[test]
fn a_branch_rebased_by_hand_or_squashed_by_a_rebase_loses_nothing() {
    let repo = Repo::new();
    repo.switch("feature");
    let baseline = first_seen(&repo);
    for name in ["a", "b", "c"] {
        repo.commit_file(name);
    }
    let editor = repo.script("squash", "sed -i '2,$s/^pick/fixup/' \"$1\"").display().to_string();
    let output = repo.try_git(&["rebase", "-q", "-i", "HEAD~3"], &[("GIT_SEQUENCE_EDITOR", &editor)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
}

#[test]
fn patches_that_were_applied_are_work() {
    let other = Repo::new();
    let repo = other.clone_to("copy");
    let baseline = first_seen(&repo);
    other.commit_file("x");
    let patch = other.root().join("patch");
    std::fs::write(&patch, other.git(["format-patch", "-1", "--stdout"]) + "\n").unwrap();
    repo.git(["am", "-q", &patch.display().to_string()]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
}

#[test]
fn a_commit_that_no_ref_holds_counts_while_head_stands_on_it() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.git(["checkout", "-q", "--detach"]);
    repo.commit_file("a");
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    repo.switch("main");
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 1));
}

#[test]
fn own_commits_that_were_pushed_or_merged_still_count() {
    let origin = Repo::new();
    origin.git(["config", "receive.denyCurrentBranch", "ignore"]);
    let repo = origin.clone_to("clone");
    repo.switch("feature");
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    repo.git(["push", "-q", "origin", "feature"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    repo.switch("main").git(["merge", "-q", "--ff-only", "feature"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
}

// J03
#[test]
fn an_amend_of_the_baseline_counts_only_with_other_content() {
    let repo = Repo::new();
    repo.commit_file("a");
    let baseline = first_seen(&repo);
    repo.git(["commit", "-q", "--amend", "-m", "other words"]);
    assert_eq!(counts(&repo, &baseline), (0, 0, 1, 0, 0));
    repo.write("a", "more").stage("a").git(["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
}

#[test]
fn an_amended_commit_counts_once_and_its_first_form_is_not_lost() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    repo.git(["commit", "-q", "--amend", "-m", "better words"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    repo.write("a", "more").stage("a").git(["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
}

#[test]
fn a_commit_that_was_reset_away_is_lost() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 1));
    repo.commit_file("b");
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 1));
}

/// The lost commits that nobody took back at one of these moments: how many, and the newest of each line.
fn loose(repo: &Repo, baseline: &Baseline, taken_back_at: &[Timestamp]) -> (u32, Vec<String>) {
    let loose = facts(repo, BaselineChoice::Remembered(baseline)).commits.loose;
    let is_dropped = |commit: &LooseCommit| commit.is_taken_back(taken_back_at);
    let newest = loose.newest_but(is_dropped).iter().map(CommitId::to_string).collect();
    (loose.n_lost_but(is_dropped), newest)
}

// Git notes in HEAD's log that the branch went, with the null id as the new one.
#[test]
fn head_leaves_a_commit_when_its_branch_is_removed() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let commit = repo.commit_file("a");
    let held = repo.now();
    repo.git(["update-ref", "-d", "HEAD"]);
    let gone = repo.now();
    repo.git(["rm", "-q", "-f", "a"]);
    repo.commit_file("b");
    assert_eq!(loose(&repo, &baseline, &[]), (1, vec![commit.clone()]));
    assert_eq!(loose(&repo, &baseline, &[held]), (0, vec![]));
    assert_eq!(loose(&repo, &baseline, &[gone.plus_millis(2_000)]), (1, vec![commit]));
}

#[test]
fn what_head_held_when_it_was_taken_back_is_not_loose() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let loose = |taken_back_at: &[Timestamp]| loose(&repo, &baseline, taken_back_at);
    repo.commit_file("a");
    let b = repo.commit_file("b");
    let asked = repo.now();
    repo.git(["reset", "-q", "--hard", "HEAD~2"]);
    assert_eq!(loose(&[]), (2, vec![b.clone()]));
    assert_eq!(loose(&[asked]), (0, vec![]));
    let c = repo.commit_file("c");
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(loose(&[]), (3, vec![c.clone(), b]));
    assert_eq!(loose(&[asked]), (1, vec![c]));
    repo.git(["checkout", "-q", "--detach"]);
    let head = repo.commit_file("d");
    let asked_again = repo.now();
    assert_eq!(loose(&[asked, asked_again]).1.first(), Some(&head), "HEAD holds it");
}

#[test]
fn a_merge_that_was_reset_away_is_no_loss() {
    let repo = Repo::new();
    repo.switch("side").commit_file("theirs");
    repo.switch("main").commit_file("mine");
    let baseline = first_seen(&repo);
    repo.git(["merge", "-q", "--no-edit", "side"]);
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 0));
}

#[test]
fn commits_squashed_by_hand_are_not_lost() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    for name in ["a", "b", "c"] {
        repo.commit_file(name);
    }
    repo.git(["reset", "-q", "--soft", "HEAD~3"]);
    repo.git(["commit", "-q", "-m", "all in one"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
}

#[test]
fn a_commit_on_another_branch_is_elsewhere() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.switch("feature").commit_file("a");
    repo.switch("main");
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 1, 0));
    repo.git(["branch", "-q", "-D", "feature"]);
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 1));
}

#[test]
fn from_an_unborn_branch_on_everything_counts() {
    let repo = Repo::unborn();
    let baseline = first_seen(&repo);
    assert_eq!(baseline.commit, None);
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 0));
    assert_eq!(facts(&repo, BaselineChoice::Find).head, Head::Unborn { name: "main".into() });
    repo.commit_file("a");
    repo.commit_file("b");
    assert_eq!(counts(&repo, &baseline), (2, 0, 0, 0, 0));
}

#[test]
fn an_orphan_branch_counts_its_own_commits() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.git(["checkout", "-q", "--orphan", "other"]);
    repo.commit_file("a");
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    assert_eq!(facts(&repo, BaselineChoice::Find).baseline.commit, None);
}

#[test]
fn a_rebase_keeps_the_count_and_loses_nothing() {
    let origin = Repo::new();
    let repo = origin.clone_to("clone");
    repo.switch("feature");
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    repo.commit_file("b");
    origin.commit_file("theirs");
    repo.git(["fetch", "-q"]);
    repo.git(["rebase", "-q", "origin/main"]);
    assert_eq!(counts(&repo, &baseline), (2, 1, 0, 0, 0));
}

#[test]
fn what_a_rebase_drops_is_lost_and_what_it_melts_together_is_not() {
    let origin = Repo::new();
    origin.write("f", "one\ntwo\nthree\nfour\nfive\n").commit("f");
    let rebase = |todo: &str, is_upstream_changed: bool| {
        let name: String = todo.chars().filter(|c| c.is_alphanumeric()).collect();
        let repo = origin.clone_to(&format!("{name}{is_upstream_changed}"));
        let text = std::fs::read_to_string(origin.path().join("f")).unwrap();
        repo.switch("feature");
        let baseline = first_seen(&repo);
        repo.write("f", format!("{text}mine\nmy second\n")).commit("add to f");
        repo.commit_file("a");
        repo.write("f", format!("{text}mine\nchanged\nmy third\n")).commit("change f");
        if is_upstream_changed {
            origin.write("f", format!("before {todo}\n{text}")).commit("theirs");
            repo.git(["fetch", "-q"]);
        }
        let editor = repo.script(&name, &format!("sed -i '{todo}' \"$1\"")).display().to_string();
        let variables = [("GIT_SEQUENCE_EDITOR", editor.as_str()), ("GIT_EDITOR", "true")];
        let output = repo.try_git(&["rebase", "-q", "-i", "origin/main"], &variables);
        assert!(output.status.success(), "{todo}: {}", String::from_utf8_lossy(&output.stderr));
        let here = counts(&repo, &baseline);
        repo.switch("main");
        assert_eq!(counts(&repo, &baseline).4, here.4, "{todo}: seen from another branch");
        (here.0, here.3, here.4)
    };
    for is_upstream_changed in [false, true] {
        for (todo, n_new, n_lost) in [
            ("2s/^pick/squash/", 2, 0),
            ("2,$s/^pick/fixup/", 1, 0),
            ("s/^pick/reword/", 3, 0),
            ("2s/^pick/drop/", 2, 1),
            ("3s/^pick/drop/", 2, 1),
        ] {
            let found = rebase(todo, is_upstream_changed);
            assert_eq!(found, (n_new, 0, n_lost), "{todo}, {is_upstream_changed}");
        }
    }
}

#[test]
fn a_rebase_of_what_was_there_before_is_not_new_work() {
    let origin = Repo::new();
    let repo = origin.clone_to("clone");
    repo.switch("feature");
    repo.commit_file("a");
    repo.commit_file("b");
    let baseline = first_seen(&repo);
    origin.commit_file("theirs");
    repo.git(["fetch", "-q"]);
    repo.git(["rebase", "-q", "origin/main"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 2, 0, 0));
}

#[test]
fn a_rebase_that_stopped_is_an_operation() {
    let repo = Repo::new();
    repo.switch("feature").write("f", "mine\n").commit("mine");
    repo.switch("main").write("f", "theirs\n").commit("theirs");
    repo.switch("feature");
    assert!(!repo.try_git(&["rebase", "main"], &[]).status.success());
    let during = facts(&repo, BaselineChoice::Find);
    assert_eq!(during.operation, Some(Operation::Rebase));
    assert!(matches!(during.head, Head::Detached { .. }));
    assert_eq!(during.changes.unwrap().n_conflicted, 1);
    repo.git(["rebase", "--abort"]);
    let after = facts(&repo, BaselineChoice::Find);
    assert_eq!((after.operation, after.commits.n_new, after.commits.n_lost), (None, 1, 0));
}

#[test]
fn every_operation_that_stops_is_named() {
    let start = || {
        let repo = Repo::new();
        repo.switch("side").write("f", "side\n").commit("side");
        repo.switch("main").write("f", "main\n").commit("main");
        repo
    };
    for (args, operation) in [
        (&["merge", "side"][..], Operation::Merge),
        (&["cherry-pick", "side"], Operation::CherryPick),
        (&["revert", "--no-edit", "HEAD"], Operation::Revert),
        (&["bisect", "start"], Operation::Bisect),
    ] {
        let repo = start();
        if operation == Operation::Revert {
            repo.write("f", "later\n").commit("later");
            assert!(!repo.try_git(&["revert", "--no-edit", "HEAD~1"], &[]).status.success());
        } else {
            repo.try_git(args, &[]);
        }
        assert_eq!(facts(&repo, BaselineChoice::Find).operation, Some(operation));
    }
}

#[test]
fn a_merge_with_a_conflict_solved_by_hand_is_work() {
    let repo = Repo::new();
    repo.switch("side").write("f", "side\n").commit("side");
    repo.switch("main").write("f", "main\n").commit("main");
    let baseline = first_seen(&repo);
    assert!(!repo.try_git(&["merge", "side"], &[]).status.success());
    repo.write("f", "both\n").stage("f").git(["commit", "-q", "--no-edit"]);
    assert_eq!(counts(&repo, &baseline), (1, 1, 0, 0, 0));
}

#[test]
fn cherry_picks_and_reverts_are_work() {
    let repo = Repo::new();
    repo.switch("side").commit_file("x");
    repo.switch("main");
    let baseline = first_seen(&repo);
    repo.commit_file("y");
    repo.git(["cherry-pick", "side"]);
    repo.git(["revert", "--no-edit", "HEAD"]);
    assert_eq!(counts(&repo, &baseline), (3, 0, 0, 0, 0));
}

#[test]
fn work_that_no_log_knows_counts_when_only_this_branch_has_it() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.git(["config", "core.logAllRefUpdates", "false"]);
    std::fs::remove_dir_all(repo.git_dir().join("logs")).unwrap();
    repo.commit_file("a");
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    assert!(facts(&repo, BaselineChoice::Remembered(&baseline)).notes[0].contains("no log"));
    repo.git(["branch", "copy"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 0, 0, 0));
}

#[test]
fn an_old_branch_that_is_checked_out_is_not_new_work() {
    let repo = Repo::new();
    repo.switch("old").commit_file("a");
    repo.switch("main");
    let baseline = first_seen(&repo);
    repo.git(["checkout", "-q", "old"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 0, 0, 0));
}

#[test]
fn work_of_a_worktree_that_was_made_and_merged_here_counts() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let other = repo.worktree("other");
    other.commit_file("a");
    assert_eq!(counts(&repo, &baseline), (0, 0, 0, 0, 0));
    repo.git(["merge", "-q", "--ff-only", "other"]);
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    assert_eq!(facts(&other, BaselineChoice::Find).commits.n_new, 1);
}

#[test]
fn work_of_an_older_worktree_does_not_count_where_it_is_merged() {
    let repo = Repo::new();
    let other = repo.worktree("other");
    let baseline = first_seen(&repo);
    other.commit_file("a");
    repo.git(["merge", "-q", "--ff-only", "other"]);
    assert_eq!(counts(&repo, &baseline), (0, 1, 0, 0, 0));
}

#[test]
fn a_branch_is_counted_from_where_it_left_the_default_branch() {
    let repo = Repo::new();
    let point = repo.head();
    repo.switch("feature").commit_file("a");
    repo.switch("main").commit_file("b");
    repo.switch("feature");
    let found = facts(&repo, BaselineChoice::Find);
    assert_eq!(found.baseline.commit, Some(commit_id(&point)));
    assert_eq!(found.baseline.origin, BaselineOrigin::BranchPoint("main".into()));
    assert_eq!(found.commits.n_new, 1);
    repo.git(["checkout", "-q", "--detach"]);
    repo.commit_file("c");
    assert_eq!(facts(&repo, BaselineChoice::Find).commits.n_new, 2);
}

#[test]
fn on_the_default_branch_the_upstream_or_the_present_head_is_the_baseline() {
    let origin = Repo::new();
    assert_eq!(facts(&origin, BaselineChoice::Find).baseline.origin, BaselineOrigin::FirstSeen);
    let repo = origin.clone_to("clone");
    let found = facts(&repo, BaselineChoice::Find);
    assert_eq!(found.baseline.origin, BaselineOrigin::FirstSeen);
    assert_eq!(
        found.upstream.map(|upstream| (upstream.name, upstream.ahead)),
        Some(("origin/main".into(), 0))
    );
    repo.commit_file("a");
    origin.commit_file("b");
    repo.git(["fetch", "-q"]);
    let found = facts(&repo, BaselineChoice::Find);
    assert_eq!(found.baseline.origin, BaselineOrigin::BranchPoint("origin/main".into()));
    assert_eq!(found.commits.n_new, 1);
    let upstream = found.upstream.unwrap();
    assert_eq!((upstream.ahead, upstream.behind), (1, 1));
}

#[test]
fn a_branch_that_was_merged_is_counted_from_where_it_was_created() {
    let repo = Repo::new();
    repo.switch("feature").commit_file("a");
    repo.switch("main").git(["merge", "-q", "--ff-only", "feature"]);
    repo.switch("feature");
    assert_eq!(facts(&repo, BaselineChoice::Find).commits.n_new, 1);
}

// J04
#[test]
fn a_given_baseline_is_taken_or_refused_with_words() {
    let repo = Repo::new();
    let point = repo.head();
    repo.commit_file("a");
    let given = |rev| BaselineChoice::Given { rev, origin: &BaselineOrigin::Flag };
    let found = facts(&repo, given("HEAD~1"));
    assert_eq!(
        (found.baseline.commit, found.baseline.origin),
        (Some(commit_id(&point)), BaselineOrigin::Flag)
    );
    assert_eq!(found.commits.n_new, 1);
    let written = repo.at("written");
    let hostile = format!("--output={}", written.display());
    for reader in [GitReader::InProcess, GitReader::Program] {
        for rev in ["nothing", "-x", &hostile, "", "HEAD^{tree}", "HEAD~7"] {
            let read = look(&repo, repo.path(), given(rev), Some(reader), &mut GitMemory::default());
            let Reading::Unreadable(unreadable) = read else { panic!("{rev:?}: {read:?}") };
            assert_eq!(unreadable.problem, ReadProblem::Invalid);
            assert_eq!(unreadable.detail, format!("baseline `{rev}` is no commit of this repository"));
        }
    }
    assert!(!written.exists());
}

#[test]
fn a_remembered_baseline_that_is_gone_is_said_and_found_anew() {
    let repo = Repo::new();
    let mut baseline = first_seen(&repo);
    baseline.commit = Some(commit_id("12345678"));
    let found = facts(&repo, BaselineChoice::Remembered(&baseline));
    assert_eq!(found.baseline.commit, Some(commit_id(&repo.head())));
    assert_eq!(
        found.notes,
        ["the remembered baseline 12345678 is gone from the repository; a new one was found"]
    );
}

#[test]
fn references_that_look_like_options_are_only_names() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    let written = repo.at("written");
    let name = format!("refs/heads/--output={}", written.display().to_string().replace('/', "_"));
    repo.git(["update-ref", &name, "HEAD~1"]);
    repo.git(["update-ref", "refs/heads/-x", "HEAD~1"]);
    repo.git(["symbolic-ref", "HEAD", "refs/heads/-x"]);
    let found = facts(&repo, BaselineChoice::Remembered(&baseline));
    assert_eq!(found.head.branch(), Some("-x"));
    assert_eq!(found.commits.n_new, 0);
    assert!(!written.exists());
}

#[test]
fn the_memory_sees_every_change() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let mut memory = GitMemory::default();
    let mut check = |repo: &Repo| {
        let read = |memory: &mut GitMemory| {
            present(look(repo, repo.path(), BaselineChoice::Remembered(&baseline), None, memory))
        };
        let remembered = read(&mut memory);
        assert_eq!(remembered, read(&mut GitMemory::default()));
        assert_eq!(remembered, read(&mut memory));
    };
    check(&repo);
    repo.commit_file("a");
    check(&repo);
    repo.write("a", "x");
    check(&repo);
    repo.git(["stash", "-q"]);
    check(&repo);
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    check(&repo);
    repo.git(["branch", "keep", "ORIG_HEAD"]);
    check(&repo);
    repo.git(["pack-refs", "--all"]);
    check(&repo);
    repo.switch("feature").commit_file("b");
    check(&repo);
    repo.git(["commit", "-q", "--amend", "-m", "words"]);
    check(&repo);
}

#[test]
fn commits_that_are_made_meanwhile_are_never_lost() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let worker = {
        let repo = repo.clone();
        std::thread::spawn(move || {
            for number in 0..40 {
                repo.commit_file(&format!("f{number}"));
            }
        })
    };
    let mut memory = GitMemory::default();
    let mut seen = 0;
    let mut read = || {
        let read = look(&repo, repo.path(), BaselineChoice::Remembered(&baseline), None, &mut memory);
        let commits = present(read).facts.commits;
        assert_eq!((commits.n_lost, commits.n_elsewhere, commits.n_foreign), (0, 0, 0));
        assert!(commits.n_new >= seen);
        seen = commits.n_new;
        seen
    };
    while !worker.is_finished() {
        read();
    }
    worker.join().unwrap();
    assert_eq!(read(), 40);
}

#[test]
fn commits_that_cancel_each_other_out_are_no_new_work() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    repo.git(["revert", "--no-edit", "HEAD"]);
    let facts = facts(&repo, BaselineChoice::Remembered(&baseline));
    assert_eq!((facts.commits.n_new, facts.commits.n_empty, facts.commits.newest.len()), (0, 2, 0));
    assert!(facts.notes.iter().any(|note| note.contains("cancel each other out")), "{:?}", facts.notes);
    repo.commit_file("b");
    assert_eq!(counts(&repo, &baseline), (3, 0, 0, 0, 0));
}

#[test]
fn work_that_is_taken_back_by_hand_is_seen_by_a_reader_that_remembers() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    for reader in [GitReader::InProcess, GitReader::Program] {
        repo.git(["reset", "-q", "--hard", &baseline.commit.unwrap().to_string()]);
        let mut memory = GitMemory::default();
        let mut n_new = || {
            let choice = BaselineChoice::Remembered(&baseline);
            present(look(&repo, repo.path(), choice, Some(reader), &mut memory)).facts.commits.n_new
        };
        assert_eq!(n_new(), 0);
        repo.write("x", format!("{reader:?}")).commit("there");
        assert_eq!(n_new(), 1);
        repo.remove("x").commit("and back");
        assert_eq!(n_new(), 0, "{reader:?}");
        repo.commit_file("y");
        assert_eq!(n_new(), 3);
    }
}

#[test]
fn everything_that_is_taken_back_to_nothing_is_no_new_work() {
    let repo = Repo::unborn();
    let baseline = first_seen(&repo);
    repo.commit_file("a");
    assert_eq!(counts(&repo, &baseline), (1, 0, 0, 0, 0));
    repo.remove("a").commit("back");
    assert_eq!(counts(&repo, &baseline), (0, 0, 2, 0, 0));
}

#[test]
fn branches_that_come_and_go_in_folders_or_at_once_are_never_missed() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let lost = repo.commit_file("a");
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    repo.git(["branch", "kept/other"]);
    for reader in [GitReader::InProcess, GitReader::Program] {
        let mut memory = GitMemory::default();
        let mut strays = || {
            let choice = BaselineChoice::Remembered(&baseline);
            let commits = present(look(&repo, repo.path(), choice, Some(reader), &mut memory)).facts.commits;
            (commits.n_elsewhere, commits.n_lost)
        };
        // Written as git writes them, but within one tick of the file system's clock.
        for round in 0..4 {
            for name in ["refs/heads/kept/it", "refs/tags/it", "refs/heads/it"] {
                let path = repo.git_dir().join(name);
                let next = path.with_extension("lock");
                std::fs::write(&next, format!("{lost}\n")).unwrap();
                std::fs::rename(&next, &path).unwrap();
                assert_eq!(strays(), (1, 0), "{name}, {reader:?}, round {round}");
                std::fs::remove_file(&path).unwrap();
                assert_eq!(strays(), (0, 1), "{name}, {reader:?}, round {round}");
            }
        }
    }
}

#[test]
fn a_walk_that_is_too_long_is_cut_and_says_so() {
    let repo = Repo::new();
    let baseline = first_seen(&repo);
    let mut stream = String::from("reset refs/heads/main\nfrom refs/heads/main^0\n\n");
    for number in 0..10_001 {
        let time = 1_700_100_000 + number;
        let commit = format!("commit refs/heads/main\ncommitter A <a@b> {time} +0000\ndata 1\nx\n");
        stream = stream + &commit + &format!("M 644 inline f\ndata 5\n{number:05}\n");
    }
    let mut spec =
        closeout::process::Spec::new(git_program(), repo.path()).args(["fast-import", "--quiet", "--force"]);
    spec.stdin = Some(stream.into_bytes());
    spec.time_limit = std::time::Duration::from_mins(2);
    let output = closeout::process::run(&spec).unwrap();
    assert!(output.is_success(), "{}", String::from_utf8_lossy(&output.stderr));
    let commits = facts(&repo, BaselineChoice::Remembered(&baseline)).commits;
    assert!(commits.is_cut);
    assert_eq!((commits.n_new, commits.newest.len()), (10_000, 20));
}

/// A small generator of numbers, so that a failing case can be made again from its number.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// One thing that an agent or a person does; what does not apply is passed over.
fn step(repo: &Repo, numbers: &mut Numbers) {
    let file = format!("f{}", numbers.below(4));
    let branch = format!("b{}", numbers.below(3));
    match numbers.below(16) {
        0..=2 => drop(repo.commit_file(&format!("{file}-{}", numbers.below(1000)))),
        3 => drop(repo.commit_nothing("nothing")),
        4 => drop(repo.write(&file, numbers.below(100).to_string())),
        5 => drop(repo.write(&file, numbers.below(100).to_string()).stage(&file)),
        6 => drop(repo.try_git(&["commit", "-q", "--amend", "--no-edit"], &[])),
        7 => drop(repo.try_git(&["commit", "-q", "--amend", "-m", "reworded"], &[])),
        8 => drop(repo.try_git(&["reset", "-q", "--hard", "HEAD~1"], &[])),
        9 => drop(repo.try_git(&["reset", "-q", "--soft", "HEAD~1"], &[])),
        10 => drop(repo.try_git(&["checkout", "-q", "-B", &branch], &[])),
        11 => drop(repo.try_git(&["checkout", "-q", &branch, "--"], &[])),
        12 => drop(repo.try_git(&["merge", "-q", "--no-edit", &branch], &[])),
        13 => drop(repo.try_git(&["rebase", "-q", &branch], &[])),
        14 => drop(repo.try_git(&["cherry-pick", &branch], &[])),
        _ => {
            for operation in ["rebase", "merge", "cherry-pick"] {
                repo.try_git(&[operation, "--abort"], &[]);
            }
            repo.try_git(&["checkout", "-q", "--detach"], &[]);
        }
    }
}

#[test]
fn both_readers_agree_after_whatever_was_done() {
    for case in 0..8 {
        let mut numbers = Numbers(case);
        let repo = Repo::new();
        for name in ["b0", "b1", "b2"] {
            repo.git(["branch", name]);
        }
        let baseline = first_seen(&repo);
        let mut memory = GitMemory::default();
        for _ in 0..10 {
            step(&repo, &mut numbers);
            let agreed = facts(&repo, BaselineChoice::Remembered(&baseline));
            let read = look(&repo, repo.path(), BaselineChoice::Remembered(&baseline), None, &mut memory);
            assert_eq!(present(read).facts, agreed, "case {case}: the memory");
        }
        facts(&repo, BaselineChoice::Find);
    }
}

#[test]
fn at_a_first_look_work_is_counted_from_where_head_stood_before_the_first_prompt() {
    let repo = Repo::new();
    repo.commit_file("before");
    let asked_at = repo.now();
    repo.commit_file("after");
    let found = facts(&repo, BaselineChoice::FindBefore(asked_at));
    assert_eq!((found.commits.n_new, found.baseline.set_at), (1, asked_at));
    assert_eq!(found.baseline.origin, BaselineOrigin::FirstSeen);
    // Without a session HEAD is all that is known, and nothing is new.
    assert_eq!(facts(&repo, BaselineChoice::Find).commits.n_new, 0);
    // The log does not reach back so far: nothing that was made here is missed, and the clone is none of it.
    let clone = repo.clone_to("clone");
    let found = facts(&clone, BaselineChoice::FindBefore(asked_at));
    assert_eq!(found.commits.n_new, 0);
}
