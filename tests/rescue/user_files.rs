//! Wrong kinds of things in the place of git's files in a person's home, and of files that settings name: git would wait
//! for them, fail, or fill the memory. The work is saved all the same, and what is in the way is named.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use super::fixture::*;
use crate::support::repo::Repo;

/// Puts the wrong kind of thing in a place where nothing is.
type Put = fn(&Repo, &Path);

const FIFO: Put = |repo, path| {
    repo.fifo(path);
};
const DEVICE: Put = |_, path| symlink("/dev/zero", path).unwrap();
const FOLDER: Put = |_, path| fs::create_dir_all(path.join("x")).unwrap();
const LOOP: Put = |_, path| symlink(path.file_name().unwrap(), path).unwrap();
const SOCKET: Put = |_, path| drop(UnixListener::bind(path).unwrap());
const SPARSE: Put = |_, path| fs::File::create(path).unwrap().set_len(8 << 30).unwrap();

/// A place in the home, what to put there, and settings of the user's that name the place.
const WAYS: [(&str, Put, &str); 13] = [
    (".gitconfig", FIFO, ""),
    (".gitconfig", LOOP, ""),
    (".gitconfig", SPARSE, ""),
    (".config/git/config", FIFO, ""),
    (".config/git/config", FOLDER, ""),
    (".config/git/attributes", FIFO, ""),
    (".config/git/attributes", DEVICE, ""),
    (".config/git/ignore", FIFO, ""),
    (".config/git/ignore", SOCKET, ""),
    (".config/git/ignore", SPARSE, ""),
    ("rules", FIFO, "[core]\n\texcludesFile = ~/rules\n"),
    ("rules", DEVICE, "[core]\n\tattributesFile = ~/rules\n"),
    ("more", FIFO, "[include]\n\tpath = more\n"),
];

fn with_work() -> Repo {
    let repo = Repo::new();
    repo.switch("work").write("a", "1\n").commit("more");
    repo.write("a", "2\n").write("new", "3\n");
    fs::create_dir_all(repo.home().join(".config/git")).unwrap();
    repo
}

// G12
#[test]
fn a_file_of_the_users_that_git_would_hang_on_keeps_no_work_from_being_saved() {
    let repo = with_work();
    let rescuer = rescuer(&repo);
    let settings = repo.home().join(".gitconfig");
    let usual = fs::read_to_string(&settings).unwrap();
    for (place, put, more) in WAYS {
        let path = repo.home().join(place);
        fs::write(&settings, format!("{usual}{more}")).unwrap();
        let _ = fs::remove_file(&path);
        put(&repo, &path);
        let plan =
            rescuer.plan(repo.path(), "m").unwrap_or_else(|error| panic!("{place}: {error}, {more:?}"));
        assert_holds_the_work_tree(&repo, &plan.record);
        let refusal = plan.refusal.unwrap_or_default();
        assert!(refusal.contains(&path.display().to_string()), "{place}: {refusal}");
        assert!(refusal.contains("put a file in its place"), "{place}: {refusal}");
        assert!(plan.targets.is_empty(), "{place}");
        fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).unwrap();
    }
    assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "a git hung");
    fs::write(&settings, usual).unwrap();
    let plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!(plan.refusal, None);
    rescuer.commit(repo.path(), &plan).unwrap();
}

#[test]
fn rules_that_the_repositorys_own_settings_name_do_not_either() {
    for setting in ["core.attributesFile", "core.excludesFile"] {
        let repo = with_work();
        let rescuer = rescuer(&repo);
        let path = repo.root().join("rules");
        repo.fifo(&path);
        repo.git(["config", setting, path.to_str().unwrap()]);
        let record = rescuer.record(repo.path()).unwrap_or_else(|error| panic!("{setting}: {error}"));
        assert_holds_the_work_tree(&repo, &record);
        let why = match rescuer.plan(repo.path(), "m") {
            Ok(plan) => plan.refusal.unwrap_or_default(),
            Err(error) if error.kept().is_some() => error.to_string(),
            Err(error) => panic!("{setting}: {error}"),
        };
        assert!(why.contains(&path.display().to_string()), "{setting}: {why}");
        assert_eq!(rescuer.budget.left(), rescuer.budget.total(), "{setting}: a git hung");
    }
}

#[test]
fn what_git_takes_for_no_file_is_in_nobodys_way() {
    let repo = with_work();
    let rescuer = rescuer(&repo);
    symlink("/dev/null", repo.home().join(".config/git/config")).unwrap();
    symlink("nowhere", repo.home().join(".config/git/ignore")).unwrap();
    fs::write(repo.home().join(".config/git/attributes"), "").unwrap();
    let plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!(plan.refusal, None);
    rescuer.commit(repo.path(), &plan).unwrap();
}
