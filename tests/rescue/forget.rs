//! Deleting records for good, and restoring single paths from one.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use closeout::action::rescue::{Recovered, RescueError, Rescuer};
use closeout::model::{
    ActionClass, CommitTarget, ForgottenRecord, KeepIn, ObjectsGo, RecordOrder, RecordState, RefName,
};

use super::fixture::*;
use super::keep::{journal, line, list};
use crate::support::repo::{Repo, git_program};

#[test]
fn work_that_is_in_no_branch_is_forgotten_only_with_a_yes_to_that() {
    let repo = rich();
    let made = record(&repo);
    let refused = rescuer(&repo).delete(repo.path(), &made.reference, false);
    assert!(matches!(refused, Err(RescueError::WouldLose { is_known: true })), "{refused:?}");
    assert_eq!(refused.unwrap_err().class(), ActionClass::Refused);
    let before = fingerprint(&repo);
    let forgotten = rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
    let expected = ForgottenRecord {
        reference: made.reference.clone(),
        n_references: 1,
        is_undo_gone: false,
        objects_go: ObjectsGo::WhenCollected { expiry: "2.weeks.ago".to_owned(), reflog_expiry: None },
    };
    assert_eq!(forgotten, expected);
    assert_eq!(fingerprint(&repo), before);
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
    assert_eq!(list(&repo).records, []);
    assert_eq!(list(&repo).notices, []);
    assert!(!fs::read_to_string(journal(&repo)).unwrap().contains(&made.snapshot.to_string()));
    repo.git(["gc", "-q", "--prune=now"]);
    assert!(!repo.try_git(&["cat-file", "-e", &made.snapshot.to_string()], &[]).status.success());
    assert!(rescuer(&repo).delete(repo.path(), &made.reference, true).is_err());
}

#[test]
fn what_was_kept_for_the_undo_goes_with_its_record() {
    let repo = rich();
    repo.git(["config", "gc.pruneExpire", "3.days.ago"]);
    let made = commit(&repo);
    let other = {
        repo.write("later", "later\n");
        record(&repo)
    };
    let reference = list(&repo).records[1].reference.clone();
    let forgotten = rescuer(&repo).delete(repo.path(), &reference, true).unwrap();
    assert_eq!((forgotten.n_references, forgotten.is_undo_gone), (2, true));
    let objects_go = ObjectsGo::WhenCollected {
        expiry: "3.days.ago".to_owned(),
        reflog_expiry: Some("30.days.ago".to_owned()),
    };
    assert_eq!(forgotten.objects_go, objects_go);
    assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)));
    assert_eq!(repo.head(), made);
    let folder = journal(&repo).parent().unwrap().to_owned();
    let indexes = fs::read_dir(folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("index-"));
    assert_eq!(indexes.count(), 0);
    assert_eq!(list(&repo).records.len(), 1);
    assert_eq!(list(&repo).records[0].reference, other.reference);
}

/// The hidden references, and the indexes and bundles in closeout's own folder.
pub(super) fn left(repo: &Repo) -> (String, Vec<String>) {
    let mut files = files_below(&repo.root().join("state/rescue"));
    files.retain(|name| name.contains("/index-") || name.ends_with(".bundle"));
    (repo.git(["for-each-ref", "refs/closeout"]), files)
}

/// Deletes the record as far as one whose process is killed right after it wrote its line into the journal.
fn cut_off(repo: &Repo, reference: &str) {
    let text = fs::read_to_string(journal(repo)).unwrap();
    let actions = text.lines().filter_map(|line| serde_json::from_str(line.get(41..)?).ok());
    let moving = actions.filter(|action: &serde_json::Value| action["act"] == "moving");
    let moves: Vec<serde_json::Value> = moving.map(|action| action["id"].clone()).collect();
    let told = serde_json::json!({ "act": "forgotten", "reference": reference, "moves": moves });
    fs::write(journal(repo), text + &line(&told.to_string())).unwrap();
}

