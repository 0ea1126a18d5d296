//! Unusual but real git directories: bare repositories with worktrees, links inside, missing objects, a work
//! tree elsewhere.

use std::fs;
use std::os::unix::fs::symlink;

use closeout::action::rescue::RescueError;
use closeout::model::LeftOut;

use super::fixture::*;
use crate::support::repo::Repo;

/// Commits and undoes it; everything is as it was before and as git left it after.
fn assert_there_and_back(repo: &Repo) {
    let before = fingerprint(repo);
    commit(repo);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    rescuer(repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(repo), before);
}

/// S26: the usual way to have several worktrees of one clone.
#[test]
fn a_worktree_of_a_bare_repository_is_rescued() {
    let origin = Repo::new();
    let bare = origin.beside("bare.git");
    bare.git(["clone", "-q", "--bare", "../repo", "."]);
    let linked = bare.worktree("linked");
    linked.write("new", "1\n");
    drop(rescuer(&linked));
    // With per-worktree configuration, git applies `core.bare` to all worktrees.
    bare.git(["config", "--unset", "extensions.worktreeConfig"]);
    assert_eq!(linked.git(["config", "core.bare"]), "true");
    assert_there_and_back(&linked);
    let refused = rescuer(&bare).record(bare.path());
    assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
}

/// S24: the files here are not what the index is about. They are saved, and so is what was saved before.
#[test]
fn where_the_work_tree_is_elsewhere_the_work_is_saved_and_not_committed() {
    let repo = Repo::new();
    repo.beside("elsewhere").write("README", "other\n");
    repo.write("before", "1\n");
    let before = record(&repo);
    repo.write("here", "1\n");
    let head = repo.head();
    for (name, place) in [("one", repo.root().join("elsewhere")), ("two", "/nonexistent".into())] {
        repo.git(["config", "core.worktree", &place.display().to_string()]);
        let plan = rescuer(&repo).plan(repo.path(), "m").unwrap();
        let refusal = plan.refusal.unwrap();
        assert!(refusal.contains(&place.display().to_string()), "{refusal}");
        assert!(refusal.contains("`git config --unset core.worktree`"), "{refusal}");
        assert!(plan.targets.is_empty() && plan.record.vault.is_some());
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        assert_eq!((listed.records.len(), listed.is_damaged()), (2, false), "{listed:?}");
        for (record, path) in [(&before, "before"), (&plan.record, "here")] {
            let into = repo.root().join(format!("{name}-{path}"));
            rescuer(&repo).restore(repo.path(), &record.reference, &into).unwrap();
            assert_eq!(fs::read(into.join(path)).unwrap(), b"1\n");
        }
        repo.git(["config", "--unset", "core.worktree"]);
    }
    assert_eq!(repo.head(), head);
    // This is how git itself writes it for a submodule.
    repo.git(["config", "core.worktree", ".."]);
    assert_there_and_back(&repo);
}

/// Rules may come through a link: they are only read.
#[test]
fn rules_behind_a_link_count() {
    let repo = Repo::new();
    repo.write("new", "1\n").write("junk.tmp", "1\n");
    drop(rescuer(&repo));
    let rules = repo.root().join("rules");
    fs::write(&rules, "*.tmp\n").unwrap();
    let _ = fs::remove_file(repo.git_dir().join("info/exclude"));
    fs::create_dir_all(repo.git_dir().join("info")).unwrap();
    symlink(&rules, repo.git_dir().join("info/exclude")).unwrap();
    let made = commit(&repo);
    assert_eq!(content(&repo, &made, b"junk.tmp"), None);
    rescuer(&repo).undo(repo.path()).unwrap();
}

/// S29: operation files that cannot be recorded are a gap; the work is saved all the same.
#[test]
fn what_git_notes_of_an_operation_does_not_keep_work_from_being_saved() {
    for n in 0..3 {
        let repo = rich();
        let note = repo.git_dir().join("MERGE_MSG");
        match n {
            0 => fs::write(&note, vec![b'x'; 17 << 20]).unwrap(),
            1 => symlink("HEAD", &note).unwrap(),
            _ => drop(repo.fifo(&note)),
        }
        let saved = record(&repo);
        assert_holds_the_work_tree(&repo, &saved);
        assert_eq!(saved.gaps.len(), 1, "{:?}", saved.gaps);
        assert_eq!(saved.gaps[0].path, b".git/MERGE_MSG");
    }
}

