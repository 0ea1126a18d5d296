//! Where a commit goes if the checked-out branch cannot take it: to a new branch, if a person agrees. HEAD,
//! index and work tree stay unchanged.

use std::fs;

use closeout::action::rescue::{RescueError, RescueStep};
use closeout::model::{CommitTarget, PlanNote, RefName, RescuePlan, UndoDirection};

use super::fixture::*;
use crate::support::repo::Repo;
use crate::support::samples::commit_id;

/// The branch that a plan offers.
fn offered(plan: &RescuePlan) -> RefName {
    let mut names = plan.targets.iter().filter_map(|target| match target {
        CommitTarget::NewBranch(name) => Some(name.clone()),
        CommitTarget::Head | CommitTarget::ProtectedHead => None,
    });
    names.next_back().unwrap()
}

/// Asserts that nothing is committed without a choice, and that the new branch is the only change, which undo
/// removes and redo makes again.
fn assert_a_new_branch_takes_it(repo: &Repo, word: &str) {
    let rescuer = rescuer(repo);
    let plan = rescuer.plan(repo.path(), "rescue: work").unwrap();
    assert!(plan.refusal.as_ref().unwrap().contains(word), "{:?}", plan.refusal);
    let name = offered(&plan);
    assert_eq!((&plan.targets, &plan.target), (&vec![CommitTarget::NewBranch(name.clone())], &None));
    assert!(name.short().starts_with("rescue/20"), "{name}");
    let before = fingerprint(repo);
    for target in [None, Some(CommitTarget::Head), Some(CommitTarget::ProtectedHead)] {
        let plan = RescuePlan { target, ..plan.clone() };
        assert!(matches!(rescuer.commit(repo.path(), &plan), Err(RescueError::SavedOnly(_))));
        assert_eq!(fingerprint(repo), before);
    }
    let plan = RescuePlan { target: Some(CommitTarget::NewBranch(name.clone())), ..plan };
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    let made = *done.commits.last().unwrap();
    assert_eq!(done.branch, name);
    let after = fingerprint(repo);
    assert_eq!(
        (&after.work_tree, &after.index, &after.locks),
        (&before.work_tree, &before.index, &before.locks)
    );
    let is_new = |line: &&str| !before.references.contains(line);
    let new: Vec<&str> = after.references.lines().filter(is_new).collect();
    assert_eq!(new, [format!("{made}\t{name}")]);
    assert_eq!(repo.git(["rev-parse", &format!("{made}^")]), plan.head.unwrap().to_string());
    assert_eq!(content(repo, &made, b"split").unwrap(), b"first\n1\n2\nlast\n");
    let undo = rescuer.undo_plan(repo.path()).unwrap();
    assert_eq!((undo.from, undo.to, &undo.branch), (Some(made), None, &name));
    assert_eq!((undo.commits.len(), undo.commits[0].n_paths), (1, undo.paths.len()));
    rescuer.turn_back(repo.path(), &undo).unwrap();
    assert_eq!(fingerprint(repo), before);
    let again = rescuer.redo_plan(repo.path()).unwrap();
    assert_eq!((again.way, &again.paths, &again.commits), (UndoDirection::Redo, &undo.paths, &undo.commits));
    rescuer.turn_back(repo.path(), &again).unwrap();
    assert_eq!(fingerprint(repo), after);
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(repo), before);
}

