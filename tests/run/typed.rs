//! A run on the person's own terminal: lines for a person, and an answer that is typed there.

use super::World;
use crate::support::pty::Terminal;

#[test]
fn its_question_is_answered_where_it_runs() {
    let world = World::new();
    let script = world.script(
        "cat > $W/prompt
         if [ $CLOSEOUT_ITERATION = 1 ]; then commit one; say incomplete 'the cache is never emptied'
         elif grep -q 'The answer: blue' $W/prompt; then commit two; say complete ''
         else echo 'Which colour do you want, red or blue?'; fi",
    );
    let arguments = ["run", "--prompt", "Paint it.", "--", "sh", script.to_str().unwrap()];
    let mut terminal = Terminal::start(&world.env, world.repo.path(), &arguments, (100, 40));
    let shown = terminal.wait_for("the question", |shown| shown.has("Type the answer and press Enter"));
    for words in [
        "1/10  the command runs",
        "INCOMPLETE: the decision says it is not done",
        "- decision .closeout/decision.json: the cache is never emptied",
        "> Which colour do you want, red or blue?",
    ] {
        assert!(shown.has(words), "{words}: {}", shown.rows.join("\n"));
    }
    terminal.press("blue\r");
    assert_eq!(terminal.wait_for_end(), 0, "{}", terminal.shown().rows.join("\n"));
    let shown = terminal.shown();
    assert!(
        shown.has("answered (here)") && shown.has("COMPLETE after 2 iterations"),
        "{}",
        shown.rows.join("\n")
    );
}
