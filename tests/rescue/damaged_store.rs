//! A damaged pack of the repository, whoever made it: what is in the work tree is saved without the repository, and the
//! damage is named.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use closeout::model::{KeepIn, RecordNotice, RecordOrder, RecordState, RescueRecord};

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;

/// The only pack of the repository.
fn pack(repo: &Repo) -> PathBuf {
    let all = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    let mut packs = all.filter(|path| path.extension().is_some_and(|end| end == "pack"));
    let pack = packs.next().unwrap();
    assert_eq!(packs.next(), None);
    pack
}

/// Takes the end off a pack, whose list of objects stays; returns what it was.
fn cut(pack: &PathBuf) -> Vec<u8> {
    let whole = fs::read(pack).unwrap();
    fs::set_permissions(pack, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(pack, &whole[..whole.len() - 30]).unwrap();
    whole
}

fn assert_in_the_vault(repo: &Repo, made: &RescueRecord, words: &str) {
    let told = made.notices.iter().find_map(|notice| {
        let RecordNotice::VaultOnly { reason } = notice else { return None };
        Some(reason)
    });
    assert!(told.is_some_and(|reason| reason.contains(words)), "{words}: {:?}", made.notices);
    let into = repo.root().join(format!("into-{}", made.reference.id()));
    let n_files = rescuer(repo).restore(repo.path(), &made.reference, &into).unwrap();
    assert_eq!(n_files, made.n_files);
    for path in files_below(repo.path()).iter().filter(|path| !path.contains("/.git/")) {
        let name = path.strip_prefix(&format!("{}/", repo.path().display())).unwrap();
        if !repo.at(name).is_symlink() {
            assert_eq!(fs::read(into.join(name)).unwrap(), fs::read(path).unwrap(), "{name}");
        }
    }
}

/// S38: git takes what the list of a pack names for stored, and writes it nowhere else.
#[test]
fn work_whose_earlier_record_is_in_a_damaged_pack_is_saved_in_the_vault() {
    let repo = rich();
    let first = record(&repo);
    let pack = pack(&repo);
    let whole = cut(&pack);
    let before = fingerprint(&repo);
    let second = rescuer(&repo).record(repo.path()).unwrap();
    assert_in_the_vault(&repo, &second, &pack.display().to_string());
    let again = rescuer(&repo).record(repo.path()).unwrap();
    assert!(again.unchanged_millis.is_some() && again.reference == second.reference, "made twice");
    repo.write("later", "1\n");
    let order = RecordOrder { keep_in: KeepIn::Vault, ..RecordOrder::default() };
    let third = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
    assert!(third.vault.is_some());
    let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
    assert!(shown.refusal.is_some() && shown.targets.is_empty(), "{shown:?}");
    assert!(rescuer(&repo).commit(repo.path(), &shown).is_err());
    fs::remove_file(repo.at("later")).unwrap();
    assert_eq!(fingerprint(&repo).index, before.index);
    // Once it is mended, all is as it was.
    fs::write(&pack, whole).unwrap();
    let found = list(&repo);
    assert!(!found.is_damaged(), "{:?}", found.notices);
    let state = |record: &RescueRecord| {
        found.records.iter().find(|it| it.reference == record.reference).map(|it| it.state)
    };
    assert_eq!((state(&first), state(&second)), (Some(RecordState::Kept), Some(RecordState::VaultOnly)));
    let mended = rescuer(&repo).record(repo.path()).unwrap();
    assert_eq!(mended.vault, None);
}

/// S38: the same with a pack of the person's own.
#[test]
fn work_beside_a_damaged_pack_of_the_history_is_saved() {
    let repo = Repo::new();
    repo.write("f", "1\n").commit("one");
    repo.write("f", "2\n").commit("two");
    repo.git(["repack", "-a", "-d", "-q"]);
    repo.write("f", "1\n").write("new", "3\n");
    cut(&pack(&repo));
    let made = rescuer(&repo).record(repo.path()).unwrap();
    assert_in_the_vault(&repo, &made, "");
    let order = RecordOrder { keep_in: KeepIn::Vault, ..RecordOrder::default() };
    let made = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
    assert_in_the_vault(&repo, &made, "");
}
