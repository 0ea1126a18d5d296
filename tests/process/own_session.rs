//! Programs in a session of their own: nothing that comes of them gets away, and they reach no terminal.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use portable_pty::{PtySize, native_pty_system};

use closeout::model::ProcessStat;
use closeout::process::{Cancel, End, Launcher, Output, ProcessError, Spec, run};

use super::{now, script};

/// No condition of these tests takes so long on any machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn launcher() -> Launcher {
    Launcher { program: env!("CARGO_BIN_EXE_closeout").into() }
}

/// A script in a session of its own.
fn session_script(body: &str) -> (tempfile::TempDir, Spec) {
    let (folder, mut spec) = script(body);
    spec.own_session = Some(launcher());
    (folder, spec)
}

/// The processes that live and work in `folder`, which is of this test alone.
fn living_in(folder: &Path) -> BTreeSet<PathBuf> {
    let folder = folder.canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder)).collect()
}

fn nobody() -> BTreeSet<PathBuf> {
    BTreeSet::new()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Waits until `is_so`.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn output_error_output_input_and_exit_code_come_back_from_a_session() {
    let (folder, mut spec) = session_script("cat; echo err >&2; exit 3");
    spec.stdin = Some(b"in".to_vec());
    let wanted = Output {
        end: End::Code(3),
        stdout: b"in".to_vec(),
        stderr: b"err\n".to_vec(),
        is_stdout_cut: false,
        is_stderr_cut: false,
        was_held: false,
        has_survivors: false,
    };
    assert_eq!(run(&spec).unwrap(), wanted);
    assert_eq!(living_in(folder.path()), nobody());
    let (_folder, spec) = session_script("kill -SEGV $$");
    assert_eq!(run(&spec).unwrap().end, End::Signal(11));
}

#[test]
fn the_session_is_its_own() {
    let (_folder, spec) = session_script("cut -d' ' -f1,5,6 /proc/$$/stat");
    let output = text(&run(&spec).unwrap());
    let numbers: Vec<u32> = output.split_ascii_whitespace().map(|number| number.parse().unwrap()).collect();
    let [own, group, session] = numbers[..] else { panic!("{output}") };
    // Its leader may be outside of the container; the number is 0 then.
    let here = ProcessStat::parse(&fs::read("/proc/self/stat").unwrap()).unwrap().session;
    assert_eq!(own, group);
    assert!(session != own && session != here, "{output}, and here {here}");
}

#[test]
fn a_program_gets_its_three_streams_and_none_of_the_launcher_s() {
    // What this process was given without the mark that keeps it here goes to every child.
    let (_folder, spec) = session_script("");
    let spec = Spec { program: "/bin/ls".into(), args: vec!["/proc/self/fd".into()], ..spec };
    let direct = run(&Spec { own_session: None, ..spec.clone() }).unwrap();
    assert_eq!(text(&run(&spec).unwrap()), text(&direct));
}

/// P01
#[test]
fn one_that_hangs_and_ignores_term_ends_within_a_second_after_its_time() {
    let (folder, mut spec) = session_script("trap '' TERM; echo on; while :; do sleep 1000; done");
    spec.time_limit = Duration::from_secs(1);
    let started = now();
    let output = run(&spec).unwrap();
    let took = started.elapsed();
    assert_eq!((output.end, output.stdout.as_slice()), (End::TimedOut, &b"on\n"[..]));
    assert!(took >= Duration::from_millis(1500), "{took:?}");
    // A second, and as much again for a machine that is busy.
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert!(!output.has_survivors);
    assert_eq!(living_in(folder.path()), nobody());
}

/// P02
#[test]
fn a_flood_ends_a_session_at_the_cap_or_is_cut() {
    let (folder, mut spec) = session_script("yes & yes");
    spec.stdout_cap = 1 << 20;
    spec.is_ended_at_cap = true;
    spec.time_limit = Duration::from_mins(10);
    let output = run(&spec).unwrap();
    assert_eq!((output.end, output.stdout.len(), output.is_stdout_cut), (End::AtCap, 1 << 20, true));
    assert_eq!(living_in(folder.path()), nobody());
    let (_folder, mut spec) = session_script("yes | head -c 3000000");
    spec.stdout_cap = 10;
    let output = run(&spec).unwrap();
    assert_eq!((output.end, output.stdout.len(), output.is_stdout_cut), (End::Code(0), 10, true));
}

/// P03
#[test]
fn what_holds_the_output_is_not_waited_for_and_is_ended() {
    for body in ["sleep 60 & echo hi", "setsid sleep 60 & echo hi", "(trap '' TERM; sleep 60) & echo hi"] {
        let (folder, spec) = session_script(body);
        let started = now();
        let output = run(&spec).unwrap();
        assert!(started.elapsed() < Duration::from_secs(5), "{body}");
        assert_eq!((output.end, text(&output).as_str(), output.was_held), (End::Code(0), "hi\n", true));
        assert!(!output.has_survivors);
        assert_eq!(living_in(folder.path()), nobody(), "{body}");
    }
}

#[test]
fn what_is_left_without_holding_the_output_is_ended_too() {
    let (folder, spec) = session_script("setsid sleep 60 >/dev/null 2>&1 </dev/null & echo hi");
    let output = run(&spec).unwrap();
    assert_eq!((output.end, text(&output).as_str(), output.was_held), (End::Code(0), "hi\n", false));
    assert_eq!(living_in(folder.path()), nobody());
}

/// P04
#[test]
fn fifty_that_leave_the_group_and_the_session_are_ended() {
    let body = "i=0
        while [ $i -lt 50 ]; do
            (setsid sh -c 'trap \"\" TERM HUP; echo >> born; while :; do sleep 100; done' &)
            i=$((i+1))
        done
        while :; do sleep 100; done";
    let (folder, mut spec) = session_script(body);
    spec.time_limit = PATIENCE;
    let cancel = Cancel::new();
    spec.cancel = Some(cancel.clone());
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&spec).unwrap());
        let born = folder.path().join("born");
        until("fifty", || fs::read(&born).is_ok_and(|lines| lines.len() == 50));
        cancel.cancel();
        running.join().unwrap()
    });
    assert_eq!((output.end, output.has_survivors), (End::Cancelled, false));
    assert_eq!(living_in(folder.path()), nobody());
}

