//! FIFOs in the place of files that git opens, in the work tree and in the git directory: it would wait for ever. The work
//! is saved all the same, and what is in the way is named.

use std::fs;
use std::path::Path;

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};
use closeout::model::{Gap, RecordNotice, RescueRecord};

use super::fixture::*;
use crate::support::plain;
use crate::support::repo::Repo;

/// Work of all sorts, in a folder with more of it, and files that ignore rules name.
fn with_work() -> Repo {
    let repo = rich();
    repo.switch("work");
    repo.write(".gitignore", "*.log\n/passed over\n").write("a.log", "ignored\n");
    repo.write("dir/f", "1\n").write("dir/deep/f", "1\n").write("passed over/deep/f", "1\n");
    repo
}

/// Asserts that a record is in the vault alone, says that this path is the reason, and holds every file.
fn assert_in_the_vault(repo: &Repo, record: &RescueRecord, path: &str) {
    let reason = record.notices.iter().find_map(|notice| {
        if let RecordNotice::VaultOnly { reason } = notice { Some(reason.clone()) } else { None }
    });
    let reason = reason.unwrap_or_else(|| panic!("{path}: {record:?}"));
    assert!(reason.contains(&repo.at(path).display().to_string()), "{path}: {reason}");
    assert!(reason.contains("it holds all files, ignored ones included"), "{path}: {reason}");
    let is_known =
        |gap: &Gap| gap.path.is_empty() || gap.reason.ends_with("its files are kept as plain files");
    assert!(record.vault.is_some() && record.gaps.iter().all(is_known), "{path}: {record:?}");
    let into = repo.root().join(format!("into-{}", path.replace('/', "-")));
    rescuer(repo).restore(repo.path(), &record.reference, &into).unwrap();
    assert_eq!(files(&into), files(repo.path()), "{path}");
}

/// The files and links below a folder but those of a git directory, with their contents.
fn files(top: &Path) -> Vec<(String, Vec<u8>)> {
    let all =
        files_below(top).into_iter().map(|path| path.strip_prefix(top.to_str().unwrap()).unwrap().to_owned());
    let mut files: Vec<_> = all
        .filter(|name| !name.contains("/.git/"))
        .filter_map(|name| {
            let path = top.join(&name[1..]);
            let content = fs::read_link(&path).map(|link| link.into_os_string().into_encoded_bytes());
            let is_file = path.symlink_metadata().unwrap().is_file();
            content.ok().or_else(|| is_file.then(|| fs::read(&path).unwrap())).map(|content| (name, content))
        })
        .collect();
    files.sort();
    files
}

// G06
#[test]
fn work_beside_ignore_rules_that_hang_is_saved_in_the_vault_without_any() {
    for path in [".gitignore", "dir/.gitignore", "dir/deep/.gitignore"] {
        let repo = with_work();
        repo.fifo(&repo.at(path));
        let rescuer = rescuer(&repo);
        let before = fingerprint(&repo);
        let plan = rescuer.plan(repo.path(), "m").unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(plan.targets.is_empty() && plan.refusal.unwrap().contains(path), "{path}");
        assert_in_the_vault(&repo, &plan.record, path);
        let again = rescuer.record(repo.path()).unwrap();
        assert_eq!(again.reference, plan.record.reference, "{path}: made twice");
        assert_eq!(fingerprint(&repo), before);
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{path}: a git hung");
    }
}

#[test]
fn ignore_rules_that_git_passes_over_are_in_nobodys_way() {
    let repo = with_work();
    let inside = repo.beside("repo/inside");
    inside.git(["init", "-q"]);
    inside.write("f", "1\n").commit("one");
    for path in ["passed over/.gitignore", "passed over/deep/.gitignore", "inside/.gitignore"] {
        repo.fifo(&repo.at(path));
    }
    let rescuer = rescuer(&repo);
    let plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!((plan.refusal, plan.record.vault), (None, None));
    assert_eq!(content(&repo, &plan.record.snapshot, b"a.log"), None);
    assert!(content(&repo, &plan.record.snapshot, b"dir/deep/f").is_some());
    assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "a git hung");
}