// V07
#[test]
fn with_a_detached_head_a_new_branch_is_offered() {
    let repo = rich();
    repo.git(["checkout", "-q", "--detach"]);
    assert_a_new_branch_takes_it(&repo, "detached");
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_stays_and_a_new_one_is_offered() {
    let repo = rich();
    let other = repo.root().join("other");
    repo.git(["worktree", "add", "-q", "--force", &other.display().to_string(), "main"]);
    assert_a_new_branch_takes_it(&repo, "another worktree");
    let there = repo.beside("other");
    assert_eq!(there.git(["status", "--porcelain"]), "");
}

// V08
#[test]
fn a_protected_branch_takes_the_commit_only_after_a_word() {
    let repo = rich();
    let mut rescuer = rescuer(&repo);
    rescuer.protected = vec!["main".to_owned()];
    let plan = rescuer.plan(repo.path(), "rescue: work").unwrap();
    assert!(plan.refusal.as_ref().unwrap().contains("protected"));
    let branch = CommitTarget::NewBranch(offered(&plan));
    assert_eq!(plan.targets, [branch.clone(), CommitTarget::ProtectedHead]);
    let before = fingerprint(&repo);
    for target in [None, Some(CommitTarget::Head)] {
        let plan = RescuePlan { target, ..plan.clone() };
        assert!(matches!(rescuer.commit(repo.path(), &plan), Err(RescueError::SavedOnly(_))));
        assert_eq!(fingerprint(&repo), before);
    }
    let to_branch = RescuePlan { target: Some(branch), ..plan.clone() };
    rescuer.commit(repo.path(), &to_branch).unwrap();
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    let plan = RescuePlan { target: Some(CommitTarget::ProtectedHead), ..plan };
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    assert_eq!((done.branch.short(), done.commits.last()), ("main", Some(&commit_id(&repo.head()))));
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// V08
#[test]
fn branches_are_protected_by_name_by_folder_and_as_the_default_of_a_remote() {
    let repo = rich();
    let mut rescuer = rescuer(&repo);
    rescuer.protected = ["main", "release/*", "*/HEAD"].map(str::to_owned).into();
    let on = |branch: &str, is_protected: bool| {
        repo.git(["branch", "-m", branch]);
        let plan = rescuer.plan(repo.path(), "rescue: work").unwrap();
        assert_eq!(plan.targets.contains(&CommitTarget::ProtectedHead), is_protected, "{branch}");
        assert_eq!(plan.target.is_none(), is_protected, "{branch}");
    };
    on("main", true);
    on("release/2.1", true);
    on("release", false);
    on("releases/2.1", false);
    on("trunk", false);
    repo.git(["update-ref", "refs/remotes/team/up/trunk", "HEAD"]);
    repo.git(["symbolic-ref", "refs/remotes/team/up/HEAD", "refs/remotes/team/up/trunk"]);
    on("trunk", true);
    on("up/trunk", false);
}

#[test]
fn a_person_can_take_a_new_branch_where_head_would_do_and_name_it() {
    let repo = rich();
    let plan = plan(&repo);
    assert_eq!(plan.target, Some(CommitTarget::Head));
    let before = fingerprint(&repo);
    let to = |name: &str| {
        let target = Some(CommitTarget::NewBranch(RefName::new(name).unwrap()));
        RescuePlan { target, ..plan.clone() }
    };
    for name in [
        "refs/heads/main", "refs/heads/-x", "refs/heads/a b", "refs/tags/x", "refs/heads/HEAD", "refs/heads/",
    ] {
        let refused = rescuer(&repo).commit(repo.path(), &to(name));
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{name}: {refused:?}");
        assert_eq!(fingerprint(&repo), before);
    }
    rescuer(&repo).commit(repo.path(), &to("refs/heads/mine/作業")).unwrap();
    assert_eq!(repo.git(["log", "-1", "--format=%s", "mine/作業"]), "rescue: work");
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn a_branch_called_rescue_is_not_in_the_way() {
    let repo = rich();
    repo.git(["branch", "rescue"]);
    repo.git(["checkout", "-q", "--detach"]);
    let plan = rescuer(&repo).plan(repo.path(), "m").unwrap();
    let name = offered(&plan);
    assert!(name.short().starts_with("rescue-20"), "{name}");
    let plan = RescuePlan { target: Some(CommitTarget::NewBranch(name.clone())), ..plan };
    rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert!(repo.try_git(&["rev-parse", "--verify", "-q", name.as_str()], &[]).status.success());
}

#[test]
fn on_an_unborn_branch_the_new_branch_has_a_first_commit() {
    let repo = Repo::unborn();
    repo.write("f", "1\n");
    let plan = plan(&repo);
    let before = fingerprint(&repo);
    let plan = RescuePlan { target: plan.targets.last().cloned(), ..plan };
    let done = rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert_eq!(content(&repo, &done.commits[0], b"f").unwrap(), b"1\n");
    assert_eq!(rescuer(&repo).undo_plan(repo.path()).unwrap().paths, [b"f"]);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// U03 for a new branch.
#[test]
fn a_new_branch_that_moved_or_is_checked_out_is_not_removed() {
    let changes: [&[&[&str]]; 3] = [
        &[&["symbolic-ref", "HEAD", "refs/heads/the-branch"]],
        &[&["worktree", "add", "-q", "../other", "the-branch"]],
        &[&["update-ref", "refs/heads/the-branch", "HEAD"]],
    ];
    for change in changes {
        let repo = rich();
        let plan = plan(&repo);
        let branch = CommitTarget::NewBranch(RefName::of_branch("the-branch"));
        rescuer(&repo).commit(repo.path(), &RescuePlan { target: Some(branch), ..plan }).unwrap();
        for args in change {
            repo.git(*args);
        }
        let before = fingerprint(&repo);
        let refused = rescuer(&repo).undo(repo.path());
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{change:?}: {refused:?}");
        assert_eq!(fingerprint(&repo), before, "{change:?}");
    }
}

// U08 for a new branch: HEAD names it in no worktree meanwhile.
#[test]
fn a_new_branch_that_is_rebased_or_bisected_in_any_worktree_is_not_removed() {
    type Begin = fn(&Repo, &Repo);
    let cases: [(&str, Begin); 4] = [
        ("rebase in the worktree other", |repo, other| {
            other.git(["checkout", "-q", "--detach"]);
            let folder = repo.git_dir().join("worktrees/other/rebase-merge");
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("head-name"), "refs/heads/the-branch\n").unwrap();
        }),
        ("bisect in the worktree other", |repo, other| {
            other.git(["checkout", "-q", "--detach"]);
            fs::write(repo.git_dir().join("worktrees/other/BISECT_START"), "the-branch\n").unwrap();
        }),
        ("bisect in the main worktree", |repo, other| {
            other.git(["checkout", "-q", "--detach"]);
            fs::write(repo.git_dir().join("BISECT_START"), "the-branch\n").unwrap();
        }),
        ("rebase in the main worktree", |repo, other| {
            other.git(["checkout", "-q", "--detach"]);
            let folder = repo.git_dir().join("rebase-merge");
            fs::create_dir(&folder).unwrap();
            let id = repo.git(["rev-parse", "the-branch"]);
            fs::write(folder.join("update-refs"), format!("refs/heads/the-branch\n{id}\n{id}\n")).unwrap();
        }),
    ];
    for (name, begin) in cases {
        let repo = rich();
        let plan = plan(&repo);
        let branch = CommitTarget::NewBranch(RefName::of_branch("the-branch"));
        rescuer(&repo).commit(repo.path(), &RescuePlan { target: Some(branch), ..plan }).unwrap();
        repo.git(["worktree", "add", "-q", "../other", "the-branch"]);
        let other = repo.beside("other");
        begin(&repo, &other);
        let before = fingerprint(&repo);
        let refused = rescuer(&repo).undo(repo.path());
        let Err(RescueError::Refused(words)) = &refused else { panic!("{name}: {refused:?}") };
        let (operation, place) = name.split_once(' ').unwrap();
        assert!(words.contains(&format!("git {operation} of this branch is in progress {place}")), "{words}");
        assert_eq!(fingerprint(&repo), before, "{name}");
        if place.contains("other") {
            repo.git(["worktree", "remove", "--force", "../other"]);
            rescuer(&repo).undo(repo.path()).unwrap();
        }
    }
}

// Between the check and the creation of the branch, someone takes its name.
#[test]
fn a_branch_that_appears_in_between_is_kept() {
    let repo = rich();
    let plan = plan(&repo);
    let agent = repo.clone();
    let at_step = rescuer_at(&repo, RescueStep::CommitPinned, move || drop(agent.git(["branch", "taken"])));
    let branch = CommitTarget::NewBranch(RefName::of_branch("taken"));
    let refused = at_step.commit(repo.path(), &RescuePlan { target: Some(branch), ..plan });
    assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
    assert_eq!(repo.git(["rev-parse", "taken"]), repo.head());
    assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)));
}

