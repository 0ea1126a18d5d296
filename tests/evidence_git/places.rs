//! Where repositories are and what they look like: worktrees, subfolders, formats, watch targets.

use std::path::Path;

use closeout::evidence::git::{BaselineChoice, GitMemory, worktrees};
use closeout::model::{GitObservation, GitReader, Head, Names, Parts, ReadProblem, Reading};

use super::case::{facts, facts_by_program, first_seen, look, present, refusal};
use crate::support::repo::Repo;
use crate::support::samples::commit_id;

fn observed(repo: &Repo, path: &Path) -> GitObservation {
    present(look(repo, path, BaselineChoice::Find, None, &mut GitMemory::default()))
}

#[test]
fn a_folder_without_a_repository_has_none_configured() {
    let repo = Repo::new();
    let plain = repo.beside("plain");
    let read = look(&plain, plain.path(), BaselineChoice::Find, None, &mut GitMemory::default());
    assert_eq!(read, Reading::NotConfigured);
    assert_eq!(refusal(&plain, &plain.at("missing"), None).detail, "the folder does not exist");
    assert_eq!(worktrees(plain.path()).unwrap_err().problem, ReadProblem::NoRepository);
}

#[test]
fn a_subfolder_shows_the_changes_of_the_whole_work_tree() {
    let repo = Repo::new();
    repo.write("a/b/c", "x").commit("deep");
    repo.write("top", "x");
    let observation = observed(&repo, &repo.at("a/b"));
    assert_eq!(observation.top, repo.path());
    assert_eq!(observation.facts.changes.unwrap().files[0].path, "top");
}

#[test]
fn all_worktrees_are_found_from_each_of_them() {
    let repo = Repo::new();
    let (one, two) = (repo.worktree("one"), repo.worktree("two"));
    let gone = repo.worktree("gone");
    two.git(["checkout", "-q", "--detach"]);
    repo.write("deep/er", "x");
    std::fs::remove_dir_all(gone.path()).unwrap();
    let expected = worktrees(repo.path()).unwrap();
    let seen: Vec<_> =
        expected.found.iter().map(|tree| (tree.path.clone(), tree.is_main, tree.problem.is_some())).collect();
    assert_eq!(
        seen,
        [
            (repo.path().to_path_buf(), true, false),
            (gone.path().to_path_buf(), false, true),
            (one.path().to_path_buf(), false, false),
            (two.path().to_path_buf(), false, false),
        ]
    );
    for path in [one.path(), two.path(), &repo.at("deep")] {
        assert_eq!(worktrees(path).unwrap(), expected);
    }
}

#[test]
fn a_worktree_that_git_is_still_making_is_waited_for() {
    let repo = Repo::new();
    let made = repo.worktree("made");
    let folder = repo.at(".git/worktrees");
    std::fs::create_dir(folder.join("empty")).unwrap();
    std::fs::create_dir(folder.join("half")).unwrap();
    std::fs::copy(folder.join("made/gitdir"), folder.join("half/gitdir")).unwrap();
    let mut found = worktrees(repo.path()).unwrap();
    found.half_made.sort();
    assert_eq!(found.folder, folder);
    assert_eq!(found.half_made, [folder.join("empty"), folder.join("half")]);
    assert!(found.found.iter().any(|tree| tree.path == made.path() && tree.problem.is_none()));
}

#[test]
fn a_bare_repository_is_no_workspace_but_its_worktrees_are() {
    let repo = Repo::new();
    let bare = repo.beside("bare.git");
    bare.git(["clone", "-q", "--bare", &repo.path().display().to_string(), "."]);
    let linked = bare.worktree("linked");
    let refused = refusal(&bare, bare.path(), None);
    assert_eq!(refused.problem, ReadProblem::NoRepository);
    assert!(refused.detail.contains("bare repository"), "{}", refused.detail);
    let found = worktrees(bare.path()).unwrap();
    assert_eq!(found.found.iter().map(|tree| &*tree.path).collect::<Vec<_>>(), [linked.path()]);
    assert_eq!(worktrees(linked.path()).unwrap(), found);
    linked.commit_file("a");
    assert_eq!(facts(&linked, BaselineChoice::Find).commits.n_new, 1);
}

