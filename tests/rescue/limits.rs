//! The size limits of a record, and what it reports about files that it does not hold.

use std::fs::{self, File};

use closeout::action::rescue::{AskAbove, RescueError, Rescuer};
use closeout::model::{ActionClass, IgnoredFiles, RecordCost, RecordOrder};

use super::fixture::*;
use crate::support::repo::Repo;

const ALLOWED: RecordOrder =
    RecordOrder { is_size_allowed: true, keep_in: closeout::model::KeepIn::Repository };

fn sparse(repo: &Repo, name: &str, size: u64) {
    File::create(repo.at(name)).unwrap().set_len(size).unwrap();
}

fn asked(repo: &Repo, ask_above: AskAbove) -> RecordCost {
    let before = fingerprint(repo);
    let asked = Rescuer { ask_above, ..rescuer(repo) }.record(repo.path());
    let Err(RescueError::Ask(cost)) = asked else { panic!("{asked:?}") };
    assert_eq!(fingerprint(repo), before);
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
    cost
}

// S30: a question comes first, before anything is read.
#[test]
fn a_record_of_more_than_two_hundred_megabytes_is_asked_about() {
    let repo = Repo::new();
    sparse(&repo, "large", 200_000_001);
    let cost = asked(&repo, AskAbove::default());
    assert_eq!((cost.n_files, cost.n_bytes), (1, 200_000_001));
    assert!(cost.n_free_bytes > 0);
}

// S30: made after a yes, exactly. The file is larger than what git keeps in memory.
#[test]
fn a_large_record_is_made_with_a_yes_or_below_the_limit() {
    const SIZE: u64 = 20_000_001;
    let repo = Repo::new();
    sparse(&repo, "large", SIZE);
    let above = |n_bytes| AskAbove { n_bytes, ..AskAbove::default() };
    assert_eq!(asked(&repo, above(SIZE - 1)).n_bytes, SIZE);
    let made = Rescuer { ask_above: above(SIZE - 1), ..rescuer(&repo) }
        .record_ordered(repo.path(), ALLOWED)
        .unwrap();
    let size = repo.git(["cat-file", "-s", &format!("{}:large", made.snapshot)]);
    assert_eq!(size, SIZE.to_string());
    let into = repo.root().join("into");
    rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap();
    assert!(fs::read(into.join("large")).unwrap() == fs::read(repo.at("large")).unwrap());
    Rescuer { ask_above: above(SIZE), ..rescuer(&repo) }.record(repo.path()).unwrap();
}

/// Writes incompressible bytes.
fn write_random(repo: &Repo, name: &str, n_megabytes: u64) {
    use std::io::Write as _;
    let mut file = std::io::BufWriter::new(File::create(repo.at(name)).unwrap());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..n_megabytes * (1 << 17) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        file.write_all(&state.to_le_bytes()).unwrap();
    }
    file.flush().unwrap();
}

/// Asserts that the id is the one that git gives the file as it is.
fn assert_same_bytes(repo: &Repo, name: &str, id: &str) {
    assert_eq!(repo.git(["hash-object", "--no-filters", name]), id);
}

// S30
#[test]
fn a_large_file_of_random_bytes_is_recorded_exactly() {
    let repo = Repo::new();
    write_random(&repo, "random", 20);
    let made = record(&repo);
    assert_same_bytes(&repo, "random", &listed(&repo, &made.snapshot)[&b"random"[..]].1);
    let into = repo.root().join("into");
    rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap();
    assert!(fs::read(into.join("random")).unwrap() == fs::read(repo.at("random")).unwrap());
}

// S30, in full size. Takes minutes.
#[test]
#[ignore = "takes minutes and eight gigabytes of disk"]
fn two_gigabytes_are_recorded_exactly() {
    for is_sparse in [true, false] {
        let repo = Repo::new();
        if is_sparse {
            sparse(&repo, "large", 2 << 30);
        } else {
            write_random(&repo, "large", 2048);
        }
        assert_eq!(rescuer(&repo).record(repo.path()).unwrap_err().class(), ActionClass::Refused);
        let made = rescuer(&repo).record_ordered(repo.path(), ALLOWED).unwrap();
        assert_same_bytes(&repo, "large", &listed(&repo, &made.snapshot)[&b"large"[..]].1);
        let into = repo.root().join("into");
        rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap();
    }
}

#[test]
fn a_record_of_more_new_files_than_the_limit_is_asked_about() {
    assert_eq!(AskAbove::default().n_files, 10_000);
    let above = |n_files| AskAbove { n_files, ..AskAbove::default() };
    let repo = Repo::new();
    fs::create_dir(repo.at("many")).unwrap();
    for n in 0..101 {
        fs::write(repo.at("many").join(n.to_string()), "").unwrap();
    }
    assert_eq!(asked(&repo, above(100)).n_files, 101);
    // Committed files that are unchanged cost nothing.
    repo.commit("many");
    repo.write("one", "1\n");
    Rescuer { ask_above: above(1), ..rescuer(&repo) }.record(repo.path()).unwrap();
}

#[test]
fn a_record_that_takes_more_than_half_of_what_is_free_is_refused_with_figures() {
    let repo = Repo::new();
    let stat = rustix::fs::statvfs(repo.path()).unwrap();
    sparse(&repo, "huge", stat.f_bavail * stat.f_frsize);
    let refused = rescuer(&repo).record_ordered(repo.path(), ALLOWED);
    let Err(RescueError::NoRoom { cost, .. }) = &refused else { panic!("{refused:?}") };
    assert!(cost.n_bytes > cost.n_free_bytes / 2, "{cost:?}");
    let refused = refused.unwrap_err();
    assert!(refused.to_string().contains("the largest file is huge ("), "{refused}");
    assert_eq!(refused.class(), ActionClass::Refused);
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
}

// S35
#[test]
fn what_ignore_rules_hide_is_counted() {
    let repo = Repo::new();
    repo.write("keep.log", "1\n").commit("log");
    repo.write(".gitignore", "*\n").write("keep.log", "2\n").write("hidden", "ignored\n");
    repo.write("deep/er/hidden", "12345").write("deep/more", "");
    let made = record(&repo);
    // Including `.gitignore` itself.
    assert_eq!(made.ignored, IgnoredFiles { n_files: 4, n_bytes: 15, is_more: false });
    assert_eq!(content(&repo, &made.snapshot, b"hidden"), None);
    fs::write(repo.git_dir().join("info/exclude"), "*.tmp\n").unwrap();
    fs::remove_file(repo.at(".gitignore")).unwrap();
    repo.write("x.tmp", "123");
    assert_eq!(record(&repo).ignored, IgnoredFiles { n_files: 1, n_bytes: 3, is_more: false });
}

#[test]
fn what_is_in_a_folder_that_ignores_itself_is_counted_once() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("a");
    repo.write("a", "2\n").write(".closeoutx", "a neighbour\n");
    repo.write(".closeout/.gitignore", "*\n").write(".closeout/decision.json", "{}");
    repo.write(".closeout/in/x", "1");
    let ignored = record(&repo).ignored;
    assert_eq!(ignored, IgnoredFiles { n_files: 3, n_bytes: 5, is_more: false });
}

/// Git reads rules as a whole, whatever their length; what it lacks then is memory, of which it says no more.
#[test]
fn rules_that_no_memory_holds_are_named() {
    let repo = rich();
    sparse(&repo, "new/.gitignore", 1 << 40);
    let words = rescuer(&repo).plan(repo.path(), "m").unwrap_err().to_string();
    assert!(words.contains(&format!("{} has 1048576 MiB", repo.at("new/.gitignore").display())), "{words}");
}
