//! Cases of the decision judge beyond the vectors.

use super::*;

fn judge(file: Option<&str>, age: i64, output: &str, check_id: Option<&str>) -> DecisionRecord {
    decide(&DecisionInput {
        file: file
            .map(|text| DecisionFile { content: FileContent::Text(text), age_before_check_ms: Some(age) }),
        worker_output: output,
        check_id,
        env_check_id: None,
    })
}

fn reason(file: &str) -> Option<DecisionReason> {
    judge(Some(file), 0, "", Some("a")).reason
}

fn source(file: &str) -> DecisionSource {
    judge(Some(file), 0, "", Some("a")).source
}

#[test]
fn what_begins_like_json_is_json_or_nothing() {
    use DecisionReason as R;
    for (file, expected) in [
        ("{PASS}", R::InvalidJson),
        ("[PASS]", R::InvalidJson),
        ("[x] COMPLETE", R::InvalidJson),
        ("\u{feff} \n{\"decision\":\"complete\"} PASS", R::InvalidJson),
        ("{\"decision\":\"complete\"}\n{\"decision\":\"complete\"}", R::InvalidJson),
        ("{\"decision\":\"complete\",\"decision\":\"complete\"}", R::InvalidJson),
        ("{\"decision\":\"complete\",\"x\":NaN}", R::InvalidJson),
        ("[]", R::NotAnObject),
        ("{}", R::MissingDecision),
        ("{\"decision\":null}", R::MissingDecision),
        ("{\"decision\":true}", R::MissingDecision),
        ("{\"Decision\":\"complete\"}", R::MissingDecision),
        ("{\"decision\":\"\"}", R::UnknownDecision),
        ("{\"decision\":\"complete.\"}", R::UnknownDecision),
        ("{\"decision\":\"not complete\"}", R::UnknownDecision),
        ("{\"decision\":\"done\"}", R::UnknownDecision),
        ("\u{feff}", R::EmptyFile),
        ("\u{3000}\u{200b}\n", R::EmptyFile),
        ("\"done\"", R::NoMarkerInFile),
    ] {
        assert_eq!(reason(file), Some(expected), "{file}");
    }
    for word in ["COMPLETE", "Pass", " complete "] {
        let record = judge(Some(&format!("{{\"decision\":\"{word}\"}}")), 0, "", None);
        assert_eq!(
            (record.decision, record.source),
            (Decision::Complete, DecisionSource::FileJson),
            "{word}"
        );
    }
    for word in ["FAIL", "failed", "inComplete"] {
        let record = judge(Some(&format!("{{\"decision\":\"{word}\"}}")), 0, "", None);
        assert_eq!(
            (record.decision, record.source),
            (Decision::Incomplete, DecisionSource::FileJson),
            "{word}"
        );
    }
}

#[test]
fn nesting_is_read_to_32_levels() {
    let file = |levels: usize| {
        format!("{{\"decision\":\"pass\",\"x\":{}{}}}", "[".repeat(levels), "]".repeat(levels))
    };
    assert_eq!(reason(&file(31)), None);
    assert_eq!(reason(&file(32)), Some(DecisionReason::InvalidJson));
    assert_eq!(reason(&"[".repeat(200_000)), Some(DecisionReason::InvalidJson));
}

#[test]
fn the_size_limit_is_exact() {
    let file = |bytes: usize| format!("PASS\n{}", " ".repeat(bytes - 5));
    assert_eq!(reason(&file(MAX_FILE_BYTES)), None);
    assert_eq!(reason(&file(MAX_FILE_BYTES + 1)), Some(DecisionReason::TooLarge));
    assert_eq!(reason(&" ".repeat(MAX_FILE_BYTES + 1)), Some(DecisionReason::TooLarge));
}

#[test]
fn one_fenced_object_is_the_file_and_two_are_none() {
    let object = "```json\n{\"decision\":\"complete\",\"check_id\":\"a\"}\n```";
    assert_eq!(source(&format!("Here it is:\n{object}\nBye.")), DecisionSource::FileJson);
    assert_eq!(source(&format!("INCOMPLETE\n{object}")), DecisionSource::FileJson);
    assert_eq!(source(&format!("{object}\n```json\n{{\"x\":1}}\n```")), DecisionSource::FileJson);
    assert_eq!(source(&format!("{object}\n{object}\nFAIL")), DecisionSource::FileLegacy);
    assert_eq!(reason(&format!("{object}\n{object}")), Some(DecisionReason::NoMarkerInFile));
    assert_eq!(source(&format!("````\n{object}\n````")), DecisionSource::FileJson);
    assert_eq!(source(&object.replace("```", "~~~")), DecisionSource::FileJson);
    assert_eq!(reason("```json\n{\"decision\":\"ok\"}\n```"), Some(DecisionReason::UnknownDecision));
    assert_eq!(
        reason("```json\n{\"decision\":\"pass\",\"check_id\":\"b\"}\n```"),
        Some(DecisionReason::CheckIdMismatch)
    );
    assert_eq!(source("```\nPASS\n```"), DecisionSource::FileLegacy);
}

