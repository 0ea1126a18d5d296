//! The built program gets a signal in the middle of a record, a rescue, an undo, a redo, a restore and a deletion: at a chosen
//! system call of its own, so that every phase can be hit again. Afterwards the plain oracle compares everything
//! with the state before and after, and the next start has to find all records and be able to do everything.
//!
//! A plain run takes four moments; `CLOSEOUT_TEST_ALL=1` takes every call with every signal,
//! `CLOSEOUT_TEST_STEP=n` each n-th of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Output};
use std::sync::Mutex;
use std::time::Duration;

use closeout::engine::clock;
use closeout::model::{CommitTarget, RefName};
use rustix::process::{Pid, Signal, kill_process};

use super::ends::living_in;
use super::fixture::*;
use super::forget::left;
use super::kill::leftovers;
use super::oracle::{Files, Photo, files_in, stored};
use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

/// The calls at which a signal may arrive: whatever creates, moves, locks, syncs or starts something.
const CALLS: &str = "?rename,?renameat,?renameat2,?link,?linkat,?unlink,?unlinkat,?mkdir,?mkdirat,fsync,syncfs,\
                     ?clone,?clone3,?vfork,flock,ftruncate,write,utimensat";
const SIGNALS: [Signal; 5] = [Signal::TERM, Signal::INT, Signal::HUP, Signal::KILL, Signal::STOP];
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A command, and what is done before it.
struct Case {
    words: &'static str,
    before: &'static [Before],
}

/// What is done before a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Record,
    Rescue,
    Beside,
    Undo,
}

const RESCUE: &str = "rescue -y -m work --protected";
const BESIDE: &str = "rescue -y -m work --new-branch";
const RESTORE: &str = "restore RECORD INTO";
const FORGET: &str = "forget RECORD --yes --lose-work";
const CASES: [Case; 9] = [
    Case { words: "rescue --record-only", before: &[] },
    Case { words: RESCUE, before: &[] },
    Case { words: BESIDE, before: &[] },
    Case { words: "undo -y", before: &[Before::Rescue] },
    Case { words: "redo -y", before: &[Before::Rescue, Before::Undo] },
    Case { words: "undo -y", before: &[Before::Beside] },
    Case { words: "redo -y", before: &[Before::Beside, Before::Undo] },
    Case { words: RESTORE, before: &[Before::Record] },
    Case { words: FORGET, before: &[Before::Rescue] },
];
/// The cases of a plain run, with the signal, and how far the command is in hundredths of its calls.
const FEW: [(usize, Signal, usize); 6] = [
    (1, Signal::TERM, 60),
    (3, Signal::KILL, 80),
    (6, Signal::STOP, 85),
    (7, Signal::INT, 70),
    (8, Signal::INT, 70),
    (8, Signal::KILL, 70),
];

/// A call of the program's first thread: its name, and how many of that name came before.
type Moment = (String, usize);

/// A repository in which a command is about to run.
struct Scene {
    env: TestEnv,
    repo: Repo,
    /// Before anything was done.
    initial: Photo,
    words: Vec<String>,
}

impl Scene {
    fn of(case: &Case) -> Scene {
        let repo = rich();
        let env = TestEnv::beside(&repo);
        let mut scene = Scene { env, initial: Photo::of(&repo), repo, words: Vec::new() };
        for before in case.before {
            scene.perform(*before);
        }
        let into = scene.repo.root().join("into").display().to_string();
        let record = scene.known().into_iter().next().unwrap_or_default();
        let words = case.words.split(' ');
        scene.words =
            words.map(|word| word.replace("RECORD", &record).replace("INTO", &into)).collect::<Vec<_>>();
        scene
    }

    /// By the library, which costs less than a start of the program.
    fn perform(&self, what: Before) {
        let (rescuer, top) = (rescuer(&self.repo), self.repo.path());
        match what {
            Before::Record => drop(rescuer.record(top).unwrap()),
            Before::Rescue => drop(commit(&self.repo)),
            Before::Beside => {
                let mut plan = plan(&self.repo);
                plan.target = Some(CommitTarget::NewBranch(RefName::of_branch("beside")));
                rescuer.commit(top, &plan).unwrap();
            }
            Before::Undo => rescuer.undo(top).unwrap(),
        }
    }

