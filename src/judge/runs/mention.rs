//! What a sentence of a prompt mentions of what may be demanded: a check, a command, or an act outside the work tree. Must
//! not judge whether it is demanded.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::Catalog;
use super::acts::N_NAMING;
use super::named_check::{Demanded, Named, of_call, of_tool};
use super::wrapper::call_of;
use crate::judge::joined::is_joined;
use crate::judge::word_split::words_in;
use crate::judge::words;
use crate::model::CheckKind;

/// The acts that may be demanded.
const ACTS: [&str; 6] = ["push", "pull request", "merge", "tag", "publish", "deploy"];
/// How many words a command has at most that is named without backticks.
const MAX_CALL: usize = 6;
/// Signs around a word that are no part of it.
const AROUND: &[char] = &[
    '`', '"', '\'', '(', ')', '[', ']', '“', '”', '„', '«', '»', '*', '_', ',', ';', ':', '!', '?', '.', '…',
    '|', '→', '=', '+', '&', '<', '>', '{', '}', '~', '#',
];
/// Signs that end a clause.
const CLAUSE_ENDS: &[char] = &[',', ';', ':', '(', ')', '，', '、', '；', '：', '（', '）'];
/// Signs that end a word in a script without blanks.
const WIDE: &[char] = &['。', '、', '，', '；', '：', '！', '？', '（', '）', '「', '」', '『', '』', '・'];

/// What may be demanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// A check of this kind.
    Check(CheckKind),
    /// A command that no file lists.
    Call,
    /// An act outside the work tree, as `checks.toml` names it.
    Act(&'static str),
}

impl Subject {
    /// The act that it is.
    pub(super) fn act(self) -> Option<&'static str> {
        match self {
            Subject::Act(act) => Some(act),
            Subject::Check(_) | Subject::Call => None,
        }
    }

    /// Whether it is run in the work tree, and not an act outside.
    pub(super) fn is_run(self) -> bool {
        !matches!(self, Subject::Act(_))
    }
}

/// The names of all subjects, of the groups of `assets/words.toml`; `*` stands for the rest of a word.
struct Names {
    /// Whole words, in lower case.
    whole: HashMap<&'static str, Vec<Subject>>,
    /// Beginnings of words, by their first character.
    begins: HashMap<char, Vec<(&'static str, Subject)>>,
    ends: Vec<(&'static str, Subject)>,
    /// Those in scripts without blanks.
    joined: Vec<(&'static str, Subject)>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let groups = [
        (Subject::Check(CheckKind::Test), words::of("mentions_tests")),
        (Subject::Check(CheckKind::Test), words::of("mentions_green")),
        (Subject::Check(CheckKind::Lint), words::of("mentions_lint")),
        (Subject::Check(CheckKind::Types), words::of("mentions_types")),
        (Subject::Check(CheckKind::Build), words::of("mentions_build")),
        (Subject::Act("push"), words::of("mentions_push")),
        (Subject::Act("pull request"), words::of("mentions_pull_request")),
        (Subject::Act("merge"), words::of("mentions_merge")),
        (Subject::Act("tag"), words::of("mentions_tag")),
        (Subject::Act("publish"), words::of("mentions_publish")),
        (Subject::Act("deploy"), words::of("mentions_deploy")),
    ];
    let mut names =
        Names { whole: HashMap::new(), begins: HashMap::new(), ends: Vec::new(), joined: Vec::new() };
    for (name, subject) in
        groups.into_iter().flat_map(|(subject, names)| names.iter().map(move |name| (name, subject)))
    {
        if name.chars().any(is_joined) {
            names.joined.push((name, subject));
        } else if let Some(begin) = name.strip_suffix('*') {
            let first = begin.chars().next().unwrap_or_default();
            names.begins.entry(first).or_default().push((begin, subject));
        } else if let Some(end) = name.strip_prefix('*') {
            names.ends.push((end, subject));
        } else {
            names.whole.entry(name).or_default().push(subject);
        }
    }
    names
});

impl Names {
    /// What a word names, in lower case.
    fn of(&self, word: &str) -> Vec<Subject> {
        let begins = word.chars().next().and_then(|first| self.begins.get(&first)).into_iter().flatten();
        let begins = begins.filter(|(begin, _)| word.starts_with(begin));
        let ends = self.ends.iter().filter(|(end, _)| word.ends_with(end));
        let whole = self.whole.get(word).into_iter().flatten().copied();
        let mut found: Vec<Subject> = whole.chain(begins.chain(ends).map(|(_, subject)| *subject)).collect();
        found.dedup();
        found
    }
}

/// A place in a sentence that mentions something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) subject: Subject,
    /// Where, in bytes.
    pub(super) range: Range<usize>,
    /// The check that is called by its command.
    pub(super) call: Option<Demanded>,
}

