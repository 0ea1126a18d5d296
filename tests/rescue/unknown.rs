//! Records of somebody else: those of a closeout with another state folder, and what was only made to look like a record.

use std::fs;
use std::path::Path;

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{KeepIn, RecordNotice, RecordOrder, RecordRef, RecordState, RescueRecord};

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// The same user with another state folder, as in a container.
fn elsewhere(repo: &Repo) -> Rescuer {
    Rescuer { state: repo.root().join("other-state"), ..rescuer(repo) }
}

fn states(rescuer: &Rescuer, repo: &Repo) -> Vec<(RecordRef, RecordState)> {
    let list = rescuer.list(repo.path()).unwrap();
    assert!(!list.is_damaged(), "{:?}", list.notices);
    let mut states: Vec<_> = list.records.into_iter().map(|it| (it.reference, it.state)).collect();
    states.sort_by(|a, b| a.0.cmp(&b.0));
    states
}

fn sorted<const N: usize>(mut states: [(&RescueRecord, RecordState); N]) -> Vec<(RecordRef, RecordState)> {
    states.sort_by(|a, b| a.0.reference.cmp(&b.0.reference));
    states.map(|(record, state)| (record.reference.clone(), state)).to_vec()
}

#[test]
fn the_records_of_two_state_folders_are_no_damage_to_each_other() {
    let repo = rich();
    let ours = record(&repo);
    repo.write("later", "1\n");
    let theirs = elsewhere(&repo).record(repo.path()).unwrap();
    for (rescuer, known, unknown) in [(rescuer(&repo), &ours, &theirs), (elsewhere(&repo), &theirs, &ours)] {
        let expected = sorted([(known, RecordState::Kept), (unknown, RecordState::OfAnother)]);
        assert_eq!(states(&rescuer, &repo), expected);
    }
    // One whose state folder was lost finds all of them, and restores what the person vouches for.
    fs::remove_dir_all(repo.root().join("other-state")).unwrap();
    let expected = sorted([(&ours, RecordState::OfAnother), (&theirs, RecordState::OfAnother)]);
    assert_eq!(states(&elsewhere(&repo), &repo), expected);
    let into = repo.root().join("into");
    let refused = elsewhere(&repo).restore(repo.path(), &ours.reference, &into).unwrap_err();
    let RescueError::Refused(words) = &refused else { panic!("{refused:?}") };
    assert!(words.contains(&ours.snapshot.to_string()) && words.contains("--unknown"), "{words}");
    let look = words.split('`').nth(1).unwrap().strip_prefix("git ").unwrap();
    assert!(repo.git(look.split(' ')).contains("new/deep/x"), "{look}");
    assert!(!into.exists());
    let n_files =
        elsewhere(&repo).restore_unknown(repo.path(), &ours.reference, &[], &into).unwrap().n_files();
    assert_eq!(n_files, ours.n_files);
}

/// A record of which only the reference is whole, whatever branches hold of it.
#[test]
fn a_record_that_lacks_a_content_is_lost_although_its_reference_stays() {
    for is_in_branch in [false, true] {
        let repo = rich();
        repo.write("only", "in the first\n");
        let lost = record(&repo);
        if is_in_branch {
            repo.commit("all of it");
        }
        repo.write("only", "in the second\n").stage("only");
        let kept = record(&repo);
        let both = sorted([(&lost, RecordState::Kept), (&kept, RecordState::Kept)]);
        assert_eq!(states(&rescuer(&repo), &repo), both);
        unpack(&repo);
        remove_object(&repo, &repo.git(["rev-parse", &format!("{}:only", lost.snapshot)]));
        let found = list(&repo);
        assert_eq!(found.notices, [RecordNotice::Lost { reference: lost.reference.clone() }]);
        for record in &found.records {
            let is_lost = record.reference == lost.reference;
            assert_eq!(record.state, if is_lost { RecordState::Lost } else { RecordState::Kept });
        }
        // What is left of it can still be taken out.
        let restore = |paths: &[Vec<u8>], name: &str| {
            rescuer(&repo).restore_paths(repo.path(), &lost.reference, paths, &repo.root().join(name))
        };
        assert!(matches!(restore(&[], "all"), Err(RescueError::Damage(_))));
        assert_eq!(restore(&[b"new".to_vec()], "part").unwrap().written.len(), 1);
    }
}

/// Has every object in a file of its own.
pub(crate) fn unpack(repo: &Repo) {
    let packs = repo.git_dir().join("objects/pack");
    let aside = repo.root().join("packs");
    fs::rename(&packs, &aside).unwrap();
    fs::create_dir(&packs).unwrap();
    for name in files_below(&aside).iter().filter(|name| name.contains(".pack")) {
        let script = repo.script("unpack", &format!("exec git unpack-objects -q <{name}"));
        repo.git(["-c", &format!("alias.unpack=!{}", script.display()), "unpack"]);
    }
}

