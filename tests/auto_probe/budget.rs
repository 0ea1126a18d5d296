//! The budget of questions by itself: over all workspaces, restarts and closeouts of one state folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::thread;

use closeout::model::ProbePermit::{self, Denied, Granted};
use closeout::model::{AutoBudget, NotAsked, SessionMoment, SessionName, Timestamp};
use closeout::store::{Store, StoreError};
use tempfile::TempDir;

const HOUR: i64 = 3_600_000;
const START: i64 = 100 * HOUR;

fn store() -> (TempDir, Store) {
    let folder = crate::support::scratch::folder();
    let store = Store::open(folder.path().join("state")).unwrap();
    (folder, store)
}

fn moment(session: &str, rested: i64) -> SessionMoment {
    SessionMoment {
        session: SessionName::new("claude", session),
        prompted_at: None,
        rested_at: Some(Timestamp(rested)),
    }
}

/// Leave for the first question of that moment, with a budget of two.
fn leave(store: &Store, moment: &SessionMoment, at: i64) -> ProbePermit {
    store.acquire_probe_permit(moment, true, 2, Timestamp(START + at)).unwrap()
}

fn sent(n_sent: u32) -> AutoBudget {
    AutoBudget { n_sent, per_hour: 2 }
}

fn used_up(n_sent: u32, until: i64) -> NotAsked {
    NotAsked::UsedUp { budget: sent(n_sent), until: Timestamp(START + until) }
}

