//! What is too deep or too long: it is named, and costs time in proportion to its size.

use std::fs;
use std::time::{Duration, Instant};

use closeout::action::rescue::RescueError;
use closeout::process::{self, Spec};
use rustix::fs::{Mode, OFlags, mkdirat, openat};

use super::fixture::*;
use crate::support::repo::Repo;

/// Makes folders in each other below `folder`, with a file in the last one. No path is as long as they are deep.
fn nest(repo: &Repo, folder: &str, n_folders: usize) {
    fs::create_dir_all(repo.at(folder)).unwrap();
    let mut at = rustix::fs::open(repo.at(folder), OFlags::PATH, Mode::empty()).unwrap();
    for _ in 0..n_folders {
        mkdirat(&at, "d", Mode::from_raw_mode(0o755)).unwrap();
        at = openat(&at, "d", OFlags::PATH, Mode::empty()).unwrap();
    }
    let flags = OFlags::CREATE | OFlags::WRONLY;
    rustix::io::write(openat(&at, "f", flags, Mode::from_raw_mode(0o644)).unwrap(), b"deep\n").unwrap();
}

#[test]
fn what_lies_too_deep_is_a_gap_and_all_else_is_kept() {
    let repo = Repo::new();
    repo.write(".gitignore", "ignored\n").write("kept/f", "kept\n");
    nest(&repo, "deep", 12_000);
    nest(&repo, "ignored", 12_000);
    nest(&repo, "shallow", 500);
    #[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
    let began = Instant::now();
    let record = rescuer(&repo).record(repo.path()).unwrap();
    let took = began.elapsed();
    let shallow = format!("shallow/{}f", "d/".repeat(500));
    // `std` keeps a descriptor open for each folder that it is in.
    let remove = Spec::new("/bin/rm", repo.path()).args(["-rf", "deep", "ignored", "shallow"]);
    assert!(process::run(&remove).unwrap().is_success());
    assert!(took < Duration::from_mins(1), "{took:?}");
    let gaps: Vec<&str> = record.gaps.iter().map(|gap| gap.reason.as_str()).collect();
    assert!(gaps.contains(&"it lies in too many folders for git to keep it"), "{gaps:?}");
    assert_eq!(content(&repo, &record.snapshot, b"kept/f").unwrap(), b"kept\n");
    assert_eq!(content(&repo, &record.snapshot, shallow.as_bytes()).unwrap(), b"deep\n");
}

#[test]
fn with_a_configuration_that_is_not_read_to_its_end_work_goes_into_the_vault() {
    let repo = Repo::new();
    repo.write("a", "1\n");
    let path = repo.git_dir().join("config");
    let own = fs::read_to_string(&path).unwrap();
    // Behind the padding stands what decides how the repository is read.
    fs::write(&path, format!("{own}{}[core]\n\tbare = true\n", "# padding\n".repeat(600_000))).unwrap();
    let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
    let refusal = shown.refusal.clone().unwrap_or_default();
    assert!(shown.record.vault.is_some() && refusal.contains("longer than"), "{shown:?}");
    assert!(matches!(rescuer(&repo).commit(repo.path(), &shown), Err(RescueError::Refused(_))));
}
