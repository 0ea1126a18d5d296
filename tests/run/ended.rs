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

/// The workspace as a later check finds it.
fn later(world: &World) -> serde_json::Value {
    world.env.run(world.repo.path(), &["check", "--json"]).workspace()
}

#[test]
fn what_a_run_found_stays_until_somebody_is_asked_for_something_else() {
    let world = World::new();
    let run = world.run(&["--prompt", "Do it."], "commit one");
    assert_eq!(run.code, 0, "{run:?}");
    let found = later(&world);
    assert_eq!((&found["state"], &found["proof"]), (&"COMPLETE".into(), &"committed".into()), "{found}");
    let run =
        world.run(&["--prompt", "Fix it."], "commit $CLOSEOUT_ITERATION; say incomplete 'test A fails'");
    assert_eq!(run.code, 51, "{run:?}");
    for _ in 0..2 {
        let found = later(&world);
        assert_eq!(
            (&found["state"], &found["rule"]),
            (&"STALLED".into(), &"rounds_used_up".into()),
            "{found}"
        );
        assert_eq!(found["why"], "the run ended after 3 iterations: the same points stayed open", "{found}");
        let left = found["left_to_do"].to_string();
        assert_eq!(left.matches("\"text\":\"test A fails\"").count(), 1, "{left}");
    }
    // The person ends it by hand: the source says so, after the run.
    world.repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#).commit_file("more.txt");
    assert_eq!(later(&world)["state"], "COMPLETE");
}

#[test]
fn a_run_that_left_work_or_failed_says_so_afterwards() {
    let world = World::new();
    let run = world.run(&["--max-iterations", "1"], "echo half > partial.txt");
    assert_eq!((run.code, &result(&run)["verdict"]), (50, &"RESCUE_NEEDED".into()), "{run:?}");
    let found = later(&world);
    assert_eq!(
        (&found["state"], &found["rule"]),
        (&"RESCUE_NEEDED".into(), &"rounds_used_up".into()),
        "{found}"
    );
    assert_eq!(found["why"], "the run ended after 1 iteration: all iterations are used up");
    let run =
        world.run(&["--timeout", "1s", "--max-iterations", "1"], "commit one; rm -f partial.txt; sleep 60");
    assert_eq!(later(&world)["state"], result(&run)["verdict"], "{run:?}");
    let failed = world.env.run(world.repo.path(), &["run", "--new", "--", "/nowhere/at/all"]);
    assert_eq!(failed.code, 30, "{failed:?}");
    assert_eq!(later(&world)["state"], "ERROR");
}

#[test]
fn a_run_that_was_cut_off_says_what_it_asked_and_that_it_can_go_on() {
    let world = World::new();
    let script = world.script("commit one; echo $$ > $W/pid; [ -e $W/again ] || sleep 60; say complete ''");
    let arguments = ["run", "--prompt", "Do it.", "--", "sh", script.to_str().unwrap()];
    let child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    wait_for("the command", || !world.outside("pid").is_empty());
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
    assert_eq!(finish(child).code, 130);
    let found = later(&world);
    assert_eq!(found["state"], "INCOMPLETE", "{found}");
    assert_eq!(found["why"], "the run was interrupted in iteration 1; `closeout run --resume` continues it");
    assert_eq!(found["next_action"]["text"], "`closeout run --resume` continues the run");
    std::fs::write(world.env.at("outside/again"), "").unwrap();
    assert_eq!(world.env.run(world.repo.path(), &["run", "--resume"]).code, 0);
    assert_eq!(later(&world)["state"], "COMPLETE");
    // Where it had asked, the question waits.
    let script = world.script("echo 'Both ways work. Should I use SQLite or Postgres for the store?'");
    let arguments =
        ["run", "--prompt", "Add a store.", "--on-question", "wait", "--", "sh", script.to_str().unwrap()];
    let child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    wait_for("the question", || later(&world)["run"]["phase"] == "asking");
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
    assert_eq!(finish(child).code, 130);
    let found = later(&world);
    assert_eq!(found["state"], "AWAITING_RESPONSE", "{found}");
    assert!(found.to_string().contains("closeout run --resume"), "{found}");
}
