//! Cases of the closer judge beyond the vectors.

use serde_json::json;

use super::*;

fn report() -> Value {
    json!({
        "checklist": [{"id": "a", "description": "b", "completed": true, "evidence": "c"}],
        "allComplete": true, "summary": "s", "confidence": 0.9, "pendingActions": []
    })
}

fn with(pointer: &str, value: &Value) -> CloserReport {
    let mut report = report();
    *report.pointer_mut(pointer).expect("a field of the report") = value.clone();
    read(CloserAnswer::Structured(&report))
}

fn raw(text: &str) -> CloserReport {
    read(CloserAnswer::Raw(text))
}

#[test]
fn types_are_strict_everywhere() {
    for (pointer, values) in [
        ("/checklist", vec![json!({}), json!("x"), json!(null), json!(["x"]), json!([null]), json!([[]])]),
        ("/allComplete", vec![json!("true"), json!(1), json!(null), json!([true])]),
        ("/summary", vec![json!(1), json!(null), json!(["s"])]),
        ("/confidence", vec![json!("0.9"), json!(true), json!(null), json!([0.9])]),
        ("/pendingActions", vec![json!("none"), json!({}), json!([1]), json!([null]), json!(false)]),
        ("/checklist/0/id", vec![json!(1), json!(null)]),
        ("/checklist/0/description", vec![json!(1), json!(null)]),
        ("/checklist/0/completed", vec![json!("true"), json!(1), json!(null)]),
        ("/checklist/0/evidence", vec![json!(1), json!(["c"]), json!(false)]),
    ] {
        for value in values {
            let report = with(pointer, &value);
            assert_eq!(
                (report.complete, report.error),
                (false, Some(CloserError::WrongType)),
                "{pointer} {value}"
            );
        }
    }
    for pointer in ["/pendingActions", "/checklist/0/evidence"] {
        assert!(with(pointer, &json!(null)).complete, "{pointer}");
    }
}

#[test]
fn each_required_field_is_missed() {
    for key in ["checklist", "allComplete", "summary", "confidence"] {
        let mut report = report();
        report.as_object_mut().expect("an object").remove(key);
        assert_eq!(read(CloserAnswer::Structured(&report)).error, Some(CloserError::MissingField), "{key}");
    }
    for key in ["id", "description", "completed"] {
        let mut report = report();
        report["checklist"][0].as_object_mut().expect("an object").remove(key);
        assert_eq!(read(CloserAnswer::Structured(&report)).error, Some(CloserError::MissingField), "{key}");
    }
}

#[test]
fn the_edges_of_confidence() {
    for (confidence, complete, error) in [
        (json!(0.8), true, None),
        (json!(1.0), true, None),
        (json!(0.799_999), false, None),
        (json!(-0.0), false, None),
        (json!(1.000_001), false, Some(CloserError::OutOfRange)),
        (json!(-1), false, Some(CloserError::OutOfRange)),
        (json!(u64::MAX), false, Some(CloserError::OutOfRange)),
    ] {
        let report = with("/confidence", &confidence);
        assert_eq!((report.complete, report.error), (complete, error), "{confidence}");
    }
}

#[test]
fn contradictions_are_conflicts_and_never_complete() {
    let two = json!([{"id": "a", "description": "x", "completed": true}, {"id": "b", "description": "y", "completed": false}]);
    let judged = |flag: bool, items: &Value, pending: &Value| {
        let report = json!({"checklist": items, "allComplete": flag, "summary": "", "confidence": 1, "pendingActions": pending});
        let report = read(CloserAnswer::Structured(&report));
        assert!(!(report.complete && report.conflict));
        (report.complete, report.conflict, report.pending_actions)
    };
    let done = &report()["checklist"];
    assert_eq!(judged(true, done, &json!([])), (true, false, vec![]));
    assert_eq!(judged(true, done, &json!(["p"])), (false, true, vec!["p".to_owned()]));
    assert_eq!(judged(true, &two, &json!([])), (false, true, vec!["y".to_owned()]));
    assert_eq!(judged(false, done, &json!([])), (false, true, vec![]));
    assert_eq!(judged(false, done, &json!(["p"])), (false, true, vec!["p".to_owned()]));
    assert_eq!(judged(false, &two, &json!(["p"])), (false, false, vec!["p".to_owned()]));
    assert_eq!(judged(false, &two, &json!([])), (false, false, vec!["y".to_owned()]));
    assert_eq!(judged(false, &json!([]), &json!([])), (false, false, vec![]));
}

#[test]
fn entries_that_say_none_are_dropped_and_others_stay_as_they_are() {
    for none in [
        "none", "None.", "NOTHING!", "n/a", "N/A", "(none)", "- none", "なし", "なし。", "「なし」", "",
        " \u{3000}", "--",
    ] {
        assert!(with("/pendingActions", &json!([none])).complete, "{none}");
    }
    let kept =
        [" rewrite chapter 2 ", "b", "b", "nothing works yet", "none of the tests ran", "なしを実装する"];
    let pending = json!(["none", kept[0], "", kept[1], kept[2], kept[3], "N/A", kept[4], kept[5]]);
    assert_eq!(with("/pendingActions", &pending).pending_actions, kept);
}

#[test]
fn an_answer_without_content_is_no_output() {
    for text in ["", " \n", "\u{feff}", "\u{200b}"] {
        assert_eq!(raw(text).error, Some(CloserError::NoOutput), "{text:?}");
    }
    assert_eq!(read(CloserAnswer::Structured(&Value::Null)).error, Some(CloserError::NoOutput));
    for value in [json!([]), json!("x"), json!(1), json!([report()])] {
        assert_eq!(read(CloserAnswer::Structured(&value)).error, Some(CloserError::NotObject), "{value}");
        assert_eq!(raw(&value.to_string()).error, Some(CloserError::NotObject), "{value}");
    }
    assert_eq!(raw("null").error, Some(CloserError::NotObject));
    assert_eq!(raw("{}").error, Some(CloserError::MissingField));
}

#[test]
fn the_last_object_in_a_text_is_the_report() {
    let good = report().to_string();
    let bad = good.replace("\"allComplete\":true", "\"allComplete\":false");
    assert!(raw(&format!("first {bad} then {good} and {{\"note\":1}}")).complete);
    assert!(!raw(&format!("first {good} then {bad}")).complete);
    assert!(
        raw(&format!("{{curly}} \"quote\n```json\n{}\n```", good.replace("\"s\"", "\"}{ \\\" {\""))).complete
    );
    assert_eq!(raw("see {\"checklist\":[]}").error, Some(CloserError::InvalidJson));
    assert_eq!(raw(&good.replace("0.9", "Infinity")).error, Some(CloserError::InvalidJson));
    assert_eq!(raw(&good.replace("0.9", "-NaN")).error, Some(CloserError::InvalidJson));
    assert_eq!(raw(&good.replace("0.9", "1e999")).error, Some(CloserError::OutOfRange));
    assert_eq!(
        raw(&format!("draft {good} final {}", good.replace("0.9", "NaN"))).error,
        Some(CloserError::InvalidJson)
    );
    assert_eq!(
        raw(&good.replace("\"summary\"", "\"allComplete\":true,\"summary\"")).error,
        Some(CloserError::InvalidJson)
    );
    assert!(!raw(&"{\"allComplete\":".repeat(100_000)).complete);
}