// C08
#[test]
fn packed_references_that_are_locked_are_waited_for_and_then_left_alone() {
    let repo = rich();
    let plan = plan(&repo);
    let lock = repo.git_dir().join("packed-refs.lock");
    fs::write(&lock, "").unwrap();
    let before = fingerprint(&repo);
    let busy = rescuer(&repo).commit(repo.path(), &plan);
    assert!(matches!(busy, Err(RescueError::Busy(_))), "{busy:?}");
    assert_eq!(fingerprint(&repo), before);
    fs::remove_file(&lock).unwrap();
    rescuer(&repo).commit(repo.path(), &plan).unwrap();
}

/// Anybody can write a file that names a commit which is not there, or make a merge of the same files.
#[test]
fn other_branches_below_the_rescues_keep_neither_the_plan_nor_its_note_away() {
    let repo = rich();
    repo.git(["checkout", "-q", "--detach"]);
    let plan = rescuer(&repo).plan(repo.path(), "rescue: work").unwrap();
    let name = offered(&plan);
    let target = Some(CommitTarget::NewBranch(name.clone()));
    let done = rescuer(&repo).commit(repo.path(), &RescuePlan { target, ..plan }).unwrap();
    let (made, head) = (done.commits[0].to_string(), repo.head());
    let tree = format!("{made}^{{tree}}");
    let merge = repo.git(["commit-tree", &tree, "-p", &head, "-p", &made, "-m", "merged"]);
    repo.git(["update-ref", "refs/heads/rescue/1", &merge]);
    fs::write(repo.git_dir().join("refs/heads/rescue/0"), "1".repeat(40) + "\n").unwrap();
    let again = rescuer(&repo).plan(repo.path(), "rescue: work").unwrap();
    let notes: Vec<_> = again.notes.iter().filter(|note| matches!(note, PlanNote::CommittedOn(_))).collect();
    assert_eq!(notes, [&PlanNote::CommittedOn(name)]);
}
