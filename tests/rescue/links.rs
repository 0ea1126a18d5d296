//! Links below git directories lead nowhere: nothing of a file outside gets into a record or an error message.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::fixture::*;
use crate::support::repo::Repo;

const SECRET: &str = "hunter2-not-for-records";

/// A folder outside, with a file for everything that git might look for.
fn outside(repo: &Repo) -> std::path::PathBuf {
    let outside = repo.root().join("outside");
    fs::create_dir_all(outside.join("heads")).unwrap();
    let text = format!("{SECRET}\n");
    for name in ["key", "heads/key", "heads/main", "packed-refs", "HEAD", "head-name", "todo"] {
        fs::write(outside.join(name), &text).unwrap();
    }
    outside
}

/// Panics if any content of the record contains the secret.
fn assert_is_clean(repo: &Repo, case: &str) {
    let record = rescuer(repo).record(repo.path()).unwrap();
    assert!(!format!("{record:?}").contains(SECRET), "{case}: {record:?}");
    for commit in repo.git(["rev-list", &record.snapshot.to_string()]).lines() {
        let found = repo.try_git(&["grep", "-a", "-l", SECRET, commit], &[]);
        assert_eq!(found.status.code(), Some(1), "{case}: {}", String::from_utf8_lossy(&found.stdout));
    }
}

type Trap = fn(&Path, &Path);

#[test]
fn no_file_outside_gets_into_a_record_by_a_repository_inside() {
    let traps: [(&str, Trap); 8] = [
        ("refs", |git_dir, outside| {
            fs::remove_dir_all(git_dir.join("refs")).unwrap();
            symlink(outside, git_dir.join("refs")).unwrap();
            fs::write(git_dir.join("HEAD"), "ref: refs/key\n").unwrap();
        }),
        ("a folder of refs", |git_dir, outside| {
            fs::remove_dir_all(git_dir.join("refs/heads")).unwrap();
            symlink(outside.join("heads"), git_dir.join("refs/heads")).unwrap();
            fs::write(git_dir.join("HEAD"), "ref: refs/heads/key\n").unwrap();
        }),
        ("a reference", |git_dir, outside| {
            symlink(outside.join("key"), git_dir.join("refs/heads/main")).unwrap();
        }),
        ("a reference of another form", |git_dir, _| {
            fs::write(git_dir.join("refs/heads/main"), SECRET).unwrap();
        }),
        ("HEAD", |git_dir, outside| {
            fs::remove_file(git_dir.join("HEAD")).unwrap();
            symlink(outside.join("HEAD"), git_dir.join("HEAD")).unwrap();
        }),
        ("packed references", |git_dir, outside| {
            symlink(outside.join("packed-refs"), git_dir.join("packed-refs")).unwrap();
        }),
        ("the git directory", |git_dir, outside| {
            fs::remove_dir_all(git_dir).unwrap();
            symlink(outside, git_dir).unwrap();
        }),
        ("a file that names the folder outside", |git_dir, outside| {
            fs::remove_dir_all(git_dir).unwrap();
            fs::write(git_dir, format!("gitdir: {}\n", outside.display())).unwrap();
        }),
    ];
    for (case, trap) in traps {
        let repo = Repo::new();
        let outside = outside(&repo);
        repo.write("nested/f", "1\n").git(["init", "-q", "-b", "main", "nested"]);
        trap(&repo.at("nested/.git"), &outside);
        assert_is_clean(&repo, case);
    }
}

/// The same, reached through a `.git` file that itself is harmless.
#[test]
fn no_file_outside_gets_into_a_record_by_a_git_file() {
    let repo = Repo::new();
    let outside = outside(&repo);
    repo.write("nested/f", "1\n").git(["init", "-q", "-b", "main", "--separate-git-dir", "store", "nested"]);
    assert!(repo.at("nested/.git").is_file());
    fs::remove_dir_all(repo.at("store/refs")).unwrap();
    symlink(&outside, repo.at("store/refs")).unwrap();
    fs::write(repo.at("store/HEAD"), "ref: refs/key\n").unwrap();
    assert_is_clean(&repo, "store");
}

/// Git's operation files are in the record; a folder outside is not one of them.
#[test]
fn no_file_outside_gets_into_a_record_by_an_operation_of_git() {
    for name in ["rebase-merge", "rebase-apply", "sequencer"] {
        let repo = Repo::new();
        repo.write("new", "1\n");
        symlink(outside(&repo), repo.git_dir().join(name)).unwrap();
        assert_is_clean(&repo, name);
        fs::remove_file(repo.git_dir().join(name)).unwrap();
        fs::create_dir(repo.git_dir().join(name)).unwrap();
        symlink(repo.root().join("outside/key"), repo.git_dir().join(name).join("todo")).unwrap();
        assert_is_clean(&repo, name);
    }
}

/// Files that git reads in the git directory and that may be links.
const TEXTS: [&str; 5] = ["packed-refs", "shallow", "info/grafts", "objects/info/alternates", "HEAD"];

/// Git quotes lines of these where an object is damaged.
#[test]
fn no_line_of_a_file_outside_gets_into_an_error_about_objects() {
    let chains = ["info/commit-graphs/commit-graph-chain", "pack/multi-pack-index.d/multi-pack-index-chain"];
    for name in chains.into_iter().chain(["../../borrowed/info/alternates"]) {
        let repo = Repo::new();
        let outside = outside(&repo);
        let objects = repo.git_dir().join("objects");
        let path = objects.join(name);
        fs::create_dir_all(objects.join("info")).unwrap();
        fs::create_dir_all(repo.path().join("borrowed/pack")).unwrap();
        fs::create_dir_all(repo.path().join("borrowed/info")).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(outside.join("key"), &path).unwrap();
        fs::write(objects.join("info/alternates"), format!("{}/borrowed\n", repo.path().display())).unwrap();
        let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
        let object = objects.join(&tree[..2]).join(&tree[2..]);
        fs::remove_file(&object).unwrap();
        fs::write(&object, "garbage").unwrap();
        repo.write("new", "1\n");
        let shown = match rescuer(&repo).record(repo.path()) {
            Ok(record) => format!("{record:?}"),
            Err(error) => format!("{error:?} {:?}", closeout::engine::rescue_problem(&error)),
        };
        assert!(!shown.contains(SECRET), "{name}: {shown}");
    }
}

/// Git quotes the first line that it does not understand.
#[test]
fn no_line_of_a_file_outside_gets_into_an_error() {
    for name in TEXTS {
        let repo = Repo::new();
        let outside = outside(&repo);
        repo.write("new", "1\n");
        let rescuer = rescuer(&repo);
        let path = repo.git_dir().join(name);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(outside.join("key"), &path).unwrap();
        match rescuer.record(repo.path()) {
            Ok(record) => assert!(!format!("{record:?}").contains(SECRET), "{name}: {record:?}"),
            Err(error) => {
                let shown = format!("{error:?} {:?}", closeout::engine::rescue_problem(&error));
                assert!(!shown.contains(SECRET), "{name}: {shown}");
            }
        }
    }
}
