//! A rescue without what it needs: no space, no inodes, no permission to write, no descriptors, failing system
//! calls, no power. It ends with the state before or after, and is possible again once the resource is back.
//!
//! Small file systems are mounted in the mount namespace of a separate process and disappear when it ends. If
//! that is not possible, or a program is missing, the test reports that it is skipped.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::Rescued;

use super::fixture::*;
use crate::support::repo::{Repo, git_program};

/// With seccomp only the named calls stop the process, which takes a third of the time.
const STRACE: [&str; 6] = ["strace", "-qq", "-f", "--seccomp-bpf", "-o", "/dev/null"];
/// Tells a separate process what to do.
const ORDER: &str = "CLOSEOUT_TEST_STARVED";

fn rescue(repo: &Repo, is_synced: bool) -> Result<Rescued, RescueError> {
    let rescuer = Rescuer { is_synced, ..rescuer(repo) };
    let plan = rescuer.plan(repo.path(), "rescue: work\n")?;
    rescuer.commit(repo.path(), &plan)
}

/// Asserts that the state is the one before or after, that nothing of ours is left and that everything is
/// possible again. Returns true for "after".
fn assert_before_or_done(repo: &Repo, before: &Fingerprint, what: &str) -> bool {
    assert_eq!(fingerprint(repo).work_tree, before.work_tree, "{what}");
    rescuer(repo).recover(repo.path()).unwrap_or_else(|error| panic!("{what}: {error:?}"));
    let after = fingerprint(repo);
    assert_eq!(after.locks, Vec::<String>::new(), "{what}");
    let is_done = after.references != before.references;
    if is_done {
        rescuer(repo).undo(repo.path()).unwrap_or_else(|error| panic!("{what}: {error:?}"));
    }
    assert_eq!(&fingerprint(repo), before, "{what}");
    // What was done and taken back has shown that actions are possible.
    if !is_done || is_all() {
        commit(repo);
        rescuer(repo).undo(repo.path()).unwrap();
        assert_eq!(&fingerprint(repo), before, "{what}");
        let checked = repo.try_git(&["fsck", "--connectivity-only", "--no-dangling"], &[]);
        assert!(checked.status.success(), "{what}: {}", String::from_utf8_lossy(&checked.stderr));
    }
    is_done
}

/// Whether everything is tried, which takes minutes.
fn is_all() -> bool {
    std::env::var_os("CLOSEOUT_TEST_ALL").is_some()
}

/// Runs a command that must succeed.
#[expect(clippy::disallowed_methods, reason = "mounts are made by the real programs")]
fn run(program: &str, args: &[&str]) -> Result<(), String> {
    let output =
        Command::new(program).args(args).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Runs [`in_a_place_of_its_own`] with the temporary folder in a new small file system.
#[expect(clippy::disallowed_methods, reason = "a mount namespace belongs to a process of its own")]
fn with_small_file_system(order: &str, options: &str) {
    let as_root: &[&str] = if rustix::process::geteuid().is_root() { &[] } else { &["--map-root-user"] };
    let is_possible = |what: &str| {
        let args = [as_root, &["--mount", "sh", "-c", what, "sh", "/tmp"]].concat();
        run("unshare", &args)
    };
    if let Err(words) = is_possible("mount -t tmpfs -o size=64k tmpfs \"$1\"") {
        return eprintln!("SKIPPED {order}: no file system can be mounted here: {words}");
    }
    let place = crate::support::scratch::folder();
    let script = "mount -t tmpfs -o \"$1\" tmpfs \"$2\" || exit; cd \"$2\" || exit; export TMPDIR=\"$2\"
        if [ \"$3\" = power ]; then
            mkdir mounted looked-at && truncate -s 64M disk && mkfs.ext4 -q -F disk || exit
            mount -o loop disk mounted || exit
            TMPDIR=$2/mounted
        fi
        shift 3; exec \"$@\"";
    let output = Command::new("unshare")
        .args(as_root)
        .args(["--mount", "sh", "-c", script, "sh", options])
        .arg(place.path())
        .arg(order)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "rescue::starved::in_a_place_of_its_own", "--ignored", "--nocapture"])
        .env(ORDER, order)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    eprintln!("{}", text.lines().filter(|line| line.starts_with("starved:")).collect::<Vec<_>>().join("\n"));
}

