//! Which lines are verdicts, and which only look like one.

use super::*;

const YES: Decision = Decision::Complete;
const NO: Decision = Decision::Incomplete;

#[test]
fn strong_markers_in_every_dress() {
    for line in [
        "COMPLETE", "complete", "Pass", "PASS.", "COMPLETE。", "**COMPLETE**", "**COMPLETE.**",
        "**COMPLETE**.", "## COMPLETE", "- complete", "1. PASS", "✅ COMPLETE", "[COMPLETE]", "【COMPLETE】",
        "`PASS`", "```PASS```", "> COMPLETE", "*** PASS ***", "VERDICT: PASS", "Verdict: pass",
        "**VERDICT:** PASS", "**Verdict**: **PASS**", "DECISION: COMPLETE", "判定：PASS", "判定: COMPLETE",
        "判定 ： PASS。", "判定：PASS（指摘なし）", "VERDICT: PASS - 2 remarks",
        "VERDICT: PASS with remarks", "VERDICT: ✅ PASS", "\u{1b}[32mPASS\u{1b}[0m", "\u{feff}COMPLETE",
        "- [x] COMPLETE",
    ] {
        assert_eq!(read_line(line), Some((YES, Strength::Strong)), "{line}");
    }
    for line in [
        "INCOMPLETE", "fail", "Failed.", "❌ FAIL", "NOT COMPLETE", "not complete", "not yet complete",
        "Not complete yet.", "**NOT YET COMPLETE**", "VERDICT: NOT COMPLETE", "VERDICT: not yet complete",
        "VERDICT: FAIL - two open points", "VERDICT: fail because of two points", "判定：FAIL、2件",
        "DECISION: INCOMPLETE.",
    ] {
        assert_eq!(read_line(line), Some((NO, Strength::Strong)), "{line}");
    }
}

#[test]
fn weak_markers_need_capitals_and_a_separator_or_a_negative_word() {
    for line in [
        "PASS: all 14 checks are green", "PASS - all green", "PASS, all green", "COMPLETE; all green",
        "COMPLETE. All green", "PASS (all green)", "PASS（指摘なし）", "**PASS**: all green",
        "COMPLETE — all green", "✅ PASS: all green",
    ] {
        assert_eq!(read_line(line), Some((YES, Strength::Weak)), "{line}");
    }
    for line in [
        "FAIL: all red", "FAIL tests/a.test.ts", "FAILED tests/a.py::t - assert",
        "INCOMPLETE two steps remain", "INCOMPLETE:", "NOT COMPLETE: two steps remain",
        "NOT YET COMPLETE two steps remain", "INCOMPLETE: complete the notes", "[FAIL] the notes",
    ] {
        assert_eq!(read_line(line), Some((NO, Strength::Weak)), "{line}");
    }
}

#[test]
fn sentences_counts_and_echoes_are_nothing() {
    for line in [
        "", "Complete the guide next.", "Complete: the guide", "complete: the guide", "Fail fast",
        "fail: the guide", "PASS all green", "PASS  tests/a.test.ts", "PASS 12", "PASS: 12",
        "PASS: 12 tests", "FAILED: 3", "FAIL 3", "FAILED (3)", "FAIL: **3**", "VERDICT: PASS 12",
        "COMPLETE or INCOMPLETE", "COMPLETE/INCOMPLETE", "PASS: or FAIL", "VERDICT: COMPLETE or INCOMPLETE",
        "VERDICT: <COMPLETE|INCOMPLETE>", "The result is COMPLETE", "All good. COMPLETE",
        "結論はCOMPLETEです", "COMPLETEではありません", "判定：COMPLETEではありません", "COMPLETE?",
        "COMPLETE!", "COMPLETE..", "COMPLETE...", "COMPLETED", "PASSED", "COMPLETE:", "PASS-THROUGH mode",
        "PASS.md", "PASS::new", "- [ ] COMPLETE", "❌ COMPLETE", "not failed", "Not complete without tests",
        "Final verdict: PASS", "VERDICT:", "VERDICT: PASS if the tests pass",
        "Decision: complete the guide first", "| PASS | 12 |", "| FAIL | 3 |", "!COMPLETE",
        "COMPLETE_CHECK: yes", "PASS: no test failed", "verdict", "verdictPASS",
    ] {
        assert_eq!(read_line(line), None, "{line}");
    }
}

#[test]
fn pieces_of_json_are_nothing() {
    for line in [
        "{\"decision\":\"pass\"}", "\"decision\": \"pass\",", "'decision': 'pass'", "{decision: pass}",
        "\"complete\"", "\"pass\",",
    ] {
        assert_eq!(read_line(line), None, "{line}");
    }
}

#[test]
fn the_last_of_the_stronger_kind_wins_and_differences_show() {
    let found = |decision, has_conflict| Some(Found { decision, has_conflict });
    assert_eq!(read("COMPLETE\nFAIL: x"), found(YES, false));
    assert_eq!(read("FAIL: x\nPASS: y"), found(YES, true));
    assert_eq!(read("PASS: y\nINCOMPLETE\nPASS: z"), found(NO, false));
    assert_eq!(read("COMPLETE\rINCOMPLETE\u{2028}x"), found(NO, true));
    assert_eq!(read("COMPLETE\nPASS"), found(YES, false));
    assert_eq!(read("```\nCOMPLETE\n```"), found(YES, false));
    assert_eq!(read("~~~\nVERDICT: FAIL\n~~~\n"), found(NO, false));
}

#[test]
fn the_empty_body_of_a_python_block_is_no_verdict() {
    assert_eq!(read("```python\ndef f():\n    pass\n```"), None);
    assert_eq!(read("verdict:\n  pass").map(|found| found.decision), Some(YES));
}
