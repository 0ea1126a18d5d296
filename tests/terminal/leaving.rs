//! However the program ends, the terminal is as it was.

use rustix::process::Signal;

use super::{SMALL, on_demo, wait_for_state};
use crate::support::pty::Terminal;
use crate::support::test_env::TestEnv;

#[test]
fn quitting_puts_the_terminal_back() {
    let env = TestEnv::with_demo();
    for key in ["q", "\x03"] {
        let mut terminal = on_demo(&env, SMALL);
        terminal.press(key);
        assert_eq!(terminal.wait_for_end(), 0, "{key:?}");
        terminal.assert_put_back();
    }
}

/// How often the mouse was asked for, and let go.
fn mouse_modes(terminal: &Terminal) -> [usize; 4] {
    let bytes = terminal.bytes().escape_ascii().to_string();
    ["?1000h", "?1006h", "?1000l", "?1006l"].map(|mode| bytes.matches(mode).count())
}

#[test]
fn the_mouse_is_asked_for_once_and_let_go_once_or_not_touched() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    assert_eq!(mouse_modes(&terminal), [1, 1, 0, 0]);
    terminal.press("q");
    terminal.wait_for_end();
    assert_eq!(mouse_modes(&terminal), [1, 1, 1, 1]);
    let file = env.at("own.toml");
    std::fs::write(&file, "ui.mouse = false\n").unwrap();
    let env = env.with_variable("CLOSEOUT_CONFIG", &file);
    let mut terminal = on_demo(&env, SMALL);
    terminal.press("q");
    terminal.wait_for_end();
    assert_eq!(mouse_modes(&terminal), [0, 0, 0, 0]);
    terminal.assert_put_back();
}

#[test]
fn signals_put_the_terminal_back_and_show_in_the_exit_code() {
    let env = TestEnv::with_demo();
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let terminal = on_demo(&env, SMALL);
        terminal.signal(signal);
        assert_eq!(terminal.wait_for_end(), code, "{signal:?}");
        terminal.assert_put_back();
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_program() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    assert_eq!(terminal.close(), 129);
}

#[test]
fn what_fails_before_the_screen_is_told_and_the_terminal_is_not_touched() {
    let env = TestEnv::with_demo().with_variable("CLOSEOUT_CONFIG", "/nowhere/config.toml");
    let terminal = Terminal::start(&env, &env.shop(), &[], SMALL);
    assert_eq!(terminal.wait_for_end(), 5);
    assert!(terminal.shown().has("/nowhere/config.toml"), "{:?}", terminal.shown());
    assert!(!terminal.bytes().contains(&0x1b), "{}", terminal.bytes().escape_ascii());
    terminal.assert_put_back();
}

#[test]
fn outside_every_repository_the_screen_says_so() {
    let env = TestEnv::new();
    let nowhere = env.at("nowhere");
    std::fs::create_dir(&nowhere).unwrap();
    let mut terminal = Terminal::start(&env, &nowhere, &[], SMALL);
    terminal.wait_for("the reason", |shown| shown.has("is in no git repository"));
    terminal.press("q");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}

/// K06: a defect in a view while a rescue runs. A release cannot be asked for it.
#[cfg(debug_assertions)]
#[test]
fn a_panic_in_a_view_puts_the_terminal_back_tells_it_and_a_running_rescue_ends() {
    let env = TestEnv::with_demo();
    let repo = env.demo("uncommitted");
    let before = (repo.git(["rev-parse", "HEAD"]), repo.git(["status", "--porcelain=v2"]));
    // A rescue program of the person's own, which goes on when it is told to.
    let (began, go_on) = (env.at("began"), env.at("go-on"));
    repo.fifo(&began);
    repo.fifo(&go_on);
    let (began_at, go_on_at) = (began.display(), go_on.display());
    let git = "git -c user.name=Ada -c user.email=ada@example.org";
    let program = repo.script(
        "own-rescue",
        &format!(
            "echo > {began_at}\ncat {go_on_at} > /dev/null\n{git} add -A && exec {git} commit -q -F -\n"
        ),
    );
    let file = env.at("own.toml");
    std::fs::write(&file, format!("[rescue]\ncommand = [\"{}\"]\n", program.display())).unwrap();
    let panic = env.at("panic");
    let env = env.with_variable("CLOSEOUT_CONFIG", &file).with_variable("CLOSEOUT_TEST_PANIC", &panic);
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
        repo.git(["config", key, value]);
    }
    let mut terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "uncommitted", "RESCUE");
    terminal.press("/uncommitted\r");
    terminal.wait_for("uncommitted selected", |shown| shown.selected() == Some("uncommitted"));
    terminal.press("c");
    terminal.wait_for("the preview", |shown| shown.rows.last().is_some_and(|row| row.contains("y commit")));
    terminal.press("oy");
    assert_eq!(std::fs::read_to_string(&began).unwrap(), "\n");

    std::fs::write(&panic, "").unwrap();
    terminal.press("j");
    let shown = terminal.wait_for("what happened", |shown| shown.has("a planted panic"));
    assert!(!shown.is_alternate && !shown.is_cursor_hidden, "{}", shown.rows.join("\n"));
    terminal.assert_put_back();
    std::fs::write(&go_on, "\n").unwrap();
    assert_eq!(terminal.wait_for_end(), 101);
    terminal.assert_put_back();

    std::fs::remove_file(&panic).unwrap();
    assert_ne!(repo.git(["rev-parse", "HEAD"]), before.0, "it was committed");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    let log = env.run(repo.path(), &["log", "--json"]);
    let last: serde_json::Value = serde_json::from_str(log.out.lines().last().unwrap()).unwrap();
    assert_eq!((last["kind"].as_str(), last["end"]["class"].as_str()), (Some("rescue"), Some("done")));
    // Nothing is half done: it can be taken back exactly.
    assert_eq!(env.run(repo.path(), &["undo", "--yes"]).code, 0);
    assert_eq!((repo.git(["rev-parse", "HEAD"]), repo.git(["status", "--porcelain=v2"])), before);
}
