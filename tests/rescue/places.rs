//! Other kinds and places of repositories, hostile surroundings, and restoring records.

use std::fs;
use std::path::Path;

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};
use closeout::model::{KeepIn, RecordOrder, SkipReason};

use super::fixture::*;
use crate::support::repo::{Repo, git_program};

/// Commits and undoes it; everything is as before.
fn assert_there_and_back(repo: &Repo) {
    drop(rescuer(repo));
    let before = fingerprint(repo);
    commit(repo);
    rescuer(repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(repo), before);
}

// S16
#[test]
fn in_a_sparse_checkout_what_is_not_there_is_no_deletion() {
    let repo = Repo::new();
    repo.write("dir/a", "1\n").write("other/b", "1\n").commit("more");
    repo.git(["sparse-checkout", "set", "dir"]);
    repo.write("dir/a", "2\n").write("outside/c", "3\n");
    let plan = plan(&repo);
    let before = fingerprint(&repo);
    let made = rescuer(&repo).commit(repo.path(), &plan).unwrap().commits.remove(0);
    assert_eq!(content(&repo, &made, b"other/b").unwrap(), b"1\n");
    assert_eq!(content(&repo, &made, b"dir/a").unwrap(), b"2\n");
    assert_eq!(content(&repo, &made, b"outside/c").unwrap(), b"3\n");
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// S19
#[test]
fn the_files_of_a_submodule_are_recorded_and_its_pointer_is_not_moved() {
    let repo = Repo::with_submodule();
    repo.write("sub/f", "2\n");
    repo.git(["-C", "sub", "commit", "-q", "-am", "own"]);
    repo.write("sub/f", "3\n").write("own", "1\n");
    let pointer = repo.git(["rev-parse", "HEAD:sub"]);
    let plan = plan(&repo);
    assert_eq!(content(&repo, &plan.record.snapshot, b"sub/f").unwrap(), b"3\n");
    let made = rescuer(&repo).commit(repo.path(), &plan).unwrap().commits.remove(0);
    assert_eq!(repo.git(["rev-parse", &format!("{made}:sub")]), pointer);
}

// S25
#[test]
fn a_shallow_clone_is_rescued_like_any_other() {
    let origin = Repo::new();
    origin.write("f", "1\n").commit("more");
    let repo = origin.beside("shallow");
    repo.git(["clone", "-q", "--depth", "1", &format!("file://{}", origin.path().display()), "."]);
    repo.write("f", "2\n");
    assert_there_and_back(&repo);
}

// S26
#[test]
fn a_record_outlives_its_worktree() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    linked.write("work", "work\n");
    let record = record(&linked);
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    repo.git(["gc", "-q", "--prune=now"]);
    assert_eq!(content(&repo, &record.snapshot, b"work").unwrap(), b"work\n");
}

#[test]
fn a_linked_worktree_is_committed_and_taken_back() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    linked.write("work", "work\n");
    assert_there_and_back(&linked);
}

// S27
#[test]
fn other_formats_are_rescued_or_refused_with_a_reason() {
    let repo = Repo::with_format(&["--ref-format=reftable"]);
    repo.write("a", "1\n").commit("first");
    repo.write("a", "2\n");
    assert_there_and_back(&repo);

    let repo = rich();
    repo.git(["update-index", "--index-version", "4"]);
    repo.git(["update-index", "--untracked-cache"]);
    assert_there_and_back(&repo);

    let repo = Repo::with_format(&["--object-format=sha256"]);
    repo.write("a", "1\n").commit("first");
    repo.write("a", "2\n").write("b", "3\n");
    assert_there_and_back(&repo);
    repo.git(["fsck", "--strict", "--no-dangling"]);
}

// S27
#[test]
fn a_split_index_is_committed_and_taken_back_even_when_its_second_file_is_gone() {
    let repo = rich();
    repo.git(["update-index", "--split-index"]);
    repo.write("late", "late\n").git(["add", "late"]);
    let shared = || -> Vec<_> {
        let names = fs::read_dir(repo.git_dir()).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.to_string_lossy().contains("sharedindex.")).collect()
    };
    assert_eq!(shared().len(), 1);
    let made = record(&repo);
    assert!(listed(&repo, &made.record).keys().any(|path| path.starts_with(b"sharedindex.")));
    let before = (fingerprint(&repo), status(&repo));
    commit(&repo);
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    fs::remove_file(&shared()[0]).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!((fingerprint(&repo), status(&repo)), before);
}

