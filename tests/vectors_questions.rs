//! The vectors of the questions judge: status, signals and weight, compared whole.

use closeout::judge::questions::{self, Context, Label, Status};
use closeout::model::{Certainty, TaskKind};
use serde_json::{Map, Value, json};

use crate::support::vectors;

// J06
#[test]
fn questions_vectors_hold() {
    let inputs = ["task_kind", "output", "execution_failed"];
    vectors::run("questions.json", &inputs, judge, hits_are_among);
}

fn judge(input: &Map<String, Value>) -> Map<String, Value> {
    let kind = input.get("task_kind").and_then(Value::as_str).unwrap();
    let kind = TaskKind::from_name(kind).unwrap();
    let output = input.get("output").and_then(Value::as_str);
    let failed = input.get("execution_failed").and_then(Value::as_bool).unwrap_or_default();
    let status = questions::status(kind, output, failed);
    let hits = questions::signals(output.unwrap_or_default());
    let tenths = questions::tenths(&hits);
    let named: Vec<_> = hits.iter().map(|hit| json!(hit.signal)).collect();
    if status == Status::AwaitingResponse {
        assert!(tenths >= questions::PENDING_TENTHS);
    }
    let mut results = Map::new();
    results.insert("status".to_owned(), json!(status));
    results.insert("hits".to_owned(), Value::Array(named));
    results.insert("weight".to_owned(), json!(f64::from(tenths) / 10.0));
    results
}

/// `hits` names signals that must be there; an empty list means that none may be.
fn hits_are_among(key: &str, expected: &Value, actual: &Map<String, Value>) -> Option<bool> {
    if key != "hits" {
        return None;
    }
    let (expected, actual) = (expected.as_array()?, actual.get("hits")?.as_array()?);
    Some(if expected.is_empty() {
        actual.is_empty()
    } else {
        expected.iter().all(|hit| actual.contains(hit))
    })
}

/// Whether a question after finished work waits for its answer or only proposes more.
#[test]
fn offers_are_told_from_decisions() {
    let text = include_str!("vectors/offers.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let mut wrong = Vec::new();
    for case in vectors["cases"].as_array().unwrap() {
        let judged = questions::classify(case["output"].as_str().unwrap(), &Context::default());
        if json!(judged.ask) != case["ask"] {
            wrong.push(format!("{}: {:?}", case["name"], judged.ask));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tests that fail and were put aside are work that is not done; tests that fail no more are.
#[test]
fn failing_tests_that_were_put_aside_are_an_admission() {
    for (text, is_open) in [
        ("I committed the page. I skipped the three failing tests for now so the suite is green.", true),
        ("The login page is committed. Two failing specs are disabled.", true),
        ("ログイン画面をコミットしました。失敗するテスト3件はスキップしました。", true),
        ("登录页面已提交。我跳过了三个失败的测试。", true),
        ("로그인 페이지를 커밋했습니다. 실패하는 테스트는 건너뛰었습니다.", true),
        ("Die Seite ist committet. Die fehlschlagenden Tests habe ich vorerst deaktiviert.", true),
        ("La page est en place. J'ai désactivé les tests en échec.", true),
        ("La página está lista. He desactivado las pruebas que fallan.", true),
        ("Fixed the parser so that the failing tests pass again; 3 tests are skipped as before.", false),
        ("I fixed the two failing tests and committed the change.", false),
    ] {
        let judged = questions::classify(text, &Context::default());
        assert_eq!(judged.label == Label::Incomplete, is_open, "{text}: {judged:?}");
    }
}

/// What still fails, is not done or was not verified is a sure NO in every language, whatever the same words say is
/// done, and what only sounds like it is none.
#[test]
fn admissions_are_told_from_reports() {
    let text = include_str!("vectors/admissions.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let (mut missed, mut asked, mut nagged) = (Vec::new(), Vec::new(), Vec::new());
    for case in vectors["cases"].as_array().unwrap() {
        let judged = questions::of_work(case["text"].as_str().unwrap(), &Context::default());
        let is_no = judged.label == Label::Incomplete && judged.certainty == Certainty::High;
        let wrong = match (case["is_open"] == true, judged.label) {
            (true, Label::AwaitingResponse) => &mut asked,
            (true, _) if !is_no => &mut missed,
            (false, _) if is_no => &mut nagged,
            _ => continue,
        };
        wrong.push(case["name"].as_str().unwrap());
    }
    assert_eq!(missed, ["second es admits 7"]);
    assert!(asked.len() <= 5, "{asked:?}");
    assert_eq!(nagged, ["second en not 3", "second ko not 9"]);
}

/// An offer to mend what was admitted does not make finished work of it.
#[test]
fn an_offer_beside_an_admission_is_a_question_that_waits() {
    for text in [
        "I committed the login page, but two tests still fail. Would you like me to fix them?",
        "登录页面已提交，但还有两个测试失败。需要我继续修复吗？",
    ] {
        let judged = questions::of_work(text, &Context::default());
        assert_eq!(judged.ask, Some(questions::Ask::Blocking), "{text}");
    }
}