/// Not a test of its own: what is done in the small file system.
#[test]
#[ignore = "run by the tests of this module in a process of its own"]
fn in_a_place_of_its_own() {
    let fineness = if is_all() { 1 } else { 2 };
    match std::env::var(ORDER).as_deref() {
        Ok("space") => sweep("bytes", (0..25).step_by(fineness).map(|step| step * (16 << 10)), fill_space),
        Ok("inodes") => sweep("inodes", (0..=64).step_by(4 * fineness), fill_inodes),
        Ok("read-only") => read_only(),
        Ok("power") => power_cuts(),
        _ => {}
    }
}

/// Rescues once for each of `levels`, with that much left. The first must fail and the last must succeed.
fn sweep(unit: &str, levels: impl Iterator<Item = u64>, fill: fn(&Path, u64) -> PathBuf) {
    let mut ends = Vec::new();
    for left in levels {
        let repo = rich();
        let before = fingerprint(&repo);
        let ballast = fill(&repo.root(), left);
        let outcome = rescue(&repo, left % 3 == 0);
        fs::remove_dir_all(&ballast).unwrap();
        let what = format!("{left} {unit} left: {outcome:?}");
        let is_done = assert_before_or_done(&repo, &before, &what);
        assert!(is_done || outcome.is_err(), "{what}");
        ends.push((left, is_done));
    }
    eprintln!("starved: (left, done): {ends:?}");
    assert!(ends.first().is_some_and(|(_, is_done)| !is_done), "there is always enough");
    assert!(ends.last().is_some_and(|(_, is_done)| *is_done), "there is never enough");
}

/// Uses up all space except `left` bytes.
fn fill_space(root: &Path, left: u64) -> PathBuf {
    let folder = root.join("ballast");
    fs::create_dir(&folder).unwrap();
    let mut file = File::create(folder.join("bytes")).unwrap();
    while std::io::Write::write_all(&mut file, &[1; 4096]).is_ok() {}
    let length = file.metadata().unwrap().len();
    file.set_len(length.saturating_sub(left)).unwrap();
    folder
}

/// Uses up all inodes except `left`.
fn fill_inodes(root: &Path, left: u64) -> PathBuf {
    let folder = root.join("ballast");
    fs::create_dir(&folder).unwrap();
    let mut n_files: u64 = 0;
    while File::create(folder.join(n_files.to_string())).is_ok() {
        n_files += 1;
    }
    for file in n_files.saturating_sub(left)..n_files {
        fs::remove_file(folder.join(file.to_string())).unwrap();
    }
    folder
}

fn read_only() {
    let repo = rich();
    let before = fingerprint(&repo);
    let top = repo.path().display().to_string();
    run("mount", &["--bind", &top, &top]).unwrap();
    run("mount", &["-o", "remount,ro,bind", &top]).unwrap();
    let refused = rescue(&repo, true);
    assert!(refused.is_err(), "{refused:?}");
    let words = format!("{refused:?}");
    assert!(words.contains("ReadOnlyFilesystem") || words.contains("Read-only"), "no reason: {words}");
    assert_eq!(fingerprint(&repo), before);
    run("mount", &["-o", "remount,rw,bind", &top]).unwrap();
    assert_before_or_done(&repo, &before, "read-only");
}

// S31
#[test]
fn without_space_a_rescue_ends_before_or_done() {
    with_small_file_system("space", "size=6m");
}

// S32
#[test]
fn without_inodes_a_rescue_ends_before_or_done() {
    with_small_file_system("inodes", "size=32m,nr_inodes=700");
}

