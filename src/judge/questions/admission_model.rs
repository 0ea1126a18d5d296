//! A learned reading of one sentence: whether it admits that something of this work is not done, in words that no list
//! names. A linear model over its words and their neighbours, in whole numbers, so that the same text is read alike
//! everywhere. `tests/corpus/train_admissions.py` writes the weights. Must not know any words, and sees no other sentence.

use super::script;

/// The least score of an admission and the bias as 16-bit numbers; then the features' hashes in order, each with 32 bits;
/// then a signed byte for the weight of each. All are little-endian.
static MODEL: &[u8] = include_bytes!("../../../assets/questions/admissions.bin");

/// How many bytes precede the hashes.
const HEAD: usize = 4;
/// A longer sentence is read so far, in tokens.
const MAX_TOKENS: usize = 120;
/// The longest beginning of a word that stands for the whole, in characters.
const STEM: usize = 5;
/// The longest ending of a word that stands for its form, in characters.
const ENDING: usize = 3;

/// Whether a sentence, a note or a row of a table admits something by its words alone.
pub(super) fn admits(words: &str) -> bool {
    let features = features(words);
    let sum: i64 = features.iter().filter_map(|feature| weight(*feature)).sum();
    let n_features = i64::try_from(features.len()).unwrap_or(i64::MAX);
    let least = number(0) - number(1);
    // What counts is the sum over the root of the number of features: both sides are squared instead.
    sum.signum() * sum * sum >= least.signum() * least * least * n_features
}

/// The 16-bit number at a place of the head.
fn number(place: usize) -> i64 {
    MODEL.get(place * 2..place * 2 + 2).map_or(0, |it| i64::from(i16::from_le_bytes([it[0], it[1]])))
}

/// The weight of a feature that the model knows.
fn weight(feature: u32) -> Option<i64> {
    let n_features = MODEL.len().saturating_sub(HEAD) / 5;
    let (hashes, weights) = MODEL.get(HEAD..)?.split_at_checked(n_features * 4)?;
    let (hashes, _) = hashes.as_chunks::<4>();
    let at = hashes.binary_search_by_key(&feature, |hash| u32::from_le_bytes(*hash)).ok()?;
    Some(i64::from(weights.get(at)?.cast_signed()))
}

