//! Links that come and go in a git directory while rescues run. The witness is a plain walk over what lies outside.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use closeout::action::rescue::Rescuer;
use closeout::process::{self, Spec};
use rustix::fs::{CWD, Mode, RenameFlags, mkfifoat, renameat_with};

use super::fixture::*;
use crate::support::repo::{Repo, git_program};
use crate::support::test_env::traces;

/// The same where references are in one table, which git itself changes.
const TABLES: [&str; 2] = [".git/reftable", ".git"];

/// What is swapped, relative to the work tree. Each has a copy outside, so that a write through the link would succeed.
const PLACES: [&str; 9] = [
    ".git/refs/closeout", ".git/refs/closeout/rescue", ".git/refs/closeout/visible", ".git/refs/heads",
    ".git/refs", ".git/logs", ".git/objects/pack", ".git/objects", ".git",
];

/// A link to the copy of a place outside, beside the repository.
fn link_of(repo: &Repo, number: usize) -> PathBuf {
    repo.root().join(format!("link-{number}"))
}

fn exchange(one: &Path, other: &Path) -> bool {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

/// A repository that was used by a rescue, with a copy of every place outside.
fn with_copies(repo: Repo, places: &[&str]) -> Repo {
    repo.switch("work");
    repo.write("before", "1\n");
    commit(&repo);
    let outside = repo.root().join("outside");
    fs::create_dir(&outside).unwrap();
    for (number, place) in places.iter().enumerate() {
        let to = outside.join(number.to_string()).join(place.rsplit('/').next().unwrap());
        fs::create_dir(to.parent().unwrap()).unwrap();
        let copy = Spec::new("/bin/cp", repo.path()).args(["-a", *place]).args([to.as_os_str()]);
        assert!(process::run(&copy).unwrap().is_success(), "{place}");
        symlink(&to, link_of(&repo, number)).unwrap();
    }
    repo
}

/// Swaps places for links until it is told to stop. Returns how often.
fn swap(repo: &Repo, has_ended: &AtomicBool) -> usize {
    let mut random: u64 = 0x2545_f491_4f6c_dd1d;
    let mut n_swaps = 0;
    while !has_ended.load(Ordering::SeqCst) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let number = usize::try_from(random % 9).unwrap();
        let (place, link) = (repo.at(PLACES[number]), link_of(repo, number));
        if !exchange(&place, &link) {
            continue;
        }
        std::thread::sleep(Duration::from_micros((random >> 20) & 0x7ff));
        assert!(exchange(&place, &link), "{}", place.display());
        n_swaps += 1;
        std::thread::sleep(Duration::from_micros((random >> 40) & 0x7fff));
    }
    n_swaps
}

/// C12: `CLOSEOUT_TEST_ALL=1` makes twenty times as many rescues.
#[test]
fn links_that_come_and_go_lead_nothing_outside() {
    let n_rounds = if std::env::var_os("CLOSEOUT_TEST_ALL").is_some() { 200 } else { 10 };
    let repo = with_copies(Repo::new(), &PLACES);
    let outside = traces(&repo.root().join("outside"));
    let has_ended = AtomicBool::new(false);
    let (n_swaps, n_done) = std::thread::scope(|scope| {
        let swapper = scope.spawn(|| swap(&repo, &has_ended));
        let mut n_done = 0;
        for round in 0..n_rounds {
            repo.write("work", format!("{round}\n"));
            let planned = rescuer(&repo).plan(repo.path(), "m");
            let committed = planned.and_then(|plan| rescuer(&repo).commit(repo.path(), &plan));
            let undone = committed.and_then(|_| rescuer(&repo).undo(repo.path()));
            n_done += usize::from(undone.is_ok());
        }
        has_ended.store(true, Ordering::SeqCst);
        (swapper.join().unwrap(), n_done)
    });
    eprintln!("races: {n_swaps} swaps, {n_done} of {n_rounds} rounds went through");
    assert!(n_swaps > n_rounds, "{n_swaps}");
    assert_unchanged(&repo, &outside);
    // Once it is quiet, all is well.
    rescuer(&repo).recover(repo.path()).unwrap();
    repo.write("work", "last\n");
    assert_holds_the_work_tree(&repo, &rescuer(&repo).record(repo.path()).unwrap());
    assert_unchanged(&repo, &outside);
}

