//! The screen is right at every size, also when the size changes while it runs.

use regex::Regex;

use super::{LARGE, SMALL, on_demo};
use crate::support::pty::{Shown, Terminal};
use crate::support::test_env::TestEnv;

const TINY: (u16, u16) = (44, 14);

/// The rows with every age taken out, and whether the evidence is being read again: both go on
/// between two looks.
fn ageless(shown: &Shown) -> Vec<String> {
    let age = Regex::new(
        r" *(?-u:\b)(looking again|read just now|now|just now|(read |for )?[0-9]+[smhd]( ago)?)(?-u:\b) *",
    )
    .unwrap();
    shown.rows.iter().map(|row| age.replace_all(row, " ").trim_end().to_owned()).collect()
}

/// What a program that is started at this size shows.
fn fresh(env: &TestEnv, size: (u16, u16)) -> Vec<String> {
    let terminal = on_demo(env, size);
    let counts = ["2 need you", "1 at risk", "1 left to do", "1 not seen", "1 at work"];
    let shown =
        terminal.wait_for("all sections", |shown| counts.iter().all(|count| shown.rows[0].contains(count)));
    ageless(&shown)
}

#[test]
fn after_each_resize_the_screen_is_as_if_started_at_that_size() {
    let env = TestEnv::with_demo();
    // No two rows that are equally urgent, which would stand in the order of their verdicts.
    let settings =
        format!("[[workspace]]\npath = \"{}\"\nbaseline.rev = \"nothing\"\n", env.shop().display());
    env.configure(&settings);
    let expected = [SMALL, LARGE, SMALL].map(|size| fresh(&env, size));
    let terminal = on_demo(&env, SMALL);
    terminal.wait_for("the small screen", |shown| ageless(shown) == expected[0]);
    terminal.resize(LARGE.0, LARGE.1);
    terminal.wait_for("the large screen", |shown| ageless(shown) == expected[1]);
    terminal.resize(TINY.0, TINY.1);
    terminal.wait_for("the tiny screen", is_right_tiny);
    terminal.resize(SMALL.0, SMALL.1);
    terminal.wait_for("the small screen again", |shown| ageless(shown) == expected[2]);
}

#[test]
fn a_tiny_screen_still_shows_the_most_urgent_and_the_keys() {
    let env = TestEnv::with_demo();
    let terminal = Terminal::start(&env, &env.shop(), &[], TINY);
    terminal.wait_for("the tiny screen", is_right_tiny);
}

fn is_right_tiny(shown: &Shown) -> bool {
    shown.rows.len() == usize::from(TINY.1)
        && shown.rows[0].contains("closeout")
        && shown.list().len() > 1
        && shown.selected() == Some(shown.list()[0].1)
        && shown.rows.last().is_some_and(|row| row.contains("q quit"))
}