/// The features of a sentence as hashes, each once, in order: its words, how they begin and end, and what stands beside
/// them.
fn features(words: &str) -> Vec<u32> {
    let tokens = tokens(words);
    let mut found = Vec::with_capacity(tokens.len() * 6);
    for (at, token) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(at + n).map(String::as_str);
        found.push(hash("1", &[token]));
        let n_chars = token.chars().count();
        if n_chars > STEM {
            let end_of = |n: usize| token.char_indices().nth(n).map_or(token.len(), |(at, _)| at);
            found.push(hash("p", &[&token[..end_of(STEM)]]));
            found.push(hash("s", &[&token[end_of(n_chars - ENDING)..]]));
        }
        let Some(second) = next(1) else { continue };
        found.push(hash("2", &[token, second]));
        let Some(third) = next(2) else { continue };
        found.push(hash("3", &[token, second, third]));
        found.push(hash("k", &[token, third]));
        if let Some(fourth) = next(3)
            && is_sign(token)
        {
            found.push(hash("4", &[token, second, third, fourth]));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The tokens of a sentence between two marks for its ends: words and single signs, in lower case. Code is one token,
/// whatever it says, and a number says only whether it is zero.
fn tokens(words: &str) -> Vec<String> {
    let mut tokens = vec!["^".to_owned()];
    let mut rest = words;
    while let Some(first) = rest.chars().next().filter(|_| tokens.len() < MAX_TOKENS) {
        let length = if first == '`' {
            tokens.push("`".to_owned());
            rest[1..].find('`').map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let is_zero = rest[..length].bytes().all(|byte| byte == b'0');
            tokens.push(if is_zero { "0" } else { "9" }.to_owned());
            length
        } else if first.is_alphabetic() && !script::is_joined(first) {
            let is_inside = |c: char| c.is_alphabetic() && !script::is_joined(c) || matches!(c, '\'' | '’');
            let length = rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
            let word = rest[..length].trim_end_matches(['\'', '’']);
            tokens.push(word.to_lowercase().replace('’', "'"));
            word.len()
        } else {
            // Emphasis says nothing, and neither do the selectors of a sign's look.
            if !first.is_whitespace() && !matches!(first, '*' | '_' | '~' | '\u{fe0e}' | '\u{fe0f}') {
                tokens.push(first.to_lowercase().collect());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens.push("$".to_owned());
    tokens
}

/// Whether a token is one sign of a script that is written without spaces.
fn is_sign(token: &str) -> bool {
    token.chars().next().is_some_and(script::is_joined)
}

/// The hash of a feature: of its kind and its tokens, by FNV-1a.
fn hash(kind: &str, tokens: &[&str]) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    let mut add = |byte: u8| hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    kind.bytes().for_each(&mut add);
    for token in tokens {
        add(b' ');
        token.bytes().for_each(&mut add);
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::path::{Path, PathBuf};

    use serde_json::{Value, json};

    use super::*;
    use crate::judge::questions::document::Document;
    use crate::judge::questions::lines::Role;
    use crate::judge::questions::shapes::cells;

    #[test]
    fn tokens_are_words_signs_and_what_stands_for_code_and_numbers() {
        let said = tokens("**Note**: I didn’t run `cargo test` (0 of 14), 未対応。");
        let words = "^ note : i didn't run ` ( 0 of 9 ) , 未 対 応 。 $";
        assert_eq!(said, words.split(' ').collect::<Vec<_>>());
    }

    #[test]
    fn the_model_is_whole_and_small() {
        let n_features = (MODEL.len() - HEAD) / 5;
        assert_eq!(MODEL.len(), HEAD + n_features * 5);
        assert!(n_features > 10_000 && MODEL.len() < 500_000, "{n_features}");
        let hashes = MODEL[HEAD..HEAD + n_features * 4].as_chunks::<4>().0;
        assert!(hashes.is_sorted_by_key(|hash| u32::from_le_bytes(*hash)));
        assert!(!admits(""));
    }

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    /// The last words of the scenarios in which all is done, or would be, were it committed.
    fn worlds() -> Vec<(String, String)> {
        let mut said = Vec::new();
        for path in files(&root().join("tests/scenarios"), "toml") {
            let file: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
            let all = file.get("scenario").and_then(toml::Value::as_array);
            for world in all
                .into_iter()
                .flatten()
                .filter(|world| matches!(world["expect"].as_str(), Some("COMPLETE" | "RESCUE_NEEDED")))
            {
                let steps = world.get("steps").and_then(toml::Value::as_array).into_iter().flatten();
                let said_last = steps.filter_map(toml::Value::as_str).rfind(|step| step.contains("say@"));
                let words = said_last.and_then(|step| step.split_once("say@")?.1.split_once(' '));
                let words = words.filter(|(_, words)| !words.starts_with('{'));
                said.extend(words.map(|(_, words)| ("worlds".to_owned(), words.to_owned())));
            }
        }
        said.sort();
        said.dedup();
        said
    }

    fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|it| it == extension));
        files.sort();
        files
    }

    /// Writes the input of `tests/corpus/train_admissions.py`.
    #[test]
    #[ignore = "a tool: it may read natural messages, which are no part of the repository"]
    fn write_sentences() {
        let mut out = String::new();
        let mut write = |(set, is_of_message): (&str, bool), label: &str, text: &str| {
            let row = json!({
                "set": set, "of_message": is_of_message, "label": label, "text": text, "features": features(text),
            });
            writeln!(out, "{row}").unwrap();
        };
        for path in files(&root().join("tests/corpus/admissions"), "tsv") {
            let set = path.file_stem().unwrap().to_string_lossy().into_owned();
            for line in fs::read_to_string(&path).unwrap().lines() {
                let [_, label, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                    panic!("{set}: {line}")
                };
                write((&set, false), label, text);
            }
        }
        let mut sets = worlds();
        let vectors: Value =
            serde_json::from_str(include_str!("../../../tests/vectors/admissions.json")).unwrap();
        let harmless = vectors["cases"].as_array().unwrap().iter().filter(|case| case["is_open"] == false);
        sets.extend(harmless.map(|case| ("vectors".to_owned(), case["text"].as_str().unwrap().to_owned())));
        let mut messages = files(&root().join("tests/corpus"), "jsonl");
        messages
            .extend(std::env::var_os("CLOSEOUT_NATURAL").map(|folder| Path::new(&folder).join("fit.jsonl")));
        for path in messages {
            let set = path.file_stem().unwrap().to_string_lossy().into_owned();
            for line in fs::read_to_string(&path).unwrap().lines() {
                let message: Value = serde_json::from_str(line).unwrap();
                if message["label"] == "COMPLETE" {
                    sets.push((set.clone(), message["text"].as_str().unwrap().to_owned()));
                }
            }
        }
        for (set, text) in sets {
            let document = Document::read(&text);
            for sentence in document.sentences.iter().filter(|sentence| sentence.role != Role::Heading) {
                write((&set, true), "0", document.words(sentence));
            }
            for line in document.lines.iter().filter(|line| line.role == Role::Table) {
                write((&set, true), "0", &cells(&text[line.range.clone()]).join(" | "));
            }
        }
        fs::write(std::env::var_os("CLOSEOUT_FEATURES").unwrap(), out).unwrap();
    }
}
