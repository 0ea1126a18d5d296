//! Faults that only an ordinary user meets, because permissions mean nothing to root. If the tests run as root,
//! the attempt runs in a process of another user.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{ActionClass, Gap, KeepIn, LeftOut, RecordOrder};

use super::fixture::*;
use crate::support::repo::{Repo, git_program};

/// Tells the other user's process the work tree and what to try.
const ORDER: &str = "CLOSEOUT_TEST_AS_USER";
/// A user who owns nothing.
const NOBODY: u32 = 65_534;

/// Not a test of its own: what the other user's process does.
#[test]
#[ignore = "run by the tests of this module in a process of another user"]
fn act_as_another_user() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let (top, action) = order.split_once('\n').unwrap();
    perform(Path::new(top), action);
}

fn perform(top: &Path, action: &str) {
    let root = top.parent().unwrap();
    let rescuer = Rescuer::new(git_program(), Some(root.join("home")), root.join("state"));
    match action {
        "unreadable" => {
            let record = rescuer.record(top).unwrap();
            assert_eq!(record.class(), ActionClass::SavedGaps);
            let named = |name: &str| {
                record.gaps.iter().any(|gap| gap.path == name.as_bytes() || gap.reason.contains(name))
            };
            assert!(named("closed-file") && named("closed-folder"), "{:?}", record.gaps);
            assert_eq!((record.gaps.len(), record.n_files), (2, 2), "{:?}", record.gaps);
        }
        "taken_place" => {
            let plan = rescuer.plan(top, "m").unwrap();
            for name in ["taken", "half/closed", "closed-file"] {
                let is_named = |gap: &&Gap| gap.path == name.as_bytes();
                assert_eq!(plan.record.gaps.iter().filter(is_named).count(), 1, "{:?}", plan.record.gaps);
            }
            assert_eq!(plan.record.gaps.len(), 3, "{:?}", plan.record.gaps);
            for name in ["taken", "half"] {
                let path = plan.paths.iter().find(|path| path.path == name.as_bytes()).unwrap();
                assert_eq!(path.left_out, Some(LeftOut::Gap), "{name}");
            }
            rescuer.commit(top, &plan).unwrap();
        }
        "read_only" => {
            let refused = rescuer.record(top).unwrap_err();
            assert!(matches!(refused, RescueError::ReadOnly(_)), "{refused:?}");
            assert_eq!(refused.class(), ActionClass::Failed);
            let order = RecordOrder { keep_in: KeepIn::Vault, ..RecordOrder::default() };
            let record = rescuer.record_ordered(top, order).unwrap();
            let into = root.join("into");
            assert_eq!(rescuer.restore(top, &record.reference, &into).unwrap(), record.n_files);
            assert_eq!(fs::read(into.join("fine")).unwrap(), b"fine\n");
        }
        "read_only_state" => {
            let made = rescuer.record(top).unwrap();
            fs::write(top.join("more"), "1\n").unwrap();
            let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
            let in_vault = rescuer.record_ordered(top, order).unwrap();
            close(&root.join("state"));
            let before = crate::support::test_env::traces(&root.join("state"));
            let listed = rescuer.list(top).unwrap();
            assert!(listed.records.iter().map(|it| &it.reference).eq([&in_vault.reference, &made.reference]));
            assert_eq!(listed.notices, []);
            for (record, name) in [(&made, "one"), (&in_vault, "two")] {
                let into = root.join(name);
                assert_eq!(rescuer.restore(top, &record.reference, &into).unwrap(), record.n_files);
                assert_eq!(fs::read(into.join("fine")).unwrap(), b"fine\n");
            }
            let by_command = restore_by_command(top, &made.reference, &root.join("three"));
            let words = ["files written", "this restore is in no log: cannot write "];
            assert!(words.iter().all(|words| by_command.contains(words)), "{by_command}");
            let refused = rescuer.record(top).unwrap_err();
            assert_eq!(refused.class(), ActionClass::Failed, "{refused:?}");
            assert_eq!(crate::support::test_env::traces(&root.join("state")), before);
            open(&root.join("state"));
        }
        other => panic!("{other}"),
    }
}

