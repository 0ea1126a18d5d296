//! The checks that a prompt tells an agent to run, by its words alone. Must not look at what was run.

use super::Catalog;
use super::read::check_of;
use super::wrapper::call_of;
use crate::model::CheckKind;

/// Words that tell to run what follows.
const RUN: [&str; 5] = ["run", "rerun", "re-run", "execute", "rerunning"];
/// What may stand before such a word for it to be an order; so may the begin of a sentence.
const BEFORE: [&str; 14] = [
    "and", "then", "also", "please", "finally", "lastly", "always", "first", "afterwards", "must", "do",
    "to", "again", "now",
];
/// Before `to run`, words that make an order of it.
const ORDERS: [&str; 8] = ["sure", "remember", "need", "have", "want", "forget", "you", "careful"];
/// What is run, in general words, each with the words that may stand before it.
const KINDS: [(&str, CheckKind); 8] = [
    ("tests", CheckKind::Test),
    ("test", CheckKind::Test),
    ("testsuite", CheckKind::Test),
    ("linter", CheckKind::Lint),
    ("linters", CheckKind::Lint),
    ("build", CheckKind::Build),
    ("typecheck", CheckKind::Types),
    ("typechecker", CheckKind::Types),
];
const ARTICLES: [&str; 8] = ["the", "all", "all the", "our", "your", "full", "whole", "unit"];
/// Words that follow what is run and end its command line.
const ENDS: [&str; 16] = [
    "and", "then", "before", "after", "to", "until", "in", "on", "with", "again", "at", "for", "when",
    "once", "so", "or",
];
/// Japanese words for running, which follow what is run.
const RUN_AFTER: [&str; 5] = ["を実行", "を走らせ", "を流し", "を回し", "も実行"];
const NOT_RUN: [&str; 4] = ["しない", "せず", "不要", "必要はな"];

/// A check that a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demanded {
    /// The tool's name in `checks.toml`; `None` where the prompt says only what kind of check.
    pub tool: Option<String>,
    /// The kind of check.
    pub kind: CheckKind,
    /// What the prompt calls it. Untrusted text.
    pub words: String,
}

/// The checks that a prompt tells to run.
pub fn demanded(prompt: &str, catalog: &Catalog) -> Vec<Demanded> {
    let mut found: Vec<Demanded> = Vec::new();
    for sentence in
        prompt.split(['.', ';', '!', '\n', ',', ':', '。', '、']).filter(|part| !part.trim().is_empty())
    {
        // `./run.sh` and `node.js` are cut, too; what is left of them names no tool.
        let words: Vec<String> = sentence
            .split_whitespace()
            .map(|word| word.trim_matches(['`', '"', '\'', '(', ')', '?']).to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        let demands = ordered(&words, catalog).into_iter().chain(in_japanese(sentence, catalog));
        found.extend(demands);
    }
    found.dedup();
    found
}

fn ordered(words: &[String], catalog: &Catalog) -> Vec<Demanded> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_order = |at: usize| {
        let before = at.checked_sub(1).map(|before| lower[before].as_str());
        let is_negated = lower[..at].iter().any(|word| {
            matches!(
                word.as_str(),
                "don't" | "dont" | "not" | "never" | "without" | "no" | "how" | "why" | "if" | "when"
            )
        }) && before != Some("forget")
            && !lower[..at].iter().any(|word| word == "forget");
        !is_negated
            && match before {
                None => true,
                Some("to") => at >= 2 && ORDERS.contains(&lower[at - 2].as_str()),
                Some(before) => BEFORE.contains(&before),
            }
    };
    let runs = (0..lower.len()).filter(|at| RUN.contains(&lower[*at].as_str()) && is_order(*at));
    runs.filter_map(|at| named(&words[at + 1..], catalog)).collect()
}

/// The check that the begin of these words names.
fn named(words: &[String], catalog: &Catalog) -> Option<Demanded> {
    let end =
        words.iter().position(|word| ENDS.contains(&word.to_lowercase().as_str())).unwrap_or(words.len());
    let words = &words[..end];
    let n_articles = words.iter().take_while(|word| ARTICLES.contains(&word.to_lowercase().as_str())).count();
    let rest = &words[n_articles..];
    if let Some((tool, kind)) = tool_of(rest, catalog) {
        return Some(Demanded { tool: Some(tool), kind, words: rest.join(" ") });
    }
    let first = rest.first()?.to_lowercase();
    let (_, kind) = KINDS.iter().find(|(name, _)| *name == first)?;
    // `run the test server` names no check.
    let is_alone = rest.len() == 1 || rest.get(1).is_some_and(|next| next.eq_ignore_ascii_case("suite"));
    (is_alone && (first != "test" || rest.len() > 1)).then(|| Demanded {
        tool: None,
        kind: *kind,
        words: words.join(" "),
    })
}

fn tool_of(words: &[String], catalog: &Catalog) -> Option<(String, CheckKind)> {
    if words.is_empty() {
        return None;
    }
    let call = call_of(words, None);
    check_of(&call, catalog).map(|(tool, ..)| (tool.name.clone(), tool.kind))
}

fn in_japanese(sentence: &str, catalog: &Catalog) -> Option<Demanded> {
    let at = RUN_AFTER.iter().filter_map(|run| sentence.find(run)).min()?;
    if NOT_RUN.iter().any(|not| sentence[at..].contains(not)) {
        return None;
    }
    let before = &sentence[..at];
    let begin = before
        .rfind(|c: char| !c.is_ascii())
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let words: Vec<String> = before[begin..]
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '"', '\'']).to_owned())
        .collect();
    if let Some((tool, kind)) = tool_of(&words, catalog) {
        return Some(Demanded { tool: Some(tool), kind, words: words.join(" ") });
    }
    let is_tests = before.ends_with("テスト");
    is_tests.then(|| Demanded { tool: None, kind: CheckKind::Test, words: "テスト".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(prompt: &str) -> Vec<String> {
        demanded(prompt, Catalog::built_in()).into_iter().map(|demanded| demanded.words).collect()
    }

    #[test]
    fn an_order_to_run_a_check_names_it() {
        assert_eq!(asked("Add a login page, run cargo test and commit."), ["cargo test"]);
        assert_eq!(asked("Fix it. Then run `npm test` before you commit."), ["npm test"]);
        assert_eq!(asked("Rename it and run the tests"), ["the tests"]);
        assert_eq!(asked("Please make sure to run all tests again."), ["all tests"]);
        assert_eq!(asked("Don't forget to run pytest -q."), ["pytest -q"]);
        assert_eq!(asked("Mend the parser, run the full test suite, commit."), ["the full test suite"]);
        assert_eq!(asked("ログイン画面を追加して、cargo testを実行してコミットして。"), ["cargo test"]);
    }

    #[test]
    fn words_about_running_are_no_order() {
        for prompt in [
            "Add a CI job to run cargo test.",
            "How do I run the tests?",
            "Fix it without running the tests",
            "Fix it; do not run cargo test.",
            "The tests run slowly, find out why.",
            "When I run cargo test it fails with a panic; mend it.",
            "npm run test fails, mend it",
            "Add a test for the parser.",
            "run the test server",
            "Add a page and run it.",
            "テストを実行しないで直して。",
        ] {
            assert_eq!(asked(prompt), [""; 0], "{prompt}");
        }
    }
}