// S27
#[test]
fn a_sparse_index_is_committed_and_taken_back() {
    let repo = Repo::new();
    repo.write("dir/a", "1\n").write("other/b", "1\n").write("other/deep/c", "1\n").commit("more");
    repo.git(["sparse-checkout", "set", "--cone", "--sparse-index", "dir"]);
    assert!(
        repo.git(["ls-files", "--sparse"]).contains("other/\n")
            || repo.git(["ls-files", "--sparse"]).ends_with("other/")
    );
    repo.write("dir/a", "2\n").write("dir/new", "3\n");
    drop(rescuer(&repo));
    let before = (fingerprint(&repo), status(&repo));
    let made = commit(&repo);
    assert_eq!(content(&repo, &made, b"other/deep/c").unwrap(), b"1\n");
    assert_eq!(content(&repo, &made, b"dir/a").unwrap(), b"2\n");
    assert_eq!(status(&repo).lines().filter(|line| !line.starts_with('#')).count(), 0);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!((fingerprint(&repo), status(&repo)), before);
}

// C02
#[test]
fn nothing_from_outside_is_read_through_a_link_that_was_put_in_a_parent() {
    let repo = Repo::new();
    let outside = repo.beside("outside");
    outside.write("f", "from outside\n");
    repo.write("dir/f", "1\n").commit("more");
    fs::remove_dir_all(repo.at("dir")).unwrap();
    std::os::unix::fs::symlink(outside.path(), repo.at("dir")).unwrap();
    let record = record(&repo);
    assert_eq!(listed(&repo, &record.snapshot)[&b"dir"[..]].0, "120000");
    assert_eq!(content(&repo, &record.snapshot, b"dir/f"), None);
}

// C10
#[test]
fn garbage_that_is_collected_meanwhile_gives_no_record_of_missing_contents() {
    for step in [RescueStep::Imported, RescueStep::PackMoved, RescueStep::Verified, RescueStep::ReferenceMade]
    {
        let repo = rich();
        let agent = repo.clone();
        let rescuer = rescuer_at(&repo, step, move || drop(agent.git(["gc", "-q", "--prune=now"])));
        match rescuer.record(repo.path()) {
            Ok(record) if record.vault.is_some() => {}
            Ok(record) => assert_holds_the_work_tree(&repo, &record),
            Err(error) => {
                assert!(matches!(error, RescueError::Damage(_) | RescueError::Git { .. }), "{error:?}");
            }
        }
        repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    }
}

// X05: a damaged journal loses nothing and stops nothing.
#[test]
fn a_line_that_a_crash_has_cut_does_not_hide_the_others() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    let folder = fs::read_dir(repo.root().join("state/rescue")).unwrap().next().unwrap().unwrap().path();
    let journal = folder.join("journal");
    let mut text = fs::read(&journal).unwrap();
    text.extend_from_slice(b"0123456789 {\"action\":\"mov");
    fs::write(&journal, text).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

type Spoiling = fn(&Path);

