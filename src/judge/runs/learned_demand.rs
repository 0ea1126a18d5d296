//! A learned reading of what a prompt demands, in words that no list of orders names: whether a mention of a check, a
//! command or an act is a demand. A linear model over the words around the mention; `tests/corpus/train_demands.py`
//! writes the weights. Must not know any words.

use super::Catalog;
use super::mention::{Mention, Subject, mentions};
use crate::judge::linear_model::LinearModel;
use crate::judge::sentence_features::{Kind, Token, feature, features_of, tokens};
use crate::model::CheckKind;

/// The model. Its head: the score from which on a mention is a demand, and the bias.
static MODEL: LinearModel = LinearModel(include_bytes!("../../../assets/demands.bin"));

/// The numbers of the head, by their places.
const DEMANDS: usize = 0;
const BIAS: usize = 3;
/// What stands in the place of the mention that is read.
const THIS: char = '\u{e010}';
/// What stands in the place of others that are run, or of other acts, as this one is.
const ALIKE: char = '\u{e011}';
/// What stands in the place of all others.
const OTHER: char = '\u{e012}';
/// How far from a mention a word counts by its side.
const SIDE: usize = 8;
/// How far from a mention the place of a word counts.
const NEAR: usize = 3;
/// How many words of the sentence before count.
const N_BEFORE: usize = 3;

/// A sentence of a prompt, or an item of a list, and what stands around it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence<'p> {
    pub(super) text: &'p str,
    /// The title of the list that it stands in.
    title: &'p str,
    before: Option<&'p str>,
    is_item: bool,
    is_first: bool,
    is_last: bool,
}

/// What a sentence may demand.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) subject: Subject,
    /// Its mentions in the sentence, those by commands first.
    pub(super) mentions: Vec<Mention>,
    pub(super) features: Vec<u32>,
}

impl Candidate {
    /// What of it is demanded, if anything is: all of its commands, or else what is named first.
    pub(super) fn demanded(&self) -> impl Iterator<Item = &Mention> {
        let n_calls = self.mentions.iter().filter(|mention| mention.call.is_some()).count();
        self.mentions.iter().take(n_calls.max(1))
    }

    /// Whether it is demanded.
    pub(super) fn is_demanded(&self) -> bool {
        MODEL.score(&self.features).reaches(MODEL.number(DEMANDS) - MODEL.number(BIAS))
    }
}

/// The sentences of a prompt, of which `own` are the lines that the person wrote.
pub(super) fn sentences(own: &str) -> Vec<Sentence<'_>> {
    let mut found: Vec<Sentence<'_>> = Vec::new();
    let mut title = "";
    for line in own.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let body = without_bullet(line);
        let is_item = body.len() < line.len();
        for text in parts(body) {
            let title = if is_item { title } else { "" };
            let before = found.last().map(|before| before.text);
            found.push(Sentence { text, title, before, is_item, is_first: before.is_none(), is_last: false });
        }
        if line.starts_with('#')
            || line.ends_with([':', '：'])
            || line.starts_with("**") && line.ends_with("**")
        {
            title = line.trim_matches(['#', '*', ':', '：', ' ']);
        } else if !is_item {
            title = "";
        }
    }
    if let Some(last) = found.last_mut() {
        last.is_last = true;
    }
    found
}

/// A line without the bullet, the number and the box of an item.
fn without_bullet(line: &str) -> &str {
    let bullet = line.strip_prefix(['-', '*', '•', '+']).or_else(|| {
        let rest = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())
    });
    let is_box = |rest: &&str| rest.starts_with('[') && rest.chars().nth(2) == Some(']');
    let body = bullet.filter(|rest| rest.starts_with(' ')).map_or(line, str::trim_start);
    Some(body)
        .filter(is_box)
        .and_then(|body| body.split_once(']'))
        .map_or(body, |(_, body)| body.trim_start())
}

