//! Work inside submodules is work of the repository that holds them, and never looks clean.

use closeout::evidence::git::{BaselineChoice, GitMemory};
use closeout::model::{ChangeKind, ChangedFile, Changes, GitFacts, GitReader, ReadProblem};

use super::case::{facts, facts_by_program, facts_with, look, present, refusal};
use crate::support::repo::Repo;

const READERS: [Option<GitReader>; 3] = [Some(GitReader::InProcess), Some(GitReader::Program), None];

/// A repository with a clean submodule `part`, and the submodule.
fn whole() -> (Repo, Repo) {
    let part = Repo::new();
    let repo = part.beside("whole");
    repo.git(["init", "-q", "-b", "main"]);
    add(&repo, &part, "part");
    repo.commit("with a part");
    let inside = repo.beside("whole/part");
    (repo, inside)
}

fn add(repo: &Repo, part: &Repo, name: &str) {
    let url = part.path().display().to_string();
    repo.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, name]);
}

fn changes(repo: &Repo) -> Changes {
    facts(repo, BaselineChoice::Find).changes.unwrap()
}

fn facts_by(repo: &Repo, reader: Option<GitReader>) -> GitFacts {
    present(look(repo, repo.path(), BaselineChoice::Find, reader, &mut GitMemory::default())).facts
}

fn file(path: &str, staged: Option<ChangeKind>, unstaged: Option<ChangeKind>) -> ChangedFile {
    ChangedFile { path: path.into(), staged, unstaged }
}

fn modified() -> [ChangedFile; 1] {
    [file("part", None, Some(ChangeKind::Modified))]
}

#[test]
fn a_submodule_is_clean_only_while_nothing_in_it_is_uncommitted() {
    let (repo, inside) = whole();
    assert_eq!(changes(&repo), Changes::default());
    inside.write("README", "dirty\n");
    assert_eq!(changes(&repo).files, modified());
    assert_eq!(changes(&inside).n_unstaged, 1);
    inside.write("README", "hello\n").git(["checkout", "-q", "README"]);
    assert_eq!(changes(&repo), Changes::default());
    inside.write("loose", "x");
    assert_eq!(changes(&repo).files, modified());
    inside.git(["add", "loose"]);
    assert_eq!(changes(&repo).files, modified());
    inside.commit("moved");
    assert_eq!(changes(&repo).files, modified());
    repo.git(["add", "part"]);
    assert_eq!(changes(&repo).files, [file("part", Some(ChangeKind::Modified), None)]);
    inside.write("loose", "y");
    let both = file("part", Some(ChangeKind::Modified), Some(ChangeKind::Modified));
    assert_eq!(changes(&repo).files, [both]);
}

#[test]
fn settings_that_tell_git_to_ignore_a_submodule_hide_nothing() {
    let (repo, inside) = whole();
    repo.git(["config", "-f", ".gitmodules", "submodule.part.ignore", "all"]);
    repo.git(["config", "submodule.part.ignore", "all"]);
    repo.git(["config", "diff.ignoreSubmodules", "all"]);
    repo.commit("ignored");
    assert_eq!(changes(&repo), Changes::default());
    inside.write("loose", "x");
    assert_eq!(changes(&repo).files, modified());
    inside.commit("moved");
    assert_eq!(changes(&repo).files, modified());
}

#[test]
fn a_submodule_in_a_submodule_is_looked_into() {
    let (repo, inside) = whole();
    let deep = Repo::new();
    add(&inside, &deep, "deep");
    inside.commit("with a deep one");
    repo.git(["add", "part"]);
    repo.commit("all");
    assert_eq!(changes(&repo), Changes::default());
    repo.write("part/deep/loose", "x");
    assert_eq!(changes(&repo).files, modified());
}

#[test]
fn added_removed_and_replaced_submodules_are_told_apart() {
    let (repo, inside) = whole();
    let other = Repo::new();
    for name in ["gone", "taken", "file"] {
        add(&repo, &other, name);
    }
    repo.commit("more");
    add(&repo, &other, "new");
    std::fs::remove_dir_all(repo.at("gone")).unwrap();
    repo.git(["rm", "-q", "taken"]);
    std::fs::remove_dir_all(repo.at("file")).unwrap();
    repo.write("file", "x");
    let (added, deleted) = (ChangeKind::Added, ChangeKind::Deleted);
    let expected = [
        file(".gitmodules", Some(ChangeKind::Modified), None),
        file("file", None, Some(ChangeKind::TypeChanged)),
        file("gone", None, Some(deleted)),
        file("new", Some(added), None),
        file("taken", Some(deleted), None),
    ];
    assert_eq!(changes(&repo).files, expected);
    drop(inside);
}

#[test]
fn a_submodule_that_is_not_checked_out_is_clean_while_its_folder_is_empty() {
    let (repo, _) = whole();
    repo.git(["submodule", "--quiet", "deinit", "part"]);
    assert_eq!(changes(&repo), Changes::default());
    repo.write("part/work", "x");
    let facts = facts(&repo, BaselineChoice::Find);
    assert_eq!(facts.changes.unwrap().files, modified());
    assert!(facts.notes.iter().any(|note| note.contains("submodule part")), "{:?}", facts.notes);
}

#[test]
fn a_conflict_over_a_submodule_is_a_conflict() {
    let (repo, inside) = whole();
    for branch in ["one", "two"] {
        repo.git(["checkout", "-q", "-B", branch, "main"]);
        inside.git(["checkout", "-q", "--detach", "main"]);
        inside.commit_file(branch);
        repo.git(["add", "part"]);
        repo.commit(branch);
    }
    assert!(!repo.try_git(&["merge", "one"], &[]).status.success());
    let changes = changes(&repo);
    assert_eq!((changes.n_conflicted, changes.n_paths), (1, 1));
}