/// What the command says that restores a record.
#[expect(clippy::disallowed_methods, reason = "this process is another user's already")]
fn restore_by_command(top: &Path, record: &str, into: &Path) -> String {
    let root = top.parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_closeout"));
    command.args(["restore", record]).arg(into).current_dir(top).stdin(Stdio::null()).env_clear();
    command.env("HOME", root.join("home")).env("CLOSEOUT_STATE_DIR", root.join("state"));
    let output = command.env("PATH", git_program().parent().unwrap()).output().unwrap();
    [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
}

/// Takes the right to write from a folder and all below it.
fn close(path: &Path) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            close(&entry.unwrap().path());
        }
    }
    set_mode(path, if path.is_dir() { 0o500 } else { 0o400 });
}

/// Gives it back.
fn open(path: &Path) {
    set_mode(path, if path.is_dir() { 0o700 } else { 0o600 });
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            open(&entry.unwrap().path());
        }
    }
}

/// Tries an action as a user to whom permissions apply.
#[expect(clippy::disallowed_methods, reason = "another user needs a process of its own")]
fn try_as_user(repo: &Repo, action: &str) {
    drop(rescuer(repo));
    if !rustix::process::geteuid().is_root() {
        return perform(repo.path(), action);
    }
    give(&repo.root(), NOBODY);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "rescue::as_user::act_as_another_user", "--ignored", "--nocapture"])
        .env(ORDER, format!("{}\n{action}", repo.path().display()))
        .current_dir("/")
        .stdin(Stdio::null())
        .uid(NOBODY)
        .gid(NOBODY);
    match command.output() {
        Err(error) => eprintln!("SKIPPED: the other user cannot run this test: {error}"),
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && words.contains("1 passed"), "{words}");
        }
    }
}

/// Gives a path and everything below it to another user.
pub(super) fn give(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

// S20
#[test]
fn what_cannot_be_read_is_named_and_everything_else_is_recorded() {
    let repo = Repo::new();
    repo.write("fine", "fine\n").write("closed-file", "1\n").write("closed-folder/inner", "2\n");
    set_mode(&repo.at("closed-file"), 0);
    set_mode(&repo.at("closed-folder"), 0);
    try_as_user(&repo, "unreadable");
    set_mode(&repo.at("closed-folder"), 0o700);
}

/// A file whose place an unreadable folder took is not committed as deleted, and the folder is named whatever else is.
#[test]
fn what_an_unreadable_folder_took_the_place_of_is_not_deleted() {
    let repo = Repo::new();
    repo.write("taken", "1\n").write("half", "1\n").commit("files");
    repo.remove("taken").remove("half");
    repo.write("README", "2\n").write("taken/inner", "2\n").write("half/closed/inner", "3\n");
    repo.write("closed-file", "4\n");
    let closed = ["taken", "half/closed", "closed-file"].map(|name| repo.at(name));
    for path in &closed {
        set_mode(path, 0);
    }
    try_as_user(&repo, "taken_place");
    for path in &closed {
        set_mode(path, 0o700);
    }
    give(&repo.root(), rustix::process::geteuid().as_raw());
    assert_eq!(repo.git(["diff", "--name-status", "HEAD~1", "HEAD"]), "M\tREADME");
}

// S33
#[test]
fn a_repository_that_cannot_be_written_is_said_and_the_vault_takes_the_record() {
    let repo = Repo::new();
    repo.write("fine", "fine\n");
    let objects = repo.git_dir().join("objects");
    set_mode(&objects, 0o555);
    try_as_user(&repo, "read_only");
    set_mode(&objects, 0o755);
}

/// What was saved can be listed and taken out, whether or not closeout can write its own files.
#[test]
fn a_state_folder_that_cannot_be_written_hides_no_record() {
    let repo = Repo::new();
    repo.write("fine", "fine\n");
    try_as_user(&repo, "read_only_state");
}
