//! Records: what they contain, and that making one changes nothing else.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::time::Duration;

use closeout::action::rescue::RescueError;

use super::fixture::*;
use crate::support::repo::Repo;

// S01
#[test]
fn a_record_holds_the_work_tree_and_the_staged_version() {
    let repo = Repo::unborn();
    repo.write("a", "1\n2\n3\n").commit("first");
    repo.write("a", "one\n2\n3\n").git(["add", "a"]);
    repo.write("a", "one\n2\nthree\n");
    let record = record(&repo);
    assert_holds_the_work_tree(&repo, &record);
    assert_eq!(content(&repo, &record.record, b"s0/a").unwrap(), b"one\n2\n3\n");
    let index = fs::read(repo.git_dir().join("index")).unwrap();
    assert_eq!(content(&repo, &record.record, b"index").unwrap(), index);
    assert_eq!(repo.git(["rev-parse", &record.reference]), record.snapshot.to_string());
    assert_eq!(repo.git(["rev-parse", &format!("{}^2", record.snapshot)]), record.record.to_string());
    repo.git(["fsck", "--strict", "--no-dangling"]);
}

// S02, S03, S04
#[test]
fn new_deleted_and_renamed_files_are_recorded_as_they_are() {
    let repo = Repo::new();
    for name in ["a", "b", "c", "d"] {
        repo.write(name, format!("content of {name}\n"));
    }
    repo.commit("more");
    repo.write("new/deep/x", "x").write("n", "n").write("e", "");
    fs::remove_file(repo.at("a")).unwrap();
    repo.git(["rm", "-q", "--cached", "b"]);
    repo.git(["mv", "c", "c2"]);
    fs::rename(repo.at("d"), repo.at("d2")).unwrap();
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S05
#[test]
fn the_exec_bit_comes_from_the_disk_whatever_the_settings_say() {
    let repo = Repo::new();
    repo.write("run.sh", "true\n").commit("script");
    repo.git(["config", "core.fileMode", "false"]);
    make_executable(&repo.at("run.sh"));
    repo.write("new.sh", "new\n");
    make_executable(&repo.at("new.sh"));
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S06, S07
#[test]
fn links_are_recorded_as_links_and_swapped_kinds_as_they_are() {
    let repo = Repo::new();
    let outside = repo.beside("outside");
    outside.write("secret", "from outside\n");
    for name in ["dangling", "to_folder", "to_outside", "a", "dir/inner", "dir2/inner", "other/x"] {
        repo.write(name, name);
    }
    repo.commit("more");
    for (name, target) in
        [("dangling", "nowhere"), ("to_folder", "other"), ("to_outside", "../outside/secret")]
    {
        fs::remove_file(repo.at(name)).unwrap();
        symlink(target, repo.at(name)).unwrap();
    }
    fs::remove_file(repo.at("a")).unwrap();
    repo.write("a/inner", "in");
    fs::remove_dir_all(repo.at("dir")).unwrap();
    repo.write("dir", "file now");
    fs::remove_dir_all(repo.at("dir2")).unwrap();
    symlink("other", repo.at("dir2")).unwrap();
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S08
#[test]
fn a_file_of_which_only_the_name_is_staged_is_recorded() {
    let repo = Repo::new();
    repo.write("f", "content\n").git(["add", "-N", "f"]);
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S09
#[test]
fn line_ends_are_recorded_as_they_are() {
    let repo = Repo::new();
    repo.git(["config", "core.autocrlf", "true"]);
    repo.write(".gitattributes", "*.lf eol=lf\n");
    repo.write("a.txt", "1\r\n2\r\n").write("mixed.lf", "1\r\n2\n");
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S10, S12 (regarding the record), G03
#[test]
fn a_filter_is_not_run_and_does_not_touch_what_is_recorded() {
    let repo = Repo::new();
    let canary = repo.root().join("canary");
    let program = format!("touch {}; sed s/SECRET/XXX/", canary.display());
    repo.write(".gitattributes", "* filter=red\n");
    repo.write("f", "SECRET\n");
    repo.git(["config", "filter.red.clean", &program]);
    let record = rescuer(&repo).record(repo.path()).unwrap();
    assert_eq!(content(&repo, &record.snapshot, b"f").unwrap(), b"SECRET\n");
    assert!(!canary.exists());
}

// S14
#[test]
fn a_changed_file_that_the_index_calls_unchanged_is_recorded() {
    let repo = Repo::new();
    repo.write("assumed", "1\n").write("skipped", "1\n").commit("more");
    repo.git(["update-index", "--assume-unchanged", "assumed"]);
    repo.git(["update-index", "--skip-worktree", "skipped"]);
    repo.write("assumed", "2\n").write("skipped", "2\n");
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S15, S35
#[test]
fn ignore_rules_hide_no_tracked_file() {
    let repo = Repo::new();
    repo.write("keep.log", "1\n").commit("log");
    repo.write(".gitignore", "*\n").write("keep.log", "2\n").write("hidden", "ignored\n");
    let record = record(&repo);
    assert_eq!(content(&repo, &record.snapshot, b"keep.log").unwrap(), b"2\n");
    assert_eq!(content(&repo, &record.snapshot, b"hidden"), None);
}

// S17, S18
#[test]
fn repositories_inside_are_recorded_file_by_file() {
    let repo = Repo::new();
    for name in ["nested", "unborn"] {
        repo.write(&format!("{name}/f"), "1\n");
        repo.git(["init", "-q", name]);
    }
    repo.git(["-C", "nested", "add", "f"]);
    repo.git(["-C", "nested", "commit", "-q", "-m", "inner"]);
    repo.write("nested/f", "2\n").write("own", "own\n");
    let record = record(&repo);
    assert_eq!(content(&repo, &record.snapshot, b"nested/f").unwrap(), b"2\n");
    assert_eq!(content(&repo, &record.snapshot, b"unborn/f").unwrap(), b"1\n");
    assert_eq!(content(&repo, &record.snapshot, b"own").unwrap(), b"own\n");
}

// S21
#[test]
fn a_fifo_in_the_place_of_a_tracked_file_is_a_gap_and_nobody_waits_for_it() {
    let repo = Repo::new();
    repo.write("f", "1\n").commit("f");
    fs::remove_file(repo.at("f")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, repo.at("f"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    repo.write("g", "2\n");
    let record = rescuer(&repo).record(repo.path()).unwrap();
    assert_eq!(record.gaps.len(), 1, "{:?}", record.gaps);
    assert_eq!(record.gaps[0].path, b"f");
    assert_eq!(content(&repo, &record.snapshot, b"g").unwrap(), b"2\n");
}

// S22
#[test]
fn any_name_is_recorded_byte_for_byte() {
    let repo = Repo::new();
    let names: [&[u8]; 10] = [
        b"not\xffutf8", b"new\nline", b"tab\there", b"\"quoted\"", b"-rf", b":(top)x", b"*", b"back\\slash",
        b" space ", b"\x1b[31m",
    ];
    for name in names {
        fs::write(repo.path().join(std::ffi::OsStr::from_bytes(name)), name).unwrap();
    }
    assert_holds_the_work_tree(&repo, &record(&repo));
}

#[test]
fn a_name_that_git_refuses_is_recorded_beside_the_tree() {
    let repo = Repo::new();
    repo.write("git~1", "refused\n").write("fine", "fine\n");
    let record = record(&repo);
    assert_eq!(content(&repo, &record.snapshot, b"fine").unwrap(), b"fine\n");
    let stored: Vec<_> =
        listed(&repo, &record.record).into_keys().filter(|path| path.starts_with(b"x/")).collect();
    assert_eq!(stored, [b"x/0"]);
    assert_eq!(content(&repo, &record.record, b"x/0").unwrap(), b"refused\n");
}

// S23
#[test]
fn the_work_before_the_first_commit_is_recorded() {
    let repo = Repo::unborn();
    repo.write("staged", "1\n").git(["add", "staged"]);
    repo.write("untracked", "2\n");
    assert_holds_the_work_tree(&repo, &record(&repo));
}

// S24, S39, G09
#[test]
fn what_is_no_work_tree_of_its_own_is_refused() {
    let repo = Repo::new();
    repo.write("below/x", "x");
    repo.git(["init", "-q", "--bare", "../bare.git"]);
    let home = repo.beside("home");
    home.git(["init", "-q"]);
    for path in [repo.at("below"), repo.root().join("bare.git"), repo.root().join("gone"), repo.home()] {
        let refused = rescuer(&repo).record(&path);
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{path:?}: {refused:?}");
    }
    assert!(!repo.root().join("state").exists());
}

// S28, S29 (the record)
#[test]
fn a_conflict_is_recorded_with_all_its_stages() {
    let repo = Repo::new();
    repo.write("f", "base\n").commit("base");
    repo.git(["checkout", "-q", "-b", "other"]);
    repo.write("f", "theirs\n").commit("theirs");
    repo.git(["checkout", "-q", "main"]);
    repo.write("f", "ours\n").commit("ours");
    assert!(!repo.try_git(&["merge", "other"], &[]).status.success());
    let record = record(&repo);
    assert_holds_the_work_tree(&repo, &record);
    for (path, expected) in [("s1/f", "base\n"), ("s2/f", "ours\n"), ("s3/f", "theirs\n")] {
        assert_eq!(content(&repo, &record.record, path.as_bytes()).unwrap(), expected.as_bytes());
    }
    assert!(content(&repo, &record.record, b"state/MERGE_HEAD").is_some());
}

// S36
#[test]
fn an_edit_of_the_same_size_in_the_second_of_the_add_is_recorded() {
    let repo = Repo::new();
    repo.write("f", "1\n").git(["add", "f"]);
    let time = fs::metadata(repo.at("f")).unwrap().modified().unwrap();
    repo.write("f", "2\n");
    fs::File::options().write(true).open(repo.at("f")).unwrap().set_modified(time).unwrap();
    let index = repo.git_dir().join("index");
    let file = fs::File::options().write(true).open(&index).unwrap();
    file.set_modified(time + Duration::from_millis(1300)).unwrap();
    let record = record(&repo);
    assert_eq!(content(&repo, &record.snapshot, b"f").unwrap(), b"2\n");
}

// V10
#[test]
fn a_clean_work_tree_gives_no_record() {
    let repo = Repo::new();
    let before = fingerprint(&repo);
    assert!(matches!(rescuer(&repo).record(repo.path()), Err(RescueError::Nothing)));
    assert_eq!(fingerprint(&repo), before);
    assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
}