/// What a sentence mentions, in order. The words of a command name nothing else.
pub(super) fn mentions(sentence: &str, catalog: &Catalog) -> Vec<Mention> {
    let mut found = in_code(sentence, catalog);
    let words: Vec<Range<usize>> = words_of(sentence).collect();
    let mut at = 0;
    while at < words.len() {
        let called = called_at(sentence, &words[at..], catalog);
        at += called.as_ref().map_or(1, |(_, n_words)| *n_words);
        found.extend(called.map(|(mention, _)| mention).filter(|mention| is_free(&found, &mention.range)));
    }
    let named = words.into_iter().flat_map(|range| parts_of(sentence, range));
    let named = named.flat_map(|range| named_in(sentence, &range)).chain(named_joined(sentence));
    let named: Vec<_> = named.filter(|(_, range)| is_free(&found, range)).collect();
    found.extend(named.into_iter().map(|(subject, range)| Mention { subject, range, call: None }));
    found.sort_by_key(|mention| (mention.range.start, mention.range.end));
    found
}

/// Whether none overlaps the place.
fn is_free(found: &[Mention], range: &Range<usize>) -> bool {
    found.iter().all(|known| known.range.end <= range.start || range.end <= known.range.start)
}

/// What stands between backticks and is a command, with the backticks.
fn in_code(sentence: &str, catalog: &Catalog) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(begin) = sentence[rest..].find('`').map(|at| rest + at) {
        let Some(end) = sentence[begin + 1..].find('`').map(|at| begin + 1 + at) else { break };
        let words: Vec<String> = sentence[begin + 1..end].split_whitespace().map(str::to_owned).collect();
        found.extend(of_words(&words, true, catalog).map(|(subject, call)| Mention {
            subject,
            range: begin..end + 1,
            call,
        }));
        rest = end + 1;
    }
    found
}

/// What these words are, all of them, if they are a command.
fn of_words(words: &[String], is_code: bool, catalog: &Catalog) -> Option<(Subject, Option<Demanded>)> {
    if let Some(act) = catalog.act_name(&call_of(words, None).words) {
        return ACTS.contains(&act).then_some((Subject::Act(act), None));
    }
    // "make" and its like are verbs, too: "make sure", "prove it".
    let is_verb = words.first().is_some_and(|it| words::of("tools_and_verbs").contains(&it.to_lowercase()))
        && words.get(1).is_none_or(|it| words::of("follows_verb").contains(&it.to_lowercase()));
    if is_verb && !is_code {
        return None;
    }
    if let Some(demanded) = of_tool(words, catalog) {
        let Named::Tool(name) = &demanded.what else { return None };
        return Some((Subject::Check(catalog.kind_of(name)?), Some(demanded)));
    }
    let demanded = of_call(words, catalog).filter(|_| is_code || is_plain_call(words))?;
    // "make deploy", "./scripts/publish.sh".
    let names_act = |word: &String| {
        words_in(word, &[])
            .flat_map(|part| NAMES.of(&part.to_lowercase()))
            .find(|subject| subject.act().is_some())
    };
    let is_runner = |word: &&String| words::of("call_runners").contains(word);
    if let Some(act) = words.iter().take(N_NAMING).filter(|word| !is_runner(word)).find_map(names_act) {
        return Some((act, None));
    }
    Some((Subject::Call, Some(demanded)))
}