/// A repository with a visible commit of a record that has a bundle, and the record's name.
fn committed_with_bundle() -> (Repo, String) {
    let repo = rich();
    let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
    let made = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
    commit(&repo);
    assert_eq!(list(&repo).records.len(), 1);
    let (references, files) = left(&repo);
    assert_eq!((references.lines().count(), files.len()), (2, 3), "{references} {files:?}");
    (repo, made.reference.to_string())
}

// K01, K05
#[test]
fn a_deletion_that_was_cut_off_is_completed_by_the_next_action() {
    type Next = fn(&Repo, &str);
    let actions: [(&str, Next); 3] = [
        ("recover", |repo, _| {
            assert_eq!(rescuer(repo).recover(repo.path()).unwrap(), Recovered::Whole);
            assert_eq!(rescuer(repo).recover(repo.path()).unwrap(), Recovered::Nothing);
        }),
        ("list", |repo, _| {
            let found = list(repo);
            assert_eq!((found.records, found.notices), (vec![], vec![]));
        }),
        ("delete", |repo, reference| {
            let forgotten = rescuer(repo).delete(repo.path(), reference, false).unwrap();
            assert_eq!((forgotten.n_references, forgotten.is_undo_gone), (2, true));
        }),
    ];
    for (name, act) in actions {
        let (repo, reference) = committed_with_bundle();
        let before = fingerprint(&repo);
        cut_off(&repo, &reference);
        act(&repo, &reference);
        assert_eq!(fingerprint(&repo), before, "{name}");
        assert_eq!(left(&repo), (String::new(), vec![]), "{name}");
        let text = fs::read_to_string(journal(&repo)).unwrap();
        assert!(text.contains("forgotten") && !text.contains("saved") && !text.contains("moving"), "{text}");
        assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)), "{name}");
        assert_eq!(list(&repo).notices, [], "{name}");
    }
}

#[test]
fn a_deletion_that_was_cut_off_in_a_worktree_that_is_gone_is_completed_from_another() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    linked.write("work", "work\n");
    let made = record(&linked);
    cut_off(&repo, &made.reference);
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    let found = list(&repo);
    assert_eq!((found.records, found.notices), (vec![], vec![]));
    assert_eq!(left(&repo), (String::new(), vec![]));
    assert!(!fs::read_to_string(journal(&repo)).unwrap().contains("saved"));
}

/// The screen completes at its start what was cut off: of a worktree that is gone, too.
#[test]
fn a_deletion_that_was_cut_off_is_one_of_the_things_to_complete_at_the_start() {
    let (repo, reference) = committed_with_bundle();
    assert_eq!(rescuer(&repo).unfinished(), Vec::<std::path::PathBuf>::new());
    cut_off(&repo, &reference);
    // Somebody else's lock keeps it from being completed.
    let foreign = repo.git_dir().join("packed-refs.lock");
    fs::write(&foreign, "").unwrap();
    assert_eq!(rescuer(&repo).recover(repo.path()).unwrap(), Recovered::InPart);
    fs::remove_file(foreign).unwrap();
    assert_eq!(rescuer(&repo).unfinished(), [repo.path()]);
    assert_eq!(rescuer(&repo).recover(repo.path()).unwrap(), Recovered::Whole);
    assert_eq!(left(&repo), (String::new(), vec![]));
    assert_eq!(rescuer(&repo).unfinished(), Vec::<std::path::PathBuf>::new());

    let repo = Repo::new();
    drop(rescuer(&repo).undo(repo.path()));
    let linked = repo.worktree("linked");
    linked.write("work", "work\n");
    let made = record(&linked);
    let folder = repo.root().join("state/rescue").join(made.reference.split('/').nth(3).unwrap());
    let told = serde_json::json!({ "act": "forgotten", "reference": made.reference, "moves": [] });
    let text = fs::read_to_string(folder.join("journal")).unwrap();
    fs::write(folder.join("journal"), text + &line(&told.to_string())).unwrap();
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    // It was killed with its locks.
    let lock = repo.git_dir().join(format!("{}.lock", made.reference));
    fs::write(&lock, "").unwrap();
    fs::hard_link(&lock, repo.git_dir().join("packed-refs.lock")).unwrap();
    assert_eq!(rescuer(&repo).unfinished(), [repo.path()]);
    assert_eq!(rescuer(&repo).recover(repo.path()).unwrap(), Recovered::Whole);
    assert_eq!(rescuer(&repo).recover(repo.path()).unwrap(), Recovered::Nothing);
    assert_eq!(left(&repo), (String::new(), vec![]));
    assert!(!lock.exists() && !repo.git_dir().join("packed-refs.lock").exists());
}

