//! Notices, as a person's terminal gets them: once for each occasion, however many closeouts are open.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::live::tmux::Server;
use crate::support::pty::Terminal;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, spawn};

/// The panes of the one window: what is not shown, tmux passes nothing on of.
const PANES: [&str; 3] = ["watch:0.2", "watch:0.1", "watch:0.0"];

/// A closeout without a screen, which ends with the test however that ends.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How often a text stands in what the terminal was sent.
fn count(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

#[expect(clippy::disallowed_methods, reason = "a wait that never ends would say nothing")]
fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(40);
    while !is_there() {
        assert!(Instant::now() < until, "never came: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A script that opens the screen with the variables of `env`.
fn opening(repo: &Repo, env: &TestEnv) -> String {
    let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().unwrap().replace('\'', r"'\''"));
    let exports: Vec<String> = env
        .variables()
        .iter()
        .map(|(name, value)| format!("export {}={}", name.to_str().unwrap(), quoted(value)))
        .collect();
    let program = quoted(env!("CARGO_BIN_EXE_closeout").as_ref());
    let text = format!("{}\ncd {}\nexec {program}", exports.join("\n"), quoted(env.shop().as_os_str()));
    repo.script("open", &text).display().to_string()
}

// T04
#[test]
fn three_screens_in_tmux_and_one_without_tell_the_outer_terminal_once() {
    let env = TestEnv::with_demo();
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    env.configure("[notify]\nways = [\"osc9\"]\nquestion = true\n");
    let script = opening(&repo, &env);
    server.run(&["set", "-g", "allow-passthrough", "on"]);
    server.run(&["new-session", "-d", "-s", "watch", "-x", "100", "-y", "90", &script]);
    for _ in 0..2 {
        server.run(&["split-window", "-d", "-t", "watch:", &script]);
        server.run(&["select-layout", "-t", "watch:", "even-vertical"]);
    }
    let socket = server.socket.to_str().unwrap();
    let arguments = ["-u", "-f", "/dev/null", "-S", socket, "attach", "-t", "watch"];
    let outer = Terminal::start_program("tmux", &env, repo.path(), &arguments, (100, 91));
    for window in PANES {
        wait_for("all is judged", || {
            let shown = server.run(&["capture-pane", "-p", "-t", window]);
            shown.contains("ASKS") && shown.contains("WORKING") && !shown.contains("READING")
        });
    }
    let log = env.at("headless.log");
    let mut command = env.command(&env.shop(), &["watch", "--headless"]);
    command.stdout(fs::File::create(&log).unwrap()).stderr(Stdio::null());
    let headless = Watching(spawn(&mut command));
    env.agent_says("working", "Which colour do you want, \u{1b}]9;red\u{7} or blue?");
    let told = || {
        let lines = fs::read_to_string(&log).unwrap_or_default();
        (outer.bytes(), lines)
    };
    let times = |name: &str| {
        let (bytes, lines) = told();
        let words = format!("{name}: asks a question");
        (count(&bytes, &format!("\u{1b}]9;{words}")), lines.matches(&words).count())
    };
    let sum = |name: &str| times(name).0 + times(name).1;
    wait_for("the first notice", || sum("working") > 0);
    // Whoever is slower has had its time when another occasion was told after it.
    env.agent_says("finished", "Shall I delete the table, or keep it? Please choose.");
    wait_for("the second notice", || sum("finished") > 0);
    env.person_says("working", "Red.");
    env.agent_says("working", "And which size do you want, small or large?");
    wait_for("the third notice", || sum("working") > 1);
    assert_eq!((sum("working"), sum("finished")), (2, 1), "{:?}", told().1);
    drop(headless);
    // What an agent wrote is text in a notice, and nothing else.
    assert_eq!(count(&outer.bytes(), "\u{1b}]9;red"), 0);
    for window in &PANES[..2] {
        server.run(&["send-keys", "-t", window, "q"]);
    }
    // After a restart nothing is told again.
    server.run(&["split-window", "-d", "-t", "watch:", &script]);
    env.person_says("working", "Small.");
    env.agent_says("working", "Which of the two forms do you want, round or square?");
    wait_for("the notice after it", || sum("working") > 2);
    assert_eq!((sum("working"), sum("finished")), (3, 1));
}

#[test]
fn a_program_and_a_title_tell_what_is_wanted_and_nothing_in_the_quiet_hours() {
    let env = TestEnv::with_demo();
    let script = env.at("tell.sh");
    fs::write(&script, format!("#!/bin/sh\nprintf '%s|' \"$@\" >> '{}'\n", env.at("told").display()))
        .unwrap();
    let command = format!("[\"sh\", \"{}\", \"first\"]", script.display());
    env.configure(&format!(
        "[notify]\nways = [\"title\"]\nabout = [\"question\"]\ncommand = {command}\n\
         [[workspace]]\npath = \"{}\"\nnotify.quiet_hours = \"00:00-23:59\"\n",
        env.at("demo/finished").display()
    ));
    let terminal = Terminal::start(&env, &env.shop(), &[], (100, 30));
    terminal.wait_for("all is judged", |shown| shown.has("ASKS") && shown.has("WORKING"));
    wait_for("the title", || count(&terminal.bytes(), "\u{1b}]2;closeout: ") > 0);
    env.agent_says("finished", "Shall I delete the table, or keep it? Please choose.");
    env.agent_says("working", "Which colour do you want, red or blue?");
    let told = || fs::read_to_string(env.at("told")).unwrap_or_default();
    let path = env.at("demo/working");
    wait_for("the program", || {
        told().contains(&format!("first|asks a question|working|{}|", path.display()))
    });
    assert!(!told().contains("finished") && !told().contains("colour"), "{}", told());
    terminal.close();
}
