//! A learned reading of one sentence: whether it admits that something of this work is not done, or may do so, in words
//! that no list names. A linear model over its words and their neighbours, in whole numbers, so that the same text is read alike
//! everywhere. `tests/corpus/train_admissions.py` writes the weights. Must not know any words. Of other
//! sentences it knows only how many there are.

use super::script;

/// All numbers are little-endian. The scores from which on a sentence admits, and may admit, what a text of twice as many
/// sentences adds to them, and the bias, as 16-bit numbers; then, for each bucket of features, the place of its first one
/// with 32 bits, and the number of features; then what tells a feature from others of its bucket with 16 bits each, in
/// order; then a signed byte for the weight of each.
static MODEL: &[u8] = include_bytes!("../../../assets/questions/admissions.bin");

/// How many bytes precede the places of the buckets.
const HEAD: usize = 8;
/// The numbers of the head, by their places.
const ADMITS: usize = 0;
const MAY_ADMIT: usize = 1;
const DOUBLED: usize = 2;
const BIAS: usize = 3;
/// How many steps of the numbers in the head are one of a weight.
const FINE: i64 = 16;
/// A feature has 28 bits, of which the first twelve name its bucket.
const N_BUCKETS: usize = 1 << 12;
/// How many bytes precede the features.
const INDEX: usize = HEAD + (N_BUCKETS + 1) * 4;
/// A longer sentence is read so far, in tokens.
const MAX_TOKENS: usize = 120;
/// A longer text counts as one of so many sentences.
const MAX_PARTS: u128 = 4096;
/// The longest beginning of a word that stands for the whole, in characters.
const STEM: usize = 5;
/// The longest ending of a word that stands for its form, in characters.
const ENDING: usize = 3;

/// What words may say, by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// Something may be left open; the higher, the likelier.
    MayAdmit(i64),
    /// Something is left open.
    Admits,
}

/// How a sentence, a note or a row of a table reads in a text of `n_parts` of them. The more there are, the likelier it is
/// that one only looks like an admission.
pub(super) fn doubt(words: &str, n_parts: usize) -> Option<Doubt> {
    let features = features(words);
    let sum: i64 = features.iter().filter_map(|feature| weight(*feature)).sum::<i64>() * FINE;
    let n_features = i64::try_from(features.len()).unwrap_or(i64::MAX);
    let n_parts = u128::try_from(n_parts).unwrap_or(MAX_PARTS).clamp(1, MAX_PARTS);
    let n_doubled_eightfold = i64::from(n_parts.pow(8).ilog2());
    // What counts is the sum over the root of the number of features: both sides are squared instead.
    let reaches = |place: usize| {
        let least = number(place) - number(BIAS) + number(DOUBLED) * n_doubled_eightfold / 8;
        sum.signum() * sum * sum >= least.signum() * least * least * n_features
    };
    let score = sum.signum() * sum * sum / n_features.max(1);
    if reaches(ADMITS) { Some(Doubt::Admits) } else { reaches(MAY_ADMIT).then_some(Doubt::MayAdmit(score)) }
}

/// The 16-bit number at a place of the head.
fn number(place: usize) -> i64 {
    MODEL.get(place * 2..place * 2 + 2).map_or(0, |it| i64::from(i16::from_le_bytes([it[0], it[1]])))
}

/// The weight of a feature that the model knows.
fn weight(feature: u32) -> Option<i64> {
    let (index, _) = MODEL.get(HEAD..INDEX)?.as_chunks::<4>();
    let begin_of = |bucket: usize| usize::try_from(u32::from_le_bytes(*index.get(bucket)?)).ok();
    let bucket = usize::try_from(feature >> 16).ok()?;
    let (begin, end, n_features) = (begin_of(bucket)?, begin_of(bucket + 1)?, begin_of(N_BUCKETS)?);
    let (features, weights) = MODEL.get(INDEX..)?.split_at_checked(n_features * 2)?;
    let bytes = feature.to_le_bytes();
    let at =
        features.as_chunks::<2>().0.get(begin..end)?.iter().position(|it| *it == [bytes[0], bytes[1]])?;
    Some(i64::from(weights.get(begin + at)?.cast_signed()))
}

/// The kind of a feature.
#[derive(Clone, Copy)]
enum Kind {
    Token,
    Stem,
    Ending,
    Pair,
    Triple,
    /// Two tokens with one between them.
    Around,
    /// Four signs of a script that is written without spaces.
    Signs,
}

