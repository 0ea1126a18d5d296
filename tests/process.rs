//! Children that hang, flood, refuse to end or leave others behind.

#[path = "process/environment.rs"]
mod environment;
#[path = "process/outliving.rs"]
mod outliving;
#[path = "process/own_session.rs"]
mod own_session;
#[path = "process/spawn.rs"]
mod spawn;

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use closeout::process::{Budget, Cancel, End, ProcessError, Spec, find_program, run};

/// A folder with one executable script in it.
fn script(body: &str) -> (tempfile::TempDir, Spec) {
    let folder = crate::support::scratch::folder();
    let path = folder.path().join("script");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let spec = Spec::new("/bin/sh", folder.path()).args([path.as_os_str()]).env("PATH", "/usr/bin:/bin");
    (folder, spec)
}

/// Measures what these tests are about: how long a child may take.
#[expect(clippy::disallowed_methods, reason = "the time that a child takes is what is tested")]
fn now() -> Instant {
    Instant::now()
}

/// Whether the process whose id stands in the file is gone within two seconds.
fn is_soon_gone(pid_file: &Path) -> bool {
    let pid: i32 = std::fs::read_to_string(pid_file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let started = now();
    while started.elapsed() < Duration::from_secs(2) {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        // A zombie has ended; somebody else has to collect it.
        if rustix::process::test_kill_process(pid).is_err() || stat.contains(") Z ") {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn output_error_output_and_exit_code_come_back() {
    let (_folder, spec) = script("echo out; echo err >&2; exit 3");
    let output = run(&spec).unwrap();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
    assert_eq!((output.end, output.is_success(), output.was_held), (End::Code(3), false, false));
}

#[test]
fn a_child_killed_by_a_signal_says_which() {
    let (_folder, spec) = script("kill -9 $$");
    assert_eq!(run(&spec).unwrap().end, End::Signal(9));
}

#[test]
fn the_environment_is_what_was_given_and_nothing_else() {
    let (_folder, spec) = script("");
    let spec = Spec { program: "/usr/bin/env".into(), args: Vec::new(), env: Vec::new(), ..spec };
    assert_eq!(run(&spec).unwrap().stdout, b"");
    assert_eq!(run(&spec.env("A", "b c")).unwrap().stdout, b"A=b c\n");
}

#[test]
fn input_is_handed_over_whole_and_may_be_left_unread() {
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| number.to_le_bytes()[1]).collect();
    let (_folder, mut spec) = script("cat");
    spec.stdin = Some(bytes.clone());
    spec.stdout_cap = usize::MAX;
    assert!(run(&spec).unwrap().stdout == bytes);
    let (_folder, mut spec) = script("exit 0");
    spec.stdin = Some(bytes);
    assert!(run(&spec).unwrap().is_success());
    let (_folder, spec) = script("cat; echo end");
    assert_eq!(run(&spec).unwrap().stdout, b"end\n");
}

#[test]
fn a_flood_is_cut_and_drained() {
    let (_folder, mut spec) = script("head -c 5000000 /dev/zero; echo end >&2; head -c 100000 /dev/zero >&2");
    spec.stdout_cap = 1000;
    spec.stderr_cap = 4;
    let output = run(&spec).unwrap();
    assert_eq!((output.stdout.len(), output.is_stdout_cut), (1000, true));
    assert_eq!((output.stderr.as_slice(), output.is_stderr_cut), (&b"end\n"[..], true));
    assert!(output.is_success());
}

#[test]
fn an_endless_flood_ends_at_the_time_limit() {
    let (_folder, mut spec) = script("exec cat /dev/zero");
    spec.time_limit = Duration::from_millis(200);
    let started = now();
    assert_eq!(run(&spec).unwrap().end, End::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_child_that_hangs_is_ended_with_all_its_children() {
    let (folder, mut spec) = script("sleep 1000 & echo $! > child; wait");
    spec.time_limit = Duration::from_millis(1500);
    let started = now();
    assert_eq!(run(&spec).unwrap().end, End::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(is_soon_gone(&folder.path().join("child")));
}

#[test]
fn a_child_that_ignores_the_request_to_end_is_killed() {
    let (folder, mut spec) = script(
        "trap '' TERM; (trap '' TERM; exec sleep 1000) & echo $! > child; while :; do sleep 1000; done",
    );
    spec.time_limit = Duration::from_millis(1500);
    let started = now();
    assert_eq!(run(&spec).unwrap().end, End::TimedOut);
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(20), "{took:?}");
    assert!(is_soon_gone(&folder.path().join("child")));
}

#[test]
fn a_grandchild_that_holds_the_output_is_not_waited_for() {
    let (folder, spec) = script("sleep 1000 & echo $! > child; echo done");
    let started = now();
    let output = run(&spec).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!((output.end, output.stdout.as_slice(), output.was_held), (End::Code(0), &b"done\n"[..], true));
    assert!(is_soon_gone(&folder.path().join("child")));
}

#[test]
fn a_grandchild_in_a_session_of_its_own_is_not_waited_for_either() {
    let (folder, spec) =
        script("setsid sh -c 'echo $$ > child; exec sleep 1000' & while [ ! -s child ]; do :; done");
    let started = now();
    let output = run(&spec).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(output.was_held);
    let pid: i32 = std::fs::read_to_string(folder.path().join("child")).unwrap().trim().parse().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
}

#[test]
fn what_cannot_be_started_is_an_error_with_its_name() {
    let folder = crate::support::scratch::folder();
    assert!(matches!(run(&Spec::new("sh", folder.path())), Err(ProcessError::NotAbsolute { .. })));
    let missing = run(&Spec::new("/nowhere/program", folder.path())).unwrap_err();
    assert_eq!(missing.to_string(), "cannot start \"/nowhere/program\"");
}

#[test]
fn programs_are_found_on_absolute_paths_only() {
    let folder = crate::support::scratch::folder();
    let (bin, other) = (folder.path().join("bin"), folder.path().join("other"));
    for (path, mode) in [(&bin, 0o755), (&other, 0o644)] {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join("tool"), "").unwrap();
        std::fs::set_permissions(path.join("tool"), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let find = |path: &str| find_program("tool", Some(OsStr::new(path)));
    let found = Some(bin.join("tool"));
    assert_eq!(find(&bin.display().to_string()), found);
    assert_eq!(find(&format!("::.:bin:{}:{}", other.display(), bin.display())), found);
    assert_eq!(find(""), None);
    assert_eq!(find_program("tool", None), None);
    assert_eq!(find_program("./tool", Some(bin.as_os_str())), None);
    let _: Option<PathBuf> = found;
}

/// P02: with the flag the flood ends the child, long before its time.
#[test]
fn a_flood_can_end_the_child_at_the_cap() {
    let (_folder, mut spec) = script("exec yes");
    spec.stdout_cap = 1000;
    spec.is_ended_at_cap = true;
    spec.time_limit = Duration::from_mins(10);
    let output = run(&spec).unwrap();
    assert_eq!((output.end, output.stdout, output.is_stdout_cut), (End::AtCap, b"y\n".repeat(500), true));
}

#[test]
fn a_run_that_is_cancelled_ends_early_with_all_its_children() {
    let (folder, mut spec) = script("sleep 1000 & echo $! > child; echo started; wait");
    spec.time_limit = Duration::from_mins(10);
    let cancel = Cancel::new();
    spec.cancel = Some(cancel.clone());
    let pid_file = folder.path().join("child");
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&spec).unwrap());
        while !std::fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n')) {
            std::thread::yield_now();
        }
        cancel.cancel();
        running.join().unwrap()
    });
    assert_eq!((output.end, output.stdout.as_slice()), (End::Cancelled, &b"started\n"[..]));
    assert!(is_soon_gone(&pid_file));
    // What was cancelled before it began ends as soon as it has begun.
    assert_eq!(run(&spec).unwrap().end, End::Cancelled);
}

#[test]
fn a_sleep_ends_when_it_is_cancelled_or_over() {
    let cancel = Cancel::new();
    let started = now();
    assert!(!cancel.wait(Duration::from_millis(30)));
    assert!(started.elapsed() >= Duration::from_millis(30));
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(|| cancel.wait(Duration::from_hours(10)));
        cancel.cancel();
        assert!(sleeper.join().unwrap());
    });
    assert!(cancel.is_cancelled() && cancel.clone().wait(Duration::from_hours(10)));
}