    /// The references of all records before the program starts.
    fn known(&self) -> BTreeSet<String> {
        let listed = rescuer(&self.repo).list(self.repo.path()).unwrap();
        listed.records.into_iter().map(|record| record.reference.to_string()).collect()
    }

    fn run(&self, words: &str) -> Run {
        self.env.run(self.repo.path(), &words.split(' ').collect::<Vec<_>>())
    }

    /// The references of all records. None may be damaged or unknown.
    fn records(&self) -> BTreeSet<String> {
        let listed = self.run("rescues --json");
        assert_eq!(listed.code, 0, "{listed:?}");
        let listed = listed.json();
        let records = listed["records"].as_array().unwrap();
        for record in records {
            assert_eq!(record["state"], "kept", "{record}");
        }
        records.iter().map(|record| record["reference"].as_str().unwrap().to_owned()).collect()
    }

    /// The command under strace with these arguments.
    #[expect(clippy::disallowed_methods, reason = "strace starts the program that is tested")]
    fn traced(&self, arguments: &[&str]) -> Child {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let program = self.env.command(self.repo.path(), &words);
        let mut command = Command::new("strace");
        command
            .arg("-qq")
            .args(arguments)
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(self.repo.path())
            .env_clear()
            .envs(self.env.variables())
            // The kernel hangs up on stopped processes of a group that nobody of the session looks after any more.
            .process_group(0)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        crate::support::test_env::spawn(&mut command)
    }
}

/// The calls that the command makes if nothing disturbs it.
fn moments(case: &Case) -> Vec<Moment> {
    let scene = Scene::of(case);
    let trace = scene.repo.root().join("trace");
    let output = scene
        .traced(&["-e", &format!("trace={CALLS}"), "-e", "signal=none", "-o", &trace.display().to_string()])
        .wait_with_output()
        .unwrap();
    assert!(output.status.success(), "{}: {output:?}", case.words);
    let mut seen = BTreeMap::<String, usize>::new();
    let text = fs::read_to_string(trace).unwrap();
    let names = text.lines().filter_map(|line| line.split_once('(').map(|(name, _)| name.to_owned()));
    names
        .map(|name| {
            let n_before = seen.entry(name.clone()).or_default();
            *n_before += 1;
            (name, *n_before)
        })
        .collect()
}