#[test]
fn a_deletion_that_cannot_begin_changes_nothing_and_one_that_fails_says_what_is_done() {
    let (repo, reference) = committed_with_bundle();
    let lock = repo.git_dir().join("packed-refs.lock");
    fs::write(&lock, "").unwrap();
    let busy = rescuer(&repo).delete(repo.path(), &reference, true);
    assert!(matches!(busy, Err(RescueError::Busy(_))), "{busy:?}");
    fs::remove_file(&lock).unwrap();
    assert_eq!(list(&repo).records[0].state, RecordState::Kept);
    rescuer(&repo).undo_plan(repo.path()).unwrap();

    let (_, files) = left(&repo);
    let index = files.iter().find(|name| name.contains("/index-")).unwrap();
    fs::remove_file(index).unwrap();
    fs::create_dir(index).unwrap();
    let failed = rescuer(&repo).delete(repo.path(), &reference, true).unwrap_err();
    assert!(
        matches!(&failed, RescueError::InPart { part, .. } if part.contains("counts as deleted")),
        "{failed}"
    );
    let found = list(&repo);
    assert_eq!((found.records, found.notices), (vec![], vec![]));
    fs::remove_dir(index).unwrap();
    rescuer(&repo).recover(repo.path()).unwrap();
    assert_eq!(left(&repo), (String::new(), vec![]));
    assert!(!fs::read_to_string(journal(&repo)).unwrap().contains("saved"));
}

// K04
#[test]
fn a_deletion_that_has_begun_is_completed_before_it_is_cancelled() {
    let (repo, reference) = committed_with_bundle();
    let fifo = repo.root().join("fifo");
    repo.fifo(&fifo);
    let waits = format!(
        "case \"$*\" in *for-each-ref*refs/closeout/visible*) read -r _ <'{}' ;; esac\nexec '{}' \"$@\"",
        fifo.display(),
        git_program().display()
    );
    let rescuer = Rescuer { git: repo.script("slow-git", &waits), ..rescuer(&repo) };
    std::thread::scope(|scope| {
        let deletion = scope.spawn(|| rescuer.delete(repo.path(), &reference, true));
        let flags = rustix::fs::OFlags::NONBLOCK.bits().try_into().unwrap();
        let open = || fs::File::options().write(true).custom_flags(flags).open(&fifo).ok();
        let reader = loop {
            if let Some(file) = open() {
                break file;
            }
            assert!(!deletion.is_finished());
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(!rescuer.cancel.cancel());
        drop(reader);
        assert_eq!(deletion.join().unwrap().unwrap().n_references, 2);
    });
    assert_eq!(left(&repo), (String::new(), vec![]));
}

/// Makes a record look this many days older.
fn age(repo: &Repo, time: i64, days: i64) {
    age_in(&journal(repo), time, days);
}

/// The same in the journal at this path.
pub(crate) fn age_in(journal: &Path, time: i64, days: i64) {
    let text = fs::read_to_string(journal).unwrap();
    let aged: String = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|text| {
            let older = format!("\"time\":{}", time - days * 86_400_000);
            line(&text[41..].replace(&format!("\"time\":{time}"), &older))
        })
        .collect();
    fs::write(journal, aged).unwrap();
}

#[test]
fn only_old_records_whose_work_is_in_a_branch_go_without_a_question() {
    let repo = Repo::new();
    repo.write("a", "1\n");
    let committed = record(&repo);
    repo.commit("a");
    repo.write("b", "2\n");
    let lost = record(&repo);
    for record in [&committed, &lost] {
        age(&repo, record.time.0, 29);
    }
    assert_eq!(rescuer(&repo).forget_old(repo.path()).unwrap(), []);
    for record in [&committed, &lost] {
        age(&repo, record.time.0 - 29 * 86_400_000, 2);
    }
    let is_old: Vec<bool> = list(&repo).records.iter().map(|record| record.is_old).collect();
    assert_eq!(is_old, [false, true]);
    let forgotten = rescuer(&repo).forget_old(repo.path()).unwrap();
    let names: Vec<_> = forgotten.into_iter().map(|record| record.reference).collect();
    assert_eq!(names, [committed.reference]);
    assert_eq!(list(&repo).records[0].reference, lost.reference);
}

