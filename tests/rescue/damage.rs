//! Repositories that are damaged or change while they are read: what can be saved is saved, and what is wrong
//! is named.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use closeout::action::rescue::{RescueError, RescueStep};
use closeout::model::{ActionClass, RescueRecord};

use super::fixture::*;
use crate::support::repo::Repo;

fn assert_gap(record: &RescueRecord, path: &[u8], words: &str) {
    let found = record.gaps.iter().any(|gap| gap.path == path && gap.reason.contains(words));
    assert!(found, "{:?}", record.gaps);
    assert_eq!(record.class(), ActionClass::SavedGaps);
}

/// Asserts that the plan says why there is no commit, and that trying it changes nothing.
fn assert_no_commit(repo: &Repo, words: &str) {
    let plan = rescuer(repo).plan(repo.path(), "m").unwrap();
    assert!(plan.refusal.as_ref().is_some_and(|it| it.contains(words)), "{:?}", plan.refusal);
    assert!(plan.targets.is_empty());
    assert!(rescuer(repo).commit(repo.path(), &plan).is_err());
}

// S37
#[test]
fn without_an_index_that_can_be_read_the_files_are_recorded_and_it_is_never_clean() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 3] = [
        ("missing", |index| fs::remove_file(index).unwrap()),
        ("cut", |index| fs::write(index, b"DIRC").unwrap()),
        ("garbage", |index| fs::write(index, [0x5a; 4096]).unwrap()),
    ];
    for (name, damage) in damages {
        for is_changed in [true, false] {
            let repo = Repo::new();
            repo.write("tracked.log", "1\n").write("sub/f", "1\n").commit("more");
            // Ignore rules must not hide files that were tracked.
            fs::write(repo.git_dir().join("info/exclude"), "*.log\n").unwrap();
            if is_changed {
                repo.write("tracked.log", "2\n").write("new", "3\n");
            }
            damage(&repo.git_dir().join("index"));
            let made = rescuer(&repo).record(repo.path()).unwrap();
            assert_holds_the_work_tree(&repo, &made);
            assert_gap(&made, b"", "the index");
            assert_no_commit(&repo, "the index");
            if name == "garbage" {
                assert_eq!(content(&repo, &made.record, b"index").unwrap(), [0x5a; 4096]);
            }
        }
    }
}

fn remove_object(repo: &Repo, name: &str) {
    let id = repo.git(["rev-parse", name]);
    fs::remove_file(repo.git_dir().join("objects").join(&id[..2]).join(&id[2..])).unwrap();
}

// S38
#[test]
fn without_the_tree_of_the_last_commit_a_record_is_made_and_no_commit() {
    for object in ["HEAD^{tree}", "HEAD"] {
        let repo = Repo::new();
        repo.write("a", "1\n").commit("more");
        // Something staged: recording an index equal to the last commit would restore the missing tree.
        repo.write("staged", "4\n").git(["add", "staged"]);
        repo.write("a", "2\n").write("new", "3\n");
        remove_object(&repo, object);
        let made = rescuer(&repo).record(repo.path()).unwrap();
        assert_holds_the_work_tree(&repo, &made);
        assert_no_commit(&repo, "damaged");
        let into = repo.root().join("into");
        rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap();
        assert_eq!(fs::read(into.join("new")).unwrap(), b"3\n");
        // Planning the commit reused the record.
        assert_eq!(rescuer(&repo).list(repo.path()).unwrap().records.len(), 1);
    }
}

// S40
#[test]
fn the_files_of_a_repository_inside_whose_git_directory_is_broken_are_recorded() {
    let repo = Repo::with_submodule();
    repo.write("sub/f", "2\n").write("nested/g", "3\n").write("nested/deep/h", "4\n");
    repo.write("sub/.git", "gitdir: nowhere\n").write("nested/.git", "gitdir: /nowhere/at/all\n");
    let made = rescuer(&repo).record(repo.path()).unwrap();
    for (path, expected) in [("sub/f", "2\n"), ("nested/g", "3\n"), ("nested/deep/h", "4\n")] {
        assert_eq!(content(&repo, &made.snapshot, path.as_bytes()).unwrap(), expected.as_bytes(), "{path}");
    }
    assert_gap(&made, b"sub", "broken");
    assert_gap(&made, b"nested", "broken");
}

