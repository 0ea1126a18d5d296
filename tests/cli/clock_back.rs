//! The clock of the machine is set back: a person's last word stays the last one, a deadline is not put off, work that is
//! finished can be complete, and what was told is not told again.
//!
//! The program gets its clock from a library that is compiled here; without a C compiler the tests report that they are
//! skipped.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv, spawn};

/// The clock, set back by as many seconds as a file tells.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int outcome = real(id, t);
    const char *name = getenv("CLOCK_BACK");
    FILE *file = name && id == CLOCK_REALTIME ? fopen(name, "r") : NULL;
    if (file) {
        long by = 0;
        if (fscanf(file, "%ld", &by) == 1) t->tv_sec -= by;
        fclose(file);
    }
    return outcome;
}
"#;
/// What every agent here begins with: files and commits have the time of the clock that was set back.
const AGENT: &str = r#"
unset LD_PRELOAD; back() { echo 3600 > $CLOCK_BACK; }
commit() {
    at=$(date -d '1 hour ago' -R); echo $1 >> work.txt; git add work.txt
    GIT_AUTHOR_DATE=$at GIT_COMMITTER_DATE=$at git -c user.name=a -c user.email=a@b commit -qm $1
}
say() {
    mkdir -p .closeout
    printf '{"decision":"%s","check_id":"%s","reasons":["%s"]}' $1 $AGENTCORE_COMPLETION_CHECK_ID "$2" > .closeout/decision.json
    touch -d '1 hour ago' .closeout/decision.json work.txt
}
"#;

/// A repository, and a person whose clock can be set back; `None` without a C compiler.
#[expect(clippy::disallowed_methods, reason = "the library is made by the real compiler")]
fn world() -> Option<(Repo, TestEnv)> {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    fs::create_dir_all(env.at("outside")).unwrap();
    fs::write(env.at("outside/clock.c"), CLOCK).unwrap();
    let library = env.at("outside/clock.so");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(env.at("outside/clock.c"))
        .arg("-ldl")
        .stdin(Stdio::null())
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED clock: there is no C compiler here");
        return None;
    }
    let clock = env.at("outside/back");
    Some((repo, env.with_variable("LD_PRELOAD", library).with_variable("CLOCK_BACK", clock)))
}

fn set_back(env: &TestEnv) {
    fs::write(env.at("outside/back"), "3600").unwrap();
}

/// A run with this script for an agent, and the last of its lines.
fn supervised(repo: &Repo, env: &TestEnv, options: &[&str], script: &str) -> (Run, Value) {
    let path: PathBuf = env.at("outside/agent.sh");
    fs::write(&path, format!("{AGENT}{script}\n")).unwrap();
    let all = [&["run"], options, &["--", "sh", path.to_str().unwrap()]].concat();
    let run = env.run(repo.path(), &all);
    let last = run.out.lines().last().unwrap_or_else(|| panic!("{run:?}"));
    let last = serde_json::from_str(last).unwrap();
    (run, last)
}

#[test]
fn the_last_word_of_a_person_stays_the_last_one() {
    let Some((repo, env)) = world() else { return };
    repo.write("tasks.md", "- [ ] one\n");
    let state = || env.run(repo.path(), &["check", "--json"]).workspace()["state"].clone();
    assert_eq!(env.run(repo.path(), &["mark", "done"]).code, 0);
    assert_eq!(state(), "COMPLETE");
    set_back(&env);
    assert_eq!(state(), "COMPLETE");
    let run = env.run(repo.path(), &["mark", "open"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(state(), "INCOMPLETE");
}

#[test]
fn a_deadline_is_not_put_off() {
    let Some((repo, env)) = world() else { return };
    let (run, last) = supervised(&repo, &env, &["--deadline", "3s"], "back; sleep 60");
    assert_eq!(
        (run.code, &last["status"], &last["iterations"]),
        (54, &"deadline".into(), &1.into()),
        "{run:?}"
    );
}

// W06
#[test]
fn a_run_whose_clock_goes_back_ends_complete() {
    let Some((repo, env)) = world() else { return };
    let script = "back; if [ $CLOSEOUT_ITERATION = 1 ]; then commit one; say incomplete 'point one'
         else commit two; say complete ''; fi";
    let (run, last) = supervised(&repo, &env, &["--max-iterations", "4"], script);
    assert_eq!(
        (run.code, &last["status"], &last["iterations"]),
        (0, &"complete".into(), &2.into()),
        "{run:?}"
    );
}

#[test]
fn a_stream_that_runs_goes_on_telling() {
    use std::io::{BufRead as _, BufReader};
    let Some((repo, env)) = world() else { return };
    let mut command = env.command(repo.path(), &["status", "--follow", "--json"]);
    let mut child = spawn(command.stderr(Stdio::null()));
    let (sender, lines) = std::sync::mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        stdout.lines().map_while(Result::ok).take_while(|line| sender.send(line.clone()).is_ok()).count()
    });
    let wait = |what: &str| {
        let mut told = String::new();
        for _ in 0..200 {
            match lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) if line.contains(what) => return,
                Ok(line) => told = line,
                Err(_) => {}
            }
        }
        panic!("never told: {what}; the last was {told}");
    };
    wait("NO_TASK");
    set_back(&env);
    repo.write(".closeout/.gitignore", "*\n").write(
        ".closeout/decision.json",
        "{\"decision\":\"incomplete\",\"reasons\":[\"after the clock was set back\"]}",
    );
    wait("after the clock was set back");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);
    reader.join().unwrap();
}

#[test]
fn what_was_told_is_not_told_again() {
    let Some((repo, env)) = world() else { return };
    let told = env.at("outside/told");
    let tell = env.at("outside/tell.sh");
    fs::write(&tell, format!("echo \"$1\" >> '{}'\n", told.display())).unwrap();
    let arguments = ["watch", ".", "--headless", "--notify-command", "sh", tell.to_str().unwrap()];
    let start = || spawn(&mut env.command(repo.path(), &arguments));
    let mut first = start();
    std::thread::sleep(Duration::from_secs(2));
    repo.write("work.txt", "x\n").stage("work.txt").commit("work");
    repo.write(".closeout/.gitignore", "*\n").write(".closeout/decision.json", "{\"decision\":\"complete\"}");
    for _ in 0..400 {
        if told.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    set_back(&env);
    let mut second = start();
    std::thread::sleep(Duration::from_secs(2));
    second.kill().unwrap();
    second.wait().unwrap();
    assert_eq!(fs::read_to_string(&told).unwrap(), "is finished\n");
}
