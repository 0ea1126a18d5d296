//! A learned reading of one sentence: whether it admits that something of this work is not done, or may do so, in words
//! that no list names. A linear model over its words and their neighbours, in whole numbers, so that the same text is read alike
//! everywhere. `tests/corpus/train_admissions.py` writes the weights. Must not know any words. Of other
//! sentences it knows only how many there are.

use crate::judge::linear_model::LinearModel;
use crate::judge::sentence_features::features;

/// The model. Its head: the scores from which on a sentence admits, and may admit, what a text of twice as many sentences adds to
/// them, and the bias.
static MODEL: LinearModel = LinearModel(include_bytes!("../../../assets/questions/admissions.bin"));

/// The numbers of the head, by their places.
const ADMITS: usize = 0;
const MAY_ADMIT: usize = 1;
const DOUBLED: usize = 2;
const BIAS: usize = 3;
/// A longer text counts as one of so many sentences.
const MAX_PARTS: u128 = 4096;

/// So far below what may admit, words admit nothing, whatever phrase is among them; but from this score on they never deny
/// it, however long the text is.
const FAR_BELOW: i64 = 240;
const NEVER_DENIES: i64 = -360;

/// What words may say, by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// Nothing is left open: such words tell in real reports what was mended, or what the product does.
    Denies,
    /// Nothing can be said.
    Unknown,
    /// Something may be left open; the higher, the likelier.
    MayAdmit(i64),
    /// Something is left open.
    Admits,
}

/// How a sentence, a note or a row of a table reads in a text of `n_parts` of them. The more there are, the likelier it is
/// that one only looks like an admission.
pub(super) fn doubt(words: &str, n_parts: usize) -> Doubt {
    let score = MODEL.score(&features(words));
    let n_parts = u128::try_from(n_parts).unwrap_or(MAX_PARTS).clamp(1, MAX_PARTS);
    let n_doubled_eightfold = i64::from(n_parts.pow(8).ilog2());
    let added = MODEL.number(DOUBLED) * n_doubled_eightfold / 8 - MODEL.number(BIAS);
    let reaches = |place: usize, below: i64| score.reaches(MODEL.number(place) - below + added);
    if reaches(ADMITS, 0) {
        Doubt::Admits
    } else if reaches(MAY_ADMIT, 0) {
        Doubt::MayAdmit(score.squared())
    } else if reaches(MAY_ADMIT, FAR_BELOW) || score.reaches(NEVER_DENIES - MODEL.number(BIAS)) {
        Doubt::Unknown
    } else {
        Doubt::Denies
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::ops::Range;
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::judge::questions::document::Document;
    use crate::judge::questions::forms::Form;
    use crate::judge::questions::lines::Role;
    use crate::judge::questions::shapes::cells;
    use crate::judge::questions::training::{files, folder, open_worlds, stem, unmarked, worlds};

    #[test]
    fn nothing_admits_nothing() {
        assert!(doubt("", 1) < Doubt::MayAdmit(0));
    }

    #[test]
    fn no_length_of_a_text_takes_away_what_a_phrase_admits() {
        let neutral = "- `parser.rs` reads the header in one pass and keeps its place.\n";
        for admission in [
            "The retry logic is not implemented yet.", "One test fails.",
            "Error handling remains to be done.",
        ] {
            for n in [0, 30, 60, 200, 1000] {
                let text = format!("Done.\n\n{}\n{admission}\n", neutral.repeat(n));
                let document = Document::read(&text);
                let admits = document.sentences.iter().any(|sentence| sentence.forms.has(Form::Admits));
                assert!(admits, "{admission} behind {n} others");
            }
        }
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

    /// Where a sentence was written.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Written<'m> {
        Alone,
        /// In a message that as a whole admits nothing.
        InMessage,
        /// In this report, whose admissions are marked.
        InReport(&'m str),
    }

    /// The examples of admissions that the languages give.
    fn examples() -> Vec<String> {
        let mut all = Vec::new();
        for path in files(&folder("assets/lang"), "toml") {
            let language: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
            let examples = language["forms"]["admits"].get("examples").and_then(toml::Value::as_array);
            let examples = examples.into_iter().flatten().filter_map(toml::Value::as_str);
            all.extend(examples.map(str::to_owned));
        }
        all
    }

    /// The messages that are labelled as finished, each with its set.
    fn finished_messages() -> Vec<(String, String)> {
        let mut finished = Vec::new();
        let mut messages = files(&folder("tests/corpus"), "jsonl");
        let natural = std::env::var_os("CLOSEOUT_NATURAL").map(|folder| files(Path::new(&folder), "jsonl"));
        messages.extend(natural.into_iter().flatten().filter(|path| stem(path) != "check"));
        for path in messages {
            let set = stem(&path);
            for line in fs::read_to_string(&path).unwrap().lines() {
                let message: Value = serde_json::from_str(line).unwrap();
                if message["label"] == "COMPLETE" && message["ambiguous"] != true {
                    finished.push((set.clone(), message["text"].as_str().unwrap().to_owned()));
                }
            }
        }
        finished
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
        for path in files(&folder("tests/corpus/admissions"), "tsv") {
            let set = stem(&path);
            for line in fs::read_to_string(&path).unwrap().lines() {
                let [_, label, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                    panic!("{set}: {line}")
                };
                write(&set, Written::Alone, label, text);
            }
        }
        let mut open = open_worlds();
        let mut sets: Vec<_> = worlds().into_iter().map(|words| ("worlds".to_owned(), words)).collect();
        let vectors: Value =
            serde_json::from_str(include_str!("../../../tests/vectors/admissions.json")).unwrap();
        for case in vectors["cases"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            if case["is_open"] == false {
                sets.push(("vectors".to_owned(), text.to_owned()));
            } else if Document::read(text).sentences.len() == 1 {
                write("vectors", Written::Alone, "1", text);
            } else {
                open.push(text.to_owned());
            }
        }
        open.extend(examples());
        // What has a phrase of an admission where something is open.
        for text in &open {
            let document = Document::read(text);
            for sentence in document.sentences.iter().filter(|sentence| sentence.has_admitting_phrase) {
                write("open", Written::InMessage, "1", document.words(sentence));
            }
        }
        sets.extend(finished_messages());
        for (set, text) in sets {
            for (_, words) in parts(&Document::read(&text)) {
                write(&set, Written::InMessage, "0", &words);
            }
        }
        for path in files(&folder("tests/corpus/reports"), "txt") {
            let set = stem(&path);
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