/// A `.git` file can name any repository: nothing of one that is outside and knows nothing of the folder is read.
#[test]
fn nothing_of_a_repository_elsewhere_gets_into_a_record() {
    let repo = Repo::new();
    let other = repo.beside("other");
    other.git(["init", "-q", "-b", "the-secret-plan"]);
    other.write("f", "1\n").commit("theirs");
    let secrets = ["the-secret-plan", &other.head()].map(str::to_owned);
    let git_dir = other.git_dir();
    let common = format!("{}\n", git_dir.display());
    repo.write("file/v", "1\n").write("file/.git", format!("gitdir: {common}"));
    // A git directory in its place that shares everything but its HEAD.
    repo.write("folder/v", "2\n").write("folder/.git/HEAD", "ref: refs/heads/the-secret-plan\n");
    repo.write("folder/.git/commondir", &common);
    let made = rescuer(&repo).record(repo.path()).unwrap();
    let meta = content(&repo, &made.record, b"meta.json").unwrap();
    let text = String::from_utf8(meta).unwrap();
    assert!(secrets.iter().all(|secret| !text.contains(secret)), "{text}");
    for path in ["file/v", "folder/v"] {
        let bytes = content(&repo, &made.snapshot, path.as_bytes());
        assert_eq!(bytes, Some(fs::read(repo.at(path)).unwrap()), "{path}");
    }
    assert_gap(&made, b"file", "is elsewhere and does not list it");
    assert_gap(&made, b"folder", "is elsewhere and does not list it");
}

/// A linked worktree and a repository with its git directory in the work tree are their own.
#[test]
fn what_lists_its_folder_or_is_in_the_work_tree_is_read() {
    let repo = Repo::new();
    repo.git(["worktree", "add", "-q", "-b", "beside", "inner"]);
    repo.git(["init", "-q", "-b", "apart", "--separate-git-dir", "store", "nested"]);
    repo.write("inner/v", "1\n").write("nested/v", "2\n");
    let made = rescuer(&repo).record(repo.path()).unwrap();
    let meta = content(&repo, &made.record, b"meta.json").unwrap();
    let meta: serde_json::Value = serde_json::from_slice(&meta).unwrap();
    for branch in ["ref: refs/heads/beside\n", "ref: refs/heads/apart\n"] {
        let nested = meta["nested"].as_array().unwrap();
        assert!(nested.iter().any(|facts| facts["head"] == branch), "{branch}: {meta}");
    }
    assert!(made.gaps.iter().all(|gap| !gap.reason.contains("git directory")), "{:?}", made.gaps);
}

// S19: the HEAD of a submodule, whose git directory is elsewhere.
#[test]
fn the_commit_of_a_submodule_is_in_the_record() {
    let repo = Repo::with_submodule();
    repo.git(["-C", "sub", "commit", "-q", "--allow-empty", "-m", "own"]);
    let head = repo.git(["-C", "sub", "rev-parse", "HEAD"]);
    repo.write("sub/f", "2\n");
    let made = record(&repo);
    let meta = content(&repo, &made.record, b"meta.json").unwrap();
    let meta: serde_json::Value = serde_json::from_slice(&meta).unwrap();
    assert_eq!(meta["nested"][0]["commit"], head.as_str());
}

// S13
#[test]
fn an_encoding_that_does_not_decode_spoils_no_record() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.u working-tree-encoding=UTF-16LE\n").write("f.u", b"\xff");
    let made = record(&repo);
    assert_eq!(content(&repo, &made.snapshot, b"f.u").unwrap(), b"\xff");
    let plan = rescuer(&repo).plan(repo.path(), "m").unwrap();
    assert!(plan.refusal.is_some());
}

// S24
#[test]
fn a_bare_repository_or_none_is_refused_and_nothing_is_written() {
    let repo = Repo::new();
    repo.git(["config", "core.bare", "true"]);
    let plain = repo.beside("plain");
    plain.write("f", "1\n");
    for path in [repo.path().to_owned(), plain.path().to_owned(), repo.root().join("gone")] {
        let refused = rescuer(&repo).record(&path).unwrap_err();
        assert_eq!(refused.class(), ActionClass::Refused, "{path:?}: {refused:?}");
    }
    repo.git(["config", "core.bare", "false"]);
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
}

// S39
#[test]
fn the_home_folder_and_the_root_are_refused_before_anything_is_listed() {
    let repo = Repo::new();
    let home = repo.beside("home");
    home.git(["init", "-q"]);
    // Listing would hang: reading the ignore rules of this folder never returns.
    home.fifo(&home.at(".gitignore"));
    for path in [repo.home(), "/".into()] {
        let refused = rescuer(&repo).record(&path);
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
    }
    assert!(!repo.root().join("state").exists());
}

// S34
#[test]
fn the_repository_of_another_user_is_refused_and_no_exception_is_made() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give a repository to another user");
        return;
    }
    for path in ["", ".git"] {
        let repo = Repo::new();
        repo.write("a", "1\n");
        let rescuer = rescuer(&repo);
        let settings =
            || (fs::read(repo.home().join(".gitconfig")).unwrap(), fs::read(repo.at(".git/config")));
        let before = settings().0;
        std::os::unix::fs::chown(repo.at(path), Some(12_345), None).unwrap();
        let refused = rescuer.record(repo.path()).unwrap_err();
        assert!(
            matches!(&refused, RescueError::Refused(words) if words.contains("another user")),
            "{refused:?}"
        );
        assert_eq!(settings().0, before);
        std::os::unix::fs::chown(repo.at(path), Some(0), None).unwrap();
    }
}

