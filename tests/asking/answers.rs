//! Answers and costs as real clients printed them, and outputs that are none.

use std::fs;
use std::path::Path;

use closeout::action::asking::{Answer, FoundAnswer, NoAnswer, read_answer};
use closeout::agent::AnswerPlace;
use closeout::model::AskCost;
use serde_json::json;

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cost(input: u64, output: u64, micro_dollars: Option<u64>) -> AskCost {
    AskCost { input_tokens: Some(input), cached_tokens: Some(0), output_tokens: Some(output), micro_dollars }
}

const STATEMENT: &str = "I fixed the parser and all 12 tests pass. The work is complete.";

fn state() -> serde_json::Value {
    json!({
        "state": "unfinished", "summary": "The report module is under way.",
        "pending": ["Write the report module", "Add tests"], "question": null,
    })
}

#[test]
fn each_client_is_understood() {
    let text = |text: &str| Ok(Answer::Text(text.to_owned()));
    let id = |id: &str| Some(id.to_owned());
    for (place, name, found) in [
        (
            AnswerPlace::ResultObject,
            "claude/headless/statement.json",
            FoundAnswer {
                answer: text(STATEMENT),
                cost: cost(100, 20, Some(800)),
                session_id: id("e65ab326-4661-42e5-a0c0-2b750a0be384"),
            },
        ),
        (
            AnswerPlace::ResultObject,
            "claude/headless/probe-json-schema.json",
            FoundAnswer {
                answer: Ok(Answer::Structured(state())),
                cost: cost(100, 20, Some(4800)),
                session_id: id("4267a549-eb78-45e7-8e47-53167f111acd"),
            },
        ),
        (
            AnswerPlace::LastAgentMessage,
            "codex/exec-json/probe-ephemeral-schema.jsonl",
            FoundAnswer {
                answer: Ok(Answer::Text(
                    r#"{"state":"unfinished","summary":"The report module is under way.","pending":["Write the report module","Add tests"],"question":null}"#.to_owned(),
                )),
                cost: cost(600, 120, None),
                session_id: id("01a1ffc5-a4d7-7dc1-9890-5bab1b017cfc"),
            },
        ),
        (
            AnswerPlace::TextEvents,
            "opencode/run-json/probe-fork.jsonl",
            FoundAnswer {
                answer: Ok(Answer::Text(
                    r#"{"state":"unfinished","summary":"The report module is under way.","pending":["Write the report module","Add tests"],"question":null}"#.to_owned(),
                )),
                cost: cost(100, 20, Some(0)),
                session_id: id("ses_e002ffff0ffegO335RRVg2NkcO"),
            },
        ),
        (
            AnswerPlace::ResponseField,
            "gemini/headless/statement.json",
            FoundAnswer {
                answer: text(STATEMENT),
                cost: cost(200, 40, None),
                session_id: id("47352845-8a8c-49cd-86a4-29088423769e"),
            },
        ),
    ] {
        assert_eq!(read_answer(place, &fixture(name)), found, "{name}");
    }
}

#[test]
fn an_error_of_a_client_is_a_reason_and_no_answer() {
    for (place, name, words) in [
        (AnswerPlace::ResultObject, "claude/headless/error-401.json", "Invalid API key"),
        (AnswerPlace::ResultObject, "claude/headless/error-400.json", "Prompt is too long"),
        (AnswerPlace::LastAgentMessage, "codex/exec-json/error-429.jsonl", "429 Too Many Requests"),
        (AnswerPlace::LastAgentMessage, "codex/exec-json/error-cut.jsonl", "stream disconnected"),
        (AnswerPlace::TextEvents, "opencode/run-json/error-400.jsonl", "bad request"),
    ] {
        let answer = read_answer(place, &fixture(name)).answer;
        let Err(NoAnswer::ClientError(reason)) = &answer else { panic!("{name}: {answer:?}") };
        assert!(reason.contains(words), "{name}: {reason}");
    }
}

#[test]
fn words_on_the_way_to_a_tool_are_no_answer() {
    let found = read_answer(AnswerPlace::TextEvents, &fixture("opencode/run-json/edit-dirty.jsonl"));
    let Ok(Answer::Text(text)) = found.answer else { panic!("{found:?}") };
    assert!(!text.is_empty() && !text.contains("I will"), "{text}");
}

#[test]
fn any_other_output_is_no_answer_and_no_panic() {
    let places = [
        AnswerPlace::ResultObject,
        AnswerPlace::LastAgentMessage,
        AnswerPlace::TextEvents,
        AnswerPlace::ResponseField,
    ];
    let outputs: [&[u8]; 8] = [
        b"", b"\xff\xfe\x00", b"{", b"[1]", b"null", b"{\"type\":\"result\"}", b"{\"type\":7}\n{}",
        b"warning: x",
    ];
    for place in places {
        for output in outputs {
            let found = read_answer(place, output);
            assert!(found.answer.is_err(), "{place:?} {output:?}: {found:?}");
        }
    }
    assert!(read_answer(AnswerPlace::Stdout, b" \n").answer.is_err());
    assert_eq!(read_answer(AnswerPlace::Stdout, b"yes").answer, Ok(Answer::Text("yes".to_owned())));
}

#[test]
fn a_warning_before_the_object_does_not_hide_it() {
    let mut output = b"(node:1) Warning: something\n".to_vec();
    output.extend(fixture("claude/headless/statement.json"));
    let found = read_answer(AnswerPlace::ResultObject, &output);
    assert_eq!(found.answer, Ok(Answer::Text(STATEMENT.to_owned())));
}
