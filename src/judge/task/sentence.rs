//! Splits a prompt into sentences of plain words. Code and quotes are the person's material rather than their
//! request, and are left out. Must not interpret the words.

use unicode_normalization::UnicodeNormalization as _;

use crate::judge::word_split::words_in;

/// Sentences beyond this number are ignored.
const MAX_SENTENCES: usize = 100;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its words in lower case. In scripts without spaces, a word is a run of characters.
    pub(super) words: Vec<String>,
    /// Its characters without spaces and punctuation.
    pub(super) joined: String,
    /// Whether it ends with a question mark.
    pub(super) is_question: bool,
}

impl Sentence {
    /// Whether it is in a script whose words are not separated by spaces, or carry particles.
    pub(super) fn is_joined(&self) -> bool {
        self.joined.chars().any(is_joined)
    }
}

/// Whether this character belongs to a script whose phrases are found inside words.
pub(super) fn is_joined(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}')
}

/// The sentences of a prompt, without code and quotes.
pub(super) fn sentences(prompt: &str) -> Vec<Sentence> {
    let text: String = own_words(prompt).nfkc().flat_map(char::to_lowercase).collect();
    let mut sentences = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && sentences.len() < MAX_SENTENCES {
        let (sentence, after) = cut(rest);
        let sentence = read(sentence);
        // A second mark of the same question is no sentence.
        if !sentence.joined.is_empty() || sentence.is_question && sentences.is_empty() {
            sentences.push(sentence);
        }
        rest = after;
    }
    sentences
}

/// The text without fenced blocks, code spans and quoted lines.
fn own_words(prompt: &str) -> String {
    let mut own = String::with_capacity(prompt.len());
    let mut in_fence = false;
    for line in prompt.lines() {
        let begin = line.trim_start();
        if begin.starts_with("```") || begin.starts_with("~~~") {
            in_fence = !in_fence;
        } else if !in_fence && !begin.starts_with('>') {
            // A code span is a name, so it becomes a word of its own that is no verb.
            for (index, part) in line.split('`').enumerate() {
                own.push_str(if index % 2 == 0 { part } else { " § " });
            }
            own.push('\n');
        }
    }
    own
}

/// The first sentence with its final punctuation, and the rest of the text.
fn cut(text: &str) -> (&str, &str) {
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let end = at + sign.len_utf8();
        let is_end = match sign {
            '\n' | '。' => true,
            // A dot inside a name or a number does not end a sentence, nor does what ends a quotation within it.
            '.' | '!' | '?' | ';' => signs.peek().is_none_or(|(_, next)| {
                !matches!(next, '"' | '”' | '»' | '’') && !next.is_alphanumeric() || is_joined(*next)
            }),
            _ => false,
        };
        if is_end {
            return text.split_at(end);
        }
    }
    (text, "")
}

fn read(sentence: &str) -> Sentence {
    let is_question = sentence.trim_end().ends_with('?');
    let words: Vec<String> = words_in(&sentence.replace('’', "'"), &['\'', '-', '_', '§'])
        .map(|word| word.trim_matches(['\'', '-', '_']).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let joined = words.iter().flat_map(|word| word.chars()).collect();
    Sentence { words, joined, is_question }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_quotes_and_points_in_names_are_no_sentences() {
        let found = sentences("Fix `a.b`? See src/a.rs now.\n> add x\n```\nrm -rf\n```\nOK");
        let words: Vec<String> = found.iter().map(|sentence| sentence.words.join(" ")).collect();
        assert_eq!(words, ["fix §", "see src a rs now", "ok"]);
        assert!(found[0].is_question && !found[1].is_question);
    }

    #[test]
    fn full_width_marks_end_sentences_too() {
        let found = sentences("なぜですか？直して。");
        assert_eq!(found.len(), 2);
        assert!(found[0].is_question);
    }
}