/// The state of a process as the kernel names it.
fn state_of(pid: i32) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = clock::now();
    while !is_so() {
        assert!(clock::now().millis_since(began) < PATIENCE.as_millis().try_into().unwrap(), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The program stands still: others must not wait for it, and afterwards it goes on as if nothing had happened.
fn stop_and_continue(scene: &Scene, strace: &mut Child, what: &str) {
    let children = format!("/proc/{0}/task/{0}/children", strace.id());
    let program =
        || -> Option<i32> { fs::read_to_string(&children).ok()?.split_whitespace().next()?.parse().ok() };
    // A traced process also stops for a moment at each call.
    let stands = |pid| {
        (0..5).all(|_| {
            std::thread::sleep(Duration::from_millis(10));
            matches!(state_of(pid), Some('T' | 't'))
        })
    };
    let mut has_stood = false;
    while strace.try_wait().unwrap().is_none() {
        let Some(pid) = program().filter(|pid| stands(*pid)) else {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        };
        if !std::mem::replace(&mut has_stood, true) {
            let other = scene.run("rescues");
            assert!(matches!(other.code, 0 | 21), "{what}: meanwhile {other:?}");
            scene.repo.git(["--no-optional-locks", "status"]);
        }
        // On a busy machine it may only have looked as if it stood, and the signal comes later. It may have ended.
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::CONT);
    }
}

/// Sends the signal at that moment and checks everything afterwards. Returns whether it was delivered in time.
fn hit(case: &Case, signal: Signal, (call, n): &Moment) -> bool {
    let scene = Scene::of(case);
    let what = format!("{} after {:?}, {signal:?} at {call} {n}", case.words, case.before);
    let before = Photo::of(&scene.repo);
    let known = scene.known();
    let number = signal.as_raw();
    let trace = format!("trace={call}");
    let inject = format!("inject={call}:signal={number}:when={n}");
    let mut strace = scene.traced(&["-e", &trace, "-e", &inject, "-o", "/dev/null"]);
    if signal == Signal::STOP {
        stop_and_continue(&scene, &mut strace, &what);
    }
    let output = strace.wait_with_output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let what = format!("{what}: {:?} {said}", output.status);
    until(&format!("{what}: something goes on"), || living_in(&scene.repo).is_empty());
    let is_hit = check_end(signal, &output, &what);
    assert!(!said.contains("panicked"), "{what}");
    if case.words == FORGET {
        scene.assert_there_or_gone(signal, output.status.code(), &what);
    } else {
        scene.assert_whole(case, &before, &known, &said, &what);
    }
    is_hit
}

/// The exit code is that of the signal, or that of an action which was finished.
fn check_end(signal: Signal, output: &Output, what: &str) -> bool {
    let number = signal.as_raw();
    let (code, ended_by) = (output.status.code(), output.status.signal());
    match signal {
        Signal::STOP => assert_eq!(code, Some(0), "{what}"),
        Signal::KILL => assert!(code == Some(0) || ended_by == Some(number), "{what}"),
        _ => assert!(code == Some(0) || code == Some(128 + number) || ended_by == Some(number), "{what}"),
    }
    signal == Signal::STOP || code != Some(0)
}

impl Scene {
    /// Nothing is lost, nothing is left, and everything is possible again.
    fn assert_whole(&self, case: &Case, before: &Photo, known: &BTreeSet<String>, said: &str, what: &str) {
        let cut = Photo::of(&self.repo);
        assert_eq!((&cut.work_tree, &cut.times), (&before.work_tree, &before.times), "{what}");
        let records = self.records();
        assert!(records.is_superset(known), "{what}: {known:?} are now {records:?}");
        let told = said.split_whitespace().filter(|word| word.starts_with("refs/closeout/rescue/"));
        for reference in told {
            let reference = reference.trim_end_matches(|sign: char| !sign.is_ascii_alphanumeric());
            assert!(records.contains(reference), "{what}: {reference} is not in {records:?}");
        }
        for reference in &records {
            self.assert_held(reference, what);
        }
        let after = Photo::of(&self.repo);
        assert_eq!(leftovers(&self.repo), Vec::<String>::new(), "{what}");
        if case.words == RESTORE {
            self.assert_completed(what);
        }
        if after.references == before.references {
            before.assert_restored(&after, what);
        }
        if after.references != self.initial.references {
            let undone = rescuer(&self.repo).undo(self.repo.path());
            assert!(undone.is_ok(), "{what}: {undone:?}");
        }
        self.initial.assert_restored(&Photo::of(&self.repo), what);
        let is_beside = case.before.contains(&Before::Beside) || case.words == BESIDE;
        self.perform(if is_beside { Before::Beside } else { Before::Rescue });
        self.perform(Before::Undo);
        rescuer(&self.repo).redo(self.repo.path()).unwrap();
        self.perform(Before::Undo);
        self.initial.assert_restored(&Photo::of(&self.repo), what);
        assert_eq!(leftovers(&self.repo), Vec::<String>::new(), "{what}");
        self.assert_own_folder(what);
        self.repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
        super::hostile::assert_silent(&self.repo);
    }

    /// The record is there with its undo, or nothing is left of it, and the exit code says which.
    fn assert_there_or_gone(&self, signal: Signal, code: Option<i32>, what: &str) {
        let is_gone = self.records().is_empty();
        if signal != Signal::KILL {
            assert_eq!(code == Some(0), is_gone, "{what}");
        }
        if is_gone {
            assert_eq!(left(&self.repo), (String::new(), vec![]), "{what}");
        } else {
            let undone = rescuer(&self.repo).undo(self.repo.path());
            assert!(undone.is_ok(), "{what}: {undone:?}");
            self.initial.assert_restored(&Photo::of(&self.repo), what);
        }
        assert_eq!(leftovers(&self.repo), Vec::<String>::new(), "{what}");
        self.assert_own_folder(what);
        super::hostile::assert_silent(&self.repo);
    }

    /// What a restore has begun is completed by the same command: each file as it was, and nothing of its own beside.
    fn assert_completed(&self, what: &str) {
        let again = self.run(&self.words.join(" "));
        assert_eq!(again.code, 0, "{what}: {again:?}");
        let is_folder = |mode: &u32| mode & 0o170_000 == 0o040_000;
        let of = |files: &Files| -> BTreeMap<Vec<u8>, Vec<u8>> {
            let files = files.iter().filter(|(_, (mode, _))| !is_folder(mode));
            files.map(|(path, (_, bytes))| (path.clone(), bytes.clone())).collect()
        };
        let restored = of(&files_in(&self.repo.root().join("into")));
        assert!(restored == of(&self.initial.work_tree), "{what}: {:?}", restored.keys());
    }

    /// The record holds the work tree, and nothing else.
    fn assert_held(&self, reference: &str, what: &str) {
        let stored = stored(&self.repo, reference);
        let on_disk = self.initial.work_tree.iter().filter(|(_, (mode, _))| mode & 0o170_000 != 0o040_000);
        let on_disk: Vec<(&Vec<u8>, &Vec<u8>)> = on_disk.map(|(path, (_, bytes))| (path, bytes)).collect();
        let stored: Vec<(&Vec<u8>, &Vec<u8>)> =
            stored.iter().map(|(path, (_, bytes))| (path, bytes)).collect();
        assert!(stored == on_disk, "{what}: {reference} is not the work tree");
    }

    /// Closeout's own folder is for this user only, and holds no working folder and no announcement.
    fn assert_own_folder(&self, what: &str) {
        let mut open = vec![self.repo.root().join("state")];
        while let Some(path) = open.pop() {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode();
            assert_eq!(mode & 0o077, 0, "{what}: {} has {mode:o}", path.display());
            assert!(!is_left(&path), "{what}: {} was left", path.display());
            if metadata.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
    }
}

/// Whether only a killed action leaves such a file.
fn is_left(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    name == "pending" || name.starts_with("work-")
}

/// Every chosen combination, on two threads.
fn hit_all(jobs: &[(&Case, Signal, Moment)]) -> usize {
    let (left, n_hit) = (Mutex::new(jobs.iter()), Mutex::new(0));
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            // The thread's name says whether the repositories are armed.
            let work = || {
                loop {
                    let Some((case, signal, moment)) = left.lock().unwrap().next() else { break };
                    *n_hit.lock().unwrap() += usize::from(hit(case, *signal, moment));
                }
            };
            std::thread::Builder::new().name(name.clone()).spawn_scoped(scope, work).unwrap();
        }
    });
    n_hit.into_inner().unwrap()
}

