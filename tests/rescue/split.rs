//! Several commits from one rescue: what each contains, and that together they are one action.

use std::fs;

use closeout::action::rescue::RescueError;
use closeout::model::{PlanNote, RescuePlan, SplitKind};

use super::fixture::*;
use crate::support::repo::Repo;

/// The plan with this split selected.
fn split(plan: RescuePlan, kind: SplitKind) -> RescuePlan {
    RescuePlan { split: Some(kind), ..plan }
}

fn kinds(plan: &RescuePlan) -> Vec<SplitKind> {
    plan.splits.iter().map(|split| split.kind).collect()
}

/// The paths in each commit of a split.
fn shown(plan: &RescuePlan, kind: SplitKind) -> Vec<Vec<String>> {
    let split = plan.splits.iter().find(|split| split.kind == kind).unwrap();
    let name = |path: &Vec<u8>| String::from_utf8(path.clone()).unwrap();
    split.commits.iter().map(|commit| commit.paths.iter().map(|it| name(&it.path)).collect()).collect()
}

#[test]
fn what_is_staged_comes_first_as_it_is_staged() {
    let repo = rich();
    let mut plan = split(plan(&repo), SplitKind::Staged);
    assert_eq!(
        shown(&plan, SplitKind::Staged),
        [vec!["c", "c2", "split"], vec!["a", "e", "intended", "link", "new/deep/x", "split"]]
    );
    // A single commit would lose the staged version of `split`; here the first commit has it.
    assert!(plan.notes.contains(&PlanNote::StagedVersions(1)), "{:?}", plan.notes);
    assert_eq!((plan.splits[0].kind, plan.splits[0].n_staged_versions), (SplitKind::Staged, 0));
    plan.splits[0].commits[0].message = "feat: staged\n".to_owned();
    plan.splits[0].commits[1].message = "chore: the rest\n".to_owned();
    let one = {
        let made = commit(&repo);
        rescuer(&repo).undo(repo.path()).unwrap();
        listed(&repo, &made)
    };
    let before = fingerprint(&repo);
    let rescued = rescuer(&repo).commit(repo.path(), &plan).unwrap();
    let [first, second] = &rescued.commits[..] else { panic!("{rescued:?}") };
    assert_eq!(repo.git(["log", "-2", "--format=%s"]), "chore: the rest\nfeat: staged");
    assert_eq!(content(&repo, first, b"split").unwrap(), b"first\n1\n2\n3\n");
    assert!(content(&repo, first, b"a").is_some() && content(&repo, first, b"e").is_none());
    assert_eq!(listed(&repo, second), one);
    let after = fingerprint(&repo);
    assert_eq!(after.work_tree, before.work_tree);
    let undo = rescuer(&repo).undo_plan(repo.path()).unwrap();
    let subjects: Vec<&str> = undo.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(subjects, ["feat: staged", "chore: the rest"]);
    assert_eq!(undo.commits.iter().map(|commit| commit.n_paths).collect::<Vec<_>>(), [3, 6]);
    assert_eq!(undo.paths.len(), 8);
    rescuer(&repo).turn_back(repo.path(), &undo).unwrap();
    assert_eq!(fingerprint(&repo), before);
    rescuer(&repo).redo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), after);
    assert!(matches!(rescuer(&repo).turn_back(repo.path(), &undo), Err(RescueError::Refused(_))));
    assert_eq!(fingerprint(&repo), after);
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

#[test]
fn each_folder_at_the_top_gets_a_commit() {
    let repo = Repo::new();
    repo.write("api/a.rs", "1\n")
        .write("api/b.rs", "1\n")
        .write("web/x", "1\n")
        .write("top", "1\n")
        .commit("m");
    repo.write("api/a.rs", "2\n").write("web/x", "2\n").write("top", "2\n").write("docs/new.md", "n\n");
    fs::remove_file(repo.at("api/b.rs")).unwrap();
    let plan = split(plan(&repo), SplitKind::Folders);
    assert_eq!(kinds(&plan), [SplitKind::Folders]);
    assert_eq!(
        shown(&plan, SplitKind::Folders),
        [vec!["top"], vec!["api/a.rs", "api/b.rs"], vec!["docs/new.md"], vec!["web/x"]]
    );
    let before = fingerprint(&repo);
    let rescued = rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert_eq!((rescued.commits.len(), rescued.n_paths), (4, 5));
    let subjects = "chore: change x\ndocs: add new.md\nchore: save work on 2 files in api\nchore: change top";
    assert_eq!(repo.git(["log", "-4", "--format=%s"]), subjects);
    assert_eq!(
        repo.git(["log", "-4", "--format=%(trailers:key=Rescued-by,valueonly,separator=)"]),
        "closeout\n".repeat(4).trim()
    );
    for (id, names) in rescued.commits.iter().zip(shown(&plan, SplitKind::Folders)) {
        assert_eq!(repo.git(["diff", "--name-only", &format!("{id}^"), &id.to_string()]), names.join("\n"));
    }
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// A left-out path is in none of the commits, and an empty commit is not made.
#[test]
fn a_split_follows_what_is_ticked() {
    let repo = Repo::new();
    repo.write(".env", "KEY=1\n").write("a/x", "1\n").write("b/x", "1\n").write("b/id_rsa", "key\n");
    let mut plan = split(plan(&repo), SplitKind::Folders);
    assert_eq!(shown(&plan, SplitKind::Folders), [vec![".env"], vec!["a/x"], vec!["b/id_rsa", "b/x"]]);
    let rescued = rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert_eq!(rescued.commits.len(), 2);
    let names: Vec<_> = listed(&repo, rescued.commits.last().unwrap()).into_keys().collect();
    assert_eq!(names, [&b"README"[..], b"a/x", b"b/x"]);
    rescuer(&repo).undo(repo.path()).unwrap();
    plan.paths.iter_mut().find(|path| path.path == b".env").unwrap().left_out = None;
    let rescued = rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert_eq!(rescued.commits.len(), 3);
    assert_eq!(
        repo.git([
            "diff",
            "--name-only",
            &format!("{0}^", rescued.commits[0]),
            &rescued.commits[0].to_string()
        ]),
        ".env"
    );
}

#[test]
fn a_split_that_is_not_as_shown_is_refused() {
    let repo = rich();
    let plan = split(plan(&repo), SplitKind::Staged);
    let before = fingerprint(&repo);
    let mut other = plan.clone();
    other.splits[0].commits[0].paths.pop();
    let mut forged = plan.clone();
    forged.splits[0].commits[0].paths[2].object = plan.paths[0].object.clone();
    let mut empty = plan.clone();
    empty.splits[0].commits[1].message = "\n".to_owned();
    let missing = RescuePlan { splits: Vec::new(), ..plan };
    for plan in [other, forged, missing] {
        assert!(matches!(rescuer(&repo).commit(repo.path(), &plan), Err(RescueError::SavedOnly(_))));
    }
    assert!(matches!(rescuer(&repo).commit(repo.path(), &empty), Err(RescueError::Refused(_))));
    assert_eq!(fingerprint(&repo), before);
}
