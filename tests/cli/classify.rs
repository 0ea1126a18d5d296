//! `classify`: one text, or lines of a corpus.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::test_env::{TestEnv, spawn};

const QUESTION: &str = "Which database should I use, PostgreSQL or SQLite?\n";

#[test]
fn a_file_and_standard_input_say_the_same() {
    let env = TestEnv::new();
    std::fs::write(env.at("words.md"), QUESTION).unwrap();
    let by_file = env.run(env.at("."), &["classify", "words.md"]);
    assert_eq!((by_file.code, by_file.err.as_str()), (0, ""));
    assert!(by_file.out.starts_with("AWAITING_RESPONSE (blocking)\n"), "{by_file:?}");
    assert!(
        by_file.out.contains("  asks     Which database should I use, PostgreSQL or SQLite?\n"),
        "{by_file:?}"
    );
    assert!(by_file.out.contains("  signal   direct_question 0.6: "), "{by_file:?}");
    for arguments in [["classify"].as_slice(), &["classify", "-"]] {
        assert_eq!(env.run_with_input(arguments, QUESTION.as_bytes()).out, by_file.out);
    }
}

#[test]
fn colours_around_a_question_do_not_hide_it() {
    let env = TestEnv::new();
    let coloured = format!("\u{1b}[1m{}\u{1b}[0m\n", QUESTION.trim_end());
    let run = env.run_with_input(&["classify"], coloured.as_bytes());
    assert!(run.out.starts_with("AWAITING_RESPONSE (blocking)\n"), "{run:?}");
}

#[test]
fn json_has_label_signals_and_question() {
    let env = TestEnv::new();
    let run = env.run_with_input(&["classify", "--json"], QUESTION.as_bytes());
    let judged = run.json();
    assert_eq!(judged["label"], "AWAITING_RESPONSE", "{judged:#}");
    assert_eq!(judged["ask"], "blocking");
    assert_eq!(judged["signals"][0]["signal"], "direct_question");
    assert!(judged["question"]["text"].as_str().unwrap().contains("PostgreSQL or SQLite?"));
}

#[test]
fn the_task_kind_counts() {
    let env = TestEnv::new();
    let said = "The parser is linear.\n".as_bytes();
    let label = |kind: &str| {
        let run = env.run_with_input(&["classify", "--json", "--task-kind", kind], said);
        run.json()["label"].as_str().unwrap().to_owned()
    };
    assert_eq!(label("REPORT"), "COMPLETE");
    assert_eq!(label("READ_INFO"), "COMPLETE");
    assert_eq!(env.run_with_input(&["classify", "--task-kind", "POEM"], said).code, 2);
}

fn line(id: &Value, text: &str) -> String {
    json!({"id": id, "task_kind": "READ_INFO", "text": text}).to_string() + "\n"
}

#[test]
fn each_line_of_a_corpus_gets_a_line_with_its_id() {
    let env = TestEnv::new();
    let input = line(&json!("a"), QUESTION) + "\n" + &line(&json!(2), "The parser is linear.");
    let run = env.run_with_input(&["classify", "--jsonl"], input.as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let labels: Vec<(&Value, &Value)> = lines.iter().map(|line| (&line["id"], &line["label"])).collect();
    assert_eq!(labels, [(&json!("a"), &json!("AWAITING_RESPONSE")), (&json!(2), &json!("COMPLETE"))]);
}

#[test]
fn a_line_that_is_none_is_named() {
    let env = TestEnv::new();
    for (bad, why) in [
        ("{\"id\":\"b\"\u{1b}", "control"),
        (r#"{"id":"b","task_kind":"POEM","text":"x"}"#, "POEM"),
        (r#"{"id":"b","task_kind":"REPORT"}"#, "missing field `text`"),
    ] {
        let input = line(&json!("a"), QUESTION) + "\n" + bad + "\n";
        let run = env.run_with_input(&["classify", "--jsonl"], input.as_bytes());
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.starts_with("closeout: line 3 is no "), "{why}: {run:?}");
        assert!(!run.err.contains('\u{1b}'), "{run:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let env = TestEnv::new();
    for name in ["nowhere.md", "home"] {
        let run = env.run(env.at("."), &["classify", name]);
        assert_eq!(run.code, 6, "{run:?}");
        assert!(run.err.starts_with("closeout: cannot "), "{run:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let env = TestEnv::new();
    let mut child = spawn(env.command(&env.at("."), &["classify", "--jsonl"]).stdin(Stdio::piped()));
    drop(child.stdout.take());
    let input = line(&json!("a"), QUESTION).repeat(200);
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn hostile_words_are_shown_as_text() {
    let env = TestEnv::new();
    let evil = "\u{1b}]0;PWNED\u{7}\u{9b}5m\u{202e}";
    let said =
        format!("{evil}Which one, {evil}A or B?{evil}\n\n1. A{evil}\n2. B{evil}\n\nWhich one?{evil}\n");
    let run = env.run_with_input(&["classify"], said.as_bytes());
    assert_eq!(run.code, 0);
    for sign in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'] {
        assert!(!run.out.contains(sign), "{run:?}");
    }
    let run = env.run_with_input(&["classify"], b"\xff\xfe\x00");
    assert_eq!(run.code, 0, "{run:?}");
}
