//! The history: old lines, and what several closeouts see.

use std::fs;

use closeout::model::{CommandEnd, HistoryEvent, Proof, RunStatus, Timestamp, VerdictState, WorkspaceId};
use closeout::store::Store;

use super::store;

/// Lines as written when the format was introduced; they must stay readable.
const OLD_LINES: [&str; 5] = [
    r#"{"version":1,"at":1,"host":"","path":"/w","agent":"claude","event":"verdict","state":"COMPLETE","before":"WORKING","proof":"checked"}"#,
    r#"{"version":1,"at":2,"host":"","path":"/w","event":"seen","after_ms":1}"#,
    r#"{"version":1,"at":3,"host":"","path":"/w","event":"iteration","run":"r","number":2,"end":{"kind":"code","number":0},"verdict":"INCOMPLETE","took_ms":9,"was_active":false}"#,
    r#"{"version":1,"at":4,"host":"","path":"/w","event":"run_ended","run":"r","status":"max_iterations","iterations":2}"#,
    r#"{"version":1,"at":5,"host":"","path":"/w","event":"notice","why":"asks"}"#,
];

#[test]
fn old_lines_stay_readable_and_damaged_ones_are_counted() {
    let (_temp, store) = store();
    let text = format!("{}\n{{\"version\":9}}\ncut off", OLD_LINES.join("\n"));
    fs::write(store.folder().join("history.jsonl"), text).unwrap();
    let history = store.history(None).unwrap();
    assert_eq!((history.entries.len(), history.n_unread), (5, 2));
    let event = HistoryEvent::Iteration {
        run: "r".to_owned(),
        number: 2,
        end: CommandEnd::Code(0),
        verdict: VerdictState::Incomplete,
        took_ms: 9,
        was_active: false,
    };
    assert_eq!(history.entries[2].what, event);
    let ended =
        HistoryEvent::RunEnded { run: "r".to_owned(), status: RunStatus::MaxIterations, iterations: 2 };
    assert_eq!(history.entries[3].what, ended);
    assert_eq!(store.history(Some(Timestamp(4))).unwrap().entries.len(), 2);
    // What follows a truncated line is read.
    store.add_history(&history.entries[0]).unwrap();
    assert_eq!(store.history(None).unwrap().entries.len(), 6);
    let mut each = Vec::new();
    assert_eq!(store.each_event(&mut |entry| each.push(entry)).unwrap(), 2);
    assert_eq!(each, store.history(None).unwrap().entries);
}

#[test]
fn what_several_closeouts_see_is_written_and_told_once() {
    let (_temp, store) = store();
    let stores: Vec<Store> = (0..3).map(|_| Store::open(store.folder()).unwrap()).collect();
    let workspace = WorkspaceId::local("/w");
    let noted = |at: i64| -> usize {
        let (state, proof) = (VerdictState::Complete, Some(Proof::Said));
        let note = |store: &Store| {
            store.note_verdict(&workspace, Some("a"), state, proof, Timestamp(at)).unwrap().is_some()
        };
        stores.iter().filter(|store| note(store)).count()
    };
    assert_eq!((noted(10), noted(11)), (1, 0));
    for store in &stores {
        store.note_seen(&workspace, Some("a"), Timestamp(30)).unwrap();
    }
    let told = |occasion: &str| {
        let claim = |store: &Store| store.claim_notice(&workspace, occasion, "asks", Timestamp(40)).unwrap();
        stores.iter().filter(|store| claim(store)).count()
    };
    assert_eq!((told("asks/1"), told("asks/1"), told("asks/2")), (1, 0, 1));
    let history = stores[0].history(None).unwrap();
    let names: Vec<&str> = history.entries.iter().map(|entry| entry.what.name()).collect();
    assert_eq!(names, ["verdict", "seen", "notice", "notice"]);
    assert_eq!(history.entries[1].what, HistoryEvent::Seen { after_ms: 20 });
}
