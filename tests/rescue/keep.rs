//! The list of records: what it shows, and what it notices when someone has tampered with references or
//! journal.

use std::fs;
use std::path::{Path, PathBuf};

use closeout::model::{Reach, RecordList, RecordNotice, RecordState, RecordTotals, RefName};

use super::fixture::*;
use crate::support::repo::Repo;
use crate::support::samples::commit_id;

pub(super) fn list(repo: &Repo) -> RecordList {
    rescuer(repo).list(repo.path()).unwrap()
}

/// The journal of the only worktree.
pub(super) fn journal(repo: &Repo) -> PathBuf {
    let folders = fs::read_dir(repo.root().join("state/rescue")).unwrap();
    let mut journals = folders.map(|entry| entry.unwrap().path().join("journal")).filter(|it| it.exists());
    journals.next().unwrap()
}

/// A journal line with its checksum.
pub(super) fn line(text: &str) -> String {
    use sha1_checked::Digest as _;
    let sum: Vec<String> =
        sha1_checked::Sha1::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {text}\n", sum.concat())
}

#[test]
fn every_record_is_listed_with_what_is_known_of_it() {
    let repo = Repo::new();
    repo.write("a", "1\n");
    let first = record(&repo);
    repo.write("b", "22\n");
    let second = record(&repo);
    let list = list(&repo);
    assert_eq!(list.notices, []);
    let shown: Vec<_> =
        list.records.iter().map(|it| (it.reference.clone(), it.n_files, it.n_bytes)).collect();
    assert_eq!(
        shown,
        [(second.reference.clone(), Some(3), Some(11)), (first.reference.clone(), Some(2), Some(8))]
    );
    let newest = &list.records[0];
    assert_eq!(
        (newest.time, newest.branch.as_ref().map(RefName::as_str)),
        (second.time, Some("refs/heads/main"))
    );
    assert_eq!(newest.worktree.as_deref(), Some(repo.path()));
    assert_eq!((newest.n_gaps, newest.state), (Some(0), RecordState::Kept));
    let n_disk_bytes = first.n_disk_bytes + second.n_disk_bytes;
    assert_eq!(list.totals, RecordTotals { n_records: 2, n_disk_bytes });
    assert_eq!(second.totals, list.totals);
}

#[test]
fn a_record_tells_whether_its_work_is_in_a_branch_by_now() {
    let repo = Repo::new();
    repo.write("a", "1\n").write("b", "2\n");
    repo.write("staged", "staged\n").git(["add", "staged"]);
    repo.write("staged", "edited on\n");
    record(&repo);
    assert_eq!(list(&repo).records[0].reach, Reach::Missing(4));
    repo.commit("all but what was staged");
    repo.write("a", "edited later\n").commit("more");
    assert_eq!(list(&repo).records[0].reach, Reach::Missing(1));
    repo.git(["checkout", "-q", "-b", "other", "HEAD~2"]);
    repo.write("staged", "staged\n").commit("what was staged");
    assert_eq!(list(&repo).records[0].reach, Reach::InBranch);
    assert!(!list(&repo).records[0].is_old);
}

#[test]
fn the_same_bytes_at_another_path_are_not_the_work() {
    let repo = Repo::new();
    repo.write("notes/empty", "").write("a", "1\n");
    record(&repo);
    repo.remove("a");
    repo.write("b", "1\n").stage("b").git(["commit", "-q", "-m", "of others"]);
    assert_eq!(list(&repo).records[0].reach, Reach::Missing(2));
    repo.write("a", "1\n").commit("the work");
    assert_eq!(list(&repo).records[0].reach, Reach::InBranch);
}

// X06
#[test]
fn a_reference_that_somebody_removed_or_moved_is_put_back_and_said() {
    let repo = rich();
    let record = record(&repo);
    repo.git(["update-ref", "-d", &record.reference]);
    let found = list(&repo);
    assert_eq!(repo.git(["rev-parse", &record.reference]), record.snapshot.to_string());
    assert!(found.is_damaged());
    let reference = record.reference.clone();
    assert_eq!(found.notices, [RecordNotice::PutBack { reference: reference.clone(), moved_to: None }]);
    assert_eq!(found.records[0].state, RecordState::PutBack);
    assert!(!list(&repo).is_damaged());

    let other = repo.git(["commit-tree", "HEAD^{tree}", "-m", "theirs"]);
    repo.git(["update-ref", &reference, &other]);
    let found = list(&repo);
    assert_eq!(repo.git(["rev-parse", &reference]), record.snapshot.to_string());
    assert_eq!(found.notices, [RecordNotice::PutBack { reference, moved_to: Some(commit_id(&other)) }]);
    // The commit to which it was moved is not lost either.
    assert!(repo.git(["for-each-ref", "refs/closeout/moved"]).starts_with(&other));
}

