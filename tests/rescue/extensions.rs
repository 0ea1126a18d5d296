//! Formats and extensions of repositories, known to this git or not: every command gives a clear answer, and the work
//! is saved either way. Whether git knows one is what git itself says.

use std::fs;
use std::path::Path;

use super::fixture::*;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};

/// A repository format: its name, options of `git init`, settings that are made once it has a commit, and the word by
/// which it is named where git does not know it.
type Format = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)], &'static str);

const V1: (&str, &str) = ("core.repositoryFormatVersion", "1");

const FORMATS: [Format; 15] = [
    ("sha256", &["--object-format=sha256"], &[], ""),
    ("reftable", &["--ref-format=reftable"], &[], ""),
    ("both", &["--object-format=sha256", "--ref-format=reftable"], &[], ""),
    ("ids of an unknown kind", &[], &[V1, ("extensions.objectFormat", "sha3")], "sha3"),
    ("references of an unknown kind", &[], &[V1, ("extensions.refStorage", "cloud")], "cloud"),
    ("an unknown extension", &[], &[V1, ("extensions.foo", "bar")], "foo"),
    ("an unknown extension without a value", &[], &[V1, ("extensions.foo", "")], "foo"),
    ("an unknown extension in the first format", &[], &[("extensions.foo", "bar")], "foo"),
    ("a partial clone", &[], &[V1, ("extensions.partialClone", "origin")], ""),
    ("settings for each worktree", &[], &[V1, ("extensions.worktreeConfig", "true")], ""),
    ("relative worktrees", &[], &[V1, ("extensions.relativeWorktrees", "true")], "relativeworktrees"),
    ("two kinds of ids", &[], &[V1, ("extensions.compatObjectFormat", "sha256")], "compatobjectformat"),
    ("objects that stay", &[], &[V1, ("extensions.preciousObjects", "true")], ""),
    (
        "submodules by their path",
        &[],
        &[V1, ("extensions.submodulePathConfig", "true")],
        "submodulepathconfig",
    ),
    ("a later format", &[], &[("core.repositoryFormatVersion", "2")], "format 2"),
];

fn contents(folder: &Path, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| fs::read(folder.join(name)).unwrap_or_default()).collect()
}

/// The formats that closeout itself refuses to open. Of any other that git does not know, the journal tells that nothing
/// was committed there.
const NOT_OPENED: [&str; 2] = ["ids of an unknown kind", "a later format"];

/// How an undo ends that follows a rescue.
fn undo_class(case: &str, is_known: bool, can_commit: bool) -> i32 {
    match (is_known, can_commit) {
        (true, true) => 0,
        (false, _) if NOT_OPENED.contains(&case) => 20,
        // Nothing was committed, so there is nothing to take back.
        (true | false, _) => 12,
    }
}