pub(crate) fn object(repo: &Repo, id: &str) -> std::path::PathBuf {
    repo.git_dir().join("objects").join(&id[..2]).join(&id[2..])
}

fn remove_object(repo: &Repo, id: &str) {
    fs::remove_file(object(repo, id)).unwrap();
}

/// A commit that claims to be a record, on a reference of this name.
fn forge(repo: &Repo, record: &RescueRecord, reference: &str) -> String {
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    let forged = repo.git(["commit-tree", &tree, "-p", "HEAD", "-p", &record.record.to_string(), "-m", "x"]);
    repo.git(["update-ref", reference, &forged]);
    forged
}

/// The reference of the record that the command makes.
fn recorded(repo: &Repo, env: &TestEnv) -> String {
    assert_eq!(env.run(repo.path(), &["rescue", "--record-only"]).code, 0);
    repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/rescue"])
}

#[test]
fn a_forged_record_is_restored_only_if_the_person_vouches_for_it_and_takes_no_name_away() {
    let repo = rich();
    let env = TestEnv::beside(&repo);
    let run = |args: &[&str]| env.run(repo.path(), args);
    let reference = recorded(&repo, &env);
    let (folder, id) = reference.rsplit_once('/').unwrap();
    let record = RescueRecord {
        record: repo.git(["rev-parse", &format!("{reference}^2")]).parse().unwrap(),
        ..record(&repo)
    };
    let into = |name: &str| repo.root().join(name).display().to_string();
    // Another key, another top, a longer name.
    let forged = [
        format!("refs/closeout/rescue/0123456789abcdef/{id}"),
        format!("refs/closeout-12345678/rescue/0123456789abcdef/{id}"),
        format!("{folder}/{id}0"),
    ];
    for (n, name) in forged.iter().enumerate() {
        let commit = forge(&repo, &record, name);
        let out = into(&format!("forged-{n}"));
        let refused = run(&["restore", name, &out]);
        assert_eq!(refused.code, 20, "{refused:?}");
        assert!(refused.err.contains(&commit) && refused.err.contains("Ada"), "{refused:?}");
        assert!(!Path::new(&out).exists());
        assert_eq!(run(&["restore", "--unknown", name, &out]).code, 0);
    }
    // One of them can be broken as well.
    repo.git(["update-ref", "-d", &forged[0]]);
    fs::create_dir_all(repo.git_dir().join(&forged[0]).parent().unwrap()).unwrap();
    fs::write(repo.git_dir().join(&forged[0]), format!("{}\n", "1".repeat(40))).unwrap();
    let given_back = run(&["restore", id, &into("by-id")]);
    assert_eq!(given_back.code, 0, "{given_back:?}");
    assert!(Path::new(&into("by-id")).join("new/deep/x").exists());
}