#[test]
fn a_record_is_restored_byte_for_byte_into_a_new_folder_only() {
    let repo = rich();
    make_executable(&repo.at("d"));
    repo.write("git~1", "refused\n");
    let record = record(&repo);
    let into = repo.root().join("restored");
    let n_files = rescuer(&repo).restore(repo.path(), &record.reference, &into).unwrap();
    assert_eq!(n_files, record.n_files);
    for name in ["README", "split", "new/deep/x", "e", "d"] {
        assert_eq!(fs::read(into.join(name)).unwrap(), fs::read(repo.at(name)).unwrap(), "{name}");
    }
    assert_eq!(fs::read_link(into.join("link")).unwrap(), fs::read_link(repo.at("link")).unwrap());
    assert_eq!(fs::read(into.join("names-that-git-refuses/0")).unwrap(), b"refused\n");
    // What is there as in the record stays, and nothing else may be.
    let restore = || rescuer(&repo).restore(repo.path(), &record.reference, &into);
    assert_eq!(restore().unwrap(), n_files);
    let spoil: [(&str, Spoiling); 6] = [
        ("more", |into| fs::write(into.join("more"), "1").unwrap()),
        ("new/more", |into| fs::create_dir(into.join("new/more")).unwrap()),
        ("split", |into| fs::write(into.join("split"), "edited\n").unwrap()),
        ("e", |into| make_executable(&into.join("e"))),
        ("link", |into| fs::write(into.join("link"), "1").unwrap()),
        ("README", |into| fs::create_dir(into.join("README")).unwrap()),
    ];
    for (name, spoil) in spoil {
        let place = into.join(name);
        let _ = fs::remove_file(&place);
        if ["e", "split"].contains(&name) {
            restore().unwrap();
        }
        spoil(&into);
        let refused = restore();
        assert!(
            matches!(&refused, Err(RescueError::Refused(it)) if it.contains(name)),
            "{name}: {refused:?}"
        );
        fs::remove_file(&place).or_else(|_| fs::remove_dir(&place)).unwrap();
        assert_eq!(restore().unwrap(), n_files, "{name}");
    }
    // A content of another length is not read: this one would take hours.
    fs::File::create(into.join("split")).unwrap().set_len(1 << 40).unwrap();
    let refused = restore().unwrap_err().to_string();
    assert!(refused.contains("split is not as in the record"), "{refused}");
    let beside = rescuer(&repo).restore(repo.path(), &record.reference, &into.join("split")).unwrap_err();
    let only = "a record is restored only into a folder that is new, empty or holds a part of it; ";
    assert!(refused.starts_with(only) && beside.to_string().starts_with(only), "{refused} {beside}");
}

/// It says what was written, takes the file away that it could not write to its end, and the same restore again completes it.
#[test]
fn a_restore_that_ends_in_the_middle_is_completed_by_the_next() {
    let repo = rich();
    repo.write("large", "0123456789abcdef".repeat(33 << 16)).write("z", "last\n");
    let record = record(&repo);
    let into = repo.root().join("into");
    // What is large is written on its own; this git breaks off in the middle.
    let git = git_program();
    let breaking = format!(
        "case \"$*\" in *'cat-file blob'*) printf half; exit 1 ;; esac\nexec '{}' \"$@\"",
        git.display()
    );
    let breaking = repo.script("odd-git", &breaking);
    let restore = |git: &Path| {
        let rescuer = Rescuer { git: git.to_owned(), ..rescuer(&repo) };
        rescuer.restore_paths(repo.path(), &record.reference, &[], &into)
    };
    let failed = restore(&breaking).unwrap_err();
    assert_eq!(failed.class(), closeout::model::ActionClass::Failed, "{failed}");
    let n_there = files_below(&into).len();
    assert!(n_there > 0 && n_there < record.n_files, "{failed}");
    let words = format!("{n_there} of {} files are in {}", record.n_files, into.display());
    assert!(failed.to_string().contains(&words), "{failed}");
    assert!(!into.join("large").exists());
    let restored = restore(&git).unwrap();
    assert_eq!((restored.n_skipped(SkipReason::AlreadyThere), restored.n_files()), (n_there, record.n_files));
    for name in ["large", "z", "new/deep/x"] {
        assert!(fs::read(into.join(name)).unwrap() == fs::read(repo.at(name)).unwrap(), "{name}");
    }
}

