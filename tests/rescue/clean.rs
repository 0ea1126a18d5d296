//! Cases with nothing to rescue: what git considers unchanged, whatever the bytes on disk, and cases that look
//! alike but are work.

use std::fs;

use closeout::action::rescue::RescueError;

use super::fixture::*;
use crate::support::repo::Repo;

/// Asserts that neither a record nor a commit is made, nor a reference to either.
fn assert_nothing(repo: &Repo) {
    let before = fingerprint(repo);
    assert_eq!(repo.git(["--no-optional-locks", "status", "--porcelain"]), "");
    let recorded = rescuer(repo).record(repo.path());
    assert!(matches!(recorded, Err(RescueError::Nothing)), "{recorded:?}");
    assert!(matches!(rescuer(repo).plan(repo.path(), "m"), Err(RescueError::Nothing)));
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
    assert_eq!(fingerprint(repo), before);
}

#[expect(clippy::disallowed_methods, reason = "the time of a file, beside those of the file system")]
/// Checks a file out again, some time after it was written and before its index is.
fn check_out_anew(repo: &Repo, name: &str) {
    fs::remove_file(repo.at(name)).unwrap();
    repo.git(["checkout", "-q", "--", name]);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
    let index = fs::File::options().write(true).open(repo.git_dir().join("index")).unwrap();
    index.set_modified(later).unwrap();
}

/// A repository with one committed file whose bytes on disk differ from git's.
fn converted(setting: Option<(&str, &str)>, attributes: &str, content: &str) -> Repo {
    let repo = Repo::new();
    if let Some((name, value)) = setting {
        repo.git(["config", name, value]);
    }
    repo.write(".gitattributes", attributes).write("f", content).commit("converted");
    check_out_anew(&repo, "f");
    repo
}

/// V10: line endings, keywords and encodings that git converts.
#[test]
fn converted_files_that_nobody_changed_are_nothing() {
    let utf16 = "f text working-tree-encoding=UTF-16LE\n";
    for (setting, attributes, content) in [
        (Some(("core.autocrlf", "true")), "", "1\r\n2\r\n"),
        (None, "f text eol=crlf\n", "1\n2\n"),
        (None, "f ident\n", "$Id$\n"),
        (None, utf16, "a\0b\0\n\0"),
    ] {
        let repo = converted(setting, attributes, content);
        let stored = repo.git(["rev-parse", "HEAD:f"]);
        assert_ne!(repo.git(["hash-object", "--no-filters", "f"]), stored, "{attributes}: it is converted");
        assert_nothing(&repo);
    }
}

/// V10, S09: next to a changed file, they are not offered for the commit, but they are in the record.
#[test]
fn converted_files_that_nobody_changed_are_not_in_a_plan() {
    let repo = converted(Some(("core.autocrlf", "true")), "", "1\r\n2\r\n");
    repo.write("new", "1\n");
    let shown = plan(&repo);
    let names: Vec<_> = shown.paths.iter().map(|path| &path.path[..]).collect();
    assert_eq!(names, [b"new"]);
    assert_eq!(content(&repo, &shown.record.snapshot, b"f").unwrap(), b"1\r\n2\r\n");
    let made = rescuer(&repo).commit(repo.path(), &shown).unwrap().commits.remove(0);
    assert_eq!(repo.git(["diff", "--name-only", &format!("{made}~1"), &made.to_string()]), "new");
    repo.write("f", "1\r\n3\r\n");
    let names: Vec<_> = plan(&repo).paths.into_iter().map(|path| path.path).collect();
    assert_eq!(names, [b"f"]);
}

/// S09: line endings that git would not write again are bytes that can be lost, although git sees no change.
#[test]
fn line_ends_that_git_would_not_write_are_recorded() {
    for (setting, attributes, content) in [
        (None, "f text eol=lf\n", "1\r\n2\n"),
        (Some(("core.autocrlf", "true")), "", "1\r\n2\n"),
        (Some(("core.autocrlf", "input")), "", "1\r\n2\r\n"),
    ] {
        let repo = converted(setting, attributes, "1\n2\n");
        repo.write("f", content);
        let saved = record(&repo);
        assert_eq!(self::content(&repo, &saved.snapshot, b"f").unwrap(), content.as_bytes());
        let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
        assert_eq!(shown.paths, []);
        let refused = rescuer(&repo).commit(repo.path(), &shown);
        assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    }
}