#[test]
fn what_is_held_is_finished_and_ended_afterwards() {
    let cancel = Cancel::new();
    let held = cancel.hold().unwrap();
    assert!(cancel.hold().is_none(), "one at a time");
    assert!(!cancel.cancel() && !cancel.cancel(), "it is said that it does not count yet");
    assert!(!cancel.is_cancelled() && !cancel.wait(Duration::from_millis(1)));
    let (_folder, mut spec) = script("exit 0");
    spec.cancel = Some(cancel.clone());
    assert_eq!(run(&spec).unwrap().end, End::Code(0));
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(|| cancel.wait(Duration::from_hours(10)));
        drop(held);
        assert!(sleeper.join().unwrap());
    });
    assert!(cancel.is_cancelled() && cancel.hold().is_none() && cancel.cancel());
    // Nobody wanted anything: it can be held again, and cancelled.
    let cancel = Cancel::new();
    drop(cancel.hold());
    assert!(!cancel.is_cancelled() && cancel.hold().is_some() && cancel.cancel());
}

/// G13: what a program holds is bounded before the machine is full.
#[cfg(target_os = "linux")]
#[test]
fn a_child_takes_no_more_memory_than_it_may() {
    let (_folder, spec) =
        script("sleep 0.3; dd bs=200M count=1 if=/dev/zero of=/dev/null status=none && echo read");
    assert_eq!(run(&spec).unwrap().stdout, b"read\n");
    let output = run(&Spec { max_memory: Some(64 << 20), ..spec }).unwrap();
    assert!(!output.is_success() && output.stdout.is_empty(), "{output:?}");
}

/// On a busy machine a program that gets on is not ended because others had the processor.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_waits_for_a_processor_does_not_hang() {
    if find_program("taskset", std::env::var_os("PATH").as_deref()).is_none() {
        return eprintln!("SKIPPED a busy processor: there is no taskset");
    }
    let (_folder, mut spec) = script(
        "taskset -p -c 0 $$ > /dev/null\n\
         for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done\n\
         until read -r took rest < /proc/$$/schedstat && [ $took -gt 150000000 ]; do\n\
         i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done\n\
         done\n\
         kill $(jobs -p)\necho done",
    );
    spec.time_limit = Duration::from_secs(1);
    spec.budget = Some(Budget::default());
    let begun = now();
    let output = run(&spec).unwrap();
    assert_eq!((output.end, output.stdout.as_slice()), (End::Code(0), &b"done\n"[..]));
    assert!(begun.elapsed() > spec.time_limit, "nothing kept it from its processor");
}
