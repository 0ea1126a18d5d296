//! An oracle that shares no code with the rescue: a plain walk of the work tree and git directory before and
//! after, and the record as git itself reads it. It covers 150 repository states, each derived from the
//! previous one by a change; ten times as many with `CLOSEOUT_TEST_ALL=1`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use closeout::action::rescue::RescueError;
use closeout::model::RescueRecord;

use super::fixture::{WholeActions as _, rescuer};
use crate::support::plain;
use crate::support::repo::Repo;

/// The number of changes made in each repository.
const CHANGES: u64 = 15;

/// Mode and content (or link target) by path.
pub(super) type Files = BTreeMap<Vec<u8>, (u32, Vec<u8>)>;

/// Everything that an action must leave as it was, or move as announced.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(super) struct Photo {
    pub(super) work_tree: Files,
    /// The modification time of each path, in seconds and nanoseconds.
    pub(super) times: BTreeMap<Vec<u8>, (i64, i64)>,
    /// Every file of the git directories except objects, references and logs: index, HEAD, state files, locks.
    git_files: Files,
    index_time: Option<(i64, i64)>,
    pub(super) references: BTreeMap<String, String>,
    /// The text of each reflog.
    logs: Files,
}

impl Photo {
    pub(super) fn of(repo: &Repo) -> Photo {
        let (git_dir, common_dir) = plain::git_dirs(repo.path()).unwrap();
        let work_tree = files_in(repo.path());
        let time_of = |name: &Vec<u8>| {
            let metadata = repo.path().join(OsStr::from_bytes(name)).symlink_metadata().unwrap();
            (name.clone(), (metadata.mtime(), metadata.mtime_nsec()))
        };
        let times = work_tree.keys().map(time_of).collect();
        let (mut git_files, mut logs) = (Files::new(), Files::new());
        for (folder, prefix) in [(&git_dir, &b"own/"[..]), (&common_dir, b"common/")] {
            walk(folder, b"", &mut |name, path| {
                let top = name.split(|byte| *byte == b'/').next().unwrap();
                let is_left =
                    [&b"objects"[..], b"refs", b"packed-refs", b"worktrees", b"hooks"].contains(&top);
                if !is_left && path.symlink_metadata().unwrap().is_file() {
                    let all = if top == b"logs" { &mut logs } else { &mut git_files };
                    all.insert([prefix, name].concat(), content(path));
                }
                !is_left
            });
        }
        let index_time = git_dir.join("index").metadata().ok().map(|it| (it.mtime(), it.mtime_nsec()));
        let mut references = plain::references(&git_dir, &common_dir).unwrap();
        references.retain(|name, _| !name.starts_with("refs/closeout/"));
        Photo { work_tree, times, git_files, index_time, references, logs }
    }

    /// The same, except for lines appended to reflogs.
    pub(super) fn assert_restored(&self, after: &Photo, what: &str) {
        for (name, (mode, text)) in &self.logs {
            let (mode_after, text_after) = &after.logs[name];
            assert!(mode == mode_after && text_after.starts_with(text), "{what}: {}", lossy(name));
        }
        let after = Photo { logs: self.logs.clone(), ..after.clone() };
        assert_same(self, &after, what);
    }
}

/// Panics with the differences only, not with both whole states.
fn assert_same(before: &Photo, after: &Photo, what: &str) {
    let named = [
        ("work tree", &before.work_tree, &after.work_tree),
        ("git file", &before.git_files, &after.git_files),
        ("log", &before.logs, &after.logs),
    ];
    for (kind, before, after) in named {
        for path in before.keys().chain(after.keys()) {
            assert!(before.get(path) == after.get(path), "{what}: {kind} {} is not as it was", lossy(path));
        }
    }
    assert_eq!(before.references, after.references, "{what}");
    assert_eq!(before, after, "{what}");
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn walk(folder: &Path, prefix: &[u8], found: &mut dyn FnMut(&[u8], &Path) -> bool) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = [prefix, entry.file_name().as_bytes()].concat();
        if found(&name, &entry.path()) && entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), &[&name, &b"/"[..]].concat(), found);
        }
    }
}

