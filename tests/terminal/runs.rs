//! Supervised runs on open screens: each shows how far a run is, and answers its question.

use std::fs;

use super::{LARGE, SMALL};
use crate::support::pty::Terminal;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, finish, spawn};

/// It leaves a point open, is asked again, and asks a question; `$W` is a folder outside of the workspace.
const ASKING: &str = r#"set -u
commit() { echo "$1" >> work.txt; git add work.txt; git -c user.name=a -c user.email=a@b commit -qm "$1"; }
say() { mkdir -p .closeout; printf '{"decision":"%s","check_id":"%s","reasons":["%s"]}' "$1" "$AGENTCORE_COMPLETION_CHECK_ID" "$2" > .closeout/decision.json; }
cat > $W/prompt
until_there() { while [ ! -e "$W/$1" ]; do sleep 0.05; done; }
if [ $CLOSEOUT_ITERATION = 1 ]; then commit one; say incomplete 'the cache is never emptied'
elif grep -q 'The answer: blue' $W/prompt; then commit two; say complete ''
else until_there go; echo 'Which colour do you want, red or blue?'; fi
"#;

#[test]
fn a_run_that_asks_is_answered_from_another_terminals_screen() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let outside = env.at("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(env.at("agent.sh"), format!("W='{}'\n{ASKING}", outside.display())).unwrap();
    let screens = [SMALL, LARGE].map(|size| Terminal::start(&env, repo.path(), &[], size));
    for screen in &screens {
        screen.wait_for("the list", |shown| shown.has("Workspace") || !shown.list().is_empty());
    }
    let script = env.at("agent.sh");
    let arguments =
        ["run", "--prompt", "Paint it.", "--deadline", "60s", "--", "sh", script.to_str().unwrap()];
    let child = spawn(&mut env.command(repo.path(), &arguments));
    for screen in &screens {
        let words = "run 2/10: the command runs, 1 open point";
        let shown = screen.wait_for("the second iteration", |shown| shown.has(words));
        assert_eq!(shown.list()[0].0, "WORKING", "{shown:?}");
    }
    let json = env.run(repo.path(), &["check", "--json"]).workspace();
    assert_eq!((&json["state"], &json["run"]["iteration"]), (&"WORKING".into(), &2.into()), "{json}");
    assert!(json["run"]["open_points"].to_string().contains("the cache is never emptied"), "{json}");
    fs::write(outside.join("go"), "").unwrap();
    let [mut small, large] = screens;
    for screen in [&small, &large] {
        let shown = screen.wait_for("the question", |shown| shown.has("run 2/10: asks: Which colour"));
        assert_eq!(shown.list()[0].0, "ASKS", "{shown:?}");
    }
    small.press("i");
    small.wait_for("the box", |shown| shown.has("── Reply") && shown.has("handed to the supervised run"));
    small.press("blue");
    small.wait_for("that Enter counts", |shown| shown.has("blue") && shown.has("Enter send"));
    small.press("\r");
    let run = finish(child);
    assert!(run.code == 0 && run.out.contains("\"status\":\"complete\""), "{run:?}");
    for screen in [&small, &large] {
        screen.wait_for("the end", |shown| shown.list().first().is_none_or(|row| row.0 == "COMPLETE"));
    }
}

#[test]
fn a_run_that_is_killed_leaves_the_screen() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let mut command = env.command(repo.path(), &["run", "--deadline", "60s", "--", "sh", "-c", "sleep 60"]);
    let mut child = spawn(&mut command);
    let screen = Terminal::start(&env, repo.path(), &[], SMALL);
    screen.wait_for("the run", |shown| shown.has("run 1/10: the command runs"));
    child.kill().unwrap();
    child.wait().unwrap();
    screen.wait_for("its end", |shown| !shown.has("run 1/10"));
}