/// Whether strace can send signals here.
fn is_missing() -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "a look for the program")]
    let tried = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    match tried {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

// K01, K02, K04
#[test]
fn a_signal_at_any_call_of_any_command_loses_and_leaves_nothing() {
    if let Some(words) = is_missing() {
        return eprintln!("SKIPPED signals: {words}");
    }
    let step = std::env::var("CLOSEOUT_TEST_STEP").ok().and_then(|step| step.parse().ok());
    let step = step.or(std::env::var_os("CLOSEOUT_TEST_ALL").map(|_| 1_usize));
    let mut jobs = Vec::new();
    if let Some(step) = step {
        for (number, case) in CASES.iter().enumerate() {
            let all = moments(case);
            let each = all.iter().flat_map(|moment| SIGNALS.map(|signal| (case, signal, moment.clone())));
            jobs.extend(each.skip(number % step).step_by(step));
        }
    } else {
        for (number, signal, part) in FEW {
            let all = moments(&CASES[number]);
            jobs.push((&CASES[number], signal, all[all.len() * part / 100].clone()));
        }
    }
    let n_hit = hit_all(&jobs);
    eprintln!("signals: {} sent, {n_hit} in time; nothing was lost and nothing was left", jobs.len());
    assert!(n_hit > 0, "no signal arrived");
}