/// The features of a sentence, each once, in order: its words, how they begin and end, and what stands beside them.
fn features(words: &str) -> Vec<u32> {
    let tokens = tokens(words);
    let mut found = Vec::with_capacity(tokens.len() * 6);
    for (at, token) in tokens.iter().enumerate() {
        found.push(feature(Kind::Token, &[token.hash]));
        found.extend(token.stem.map(|stem| feature(Kind::Stem, &[stem])));
        found.extend(token.ending.map(|ending| feature(Kind::Ending, &[ending])));
        let next = |n: usize| tokens.get(at + n).map(|token| token.hash);
        let Some(second) = next(1) else { continue };
        found.push(feature(Kind::Pair, &[token.hash, second]));
        let Some(third) = next(2) else { continue };
        found.push(feature(Kind::Triple, &[token.hash, second, third]));
        found.push(feature(Kind::Around, &[token.hash, third]));
        if let Some(fourth) = next(3).filter(|_| token.is_sign) {
            found.push(feature(Kind::Signs, &[token.hash, second, third, fourth]));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A word or a sign, by hashes of its characters in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
struct Token {
    hash: u32,
    /// How it begins, if it is longer.
    stem: Option<u32>,
    /// How it ends, if it is longer than its stem.
    ending: Option<u32>,
    /// Whether it is one sign of a script that is written without spaces.
    is_sign: bool,
}

impl Token {
    fn of(characters: impl Iterator<Item = char>) -> Token {
        let (mut hash, mut stem) = (NOTHING, NOTHING);
        let mut last = ['\0'; ENDING];
        let (mut n_characters, mut is_sign) = (0, false);
        for character in characters {
            if n_characters == STEM {
                stem = hash;
            }
            hash = with(hash, character);
            last.rotate_left(1);
            last[ENDING - 1] = character;
            is_sign = n_characters == 0 && script::is_joined(character);
            n_characters += 1;
        }
        let is_long = n_characters > STEM;
        let ending = || last.into_iter().fold(NOTHING, with);
        Token { hash, stem: is_long.then_some(stem), ending: is_long.then(ending), is_sign }
    }
}

/// The tokens of a sentence between two marks for its ends: words and single signs. Code is one token, whatever it says,
/// and a number says only whether it is zero.
fn tokens(words: &str) -> Vec<Token> {
    let one = |character: char| Token::of(std::iter::once(character));
    let mut tokens = Vec::with_capacity(words.len() / 4 + 2);
    tokens.push(one('^'));
    let mut rest = words;
    while let Some(first) = rest.chars().next().filter(|_| tokens.len() < MAX_TOKENS) {
        let length = if first == '`' {
            tokens.push(one('`'));
            rest[1..].find('`').map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let is_zero = rest[..length].bytes().all(|byte| byte == b'0');
            tokens.push(one(if is_zero { '0' } else { '9' }));
            length
        } else if is_letter(first) {
            let is_inside = |c: char| is_letter(c) || matches!(c, '\'' | '’');
            let length = rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
            let word = rest[..length].trim_end_matches(['\'', '’']);
            let plain = word.chars().flat_map(char::to_lowercase);
            tokens.push(Token::of(plain.map(|c| if c == '’' { '\'' } else { c })));
            word.len()
        } else {
            // Emphasis says nothing, and neither do the selectors of a sign's look.
            if !first.is_whitespace() && !matches!(first, '*' | '_' | '~' | '\u{fe0e}' | '\u{fe0f}') {
                tokens.push(Token::of(first.to_lowercase()));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens.push(one('$'));
    tokens
}

/// Whether a character is a letter of a script that is written with spaces.
fn is_letter(character: char) -> bool {
    character.is_ascii_alphabetic()
        || !character.is_ascii() && character.is_alphabetic() && !script::is_joined(character)
}

/// The hash of no characters.
const NOTHING: u32 = 0x811c_9dc5;

/// The hash of characters with one more behind them, by FNV-1a.
fn with(hash: u32, character: char) -> u32 {
    (hash ^ u32::from(character)).wrapping_mul(0x0100_0193)
}

/// A feature: its kind and the hashes of its tokens, as 28 bits.
fn feature(kind: Kind, hashes: &[u32]) -> u32 {
    let mixed = hashes.iter().fold(kind as u32 + 1, |mixed, hash| {
        let mixed = (mixed.rotate_left(5) ^ hash).wrapping_mul(0x9e37_79b1);
        mixed ^ mixed >> 15
    });
    mixed >> 4
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    use serde_json::{Value, json};

    use super::*;
    use crate::judge::questions::document::Document;
    use crate::judge::questions::lines::Role;
    use crate::judge::questions::shapes::cells;

    #[test]
    fn tokens_are_words_signs_and_what_stands_for_code_and_numbers() {
        let said = tokens("**Note**: I didn’t run `cargo test` (0 of 14), 未対応。");
        let words = "^ note : i didn't run ` ( 0 of 9 ) , 未 対 応 。 $".split(' ');
        assert_eq!(said, words.map(|word| Token::of(word.chars())).collect::<Vec<_>>());
        let [.., word, _] = &tokens("unfinished")[..] else { panic!("no word") };
        let hash_of = |part: &str| Some(Token::of(part.chars()).hash);
        assert_eq!((word.stem, word.ending), (hash_of("unfin"), hash_of("hed")));
        assert!(tokens("未")[1].is_sign && !tokens("no")[1].is_sign);
    }

    #[test]
    fn the_model_is_whole_and_small() {
        let begins: Vec<u32> =
            MODEL[HEAD..INDEX].as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect();
        let n_features = usize::try_from(begins[N_BUCKETS]).unwrap();
        assert_eq!(MODEL.len(), INDEX + n_features * 3);
        assert!(n_features > 10_000 && MODEL.len() < 500_000, "{n_features}");
        assert!(begins.is_sorted() && begins[0] == 0);
        assert_eq!(doubt("", 1), None);
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

    /// The sentences and the rows of tables that are read, each with its place.
    fn parts(document: &Document<'_>) -> Vec<(Range<usize>, String)> {
        let mut parts = Vec::new();
        for sentence in document.sentences.iter().filter(|sentence| sentence.role != Role::Heading) {
            parts.push((sentence.range.clone(), document.words(sentence).to_owned()));
        }
        for line in document.lines.iter().filter(|line| line.role == Role::Table) {
            parts.push((line.range.clone(), cells(&document.text[line.range.clone()]).join(" | ")));
        }
        parts
    }

    /// A report without the marks around what it admits, and the places that they marked.
    fn unmarked(report: &str) -> (String, Vec<Range<usize>>) {
        let (mut text, mut marked, mut begin) = (String::new(), Vec::new(), 0);
        for character in report.chars() {
            match character {
                '⟦' => begin = text.len(),
                '⟧' => marked.push(begin..text.len()),
                _ => text.push(character),
            }
        }
        (text, marked)
    }

    /// Where a sentence was written.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Written<'m> {
        Alone,
        /// In a message that as a whole admits nothing.
        InMessage,
        /// In this report, whose admissions are marked.
        InReport(&'m str),
    }

    /// Writes the input of `tests/corpus/train_admissions.py`.
    #[test]
    #[ignore = "a tool: it may read natural messages, which are no part of the repository"]
    fn write_sentences() {
        let mut out = String::new();
        let mut write = |set: &str, kind: Written<'_>, label: &str, text: &str| {
            let message = if let Written::InReport(message) = kind { message } else { text };
            let row = json!({
                "set": set, "of_message": kind == Written::InMessage, "in_report": matches!(kind, Written::InReport(_)), "message": message,
                "label": label, "text": text, "features": features(text),
            });
            writeln!(out, "{row}").unwrap();
        };
        for path in files(&root().join("tests/corpus/admissions"), "tsv") {
            let set = path.file_stem().unwrap().to_string_lossy().into_owned();
            for line in fs::read_to_string(&path).unwrap().lines() {
                let [_, label, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                    panic!("{set}: {line}")
                };
                write(&set, Written::Alone, label, text);
            }
        }
        let mut sets = worlds();
        let vectors: Value =
            serde_json::from_str(include_str!("../../../tests/vectors/admissions.json")).unwrap();
        for case in vectors["cases"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            if case["is_open"] == false {
                sets.push(("vectors".to_owned(), text.to_owned()));
            } else if Document::read(text).sentences.len() == 1 {
                write("vectors", Written::Alone, "1", text);
            }
        }
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
            for (_, words) in parts(&Document::read(&text)) {
                write(&set, Written::InMessage, "0", &words);
            }
        }
        for path in files(&root().join("tests/corpus/reports"), "txt") {
            let set = path.file_stem().unwrap().to_string_lossy().into_owned();
            for (n, report) in fs::read_to_string(&path).unwrap().split("@@").skip(1).enumerate() {
                let (head, report) = report.split_once('\n').unwrap();
                let after_prompt = report.split_once('\n').filter(|(it, _)| it.starts_with("PROMPT: "));
                let (text, marked) = unmarked(after_prompt.map_or(report, |(_, report)| report).trim_end());
                for (range, words) in parts(&Document::read(&text)) {
                    let admits = marked.iter().any(|mark| mark.start < range.end && range.start < mark.end);
                    let kind = Written::InReport(&format!("{n} {head}"));
                    write(&set, kind, if admits { "1" } else { "0" }, &words);
                }
            }
        }
        fs::write(std::env::var_os("CLOSEOUT_FEATURES").unwrap(), out).unwrap();
    }
}