// S33
#[test]
fn in_a_read_only_repository_nothing_is_written_and_the_reason_is_given() {
    with_small_file_system("read-only", "size=16m");
}

// K08: the file system lies in a file, which is copied the moment a rescue reports success, so that anything
// not yet on disk is missing from the copy. `CLOSEOUT_TEST_ALL=1` does this fifty times.
#[test]
fn what_was_said_to_be_saved_outlives_a_power_cut() {
    for (program, args) in [("mkfs.ext4", "-V"), ("losetup", "-f")] {
        if let Err(words) = run(program, &[args]) {
            return eprintln!("SKIPPED power: no file system in a file can be mounted here: {words}");
        }
    }
    with_small_file_system("power", "size=400m");
}

fn power_cuts() {
    let mounted = std::env::temp_dir();
    let path = |name: &str| mounted.parent().unwrap().join(name).display().to_string();
    let (disk, copy, looked_at) = (path("disk"), path("copy"), path("looked-at"));
    let mut n_cuts = 0;
    let n_runs = if is_all() { 50 } else { 4 };
    for is_commit in [false, true].into_iter().cycle().take(n_runs) {
        let repo = rich();
        let rescuer = Rescuer { is_synced: true, ..rescuer(&repo) };
        let record = if is_commit {
            let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
            rescuer.commit(repo.path(), &plan).unwrap().record
        } else {
            rescuer.record(repo.path()).unwrap()
        };
        fs::copy(&disk, &copy).unwrap();
        run("mount", &["-o", "loop", &copy, &looked_at]).unwrap();
        let top = Path::new(&looked_at).join(repo.path().strip_prefix(&mounted).unwrap());
        let after = repo.beside(&top.display().to_string());
        assert_eq!(after.git(["rev-parse", &record.reference]), record.snapshot.to_string());
        after.git(["fsck", "--full", "--no-dangling"]);
        if is_commit {
            assert_eq!(after.head(), repo.head());
            let staged = ["diff-index", "--cached", "HEAD"];
            assert_eq!(after.git(staged), repo.git(staged));
        }
        // Nobody has synced the work tree itself; the record has all of it.
        assert_holds_the_work_tree(&repo, &record);
        for (path, (_, id)) in listed(&repo, &record.snapshot) {
            let stored = after.try_git(&["cat-file", "blob", &id], &[]);
            assert_eq!(Some(stored.stdout), content(&repo, &record.snapshot, &path));
        }
        run("umount", &[&looked_at]).unwrap();
        n_cuts += 1;
    }
    eprintln!("starved: {n_cuts} of {n_cuts} power cuts outlived");
}

/// Not a test of its own: one rescue that may fail in any way.
#[test]
#[ignore = "run by the tests of this module in a process of its own"]
fn act_without() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let fields: Vec<&str> = order.split('\n').collect();
    let [top, n_descriptors] = fields[..] else { return };
    let top = Path::new(top);
    let beside = top.parent().unwrap();
    if let Ok(limit) = n_descriptors.parse() {
        let limit = rustix::process::Rlimit { current: Some(limit), maximum: Some(limit) };
        rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    }
    let rescuer = Rescuer::new(git_program(), Some(beside.join("home")), beside.join("state"));
    if let Ok(plan) = rescuer.plan(top, "rescue: work\n") {
        // The state is checked afterwards, not this result.
        let _ = rescuer.commit(top, &plan);
    }
}