// X06
#[test]
fn a_record_whose_objects_are_gone_is_said_to_be_lost() {
    let repo = rich();
    let record = record(&repo);
    repo.git(["update-ref", "-d", &record.reference]);
    repo.git(["gc", "-q", "--prune=now"]);
    let found = list(&repo);
    assert_eq!(found.notices, [RecordNotice::Lost { reference: record.reference.clone() }]);
    assert_eq!(found.records[0].state, RecordState::Lost);
    assert!(found.is_damaged());
    assert!(rescuer(&repo).restore(repo.path(), &record.reference, &repo.root().join("into")).is_err());
}

// X05
#[test]
fn a_damaged_journal_is_said_and_the_references_are_listed_all_the_same() {
    type Damage = fn(Vec<u8>) -> Vec<u8>;
    let cases: [(&str, Damage); 3] = [
        ("truncated", |text| text[..text.len() / 2].to_vec()),
        ("garbage", |text| text.iter().map(|byte| byte ^ 0x55).collect()),
        ("gone", |_| Vec::new()),
    ];
    for (name, damage) in cases {
        let repo = rich();
        let made = record(&repo);
        let journal = journal(&repo);
        let damaged = damage(fs::read(&journal).unwrap());
        fs::write(&journal, &damaged).unwrap();
        let found = list(&repo);
        assert!(found.is_damaged(), "{name}");
        let reference = made.reference.clone();
        assert!(found.notices.contains(&RecordNotice::NotInJournal { reference }), "{name}");
        let shown: Vec<_> = found
            .records
            .iter()
            .map(|it| {
                (&it.reference, it.state, it.n_files, it.branch.as_ref().map(RefName::as_str), it.is_old)
            })
            .collect();
        let expected =
            (&made.reference, RecordState::NotInJournal, Some(made.n_files), Some("refs/heads/main"), false);
        assert_eq!(shown, [expected], "{name}");
        assert_eq!(fs::read(&journal).unwrap(), damaged, "{name}");
        // It can be restored from its reference, and the next record gets its place.
        let into = repo.root().join("into");
        rescuer(&repo).restore_unknown(repo.path(), &made.reference, &[], &into).unwrap();
        let next = record(&repo);
        assert_eq!(list(&repo).records[0].reference, next.reference, "{name}");
        assert!(fs::read(&journal).unwrap().starts_with(&damaged), "{name}");
    }
}

// X05
#[test]
fn lines_of_a_newer_version_are_said_and_kept() {
    let repo = rich();
    let made = record(&repo);
    let journal = journal(&repo);
    let newer = line("{\"action\":\"sent_to_the_moon\",\"reference\":\"x\"}");
    let text = fs::read_to_string(&journal).unwrap() + &newer;
    fs::write(&journal, &text).unwrap();
    let found = list(&repo);
    assert_eq!(found.notices, [RecordNotice::JournalNewer { n_lines: 1 }]);
    assert_eq!(found.records[0].state, RecordState::Kept);
    assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
    assert!(fs::read_to_string(&journal).unwrap().contains(&newer));
}

// S26: including a worktree that is gone.
#[test]
fn records_of_other_worktrees_are_listed_too() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    linked.write("work", "work\n");
    let made = record(&linked);
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    let found = list(&repo);
    assert_eq!(found.notices, []);
    let shown = &found.records[0];
    assert_eq!((&shown.reference, shown.state), (&made.reference, RecordState::Kept));
    assert_eq!(shown.worktree.as_deref(), Some(linked.path()));
    let into = repo.root().join("into");
    rescuer(&repo).restore_paths(repo.path(), &made.reference, &[b"work".to_vec()], &into).unwrap();
    assert_eq!(fs::read(into.join("work")).unwrap(), b"work\n");
    rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
    assert_eq!(list(&repo).records, []);
}

#[test]
fn a_reference_in_the_way_of_the_usual_name_makes_it_another() {
    for taken in ["refs/closeout", "refs/closeout/rescue"] {
        let repo = rich();
        repo.git(["update-ref", taken, "HEAD"]);
        let made = rescuer(&repo).record(repo.path()).unwrap();
        assert_eq!(made.notices, [RecordNotice::OtherName { taken: taken.to_owned() }]);
        assert!(made.reference.starts_with("refs/closeout-"), "{}", made.reference);
        assert_eq!(repo.git(["rev-parse", &made.reference]), made.snapshot.to_string());
        assert_eq!(list(&repo).records[0].state, RecordState::Kept);
        assert_holds_the_work_tree(&repo, &made);
        let before = repo.git(["rev-parse", "HEAD"]);
        let plan = plan(&repo);
        rescuer(&repo).commit(repo.path(), &plan).unwrap();
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(repo.git(["rev-parse", "HEAD"]), before);
        assert_eq!(repo.git(["rev-parse", taken]), before);
        rescuer(&repo).restore(repo.path(), &made.reference, &repo.root().join("into")).unwrap();
        rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
        assert!(!repo.git(["for-each-ref"]).contains(&*made.reference));
    }
}