#[test]
fn a_repository_marked_bare_is_none_to_look_at() {
    let repo = Repo::new();
    repo.git(["config", "core.bare", "true"]);
    assert_eq!(refusal(&repo, repo.path(), None).problem, ReadProblem::NoRepository);
}

#[test]
fn linked_worktrees_and_packed_references_are_read() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    let baseline = first_seen(&linked);
    linked.commit_file("a");
    repo.git(["pack-refs", "--all"]);
    repo.git(["gc", "-q"]);
    let facts = facts(&linked, BaselineChoice::Remembered(&baseline));
    assert_eq!(facts.head, Head::Branch { name: "linked".into(), commit: commit_id(&linked.head()) });
    assert_eq!(facts.commits.n_new, 1);
}

// Git ends a name at the line, not at a space of Unicode.
#[test]
fn a_branch_keeps_the_unicode_space_that_its_name_ends_with() {
    let repo = Repo::new();
    let name = "work\u{2028}";
    repo.switch(name).commit_file("a");
    repo.git(["symbolic-ref", "refs/remotes/origin/HEAD", &format!("refs/heads/{name}")]);
    let facts = facts(&repo, BaselineChoice::Find);
    assert_eq!((facts.head.branch(), facts.head.commit().is_some()), (Some(name), true));
}

#[test]
fn formats_that_libgit2_lacks_are_read_by_the_program() {
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        let repo = Repo::with_format(&[option]);
        let unborn = facts_by_program(&repo, BaselineChoice::Find);
        assert_eq!(unborn.head, Head::Unborn { name: "main".into() }, "{option}");
        repo.write("README", "hello\n").commit("first");
        let baseline = first_seen(&repo);
        repo.commit_file("a");
        repo.commit_file("lost");
        repo.git(["reset", "-q", "--hard", "HEAD~1"]);
        repo.commit_nothing("nothing");
        repo.write("README", "stashed\n").git(["stash", "-q"]);
        repo.write("README", "changed\n").write("loose", "x");
        let facts = facts_by_program(&repo, BaselineChoice::Remembered(&baseline));
        let commits = &facts.commits;
        assert_eq!((commits.n_new, commits.n_empty, commits.n_lost), (1, 1, 1), "{option}");
        assert_eq!(facts.n_stashed, 1);
        let changes = facts.changes.as_ref().unwrap();
        assert_eq!((changes.n_unstaged, changes.n_untracked), (1, 1), "{option}");
        let linked = repo.worktree("linked");
        linked.commit_file("b");
        let facts = facts_by_program(&linked, BaselineChoice::Find);
        assert_eq!((facts.commits.n_new, facts.head.branch()), (1, Some("linked")), "{option}");
    }
}

#[test]
fn operations_are_seen_where_references_are_no_files() {
    let repo = Repo::with_format(&["--ref-format=reftable"]);
    repo.write("f", "base\n").commit("base");
    repo.switch("side").write("f", "side\n").commit("side");
    repo.switch("main").write("f", "main\n").commit("main");
    repo.try_git(&["cherry-pick", "side"], &[]);
    let facts = facts_by_program(&repo, BaselineChoice::Find);
    assert_eq!(facts.operation, Some(closeout::model::Operation::CherryPick));
}

#[test]
fn without_the_program_such_formats_are_refused_with_words() {
    let repo = Repo::with_format(&["--object-format=sha256"]);
    let home = repo.home();
    let budget = closeout::process::Budget::new(std::time::Duration::from_secs(5));
    let ask = closeout::evidence::git::GitAsk {
        changes: true,
        home: Some(&home),
        ..closeout::evidence::git::GitAsk::new(repo.now(), &budget)
    };
    let read = closeout::evidence::git::observe(repo.path(), &ask, &mut GitMemory::default());
    let Reading::Unreadable(unreadable) = read else { panic!("{read:?}") };
    assert_eq!(unreadable.problem, ReadProblem::Unsupported);
    assert!(unreadable.detail.contains("git program"));
}