/// S27, S43
#[test]
fn every_format_gets_a_clear_answer_from_every_command() {
    let names = ["f", "new/deep/x", "staged"];
    for (case, options, settings, word) in FORMATS {
        let repo = Repo::with_format(options);
        repo.write("f", "1\n").commit("one");
        repo.write("f", "2\n").write("new/deep/x", "x\n").write("staged", "1\n").stage("staged");
        repo.write("staged", "2\n");
        for (name, value) in settings {
            repo.git(["config", name, value]);
        }
        let status = repo.try_git(&["status"], &[]);
        let is_known = status.status.success();
        // Ids of a second kind are missing where a repository did not begin with them: then git can commit nothing.
        let tried = repo.try_git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "git alone"], &[]);
        let can_commit = tried.status.success();
        let env = TestEnv::beside(&repo);
        let (before, work) = (traces(&repo.at(".git")), contents(repo.path(), &names));
        let run = |args: &[&str]| {
            let run = env.run(repo.path(), args);
            assert!(!(run.out.clone() + &run.err).contains("panicked"), "{case} {args:?}: {run:?}");
            run
        };
        let is_named = |text: &str| is_known || text.to_lowercase().contains(word);

        let listed = run(&["status"]);
        assert!(listed.out.contains("repo"), "{case}: {listed:?}");
        let row = run(&["check", "--json"]).workspace();
        let state = row["state"].as_str().unwrap();
        assert_ne!(state, "COMPLETE", "{case}");
        // libgit2 may know a format that git does not.
        let text = row.to_string();
        let is_read = text.contains("files are not committed");
        assert!(is_read || !is_known && state == "ERROR" && is_named(&text), "{case}: {row}");
        assert_eq!(traces(&repo.at(".git")), before, "{case}");

        let head = || repo.try_git(&["rev-parse", "HEAD"], &[]).stdout;
        let start = head();
        let made = run(&["rescue", "-y", "-m", "work", "--protected", "--author", "Ada <ada@example.org>"]);
        let class = if is_known && can_commit { 0 } else { 11 };
        assert_eq!(made.code, class, "{case}: {made:?}");
        assert!(is_named(&(made.out.clone() + &made.err)), "{case}: {made:?}");
        assert!(!is_known || can_commit || made.err.contains("such an extension"), "{case}: {made:?}");
        assert_eq!(head() != start, can_commit, "{case}");

        let kept = run(&["rescues", "--json"]).json();
        let records = kept["records"].as_array().unwrap();
        assert_eq!(records.len(), 1, "{case}: {kept}");
        let reference = records[0]["reference"].as_str().unwrap();
        let into = repo.root().join("into");
        let restored = run(&["restore", reference, &into.display().to_string()]);
        assert_eq!(restored.code, 0, "{case}: {restored:?}");
        assert_eq!(contents(&into, &names), work, "{case}");

        let undone = run(&["undo", "-y"]);
        assert_eq!(undone.code, undo_class(case, is_known, can_commit), "{case}: {undone:?}");
        assert!(undone.code == 12 || is_named(&undone.err), "{case}: {undone:?}");
        if is_known && can_commit {
            assert_eq!(head(), start, "{case}");
            repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
        } else if !is_known {
            assert_eq!(traces(&repo.at(".git")), before, "{case}");
        }
        assert_eq!(contents(repo.path(), &names), work, "{case}");
    }
}

/// S43: nothing in it can be read by git, so nothing of it is known to be clean.
#[test]
fn an_empty_repository_of_a_format_that_git_does_not_know_is_an_error() {
    let mut n_unread = 0;
    for (case, options, settings, word) in FORMATS {
        let repo = Repo::with_format(options);
        for (name, value) in settings {
            repo.git(["config", name, value]);
        }
        let is_known = repo.try_git(&["status"], &[]).status.success();
        let env = TestEnv::beside(&repo);
        let look = || env.run(repo.path(), &["check", "--json"]).workspace();
        let empty = look();
        repo.write("f", "1\n");
        // Libgit2 may know a format that git does not.
        let is_read = look()["state"] != "ERROR";
        assert_eq!(empty["state"] == "ERROR", !is_read, "{case}: {empty}");
        assert!(is_read || !is_known && empty.to_string().to_lowercase().contains(word), "{case}: {empty}");
        n_unread += usize::from(!is_read);
    }
    assert!(n_unread > 4, "{n_unread}");
}

/// A repository that gets an extension which this git does not know keeps what was done before.
#[test]
fn what_was_done_before_an_unknown_extension_came_is_there_once_it_is_gone() {
    let repo = Repo::new();
    repo.write("work", "1\n");
    let before = fingerprint(&repo);
    let made = rescuer(&repo).plan(repo.path(), "m").unwrap();
    rescuer(&repo).commit(repo.path(), &made).unwrap();
    repo.git(["config", "core.repositoryFormatVersion", "1"]);
    repo.git(["config", "extensions.foo", "bar"]);
    let git_dir = traces(&repo.at(".git"));
    assert!(rescuer(&repo).undo(repo.path()).is_err());
    let listed = rescuer(&repo).list(repo.path()).unwrap();
    assert_eq!(listed.notices.len(), 1, "{listed:?}");
    assert_eq!(traces(&repo.at(".git")), git_dir);
    fs::write(
        repo.at(".git/config"),
        fs::read_to_string(repo.at(".git/config")).unwrap().replace("foo", "noop"),
    )
    .unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}