/// A clone without contents that nobody has needed yet: nothing is fetched, nothing is reported as missing.
#[test]
fn a_partial_clone_is_rescued_without_its_server() {
    let origin = Repo::new();
    origin.write("in/f", "1\n").write("out/f", "2\n").commit("more");
    origin.git(["config", "uploadpack.allowFilter", "true"]);
    let clone = origin.beside("clone");
    let url = format!("file://{}", origin.path().display());
    clone.git(["clone", "-q", "--filter=blob:none", "--sparse", &url, "."]);
    clone.git(["remote", "set-url", "origin", "file:///nowhere"]);
    clone.write("new", "1\n").write("README", "changed\n");
    let saved = record(&clone);
    assert_eq!(saved.gaps, []);
    assert_there_and_back(&clone);
    // Staged content that is missing is a gap.
    clone.write("staged", "only staged\n").stage("staged");
    let id = clone.git(["rev-parse", ":staged"]);
    fs::remove_file(clone.git_dir().join("objects").join(&id[..2]).join(&id[2..])).unwrap();
    clone.write("staged", "other\n");
    let saved = record(&clone);
    assert_eq!(saved.gaps.iter().map(|gap| &gap.path[..]).collect::<Vec<_>>(), [b"staged"]);
}

/// S22: git refuses a link named `.gitmodules`; everything else is committed.
#[test]
fn a_link_that_git_refuses_is_left_out_alone() {
    let repo = Repo::new();
    symlink("README", repo.at(".gitmodules")).unwrap();
    repo.write("fine", "1\n");
    let shown = plan(&repo);
    assert_eq!(
        shown.paths.iter().map(|path| (&path.path[..], path.left_out)).collect::<Vec<_>>(),
        [(&b".gitmodules"[..], Some(LeftOut::Name)), (b"fine", None)]
    );
    let made = rescuer(&repo).commit(repo.path(), &shown).unwrap().commits.remove(0);
    assert_eq!(repo.git(["diff", "--name-only", &format!("{made}~1"), &made.to_string()]), "fine");
    // A regular file of that name is fine.
    fs::remove_file(repo.at(".gitmodules")).unwrap();
    repo.write(".gitmodules", "");
    assert!(content(&repo, &commit(&repo), b".gitmodules").is_some());
}

/// S07, S14: what takes the place of a left-out path is left out with it.
#[test]
fn a_file_and_a_folder_of_one_name_are_never_in_one_commit() {
    for (old, new) in [("d/x", "d"), ("d", "d/x")] {
        let repo = Repo::new();
        repo.write(old, "1\n").commit("more");
        repo.git(["update-index", "--assume-unchanged", old]);
        fs::remove_dir_all(repo.at("d")).or_else(|_| fs::remove_file(repo.at("d"))).unwrap();
        repo.write(new, "2\n").write("fine", "1\n");
        let mut shown = plan(&repo);
        let left_out: Vec<_> = shown.paths.iter().filter(|path| path.left_out.is_some()).collect();
        assert!(left_out.len() == 2 && left_out.iter().all(|path| path.left_out == Some(LeftOut::Flagged)));
        let made = rescuer(&repo).commit(repo.path(), &shown).unwrap().commits.remove(0);
        assert_eq!(repo.git(["diff", "--name-only", &format!("{made}~1"), &made.to_string()]), "fine");
        rescuer(&repo).undo(repo.path()).unwrap();
        // A person includes one of them without the other.
        repo.git(["update-index", "--no-assume-unchanged", old]);
        shown = plan(&repo);
        let deleted = shown.paths.iter_mut().find(|path| path.path == old.as_bytes()).unwrap();
        deleted.left_out = Some(LeftOut::Flagged);
        let before = fingerprint(&repo);
        let refused = rescuer(&repo).commit(repo.path(), &shown);
        assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
        assert_eq!(fingerprint(&repo), before);
    }
}

/// S16, U02: at the next status, git clears the skip-worktree flag of a file that exists.
#[test]
fn undo_is_exact_in_a_sparse_checkout_after_a_look() {
    for option in ["--sparse-index", "--no-sparse-index"] {
        let repo = Repo::new();
        repo.write("in/f", "1\n").write("out/f", "1\n").write("out/deep/g", "1\n").commit("more");
        // The rescuer enables per-worktree settings, and so does a sparse checkout.
        drop(rescuer(&repo));
        repo.git(["sparse-checkout", "set", "--cone", option, "in"]);
        repo.write("in/f", "2\n").write("out/f", "back\n");
        let saved = record(&repo);
        assert_eq!(saved.gaps, []);
        let before = fingerprint(&repo);
        commit(&repo);
        let marks = || repo.git(["-c", "sparse.expectFilesOutsideOfPatterns=true", "ls-files", "-v"]);
        assert!(marks().contains("S out/f"), "{}", marks());
        repo.git(["update-index", "--force-write-index"]);
        assert!(marks().contains("H out/f"), "git took the mark away: {}", marks());
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before);
    }
}
