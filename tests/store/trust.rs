//! Which programs are trusted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use closeout::model::Timestamp;

use super::store;

#[test]
fn what_was_trusted_is_remembered_for_its_workspace_alone_and_can_be_taken_back() {
    let (_temp, store) = store();
    let (one, other) = (Path::new("/w/one"), Path::new("/w/other"));
    assert_eq!(store.trusted(one).unwrap(), None);
    assert!(!store.distrust(one).unwrap());
    let (first, second) = ("a".repeat(64), "b".repeat(64));
    store.trust(one, &first, Timestamp(1)).unwrap();
    store.trust(one, &second, Timestamp(2)).unwrap();
    assert_eq!(store.trusted(one).unwrap(), Some(second));
    assert_eq!(store.trusted(other).unwrap(), None);
    assert!(store.distrust(one).unwrap());
    assert_eq!(store.trusted(one).unwrap(), None);
}

#[test]
fn what_cannot_be_read_is_not_trusted() {
    let (_temp, store) = store();
    let workspace = Path::new("/w");
    let digest = "a".repeat(64);
    store.trust(workspace, &digest, Timestamp(1)).unwrap();
    let mut files = fs::read_dir(store.folder().join("trust")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    let sound = fs::read_to_string(&file).unwrap();
    for text in [
        String::new(),
        "{".to_owned(),
        sound.replace("\"version\": 1", "\"version\": 2"),
        sound.replace(&digest, "*"),
        sound.replace(&digest, &"A".repeat(64)),
    ] {
        fs::write(&file, &text).unwrap();
        assert_eq!(store.trusted(workspace).unwrap(), None, "{text}");
    }
    fs::remove_file(&file).unwrap();
    let real = store.folder().join("elsewhere");
    fs::write(&real, &sound).unwrap();
    symlink(&real, &file).unwrap();
    assert!(store.trusted(workspace).is_err());
}