/// What lies outside is as it was. Names only what differs.
fn assert_unchanged(repo: &Repo, before: &[String]) {
    let now = traces(&repo.root().join("outside"));
    let differs: Vec<&String> = now.iter().filter(|it| !before.contains(it)).collect();
    assert!(now == before, "{differs:?}");
}

/// The link comes when closeout has looked for the last time and git has not yet written: the kernel stops git.
#[test]
fn a_link_that_comes_after_the_last_look_stops_git() {
    if !has_landlock() {
        return eprintln!("SKIPPED: this kernel has no Landlock");
    }
    for (number, place) in TABLES.into_iter().enumerate() {
        let repo = Repo::with_format(&["--ref-format=reftable"]);
        repo.commit_file("first");
        let repo = with_copies(repo, &TABLES);
        let (path, kept, link) = (repo.at(place), repo.root().join("kept"), link_of(&repo, number));
        // Git is stopped between the look and the write. It may change nothing but its git directory.
        let (reached, go_on) = (repo.at(".git/reached"), repo.root().join("go-on"));
        let script = repo.script(
            "git",
            &format!(
                "case \" $* \" in *' update-ref '*) if [ ! -e {1} ]; then : > {0}; until [ -e {1} ]; do :; done; fi;; esac\nexec {2} \"$@\"",
                reached.display(),
                go_on.display(),
                git_program().display()
            ),
        );
        repo.write("work", "1\n");
        let outside = traces(&repo.root().join("outside"));
        let rescuer = Rescuer { git: script, ..rescuer(&repo) };
        let made = std::thread::scope(|scope| {
            let making = scope.spawn(|| rescuer.record(repo.path()));
            while !reached.exists() && !making.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
            }
            fs::rename(&path, &kept).unwrap();
            fs::rename(&link, &path).unwrap();
            fs::write(&go_on, "").unwrap();
            making.join().unwrap()
        });
        assert!(kept.join("reached").exists() || reached.exists(), "{place}: git was not reached: {made:?}");
        assert_unchanged(&repo, &outside);
        assert!(made.as_ref().map_or(true, |made| made.vault.is_some()), "{place}: {made:?}");
        fs::rename(&path, &link).unwrap();
        fs::rename(&kept, &path).unwrap();
        assert_holds_the_work_tree(&repo, &rescuer.record(repo.path()).unwrap());
    }
}

/// Starts a program for which the kernel has no Landlock: a filter of system calls refuses the first call that it takes
/// (its number is the same on every machine), as a kernel does in which it is switched off.
const WITHOUT_LANDLOCK: &str = "
import ctypes, errno, os, struct, sys
NEW_PRIVS, SECCOMP, CREATE_RULESET = 38, 22, 444
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('rules', ctypes.c_char_p)]
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, CREATE_RULESET), (6, 0, 0, 0x50000 + errno.EOPNOTSUPP), (6, 0, 0, 0x7fff0000)]
program = Program(len(rules), b''.join(struct.pack('HBBI', *rule) for rule in rules))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(NEW_PRIVS, 1, 0, 0, 0)
libc.prctl(SECCOMP, 2, ctypes.byref(program))
if libc.syscall(CREATE_RULESET, None, 0, 1) != -1 or ctypes.get_errno() != errno.EOPNOTSUPP:
    sys.exit('nothing can be refused here')
print('refused', flush=True)
os.execv(sys.argv[1], sys.argv[1:])
";

/// The tests of links where the kernel stops nothing: what is left are the looks before each write, and the folders that
/// closeout holds open. `CLOSEOUT_TEST_ALL=1` takes everything about links.
#[test]
#[expect(clippy::disallowed_methods, reason = "the whole test program runs without Landlock")]
fn without_landlock_links_lead_nothing_outside_either() {
    let mut command = Command::new("python3");
    command.args(["-c", WITHOUT_LANDLOCK]).arg(std::env::current_exe().unwrap());
    if std::env::var_os("CLOSEOUT_TEST_ALL").is_some() {
        command.args(["rescue::write_links", "rescue::links", "rescue::races::links_that_come_and_go"]);
    } else {
        command.args(["rescue::write_links::an_undo", "rescue::races::links_that_come_and_go"]);
    }
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) if output.stdout.starts_with(b"refused\n") => output,
        other => return eprintln!("SKIPPED: nothing can be refused here: {other:?}"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !text.contains(" 0 passed"), "{text}");
}

