//! A FIFO, a socket or an endless device in the place of any file that the program reads: nothing hangs. The files are
//! those that a person's machine has after all of it was used, so that a new kind of file is tried, too.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use closeout::process::{self, End, Spec};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::test_env::TestEnv;

/// No command may take longer, on a busy machine.
const LIMIT: Duration = Duration::from_secs(25);
/// What reads something of everything.
const COMMANDS: [&str; 6] = ["status --json", "check", "doctor", "log", "rescues", "hook install --dry-run"];

/// An environment in which everything was used once.
fn used() -> TestEnv {
    let env = TestEnv::with_demo();
    for (name, content) in [
        ("home/.claude/settings.json", "{}"),
        ("home/.claude.json", "{}"),
        ("home/.codex/config.toml", ""),
        ("home/.codex/hooks.json", "{}"),
        ("home/.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-x.jsonl", "{}\n"),
        ("home/.gemini/settings.json", "{}"),
        ("home/.gemini/projects.json", "{}"),
        ("home/.gemini/tmp/x/chats/session-2026.json", "{}"),
        ("home/config/opencode/opencode.json", "{}"),
        ("home/data/opencode/opencode.db", ""),
        ("home/data/opencode/opencode.db-wal", ""),
        ("home/config/closeout/config.toml", ""),
        ("demo/shop/.closeout/config.toml", ""),
        ("demo/shop/.closeout/decision.json", "{}"),
        ("demo/shop/.closeout/plan.json", "{}"),
        ("demo/shop/TODO.md", "- [ ] a\n"),
        ("demo/shop/junit.xml", "<testsuite/>"),
    ] {
        fs::create_dir_all(env.at(name).parent().unwrap()).unwrap();
        fs::write(env.at(name), content).unwrap();
    }
    for words in [
        "check", "status", "hook install", "rescue -y -m work", "mark quiet", "decide COMPLETE", "trust",
        "log",
    ] {
        let _ = env.run(env.shop(), &words.split(' ').collect::<Vec<_>>());
    }
    env
}

/// All files below these folders but git's own.
fn files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let (mut open, mut files) = (folders.to_vec(), Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let (path, kind) = entry.map(|it| (it.path(), it.file_type().unwrap())).unwrap();
            if kind.is_dir() && !path.ends_with(".git") && !path.ends_with("cache") {
                open.push(path);
            } else if kind.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Puts something else in the place of a file for one run of each command. Returns what hung or broke.
fn tried(env: &TestEnv, path: &Path, put: fn(&Path)) -> Vec<String> {
    let aside = path.with_file_name("aside-for-a-test");
    fs::rename(path, &aside).unwrap();
    put(path);
    let mut wrong = Vec::new();
    for words in COMMANDS {
        let mut spec = Spec::new(env!("CARGO_BIN_EXE_closeout"), env.shop()).args(words.split(' '));
        spec.env = env.variables();
        spec.time_limit = LIMIT;
        let output = process::run(&spec).unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !matches!(output.end, End::Code(0..=100)) || said.contains("panicked") {
            wrong.push(format!("{words}, {}: {:?} {said}", path.display(), output.end));
        }
    }
    let _ = fs::remove_file(path);
    fs::rename(&aside, path).unwrap();
    wrong
}

#[test]
fn nothing_in_the_place_of_a_file_makes_a_command_hang() {
    let is_whole = std::env::var_os("CLOSEOUT_TEST_ALL").is_some();
    let put: [fn(&Path); 3] = [
        |path| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap(),
        |path| symlink("/dev/zero", path).unwrap(),
        |path| mknodat(CWD, path, FileType::Socket, Mode::from_raw_mode(0o600), 0).unwrap(),
    ];
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (put, wrong) = (&put, &wrong);
            scope.spawn(move || {
                let env = used();
                let all = files(&["home", "state", "demo/claude", "demo/shop"].map(|name| env.at(name)));
                assert!(all.len() > 40, "{all:#?}");
                for (number, path) in all.iter().enumerate().filter(|(number, _)| number % 2 == part) {
                    // In a plain run a FIFO for all of them, and one of the others for a few.
                    let n_kinds = if is_whole { 3 } else { 1 };
                    for put in put.iter().take(n_kinds) {
                        wrong.lock().unwrap().extend(tried(&env, path, *put));
                    }
                    if !is_whole && number % 8 < 2 {
                        wrong.lock().unwrap().extend(tried(&env, path, put[1 + number % 2]));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
