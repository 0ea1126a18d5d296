//! The clauses of a prompt as words, and the phrases of `assets/tasks.toml` in them. Must not know what a clause asks for.

use crate::judge::task::phrases::{Group, PHRASES};
use crate::judge::words;

/// Signs that end a clause.
pub(super) const ENDS: &[char] = &['.', ';', '!', '?', ',', ':', '。', '、', '，', '；', '！', '：', '？'];
/// Signs around a word that are no part of it.
pub(super) const QUOTES: &[char] = &['`', '"', '\'', '(', ')', '“', '”', '„', '«', '»', '「', '」'];

/// The words of a clause, as they are written and in lower case.
#[derive(Default)]
pub(super) struct Clause {
    pub(super) words: Vec<String>,
    pub(super) lower: Vec<String>,
    /// Whether each word stands in the prompt as code, between backticks.
    pub(super) is_code: Vec<bool>,
    /// The word that joins it to the clause before it, such as `and`, in lower case; empty where none does.
    pub(super) joint: String,
    /// Whether it begins a line or follows the end of a sentence.
    pub(super) begins_sentence: bool,
    /// Whether it stands below a title such as "acceptance criteria": what it says has to hold at the end.
    pub(super) is_criterion: bool,
}

/// The prompt without quoted lines and fenced blocks, which are the user's material.
pub(in crate::judge) fn own_lines(prompt: &str) -> String {
    let mut is_code = false;
    let own = prompt.lines().filter(|line| {
        let begin = line.trim_start();
        let is_border = begin.starts_with("```") || begin.starts_with("~~~");
        is_code ^= is_border;
        !is_border && !is_code && !begin.starts_with('>')
    });
    own.collect::<Vec<&str>>().join("\n")
}

/// How many words in quotation marks are somebody else's sentence, and no name or command.
const QUOTED_SENTENCE: usize = 5;
/// Quotation marks in pairs.
const QUOTATION: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];

/// The person's own words in a prompt: its own lines, without sentences in quotation marks.
pub(super) fn own_words(prompt: &str) -> String {
    let lines = own_lines(prompt);
    let lines: Vec<String> = lines.lines().map(without_quotations).collect();
    lines.join("\n")
}

/// A line without the sentences that it quotes.
fn without_quotations(line: &str) -> String {
    let mut own = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((at, open)) =
        rest.char_indices().find(|(_, sign)| QUOTATION.iter().any(|(open, _)| open == sign))
    {
        let inside = &rest[at + open.len_utf8()..];
        let closes = |sign: char| QUOTATION.iter().any(|(begin, end)| *begin == open && *end == sign);
        let Some(end) = inside.find(closes) else { break };
        let quoted = &inside[..end];
        let behind = &inside[end..];
        let n_words = quoted.split_whitespace().count();
        let is_sentence =
            n_words >= QUOTED_SENTENCE || open == '「' && quoted.chars().count() > 3 * QUOTED_SENTENCE;
        own.push_str(&rest[..at + open.len_utf8()]);
        own.push_str(if is_sentence { "…" } else { quoted });
        let close = behind.chars().next().map_or(0, char::len_utf8);
        own.push_str(&behind[..close]);
        rest = &behind[close..];
    }
    own + rest
}

pub(super) fn clauses(prompt: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for line in prompt.lines() {
        let mut clause = Clause { begins_sentence: true, ..Clause::default() };
        let mut raw_words = line.split_whitespace().peekable();
        let mut is_open = false;
        while let Some(raw) = raw_words.next() {
            let is_code = is_open || raw.contains('`');
            is_open ^= raw.matches('`').count() % 2 == 1;
            let bare = raw.trim_matches(QUOTES);
            // The dots of `./...` belong to the name.
            let word = bare.trim_end_matches(|sign| QUOTES.contains(&sign) || ENDS.contains(&sign));
            // So does a dot by itself: `ruff check .`.
            let is_name = bare.ends_with("/...") || bare.ends_with('/') || bare == ".";
            let word = if is_name { bare } else { word };
            // The number of an item in a list.
            let is_item = clause.words.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            let lower = [word.to_lowercase()];
            if PHRASES.has(&lower, Group::Joint) && !is_code {
                let [joint] = lower;
                clauses.push(std::mem::replace(&mut clause, Clause { joint, ..Clause::default() }));
            } else if (is_name || word.contains(char::is_alphanumeric)) && !is_item {
                let [lower] = lower;
                clause.words.push(word.to_owned());
                clause.lower.push(lower);
                clause.is_code.push(is_code);
            }
            // A comma before `dass` ends nothing: "stelle sicher, dass alle Tests laufen".
            let goes_on = raw_words.peek().is_some_and(|next| ["dass", "daß"].contains(next));
            if bare.ends_with(ENDS) && !is_name && !goes_on {
                let begins_sentence = !bare.ends_with([',', ':', '、', '，']);
                clauses.push(std::mem::replace(&mut clause, Clause { begins_sentence, ..Clause::default() }));
            }
        }
        clauses.push(clause);
    }
    clauses.retain(|clause| !clause.words.is_empty());
    let is_title = |clause: &Clause| clause.starts(0, Group::Criteria) == Some(clause.lower.len());
    if let Some(title) = clauses.iter().position(is_title) {
        clauses[title..].iter_mut().for_each(|clause| clause.is_criterion = true);
    }
    clauses
}

impl Clause {
    /// The folder that the clause names behind a word such as "in": only a path is one.
    pub(super) fn folder(&self) -> Option<String> {
        let mut pairs = self.lower.iter().zip(self.words.iter().skip(1));
        let is_path =
            |word: &str| word.contains('/') && !word.contains(['*', ':', '\\']) && !word.contains("...");
        let before_folder = words::of("before_folder");
        let (_, folder) = pairs.find(|(before, word)| before_folder.contains(before) && is_path(word))?;
        Some(folder.trim_start_matches("./").trim_end_matches(['/', '.']).to_owned())
    }

    /// Where the words begin behind a folder that the clause begins with: "in backend/ `pytest` has to pass".
    pub(super) fn behind_folder(&self, begin: usize) -> usize {
        let is_before = |word: &String| words::of("before_folder").contains(word);
        let is_folder = |word: &String| word.contains('/') && !word.contains(['*', ':', '\\']);
        let is_there =
            self.lower.get(begin).is_some_and(is_before) && self.lower.get(begin + 1).is_some_and(is_folder);
        if is_there { begin + 2 } else { begin }
    }

    /// The bare name behind a word such as "in", which may be that of a folder.
    pub(super) fn near(&self) -> Option<String> {
        let before_folder = words::of("before_folder");
        let at = self.lower.iter().position(|word| before_folder.contains(word))?;
        self.words.get(self.after(at + 1, &[Group::Articles])).cloned()
    }

    pub(super) fn starts(&self, at: usize, group: Group) -> Option<usize> {
        PHRASES.starts(self.lower.get(at..)?, &[group])
    }

    /// The first word from `at` on that is code or begins no phrase of `groups`.
    pub(super) fn after(&self, mut at: usize, groups: &[Group]) -> usize {
        while self.is_code.get(at) == Some(&false)
            && let Some(n_words) = self.lower.get(at..).and_then(|rest| PHRASES.starts(rest, groups))
        {
            at += n_words;
        }
        at
    }

    /// Where the first phrase of `group` begins from `at` on, and its number of words.
    pub(super) fn find(&self, at: usize, group: Group) -> Option<(usize, usize)> {
        (at..self.lower.len()).find_map(|at| Some((at, self.starts(at, group)?)))
    }
}