// Every record can be restored, even if the work tree uses the name of the folder for refused names.
#[test]
fn a_work_tree_with_the_name_of_the_folder_for_refused_names_is_restored() {
    const NAME: &str = "names-that-git-refuses";
    for (case, taken) in [("folder", 2), ("file", 1), ("link", 1)] {
        let repo = Repo::new();
        repo.write("git~1", "refused\n");
        match case {
            "folder" => drop(repo.write(&format!("{NAME}/0"), "own\n").write(&format!("{NAME}-1"), "too\n")),
            "file" => drop(repo.write(NAME, "own\n")),
            _ => std::os::unix::fs::symlink("/etc", repo.at(NAME)).unwrap(),
        }
        let record = record(&repo);
        let into = repo.root().join("restored");
        let n_files = rescuer(&repo).restore(repo.path(), &record.reference, &into).unwrap();
        assert_eq!(n_files, record.n_files, "{case}");
        let refused = into.join(format!("{NAME}-{taken}/0"));
        assert_eq!(fs::read(refused).unwrap(), b"refused\n", "{case}");
        let own = |folder: &Path| match case {
            "folder" => fs::read(folder.join(NAME).join("0")).unwrap(),
            "file" => fs::read(folder.join(NAME)).unwrap(),
            _ => fs::read_link(folder.join(NAME)).unwrap().into_os_string().into_encoded_bytes(),
        };
        assert_eq!(own(&into), own(repo.path()), "{case}");
    }
}

// What a person did not select, or cannot select, is not committed.
#[test]
fn a_plan_that_asks_for_what_cannot_be_in_is_refused() {
    let repo = Repo::new();
    repo.write("nested/f", "1\n").write(".env", "KEY=1\n").write("a", "1\n");
    repo.git(["init", "-q", "nested"]);
    let shown = plan(&repo);
    let mut all = shown.clone();
    all.paths.iter_mut().for_each(|path| path.left_out = None);
    let refused = rescuer(&repo).commit(repo.path(), &all);
    assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    let mut ticked = shown;
    ticked.paths.iter_mut().filter(|path| path.path == b".env").for_each(|path| path.left_out = None);
    let made = rescuer(&repo).commit(repo.path(), &ticked).unwrap().commits.remove(0);
    assert_eq!(content(&repo, &made, b".env").unwrap(), b"KEY=1\n");
}

/// Files in git's own folder would be mistaken for references and objects.
#[test]
fn nothing_is_restored_into_the_folder_of_git_or_of_closeout() {
    let repo = rich();
    let saved = record(&repo);
    let before = fingerprint(&repo);
    let own = fs::read_dir(repo.root().join("state/rescue")).unwrap().next().unwrap().unwrap().path();
    let other = repo.beside("other");
    other.git(["init", "-q"]);
    let bare = repo.beside("bare.git");
    bare.git(["init", "-q", "--bare"]);
    let order = RecordOrder { keep_in: KeepIn::Vault, ..RecordOrder::default() };
    repo.write("more", "1\n");
    let vault = rescuer(&repo).record_ordered(repo.path(), order).unwrap().vault.unwrap();
    for into in [
        repo.git_dir().join("refs/heads/x"),
        repo.at("new/../.git/x"),
        own.join("x"),
        repo.root().join("state/rescue/0000000000000000"),
        repo.root().join("state/x"),
        other.at(".git/refs/heads/x"),
        other.at(".git/objects/aa"),
        bare.at("refs/heads/x"),
        bare.at("x"),
    ] {
        let refused = rescuer(&repo).restore(repo.path(), &saved.reference, &into);
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{into:?}: {refused:?}");
        let refused = rescuer(&repo).restore_vault(&vault, &[], &into);
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{into:?}: {refused:?}");
        assert!(!into.exists());
    }
    repo.remove("more");
    assert_eq!(fingerprint(&repo), before);
}

/// In a reftable, a cherry-pick with a resolved conflict leaves a reference but no file.
#[test]
fn a_cherry_pick_in_a_table_of_references_keeps_the_commit_from_being_made() {
    let repo = Repo::with_format(&["--ref-format=reftable"]);
    repo.write("f", "1\n").commit("first");
    repo.switch("side").write("f", "2\n").commit("theirs");
    repo.switch("main").write("f", "3\n").commit("ours");
    assert!(!repo.try_git(&["cherry-pick", "side"], &[]).status.success(), "it conflicts");
    repo.write("f", "both\n").stage("f");
    assert!(!repo.git_dir().join("CHERRY_PICK_HEAD").exists());
    let head = repo.head();
    let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
    let reason = shown.refusal.clone().unwrap();
    assert!(reason.contains("cherry-pick"), "{reason}");
    let refused = rescuer(&repo).commit(repo.path(), &shown);
    assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    assert_eq!(repo.head(), head);
}
