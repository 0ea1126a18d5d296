//! From a person's keys to the agent: the real screen, a scripted agent in a pane, and its record.

use super::fixture::{BEGIN, END, ReplyFixture};
use crate::support::pty::Terminal;
use crate::support::test_env::TestEnv;

#[test]
fn a_reply_that_is_typed_on_the_screen_reaches_the_agent_and_is_seen_in_its_record() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let server = &fixture.server;
    let other = server.run(&["display-message", "-p", "-t", "other", "#{pane_id}"]);
    let inside = server.run(&["display-message", "-p", "-t", &other, "#{socket_path},#{pid},0"]);
    let env = TestEnv::beside(&fixture.repo)
        .with_variable("CLAUDE_CONFIG_DIR", fixture.repo.home().join(".claude"))
        .with_variable("TMUX", inside)
        .with_variable("TMUX_PANE", &other);
    let mut terminal = Terminal::start(&env, fixture.repo.path(), &[], (120, 40));
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