#[test]
fn age_counts_only_without_a_matching_id() {
    let json = "{\"decision\":\"complete\"}";
    assert_eq!(judge(Some(json), 2000, "", Some("a")).reason, None);
    assert_eq!(judge(Some(json), 2001, "", Some("a")).reason, Some(DecisionReason::StaleFile));
    assert_eq!(judge(Some("PASS"), 2000, "", None).reason, None);
    assert_eq!(judge(Some("PASS"), 2001, "", None).reason, Some(DecisionReason::StaleFile));
    assert_eq!(judge(Some("PASS"), -9000, "", None).reason, None);
    let with_id = "{\"decision\":\"complete\",\"check_id\":\"a\"}";
    assert_eq!(judge(Some(with_id), 9000, "", None).reason, Some(DecisionReason::StaleFile));
    assert_eq!(judge(Some(with_id), 9000, "", Some("a")).reason, None);
    assert_eq!(judge(Some(with_id), 9000, "", Some("b")).reason, Some(DecisionReason::CheckIdMismatch));
}

#[test]
fn a_json_line_outranks_markers_and_has_to_belong_to_this_check() {
    let record = judge(None, 0, "INCOMPLETE\n{\"decision\":\"pass\",\"reasons\":\"ok\"}\nFAIL", Some("a"));
    assert_eq!(
        (record.decision, record.source, record.reason),
        (Decision::Complete, DecisionSource::OutputJson, None)
    );
    assert_eq!(record.reasons, ["ok"]);
    assert_eq!(record.check_id_match, None);
    for line in [
        "{\"decision\":\"pass\",\"check_id\":\"b\"}",
        "{\"decision\":\"pass\",\"check_id\":\"$ID\"}",
        "{\"decision\":\"pass\",\"check_id\":1}",
        "{\"decision\":\"maybe\"}",
        "{\"decision\":\"pass\"} and more",
        "see {\"decision\":\"pass\"}",
        "{\"decision\":\"pass\",\"decision\":\"pass\"}",
    ] {
        let record = judge(None, 0, line, Some("a"));
        assert_eq!(
            (record.source, record.reason),
            (DecisionSource::None, Some(DecisionReason::NoDecision)),
            "{line}"
        );
    }
    let two = "{\"decision\":\"pass\"}\r\n- `{\"decision\":\"fail\",\"checkId\":\"a\"}`\n{\"decision\":\"pass\",\"check_id\":\"b\"}";
    let record = judge(None, 0, two, Some("a"));
    assert_eq!((record.decision, record.conflict), (Decision::Incomplete, true));
}

#[test]
fn the_output_decides_when_the_file_cannot_and_the_file_is_still_reported() {
    let record =
        judge(Some("{\"decision\":\"pass\",\"check_id\":\"b\"}"), 0, "{\"decision\":\"fail\"}", Some("a"));
    assert_eq!(record.source, DecisionSource::OutputJson);
    assert_eq!((record.check_id_match, record.reason), (Some(false), Some(DecisionReason::CheckIdMismatch)));
    let record = judge(Some("{\"check_id\":\"a\"}"), 0, "PASS", Some("a"));
    assert_eq!((record.check_id_match, record.reason), (Some(true), Some(DecisionReason::MissingDecision)));
    let record = judge(Some("FAIL"), 0, "{\"decision\":\"pass\"}", Some("a"));
    assert_eq!((record.decision, record.conflict), (Decision::Incomplete, true));
    for content in [FileContent::TooLarge, FileContent::Unreadable] {
        let file = Some(DecisionFile { content, age_before_check_ms: None });
        let record = decide(&DecisionInput { file, worker_output: "PASS", ..DecisionInput::default() });
        assert_eq!((record.source, record.reason.is_some()), (DecisionSource::Marker, true));
    }
}

#[test]
fn long_input_takes_linear_time() {
    for unit in [
        "COMPLETE ", "not ", "{\"decision\":", "```\n", "~~~ a\n", "* ", "[ ", "[x]", "\u{1b}[", "1. ",
        "VERDICT:", "PASS: FAIL\n", "not yet\n",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        decide(&DecisionInput {
            file: Some(DecisionFile { content: FileContent::Text(&text), age_before_check_ms: None }),
            worker_output: &text,
            check_id: Some("a"),
            env_check_id: None,
        });
    }
}
