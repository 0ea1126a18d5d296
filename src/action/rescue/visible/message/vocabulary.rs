//! The vocabulary for what a task or an agent says was done, in English and Japanese. Pure.

/// Polite openings of a task that carry no meaning, in lower case.
const POLITE: [&str; 40] = [
    "please", "kindly", "can you", "could you", "would you", "will you", "i want you to", "i'd like you to",
    "i would like you to", "i need you to", "i want to", "we need to", "we should", "you should", "i need",
    "let's", "lets", "let us", "now", "ok", "okay", "so", "then", "also", "next", "just", "go ahead and",
    "help me to", "help me", "make sure to", "try to", "hi there", "hi", "hello", "hey", "thanks",
    "thank you", "great", "and", "your task is to",
];
/// Whole sentences without content, in lower case.
const EMPTY: [&str; 42] = [
    "continue", "go on", "go", "yes", "no", "y", "n", "do it", "proceed", "retry", "again", "resume",
    "fix it", "do that", "looks good", "lgtm", "commit", "commit it", "続けて", "続き", "続行", "はい",
    "いいえ", "お願い", "よろしく", "どうぞ", "進めて", "こんにちは", "おはよう", "それで", "コミット",
    "task", "goal", "context", "background", "summary", "overview", "instructions", "タスク", "概要", "目的",
    "背景",
];
/// Endings of Japanese requests with their replacements, longest first.
const ENDS: [(&str, &str); 30] = [
    ("ようにしてください", "ようにする"),
    ("ようにして下さい", "ようにする"),
    ("するようにして", "する"),
    ("をお願いいたします", ""),
    ("をお願いします", ""),
    ("をお願い", ""),
    ("お願いします", ""),
    ("してもらえますか", ""),
    ("してくれますか", ""),
    ("していただけますか", ""),
    ("してください", ""),
    ("して下さい", ""),
    ("してほしいです", ""),
    ("してほしい", ""),
    ("して欲しい", ""),
    ("しておいて", ""),
    ("してくれ", ""),
    ("をして", ""),
    ("して", ""),
    ("しよう", ""),
    ("直してください", "直す"),
    ("直して", "直す"),
    ("なおして", "直す"),
    ("作って", "作る"),
    ("書いて", "書く"),
    ("消して", "消す"),
    ("変えて", "変える"),
    ("分けて", "分ける"),
    ("加えて", "加える"),
    ("入れて", "入れる"),
];
/// Polite endings after a verb.
const JAPANESE_POLITE: [&str; 7] =
    ["ください", "下さい", "もらえますか", "くれますか", "ほしいです", "ほしい", "ね"];
/// Past-tense verbs of an agent's report, with the imperative for a commit message.
const DONE: [(&str, &str); 24] = [
    ("added", "add"),
    ("fixed", "fix"),
    ("implemented", "implement"),
    ("updated", "update"),
    ("removed", "remove"),
    ("deleted", "delete"),
    ("refactored", "refactor"),
    ("created", "create"),
    ("changed", "change"),
    ("renamed", "rename"),
    ("moved", "move"),
    ("rewrote", "rewrite"),
    ("wrote", "write"),
    ("replaced", "replace"),
    ("improved", "improve"),
    ("introduced", "introduce"),
    ("extracted", "extract"),
    ("simplified", "simplify"),
    ("split", "split"),
    ("made", "make"),
    ("corrected", "correct"),
    ("documented", "document"),
    ("optimized", "optimize"),
    ("converted", "convert"),
];
/// Words that indicate a kind of change; the first kind that matches wins.
const KINDS: [(&str, &[&str]); 8] = [
    (
        "fix",
        &[
            "fix", "fixes", "bug", "bugs", "repair", "resolve", "correct", "crash", "crashes", "broken",
            "fails",
        ],
    ),
    ("test", &["test", "tests", "coverage"]),
    ("docs", &["docs", "document", "documentation", "readme", "changelog", "comment", "comments"]),
    (
        "refactor",
        &[
            "refactor", "rename", "move", "extract", "simplify", "clean", "cleanup", "split", "reorganize",
            "rewrite",
        ],
    ),
    ("perf", &["speed", "faster", "optimize", "optimise", "performance"]),
    ("build", &["dependency", "dependencies", "upgrade", "bump"]),
    ("ci", &["ci", "pipeline", "workflow"]),
    (
        "feat",
        &["add", "implement", "create", "introduce", "support", "build", "make", "write", "allow", "show"],
    ),
];
/// The same in Japanese, as parts of words.
const JAPANESE_KINDS: [(&str, &[&str]); 6] = [
    ("fix", &["修正", "直す", "バグ", "不具合", "エラー", "クラッシュ"]),
    ("test", &["テスト"]),
    ("docs", &["ドキュメント", "説明書", "文書", "コメント"]),
    ("refactor", &["リファクタ", "整理", "改名", "分割", "移動"]),
    ("perf", &["高速", "最適化", "速く"]),
    ("feat", &["追加", "実装", "作成", "作る", "対応", "導入"]),
];

