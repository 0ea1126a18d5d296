//! Replies that are held until the end of a turn.

use std::{fs, slice, thread};

use closeout::model::{HeldReply, SessionName, Timestamp, WorkspaceId};
use closeout::store::Store;

use super::store;

fn reply(id: &str, text: &str) -> HeldReply {
    HeldReply {
        id: id.to_owned(),
        session: SessionName::new("claude", "s"),
        text: text.to_owned(),
        held_at: Timestamp(1),
        claimed_at: None,
        hindrance: None,
    }
}

#[test]
fn of_several_closeouts_one_alone_sends_a_reply() {
    let (_temp, store) = store();
    let workspace = WorkspaceId::local("/w");
    store.hold_reply(&workspace, &reply("a", "fix it")).unwrap();
    let claims: Vec<bool> = thread::scope(|scope| {
        let claim = || {
            let store = Store::open(store.folder()).unwrap();
            store.claim_held(&workspace, "a", Timestamp(2)).unwrap().is_some()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(claims.iter().filter(|is_mine| **is_mine).count(), 1);
    // Cancelling it now is too late; the sender deletes it.
    assert!(!store.forget_held(&workspace, "a", false).unwrap());
    assert!(store.forget_held(&workspace, "a", true).unwrap());
    assert!(store.held_of(&[workspace]).0.is_empty());
}

#[test]
fn what_is_held_for_one_session_is_one_reply_and_a_claim_is_given_back() {
    let (_temp, store) = store();
    let workspace = WorkspaceId::local("/w");
    store.hold_reply(&workspace, &reply("a", "first")).unwrap();
    assert_eq!(store.hold_reply(&workspace, &reply("b", "second")).unwrap().text, "first\n\nsecond");
    assert_eq!(store.claim_held(&workspace, "a", Timestamp(2)).unwrap(), None);
    assert!(store.claim_held(&workspace, "b", Timestamp(2)).unwrap().is_some());
    store.release_held(&workspace, "b", "it works").unwrap();
    let held = store.held_of(slice::from_ref(&workspace)).0.remove(&workspace).unwrap();
    assert_eq!((held.len(), held[0].claimed_at, held[0].hindrance.as_deref()), (1, None, Some("it works")));
    // Only the first cancellation succeeds.
    let cancelled = [(); 2].map(|()| store.forget_held(&workspace, "b", false).unwrap());
    assert_eq!((cancelled, store.claim_held(&workspace, "b", Timestamp(3)).unwrap()), ([true, false], None));
}

#[test]
fn a_file_as_it_was_written_first_stays_readable() {
    let (_temp, store) = store();
    let workspace = WorkspaceId::local("");
    let folder = store.held_folder();
    fs::create_dir_all(&folder).unwrap();
    let old = r#"{"version":1,"host":"local","path":"","content":[{"id":"a","session":{"agent":"claude","session_id":"s"},"text":"go on","held_at":1}]}"#;
    fs::write(folder.join("6c62272e07bb014262b821756295c58d.json"), old).unwrap();
    assert_eq!(store.held_of(slice::from_ref(&workspace)).0[&workspace], [reply("a", "go on")]);
}
