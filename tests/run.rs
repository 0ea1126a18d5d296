//! `closeout run`, as a person types it: the loop with shell scripts for agents.

mod ended;
mod typed;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv, finish, spawn};

/// A repository with one commit, an env, and a script outside of the repository.
struct World {
    repo: Repo,
    env: TestEnv,
}

impl World {
    fn new() -> World {
        let repo = Repo::new();
        let env = TestEnv::beside(&repo);
        World { repo, env }
    }

    /// A script for an agent; `$W` is a folder outside of the workspace.
    fn script(&self, text: &str) -> PathBuf {
        let path = self.env.at("agent.sh");
        let outside = self.env.at("outside");
        fs::create_dir_all(&outside).unwrap();
        let text = format!(
            "set -u; W='{}'\ncommit() {{ echo \"$1\" >> work.txt; git add work.txt; git -c user.name=a -c user.email=a@b commit -qm \"$1\"; }}\n\
             say() {{ mkdir -p .closeout; printf '{{\"decision\":\"%s\",\"check_id\":\"%s\",\"reasons\":[\"%s\"]}}' \"$1\" \
             \"$AGENTCORE_COMPLETION_CHECK_ID\" \"$2\" > .closeout/decision.json; }}\n{text}\n",
            outside.display()
        );
        fs::write(&path, text).unwrap();
        path
    }

    fn outside(&self, name: &str) -> String {
        fs::read_to_string(self.env.at("outside").join(name)).unwrap_or_default()
    }

