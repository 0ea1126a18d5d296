//! The store: what survives a restart, a damaged file, another process, and a folder that refuses.

mod audit;
mod edited_text;
mod gate_rows;
mod held;
mod history;
mod reports;
mod trust;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;

use crate::support::samples::commit_id;
use closeout::model::{Baseline, BaselineOrigin, Draft, NamedBaseline, SessionName, Timestamp, WorkspaceId};
use closeout::store::edited_text::EditedText;
use closeout::store::{Remembered, Store, StoreError, log};
use tempfile::TempDir;
use tracing::level_filters::LevelFilter;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn store() -> (TempDir, Store) {
    let folder = crate::support::scratch::folder();
    let store = Store::open(folder.path().join("state/closeout")).unwrap();
    (folder, store)
}

fn baseline(commit: &str) -> Baseline {
    Baseline {
        commit: Some(commit_id(commit)),
        origin: BaselineOrigin::FirstSeen,
        set_at: Timestamp(1_000),
        commit_time: Some(Timestamp(900)),
    }
}

fn records(store: &Store) -> Vec<PathBuf> {
    let entries = fs::read_dir(store.folder().join("baselines")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn baselines_come_back_after_a_restart() {
    let (_folder, store) = store();
    let (a, b) = (WorkspaceId::local("/w/a"), WorkspaceId::local("/w/作業 b"));
    store.remember_baseline(&a, &baseline("1")).unwrap();
    store.remember_baseline(&b, &baseline("2")).unwrap();
    store.remember_baseline(&a, &baseline("3")).unwrap();
    let reopened = Store::open(store.folder()).unwrap();
    let expected = Remembered {
        baselines: [(a, baseline("3")), (b, baseline("2"))].into_iter().collect(),
        ..Remembered::default()
    };
    assert_eq!(reopened.baselines().unwrap(), expected);
}

#[test]
fn what_a_name_meant_is_kept_for_the_last_task_beside_what_was_found() {
    let (_folder, store) = store();
    let workspace = WorkspaceId::local("/w");
    let named = |rev: &str, task_at: i64, commit: &str| {
        let baseline = Baseline { origin: BaselineOrigin::Configuration, ..baseline(commit) };
        NamedBaseline { rev: rev.to_owned(), task_at: Timestamp(task_at), baseline }
    };
    store.remember_named(&workspace, &named("origin/main", 1, "1")).unwrap();
    assert_eq!(store.baselines().unwrap().baselines.get(&workspace), None, "nothing was found");
    store.remember_baseline(&workspace, &baseline("2")).unwrap();
    store.remember_named(&workspace, &named("HEAD~1", 1, "3")).unwrap();
    store.remember_named(&workspace, &named("origin/main", 5, "4")).unwrap();
    let remembered = store.baselines_of(std::slice::from_ref(&workspace));
    assert_eq!(remembered.baselines[&workspace], baseline("2"));
    assert_eq!(remembered.named[&workspace], [named("HEAD~1", 1, "3"), named("origin/main", 5, "4")]);
    for number in 0..20 {
        store.remember_named(&workspace, &named(&format!("v{number}"), 6, "5")).unwrap();
    }
    let remembered = store.baselines_of(std::slice::from_ref(&workspace));
    let kept: Vec<&str> = remembered.named[&workspace].iter().map(|named| &*named.rev).collect();
    assert_eq!(kept, ["v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19"]);
}

#[test]
fn what_is_remembered_already_is_not_written_again() {
    let (_folder, store) = store();
    let workspace = WorkspaceId::local("/w");
    store.remember_baseline(&workspace, &baseline("1")).unwrap();
    let inode = || fs::metadata(&records(&store)[0]).unwrap().ino();
    let before = inode();
    store.remember_baseline(&workspace, &baseline("1")).unwrap();
    assert_eq!(inode(), before);
    store.remember_baseline(&workspace, &baseline("2")).unwrap();
    assert_eq!(store.baselines().unwrap().baselines[&workspace], baseline("2"));
}

#[test]
fn an_empty_store_remembers_nothing() {
    let (_folder, store) = store();
    assert_eq!(store.baselines().unwrap(), Remembered::default());
    assert_eq!(store.forget_gone(Timestamp(0)).unwrap(), 0);
}

#[test]
fn nobody_else_can_look_into_the_folder_or_its_files() {
    let (_folder, store) = store();
    store.remember_baseline(&WorkspaceId::local("/w"), &baseline("1")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(store.folder()), 0o700);
    assert_eq!(mode(&store.folder().join("baselines")), 0o700);
    assert_eq!(mode(&store.folder().join("lock")), 0o600);
    assert_eq!(records(&store).iter().map(|path| mode(path)).collect::<Vec<_>>(), [0o600]);

    fs::set_permissions(store.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    let reopened = Store::open(store.folder()).unwrap();
    assert_eq!(mode(reopened.folder()), 0o700);
}

#[test]
fn a_damaged_record_is_set_aside_and_the_others_stay() {
    let (_folder, store) = store();
    let damages: [&[u8]; 4] = [b"", b"{\"version\":1,", b"\xff\0", b"{\"version\":\"x\"}"];
    for (index, damage) in damages.into_iter().enumerate() {
        let (a, b) = (WorkspaceId::local(format!("/w/a{index}")), WorkspaceId::local("/w/b"));
        store.remember_baseline(&a, &baseline("1")).unwrap();
        let before: Vec<PathBuf> = records(&store);
        store.remember_baseline(&b, &baseline("2")).unwrap();
        let of_a = before.iter().find(|path| fs::read_to_string(path).unwrap().contains("/w/a")).unwrap();
        fs::write(of_a, damage).unwrap();

        let remembered = store.baselines().unwrap();
        assert_eq!(remembered.baselines, [(b, baseline("2"))].into_iter().collect());
        assert_eq!(remembered.notices.len(), 1, "{:?}", remembered.notices);
        assert!(remembered.notices[0].contains("set aside"), "{}", remembered.notices[0]);
        assert_eq!(fs::read(of_a.with_extension("damaged")).unwrap(), damage);
        assert_eq!(store.baselines().unwrap().notices, Vec::<String>::new(), "it is said once");
        fs::remove_file(of_a.with_extension("damaged")).unwrap();
    }
}

#[test]
fn a_damaged_record_does_not_keep_its_workspace_from_being_remembered() {
    let (_folder, store) = store();
    let workspace = WorkspaceId::local("/w");
    store.remember_baseline(&workspace, &baseline("1")).unwrap();
    fs::write(&records(&store)[0], "{").unwrap();
    store.remember_baseline(&workspace, &baseline("2")).unwrap();
    assert_eq!(store.baselines().unwrap().baselines[&workspace], baseline("2"));
}

#[test]
fn the_record_of_a_newer_version_is_not_touched() {
    let (_folder, store) = store();
    let workspace = WorkspaceId::local("/w");
    store.remember_baseline(&workspace, &baseline("1")).unwrap();
    let newer = "{\"version\": 2, \"of\": \"tomorrow\"}";
    fs::write(&records(&store)[0], newer).unwrap();
    let remembered = store.baselines().unwrap();
    assert!(remembered.baselines.is_empty());
    assert!(remembered.notices[0].contains("newer closeout (version 2)"), "{:?}", remembered.notices);
    let error = store.remember_baseline(&workspace, &baseline("2")).unwrap_err();
    assert!(matches!(error, StoreError::Newer { version: 2, .. }));
    assert_eq!(fs::read_to_string(&records(&store)[0]).unwrap(), newer);
}

#[test]
fn a_record_that_is_a_link_or_a_fifo_is_not_read() {
    let (folder, store) = store();
    store.remember_baseline(&WorkspaceId::local("/w"), &baseline("1")).unwrap();
    let record = records(&store).remove(0);
    let elsewhere = folder.path().join("elsewhere.json");
    fs::rename(&record, &elsewhere).unwrap();
    symlink(&elsewhere, &record).unwrap();
    let fifo = store.folder().join("baselines/0.json");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let remembered = store.baselines().unwrap();
    assert!(remembered.baselines.is_empty());
    assert_eq!(remembered.notices.len(), 2, "{:?}", remembered.notices);
}

#[test]
fn a_folder_that_cannot_be_made_or_written_is_an_error_and_no_panic() {
    let folder = crate::support::scratch::folder();
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(Store::open(folder.path().join("file/state")), Err(StoreError::Io { .. })));
    assert!(matches!(Store::open(folder.path().join("file")), Err(StoreError::WrongKind { .. })));
    // The kernel's own file system lets nobody make a folder, root included.
    assert!(matches!(Store::open("/proc/closeout"), Err(StoreError::Io { .. })));

    let (_folder, store) = store();
    fs::write(store.folder().join("baselines"), "in the way").unwrap();
    let workspace = WorkspaceId::local("/w");
    assert!(matches!(store.remember_baseline(&workspace, &baseline("1")), Err(StoreError::WrongKind { .. })));
    assert!(matches!(store.baselines(), Err(StoreError::Io { .. })));
}

#[test]
fn a_folder_of_another_user_is_refused() {
    // Root can give a folder away; anybody else finds one of root's in `/proc/1`.
    let folder = crate::support::scratch::folder();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(folder.path(), Some(12_345), None).unwrap();
        let error = Store::open(folder.path()).unwrap_err();
        assert!(matches!(error, StoreError::Foreign { owner: 12_345, .. }), "{error}");
    } else {
        let error = Store::open("/proc/1").unwrap_err();
        assert!(matches!(error, StoreError::Foreign { owner: 0, .. }), "{error}");
    }
}

#[test]
fn nothing_is_kept_behind_a_link_in_the_place_of_a_folder() {
    let (folder, store) = store();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    for name in ["baselines", "trust", "drafts", "runs", "editing", "log"] {
        symlink(&outside, store.folder().join(name)).unwrap();
    }
    let workspace = WorkspaceId::local("/w");
    let draft = Draft { session: SessionName::new("claude", "s"), text: "x".to_owned() };
    let refusals = [
        store.remember_baseline(&workspace, &baseline("1")).unwrap_err(),
        store.trust(Path::new("/w"), &"0".repeat(64), Timestamp(0)).unwrap_err(),
        store.keep_drafts(&workspace, &[draft]).unwrap_err(),
        store.lock_run(&workspace).unwrap_err(),
        store.run_folder(&workspace).unwrap_err(),
        EditedText::create(store.folder(), "x").unwrap_err(),
        log::subscriber(store.folder(), LevelFilter::INFO).map(drop).unwrap_err(),
    ];
    for refusal in refusals {
        assert!(matches!(refusal, StoreError::WrongKind { .. }), "{refusal}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_lock_that_is_not_given_back_is_waited_for_and_then_said() {
    let (_folder, store) = store();
    let lock = fs::File::create(store.folder().join("lock")).unwrap();
    lock.lock().unwrap();
    let workspace = WorkspaceId::local("/w");
    let error = store.remember_baseline(&workspace, &baseline("1")).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    drop(lock);
    store.remember_baseline(&workspace, &baseline("1")).unwrap();
}

#[test]
fn many_writers_lose_nothing() {
    let (_folder, store) = store();
    thread::scope(|scope| {
        for writer in 0..3 {
            let store = store.clone();
            scope.spawn(move || {
                for index in 0..4 {
                    let shared = WorkspaceId::local("/w/shared");
                    let own = WorkspaceId::local(format!("/w/{writer}-{index}"));
                    store.remember_baseline(&shared, &baseline("5")).unwrap();
                    store.remember_baseline(&own, &baseline("6")).unwrap();
                }
            });
        }
    });
    let remembered = store.baselines().unwrap();
    assert_eq!(remembered.notices, Vec::<String>::new());
    assert_eq!(remembered.baselines.len(), 13);
    assert_eq!(records(&store).len(), 13, "no unfinished file is left");
}

#[test]
fn a_workspace_is_forgotten_ninety_days_after_its_directory_was_missed() {
    let (folder, store) = store();
    let kept = folder.path().join("kept");
    fs::create_dir(&kept).unwrap();
    let back = folder.path().join("back");
    let ids = ["kept", "back", "gone"].map(|name| WorkspaceId::local(folder.path().join(name)));
    for id in &ids {
        store.remember_baseline(id, &baseline("1")).unwrap();
    }
    let start = Timestamp(1_000_000);
    let after = |days: i64| start.plus_millis(days * DAY_MS);
    assert_eq!(store.forget_gone(start).unwrap(), 0);
    fs::create_dir(&back).unwrap();
    assert_eq!(store.forget_gone(after(89)).unwrap(), 0);
    fs::remove_dir(&back).unwrap();
    assert_eq!(store.forget_gone(after(90)).unwrap(), 1);
    let left: Vec<WorkspaceId> = store.baselines().unwrap().baselines.into_keys().collect();
    let mut expected = ids[..2].to_vec();
    expected.sort();
    assert_eq!(left, expected);
    assert_eq!(store.forget_gone(after(180)).unwrap(), 1, "the one that came back is missed from day 90 on");
}

#[test]
fn the_log_is_written_to_a_file_of_this_user_and_holds_the_level() {
    let (_folder, store) = store();
    let (subscriber, guard) = log::subscriber(store.folder(), LevelFilter::INFO).unwrap();
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!(target: "closeout::store", name = "a\u{1b}[2J\nb", "said");
        tracing::debug!(target: "closeout::store", "too small");
        tracing::info!(target: "notify", "of another crate");
        tracing::warn!(target: "notify", "worth saying");
    });
    drop(guard);
    let files: Vec<PathBuf> =
        fs::read_dir(store.folder().join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(fs::metadata(&files[0]).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(store.folder().join("log")).unwrap().mode() & 0o777, 0o700);
    let content = fs::read_to_string(&files[0]).unwrap();
    assert_eq!(content.lines().count(), 2, "{content}");
    assert!(content.contains("said") && content.contains("worth saying"), "{content}");
    assert!(!content.contains('\u{1b}'), "{content}");
}

#[test]
fn a_log_that_is_off_makes_no_file() {
    let (_folder, store) = store();
    let guard = log::start(store.folder(), LevelFilter::OFF).unwrap();
    drop(guard);
    assert!(!store.folder().join("log").exists());
}
