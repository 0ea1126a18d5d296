//! What is not committed.

use closeout::evidence::git::BaselineChoice;
use closeout::model::{ChangeKind, ChangedFile, Changes};

use super::case::{facts, facts_by_program, facts_with};
use crate::support::repo::Repo;

fn changes(repo: &Repo) -> Changes {
    facts(repo, BaselineChoice::Find).changes.unwrap()
}

fn file(path: &str, staged: Option<ChangeKind>, unstaged: Option<ChangeKind>) -> ChangedFile {
    ChangedFile { path: path.into(), staged, unstaged }
}

#[test]
fn a_clean_tree_has_no_changes() {
    assert_eq!(changes(&Repo::new()), Changes::default());
}

#[test]
fn every_kind_of_change_is_told_apart() {
    let repo = Repo::new();
    for name in ["deleted", "edited", "staged", "both", "gone", "retyped", "mode"] {
        repo.write(name, format!("{name}\n"));
    }
    repo.write(".gitignore", "*.o\n").commit("files");
    repo.remove("deleted").write("edited", "x\n").write("staged", "x\n").stage("staged");
    repo.write("both", "x\n").stage("both").write("both", "y\n");
    repo.git(["rm", "-q", "gone"]);
    repo.remove("retyped");
    std::os::unix::fs::symlink("README", repo.at("retyped")).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(repo.at("mode"), executable).unwrap();
    repo.write("new", "x").stage("new").write("loose", "x").write("folder/a", "x").write("folder/b", "x");
    repo.write("ignored.o", "x").write("objects/only.o", "x").write("announced", "x");
    repo.git(["add", "-N", "announced"]);
    let changes = changes(&repo);
    let (added, modified, deleted) = (ChangeKind::Added, ChangeKind::Modified, ChangeKind::Deleted);
    assert_eq!(
        changes.files,
        [
            file("announced", None, Some(added)),
            file("both", Some(modified), Some(modified)),
            file("deleted", None, Some(deleted)),
            file("edited", None, Some(modified)),
            file("folder/", None, Some(ChangeKind::Untracked)),
            file("gone", Some(deleted), None),
            file("loose", None, Some(ChangeKind::Untracked)),
            file("mode", None, Some(modified)),
            file("new", Some(added), None),
            file("retyped", None, Some(ChangeKind::TypeChanged)),
            file("staged", Some(modified), None),
        ]
    );
    let counts = (changes.n_staged, changes.n_unstaged, changes.n_untracked, changes.n_conflicted);
    assert_eq!((counts, changes.n_paths), ((4, 6, 2, 0), 11));
    repo.git(["config", "core.fileMode", "false"]);
    assert!(!self::changes(&repo).files.iter().any(|file| file.path == "mode"));
}

#[test]
fn every_kind_of_conflict_is_a_conflict() {
    let repo = Repo::new();
    for name in ["ours-gone", "theirs-gone", "both-edit"] {
        repo.write(name, "base\n");
    }
    repo.commit("base");
    repo.switch("side").remove("theirs-gone").write("ours-gone", "s\n").write("both-edit", "s\n");
    repo.write("both-add", "s\n").commit("side");
    repo.switch("main").remove("ours-gone").write("theirs-gone", "m\n").write("both-edit", "m\n");
    repo.write("both-add", "m\n").commit("main");
    assert!(!repo.try_git(&["merge", "side"], &[]).status.success());
    let changes = changes(&repo);
    assert_eq!((changes.n_conflicted, changes.n_paths), (4, 4));
    assert!(changes.files.iter().all(|file| file.unstaged == Some(ChangeKind::Conflicted)));
}

#[test]
fn names_are_shown_byte_for_byte() {
    let repo = Repo::new();
    repo.write_bytes(b"a\xffb", "x").write_bytes(b"new\nline", "x").write("日本語", "x");
    repo.write(":(exclude)x", "x").write("-x", "x").write("*", "x").write("a \"b\"", "x");
    let names: Vec<_> = changes(&repo).files.into_iter().map(|file| file.path).collect();
    assert_eq!(names, ["*", "-x", ":(exclude)x", "a \"b\"", "a\\xFFb", "new\nline", "日本語"]);
}

#[test]
fn evidence_files_are_no_work_tracked_or_not() {
    let repo = Repo::new();
    let evidence = [".agent/decision.json".to_owned(), "report.md".to_owned(), "../escape".to_owned()];
    repo.write(".agent/decision.json", "{}").write("report.md", "x").write("work", "x");
    let read = || facts_with(&repo, BaselineChoice::Find, &evidence).changes.unwrap();
    let changes = read();
    assert_eq!(changes.files, [file("work", None, Some(ChangeKind::Untracked))]);
    assert_eq!((changes.n_paths, changes.n_evidence_files), (1, 2));
    repo.write(".agent/notes", "x");
    let changes = read();
    assert_eq!(changes.files[0].path, ".agent/");
    assert_eq!((changes.n_paths, changes.n_evidence_files), (2, 2));
    repo.git(["add", "-A"]);
    assert_eq!((read().n_paths, read().n_evidence_files), (2, 2));
}

#[test]
fn many_changes_are_counted_and_two_hundred_listed() {
    let repo = Repo::new();
    for number in 0..250 {
        repo.write(&format!("f{number:03}"), "x");
    }
    let changes = changes(&repo);
    assert_eq!((changes.n_paths, changes.files.len()), (250, 200));
    assert_eq!(changes.files[199].path, "f199");
}