    fn run(&self, options: &[&str], script: &str) -> Run {
        let script = self.script(script);
        let all = [&["run"], options, &["--", "sh", script.to_str().unwrap()]].concat();
        self.env.run(self.repo.path(), &all)
    }
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    for _ in 0..1_200 {
        if is_there() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("waited in vain for {what}");
}

fn lines(run: &Run) -> Vec<Value> {
    run.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {run:?}")))
        .collect()
}

fn result(run: &Run) -> Value {
    let last = lines(run).pop().unwrap_or_else(|| panic!("{run:?}"));
    assert_eq!(last["event"], "finished", "{run:?}");
    last
}

#[test]
fn a_review_that_fails_is_mended_and_the_run_ends_complete() {
    let world = World::new();
    let run = world.run(
        &["--prompt", "Fix the bug."],
        "cat > $W/prompt-$CLOSEOUT_ITERATION
         if [ $CLOSEOUT_ITERATION = 1 ]; then commit one; say incomplete 'the cache is never emptied'
         else commit two; say complete ''; fi",
    );
    let result = result(&run);
    assert_eq!((run.code, &result["status"]), (0, &Value::from("complete")), "{run:?}");
    assert_eq!((&result["iterations"], &result["new_commits"]), (&Value::from(2), &Value::from(2)));
    let (first, second) = (world.outside("prompt-1"), world.outside("prompt-2"));
    assert!(first.starts_with("Fix the bug.\n") && first.contains("decision.json"), "{first}");
    assert!(
        second.starts_with("Fix the bug.\n") && second.contains("the cache is never emptied"),
        "{second}"
    );
    assert!(second.contains("exit code 0") && second.contains("INCOMPLETE"), "{second}");
}

#[test]
fn the_same_points_again_and_again_end_it_stalled_with_the_list() {
    let world = World::new();
    let run = world.run(
        &["--prompt", "Fix it."],
        "cat > $W/prompt-$CLOSEOUT_ITERATION; commit $CLOSEOUT_ITERATION; say incomplete 'test A fails'",
    );
    let result = result(&run);
    assert_eq!((run.code, &result["status"]), (51, &Value::from("stalled")), "{run:?}");
    assert_eq!((&result["iterations"], &result["verdict"]), (&Value::from(3), &Value::from("STALLED")));
    assert!(result["repeated"].to_string().contains("test A fails"), "{result}");
    assert!(!world.outside("prompt-2").contains("smallest change"));
    let third = world.outside("prompt-3");
    assert!(
        third.contains("smallest change") && third.contains("> - ") && third.contains("test A fails"),
        "{third}"
    );
}

#[test]
fn the_limits_end_it_with_their_own_codes_and_what_is_at_risk_is_recorded() {
    let world = World::new();
    let more = "echo $CLOSEOUT_ITERATION >> work.txt; say incomplete \"point $CLOSEOUT_ITERATION\"";
    let run = world.run(&["--max-iterations", "2"], more);
    let found = result(&run);
    assert_eq!((run.code, &found["status"]), (50, &Value::from("max_iterations")), "{run:?}");
    assert_eq!(found["verdict"], "RESCUE_NEEDED");
    assert_eq!(found["rescued"], true, "{found}");
    let run = world.run(&["--budget", "0.3"], &format!("{more}; echo '{{\"total_cost_usd\":0.2}}'"));
    let found = result(&run);
    assert_eq!((run.code, &found["iterations"]), (53, &Value::from(2)), "{run:?}");
    assert_eq!(found["cost_usd"], 0.4);
    let run = world.run(&["--budget", "0.3"], more);
    assert_eq!((run.code, &result(&run)["iterations"]), (53, &Value::from(1)), "{run:?}");
    let run = world.run(&["--deadline", "1s"], "sleep 30");
    assert_eq!((run.code, &result(&run)["status"]), (54, &Value::from("deadline")), "{run:?}");
    let broken = "mkdir -p .closeout; echo '{\"decision\":' > .closeout/decision.json; touch -d '1 min ago' -c x; sleep 2.5";
    let run = world.run(&[], broken);
    assert_eq!((run.code, &result(&run)["status"]), (56, &Value::from("unreadable")), "{run:?}");
}

#[test]
fn what_stands_still_is_ended_with_all_that_it_started_and_opens_the_breaker() {
    let world = World::new();
    let run = world.run(
        &["--stall-after", "1s"],
        "echo $CLOSEOUT_ITERATION >> work.txt; trap '' INT; (setsid sh -c 'echo $$ >> '$W'/left; exec sleep 60' &) ; sleep 60",
    );
    let found = result(&run);
    assert_eq!((run.code, &found["status"]), (52, &Value::from("breaker_open")), "{run:?}");
    assert_eq!(found["rescued"], true, "{found}");
    assert!(
        lines(&run).iter().any(|line| line["event"] == "stood_still" && line["record"].is_string()),
        "{run:?}"
    );
    for pid in world.outside("left").lines() {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(" Z "), "{pid} lives: {stat}");
    }
    let refused = world.run(&[], "commit a; say complete ''");
    assert_eq!((refused.code, &result(&refused)["iterations"]), (52, &Value::from(0)), "{refused:?}");
    let closed = world.run(
        &["--reset-breaker"],
        "git checkout -q work.txt 2>/dev/null; rm -f work.txt; commit a; say complete ''",
    );
    assert_eq!(closed.code, 0, "{closed:?}");
}

#[test]
fn a_question_waits_for_closeout_reply_and_goes_on() {
    let world = World::new();
    let script = world.script(
        "cat > $W/prompt; if grep -q 'The answer: blue' $W/prompt; then echo 'It is painted blue now.'
         else echo 'Which colour do you want, red or blue?'; fi",
    );
    let arguments = ["run", "--task-kind", "READ_INFO", "--", "sh", script.to_str().unwrap()];
    let child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    let path = world.repo.path().to_str().unwrap().to_owned();
    wait_for("the run to ask", || {
        world.env.run(world.repo.path(), &["reply", &path, "blue", "--yes"]).code == 0
    });
    let run = finish(child);
    assert_eq!((run.code, &result(&run)["status"]), (0, &Value::from("complete")), "{run:?}");
    assert_eq!(result(&run)["iterations"], 1);
    // Where the question was found is told in words, and not by the name of a file of ours.
    assert!(run.out.contains("in the command's output: Which colour"), "{run:?}");
    let ended = world.run(
        &["--task-kind", "READ_INFO", "--on-question", "end"],
        "echo 'Which colour do you want, red or blue?'",
    );
    assert_eq!(
        (ended.code, &result(&ended)["verdict"]),
        (55, &Value::from("AWAITING_RESPONSE")),
        "{ended:?}"
    );
}