/// P04, while they go on being born.
#[test]
fn a_chain_of_processes_that_replace_each_other_is_ended() {
    // Each starts the next in a session of its own and ends; none lives long.
    let next = "trap '' TERM HUP; echo >> born; setsid sh ./next & exit";
    let (folder, mut spec) = session_script("setsid sh ./next & while :; do sleep 100; done");
    fs::write(folder.path().join("next"), next).unwrap();
    spec.time_limit = Duration::from_secs(1);
    let started = now();
    let output = run(&spec).unwrap();
    assert_eq!((output.end, output.has_survivors), (End::TimedOut, false));
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(living_in(folder.path()), nobody());
    assert!(fs::read(folder.path().join("born")).unwrap().len() > 1);
}

#[test]
fn one_that_kills_its_launcher_does_not_get_away() {
    // `$PPID` is the launcher; the sleeper is in a session of its own, and the other one lost its mark.
    let body = "setsid sleep 60 >/dev/null 2>&1 &
        env -i /bin/sleep 61 >/dev/null 2>&1 &
        kill -KILL $PPID; while :; do sleep 100; done";
    let (folder, spec) = session_script(body);
    let error = run(&spec).unwrap_err();
    assert!(matches!(error, ProcessError::Lost { .. }), "{error}");
    assert_eq!(living_in(folder.path()), nobody());
}

#[test]
fn one_that_stops_its_launcher_ends_at_its_time() {
    let (folder, mut spec) = session_script("kill -STOP $PPID; sleep 1000");
    spec.time_limit = Duration::from_secs(1);
    assert_eq!(run(&spec).unwrap().end, End::TimedOut);
    assert_eq!(living_in(folder.path()), nobody());
}

/// What could not be started, and why.
fn not_started(spec: &Spec) -> (PathBuf, std::io::ErrorKind) {
    let error = run(spec).unwrap_err();
    let ProcessError::Start { program, source } = error else { panic!("{error}") };
    (program, source.kind())
}