/// The commit went to a new branch, which nothing of the record's state tells.
#[test]
fn what_was_kept_of_a_commit_on_a_new_branch_goes_with_its_record() {
    for is_undone in [false, true] {
        let repo = rich();
        let mut plan = plan(&repo);
        plan.target = Some(CommitTarget::NewBranch(RefName::of_branch("beside")));
        rescuer(&repo).commit(repo.path(), &plan).unwrap();
        let commit = repo.git(["rev-parse", "beside"]);
        if is_undone {
            rescuer(&repo).undo(repo.path()).unwrap();
        }
        let other = {
            repo.write("later", "later\n");
            record(&repo)
        };
        let before = fingerprint(&repo);
        let forgotten = rescuer(&repo).delete(repo.path(), &plan.record.reference, true).unwrap();
        assert_eq!((forgotten.n_references, forgotten.is_undo_gone), (2, true), "{is_undone}");
        assert_eq!(fingerprint(&repo), before);
        assert!(left(&repo).0.ends_with(&*other.reference) && left(&repo).0.lines().count() == 1);
        assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)));
        assert!(matches!(rescuer(&repo).redo(repo.path()), Err(RescueError::Nothing)));
        repo.git(["reflog", "expire", "--expire=now", "--all"]);
        repo.git(["gc", "-q", "--prune=now"]);
        assert_eq!(repo.try_git(&["cat-file", "-e", &commit], &[]).status.success(), !is_undone);
    }
}

#[test]
fn single_paths_of_a_record_are_restored() {
    let repo = rich();
    let made = record(&repo);
    let into = repo.root().join("into");
    let paths = [b"new".to_vec(), b"split".to_vec()];
    let n = rescuer(&repo).restore_paths(repo.path(), &made.reference, &paths, &into).unwrap();
    assert_eq!(n.written.len(), 2);
    assert_eq!(fs::read(into.join("new/deep/x")).unwrap(), b"x\n");
    assert_eq!(fs::read(into.join("split")).unwrap(), b"first\n1\n2\nlast\n");
    let elsewhere = repo.root().join("elsewhere");
    let missing = [b"split".to_vec(), b"not there".to_vec()];
    let refused = rescuer(&repo).restore_paths(repo.path(), &made.reference, &missing, &elsewhere);
    assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
    assert!(!elsewhere.exists());
}

// A forged record: what lies below the link would be written outside.
#[test]
fn a_tree_with_a_link_and_a_folder_of_one_name_is_refused_before_anything_is_written() {
    let repo = rich();
    let made = record(&repo);
    repo.write("target", "/tmp").write("inner", "evil\n");
    let target = repo.git(["hash-object", "-w", "target"]);
    let inner = repo.git(["hash-object", "-w", "inner"]);
    let sub = mktree(&repo, &format!("100644 blob {inner}\tx\n"));
    let tree = mktree(&repo, &format!("120000 blob {target}\ta\n040000 tree {sub}\ta\n"));
    let forged = repo.git(["commit-tree", &tree, "-p", &made.record.to_string(), "-m", "forged"]);
    let reference = made.reference.to_string() + "f";
    repo.git(["update-ref", &reference, &forged]);
    let into = repo.root().join("into");
    let refused = rescuer(&repo).restore_unknown(repo.path(), &reference, &[], &into);
    assert!(matches!(refused, Err(RescueError::Refused(_) | RescueError::Damage(_))), "{refused:?}");
    assert!(!into.exists());
}

fn mktree(repo: &Repo, text: &str) -> String {
    repo.write("mktree-input", text);
    let script = repo.script("mktree", "exec git mktree <mktree-input");
    repo.git(["-c", &format!("alias.mk=!{}", script.display()), "mk"])
}
