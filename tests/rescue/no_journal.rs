//! A journal that cannot be used, because something else stands in the place of one of its files: the work is saved all the
//! same, and the journal tells of it once it can.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use closeout::action::rescue::RescueError;
use closeout::model::{RecordNotice, RecordState, RescueRecord};

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A file of the journal, and what is put in its place.
type Case = (&'static str, fn(&Repo, &Path));

const CASES: [Case; 4] = [
    ("journal", |_, path| fs::create_dir(path).unwrap()),
    ("journal", |repo, path| {
        repo.fifo(path);
    }),
    ("journal", |_, path| symlink("nowhere", path).unwrap()),
    ("pending", |_, path| fs::create_dir(path).unwrap()),
];

fn reason(record: &RescueRecord) -> &str {
    let told = record
        .notices
        .iter()
        .find_map(|notice| if let RecordNotice::VaultOnly { reason } = notice { Some(reason) } else { None });
    told.unwrap_or_else(|| panic!("{record:?}"))
}

#[test]
fn work_is_saved_beside_a_journal_that_cannot_be_used_and_told_once_it_can() {
    for (name, spoil) in CASES {
        let repo = rich();
        let first = record(&repo);
        commit(&repo);
        let journal = super::keep::journal(&repo);
        let (path, text) = (journal.with_file_name(name), fs::read(journal.with_file_name(name)).ok());
        let _ = fs::remove_file(&path);
        spoil(&repo, &path);
        repo.write("later", "precious\n");
        let before = fingerprint(&repo);
        let references = repo.git(["for-each-ref", "refs/closeout"]);
        let made = rescuer(&repo).record(repo.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let shown = path.display().to_string();
        assert!(reason(&made).contains(&shown) && made.vault.is_some(), "{name}: {made:?}");
        let again = rescuer(&repo).record(repo.path()).unwrap();
        assert!(again.unchanged_millis.is_some() && again.reference == made.reference, "{name}: made twice");
        let plan = rescuer(&repo).plan(repo.path(), "m").unwrap();
        assert!(plan.targets.is_empty() && plan.refusal.as_ref().unwrap().contains(&shown), "{name}");
        assert!(rescuer(&repo).commit(repo.path(), &plan).is_err(), "{name}");
        let refused = rescuer(&repo).undo(repo.path()).unwrap_err();
        assert!(
            matches!(&refused, RescueError::Io { path: told, .. } if *told == path),
            "{name}: {refused:?}"
        );
        // Nothing of the repository was touched.
        assert_eq!(fingerprint(&repo), before, "{name}");
        assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), references, "{name}");
        let state = |record: &RescueRecord| {
            let listed = list(&repo).records;
            listed.iter().find(|it| it.reference == record.reference).map(|it| it.state)
        };
        assert_eq!(state(&made), Some(RecordState::VaultOnly), "{name}");
        let (env, into) = (TestEnv::beside(&repo), repo.root().join("into"));
        let restored = env.run(repo.path(), &["restore", made.reference.id(), &into.display().to_string()]);
        assert_eq!(restored.code, 0, "{name}: {restored:?}");
        assert_eq!(fs::read(into.join("later")).unwrap(), b"precious\n", "{name}");

        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        let states = (state(&made), state(&first));
        assert_eq!(states, (Some(RecordState::VaultOnly), Some(RecordState::Kept)), "{name}");
        assert_eq!(list(&repo).notices, [], "{name}");
        let text = fs::read_to_string(&journal).unwrap();
        assert_eq!(text.matches(&*made.reference).count(), 1, "{name}: {text}");
        rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
        let left = files_below(&journal.with_file_name("vault"));
        assert!(left.is_empty() && state(&made).is_none(), "{name}: {left:?}");
        rescuer(&repo).undo(repo.path()).unwrap();
    }
}