/// S10, S12: what a filter would make of a file is unknown unless it runs. The file counts as unchanged only if
/// nobody has touched it since git wrote it.
#[test]
fn a_file_with_a_filter_is_nothing_as_long_as_it_was_not_touched() {
    let repo = Repo::new();
    repo.git(["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(["config", "filter.up.smudge", "tr A-Z a-z"]);
    repo.write(".gitattributes", "f filter=up\n").write("f", "abc\n").commit("filtered");
    check_out_anew(&repo, "f");
    assert_nothing(&repo);
    // The same size, and the same modification time set by hand.
    let time = fs::metadata(repo.at("f")).unwrap().modified().unwrap();
    repo.write("f", "xyz\n");
    fs::File::options().write(true).open(repo.at("f")).unwrap().set_modified(time).unwrap();
    let record = record(&repo);
    assert_eq!(content(&repo, &record.snapshot, b"f").unwrap(), b"xyz\n");
}

/// V10, S16: files omitted by a sparse checkout are not deletions.
#[test]
fn a_sparse_checkout_that_nobody_changed_is_nothing() {
    let repo = Repo::new();
    repo.write("in/f", "1\n").write("out/f", "1\n").commit("more");
    drop(rescuer(&repo));
    repo.git(["sparse-checkout", "set", "in"]);
    assert_nothing(&repo);
    repo.write("in/g", "1\n");
    let names: Vec<_> = plan(&repo).paths.into_iter().map(|path| path.path).collect();
    assert_eq!(names, [b"in/g"]);
}

/// V10, S19: a submodule at the commit recorded here is no work; with any change in it, it is.
#[test]
fn a_submodule_that_nobody_changed_is_nothing() {
    let repo = with_submodule();
    assert_nothing(&repo);
    repo.write("sub/f", "changed\n");
    let saved = record(&repo);
    assert_eq!(content(&repo, &saved.snapshot, b"sub/f").unwrap(), b"changed\n");
    let repo = with_submodule();
    repo.write("sub/new", "new\n");
    assert!(content(&repo, &record(&repo).snapshot, b"sub/new").is_some());
}

fn with_submodule() -> Repo {
    let repo = Repo::new();
    let inner = repo.beside("inner");
    inner.git(["init", "-q", "-b", "main"]);
    inner.write("f", "1\n").commit("inner");
    repo.git(["submodule", "--quiet", "add", "../inner", "sub"]);
    repo.git(["commit", "-q", "-m", "submodule"]);
    repo
}

/// S19, S07: what replaced a submodule is work, and its bytes are in the record.
#[test]
fn what_takes_the_place_of_a_submodule_is_saved() {
    let repo = with_submodule();
    fs::remove_dir_all(repo.at("sub")).unwrap();
    repo.write("sub", "a file\n");
    let saved = record(&repo);
    assert_eq!(content(&repo, &saved.snapshot, b"sub").unwrap(), b"a file\n");
    let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
    assert!(
        shown.paths.iter().all(|path| path.path == b"sub" && path.left_out.is_some()),
        "{:?}",
        shown.paths
    );

    let repo = with_submodule();
    fs::remove_dir_all(repo.at("sub")).unwrap();
    std::os::unix::fs::symlink("/etc", repo.at("sub")).unwrap();
    assert_eq!(content(&repo, &record(&repo).snapshot, b"sub").unwrap(), b"/etc");

    let repo = with_submodule();
    fs::remove_dir_all(repo.at("sub")).unwrap();
    repo.write("sub/plain", "1\n");
    assert_eq!(content(&repo, &record(&repo).snapshot, b"sub/plain").unwrap(), b"1\n");
}

/// S19: a staged new commit of a submodule is left out, which is reported.
#[test]
fn the_staged_commit_of_a_submodule_is_left_out_and_named() {
    let repo = with_submodule();
    let inner = repo.beside("repo/sub");
    inner.write("f", "2\n");
    inner.git(["-c", "user.name=A", "commit", "-q", "-a", "-m", "two"]);
    repo.git(["add", "sub"]);
    repo.write("fine", "1\n");
    let shown = plan(&repo);
    let link = shown.paths.iter().find(|path| path.path == b"sub").unwrap();
    assert_eq!(link.left_out, Some(closeout::model::LeftOut::Nested));
    let made = rescuer(&repo).commit(repo.path(), &shown).unwrap().commits.remove(0);
    assert_eq!(repo.git(["diff", "--name-only", &format!("{made}~1"), &made.to_string()]), "fine");
    assert_eq!(repo.git(["status", "--porcelain"]), "M  sub");
}

/// Changes that are staged but gone from disk, and changes that are all left out: they are saved, and the plan
/// says why no commit would hold them.
#[test]
fn a_record_that_no_commit_would_hold_is_not_nothing() {
    let repo = Repo::new();
    repo.write("staged", "1\n").stage("staged").remove("staged");
    let shown = plan(&repo);
    let saved = rescuer(&repo).commit(repo.path(), &shown);
    assert!(matches!(saved, Err(RescueError::SavedOnly(_))), "{saved:?}");

    let repo = Repo::new();
    repo.write(".env", "KEY=1\n");
    let shown = plan(&repo);
    let saved = rescuer(&repo).commit(repo.path(), &shown);
    assert!(matches!(saved, Err(RescueError::SavedOnly(_))), "{saved:?}");
}