#[test]
fn work_beside_attributes_that_hang_is_saved_and_not_committed() {
    for path in [".gitattributes", "dir/.gitattributes"] {
        let repo = with_work();
        repo.git(["add", "-A"]);
        repo.git(["commit", "-q", "-m", "all"]);
        repo.write("dir/f", "2\n").fifo(&repo.at(path));
        let rescuer = rescuer(&repo);
        let record = rescuer.record(repo.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(content(&repo, &record.snapshot, b"dir/f").unwrap(), b"2\n");
        let refused = rescuer.plan(repo.path(), "m").unwrap_err();
        assert!(refused.to_string().contains(path), "{path}: {refused}");
        assert_eq!(refused.kept(), Some(&*record.reference), "{path}");
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{path}: a git hung");
    }
}

// G07
#[test]
fn work_beside_files_of_git_that_hang_is_saved_in_the_vault() {
    for name in [
        "index", "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout",
        "objects/info/alternates", "packed-refs", "shallow",
    ] {
        let path = format!(".git/{name}");
        let repo = with_work();
        let head = plain::git_dirs(repo.path()).map(|_| repo.head());
        repo.fifo(&repo.at(&path));
        let rescuer = rescuer(&repo);
        let plan = rescuer.plan(repo.path(), "m").unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(plan.targets.is_empty() && plan.refusal.unwrap().contains(&path), "{path}");
        assert_in_the_vault(&repo, &plan.record, &path);
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{path}: a git hung");
        fs::remove_file(repo.at(&path)).unwrap();
        assert_eq!(Some(repo.head()), head);
    }
}

/// Git looks into a repository inside when it lists what is untracked, and reads attributes when it packs.
#[test]
fn work_is_saved_beside_all_that_hangs_at_once() {
    let repo = with_work();
    let inside = repo.beside("repo/inside");
    inside.git(["init", "-q", "-b", "main"]);
    inside.write("f", "1\n").commit("one");
    inside.write("g", "2\n");
    for name in ["HEAD", "config", "index", "packed-refs", "refs/heads/main", "commondir"] {
        repo.fifo(&inside.git_dir().join(name));
    }
    for name in ["dir/.gitignore", ".gitattributes", "dir/.gitattributes", ".gitmodules"] {
        repo.fifo(&repo.at(name));
    }
    let record = rescuer(&repo).record(repo.path()).unwrap();
    assert_in_the_vault(&repo, &record, "dir/.gitignore");
}

/// Nobody can look for all that git may hang on, nor before it comes.
#[test]
fn where_git_hangs_all_the_same_the_work_is_saved_without_it() {
    for path in ["dir/.gitignore", ".git/refs/heads/work"] {
        let repo = with_work();
        let spoiled = repo.clone();
        let at_step = Some(Box::new(move |step| {
            if step == RescueStep::Listed && !spoiled.root().join("spoiled").exists() {
                fs::write(spoiled.root().join("spoiled"), "").unwrap();
                spoiled.fifo(&spoiled.at(path));
            }
        }) as Box<dyn Fn(RescueStep) + Send + Sync>);
        let rescuer = Rescuer { at_step, ..rescuer(&repo) };
        let record = rescuer.record(repo.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_in_the_vault(&repo, &record, path);
        assert!(!rescuer.budget.left().is_zero(), "{path}: it was not known what it waited for");
    }
}

/// Git follows no link to attributes in the work tree.
#[test]
fn attributes_behind_a_link_are_in_nobodys_way() {
    let repo = with_work();
    repo.fifo(&repo.root().join("fifo"));
    std::os::unix::fs::symlink("../fifo", repo.at(".gitattributes")).unwrap();
    let plan = rescuer(&repo).plan(repo.path(), "m").unwrap();
    assert_eq!(plan.refusal, None);
}

/// Whether another worktree has the branch cannot be told then. The record is made before that.
#[test]
fn where_the_list_of_worktrees_hangs_the_record_and_what_is_in_the_way_are_named() {
    let repo = with_work();
    repo.git(["worktree", "add", "-q", "-b", "beside", "../beside"]);
    let place = repo.git_dir().join("worktrees/beside/gitdir");
    fs::remove_file(&place).unwrap();
    repo.fifo(&place);
    let error = rescuer(&repo).plan(repo.path(), "m").unwrap_err();
    let listed = rescuer(&repo).list(repo.path()).unwrap().records;
    assert!(error.to_string().contains("worktrees/beside/gitdir is a FIFO"), "{error}");
    assert_eq!(error.kept(), Some(&*listed[0].reference));
}

// G07: in a folder of objects that an alternate names, and that names one of its own.
#[test]
fn work_beside_objects_elsewhere_that_hang_is_saved_and_what_is_in_the_way_is_named_at_once() {
    for name in ["pack/pack-1.idx", "pack/multi-pack-index", "info/commit-graph", "info/alternates"] {
        let repo = with_work();
        commit(&repo);
        repo.write("later", "1\n");
        let [one, two] = ["one", "two"].map(|name| repo.root().join(name));
        for (folder, other) in [(&repo.git_dir().join("objects"), &one), (&one, &two), (&two, &one)] {
            fs::create_dir_all(folder.join("info")).unwrap();
            fs::create_dir_all(folder.join("pack")).unwrap();
            fs::write(folder.join("info/alternates"), format!("{}\n", other.display())).unwrap();
        }
        let fifo = two.join(name);
        let _ = fs::remove_file(&fifo);
        fs::write(two.join("pack/pack-1.pack"), "").unwrap();
        repo.fifo(&fifo);
        let path = fifo.display().to_string();
        let rescuer = rescuer(&repo);
        let record = rescuer.record(repo.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(format!("{:?}", record.notices).contains(&path) && record.vault.is_some(), "{record:?}");
        let refused = rescuer.undo(repo.path()).unwrap_err();
        assert!(matches!(&refused, RescueError::TimedOut(words) if words.contains(&path)), "{refused:?}");
        let listed = rescuer.list(repo.path()).unwrap();
        assert_eq!(listed.records[0].reference, record.reference, "{name}");
        assert!(format!("{:?}", listed.notices).contains(&path), "{listed:?}");
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{name}: a git hung");
        fs::remove_file(&fifo).unwrap();
        rescuer.undo(repo.path()).unwrap();
    }
}

#[test]
fn an_undo_beside_a_file_that_hangs_ends_at_once_and_names_it() {
    for name in ["packed-refs", "index", "shallow", "objects/info/alternates"] {
        let repo = with_work();
        commit(&repo);
        let path = repo.git_dir().join(name);
        let before = fs::read(&path);
        let _ = fs::remove_file(&path);
        repo.fifo(&path);
        let rescuer = rescuer(&repo);
        for refused in [rescuer.undo_plan(repo.path()).map(drop), rescuer.undo(repo.path())] {
            let is_named = matches!(&refused, Err(RescueError::TimedOut(words)) if words.contains(&*path.to_string_lossy()));
            assert!(is_named, "{name}: {refused:?}");
        }
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{name}: a git hung");
        fs::remove_file(&path).unwrap();
        if let Ok(bytes) = before {
            fs::write(&path, bytes).unwrap();
        }
        rescuer.undo(repo.path()).unwrap();
    }
}
