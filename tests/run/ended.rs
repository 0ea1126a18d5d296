//! Runs that a person ends, and what a circuit breaker keeps from beginning.

use rustix::process::{Pid, Signal, kill_process};

use super::{World, lines, result, wait_for};
use crate::support::test_env::{finish, spawn};

#[test]
fn ctrl_c_ends_it_with_all_that_it_started_and_it_can_go_on() {
    let world = World::new();
    let script = world.script(
        "echo $CLOSEOUT_ITERATION >> $W/begun
         if [ $(wc -l < $W/begun) = 1 ]; then echo half > half.txt; echo $$ > $W/pid; sleep 60; fi
         rm -f half.txt; commit one; say complete ''",
    );
    let arguments = ["run", "--prompt", "Do it.", "--", "sh", script.to_str().unwrap()];
    let child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    wait_for("the command", || !world.outside("pid").is_empty());
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
    let run = finish(child);
    let found = result(&run);
    assert_eq!((run.code, &found["status"]), (130, &"cancelled".into()), "{run:?}");
    assert!(found["reason"].to_string().contains("closeout run --resume"), "{found}");
    // What it had not committed is recorded.
    assert!(found["rescued"] == true && found["record"].is_string(), "{found}");
    let pid = world.outside("pid");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(" Z "), "{pid} lives: {stat}");
    let run = world.env.run(world.repo.path(), &["run", "--resume"]);
    assert_eq!((run.code, &result(&run)["status"]), (0, &"complete".into()), "{run:?}");
    assert_eq!(lines(&run)[0]["is_resumed"], true);
}

#[test]
fn an_open_breaker_keeps_agents_from_being_asked() {
    let world = World::new();
    let run = world.run(&["--timeout", "1s"], "sleep 60");
    assert_eq!((run.code, &result(&run)["status"]), (52, &"breaker_open".into()), "{run:?}");
    let asked = world.env.run(world.repo.path(), &["check", "--probe", "--yes", "--json"]);
    assert_eq!(asked.code, 1, "{asked:?}");
    for words in ["the circuit breaker is open", "closeout run --reset-breaker"] {
        assert!(asked.err.contains(words) && asked.out.contains(words), "{words}: {asked:?}");
    }
    // Work that is complete closes it.
    let script = world.script("commit one; say complete ''");
    let run = world.env.run(
        world.repo.path(),
        &["run", "--reset-breaker", "--prompt", "Do it.", "--", "sh", script.to_str().unwrap()],
    );
    assert_eq!(run.code, 0, "{run:?}");
    let asked = world.env.run(world.repo.path(), &["check", "--probe", "--yes", "--json"]);
    assert!(!asked.err.contains("circuit breaker"), "{asked:?}");
}
