//! The system starts no more threads or processes for this user, or gives no more memory: the result is an error
//! message, never a panic, and the repository is in the state before or after.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use super::as_user::give;
use super::fixture::*;
use crate::support::test_env::TestEnv;

/// A user with no other process. The limit does not apply to root, so only root can set this up for another
/// user.
const NOBODY_ELSE: u32 = 65_531;

// K07, for threads and processes: at most this many at once.
#[test]
#[expect(clippy::disallowed_methods, reason = "the limit is that of another user's processes")]
fn without_threads_every_command_ends_with_words_and_before_or_done() {
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED threads: only root can start a process of another user");
    }
    let repo = rich();
    drop(rescuer(&repo));
    let before = fingerprint(&repo);
    give(&repo.root(), NOBODY_ELSE);
    let mut refused = 0;
    for limit in [1, 2, 3, 5] {
        for words in [
            "status", "check", "doctor", "rescue -y", "undo -y", "wait --timeout 1s",
            "hook stop --agent claude",
        ] {
            let output = Command::new("prlimit")
                .arg(format!("--nproc={limit}"))
                .arg(env!("CARGO_BIN_EXE_closeout"))
                .args(words.split(' '))
                .current_dir(repo.path())
                .env_clear()
                .env("HOME", repo.root().join("home"))
                .env("CLOSEOUT_STATE_DIR", repo.root().join("state"))
                .envs([("PATH", "/usr/bin:/bin"), ("LC_ALL", "C"), ("GIT_CONFIG_NOSYSTEM", "1")])
                .stdin(Stdio::null())
                .uid(NOBODY_ELSE)
                .gid(NOBODY_ELSE)
                .output();
            let Ok(output) = output else {
                return eprintln!("SKIPPED threads: prlimit is missing, or the other user cannot run it");
            };
            let said = String::from_utf8_lossy(&output.stderr);
            let case = format!("{words} with {limit}: {:?} {said}", output.status.code());
            // 126 and 127: prlimit could not start the program.
            assert!(!matches!(output.status.code(), None | Some(101 | 126 | 127)), "{case}");
            assert!(!said.contains("panicked"), "{case}");
            refused +=
                usize::from(said.contains("thread") || said.contains("Resource temporarily unavailable"));
        }
    }
    assert!(refused > 0, "the limit was never met");
    give(&repo.root(), 0);
    let after = fingerprint(&repo);
    assert_eq!(after.work_tree, before.work_tree);
    rescuer(&repo).recover(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

/// The step between two limits of memory, in bytes.
const STEP: u64 = 3 << 20;

// K07, for memory: from too little to start with, to enough. Where an allocation fails, Rust ends the process at
// once, which must be no worse than being killed.
#[test]
#[expect(clippy::disallowed_methods, reason = "the limit is that of the program")]
fn without_memory_every_command_ends_before_or_done() {
    let repo = rich();
    drop(rescuer(&repo));
    let before = fingerprint(&repo);
    let env = TestEnv::beside(&repo);
    let (mut ends, mut n_done) = (Vec::new(), 0);
    for limit in (10_u64..60).map(|step| step * STEP) {
        let program = env.command(repo.path(), &["rescue", "-y", "-m", "work", "--protected"]);
        let output = Command::new("prlimit")
            .arg(format!("--as={limit}"))
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(repo.path())
            .env_clear()
            .envs(env.variables())
            .stdin(Stdio::null())
            .output();
        let Ok(output) = output else { return eprintln!("SKIPPED memory: prlimit is missing") };
        let said = String::from_utf8_lossy(&output.stderr);
        let case = format!("{limit} bytes: {:?} {said}", output.status);
        // A new thread for which there is no stack for signals is another failed allocation, which Rust calls a panic.
        let is_own =
            |line: &&str| line.contains("panicked") && !line.contains("/sys/pal/unix/stack_overflow.rs:");
        assert_eq!(said.lines().find(is_own), None, "{case}");
        assert_eq!(fingerprint(&repo).work_tree, before.work_tree, "{case}");
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        assert!(!listed.is_damaged(), "{case}: {:?}", listed.notices);
        let after = fingerprint(&repo);
        assert_eq!(after.locks, Vec::<String>::new(), "{case}");
        let is_done = after.references != before.references;
        assert!(is_done || !output.status.success(), "{case}");
        if is_done {
            rescuer(&repo).undo(repo.path()).unwrap();
            n_done += 1;
        }
        assert_eq!(fingerprint(&repo), before, "{case}");
        ends.push((limit >> 20, output.status.code(), is_done));
        if n_done == 2 {
            break;
        }
    }
    eprintln!("threads: (megabytes, code, done): {ends:?}");
    assert!(ends.first().is_some_and(|(_, _, is_done)| !is_done) && n_done == 2, "{ends:?}");
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}