/// The sentences of a line.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, sign) in line.char_indices() {
        let behind = at + sign.len_utf8();
        let is_blank = line[behind..].starts_with(char::is_whitespace);
        let is_dash = || line[..at].ends_with(' ') && is_blank;
        let (end, next) = match sign {
            '.' | '!' | '?' | ';' if is_blank => (behind, behind),
            '。' | '！' | '？' | '；' => (behind, behind),
            '-' | '–' | '—' if is_dash() => (at, behind),
            _ => continue,
        };
        parts.push(&line[begin..end]);
        begin = next;
    }
    parts.push(&line[begin..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// What a sentence may demand, each once.
pub(super) fn candidates(sentence: &Sentence<'_>, catalog: &Catalog) -> Vec<Candidate> {
    let all = mentions(sentence.text, catalog);
    let mut found: Vec<Candidate> = Vec::new();
    for mention in &all {
        if found.iter().any(|known| known.subject == mention.subject) {
            continue;
        }
        let subject = mention.subject;
        let mut mentions: Vec<Mention> = all.iter().filter(|it| it.subject == subject).cloned().collect();
        mentions.dedup_by(|next, first| {
            let is_joined = is_one_name(sentence.text, first, next);
            first.range.end = if is_joined { next.range.end } else { first.range.end };
            is_joined
        });
        mentions.sort_by_key(|it| it.call.is_none());
        found.push(Candidate { subject, mentions, features: features(sentence, subject, &all) });
    }
    found
}

/// Whether two mentions of one subject are one name: "green tests".
fn is_one_name(text: &str, first: &Mention, next: &Mention) -> bool {
    let between = text.get(first.range.end..next.range.start);
    first.call.is_none() && next.call.is_none() && between.is_some_and(|between| between.trim().is_empty())
}

/// The sentence with signs in the places of what it mentions.
fn masked(text: &str, subject: Subject, all: &[Mention]) -> String {
    let sign_of = |mention: &Mention| match mention.subject {
        it if it == subject => THIS,
        it if it.is_run() == subject.is_run() => ALIKE,
        _ => OTHER,
    };
    let mut marks: Vec<_> = all.iter().map(|it| (it.range.start, sign_of(it), it.range.end)).collect();
    marks.sort_by_key(|(begin, sign, end)| (*begin, *sign, std::cmp::Reverse(*end)));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (begin, sign, end) in marks {
        if begin >= at {
            out.extend([&text[at..begin], " "]);
            out.extend([sign, ' ']);
            at = end;
        }
    }
    out + &text[at..]
}

/// The features of what a sentence says of a subject, each once, in order.
fn features(sentence: &Sentence<'_>, subject: Subject, all: &[Mention]) -> Vec<u32> {
    let tokens_of = |text: &str| tokens(text).into_iter().map(|token| token.hash).collect::<Vec<u32>>();
    let read = tokens(&masked(sentence.text, subject, all));
    let mut found = features_of(&read);
    let this = Token::of(std::iter::once(THIS)).hash;
    let number = number_of(subject);
    let places = (0..read.len()).filter(|at| read[*at].hash == this);
    for place in places {
        for (at, token) in
            read.iter().enumerate().filter(|(at, _)| *at != place && at.abs_diff(place) <= SIDE)
        {
            let away = u32::try_from(at.abs_diff(place).min(NEAR)).unwrap_or_default();
            let side = if at < place { Kind::Left } else { Kind::Right };
            found.push(feature(side, &[token.hash]));
            found.push(feature(side, &[token.hash, away]));
            found.extend(token.stem.map(|stem| feature(side, &[stem])));
            if at.abs_diff(place) <= NEAR {
                found.push(feature(Kind::Near, &[token.hash, number]));
            }
        }
    }
    found.push(feature(Kind::Near, &[number]));
    found.extend(tokens_of(sentence.title).into_iter().map(|hash| feature(Kind::Above, &[hash])));
    let before = sentence.before.map(tokens_of).unwrap_or_default();
    found.extend(before.into_iter().skip(1).take(N_BEFORE).map(|hash| feature(Kind::Before, &[hash])));
    let facts = [
        sentence.is_item,
        sentence.is_first,
        sentence.is_last,
        sentence.is_first && sentence.is_last,
        !sentence.title.is_empty(),
    ];
    found.extend((0..).zip(facts).filter(|(_, holds)| *holds).map(|(n, _)| feature(Kind::Place, &[n])));
    found.sort_unstable();
    found.dedup();
    found
}

/// The number of a subject among all.
fn number_of(subject: Subject) -> u32 {
    match subject {
        Subject::Check(CheckKind::Test) => 1,
        Subject::Check(CheckKind::Lint) => 2,
        Subject::Check(CheckKind::Types) => 3,
        Subject::Check(CheckKind::Build) => 4,
        Subject::Call => 5,
        Subject::Act("push") => 6,
        Subject::Act("pull request") => 7,
        Subject::Act("merge") => 8,
        Subject::Act("tag") => 9,
        Subject::Act("publish") => 10,
        Subject::Act(_) => 11,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::ops::Range;
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::judge::runs::clause::own_words;
    use crate::judge::runs::{Demanded, Demands, Named};

    /// The label of a subject in the corpus.
    fn label(subject: Subject) -> &'static str {
        match subject {
            Subject::Check(CheckKind::Test) => "test",
            Subject::Check(CheckKind::Lint) => "lint",
            Subject::Check(CheckKind::Types) => "types",
            Subject::Check(CheckKind::Build) => "build",
            Subject::Call => "call",
            Subject::Act(act) => act,
        }
    }

    /// A prompt of the corpus without the marks around its demands, `⟦label|words⟧`, and the places of these.
    fn unmarked(prompt: &str) -> (String, Vec<(String, Range<usize>)>) {
        let (mut text, mut marks) = (String::new(), Vec::new());
        let mut rest = prompt;
        while let Some((before, behind)) = rest.split_once('⟦') {
            let (labels, behind) = behind.split_once('|').unwrap();
            let (words, behind) = behind.split_once('⟧').unwrap();
            text.push_str(before);
            let begin = text.len();
            text.push_str(words);
            marks.extend(labels.split('+').map(|label| (label.trim().to_owned(), begin..text.len())));
            rest = behind;
        }
        (text + rest, marks)
    }

    /// The labels of the marks that reach into a place of the person's own words. What these leave out is quoted, so a mark
    /// is found by its words.
    fn marked(
        own: &str,
        place: Range<usize>,
        (text, marks): (&str, &[(String, Range<usize>)]),
    ) -> Vec<String> {
        let is_there = |(_, mark): &&(String, Range<usize>)| {
            let words = &text[mark.clone()];
            let mut places = own.match_indices(words);
            words.len() == text.len()
                || places.any(|(at, _)| at < place.end && place.start < at + words.len())
        };
        marks.iter().filter(is_there).map(|(label, _)| label.clone()).collect()
    }

    /// Writes the input of `tests/corpus/train_demands.py`.
    #[test]
    #[ignore = "a tool: it writes the file that CLOSEOUT_FEATURES names"]
    fn write_mentions() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/demands");
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let mut out = String::new();
        for path in paths {
            let set = path.file_stem().unwrap().to_string_lossy().into_owned();
            let file = fs::read_to_string(&path).unwrap();
            for (n, prompt) in file.split("\n@@ ").enumerate() {
                let (head, prompt) = prompt.trim_start_matches("@@ ").split_once('\n').unwrap();
                let (language, whole) = head.split_once(' ').unwrap_or((head, ""));
                let (text, mut marks) = unmarked(prompt);
                // Of an unseen prompt it is known what it demands, and not where.
                let whole = whole.split('+').filter(|label| !matches!(*label, "" | "-"));
                marks.extend(whole.map(|label| (label.to_owned(), 0..text.len())));
                let own = own_words(&text);
                let mut labels: Vec<&String> = marks.iter().map(|(label, _)| label).collect();
                labels.sort();
                labels.dedup();
                let mut row = |(found, is_called): (&str, bool), is_demand: bool, features: &[u32]| {
                    let row = json!({
                        "set": set, "prompt": n, "language": language.trim(), "labels": labels,
                        "found": found, "is_called": is_called, "is_demand": is_demand, "features": features,
                    });
                    writeln!(out, "{row}").unwrap();
                };
                let demands = Demands::of(&text, Catalog::built_in());
                let of_check = |demanded: &Demanded| {
                    let kind = demanded.kind(Catalog::built_in());
                    (
                        label(kind.map_or(Subject::Call, Subject::Check)),
                        !matches!(demanded.what, Named::Kind(_)),
                    )
                };
                // What is read by orders and by what was learned before.
                let told = demands.checks.iter().map(of_check);
                for found in told.chain(demands.acts().map(|act| (act, false))) {
                    row(found, true, &[]);
                }
                row(("", false), false, &[]);
                for sentence in sentences(&own) {
                    let begin = sentence.text.as_ptr().addr() - own.as_ptr().addr();
                    let here = marked(&own, begin..begin + sentence.text.len(), (&text, &marks));
                    for candidate in candidates(&sentence, Catalog::built_in()) {
                        let name = label(candidate.subject);
                        let is_called = candidate.mentions.iter().any(|mention| mention.call.is_some());
                        // Of a command, people do not agree what it checks.
                        let is_run = |it: &str| ["call", "test", "lint", "types", "build"].contains(&it);
                        let is_demand = here.iter().any(|it| it == name || is_called && is_run(it));
                        row((name, is_called), is_demand, &candidate.features);
                    }
                }
            }
        }
        fs::write(std::env::var_os("CLOSEOUT_FEATURES").unwrap(), out).unwrap();
    }
}
