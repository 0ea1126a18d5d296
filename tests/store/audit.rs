//! What the audit log tells, also of lines that an older closeout wrote.

use std::fs;

use closeout::model::{ActionClass, ActionEnd, AuditEntry, Timestamp};
use closeout::store::Audit;

use super::store;

#[test]
fn lines_of_before_tell_what_they_count_and_of_whom() {
    let (_temp, store) = store();
    let old = [
        r#"{"version":1,"id":"1","at":1,"by":"command","host":"","path":"/w","kind":"probe","plan":"claude, at most 5 times","end":{"at":2,"class":"done","words":"COMPLETE after 3 probes"}}"#,
        r#"{"version":1,"id":"2","at":3,"by":"configuration","host":"","path":"/w","kind":"gate","plan":"codex s-1","end":{"at":3,"class":"done","message":"held back, 1 of at most 8 in a row; open points: 2"}}"#,
        r#"{"version":1,"id":"3","at":4,"by":"command","host":"","path":"/w","kind":"reply","plan":"to a supervised run","end":{"at":5,"class":"done","message":"handed over"}}"#,
    ];
    fs::write(store.folder().join("audit.jsonl"), old.join("\n")).unwrap();
    let audit = store.audit(None).unwrap();
    let told: Vec<_> = audit
        .entries
        .iter()
        .rev()
        .map(|entry| (entry.agent.as_deref(), entry.end.as_ref().and_then(|end| end.count)))
        .collect();
    assert_eq!(told, [(Some("claude"), Some(3)), (Some("codex"), None), (None, None)]);
    // What is written now is read back unchanged.
    let end =
        ActionEnd { at: Timestamp(9), class: ActionClass::Done, message: String::new(), count: Some(7) };
    let entry = AuditEntry {
        id: "4".to_owned(),
        agent: Some("x y".to_owned()),
        end: Some(end),
        ..audit.entries[0].clone()
    };
    store.write_audit(&entry).unwrap();
    assert_eq!(store.audit(None).unwrap().entries[0], entry);
}

/// More lines than one reading of the end takes; each action has two.
#[test]
fn the_newest_are_found_at_the_end_and_a_period_in_what_is_before_too() {
    let (_temp, store) = store();
    let line = |n: i64, end: &str| {
        let at = n * 1_000;
        format!(
            r#"{{"version":1,"id":"{n}","at":{at},"by":"command","host":"","path":"/w","kind":"mark","plan":"done"{end}}}"#
        )
    };
    let end = r#","end":{"at":9,"class":"done","message":""}"#;
    let lines: Vec<String> =
        (0..5_000).flat_map(|n| [line(n, ""), line(n, end)]).chain([line(5_000, "")]).collect();
    fs::write(store.folder().join("audit.jsonl"), lines.join("\n") + "\n").unwrap();
    let ids = |audit: &Audit| audit.entries.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>();
    let newest = store.newest_audit(3).unwrap();
    assert_eq!(ids(&newest), ["5000", "4999", "4998"]);
    assert_eq!(newest.entries[0].end, None, "it was begun and not ended");
    assert!(newest.entries[1..].iter().all(|entry| entry.end.is_some()));
    assert_eq!(store.newest_audit(10_000).unwrap().entries.len(), 5_001);
    assert_eq!(store.audit(Some(Timestamp(1_000_000))).unwrap().entries.len(), 4_001);
    assert_eq!(store.audit(None).unwrap().entries.len(), 5_001);
}