/// All that is in a folder, without its own `.git`.
pub(super) fn files_in(top: &Path) -> Files {
    let mut files = Files::new();
    walk(top, b"", &mut |name, path| {
        let is_git = name == b".git";
        if !is_git {
            files.insert(name.to_vec(), content(path));
        }
        !is_git
    });
    files
}

fn content(path: &Path) -> (u32, Vec<u8>) {
    let metadata = path.symlink_metadata().unwrap();
    let bytes = if metadata.is_symlink() {
        fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec()
    } else if metadata.is_file() {
        fs::read(path).unwrap()
    } else {
        Vec::new()
    };
    (metadata.mode(), bytes)
}

/// What git reads from a commit: mode and bytes of each path.
pub(super) fn stored(repo: &Repo, commit: &(impl Display + ?Sized)) -> BTreeMap<Vec<u8>, (String, Vec<u8>)> {
    let listed = repo.try_git(&["ls-tree", "-r", "-z", "--full-tree", &commit.to_string()], &[]);
    assert!(listed.status.success());
    let mut ids = BTreeMap::new();
    for line in listed.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let tab = line.iter().position(|byte| *byte == b'\t').unwrap();
        let fields: Vec<&str> = std::str::from_utf8(&line[..tab]).unwrap().split(' ').collect();
        if fields[1] == "blob" {
            ids.insert(line[tab + 1..].to_vec(), (fields[0].to_owned(), fields[2].to_owned()));
        }
    }
    let asked = ids.values().fold(String::new(), |all, (_, id)| all + id + "\n");
    let answer = repo.git_with_input(&["cat-file", "--batch"], &asked);
    let mut rest = &answer.stdout[..];
    let mut found = BTreeMap::new();
    for (path, (mode, id)) in ids {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap();
        let header = std::str::from_utf8(&rest[..end]).unwrap();
        let size: usize = header.strip_prefix(&format!("{id} blob ")).unwrap().parse().unwrap();
        found.insert(path, (mode, rest[end + 1..=end + size].to_vec()));
        rest = &rest[end + 2 + size..];
    }
    found
}

/// Asserts that the record holds exactly the files and links of the work tree, with bytes and executable bits,
/// and that anything else is named as a gap. Ignored names end in `.ign`.
fn assert_complete(repo: &Repo, record: &RescueRecord, photo: &Photo, what: &str) {
    let stored = stored(repo, &record.snapshot);
    let tracked = repo.try_git(&["ls-files", "-z"], &[]).stdout;
    let is_tracked = |path: &[u8]| tracked.split(|byte| *byte == 0).any(|it| it == path);
    for (path, (mode, bytes)) in &photo.work_tree {
        let wanted = match mode & 0o170_000 {
            0o120_000 => "120000",
            0o100_000 if mode & 0o100 != 0 => "100755",
            0o100_000 => "100644",
            // A pipe has no content, but the file that it replaced is missing.
            0o010_000 => {
                let is_gap = record.gaps.iter().any(|gap| &gap.path == path);
                assert!(is_gap || !is_tracked(path), "{what}: no gap for {}", lossy(path));
                continue;
            }
            _ => continue,
        };
        if path.windows(5).any(|part| part == b".git/") || (path.ends_with(b".ign") && !is_tracked(path)) {
            assert!(!stored.contains_key(path), "{what}: {} is in the record", lossy(path));
            continue;
        }
        let found = stored.get(path);
        let is_same = found.is_some_and(|(mode, there)| mode == wanted && there == bytes);
        assert!(is_same, "{what}: {} is not in the record as it is", lossy(path));
    }
    for path in stored.keys() {
        assert!(photo.work_tree.contains_key(path), "{what}: {} is only in the record", lossy(path));
    }
}

/// A small random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % end as u64).unwrap()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const NAMES: [&str; 12] = [
    "a", "b", "run.sh", "src/main.rs", "src/deep/er/mod.rs", "docs/read me", "-rf", ":(top)x", "line\nfeed",
    "日本語/ファイル", "esc\u{1b}[31m", "*",
];

