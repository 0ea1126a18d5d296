//! Commits that no branch, remote branch or tag holds: a rescue gives them a branch, and nothing else changes.

use closeout::action::rescue::{RescueError, RescueStep};
use closeout::model::{BranchPlan, CommitId, ShownCommit, UndoDirection};

use super::fixture::*;
use crate::support::repo::Repo;
use crate::support::samples::commit_id;
use crate::support::test_env::TestEnv;

/// A repository with two commits on a detached HEAD, and the newer of them.
pub(super) fn detached() -> (Repo, String) {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("first");
    repo.git(["checkout", "-q", "--detach"]);
    repo.write("b", "1\n").commit("second");
    repo.write("b", "2\n").write("c", "1\n").commit("third");
    let tip = repo.git(["rev-parse", "HEAD"]);
    (repo, tip)
}

fn plan(repo: &Repo, loose: &[&str]) -> Result<BranchPlan, RescueError> {
    let loose: Vec<CommitId> = loose.iter().map(|id| id.parse().unwrap()).collect();
    rescuer(repo).branch_plan(repo.path(), &loose)
}

fn commit(repo: &Repo, name: &str, subject: &str, n_paths: usize) -> ShownCommit {
    ShownCommit { commit: commit_id(&repo.git(["rev-parse", name])), subject: subject.to_owned(), n_paths }
}

#[test]
fn the_branch_is_all_that_comes_and_goes() {
    let (repo, tip) = detached();
    let rescuer = rescuer(&repo);
    let before = fingerprint(&repo);
    let plan = plan(&repo, &[&tip]).unwrap();
    assert!(plan.branch.short().starts_with("rescue/20"), "{}", plan.branch);
    let commits = vec![commit(&repo, "HEAD^", "second", 1), commit(&repo, "HEAD", "third", 2)];
    assert_eq!(
        plan,
        BranchPlan {
            branch: plan.branch.clone(),
            tip: commit_id(&tip),
            commits: commits.clone(),
            n_commits: 2,
            n_further: 0,
            notice: None
        }
    );
    assert_eq!(fingerprint(&repo), before);
    rescuer.create_branch(repo.path(), &plan).unwrap();
    let after = fingerprint(&repo);
    assert_eq!(
        (&after.work_tree, &after.index, &after.locks),
        (&before.work_tree, &before.index, &before.locks)
    );
    let new: Vec<&str> = after.references.lines().filter(|line| !before.references.contains(line)).collect();
    assert_eq!(new, [format!("{tip}\t{}", plan.branch)]);
    let undo = rescuer.undo_plan(repo.path()).unwrap();
    assert_eq!((undo.way, undo.from, undo.to), (UndoDirection::Undo, Some(commit_id(&tip)), None));
    assert_eq!((&undo.commits, &undo.record), (&commits, &None));
    rescuer.turn_back(repo.path(), &undo).unwrap();
    assert_eq!(fingerprint(&repo), before);
    rescuer.redo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), after);
}

#[test]
fn what_is_held_or_gone_needs_no_branch() {
    let (repo, tip) = detached();
    let gone = "1".repeat(tip.len());
    let is_nothing = |loose: &[&str]| matches!(plan(&repo, loose), Err(RescueError::Nothing));
    assert!(is_nothing(&[]) && is_nothing(&[&gone]) && is_nothing(&[&repo.git(["rev-parse", "main"])]));
    for reference in ["refs/heads/held", "refs/tags/held", "refs/remotes/origin/held"] {
        repo.git(["update-ref", reference, &tip]);
        assert!(is_nothing(&[&gone, &tip]), "{reference}");
        repo.git(["update-ref", "-d", reference]);
    }
    // A stash, a note or a record of closeout is no place where a person looks for commits.
    repo.git(["update-ref", "refs/notes/x", &tip]);
    assert_eq!(plan(&repo, &[&gone, &tip]).unwrap().tip, commit_id(&tip));
}

#[test]
fn each_line_of_commits_gets_a_branch_of_its_own() {
    let (repo, tip) = detached();
    repo.git(["checkout", "-q", "main"]);
    repo.write("lost", "1\n").commit("lost");
    let lost = repo.git(["rev-parse", "HEAD"]);
    repo.git(["reset", "-q", "--hard", "HEAD^"]);
    let first = plan(&repo, &[&lost, &tip]).unwrap();
    assert_eq!((first.tip, first.n_commits, first.n_further), (commit_id(&lost), 1, 1));
    rescuer(&repo).create_branch(repo.path(), &first).unwrap();
    let second = plan(&repo, &[&lost, &tip]).unwrap();
    assert_eq!((second.tip, second.n_commits, second.n_further), (commit_id(&tip), 2, 0));
    rescuer(&repo).create_branch(repo.path(), &second).unwrap();
    assert!(matches!(plan(&repo, &[&lost, &tip]), Err(RescueError::Nothing)));
    for (branch, at) in [(&first.branch, &lost), (&second.branch, &tip)] {
        assert_eq!(repo.git(["rev-parse", branch.as_str()]), **at);
    }
}