#[test]
fn a_shallow_clone_says_so() {
    let origin = Repo::new();
    for name in ["a", "b", "c"] {
        origin.commit_file(name);
    }
    let repo = origin.beside("shallow");
    let url = format!("file://{}", origin.path().display());
    repo.git(["clone", "-q", "--depth=1", &url, "."]);
    let baseline = first_seen(&repo);
    repo.commit_file("d");
    let facts = facts(&repo, BaselineChoice::Remembered(&baseline));
    assert_eq!(facts.commits.n_new, 1);
    assert!(facts.notes[0].contains("shallow"));
}

#[test]
fn a_partial_clone_is_read_without_fetching() {
    let origin = Repo::new();
    origin.git(["config", "uploadpack.allowFilter", "true"]);
    origin.write("big", "x").commit("big");
    let repo = origin.beside("partial");
    let url = format!("file://{}", origin.path().display());
    repo.git(["clone", "-q", "--filter=blob:none", &url, "."]);
    let baseline = first_seen(&repo);
    repo.commit_file("d");
    repo.write("big", "changed");
    let facts = facts(&repo, BaselineChoice::Remembered(&baseline));
    assert_eq!((facts.commits.n_new, facts.changes.unwrap().n_unstaged), (1, 1));
}

#[test]
fn few_folders_are_watched_and_they_are_the_real_ones() {
    let origin = Repo::new();
    let repo = origin.clone_to("clone");
    let linked = repo.worktree("linked");
    let targets = observed(&linked, linked.path()).watch_targets;
    let own = linked.git_dir();
    let common = repo.git_dir();
    let sees = |folder: &Path, name: &str| -> Parts {
        targets
            .iter()
            .filter(|target| *target.folder == *folder && target.names.matches(name.as_ref()))
            .map(closeout::model::WatchTarget::parts)
            .fold(Parts::empty(), Parts::union)
    };
    assert_eq!(sees(&own, "HEAD.lock"), Parts::COMMITS | Parts::CHANGES);
    assert_eq!(sees(&own, "rebase-merge"), Parts::COMMITS | Parts::CHANGES);
    assert_eq!(sees(&own, "index"), Parts::CHANGES);
    assert_eq!(sees(&own, "index.lock"), Parts::empty());
    assert_eq!(sees(&common, "packed-refs"), Parts::COMMITS);
    assert_eq!(sees(&common.join("refs/heads"), "linked"), Parts::COMMITS);
    assert!(targets.iter().all(|target| target.names != Names::Any));
    let mut folders: Vec<_> = targets.iter().map(|target| &target.folder).collect();
    folders.dedup();
    assert!(folders.len() <= 4, "{folders:?}");
    let table = Repo::with_format(&["--ref-format=reftable"]);
    let targets = observed(&table, table.path()).watch_targets;
    assert!(targets.iter().any(|target| target.folder.ends_with("reftable")));
}

#[test]
fn without_changes_the_work_tree_is_not_looked_at() {
    let repo = Repo::new();
    repo.fifo(&repo.at(".gitignore"));
    let (program, home) = (crate::support::repo::git_program(), repo.home());
    let budget = closeout::process::Budget::new(std::time::Duration::from_secs(5));
    let ask = closeout::evidence::git::GitAsk {
        program: Some(&program),
        home: Some(&home),
        ..closeout::evidence::git::GitAsk::new(repo.now(), &budget)
    };
    let read = closeout::evidence::git::observe(repo.path(), &ask, &mut GitMemory::default());
    let facts = &read.present().unwrap().facts;
    assert_eq!((facts.reader, facts.changes.is_none()), (GitReader::InProcess, true));
}
