//! How often a session was held back in a row.

use std::fs;

use closeout::model::{BlockRow, Timestamp};

use super::store;

#[test]
fn rows_are_kept_for_each_session_and_the_oldest_go_first() {
    let (_temp, store) = store();
    assert_eq!(store.block_row("a", "s").unwrap(), BlockRow::default());
    let row = BlockRow::default().and_one(Timestamp(5)).and_one(Timestamp(9));
    assert_eq!((row.n_blocks, row.began_at, row.blocked_at), (2, Timestamp(5), Timestamp(9)));
    store.keep_block_row("a", "s", row).unwrap();
    assert_eq!(store.block_row("a", "s").unwrap(), row);
    assert_eq!(store.block_row("b", "s").unwrap(), BlockRow::default());
    for n in 0..512 {
        let at = Timestamp(100 + n);
        store.keep_block_row("a", &format!("n{n}"), BlockRow::default().and_one(at)).unwrap();
    }
    assert_eq!(store.block_row("a", "s").unwrap(), BlockRow::default());
    assert_eq!(store.block_row("a", "n0").unwrap().n_blocks, 1);
}

#[test]
fn a_record_written_by_the_first_version_is_read_and_a_broken_one_is_an_error() {
    let (_temp, store) = store();
    let old = r#"{"version":1,"rows":{"claude/s":{"n_blocks":3,"began_at":7,"blocked_at":8}}}"#;
    fs::write(store.folder().join("gates.json"), old).unwrap();
    assert_eq!(store.block_row("claude", "s").unwrap().n_blocks, 3);
    fs::write(store.folder().join("gates.json"), "{").unwrap();
    assert!(store.block_row("claude", "s").is_err());
    assert!(store.keep_block_row("claude", "s", BlockRow::default()).is_err());
}