#[test]
fn a_branch_of_that_name_made_meanwhile_is_left_alone() {
    let (repo, tip) = detached();
    let plan = plan(&repo, &[&tip]).unwrap();
    repo.git(["update-ref", plan.branch.as_str(), "main"]);
    let before = fingerprint(&repo);
    let refused = rescuer(&repo).create_branch(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn a_collection_of_garbage_in_between_takes_nothing() {
    let (repo, tip) = detached();
    repo.git(["checkout", "-q", "main"]);
    let plan = plan(&repo, &[&tip]).unwrap();
    let agent = repo.clone();
    let at_step = rescuer_at(&repo, RescueStep::CommitPinned, move || {
        agent.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
        drop(agent.git(["gc", "-q", "--prune=now"]));
    });
    at_step.create_branch(repo.path(), &plan).unwrap();
    assert_eq!(repo.git(["rev-list", "--count", plan.branch.as_str()]), "4");
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    // Collected before it was confirmed: nothing is made, and it is said.
    let (repo, tip) = detached();
    repo.git(["checkout", "-q", "main"]);
    let plan = self::plan(&repo, &[&tip]).unwrap();
    repo.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    repo.git(["gc", "-q", "--prune=now"]);
    let before = fingerprint(&repo);
    let refused = rescuer(&repo).create_branch(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
    assert_eq!(fingerprint(&repo), before);
}

/// What vanishes once the commit is pinned gets no branch, and no reference is left at it.
#[test]
fn nothing_is_left_at_a_commit_of_which_something_is_gone() {
    let (repo, tip) = detached();
    repo.git(["checkout", "-q", "main"]);
    repo.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    let plan = plan(&repo, &[&tip]).unwrap();
    let (before, beside) = (fingerprint(&repo), repo.clone());
    let kept = || beside.git(["for-each-ref", "--format=%(objectname)", "refs/closeout/kept"]);
    let (packs, newest) = (repo.git_dir().join("objects/pack"), tip.clone());
    let agent = repo.clone();
    let at_step = rescuer_at(&repo, RescueStep::CommitPinned, move || {
        assert_eq!(agent.git(["for-each-ref", "--format=%(objectname)", "refs/closeout/kept"]), newest);
        std::fs::remove_dir_all(&packs).unwrap();
        let object = agent.git_dir().join("objects").join(&newest[..2]).join(&newest[2..]);
        std::fs::remove_file(object).unwrap();
    });
    let refused = at_step.create_branch(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    assert_eq!(kept(), "");
    assert_eq!(fingerprint(&repo), before);
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

#[test]
fn many_commits_are_counted_and_the_newest_shown() {
    let (repo, _) = detached();
    for n in 0..60 {
        repo.git(["commit", "-q", "--allow-empty", "-m", &format!("step {n}")]);
    }
    let tip = repo.git(["rev-parse", "HEAD"]);
    let plan = plan(&repo, &[&tip]).unwrap();
    assert_eq!((plan.n_commits, plan.commits.len()), (62, 50));
    assert_eq!(plan.commits.last().unwrap().subject, "step 59");
}

/// A commit may be of any other program: its message in another encoding, indented, with a NUL and lines after it.
#[test]
fn odd_messages_are_one_commit_each() {
    let (repo, tip) = detached();
    let head = repo.git(["cat-file", "commit", "HEAD"]).split_once("\n\n").unwrap().0.to_owned();
    let head = head.replace(&repo.git(["rev-parse", "HEAD^"]), &tip);
    let text = [head.as_bytes(), b"\nencoding ISO-8859-1\n\n    gr\xfcn\0\nparent 0\n\nmore\n"].concat();
    repo.write("odd", &text);
    let odd = repo.git(["hash-object", "-t", "commit", "-w", "--literally", "odd"]);
    std::fs::remove_file(repo.path().join("odd")).unwrap();
    let commits = plan(&repo, &[&odd]).unwrap().commits;
    let subjects: Vec<(&str, usize)> =
        commits.iter().map(|commit| (commit.subject.as_str(), commit.n_paths)).collect();
    assert_eq!(subjects, [("second", 1), ("third", 2), ("    grün", 0)]);
}

/// The branch holds the commits, and what kept them beside it goes when a person asks for that.
#[test]
fn what_kept_the_commits_can_be_forgotten_once_a_branch_holds_them() {
    let (repo, tip) = detached();
    let rescuer = rescuer(&repo);
    let plan = plan(&repo, &[&tip]).unwrap();
    rescuer.create_branch(repo.path(), &plan).unwrap();
    let kept = || repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/kept"]);
    let name = kept();
    let listed = || rescuer.list(repo.path()).unwrap().kept;
    let [shown] = &listed()[..] else { panic!("{:?}", listed()) };
    assert_eq!(
        (&*shown.reference, shown.commit.to_string(), shown.is_held),
        (&*name, tip.clone(), Some(true))
    );
    assert_eq!((shown.branch.as_ref(), shown.worktree.as_deref()), (Some(&plan.branch), Some(repo.path())));
    let text = TestEnv::beside(&repo).run(repo.path(), &["rescues"]).out;
    assert!(text.contains(&format!("`closeout forget {name}` removes it")), "{text}");
    repo.git(["checkout", "-q", "main"]);
    repo.git(["update-ref", "-d", plan.branch.as_str()]);
    assert_eq!(listed()[0].is_held, Some(false));
    let refused = rescuer.delete(repo.path(), &name, false);
    assert!(matches!(refused, Err(RescueError::WouldLose { is_known: true })), "{refused:?}");
    repo.git(["update-ref", plan.branch.as_str(), &tip]);
    let forgotten = rescuer.delete(repo.path(), &name, false).unwrap();
    assert_eq!((forgotten.n_references, forgotten.is_undo_gone), (1, true));
    assert_eq!((kept(), listed()), (String::new(), Vec::new()));
    assert!(matches!(rescuer.undo(repo.path()), Err(RescueError::Nothing)));
    assert_eq!(repo.git(["rev-parse", plan.branch.as_str()]), tip);
    assert!(rescuer.delete(repo.path(), &name, true).is_err());
}

/// Makes the only reference of this kind a hundred years old, and its move in the journal. Returns the id.
pub(crate) fn age_kept(repo: &Repo, journal: &std::path::Path) -> String {
    let name = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/kept"]);
    let id = name.rsplit('/').next().unwrap();
    let old = id.replacen("20", "19", 1);
    let text = std::fs::read_to_string(journal).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty());
    let aged = lines.map(|text| super::keep::line(&text[41..].replace(id, &old)));
    std::fs::write(journal, aged.collect::<String>()).unwrap();
    repo.git(["update-ref", &name.replace(id, &old), &name]);
    repo.git(["update-ref", "-d", &name]);
    old
}

/// Old ones go along with the old records, unless nothing else holds the commits or the last undo needs them.
#[test]
fn what_kept_commits_for_long_goes_with_the_old_records() {
    let (repo, tip) = detached();
    let rescuer = rescuer(&repo);
    let first = plan(&repo, &[&tip]).unwrap();
    rescuer.create_branch(repo.path(), &first).unwrap();
    let kept = || repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/kept"]);
    let old = age_kept(&repo, &super::keep::journal(&repo));
    rescuer.forget_old(repo.path()).unwrap();
    assert!(kept().ends_with(&old), "the last undo needs it");
    repo.write("b", "3\n").commit("later");
    let later = plan(&repo, &[&repo.head()]).unwrap();
    rescuer.create_branch(repo.path(), &later).unwrap();
    let shown = rescuer.old_kept(repo.path()).unwrap();
    assert!(matches!(&shown[..], [one] if one.ends_with(&old)), "{shown:?}");
    let gone: Vec<_> = rescuer.forget_old(repo.path()).unwrap().into_iter().map(|it| it.reference).collect();
    assert_eq!(gone, shown);
    let left = kept();
    assert!(!left.contains(&old) && left.lines().count() == 1, "{left}");
}

/// Agents work in worktrees that are removed.
#[test]
fn what_kept_the_commits_of_a_worktree_that_is_gone_is_forgotten_from_another() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("first");
    let linked = repo.worktree("linked");
    linked.git(["checkout", "-q", "--detach"]);
    linked.write("b", "1\n").commit("loose");
    let plan = plan(&linked, &[&linked.head()]).unwrap();
    rescuer(&linked).create_branch(linked.path(), &plan).unwrap();
    let name = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/kept"]);
    let elsewhere = rescuer(&repo).delete(repo.path(), &name, false);
    assert!(matches!(elsewhere, Err(RescueError::Refused(_))), "{elsewhere:?}");
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    assert_eq!(rescuer(&repo).delete(repo.path(), &name, false).unwrap().n_references, 1);
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
}