#[test]
fn the_hour_moves_with_the_clock_and_outlives_the_program() {
    let (_folder, store) = store();
    assert_eq!(leave(&store, &moment("a", 1), 0), Granted(sent(1)));
    let store = Store::open(store.folder()).unwrap();
    assert_eq!(leave(&store, &moment("b", 1), 600_000), Granted(sent(2)));
    assert_eq!(leave(&store, &moment("c", 1), 600_001), Denied(used_up(2, HOUR)));
    // What was refused is not counted.
    assert_eq!(leave(&store, &moment("c", 1), HOUR - 1), Denied(used_up(2, HOUR)));
    assert_eq!(leave(&store, &moment("c", 1), HOUR), Granted(sent(2)));
    assert_eq!(leave(&store, &moment("d", 1), HOUR + 1), Denied(used_up(2, HOUR + 600_000)));
    let budget = |at| store.auto_budget(2, Timestamp(START + at)).unwrap().n_sent;
    assert_eq!((budget(HOUR + 1), budget(HOUR + 600_000), budget(2 * HOUR)), (2, 1, 0));
    let mode = fs::metadata(store.folder().join("auto-probes.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A smaller budget than what was sent: room comes when enough has left the hour.
    let smaller = store.acquire_probe_permit(&moment("e", 1), true, 1, Timestamp(START + HOUR + 1)).unwrap();
    let budget = AutoBudget { n_sent: 2, per_hour: 1 };
    assert_eq!(smaller, Denied(NotAsked::UsedUp { budget, until: Timestamp(START + 2 * HOUR) }));
}

#[test]
fn a_moment_is_asked_once_also_days_later_and_further_questions_of_its_check_are_counted() {
    let (_folder, store) = store();
    assert_eq!(leave(&store, &moment("a", 1), 0), Granted(sent(1)));
    assert_eq!(leave(&store, &moment("a", 1), 1), Denied(NotAsked::AskedBefore));
    // How far back its prompt was read may differ.
    let same = SessionMoment { prompted_at: Some(Timestamp(0)), ..moment("a", 1) };
    assert_eq!(leave(&store, &same, 2), Denied(NotAsked::AskedBefore));
    let again = store.acquire_probe_permit(&moment("a", 1), false, 2, Timestamp(START + 3)).unwrap();
    assert_eq!(again, Granted(sent(2)));
    assert_eq!(leave(&store, &moment("a", 2), 4), Denied(used_up(2, HOUR)));
    let day = 24 * HOUR;
    assert_eq!(leave(&store, &moment("b", 1), day), Granted(sent(1)));
    assert_eq!(leave(&store, &moment("a", 1), day + 1), Denied(NotAsked::AskedBefore));
    assert_eq!(leave(&store, &moment("a", 2), day + 2), Granted(sent(2)));
}

/// The clock of a machine can be set back: that neither gives more than the budget nor blocks for days.
#[test]
fn a_clock_that_was_set_back_exceeds_nothing() {
    let (_folder, store) = store();
    assert_eq!(leave(&store, &moment("a", 1), 0), Granted(sent(1)));
    assert_eq!(leave(&store, &moment("b", 1), -1_000), Granted(sent(2)));
    assert_eq!(leave(&store, &moment("c", 1), -2_000), Denied(used_up(2, HOUR - 1_000)));
    assert_eq!(leave(&store, &moment("c", 1), -24 * HOUR), Granted(sent(1)));
}

#[test]
fn many_at_once_get_the_budget_together_and_each_moment_once() {
    let (_folder, store) = store();
    let given: Vec<bool> = thread::scope(|scope| {
        let ask = |index: usize| {
            let store = &store;
            scope.spawn(move || {
                let moment = moment(if index.is_multiple_of(2) { "a" } else { "b" }, 1);
                matches!(store.acquire_probe_permit(&moment, true, 60, Timestamp(START)).unwrap(), Granted(_))
            })
        };
        let threads: Vec<_> = (0..8).map(ask).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(given.iter().filter(|is_given| **is_given).count(), 2, "{given:?}");
    assert_eq!(store.auto_budget(60, Timestamp(START)).unwrap().n_sent, 2);
}

/// X02; what cannot be read gives no leave.
#[test]
fn a_record_that_cannot_be_read_gives_no_leave() {
    let (folder, store) = store();
    let file = store.folder().join("auto-probes.json");
    let ask = || store.acquire_probe_permit(&moment("a", 1), true, 2, Timestamp(START));
    for text in ["", "{", "[]", "{\"version\":1}", "\u{1b}"] {
        fs::write(&file, text).unwrap();
        let asked = ask();
        assert!(matches!(asked, Err(StoreError::WrongKind { .. })), "{text}: {asked:?}");
        assert!(store.auto_budget(2, Timestamp(START)).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    fs::write(&file, "{\"version\":2,\"sent\":[]}").unwrap();
    assert!(matches!(ask(), Err(StoreError::Newer { version: 2, .. })));
    fs::remove_file(&file).unwrap();
    let outside = folder.path().join("outside");
    fs::write(&outside, "{\"version\":1,\"sent\":[]}").unwrap();
    symlink(&outside, &file).unwrap();
    assert!(matches!(ask(), Err(StoreError::Io { .. })));
    assert_eq!(fs::read_to_string(&outside).unwrap(), "{\"version\":1,\"sent\":[]}");
    fs::remove_file(&file).unwrap();
    assert_eq!(ask().unwrap(), Granted(sent(1)));
}

/// Questions of a long time leave a small file.
#[test]
fn what_is_long_past_is_forgotten() {
    let (_folder, store) = store();
    for index in 0..40 {
        let session = format!("s-{index}");
        let at = Timestamp(START + index * HOUR);
        assert!(matches!(
            store.acquire_probe_permit(&moment(&session, 1), true, 60, at).unwrap(),
            Granted(_)
        ));
        assert!(matches!(
            store.acquire_probe_permit(&moment(&session, 1), false, 60, at).unwrap(),
            Granted(_)
        ));
    }
    let late = Timestamp(START + 30 * 24 * HOUR);
    assert!(matches!(store.acquire_probe_permit(&moment("late", 1), true, 60, late).unwrap(), Granted(_)));
    let text = fs::read_to_string(store.folder().join("auto-probes.json")).unwrap();
    assert_eq!(text.matches("session_id").count(), 1, "{text}");
}