#[test]
fn a_remote_that_would_get_the_hidden_references_is_named_with_a_remedy_that_works() {
    let repo = rich();
    for name in ["mirror", "all"] {
        repo.git(["init", "-q", "--bare", &format!("../{name}.git")]);
        repo.git(["remote", "add", name, &format!("../{name}.git")]);
    }
    repo.git(["config", "remote.mirror.mirror", "true"]);
    repo.git(["config", "remote.all.push", "+refs/*:refs/*"]);
    let made = record(&repo);
    let remedies: Vec<(&str, &str)> = made
        .notices
        .iter()
        .map(|notice| {
            let RecordNotice::MirrorRemote { remote, remedy } = notice else { panic!("{notice:?}") };
            (remote.as_str(), remedy.as_str())
        })
        .collect();
    assert_eq!(remedies.iter().map(|it| it.0).collect::<Vec<_>>(), ["all", "mirror"]);
    for (_, remedy) in &remedies {
        let words: Vec<&str> = remedy.split(' ').skip(1).map(|word| word.trim_matches('\'')).collect();
        repo.git(words);
    }
    repo.git(["push", "-q", "all"]);
    for name in ["mirror", "all"] {
        let there = repo.beside(&format!("{name}.git")).git(["for-each-ref", "--format=%(refname)"]);
        assert!(there.contains("refs/heads/main") && !there.contains("closeout"), "{name}: {there}");
    }
    assert_eq!(record(&repo).notices.len(), 1);
}

#[test]
fn a_record_is_shared_with_the_group_that_shares_the_repository() {
    use std::os::unix::fs::MetadataExt as _;
    let repo = Repo::with_format(&["--shared=group"]);
    repo.write("f", "1\n").commit("one");
    repo.write("f", "2\n");
    let made = rescuer(&repo).record(repo.path()).unwrap();
    let mode_of = |path: &Path| path.metadata().unwrap().mode() & 0o7777;
    let path = repo.git_dir().join(&*made.reference);
    assert_eq!(mode_of(&path) & 0o060, 0o060);
    for folder in path.ancestors().skip(1).take(3) {
        assert_eq!(mode_of(folder), mode_of(&repo.git_dir().join("refs")), "{}", folder.display());
    }
}

// X05
#[test]
fn a_journal_that_is_no_file_is_said_and_the_references_are_listed_all_the_same() {
    type Spoil = fn(&Repo, &Path);
    let cases: [(&str, Spoil); 3] = [
        ("folder", |_, path| fs::create_dir(path).unwrap()),
        ("FIFO", |repo, path| {
            repo.fifo(path);
        }),
        ("link", |_, path| std::os::unix::fs::symlink("nowhere", path).unwrap()),
    ];
    for (name, spoil) in cases {
        let repo = rich();
        let linked = repo.worktree("linked");
        linked.write("work", "1\n");
        let beside = record(&linked);
        let made = record(&repo);
        let key = made.reference.split('/').nth(3).unwrap().to_owned();
        let journal = repo.root().join("state/rescue").join(key).join("journal");
        let text = fs::read(&journal).unwrap();
        fs::remove_file(&journal).unwrap();
        spoil(&repo, &journal);
        let found = list(&repo);
        let is_said = |it: &RecordNotice| matches!(it, RecordNotice::JournalUnreadable { reason } if reason.contains("journal"));
        assert!(found.is_damaged() && found.notices.iter().any(is_said), "{name}: {found:?}");
        let mut states: Vec<_> = found.records.iter().map(|it| (&it.reference, it.state)).collect();
        states.sort_by_key(|(reference, _)| **reference != made.reference);
        let expected = [(&made.reference, RecordState::NotInJournal), (&beside.reference, RecordState::Kept)];
        assert_eq!(states, expected, "{name}");
        // It is no reason to call the record another's, and nobody else is kept from a rescue.
        let refused =
            rescuer(&repo).restore(repo.path(), &made.reference, &repo.root().join("none")).unwrap_err();
        assert!(
            refused.to_string().contains("journal that would know this record cannot be read"),
            "{refused}"
        );
        linked.write("more", "1\n");
        let more = record(&linked);
        rescuer(&linked).delete(linked.path(), &more.reference, true).unwrap();
        // Each can be taken out, and closeout changed nothing.
        let into = |record: &str| repo.root().join("into").join(record);
        fs::create_dir(repo.root().join("into")).unwrap();
        rescuer(&repo).restore(repo.path(), &beside.reference, &into("one")).unwrap();
        rescuer(&repo).restore_unknown(repo.path(), &made.reference, &[], &into("two")).unwrap();
        fs::remove_file(&journal).or_else(|_| fs::remove_dir(&journal)).unwrap();
        fs::write(&journal, text).unwrap();
        assert_eq!(list(&repo).notices, [], "{name}");
    }
}