#[test]
fn one_run_has_a_workspace_and_one_that_is_killed_goes_on() {
    let world = World::new();
    let script = world.script(
        "echo $CLOSEOUT_ITERATION >> $W/begun
         case $CLOSEOUT_ITERATION in
         1) commit one; say incomplete 'point one';;
         *) if [ $(grep -c 2 $W/begun) = 1 ]; then sleep 60; fi; commit two; say complete '';;
         esac",
    );
    let arguments = ["run", "--prompt", "Do it.", "--", "sh", script.to_str().unwrap()];
    let mut child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    wait_for("the second iteration", || world.outside("begun").contains('2'));
    let second = world.env.run(world.repo.path(), &arguments);
    assert_eq!(second.code, 21, "{second:?}");
    for words in [child.id().to_string().as_str(), "wait until it ends, or end it there"] {
        assert!(second.err.contains(words), "{words}: {second:?}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let run = world.env.run(world.repo.path(), &["run", "--resume", "--max-iterations", "2"]);
    let found = result(&run);
    assert_eq!((run.code, &found["iterations"], &found["new_commits"]), (0, &2.into(), &2.into()), "{run:?}");
    let begun = &lines(&run)[0];
    assert_eq!((&begun["is_resumed"], &begun["max_iterations"]), (&true.into(), &2.into()));
    assert_eq!(world.outside("begun"), "1\n2\n2\n");
    let again = world.env.run(world.repo.path(), &["run", "--resume"]);
    assert_eq!(again.code, 2, "{again:?}");
}

#[test]
fn what_was_decided_before_the_run_says_nothing_and_a_failure_is_no_success() {
    let world = World::new();
    fs::create_dir_all(world.repo.path().join(".closeout")).unwrap();
    fs::write(world.repo.path().join(".closeout/.gitignore"), "*\n").unwrap();
    fs::write(world.repo.path().join(".closeout/decision.json"), "PASS\n").unwrap();
    let run = world.run(&["--max-iterations", "1"], "echo nothing");
    assert_eq!(run.code, 50, "{run:?}");
    let run = world.run(&["--max-iterations", "1"], "commit a; say complete ''; exit 3");
    let found = result(&run);
    assert_eq!(run.code, 50, "{run:?}");
    assert!(found["open_points"].to_string().contains("exit code 3"), "{found}");
    let none = world.env.run(world.repo.path(), &["run", "--", "no-such-program-here"]);
    assert_eq!(none.code, 30, "{none:?}");
}

#[test]
fn the_reasons_beside_a_decision_in_words_reach_the_agent_and_tell_rounds_apart() {
    let world = World::new();
    for (no, yes) in [
        (
            "mkdir -p .closeout; printf 'FAIL\\n\\n- finding %s\\n' $N > .closeout/decision.json",
            "echo PASS > .closeout/decision.json",
        ),
        ("echo \"INCOMPLETE: finding $N\"", "echo COMPLETE"),
    ] {
        let script = format!(
            "N=$CLOSEOUT_ITERATION; cat > $W/prompt.$N; commit $N; if [ $N -lt 5 ]; then {no}; else {yes}; fi"
        );
        if no.starts_with("echo") {
            fs::remove_file(world.repo.path().join(".closeout/decision.json")).unwrap();
        }
        let run = world.run(&["--new", "--prompt", "Write it"], &script);
        let found = result(&run);
        assert_eq!((run.code, &found["iterations"]), (0, &5.into()), "{run:?}");
        assert!(world.outside("prompt.2").contains("finding 1"), "{}", world.outside("prompt.2"));
        assert!(world.outside("prompt.4").contains("finding 3"), "{}", world.outside("prompt.4"));
    }
}

#[test]
fn the_prompt_reaches_the_command_in_the_way_that_it_names() {
    let world = World::new();
    let script = world.script("printf '%s\\n' \"$1\" > $W/argument; cat > $W/input; cp \"$CLOSEOUT_PROMPT_FILE\" $W/file; commit a; say complete ''");
    let script = script.to_str().unwrap();
    for (argument, has_input) in [("{prompt}", false), ("{prompt_file}", false), ("plain", true)] {
        let run = world
            .env
            .run(world.repo.path(), &["run", "--prompt", "Paint 'it' $RED.", "--", "sh", script, argument]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(world.outside("file").starts_with("Paint 'it' $RED.\n"));
        assert_eq!(!world.outside("input").is_empty(), has_input, "{argument}");
        assert_eq!(world.outside("argument").contains("Paint 'it' $RED."), argument == "{prompt}");
    }
    let task = world.env.at("task.md");
    fs::write(&task, "Paint it as the file says.\n").unwrap();
    let arguments = ["run", "--prompt-file", task.to_str().unwrap(), "--", "sh", script, "plain"];
    let run = world.env.run(world.repo.path(), &arguments);
    assert!(run.code == 0 && world.outside("input").starts_with("Paint it as the file says.\n"), "{run:?}");
}

#[test]
fn what_happened_is_in_the_log_and_counted() {
    let world = World::new();
    let run = world.run(
        &[],
        "if [ $CLOSEOUT_ITERATION = 1 ]; then say incomplete x; else commit two; say complete ''; fi",
    );
    assert_eq!(run.code, 0, "{run:?}");
    let log = world.env.run(world.repo.path(), &["log", "--all", "--json", "--since", "1h"]);
    let found = lines(&log);
    let events: Vec<String> =
        found.iter().map(|line| line["event"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(events.iter().filter(|event| *event == "iteration").count(), 2, "{log:?}");
    assert_eq!(events.iter().filter(|event| *event == "run_ended").count(), 1, "{log:?}");
    // What is looked at while the command runs is no verdict.
    let states: Vec<&Value> =
        found.iter().filter(|line| line["event"] == "verdict").map(|line| &line["state"]).collect();
    assert_eq!(states.iter().filter(|state| **state == "COMPLETE").count(), 1, "{log:?}");
    assert_eq!(states.last().unwrap().as_str(), Some("COMPLETE"), "{log:?}");
    let at = |event: &str| found.iter().rposition(|line| line["event"] == event);
    assert!(at("verdict") > found.iter().position(|line| line["event"] == "iteration"), "{log:?}");
    assert!(events.contains(&"verdict".to_owned()), "{log:?}");
    assert_eq!(world.env.run(world.repo.path(), &["log", "--since", "2020-01-01T00:00:00Z"]).code, 0);
    let figures = world.env.run(world.repo.path(), &["stats", "--json"]).json();
    assert_eq!(
        (&figures["all"]["iterations"], &figures["all"]["time_out_rate"]),
        (&2.into(), &0.0.into()),
        "{figures}"
    );
    assert_eq!(figures["all"]["runs"]["complete"], 1);
    let table = world.env.run(world.repo.path(), &["stats"]);
    assert!(table.out.lines().nth(1).unwrap().starts_with("all "), "{table:?}");
}

#[test]
fn one_waits_until_a_workspace_has_a_state() {
    let world = World::new();
    let arguments = ["wait", ".", "--until", "incomplete,complete", "--timeout", "60s"];
    let child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    std::thread::sleep(Duration::from_secs(1));
    fs::create_dir_all(world.repo.path().join(".closeout")).unwrap();
    fs::write(
        world.repo.path().join(".closeout/decision.json"),
        "{\"decision\":\"incomplete\",\"reasons\":[\"x\"]}",
    )
    .unwrap();
    let waited = finish(child);
    assert!(waited.code == 0 && waited.out.starts_with("INCOMPLETE"), "{waited:?}");
    let late = world.env.run(world.repo.path(), &["wait", "--until", "COMPLETE", "--timeout", "1s"]);
    assert_eq!(late.code, 31, "{late:?}");
    assert_eq!(world.env.run(world.repo.path(), &["wait", "--until", "FINE"]).code, 2);
}

#[test]
fn the_examples_do_what_they_say() {
    for (name, options, iterations) in [
        ("review-json.sh", &["--prompt", "Do it."][..], 2),
        ("review-legacy.sh", &["--decision-file", "verdict.txt"], 2),
        ("review-markers.sh", &[], 2),
    ] {
        let world = World::new();
        for (key, value) in [("user.name", "a"), ("user.email", "a@b")] {
            world.repo.git(["config", key, value]);
        }
        let script = format!("{}/config/examples/{name}", env!("CARGO_MANIFEST_DIR"));
        let all = [&["run"], options, &["--", "sh", &script]].concat();
        let run = world.env.run(world.repo.path(), &all);
        assert_eq!((run.code, &result(&run)["iterations"]), (0, &iterations.into()), "{name}: {run:?}");
    }
    let world = World::new();
    fs::write(world.repo.path().join("a.txt"), "1\n2\n").unwrap();
    world.repo.commit("a.txt");
    let script = format!("{}/config/examples/read-and-ask.sh", env!("CARGO_MANIFEST_DIR"));
    let arguments = ["run", "--task-kind", "READ_INFO", "--", "sh", &script];
    let child = spawn(&mut world.env.command(world.repo.path(), &arguments));
    wait_for("the example to ask", || {
        world.env.run(world.repo.path(), &["reply", ".", "a.txt", "--yes"]).code == 0
    });
    let run = finish(child);
    assert!(run.code == 0 && run.err.contains("a.txt: it has 2 lines"), "{run:?}");
}

#[test]
fn a_person_is_told_once_by_several_closeouts_and_over_restarts() {
    let world = World::new();
    let log = world.env.at("outside/told");
    fs::create_dir_all(world.env.at("outside")).unwrap();
    let script = world.env.at("tell.sh");
    fs::write(&script, format!("echo \"$1 $3\" >> '{}'\n", log.display())).unwrap();
    let arguments = ["watch", ".", "--headless", "--notify-command", "sh", script.to_str().unwrap()];
    let start = || spawn(&mut world.env.command(world.repo.path(), &arguments));
    let mut closeouts: Vec<_> = (0..3).map(|_| start()).collect();
    std::thread::sleep(Duration::from_secs(2));
    fs::write(world.repo.path().join("work.txt"), "x\n").unwrap();
    world.repo.stage("work.txt").commit("work");
    fs::create_dir_all(world.repo.path().join(".closeout")).unwrap();
    fs::write(world.repo.path().join(".closeout/.gitignore"), "*\n").unwrap();
    fs::write(world.repo.path().join(".closeout/decision.json"), "{\"decision\":\"complete\"}").unwrap();
    wait_for("the notice", || log.exists());
    for closeout in &mut closeouts {
        closeout.kill().unwrap();
        closeout.wait().unwrap();
    }
    let mut again = start();
    std::thread::sleep(Duration::from_secs(2));
    again.kill().unwrap();
    again.wait().unwrap();
    let told = fs::read_to_string(&log).unwrap();
    assert_eq!(told, format!("is finished {}\n", world.repo.path().display()));
}

#[test]
fn a_run_that_a_limit_ends_is_told_once_by_who_is_open_or_by_itself() {
    let world = World::new();
    let log = world.env.at("outside/told");
    fs::create_dir_all(world.env.at("outside")).unwrap();
    let script = world.env.at("tell.sh");
    fs::write(&script, format!("echo \"$1 $3\" >> '{}'\n", log.display())).unwrap();
    world.env.configure(&format!("[notify]\nways = []\ncommand = [\"sh\", \"{}\"]\n", script.display()));
    let told = || fs::read_to_string(&log).unwrap_or_default();
    let place = world.repo.path().display().to_string();
    // Nobody else is there: the run tells it.
    let run = world.run(&["--max-iterations", "1"], "commit one; say incomplete 'point one'");
    assert_eq!(run.code, 50, "{run:?}");
    assert_eq!(told(), format!("the run ended: all iterations are used up {place}\n"));
    // Three closeouts and the run: one of them.
    let arguments = ["watch", ".", "--headless"];
    let start = || spawn(&mut world.env.command(world.repo.path(), &arguments));
    let mut closeouts: Vec<_> = (0..3).map(|_| start()).collect();
    std::thread::sleep(Duration::from_secs(2));
    fs::remove_file(&log).unwrap();
    let run = world.run(&["--budget", "0.1"], "commit two; say incomplete 'point two'");
    assert_eq!(run.code, 53, "{run:?}");
    wait_for("the notice", || log.exists());
    std::thread::sleep(Duration::from_secs(1));
    for closeout in &mut closeouts {
        closeout.kill().unwrap();
        closeout.wait().unwrap();
    }
    assert_eq!(told(), format!("the run ended: the budget is spent {place}\n"));
    // What is complete is told as finished work, and by no run.
    let run = world.run(&[], "commit three; say complete ''");
    assert_eq!((run.code, told().lines().count()), (0, 1), "{run:?}");
}

#[test]
fn the_closer_is_asked_when_nothing_else_is_left_and_what_it_leaves_open_is_told() {
    let world = World::new();
    let closer = world.env.at("closer.sh");
    let item = |done: bool| {
        format!(
            "{{\"checklist\":[{{\"id\":\"1\",\"description\":\"docs\",\"completed\":{done},\"evidence\":\"x\"}}],\
             \"allComplete\":{done},\"summary\":\"s\",\"pendingActions\":[{}],\"confidence\":0.9}}",
            if done { "" } else { "\"write the docs\"" }
        )
    };
    let n = world.env.at("n-closer");
    fs::write(
        &closer,
        format!(
            "cat >/dev/null; echo x >> '{}'; if [ $(wc -l < '{}') = 1 ]; then echo '{}'; else echo '{}'; fi\n",
            n.display(),
            n.display(),
            item(false),
            item(true)
        ),
    )
    .unwrap();
    world.env.configure(&format!(
        "[[agent]]\nname = \"mine\"\noutput = \".mine/last.md\"\ncommands.query = [\"sh\", \"{}\"]\n",
        closer.display()
    ));
    let script = "cat > $W/prompt-$CLOSEOUT_ITERATION; mkdir -p .mine; echo '*' > .mine/.gitignore
         echo \"Round $CLOSEOUT_ITERATION is over.\" > .mine/last.md
         if [ $CLOSEOUT_ITERATION = 1 ]; then commit one; say incomplete 'not yet'; else commit $CLOSEOUT_ITERATION; say complete ''; fi";
    let run = world.run(&["--prompt", "Do it.", "--verify"], script);
    let found = result(&run);
    // 1: a point is open, and nobody asks the closer. 2: complete but for the closer. 3: complete.
    assert_eq!((run.code, &found["iterations"]), (0, &Value::from(3)), "{run:?}");
    assert_eq!(fs::read_to_string(&n).unwrap().lines().count(), 2, "{run:?}");
    assert!(world.outside("prompt-3").contains("write the docs"), "{}", world.outside("prompt-3"));
    // A closer that cannot be asked lets nothing be complete.
    let run = world.run(&["--verify=none", "--max-iterations", "1"], "commit again; say complete ''");
    assert_eq!((run.code, &result(&run)["status"]), (50, &Value::from("max_iterations")), "{run:?}");
    assert!(result(&run)["open_points"].to_string().contains("the closer was not asked"), "{run:?}");
}

#[test]
fn the_checks_of_the_person_are_run_when_nothing_else_is_left() {
    let world = World::new();
    world.env.configure(
        "[[check]]\nname = \"unit\"\nkind = \"command\"\n\
         command = [\"sh\", \"-c\", \"grep -q two work.txt || { echo two is missing; exit 1; }\"]\n",
    );
    let script = "cat > $W/prompt-$CLOSEOUT_ITERATION
         if [ $CLOSEOUT_ITERATION = 1 ]; then commit one; else commit two; fi; say complete ''";
    let run = world.run(&["--prompt", "Count to two."], script);
    let found = result(&run);
    assert_eq!((run.code, &found["iterations"]), (0, &Value::from(2)), "{run:?}");
    assert!(world.outside("prompt-2").contains("two is missing"), "{}", world.outside("prompt-2"));
}