#[test]
fn a_fresh_worktree_with_racy_entries_is_right() {
    let repo = Repo::new();
    for round in 0..20 {
        repo.write("racy", format!("{round:02}\n")).commit("racy");
        repo.write("racy", format!("{:02}\n", round + 50));
        assert_eq!(changes(&repo).n_unstaged, 1, "same size, same second");
    }
    let linked = repo.worktree("linked");
    linked.write("README", "jello\n");
    assert_eq!(changes(&linked).files, [file("README", None, Some(ChangeKind::Modified))]);
}

#[test]
fn files_that_git_was_told_to_pass_over_are_passed_over() {
    let repo = Repo::new();
    repo.write("a", "x").write("b", "x").commit("files");
    repo.git(["update-index", "--assume-unchanged", "a"]);
    repo.git(["update-index", "--skip-worktree", "b"]);
    repo.write("a", "changed").remove("b");
    assert_eq!(changes(&repo).n_paths, 0);
}

/// Neither a pipe in the place of a marked file nor a link on the way to one is opened: the first would never answer, the
/// other leads out.
#[test]
fn what_stands_in_the_place_of_a_marked_file_is_not_opened() {
    let repo = Repo::new();
    repo.write("pipe", "x").write("folder/same", "x").write("kept", "x").commit("files");
    repo.git(["update-index", "--assume-unchanged", "pipe", "folder/same", "kept"]);
    let outside = repo.beside("outside");
    outside.write("same", "x");
    repo.remove("pipe").fifo(&repo.at("pipe"));
    std::fs::remove_dir_all(repo.at("folder")).unwrap();
    std::os::unix::fs::symlink(outside.path(), repo.at("folder")).unwrap();
    let hidden = changes(&repo).hidden;
    let paths: Vec<&str> = hidden.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["folder/same", "pipe"]);
}

#[test]
fn line_endings_are_compared_as_git_compares_them() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.txt text eol=crlf\n").write("a.txt", "one\r\ntwo\r\n").commit("text");
    assert_eq!(repo.git(["show", "HEAD:a.txt"]), "one\ntwo");
    repo.write("a.txt", "one\r\ntwo\r\n");
    assert_eq!(changes(&repo).n_paths, 0);
    repo.git(["config", "core.autocrlf", "true"]);
    repo.write("plain", "x\r\n").commit("plain");
    repo.write("plain", "x\r\n");
    assert_eq!(changes(&repo).n_paths, 0);
    repo.write("plain", "y\r\n");
    assert_eq!(changes(&repo).n_paths, 1);
}

#[test]
fn excludes_of_every_kind_are_followed() {
    let repo = Repo::new();
    repo.write(".gitignore", "a\n")
        .write("sub/.gitignore", "b\n!keep\n")
        .write("sub/c", "x")
        .commit("ignore");
    std::fs::write(repo.git_dir().join("info/exclude"), "d\n").unwrap();
    repo.write("mine", "e\n").git(["config", "core.excludesFile", &repo.at("mine").display().to_string()]);
    repo.write("a", "x").write("sub/b", "x").write("d", "x").write("e", "x").write("sub/keep", "x");
    let names: Vec<_> = changes(&repo).files.into_iter().map(|file| file.path).collect();
    assert_eq!(names, ["mine", "sub/keep"]);
}

#[test]
fn a_repository_in_the_work_tree_is_one_untracked_path() {
    let repo = Repo::new();
    let nested = repo.beside("repo/nested");
    nested.git(["init", "-q"]);
    nested.commit_file("a");
    assert_eq!(changes(&repo).files, [file("nested/", None, Some(ChangeKind::Untracked))]);
}

#[test]
fn stash_entries_are_counted() {
    let repo = Repo::new();
    for _ in 0..2 {
        repo.write("README", "changed\n").git(["stash", "-q"]);
    }
    assert_eq!(facts(&repo, BaselineChoice::Find).n_stashed, 2);
}

#[test]
fn split_and_sparse_indexes_are_read_by_the_program() {
    let repo = Repo::new();
    repo.write("in/a", "x").write("out/b", "x").commit("files");
    repo.git(["update-index", "--split-index"]);
    repo.write("in/a", "changed");
    let changes = facts_by_program(&repo, BaselineChoice::Find).changes.unwrap();
    assert_eq!(changes.files, [file("in/a", None, Some(ChangeKind::Modified))]);

    let repo = Repo::new();
    repo.write("in/a", "x").write("out/b", "x").commit("files");
    repo.git(["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    repo.write("in/a", "changed");
    let changes = facts_by_program(&repo, BaselineChoice::Find).changes.unwrap();
    assert_eq!(changes.files, [file("in/a", None, Some(ChangeKind::Modified))]);
}

#[test]
fn a_large_index_is_read_by_the_program() {
    let repo = Repo::new();
    for number in 0..3_001 {
        repo.write(&format!("d{}/f{number}", number % 10), "x");
    }
    repo.commit("large");
    repo.write("d1/f1", "changed").write("loose", "x");
    let chosen = facts_by_program(&repo, BaselineChoice::Find);
    let mut both = facts(&repo, BaselineChoice::Find);
    both.baseline.set_at = chosen.baseline.set_at;
    both.reader = chosen.reader;
    assert_eq!(both, chosen);
}

/// libgit2 goes a hundred folders deep and no further; then the git program looks.
#[test]
fn folders_may_nest_deeper_than_libgit2_reads() {
    let repo = Repo::new();
    repo.write(&format!("tracked/{}f", "d/".repeat(150)), "1\n").commit("deep");
    repo.write(&format!("tracked/{}f", "d/".repeat(150)), "2\n");
    repo.write(&format!("{}f", "new/".repeat(150)), "1\n");
    let changes = facts_by_program(&repo, BaselineChoice::Find).changes.unwrap();
    assert_eq!((changes.n_unstaged, changes.n_untracked), (1, 1), "{changes:?}");
}