/// Makes one change, as a person or an agent would.
fn change(repo: &Repo, random: &mut Random, number: u64) -> String {
    let name = random.of(&NAMES);
    let path = repo.at(name);
    let what = random.below(26);
    let text = format!("{name}\n{number}\r\n");
    let write = |name: &str, bytes: &[u8]| {
        let path = repo.at(name);
        let is_possible = path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
        if is_possible && !path.is_dir() && !path.is_symlink() {
            fs::write(path, bytes).unwrap();
        }
    };
    let git = |args: &[&str]| drop(repo.try_git(args, &[("GIT_LITERAL_PATHSPECS", "1")]));
    match what {
        0..5 => write(name, text.as_bytes()),
        5 => write(name, b""),
        6 => write(name, &[0, 255, 10, 13].repeat(20_000)),
        7 => {
            write(name, text.as_bytes());
            git(&["add", "--", name]);
            write(name, format!("{text}and more\n").as_bytes());
        }
        8 => git(&["add", "-A"]),
        9 => git(&["add", "-N", "--", name]),
        10 => git(&["rm", "-q", "--cached", "--", name]),
        11 => drop(fs::remove_file(&path)),
        12 => drop(fs::remove_dir_all(repo.at("src"))),
        13 => git(&["mv", "--", name, "moved"]),
        14 if path.is_file() && !path.is_symlink() => {
            let mode = path.metadata().unwrap().mode() ^ 0o111;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        15 => {
            let _ = fs::remove_file(&path);
            let _ = std::os::unix::fs::symlink(random.of(&["nowhere", "/etc/hostname", "src"]), &path);
        }
        16 if path.is_file() => {
            fs::remove_file(&path).unwrap();
            write(&format!("{name}/inner"), text.as_bytes());
        }
        17 => write(&format!("x{number}.ign"), text.as_bytes()),
        18 => git(&["add", "-f", "--", "x.ign"]),
        19 => git(&["update-index", "--assume-unchanged", "--", name]),
        20 => git(&["commit", "-q", "-m", "agent"]),
        21 => git(&["pack-refs", "--all"]),
        22 => {
            write("nested/file", text.as_bytes());
            git(&["init", "-q", "nested"]);
        }
        23 => write(random.of(&[".env", "node_modules/x/y.js", "key.pem"]), text.as_bytes()),
        24 if !path.exists() => drop(repo.fifo(&repo.at("pipe"))),
        _ => write("x.ign", text.as_bytes()),
    }
    format!("change {what} of {name:?}")
}

/// The initial repositories.
fn begun(kind: usize) -> Repo {
    let repo = if kind == 0 { Repo::unborn() } else { Repo::new() };
    fs::create_dir_all(repo.git_dir().join("info")).unwrap();
    fs::write(repo.git_dir().join("info/exclude"), "*.ign\n").unwrap();
    for name in ["a", "run.sh", "src/main.rs", "docs/read me"] {
        repo.write(name, format!("{name}\n1\n2\n"));
    }
    if kind == 0 {
        return repo;
    }
    repo.commit("more");
    repo.git(["checkout", "-q", "-b", "work/on/it"]);
    match kind {
        1 => drop(repo.git(["pack-refs", "--all"])),
        2 => drop(repo.git(["checkout", "-q", "--detach"])),
        3 => drop(repo.git(["update-index", "--index-version", "4"])),
        4 => return repo.worktree("linked"),
        5 => {
            repo.write("a", "theirs\n").commit("theirs");
            repo.switch("main").write("a", "ours\n").commit("ours");
            assert!(!repo.try_git(&["merge", "-q", "work/on/it"], &[]).status.success());
        }
        6 => drop(repo.git(["update-index", "--split-index"])),
        7 => {
            // All as git would have made it with the setting, since git changes the access of what it replaces.
            repo.git(["config", "core.sharedRepository", "group"]);
            repo.git(["-c", "alias.share=!chmod -R g+rw .git", "share"]);
        }
        8 => {
            repo.write("a", "picked\n").commit("picked");
            fs::write(repo.git_dir().join("CHERRY_PICK_HEAD"), repo.head() + "\n").unwrap();
        }
        _ => drop(repo.git(["config", "core.untrackedCache", "true"])),
    }
    repo
}

#[test]
fn whatever_the_state_the_record_has_all_of_it_and_nothing_else_is_other() {
    let rounds = if std::env::var_os("CLOSEOUT_TEST_ALL").is_some() { 10 } else { 1 };
    let kinds: Vec<(usize, u64)> =
        (0..10).flat_map(|kind| (0..rounds).map(move |round| (kind, round))).collect();
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let totals = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let kinds = kinds.iter().skip(half).step_by(2);
            // The thread's name says whether the repositories are armed.
            let thread = std::thread::Builder::new().name(name.clone());
            thread.spawn_scoped(scope, move || {
                kinds.fold([0; 3], |sum, (kind, round)| {
                    let counted = walk_through(*kind, *round);
                    [sum[0] + counted[0], sum[1] + counted[1], sum[2] + counted[2]]
                })
            })
        });
        halves.map(|half| half.unwrap().join().unwrap())
    });
    let [n_states, n_records, n_commits] = [0, 1, 2].map(|n| totals[0][n] + totals[1][n]);
    eprintln!("oracle: {n_states} states, {n_records} records, {n_commits} commits taken back");
    assert!(n_states >= 150 && n_records * 2 > n_states && n_commits > 10, "{totals:?}");
}

