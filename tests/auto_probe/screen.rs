//! The built program in a terminal: what a person sees of a question that closeout asks by itself.

use std::fs;

use super::beside::{COMPLETE, SLEEPS, agent};
use crate::asking::says;
use crate::support::pty::Terminal;

const SMALL: (u16, u16) = (80, 24);

#[test]
fn it_is_seen_while_it_runs_opens_nothing_and_its_answer_stands_there() {
    let script = format!("while [ ! -e \"$TRACE/go\" ]; do sleep 0.05; done\n{}", says(COMPLETE));
    let asked = agent(&script, "");
    let mut terminal = Terminal::start(&asked.env, asked.repo.path(), &[], SMALL);
    let shown = terminal
        .wait_for("it asks", |shown| shown.has("auto ask: asking mine") && shown.has("asked, no answer yet"));
    assert!(shown.rows[0].ends_with(" · auto ask"), "{}", shown.rows[0]);
    assert!(shown.has("Under way  auto ask, ") && shown.has("x ends it"), "{}", shown.rows.join("\n"));
    fs::write(asked.trace("go"), "").unwrap();
    terminal.wait_for("its answer", |shown| shown.has("COMPLETE [said]"));
    terminal.press("3");
    let shown = terminal.wait_for("its probes", |shown| shown.has(" Ask "));
    // The list stands where it stood, and its keys work.
    assert!(!shown.has("Under way") && !shown.has("Enter Esc close"), "{}", shown.rows.join("\n"));
    terminal.press("x");
    terminal.wait_for("nothing to end", |shown| shown.has("closeout runs nothing here"));
}

#[test]
fn x_ends_it_on_the_screen() {
    let asked = agent(SLEEPS, "");
    let mut terminal = Terminal::start(&asked.env, asked.repo.path(), &[], SMALL);
    terminal.wait_for("it asks", |shown| shown.has("auto ask: asking mine") && asked.n_started("probe") > 0);
    terminal.press("x");
    terminal.wait_for("its end", |shown| !shown.has("auto ask: ") && !shown.has("Under way"));
    let log = asked.env.run(asked.repo.path(), &["log"]);
    assert!(log.out.contains("(automatic)") && log.out.contains("→ cancelled: "), "{log:?}");
}
