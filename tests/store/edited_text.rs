//! A text in the user's editor.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use closeout::store::edited_text::EditedText;

#[test]
fn only_this_user_can_read_it_and_nothing_is_left() {
    let state = tempfile::tempdir().unwrap();
    fs::set_permissions(state.path(), Permissions::from_mode(0o755)).unwrap();
    let text = EditedText::create(state.path(), "はい").unwrap();
    let modes = [state.path(), text.path().parent().unwrap(), text.path()]
        .map(|path| fs::metadata(path).unwrap().mode() & 0o777);
    assert_eq!(modes, [0o700, 0o700, 0o600]);
    assert_eq!(text.read(6).unwrap().as_deref(), Some("はい"));
    assert_eq!(text.read(5).unwrap(), None);
    // An editor that writes a second file, renames it, and leaves a copy.
    let beside = text.path().with_file_name("reply.md~");
    fs::write(&beside, "later").unwrap();
    fs::rename(&beside, text.path()).unwrap();
    fs::write(&beside, "copy").unwrap();
    assert_eq!(text.read(100).unwrap().as_deref(), Some("later"));
    drop(text);
    assert_eq!(fs::read_dir(state.path().join("editing")).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_taken_back_stays() {
    let state = tempfile::tempdir().unwrap();
    let text = EditedText::create(state.path(), "").unwrap();
    fs::write(text.path(), b"\xff").unwrap();
    assert_eq!(text.read(100).unwrap(), None);
    assert_eq!(fs::read(text.leave()).unwrap(), b"\xff");
    let text = EditedText::create(state.path(), "").unwrap();
    fs::remove_file(text.path()).unwrap();
    symlink("/etc/hostname", text.path()).unwrap();
    assert!(text.read(100).is_err(), "a link is not followed");
}