/// Whether words outside backticks are surely a command, and no English: a script, or a runner with its target.
fn is_plain_call(words: &[String]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let is_script = ["./", "bin/", "scripts/"].iter().any(|begin| first.starts_with(begin));
    is_script || !rest.is_empty() && words::of("call_runners").contains(first)
}

/// The command that begins with the first of these words, outside backticks, and its number of words.
fn called_at(sentence: &str, words: &[Range<usize>], catalog: &Catalog) -> Option<(Mention, usize)> {
    let first = words.first()?;
    if sentence[first.clone()].chars().any(is_joined) {
        return None;
    }
    let is_next =
        |pair: &[Range<usize>]| sentence[pair[0].end..pair[1].start].chars().all(char::is_whitespace);
    let n_joined = 1 + words.windows(2).take(MAX_CALL - 1).take_while(|pair| is_next(pair)).count();
    let text = |range: &Range<usize>| sentence[range.clone()].to_owned();
    let mut call: Vec<String> = Vec::new();
    let shortest = (0..n_joined.min(4)).find_map(|at| {
        call.push(text(&words[at]));
        of_words(&call, false, catalog).map(|_| at + 1)
    })?;
    // Options, paths and targets behind it belong to it.
    let is_argument = |word: &str| word.starts_with('-') || word.contains(['/', ':', '=', '.']);
    let more = words[shortest..n_joined].iter().take_while(|range| is_argument(&sentence[(*range).clone()]));
    call.extend(more.map(text));
    let n_words = call.len();
    let (subject, call) =
        of_words(&call, false, catalog).or_else(|| of_words(&call[..shortest], false, catalog))?;
    Some((Mention { subject, range: first.start..words[n_words - 1].end, call }, n_words))
}

/// The words of a sentence, without the signs around them and what stands right beside them in a script without blanks.
fn words_of(sentence: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_cut = |sign: char| sign.is_whitespace() || is_joined(sign) || WIDE.contains(&sign);
    sentence.split(is_cut).filter_map(|raw| {
        let begin = raw.as_ptr().addr() - sentence.as_ptr().addr();
        let is_path = raw.contains("./") || raw.ends_with("/...");
        let front = raw.trim_start_matches(|sign| AROUND.contains(&sign) && !(sign == '.' && is_path));
        let word = if front.ends_with("/...") { front } else { front.trim_end_matches(AROUND) };
        let begin = begin + raw.len() - front.len();
        (!word.is_empty()).then_some(begin..begin + word.len())
    })
}