/// P08
#[test]
fn what_is_missing_or_not_executable_is_told_from_a_failure_of_its_own() {
    let (folder, spec) = session_script("exit 127");
    assert_eq!(run(&spec).unwrap().end, End::Code(127));
    let plain = folder.path().join("plain");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    let missing = folder.path().join("missing");
    for (program, kind) in
        [(&plain, std::io::ErrorKind::PermissionDenied), (&missing, std::io::ErrorKind::NotFound)]
    {
        let spec = Spec { program: program.clone(), args: Vec::new(), ..spec.clone() };
        let (named, found) = not_started(&spec);
        assert_eq!((&named, found), (program, kind));
    }
    // A launcher that is missing, or another program, is named itself.
    for program in ["/nowhere/closeout", "/bin/false"] {
        let spec = Spec { own_session: Some(Launcher { program: program.into() }), ..spec.clone() };
        assert_eq!(not_started(&spec).0, Path::new(program));
    }
    let spec = Spec { own_session: Some(Launcher { program: "closeout".into() }), ..spec };
    assert!(matches!(run(&spec), Err(ProcessError::NotAbsolute { .. })));
}

/// P08
#[test]
fn one_that_wants_input_or_a_terminal_is_told_at_once_that_there_is_none() {
    // Also by the back door: the terminal of the person by its name, which a leader of a session would get.
    let pty = native_pty_system().openpty(PtySize::default()).unwrap();
    let name = pty.master.tty_name().unwrap();
    let body = format!(
        "read line || echo no input; (: < /dev/tty) 2>/dev/null || echo no terminal
        : < {}; (: < /dev/tty) 2>/dev/null || echo still no terminal; tty",
        name.display()
    );
    let (_folder, spec) = session_script(&body);
    let output = run(&spec).unwrap();
    assert_eq!(text(&output), "no input\nno terminal\nstill no terminal\nnot a tty\n");
}

/// P07
#[test]
fn a_session_adds_its_mark_to_the_environment_and_nothing_else() {
    let (_folder, spec) = session_script("");
    let spec = Spec { program: "/usr/bin/env".into(), args: Vec::new(), env: Vec::new(), ..spec };
    let output = text(&run(&spec.env("A", "b c")).unwrap());
    let names: BTreeSet<&str> = output.lines().map(|line| line.split('=').next().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["A", "CLOSEOUT_RUN"]));
}

/// Not a test of its own: what the process does that is killed while a program runs for it.
#[test]
#[ignore = "run by the next test in a process of its own"]
fn run_until_killed() {
    let Ok(folder) = std::env::var("CLOSEOUT_TEST_FOLDER") else { return };
    let script = "(setsid sh -c 'trap \"\" TERM; echo >> born; while :; do sleep 100; done' &); sleep 1000";
    let mut spec = Spec::new("/bin/sh", &folder).args(["-c", script]).env("PATH", "/usr/bin:/bin");
    spec.own_session = Some(launcher());
    spec.time_limit = PATIENCE * 10;
    run(&spec).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the process that is killed must be another")]
fn when_closeout_is_killed_all_that_it_ran_is_ended() {
    let folder = crate::support::scratch::folder();
    let mut closeout = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::own_session::run_until_killed", "--ignored", "--nocapture"])
        .env("CLOSEOUT_TEST_FOLDER", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("born", || folder.path().join("born").exists());
    closeout.kill().unwrap();
    closeout.wait().unwrap();
    until("all ended", || living_in(folder.path()) == nobody());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "typed by a person, it is a program of its own")]
fn the_hidden_argument_does_nothing_for_a_person_and_stands_in_no_help() {
    let folder = crate::support::scratch::folder();
    let touched = folder.path().join("touched");
    let own = std::process::id().to_string();
    let here = format!("{own}.0");
    let lines: [&[&str]; 5] = [&[], &["x"], &["1.1", "touch"], &[&here, "touch"], &[&own, "touch"]];
    for line in lines {
        let output = Command::new(env!("CARGO_BIN_EXE_closeout"))
            .arg("__own-session")
            .args(line)
            .arg(&touched)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert_eq!(said, "closeout: __own-session is for closeout itself; try `closeout --help`\n");
        assert!(!touched.exists());
    }
    let help = Command::new(env!("CARGO_BIN_EXE_closeout")).arg("--help").output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("own-session"));
}