// C02
#[test]
fn a_file_that_becomes_a_link_after_it_was_listed_brings_nothing_from_outside() {
    let repo = Repo::new();
    let outside = repo.beside("outside");
    outside.write("secret", "from outside\n").write("f", "from outside too\n");
    repo.write("file", "1\n").write("dir/f", "1\n");
    let swapped = repo.clone();
    let rescuer = rescuer_at(&repo, RescueStep::Listed, move || {
        fs::remove_file(swapped.at("file")).unwrap();
        symlink("../outside/secret", swapped.at("file")).unwrap();
        fs::remove_dir_all(swapped.at("dir")).unwrap();
        symlink("../outside", swapped.at("dir")).unwrap();
    });
    let made = rescuer.record(repo.path()).unwrap();
    assert_eq!(content(&repo, &made.snapshot, b"file").unwrap(), b"../outside/secret");
    assert_eq!(content(&repo, &made.snapshot, b"dir").unwrap(), b"../outside");
    for text in ["from outside\n", "from outside too\n"] {
        outside.write("probe", text);
        let id = outside.beside("repo").git(["hash-object", "--no-filters", "../outside/probe"]);
        assert!(!repo.try_git(&["cat-file", "-e", &id], &[]).status.success());
    }
}

// C09
#[test]
fn a_folder_that_is_removed_while_it_is_read_is_not_in_the_record() {
    let repo = Repo::new();
    for n in 0..100 {
        repo.write(&format!("gone/{n}"), n.to_string());
    }
    repo.write("stays", "1\n");
    let removed = repo.clone();
    let rescuer =
        rescuer_at(&repo, RescueStep::Listed, move || fs::remove_dir_all(removed.at("gone")).unwrap());
    let made = rescuer.record(repo.path()).unwrap();
    assert!(made.is_settled);
    assert_holds_the_work_tree(&repo, &made);
}

/// S38: with nothing staged, the record contains the very tree that is missing. The damage is reported all the
/// same.
#[test]
fn a_missing_tree_that_the_record_gives_back_is_said() {
    let repo = Repo::new();
    repo.write("new", "1\n");
    drop(rescuer(&repo));
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    fs::remove_file(repo.git_dir().join("objects").join(&tree[..2]).join(&tree[2..])).unwrap();
    let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
    assert!(shown.refusal.as_ref().is_some_and(|words| words.contains("damaged")), "{:?}", shown.refusal);
    assert!(matches!(rescuer(&repo).commit(repo.path(), &shown), Err(RescueError::SavedOnly(_))));
    // From then on everything is found again.
    commit(&repo);
}

/// G07: a plan that fails for lack of a readable file still says that the record was made.
#[test]
fn a_plan_that_fails_says_that_the_record_is_there() {
    let repo = rich();
    repo.fifo(&repo.at(".gitattributes"));
    let failed = rescuer(&repo).plan(repo.path(), "m").unwrap_err();
    let (words, reference) =
        (failed.to_string(), repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/rescue"]));
    assert_eq!((failed.class(), failed.kept()), (ActionClass::SavedOnly, Some(&*reference)));
    assert!(words.contains(".gitattributes") && words.contains("a FIFO stands where"), "{words}");
}

/// Then nothing tells what is tracked, and git lists nothing that ignore rules match.
#[test]
fn it_is_said_that_ignored_files_are_left_out_where_neither_the_index_nor_the_last_commit_can_be_read() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n").write("a.log", "1\n").git(["add", "-f", "a.log", ".gitignore"]);
    repo.git(["commit", "-q", "-m", "tracked"]);
    repo.write("a.log", "2\n").write("f", "1\n");
    fs::remove_file(repo.git_dir().join("index")).unwrap();
    let made = rescuer(&repo).record(repo.path()).unwrap();
    assert_eq!(content(&repo, &made.snapshot, b"a.log").unwrap(), b"2\n");
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    fs::remove_file(repo.git_dir().join("objects").join(&tree[..2]).join(&tree[2..])).unwrap();
    let made = rescuer(&repo).record(repo.path()).unwrap();
    assert!(content(&repo, &made.snapshot, b"f").is_some());
    let gaps: Vec<&str> = made.gaps.iter().map(|gap| gap.reason.as_str()).collect();
    assert!(gaps.iter().any(|gap| gap.ends_with("files that ignore rules match are left out")), "{gaps:?}");
}