#[test]
fn evidence_files_in_a_submodule_are_no_work_while_they_are_untracked() {
    let (repo, inside) = whole();
    inside.write("out/report.md", "x");
    let evidence = ["part/out/report.md".to_owned()];
    let read = || facts_with(&repo, BaselineChoice::Find, &evidence).changes.unwrap();
    assert_eq!((read().n_paths, read().n_evidence_files), (0, 1));
    inside.write("out/work", "x");
    assert_eq!(read().files, modified());
}

/// What keeps a submodule from being looked into.
type Damage = fn(&Repo, &Repo);

#[test]
fn a_submodule_that_cannot_be_looked_into_is_never_clean_and_said() {
    let damages: [(&str, Damage, &str); 4] = [
        ("index", |_, inside| std::fs::write(inside.git_dir().join("index"), "DIRC").unwrap(), "is damaged"),
        ("HEAD", |_, inside| std::fs::write(inside.git_dir().join("HEAD"), "x\n").unwrap(), "damaged"),
        ("git dir", |_, inside| std::fs::remove_dir_all(inside.git_dir()).unwrap(), "gone"),
        (".git", |_, inside| std::fs::write(inside.at(".git"), "nonsense").unwrap(), "git directory"),
    ];
    for (name, damage, words) in damages {
        for reader in READERS {
            let (repo, inside) = whole();
            damage(&repo, &inside);
            let facts = facts_by(&repo, reader);
            assert_eq!(facts.changes.as_ref().unwrap().files, modified(), "{name}, {reader:?}");
            let note = facts.notes.iter().find(|note| note.contains("submodule part")).unwrap();
            assert!(note.contains(words), "{name}, {reader:?}: {note}");
        }
    }
}

#[test]
fn a_submodule_with_a_damaged_configuration_is_never_clean_and_said() {
    for reader in READERS {
        let (repo, inside) = whole();
        let path = inside.git_dir().join("config");
        std::fs::write(&path, "[[[").unwrap();
        // The git program reads it before it can be told not to.
        let said = match reader {
            Some(GitReader::Program) => refusal(&repo, repo.path(), reader).detail,
            Some(GitReader::InProcess) | None => {
                let facts = facts_by(&repo, reader);
                assert_eq!(facts.changes.unwrap().files, modified(), "{reader:?}");
                facts.notes.concat()
            }
        };
        assert!(said.contains("damaged") && said.contains(&path.display().to_string()), "{reader:?}: {said}");
    }
}

#[test]
fn a_submodule_of_another_format_is_read_by_the_program_or_not_clean() {
    let (repo, _) = whole();
    std::fs::remove_dir_all(repo.at("part")).unwrap();
    let inside = repo.beside("whole/part");
    inside.git(["init", "-q", "-b", "main", "--ref-format=reftable"]);
    inside.commit_file("a");
    repo.git(["add", "part"]);
    repo.commit("another part");
    for reader in [Some(GitReader::Program), None] {
        assert_eq!(facts_by(&repo, reader).changes.unwrap(), Changes::default(), "{reader:?}");
    }
    assert_eq!(facts_by(&repo, Some(GitReader::InProcess)).changes.unwrap().files, modified());
    inside.write("loose", "x");
    for reader in READERS {
        assert_eq!(facts_by(&repo, reader).changes.unwrap().files, modified(), "{reader:?}");
    }
}

#[test]
fn a_submodule_of_somebody_else_is_not_trusted() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give a repository to another user");
        return;
    }
    for reader in READERS {
        let (repo, inside) = whole();
        std::os::unix::fs::chown(inside.path(), Some(12345), None).unwrap();
        let facts = facts_by(&repo, reader);
        assert_eq!(facts.changes.unwrap().files, modified(), "{reader:?}");
        assert!(facts.notes.iter().any(|note| note.contains("another user")), "{:?}", facts.notes);
    }
}

#[test]
fn a_named_pipe_in_a_submodule_is_refused_at_once() {
    for name in ["HEAD", "index", "config"] {
        for reader in READERS {
            let (repo, inside) = whole();
            repo.fifo(&inside.git_dir().join(name));
            let unreadable = refusal(&repo, repo.path(), reader);
            assert_eq!(unreadable.problem, ReadProblem::NotAFile, "{name}, {reader:?}");
            assert!(unreadable.detail.contains("submodule part"), "{}", unreadable.detail);
        }
    }
}

#[test]
fn submodules_are_found_in_every_form_of_the_index() {
    for version in ["2", "3", "4"] {
        let (repo, inside) = whole();
        repo.write("pa", "x").write("part-of-another/name", "x").write("q", "x").commit("files");
        repo.git(["update-index", "--index-version", version]);
        assert_eq!(changes(&repo), Changes::default(), "version {version}");
        inside.write("loose", "x");
        assert_eq!(changes(&repo).files, modified(), "version {version}");
    }
    let (repo, inside) = whole();
    repo.git(["update-index", "--split-index"]);
    repo.write("q", "x").commit("files");
    assert_eq!(facts_by_program(&repo, BaselineChoice::Find).changes.unwrap(), Changes::default());
    inside.write("loose", "x");
    assert_eq!(facts_by_program(&repo, BaselineChoice::Find).changes.unwrap().files, modified());
}