#[expect(clippy::disallowed_methods, reason = "the process that is starved must be another")]
fn act_in_a_process(repo: &Repo, before: &[&str], n_descriptors: &str) {
    let own = std::env::current_exe().unwrap().display().to_string();
    let args = [before, &[&own, "--exact", "rescue::starved::act_without", "--ignored", "--test-threads=1"]]
        .concat();
    let status = Command::new(args[0])
        .args(&args[1..])
        .env(ORDER, format!("{}\n{n_descriptors}", repo.path().display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap();
}

// K07: no descriptors left, permanently.
#[test]
fn without_descriptors_a_rescue_ends_before_or_done() {
    let mut ends = Vec::new();
    let limits = [3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 40];
    for limit in limits.into_iter().step_by(if is_all() { 1 } else { 2 }) {
        let repo = rich();
        let before = fingerprint(&repo);
        act_in_a_process(&repo, &[], &limit.to_string());
        ends.push(assert_before_or_done(&repo, &before, &format!("{limit} descriptors")));
    }
    assert_eq!((ends.first(), ends.last()), (Some(&false), Some(&true)), "{ends:?}");
}

/// The calls that fail, and how.
const FAILING: [(&str, &str); 26] = [
    ("openat", "EMFILE"),
    ("openat", "EACCES"),
    ("write", "ENOSPC"),
    ("write", "EIO"),
    ("read", "EIO"),
    ("?rename,?renameat,?renameat2", "EACCES"),
    ("?link,?linkat", "ENOSPC"),
    ("?unlink,?unlinkat", "EACCES"),
    ("?mkdir,?mkdirat", "ENOSPC"),
    ("fsync", "EIO"),
    ("syncfs", "EIO"),
    ("ftruncate", "EIO"),
    ("utimensat", "EACCES"),
    ("clone3", "EAGAIN"),
    ("getdents64", "EIO"),
    ("?stat,?statx,?newfstatat", "EIO"),
    ("pread64", "EIO"),
    ("mmap", "ENOMEM"),
    ("brk", "ENOMEM"),
    ("fdatasync", "EIO"),
    ("flock", "ENOLCK"),
    ("?pipe,?pipe2", "EMFILE"),
    ("execve", "ENOMEM"),
    ("?poll,?ppoll", "ENOMEM"),
    ("?readlink,?readlinkat", "EIO"),
    ("?chmod,?fchmod,?fchmodat", "EPERM"),
];

// K07: the n-th call of a kind fails, once or from then on, in the process and each of its children.
// `CLOSEOUT_TEST_ALL=1` tries every n up to 60, `CLOSEOUT_TEST_STEP=s` beside it each s-th of them.
#[test]
fn a_system_call_that_fails_leaves_before_or_done() {
    if let Err(words) = run(
        "strace",
        &[&STRACE[1..], &["-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=1", "true"]].concat(),
    ) {
        return eprintln!("SKIPPED system calls that fail: {words}");
    }
    let all = is_all();
    let mut jobs = Vec::new();
    for (number, (call, error)) in FAILING.into_iter().enumerate() {
        for n in 1..=60 {
            // One of two kinds in three: an early one that keeps failing, or a late one that fails once.
            for (end, is_sample) in
                [("+", number % 2 == 0 && n == 3 + number % 5), ("", number % 2 == 1 && n == 9 + number * 2)]
            {
                if all || (is_sample && number % 3 != 2) {
                    let inject = format!("inject={call}:error={error}:when={n}{end}");
                    jobs.push((format!("trace={call}"), inject));
                }
            }
        }
    }
    let step = std::env::var("CLOSEOUT_TEST_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1);
    let jobs: Vec<_> = jobs.into_iter().step_by(step).collect();
    let n_done = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (jobs, n_done) = (&jobs, &n_done);
            scope.spawn(move || {
                for (trace, job) in jobs.iter().skip(worker).step_by(2) {
                    let repo = rich();
                    let before = fingerprint(&repo);
                    act_in_a_process(
                        &repo,
                        &[&STRACE[..], &["-e", trace.as_str(), "-e", job.as_str()]].concat(),
                        "",
                    );
                    if assert_before_or_done(&repo, &before, job) {
                        n_done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                }
            });
        }
    });
    eprintln!("starved: {} of {} rescues with a failing call were done", n_done.into_inner(), jobs.len());
}
