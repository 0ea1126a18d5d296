//! Workspaces whose `.git` is no repository that can be used, inside another repository: the work goes into the vault,
//! and the repository above is neither written to nor named as the place of the work.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use closeout::action::rescue::RescueError;
use closeout::model::{ActionClass, RecordNotice, RecordState};

use super::fixture::{WholeActions as _, rescuer};
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};

/// A way to make `.git` unusable, given its path. It holds a whole repository before.
type Break = (&'static str, fn(&Repo));

const WAYS: [Break; 17] = [
    ("an empty folder", |repo| fs::create_dir(gone(repo)).unwrap()),
    ("a folder with something else", |repo| {
        fs::create_dir(gone(repo)).unwrap();
        repo.write(".git/notes", "x");
    }),
    ("objects without HEAD", |repo| fs::remove_file(repo.at(".git/HEAD")).unwrap()),
    ("HEAD alone", |repo| {
        fs::create_dir(gone(repo)).unwrap();
        repo.write(".git/HEAD", "ref: refs/heads/main\n");
    }),
    ("an empty file", |repo| file(repo, "")),
    ("a file with garbage", |repo| file(repo, "\u{1b}[5m\0garbage")),
    ("a file that names nothing", |repo| file(repo, "gitdir: ../nowhere/.git/modules/x\n")),
    ("a file that names an empty folder", |repo| {
        fs::create_dir(repo.root().join("empty")).unwrap();
        file(repo, "gitdir: ../../empty\n");
    }),
    ("a link to nowhere", |repo| symlink("nowhere", gone(repo)).unwrap()),
    ("a link to itself", |repo| symlink(".git", gone(repo)).unwrap()),
    ("a link to a device", |repo| symlink("/dev/zero", gone(repo)).unwrap()),
    ("a pipe", |repo| {
        let path = gone(repo);
        repo.fifo(&path);
    }),
    ("a socket", |repo| drop(UnixListener::bind(gone(repo)).unwrap())),
    ("settings that git cannot read", |repo| {
        repo.write(".git/config", "[core\nbare = ");
    }),
    ("more settings than any", |repo| {
        repo.write(".git/config", "# a line of a comment\n".repeat(300_000));
    }),
    ("a format that no git knows", |repo| {
        repo.git(["config", "core.repositoryFormatVersion", "99"]);
    }),
    ("ids of an unknown kind", |repo| {
        repo.git(["config", "core.repositoryFormatVersion", "1"]);
        repo.git(["config", "extensions.objectFormat", "sha9"]);
    }),
];

/// Removes the repository, and returns its path.
fn gone(repo: &Repo) -> std::path::PathBuf {
    fs::remove_dir_all(repo.at(".git")).unwrap();
    repo.at(".git")
}

fn file(repo: &Repo, content: &str) {
    fs::write(gone(repo), content).unwrap();
}

/// A repository inside one with work of its own, its `.git` spoiled. Returns both, the outer one first.
fn inside(spoil: fn(&Repo)) -> (Repo, Repo) {
    let outer = Repo::prepared("a repository in another", || {
        let outer = Repo::new();
        outer.write("theirs", "1\n");
        let inner = outer.beside("repo/inner");
        inner.git(["init", "-q", "-b", "work"]);
        inner.write("a", "1\n").write(".gitignore", "junk\n").commit("first");
        inner.write("a", "2\n").write("new/deep/x", "x\n").write("junk", "j\n");
        fs::set_permissions(inner.at("new/deep/x"), fs::Permissions::from_mode(0o755)).unwrap();
        outer
    });
    let inner = outer.beside("repo/inner");
    drop(rescuer(&outer));
    // The traps are in the repository above; here each way has its own.
    spoil(&inner);
    (outer, inner)
}

/// Everything in a folder as a plain walk sees it, with contents but without times.
fn files(folder: &Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(now) = open.pop() {
        for entry in fs::read_dir(&now).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if name.starts_with(".git/") || name == ".git" || name == "junk" {
            } else if metadata.is_dir() {
                open.push(path);
            } else {
                found.push((name, metadata.permissions().mode() & 0o100, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// S41
#[test]
fn work_above_which_a_repository_lies_goes_into_the_vault() {
    for (case, spoil) in WAYS {
        let (outer, inner) = inside(spoil);
        let before = (traces(&outer.at(".git")), traces(inner.path()));
        let shown = rescuer(&outer).plan(inner.path(), "m").unwrap_or_else(|error| panic!("{case}: {error}"));
        let refusal = shown.refusal.clone().unwrap_or_default();
        assert!(shown.target.is_none() && shown.targets.is_empty(), "{case}");
        assert!(!refusal.is_empty() && !refusal.contains('\0'), "{case}: {refusal}");
        let record = &shown.record;
        let is_told = record.notices.iter().any(|it| matches!(it, RecordNotice::VaultOnly { .. }));
        // A gap in the whole is what is not known of HEAD.
        let has_gaps = record.gaps.iter().any(|gap| !gap.path.is_empty());
        assert!(is_told && record.vault.is_some() && !has_gaps, "{case}: {record:?}");
        let again = rescuer(&outer).record(inner.path()).unwrap();
        assert!(
            again.unchanged_millis.is_some() && again.reference == record.reference,
            "{case}: made twice"
        );
        let listed = rescuer(&outer).list(inner.path()).unwrap();
        assert_eq!(listed.records.len(), 1, "{case}");
        assert_eq!(listed.records[0].state, RecordState::VaultOnly, "{case}");
        let into = outer.root().join("into");
        rescuer(&outer).restore(inner.path(), &record.reference, &into).unwrap();
        assert_eq!(files(&into), files(inner.path()), "{case}");
        for action in [
            rescuer(&outer).commit(inner.path(), &shown).map(drop),
            rescuer(&outer).undo(inner.path()),
            rescuer(&outer).redo(inner.path()),
            rescuer(&outer).delete(inner.path(), &record.reference, false).map(drop),
        ] {
            let error = action.unwrap_err();
            let class = error.class();
            let is_no_word_of_nothing = matches!(class, ActionClass::Refused | ActionClass::Failed)
                || matches!(error, RescueError::Nothing);
            assert!(is_no_word_of_nothing, "{case}: {error}");
        }
        assert_eq!((traces(&outer.at(".git")), traces(inner.path())), before, "{case}");
    }
}

fn file_in(repo: &Repo, name: &str, content: &str) {
    fs::write(repo.git_dir().join(name), content).unwrap();
}

/// What is done before is not lost by a repository that breaks: once it is mended, all is as it was.
#[test]
fn a_mended_repository_has_its_records_and_its_undo_again() {
    let (outer, inner) = inside(|_| {});
    super::hostile::arm_unless_armed(&inner);
    let before = inner.head();
    let shown = rescuer(&outer).plan(inner.path(), "m").unwrap();
    rescuer(&outer).commit(inner.path(), &shown).unwrap();
    let config = fs::read(inner.at(".git/config")).unwrap();
    inner.write(".git/config", "[core\n").write("later", "1\n");
    let vault = rescuer(&outer).record(inner.path()).unwrap();
    assert!(vault.vault.is_some());
    let listed = rescuer(&outer).list(inner.path()).unwrap();
    let is_told = |it: &RecordNotice| matches!(it, RecordNotice::NoRepository { n_unseen: 0, .. });
    assert!(listed.records.len() == 2 && listed.notices.iter().any(is_told), "{listed:?}");
    let into = outer.root().join("into");
    assert_eq!(rescuer(&outer).restore(inner.path(), &shown.record.reference, &into).unwrap(), 3);
    inner.write(".git/config", config);
    let listed = rescuer(&outer).list(inner.path()).unwrap();
    let states: Vec<RecordState> = listed.records.iter().map(|record| record.state).collect();
    assert_eq!((states, listed.notices), (vec![RecordState::VaultOnly, RecordState::Kept], Vec::new()));
    rescuer(&outer).undo(inner.path()).unwrap();
    assert_eq!(inner.head(), before);
}

/// What git reads beside the objects and cannot use keeps nobody from the records.
#[test]
fn records_are_listed_and_restored_beside_what_git_cannot_read() {
    type Spoil = fn(&Repo);
    let spoils: [(&str, Spoil); 6] = [
        ("packed-refs", |repo| file_in(repo, "packed-refs", "garbage\n")),
        ("packed-refs that is a folder", |repo| fs::create_dir(repo.git_dir().join("packed-refs")).unwrap()),
        ("config", |repo| file_in(repo, "config", "[core\n")),
        ("extension", |repo| {
            let config = "[core]\n repositoryformatversion = 1\n[extensions]\n foo = bar\n";
            file_in(repo, "config", config);
        }),
        ("shallow", |repo| file_in(repo, "shallow", "garbage\n")),
        ("head", |repo| file_in(repo, "HEAD", "garbage\n")),
    ];
    for (name, spoil) in spoils {
        let repo = Repo::new();
        repo.write("work", "an hour of it\n");
        let record = rescuer(&repo).record(repo.path()).unwrap();
        spoil(&repo);
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        let references: Vec<_> = listed.records.iter().map(|it| &it.reference).collect();
        assert_eq!(references, [&record.reference], "{name}: {listed:?}");
        let into = repo.root().join("into");
        let restored = rescuer(&repo).restore(repo.path(), &record.reference, &into);
        assert!(restored.as_ref().is_ok_and(|n_files| *n_files > 0), "{name}: {restored:?}");
        assert_eq!(fs::read(into.join("work")).unwrap(), b"an hour of it\n", "{name}");
    }
}

/// What a person sees: never the work of the repository above, never COMPLETE.
#[test]
fn the_commands_name_what_is_broken_and_nothing_above() {
    for n in [0, 4, 6, 8] {
        let (case, spoil) = WAYS[n];
        let (outer, inner) = inside(spoil);
        let before = traces(&outer.at(".git"));
        let env = TestEnv::beside(&outer);
        let deep = inner.at("new/deep");
        for here in [inner.path(), &deep] {
            let shown = env.run(here, &["check", "--json"]).workspace();
            let text = shown.to_string();
            assert!(!text.contains("theirs") && text.contains(".git"), "{case}: {text}");
            assert!(shown["path"].as_str().unwrap().ends_with("repo/inner"), "{case}: {text}");
            assert!(!["COMPLETE", "NO_TASK"].contains(&shown["state"].as_str().unwrap()), "{case}: {text}");
        }
        let made = env.run(&deep, &["rescue", "-y", "-m", "work"]);
        assert!(made.err.contains("inner") && !made.out.contains("theirs"), "{case}: {made:?}");
        let listed = env.run(&deep, &["rescues", "--json"]).json();
        assert_eq!(listed["records"].as_array().unwrap().len(), 1, "{case}: {listed}");
        assert_eq!(traces(&outer.at(".git")), before, "{case}");
    }
}
