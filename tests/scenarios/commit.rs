//! The plain commit, which half of all steps are, without a start of git: the same objects, references, logs and index as
//! by `git add -A` and `git commit`, as a test says here. Whatever is not plain is git's.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use git2::{Config, ConfigLevel, IndexAddOption, Repository, Signature, Time};

/// Commits everything in a work tree that only has a branch, a `.git` folder and no state of an operation.
pub(super) fn all(work: &Path, at: i64, message: &str) {
    let git_dir = work.join(".git");
    let repo = Repository::open(work).unwrap();
    // Nothing of the user's own settings.
    let mut config = Config::new().unwrap();
    config.add_file(&git_dir.join("config"), ConfigLevel::Local, true).unwrap();
    repo.set_config(&config).unwrap();
    let mut index = repo.index().unwrap();
    index.add_all(["*"], IndexAddOption::DEFAULT, None).unwrap();
    // Git also refreshes what it knows of files that are as they were.
    let names: Vec<Vec<u8>> = index.iter().map(|entry| entry.path).collect();
    for name in names {
        index.add_path(Path::new(std::str::from_utf8(&name).unwrap())).unwrap();
    }
    let tree = repo.find_tree(index.write_tree().unwrap()).unwrap();
    index.write().unwrap();
    let who = Signature::new("p", "p@x", &Time::new(at, 0)).unwrap();
    let before = repo.head().unwrap().peel_to_commit().unwrap();
    let commit = repo.commit(None, &who, &who, &format!("{message}\n"), &tree, &[&before]).unwrap();
    let head = fs::read_to_string(git_dir.join("HEAD")).unwrap();
    let branch = head.strip_prefix("ref: ").unwrap().trim_end();
    fs::write(git_dir.join(branch), format!("{commit}\n")).unwrap();
    fs::write(git_dir.join("COMMIT_EDITMSG"), format!("{message}\n")).unwrap();
    let line = format!("{} {commit} p <p@x> {at} +0000\tcommit: {message}\n", before.id());
    for log in ["HEAD", branch] {
        let log = git_dir.join("logs").join(log);
        fs::OpenOptions::new().append(true).open(log).unwrap().write_all(line.as_bytes()).unwrap();
    }
}

#[test]
fn a_commit_without_git_is_that_of_git() {
    let now = super::World::new("a").now;
    let commits = [true, false].map(|is_plain| {
        let mut world = super::World::new("a");
        (world.now, world.is_plain) = (now, is_plain);
        for step in [
            "edit@900 src/login.py => a", "edit@900 src/deep/page.py", "write@900 .gitignore => *.log",
            "write@900 out.log => x", "commit@800 Add the login page", "remove README.md",
            "write run.sh => x", "commit@700 Remove it", "commit@600 Nothing at all",
        ] {
            world.take(step);
            world.is_plain = is_plain;
        }
        let read = |name: &str| fs::read_to_string(world.work().join(".git").join(name)).unwrap();
        let files =
            ["HEAD", "refs/heads/main", "logs/HEAD", "logs/refs/heads/main", "COMMIT_EDITMSG"].map(read);
        let said = |words: &[&str]| super::world::said_by_git(&world.work(), words);
        // Whether the stat data are fresh is what `diff-files` tells.
        let told = [
            said(&["ls-files", "--stage"]),
            said(&["status", "--porcelain"]),
            said(&["diff-files"]),
            said(&["fsck", "--strict"]),
        ];
        (files, told)
    });
    let [without_git, of_git] = commits;
    assert_eq!(without_git, of_git);
}
