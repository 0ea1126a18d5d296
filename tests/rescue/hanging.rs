//! FIFOs in the place of files that git opens, in the work tree and in the git directory: it would wait for ever. The work
//! is saved all the same, and what is in the way is named.

use std::fs;
use std::path::Path;

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};
use closeout::model::{Gap, Reach, RecordList, RecordNotice, RecordState, RescueRecord};

use super::fixture::*;
use crate::support::plain;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

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

/// Why the repository cannot be used, by the list, and how many of its records that keeps from it.
fn in_the_way(listed: &RecordList) -> (String, usize) {
    let told = listed.notices.iter().find_map(|notice| {
        if let RecordNotice::NoRepository { reason, n_unseen } = notice {
            Some((reason.clone(), *n_unseen))
        } else {
            None
        }
    });
    told.unwrap_or_else(|| panic!("{listed:?}"))
}

/// Puts a FIFO in the place of a file of the git directory. Returns its path and what it held.
fn spoil(repo: &Repo, name: &str) -> (std::path::PathBuf, Option<Vec<u8>>) {
    let path = repo.git_dir().join(name);
    let before = fs::read(&path).ok();
    let _ = fs::remove_file(&path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    repo.fifo(&path);
    (path, before)
}

// G06: a record is read by its objects, and none of these is one.
#[test]
fn records_in_a_repository_in_which_git_would_hang_are_listed_and_restored() {
    for name in [
        "config", "commondir", "packed-refs", "shallow", "info/grafts", "objects/info/alternates",
        "objects/info/commit-graph", "objects/pack/multi-pack-index",
    ] {
        let repo = with_work();
        let made = record(&repo);
        let (path, before) = spoil(&repo, name);
        let rescuer = rescuer(&repo);
        let listed = rescuer.list(repo.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let told: Vec<_> = listed.records.iter().map(|it| (&it.reference, it.state, it.reach)).collect();
        assert_eq!(told, [(&made.reference, RecordState::Kept, Reach::Unknown)], "{name}: {listed:?}");
        let (reason, n_unseen) = in_the_way(&listed);
        assert!(reason.contains(&*path.to_string_lossy()) && n_unseen == 0, "{name}: {listed:?}");
        let into = repo.root().join("into");
        let n_files = rescuer.restore(repo.path(), &made.reference, &into).unwrap();
        assert_eq!(n_files, made.n_files, "{name}");
        let lost = rescuer.budget.total().saturating_sub(rescuer.budget.left());
        assert_eq!(lost, std::time::Duration::ZERO, "{name}: a git hung");
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = before {
            fs::write(&path, bytes).unwrap();
        }
        let mended = rescuer.list(repo.path()).unwrap();
        assert!(mended.notices.is_empty() && mended.records[0].state == RecordState::Kept, "{name}");
    }
}

/// What settings include is looked for only once git hangs.
#[test]
fn records_beside_an_included_file_that_hangs_are_listed_and_restored() {
    let repo = with_work();
    let made = record(&repo);
    commit(&repo);
    let path = repo.git_dir().join("included");
    repo.git(["config", "include.path", "included"]);
    repo.fifo(&path);
    let env = TestEnv::beside(&repo);
    let listed = rescuer(&repo).list(repo.path()).unwrap();
    assert_eq!((&listed.records[0].reference, listed.records.len()), (&made.reference, 1), "{listed:?}");
    assert!(in_the_way(&listed).0.contains(&*path.to_string_lossy()), "{listed:?}");
    let into = env.at("into");
    let done = env.run(repo.path(), &["restore", made.reference.id(), &into.display().to_string()]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(fs::read(into.join("dir/f")).unwrap(), b"1\n");
    let refused = rescuer(&repo).undo(repo.path()).unwrap_err();
    assert!(refused.to_string().contains(&*path.to_string_lossy()), "{refused}");
}

/// The list of the pack that holds it: no reader could find it.
#[test]
fn a_record_that_is_behind_what_hangs_is_not_called_lost_and_what_is_in_the_way_is_named() {
    let repo = with_work();
    let made = record(&repo);
    let packs = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap().map(|it| it.unwrap().path());
    let lists: Vec<_> = packs.filter(|path| path.extension().is_some_and(|end| end == "idx")).collect();
    for path in &lists {
        fs::remove_file(path).unwrap();
        repo.fifo(path);
    }
    let listed = rescuer(&repo).list(repo.path()).unwrap();
    let (reason, n_unseen) = in_the_way(&listed);
    assert!(listed.records.is_empty() && !listed.is_damaged() && n_unseen == 1, "{listed:?}");
    assert!(lists.iter().any(|path| reason.contains(&*path.to_string_lossy())), "{reason}");
    let env = TestEnv::beside(&repo);
    for name in [&*made.reference, made.reference.id()] {
        let into = env.at("into").display().to_string();
        let refused = env.run(repo.path(), &["restore", name, &into]);
        assert!(refused.code == 30 && refused.err.contains(&reason), "{refused:?}");
        assert!(refused.err.contains("put it right or move it aside"), "{refused:?}");
    }
}

#[test]
fn a_record_whose_reference_hangs_is_listed_and_restored_as_its_journal_has_it() {
    let repo = with_work();
    let made = record(&repo);
    let (path, _) = spoil(&repo, &made.reference);
    let listed = rescuer(&repo).list(repo.path()).unwrap();
    assert_eq!((listed.records.len(), listed.records[0].state), (1, RecordState::Kept), "{listed:?}");
    let is_told = |it: &RecordNotice| matches!(it, RecordNotice::NotPutBack { reference, reason } if *reference == made.reference && reason.contains("FIFO"));
    assert!(listed.notices.iter().any(is_told), "{listed:?}");
    rescuer(&repo).restore(repo.path(), &made.reference, &repo.root().join("into")).unwrap();
    fs::remove_file(path).unwrap();
    assert_eq!(rescuer(&repo).list(repo.path()).unwrap().records[0].state, RecordState::PutBack);
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
