//! JSON is safe on a terminal, whatever the names and words in it: what a terminal obeys or does not show is escaped.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::json::fronts_with_json;
use crate::asking::{Asked, says};
use crate::support::test_env::Run;

/// Delete, C1 controls, signs that turn the direction, signs without a width, a tag, a line separator.
const EVIL: &str = "\u{7f}\u{80}\u{9b}31m\u{202e}\u{2066}\u{200b}\u{feff}\u{ad}\u{e0041}\u{2028}\u{1b}";

/// A workspace of which an agent could write every word, and one that answers with such words.
fn evil_workspace() -> Asked {
    let words = EVIL.replace('\u{1b}', "");
    let answer = json!({"status": "complete", "message": words}).to_string();
    let list = json!({"checklist": [{"id": "1", "description": words, "completed": false, "evidence": words}],
        "allComplete": false, "pendingActions": [words], "confidence": 0.9, "summary": words});
    let asked = Asked::new(&says(&answer), &says(&list.to_string()));
    let branch = format!("work{}", words.replace('\u{7f}', ""));
    asked.repo.git(["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
    asked.repo.commit("more");
    asked
        .repo
        .write(&format!("file{EVIL}.rs"), "fn a() {}\n")
        .write("tasks.md", format!("- [ ] write {words}\n"))
        .write(".mine/last.md", format!("Shall I use {words} or B?\n"))
        .write(
            ".closeout.toml",
            format!("[evidence]\ntest_results = [\"{}\"]\n", words.replace('\u{7f}', "")),
        )
        .write(".closeout/decision.json", json!({"decision": "incomplete", "reasons": [EVIL]}).to_string())
        .write(".gitattributes", "*.txt filter=upper\n");
    asked.repo.git(["config", "filter.upper.clean", &format!("tr a-z {words}")]);
    asked
}

/// The signs of a text that no terminal may get.
fn raw(text: &str) -> BTreeSet<char> {
    text.chars()
        .filter(|sign| *sign != '\n' && (sign.is_control() || EVIL.contains(*sign)))
        .filter(|sign| !sign.is_ascii_graphic())
        .collect()
}

#[test]
fn no_front_prints_raw_what_a_terminal_obeys_or_hides() {
    let asked = evil_workspace();
    let (env, here) = (&asked.env, asked.repo.path());
    let (mut run, mut told) = (BTreeSet::new(), BTreeSet::new());
    let mut look = |name: &str, ran: &Run| {
        assert_eq!(raw(&ran.out), BTreeSet::new(), "{name}: {ran:?}");
        for line in ran.out.lines() {
            let _: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {ran:?}"));
        }
        run.insert(name.to_owned());
        if ran.out.contains("\\u202e") {
            told.insert(name.to_owned());
        }
    };
    for words in [
        "check", "status", "ask", "verify", "reply", "trust", "rescue --dry-run", "rescue --yes", "rescues",
        "undo --yes", "redo --yes", "log", "log --all", "stats", "config", "doctor",
        "wait --until NO_TASK --timeout 1s",
    ] {
        let words: Vec<&str> = words.split(' ').chain(["--json"]).collect();
        look(words[0], &env.run(here, &words));
    }
    let listed = env.run(here, &["rescues", "--json"]).json();
    let record = listed["records"][0]["reference"].as_str().unwrap();
    look("restore", &env.run(here, &["restore", record, "given-back", "--json"]));
    // A question would be waited on.
    asked.repo.write(".mine/last.md", format!("I wrote {EVIL}.\n"));
    let supervised = ["run", "--json", "--max-iterations", "1", "--", "false"];
    look("run", &env.run(here, &supervised));
    look(
        "classify",
        &env.run_with_input(&["classify", "--json"], format!("Shall I use {EVIL} or B?\n").as_bytes()),
    );
    let line = json!({"id": EVIL, "task_kind": "REPORT", "text": format!("Which of {EVIL}?")}).to_string();
    look("classify", &env.run_with_input(&["classify", "--jsonl"], line.as_bytes()));

    let call = json!({"jsonrpc": "2.0", "id": EVIL, "method": "tools/call",
        "params": {"name": "check_my_work", "arguments": {}}});
    look("mcp", &env.run_with_input(&["mcp"], format!("{call}\n").as_bytes()));
    asked.configure_more("[gate]\nenabled = true\n");
    let stop = json!({"session_id": "s", "cwd": here, "hook_event_name": "Stop", "stop_hook_active": false,
        "last_assistant_message": "I wrote it."});
    look("hook", &env.run_with_input(&["hook", "stop", "--agent", "claude"], stop.to_string().as_bytes()));
    let missing: Vec<String> = fronts_with_json(env).difference(&run).cloned().collect();
    assert!(missing.is_empty(), "fronts with --json that were not run: {missing:?}");
    for name in ["check", "status", "rescue", "rescues", "restore", "undo", "trust", "log", "classify", "mcp"]
    {
        assert!(
            told.contains(name),
            "{name} was to tell of such a sign, which shows that others are escaped: {told:?}"
        );
    }
}