/// Walks through a series of changes; returns the numbers of states, records and commits.
fn walk_through(kind: usize, round: u64) -> [usize; 3] {
    let repo = begun(kind);
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ ((kind as u64 + 1) << 32) ^ (round + 1));
    let mut counted = [0; 3];
    let mut done: Vec<String> = Vec::new();
    for number in 0..CHANGES {
        done.push(change(&repo, &mut random, number));
        let what = format!("kind {kind}, round {round}: {}", done.join(", "));
        // The first call arms the repository.
        let rescuer = rescuer(&repo);
        let before = Photo::of(&repo);
        counted[0] += 1;
        let recorded = rescuer.record(repo.path());
        let after = Photo::of(&repo);
        assert_same(&before, &after, &what);
        let record = match recorded {
            Ok(record) => record,
            Err(RescueError::Nothing) => {
                let status = ["--no-optional-locks", "status", "--porcelain", "-z"];
                assert_eq!(repo.git(status), "", "{what}: nothing to do?");
                continue;
            }
            Err(error) => panic!("{what}: {error:?}"),
        };
        counted[1] += 1;
        assert!(record.is_settled, "{what}");
        assert_complete(&repo, &record, &before, &what);
        if number % 3 != 2 {
            continue;
        }
        let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap_or_else(|it| panic!("{what}: {it:?}"));
        assert_same(&before, &Photo::of(&repo), &what);
        if plan.refusal.is_some() || plan.target.is_none() {
            continue;
        }
        match rescuer.commit(repo.path(), &plan) {
            Ok(committed) => {
                counted[2] += 1;
                let made = Photo::of(&repo);
                assert_eq!((&made.work_tree, &made.times), (&before.work_tree, &before.times), "{what}");
                assert_ne!(made.references, before.references, "{what}");
                for (path, entry) in stored(&repo, committed.commits.last().unwrap()) {
                    let is_shown = plan.paths.iter().any(|it| it.path == path && it.left_out.is_none());
                    let on_disk = before.work_tree.get(&path).map(|(_, bytes)| bytes);
                    assert!(!is_shown || on_disk == Some(&entry.1), "{what}: {} in the commit", lossy(&path));
                }
                rescuer.undo(repo.path()).unwrap_or_else(|error| panic!("{what}: {error:?}"));
            }
            Err(RescueError::SavedOnly(_)) => {}
            Err(error) => panic!("{what}: {error:?}"),
        }
        before.assert_restored(&Photo::of(&repo), &what);
    }
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    super::hostile::assert_silent(&repo);
    counted
}