/// The kernel, not a look before, keeps a child inside its folders.
#[test]
fn a_child_changes_files_only_below_its_folders() {
    let repo = Repo::unborn();
    let (inside, outside) = (repo.root().join("inside"), repo.root().join("outside"));
    for folder in [&inside, &outside] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("old"), "old\n").unwrap();
    }
    symlink(&outside, inside.join("out")).unwrap();
    let script = "echo 1 > new; echo 1 > old; echo 1 > out/new; echo 1 > out/old; rm out/old; mv out/old moved; \
                  mkdir out/folder; ln old out/linked; echo > /dev/null && echo ran";
    let held = std::os::fd::OwnedFd::from(fs::File::open(&inside).unwrap());
    let mut spec = Spec::new("/bin/sh", &inside).args(["-c", script]).env("PATH", "/bin:/usr/bin");
    spec.may_change = Some(vec![std::sync::Arc::new(held)]);
    let before = traces(&outside);
    let output = process::run(&spec).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ran\n", "{output:?}");
    if traces(&outside) != before && !has_landlock() {
        return eprintln!("SKIPPED: this kernel has no Landlock");
    }
    assert_eq!(traces(&outside), before);
    assert_eq!(fs::read_to_string(inside.join("new")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(inside.join("old")).unwrap(), "1\n");
    // A limit that names nothing allows nothing.
    spec.may_change = Some(Vec::new());
    let before = traces(&inside);
    assert_eq!(String::from_utf8_lossy(&process::run(&spec).unwrap().stdout), "ran\n");
    assert_eq!(traces(&inside), before);
}

fn has_landlock() -> bool {
    fs::read_to_string("/proc/kallsyms").is_ok_and(|all| all.contains("landlock_restrict_self"))
}

/// An agent puts a link in the place of a folder, or of the new folder itself, while a record is being restored: nothing is
/// written behind it.
#[test]
fn nothing_is_restored_through_a_link_that_comes_meanwhile() {
    for below in ["", "new", "new/deep"] {
        let repo = rich();
        let record = record(&repo);
        let at = |name: &str| repo.root().join(name);
        let (into, outside, moved, gate) = (at("into"), at("outside"), at("moved"), at("gate"));
        fs::create_dir_all(outside.join("deep")).unwrap();
        mkfifoat(CWD, &gate, Mode::from_raw_mode(0o600)).unwrap();
        // The contents are read once the new folder is there; this git waits then until the link is there, too.
        let [git, wait] = [git_program().display().to_string(), gate.display().to_string()];
        let calls =
            format!("case \"$*\" in *'cat-file --batch') [ ! -p '{wait}' ] || read go <'{wait}' ;; esac");
        let git = repo.script("odd-git", &format!("{calls}\nexec '{git}' \"$@\""));
        let swapped: PathBuf = into.join(below).components().collect();
        let swap = {
            let (outside, moved, gate) = (outside.clone(), moved.clone(), gate.clone());
            std::thread::spawn(move || {
                let mut waiting = File::options().write(true).open(&gate).unwrap();
                fs::remove_file(&gate).unwrap();
                if swapped.exists() {
                    fs::rename(&swapped, moved).unwrap();
                }
                fs::create_dir_all(swapped.parent().unwrap()).unwrap();
                symlink(outside, swapped).unwrap();
                waiting.write_all(b"go\n").unwrap();
            })
        };
        let restored = Rescuer { git, ..rescuer(&repo) }.restore(repo.path(), &record.reference, &into);
        // If git never waited, nothing else would.
        drop(File::options().read(true).write(true).open(&gate));
        swap.join().unwrap();
        assert_eq!(files_below(&outside), Vec::<String>::new(), "{below}: {restored:?}");
        if below.is_empty() {
            assert_eq!(restored.unwrap(), record.n_files);
            assert_eq!(fs::read(moved.join("new/deep/x")).unwrap(), b"x\n");
        } else {
            assert!(restored.is_err(), "{below}");
        }
    }
}