/// What git says of a commit's parents, and which object it reads for an id, anybody can change.
#[test]
fn neither_grafts_nor_replacements_nor_other_bytes_change_what_is_restored() {
    let repo = rich();
    let made = record(&repo);
    let other = forge(&repo, &made, "refs/heads/forged");
    let count = |name: &str| {
        let into = repo.root().join(name);
        rescuer(&repo).restore(repo.path(), &made.reference, &into)
    };
    let git_dir = repo.git_dir();
    fs::create_dir_all(git_dir.join("info")).unwrap();
    fs::write(git_dir.join("info/grafts"), format!("{} {}\n", made.snapshot, repo.head())).unwrap();
    assert_eq!(count("grafted").unwrap(), made.n_files);
    fs::write(git_dir.join("info/grafts"), format!("{}\n", made.snapshot)).unwrap();
    assert_eq!(count("orphaned").unwrap(), made.n_files);
    assert!(!list(&repo).is_damaged());
    fs::remove_file(git_dir.join("info/grafts")).unwrap();
    repo.git(["replace", &made.snapshot.to_string(), &other]);
    assert_eq!(count("replaced").unwrap(), made.n_files);
    assert!(!list(&repo).is_damaged());
    repo.git(["replace", "-d", &made.snapshot.to_string()]);
    unpack(&repo);
    let top = repo.git(["rev-parse", &format!("{}^{{tree}}", made.snapshot)]);
    for (n, id) in [made.snapshot.to_string(), top].iter().enumerate() {
        let stand_in = if n == 0 { other.clone() } else { repo.git(["rev-parse", "HEAD^{tree}"]) };
        let (path, kept) = (object(&repo, id), repo.root().join("kept"));
        fs::rename(&path, &kept).unwrap();
        fs::copy(object(&repo, &stand_in), &path).unwrap();
        let damaged = count(&format!("damaged-{n}"));
        assert!(matches!(damaged, Err(RescueError::Damage(_) | RescueError::Git { .. })), "{damaged:?}");
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
    assert_eq!(count("sound").unwrap(), made.n_files);
}

/// A bundle is out of reach of whoever can write to the repository.
#[test]
fn a_record_of_which_the_repository_has_altered_bytes_is_restored_from_the_vault() {
    let repo = rich();
    let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
    let made = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
    unpack(&repo);
    let at = |path: &str| object(&repo, &repo.git(["rev-parse", &format!("{}:{path}", made.snapshot)]));
    let (altered, other) = (at("new/deep/x"), at("split"));
    fs::remove_file(&altered).unwrap();
    fs::copy(other, altered).unwrap();
    let into = repo.root().join("into");
    assert_eq!(rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap(), made.n_files);
    assert_eq!(fs::read(into.join("new/deep/x")).unwrap(), b"x\n");
}

/// Without a vault, one damaged content keeps no other from being restored, and nothing promises that it comes later.
#[test]
fn files_whose_content_is_damaged_are_named_and_the_others_are_restored() {
    let repo = rich();
    let lines: Vec<String> = (0..5000).map(|number: u64| format!("{}\n", number * number * 7919)).collect();
    repo.write("torn", lines.concat()).write("z", "last\n");
    let made = record(&repo);
    unpack(&repo);
    let at = |path: &str| object(&repo, &repo.git(["rev-parse", &format!("{}:{path}", made.snapshot)]));
    let (altered, torn) = (at("new/deep/x"), at("torn"));
    fs::remove_file(&altered).unwrap();
    fs::copy(at("split"), altered).unwrap();
    // Git reads the size of this one, and not its end.
    let mut bytes = fs::read(&torn).unwrap();
    let n_bytes = bytes.len();
    bytes[n_bytes / 2..].fill(0xff);
    fs::remove_file(&torn).unwrap();
    fs::write(torn, bytes).unwrap();
    let into = repo.root().join("into");
    let failed = rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap_err().to_string();
    let n_whole = made.n_files - 2;
    let words = format!("{n_whole} of {} files are in {}, without ", made.n_files, into.display());
    assert!(failed.contains(&words) && !failed.contains("again"), "{failed}");
    assert!(["new/deep/x", "torn"].iter().all(|name| failed.contains(name)), "{failed}");
    assert_eq!(files_below(&into).len(), n_whole);
    assert_eq!(fs::read(into.join("z")).unwrap(), b"last\n");
}

#[test]
fn where_the_repository_cannot_be_used_nobody_says_that_there_is_no_such_record() {
    let repo = rich();
    let made = record(&repo);
    let into = repo.root().join("into");
    let restored = || {
        let vouched = elsewhere(&repo).restore_unknown(repo.path(), &made.reference, &[], &into);
        [
            elsewhere(&repo).restore(repo.path(), &made.reference, &into),
            vouched.map(|restored| restored.n_files()),
        ]
    };
    // Nothing is missing without this file.
    repo.fifo(&repo.git_dir().join("info/grafts"));
    let [refused, vouched] = restored();
    let Err(RescueError::Refused(words)) = refused else { panic!("{refused:?}") };
    assert!(words.contains("--unknown"), "{words}");
    assert_eq!(vouched.unwrap(), made.n_files);
    fs::remove_dir_all(&into).unwrap();
    let packs = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap().map(|it| it.unwrap().path());
    for path in packs.filter(|path| path.extension().is_some_and(|end| end == "idx")) {
        fs::remove_file(&path).unwrap();
        repo.fifo(&path);
    }
    for denied in restored() {
        assert!(matches!(denied, Err(RescueError::Unusable(_))), "{denied:?}");
    }
    assert!(!into.exists());
}

/// Which of two records is meant, the person says.
#[test]
fn the_beginning_of_a_name_that_two_records_have_is_refused_whatever_they_are() {
    let repo = rich();
    let env = TestEnv::beside(&repo);
    let run = |args: &[&str]| env.run(repo.path(), args);
    let reference = recorded(&repo, &env);
    let (folder, id) = reference.rsplit_once('/').unwrap();
    let time = id.split('-').next().unwrap();
    repo.git(["update-ref", &format!("{folder}/{time}-0000000z"), &reference]);
    let into = repo.root().join("into").display().to_string();
    for args in [&["restore", time, &into][..], &["forget", time, "--yes", "--lose-work"]] {
        let refused = run(args);
        assert!(refused.code == 20 && refused.err.contains("several records"), "{refused:?}");
    }
    assert_eq!(run(&["restore", id, &into]).code, 0);
}

/// It is in a branch, but no journal here says what it holds.
#[test]
fn that_the_work_of_a_record_of_another_would_be_lost_is_not_said_as_certain() {
    let repo = rich();
    let theirs = elsewhere(&repo).record(repo.path()).unwrap();
    repo.commit("all of it");
    let refused = rescuer(&repo).delete(repo.path(), &theirs.reference, false).unwrap_err();
    assert!(matches!(refused, RescueError::WouldLose { is_known: false }), "{refused:?}");
    assert!(refused.to_string().contains("cannot be certain"), "{refused}");
}

/// Nobody but a person tells a record from what only looks like one, and nothing of it is hidden from them.
#[test]
fn whatever_is_among_the_hidden_references_is_listed_and_stays() {
    let repo = rich();
    let env = TestEnv::beside(&repo);
    let run = |args: &[&str]| env.run(repo.path(), args);
    let made = recorded(&repo, &env);
    let (folder, _) = made.rsplit_once('/').unwrap();
    let snapshot = repo.git(["rev-parse", &made]);
    let of = |name: &str| repo.git(["rev-parse", name]);
    let (head, blob, tree) = (of("HEAD"), of(&format!("{made}:split")), of("HEAD^{tree}"));
    let key = folder.rsplit('/').next().unwrap();
    let called_like_one = |n: u32| format!("{folder}/20200101T000000Z-0000000{n}");
    let strays = [
        (called_like_one(1), &snapshot, "of_another"),
        (called_like_one(2), &head, "not_in_journal"),
        (called_like_one(3), &blob, "not_in_journal"),
        (called_like_one(4), &tree, "not_in_journal"),
        (format!("{folder}/my_own"), &snapshot, "stray"),
        (format!("{folder}/deep/20200101T000000Z-00000005"), &snapshot, "stray"),
        ("refs/closeout/rescue/no-key/20200101T000000Z-00000006".to_owned(), &head, "stray"),
        ("refs/closeout/rescue/plain".to_owned(), &snapshot, "stray"),
        ("refs/closeout/something".to_owned(), &blob, "stray"),
        (format!("refs/closeout/moved/{key}/20200101T000000Z-00000007-12345678"), &head, "stray"),
        ("refs/closeout-12345678/visible/no-key/x".to_owned(), &head, "stray"),
    ];
    for (name, id, _) in &strays {
        repo.git(["update-ref", name, id]);
    }
    // These are of others, or keep the commits of rescues.
    for name in ["refs/closeout-tool/x", "refs/closeouts/x", &format!("refs/closeout/visible/{key}/x")] {
        repo.git(["update-ref", name, "HEAD"]);
    }
    let before = repo.git(["for-each-ref"]);
    let listed = run(&["rescues", "--json"]);
    let printed = listed.json();
    let told = |name: &str| printed["records"].as_array().unwrap().iter().find(|it| it["reference"] == name);
    let text = run(&["rescues"]).out;
    for (name, id, state) in &strays {
        let record = told(name).unwrap_or_else(|| panic!("{name}: {printed:#}"));
        assert_eq!((&record["state"], &record["snapshot"]), (&(*state).into(), &(&***id).into()), "{name}");
        assert_eq!(record["is_old"], false, "{name}");
        let shown = if *state == "stray" { name } else { name.rsplit('/').next().unwrap() };
        assert!(text.lines().any(|line| line.starts_with(&format!("{shown}  "))), "{shown}: {text}");
        let into = repo.root().join("into");
        let refused = run(&["restore", name, into.to_str().unwrap()]);
        let words = if **id == blob || **id == tree { "no record is in" } else { "--unknown restores it" };
        assert!(refused.code == 20 && refused.err.contains(words), "{name}: {refused:?}");
        assert!(!into.exists(), "{name}");
    }
    assert_eq!(printed["records"].as_array().unwrap().len(), strays.len() + 1, "{printed:#}");
    assert!(text.contains("in no journal; `closeout restore` tells what it is"), "{text}");
    assert_eq!(listed.code, 40, "some are called like records of this closeout: {text}");
    let (stray, into) = (&strays[7].0, repo.root().join("vouched"));
    assert_eq!(run(&["restore", "--unknown", stray, into.to_str().unwrap()]).code, 0);
    assert!(into.join("new/deep/x").exists());
    for no_record in ["refs/heads/main", "refs/closeout-tool/x", &format!("refs/closeout/visible/{key}/x")] {
        let refused = run(&["restore", "--unknown", no_record, "nowhere"]);
        assert!(refused.code == 20 && refused.err.contains("no reference of a record"), "{refused:?}");
    }
    assert_eq!(repo.git(["for-each-ref"]), before);
}