/// The parts of a word that stand for themselves: of "lint/typecheck" both, of a path or a file's name none.
fn parts_of(sentence: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let word = &sentence[range.clone()];
    let is_cut = |sign: char| AROUND.contains(&sign) && sign != '_' || matches!(sign, '/' | '’' | '–' | '—');
    if !word.contains(is_cut) {
        return vec![range];
    }
    let is_file = word.char_indices().any(|(at, sign)| {
        sign == '.' && word[at + 1..].starts_with(|next: char| next.is_ascii_alphanumeric())
    });
    let mut parts = Vec::new();
    let mut begin = 0;
    for part in word.split(is_cut) {
        parts.push(range.start + begin..range.start + begin + part.len());
        begin += part.len() + word[begin + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    let is_name = |part: &Range<usize>| part.is_empty() || !named_in(sentence, part).is_empty();
    if is_file || word.contains('/') && !parts.iter().all(is_name) {
        return Vec::new();
    }
    parts
}

/// What one word names.
fn named_in(sentence: &str, range: &Range<usize>) -> Vec<(Subject, Range<usize>)> {
    let lower = sentence[range.clone()].to_lowercase();
    let mut found = NAMES.of(&lower);
    if found.is_empty() {
        // "Squash-merge", "Playwright-Suite".
        found = lower.split('-').skip(1).flat_map(|part| NAMES.of(part)).collect();
    }
    // "PR 412" is there already.
    let is_numbered =
        || sentence[range.end..].trim_start_matches([' ', '#']).starts_with(|c: char| c.is_ascii_digit());
    found.retain(|subject| *subject != Subject::Act("pull request") || !is_numbered());
    found.into_iter().map(|subject| (subject, range.clone())).collect()
}

/// What is named in scripts without blanks, wherever it stands.
fn named_joined(sentence: &str) -> Vec<(Subject, Range<usize>)> {
    if !sentence.chars().any(is_joined) {
        return Vec::new();
    }
    // Of the same length, so that the places are the same.
    let lower = sentence.to_ascii_lowercase();
    let mut found: Vec<(Subject, Range<usize>)> = Vec::new();
    for (name, subject) in &NAMES.joined {
        for range in lower.match_indices(name).map(|(at, _)| at..at + name.len()) {
            let is_known = |(known, place): &(Subject, Range<usize>)| {
                known == subject && place.start < range.end && range.start < place.end
            };
            if !found.iter().any(is_known) {
                found.push((*subject, range));
            }
        }
    }
    found
}

impl Mention {
    /// What the prompt calls it: its name, or the clause if the name says little: "get it onto origin".
    pub(super) fn words(&self, sentence: &str) -> String {
        let name = sentence[self.range.clone()].trim_matches('`');
        let signs = words::of("mentions_green");
        let is_green = |word: &str| signs.iter().any(|sign| word.starts_with(sign.trim_end_matches('*')));
        let is_sign = name.to_lowercase().split_whitespace().all(is_green);
        let is_command = self.call.is_some() || name.len() < self.range.len();
        if is_command || self.subject.is_run() && !is_sign {
            return name.to_owned();
        }
        let before = sentence[..self.range.start].rsplit(CLAUSE_ENDS).next().unwrap_or_default();
        let behind = sentence[self.range.end..].split(CLAUSE_ENDS).next().unwrap_or_default();
        let clause = &sentence[self.range.start - before.len()..self.range.end + behind.len()];
        format!("“{}”", clause.trim().trim_end_matches('.'))
    }

    /// The check that it demands, which the prompt calls `words`.
    pub(super) fn demanded(&self, words: &str) -> Option<Demanded> {
        let of_kind = || match self.subject {
            Subject::Check(kind) => Some(Demanded::of_kind(kind, words.to_owned())),
            Subject::Call | Subject::Act(_) => None,
        };
        self.call.clone().or_else(of_kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sentence mentions, with the words.
    fn mentioned(sentence: &str) -> Vec<(String, &str)> {
        let name = |subject| match subject {
            Subject::Check(kind) => format!("{kind:?}"),
            Subject::Call => "call".to_owned(),
            Subject::Act(act) => act.to_owned(),
        };
        let all = mentions(sentence, Catalog::built_in()).into_iter();
        all.map(|mention| (name(mention.subject), &sentence[mention.range])).collect()
    }

    #[test]
    fn commands_and_names_of_checks_and_acts_are_mentioned() {
        for (sentence, expected) in [
            ("Run `npm test`, then push.", vec![("Test", "`npm test`"), ("push", "push")]),
            ("lint/typecheck have to be clean", vec![("Lint", "lint"), ("Types", "typecheck")]),
            ("cargo clippy -- -D warnings must pass", vec![("Lint", "cargo clippy -- -D")]),
            ("run ./scripts/smoke.sh --fast after it", vec![("call", "./scripts/smoke.sh --fast")]),
            ("npm testが通ることを確認してPRを出して", vec![("Test", "npm test"), ("pull request", "PR")]),
            ("改完跑一遍测试，再推送", vec![("Test", "测试"), ("push", "推送")]),
            ("The file tests/login.rs is long.", vec![]),
            ("Make sure that the latest version starts.", vec![]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(name, words)| (name.to_owned(), words)).collect();
            assert_eq!(mentioned(sentence), expected, "{sentence}");
        }
    }
}
