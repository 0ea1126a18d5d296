//! From a person's keys to the agent: the real screen, a scripted agent in a pane, and its record.

use super::fixture::{BEGIN, END, ReplyFixture, wait};
use crate::support::pty::{Shown, Terminal};
use crate::support::test_env::TestEnv;

/// The screen, in a pane beside that of the agent.
fn screen(fixture: &ReplyFixture) -> (TestEnv, Terminal) {
    let server = &fixture.server;
    let other = server.run(&["display-message", "-p", "-t", "other", "#{pane_id}"]);
    let inside = server.run(&["display-message", "-p", "-t", &other, "#{socket_path},#{pid},0"]);
    let env = TestEnv::beside(&fixture.repo)
        .with_variable("CLAUDE_CONFIG_DIR", fixture.repo.home().join(".claude"))
        .with_variable("TMUX", inside)
        .with_variable("TMUX_PANE", &other);
    let terminal = Terminal::start(&env, fixture.repo.path(), &[], (120, 40));
    (env, terminal)
}

#[test]
fn a_reply_that_is_typed_on_the_screen_reaches_the_agent_and_is_seen_in_its_record() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let (_env, mut terminal) = screen(&fixture);
    terminal.wait_for("the question", |shown| shown.has("Which of the two"));
    terminal.press("i");
    terminal.wait_for("the box", |shown| shown.has("pasted into tmux pane"));
    terminal.press("Drop it, 頼む");
    terminal.wait_for("what is typed", |shown| shown.has("Drop it, 頼む"));
    assert_eq!(fixture.bytes(), "", "nothing is sent before Enter");
    terminal.wait_for("that Enter counts", |shown| shown.has("Enter send"));
    terminal.press("\r");
    let sent = format!("{BEGIN}Drop it, 頼む{END}\r");
    assert_eq!(fixture.wait_for_bytes(sent.len()), sent);
    fixture.say("Drop it, 頼む", "");
    terminal.wait_for("that the agent has it", |shown| {
        shown.has("it stands in its record") || shown.has("read by the agent")
    });
    assert_eq!(fixture.bytes(), sent, "once, and nothing else");
}

#[test]
fn marked_points_reach_the_agent_as_one_reply_and_turn_to_done() {
    let Some(fixture) = ReplyFixture::without_agent() else { return };
    fixture.say("begin", "I stopped here.");
    let decide = |text: &str| fixture.repo.write(".closeout/decision.json", text);
    decide(r#"{"decision":"incomplete","reasons":["2 tests fail","no changelog entry","docs are missing"]}"#);
    fixture.start();
    let (_env, mut terminal) = screen(&fixture);
    let is = |shown: &Shown, point: &str, state: &str| {
        shown.rows.iter().any(|row| row.contains(point) && row.trim_end().ends_with(state))
    };
    terminal.wait_for("a verdict", |shown| shown.has("INCOMPLETE"));
    terminal.press("2");
    terminal.wait_for("the points", |shown| shown.has("[ ] ○ 2 tests fail") && shown.has("docs are missing"));
    // The first and the third.
    terminal.press(" j ");
    terminal.wait_for("two marks", |shown| shown.rows.iter().filter(|row| row.contains("[x]")).count() == 2);
    terminal.press("b");
    terminal.wait_for("the box", |shown| shown.has("pasted into tmux pane") && shown.has("Enter send"));
    assert_eq!(fixture.bytes(), "", "nothing is sent before Enter");
    terminal.press("\r");
    let sent =
        wait("the reply", || Some(fixture.bytes()).filter(|bytes| bytes.ends_with(&format!("{END}\r"))));
    assert!(sent.contains("- 2 tests fail") && sent.contains("- docs are missing"), "{sent}");
    assert!(sent.starts_with(BEGIN) && !sent.contains("changelog"), "{sent}");
    let text = sent.trim_start_matches(BEGIN).split(END).next().unwrap_or_default().replace('\r', "\n");
    fixture.say(&text, "On it.");
    terminal.wait_for("what was sent", |shown| {
        is(shown, "2 tests fail", "sent just now") && is(shown, "docs are missing", "sent just now")
    });
    assert!(!is(&terminal.shown(), "no changelog entry", "sent just now"));
    decide(r#"{"decision":"incomplete","reasons":["no changelog entry"]}"#);
    terminal.wait_for("what is done", |shown| {
        is(shown, "2 tests fail", "done") && is(shown, "docs are missing", "done")
    });
    assert_eq!(fixture.bytes(), sent, "once, and nothing else");
}