/// Turns a sentence of the task into a description; `None` if it says nothing.
pub(super) fn as_order(sentence: &str) -> Option<String> {
    let mut text = trimmed(sentence);
    loop {
        let shorter = without_polite(text);
        if shorter.len() == text.len() {
            break;
        }
        text = shorter;
    }
    for end in ["please", "thanks", "thank you", "for me"] {
        text = strip_end(text, end);
    }
    let text = japanese_order(text);
    let text = trimmed(&text);
    if is_empty(text) { None } else { Some(lowered(text)) }
}

/// Turns a sentence of the agent's report into a description; `None` if it does not begin with something done.
pub(super) fn as_done(sentence: &str) -> Option<String> {
    let mut text = trimmed(sentence);
    if sentence.contains(['?', '？']) {
        return None;
    }
    for start in
        ["done", "all done", "finished", "i've", "i have", "i", "we've", "successfully", "also", "now"]
    {
        text = strip_start(text, start);
    }
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    if let Some((_, verb)) = DONE.iter().find(|(done, _)| first.eq_ignore_ascii_case(done))
        && !rest.is_empty()
    {
        return Some(format!("{verb} {rest}"));
    }
    let done = ["をしました", "しました", "した"].iter().find_map(|end| text.strip_suffix(end))?;
    let done = trimmed(done);
    (done.chars().count() > 2 && !done.is_ascii()).then(|| done.to_owned())
}

/// The kind of change that a description indicates.
pub(super) fn kind_of(description: &str) -> &'static str {
    let lower = description.to_lowercase();
    let of = |word: &str| KINDS.iter().find(|(_, words)| words.contains(&word)).map(|(kind, _)| *kind);
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let first = words.first().and_then(|word| of(word));
    let has = |kind: &str| words.iter().any(|word| of(word) == Some(kind));
    match first {
        // "add tests", "write documentation": the object decides, not the verb.
        Some("feat") if has("test") => return "test",
        Some("feat") if has("docs") => return "docs",
        Some(kind) => return kind,
        None => {}
    }
    JAPANESE_KINDS
        .iter()
        .find(|(_, parts)| parts.iter().any(|part| lower.contains(part)))
        .map(|(kind, _)| *kind)
        .or_else(|| ["fix", "perf", "refactor", "build"].into_iter().find(|kind| has(kind)))
        .unwrap_or("chore")
}

/// The text without surrounding spaces and punctuation.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ".,:;!?。、！？：…\"'".contains(c))
}

fn without_polite(text: &str) -> &str {
    POLITE.iter().fold(text, |text, start| strip_start(text, start))
}

/// The text without the words `start` at its beginning, if they are whole words.
fn strip_start<'t>(text: &'t str, start: &str) -> &'t str {
    match text.get(..start.len()) {
        Some(head) if head.eq_ignore_ascii_case(start) => {
            let rest = &text[start.len()..];
            if rest.starts_with([' ', ',', '.', '!', ':']) { trimmed(rest) } else { text }
        }
        Some(_) | None => text,
    }
}

fn strip_end<'t>(text: &'t str, end: &str) -> &'t str {
    let Some(at) = text.len().checked_sub(end.len()) else { return text };
    match text.get(at..) {
        Some(tail) if tail.eq_ignore_ascii_case(end) && text[..at].ends_with([' ', ',']) => {
            trimmed(&text[..at])
        }
        Some(_) | None => text,
    }
}

fn japanese_order(text: &str) -> String {
    let mut ends: Vec<&(&str, &str)> = ENDS.iter().collect();
    ends.sort_by_key(|(end, _)| std::cmp::Reverse(end.len()));
    for text in [text, JAPANESE_POLITE.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text)] {
        // Specific verbs take precedence over the general "して": 直して is not 直 + して.
        let verb = ends.iter().find(|(end, with)| !with.is_empty() && text.ends_with(end));
        let end = verb.or_else(|| ends.iter().find(|(end, _)| text.ends_with(end)));
        if let Some((end, with)) = end {
            let kept = text.strip_suffix(end).unwrap_or(text);
            return format!("{kept}{with}");
        }
    }
    text.to_owned()
}

fn is_empty(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.chars().count() < 3 || EMPTY.contains(&lower.as_str()) || !lower.chars().any(char::is_alphabetic)
}

/// The text with a lower-case first letter, unless the first word is a name or an abbreviation.
fn lowered(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or(text);
    let is_name = first.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit() || "_/.:".contains(c));
    let mut signs = text.chars();
    match signs.next() {
        Some(sign) if !is_name && sign.is_ascii_uppercase() => {
            sign.to_ascii_lowercase().to_string() + signs.as_str()
        }
        Some(_) | None => text.to_owned(),
    }
}
