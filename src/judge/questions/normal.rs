//! The form of a sentence in which phrases are searched: lower case, normal-width characters, without emphasis,
//! and with one placeholder for each part that is not the writer's own voice. Must not search for phrases.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::masks::Masked;
use crate::judge::joined;

/// A sentence, ready for matching.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Normal {
    /// With one space between words and punctuation and at both ends; empty if there are no words in a script
    /// that separates them.
    pub(super) spaced: String,
    /// Without spaces; empty if the sentence has no script that does without them.
    pub(super) joined: String,
    /// How many letters and digits there are outside code and quotes.
    pub(super) letters: usize,
    /// How many words there are, if the script separates them.
    pub(super) words: usize,
}

/// Folds `text`. `masks` are the sorted byte ranges in it that are not the writer's own voice.
pub(super) fn form(text: &str, masks: &[(Range<usize>, Masked)]) -> Normal {
    let mut writer = Writer::default();
    writer.out.reserve(text.len() + 8);
    writer.out.push(' ');
    let mut at = 0;
    for (range, kind) in masks {
        if range.start > at {
            writer.text(&text[at..range.start.min(text.len())]);
        }
        writer.sign(if *kind == Masked::Quote { '"' } else { '`' });
        at = range.end.min(text.len()).max(at);
    }
    writer.text(&text[at..]);
    writer.finish()
}

#[derive(Default)]
struct Writer {
    out: String,
    joined_script: bool,
    spaced_letters: usize,
    letters: usize,
    words: usize,
    in_word: bool,
}

impl Writer {
    fn text(&mut self, text: &str) {
        if text.is_ascii() {
            text.bytes().for_each(|byte| self.push(char::from(byte)));
        } else if text
            .chars()
            .any(|c| matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' | '\u{ff61}'..='\u{ff9f}'))
        {
            text.nfkc().for_each(|c| self.push(c));
        } else {
            for c in text.chars() {
                match c {
                    '\u{ff01}'..='\u{ffef}'
                    | '\u{3300}'..='\u{33ff}'
                    | '\u{2460}'..='\u{24ff}'
                    | '\u{a0}' => {
                        c.nfkc().for_each(|c| self.push(c));
                    }
                    _ => self.push(c),
                }
            }
        }
    }

    fn push(&mut self, c: char) {
        match c {
            'a'..='z' | '0'..='9' => self.letter(c, false),
            'A'..='Z' => self.letter(c.to_ascii_lowercase(), false),
            '\'' | '\u{2019}' | '\u{2bc}' if self.in_word => self.out.push('\''),
            '\'' | '\u{2019}' | '\u{2bc}' => {}
            '-' | '\u{2010}' | '\u{2011}' if self.in_word => self.out.push('-'),
            '-' | '\u{2013}' | '\u{2014}' | '\u{2015}' => self.sign('-'),
            '.' | ',' | ':' | ';' | '?' | '!' | '(' | ')' | '[' | ']' | '/' | '|' | '。' | '、' | '`'
            | '%' => {
                self.sign(c);
            }
            '\u{2026}' => self.sign('.'),
            '\u{60c}' => self.sign(','),
            _ if c.is_whitespace() => self.blank(),
            _ if c.is_alphanumeric() || c == '々' || c == 'ー' => {
                let joined = joined::is_joined(c);
                for lower in c.to_lowercase() {
                    self.letter(lower, joined);
                }
            }
            _ => {}
        }
    }

    fn letter(&mut self, c: char, joined: bool) {
        if !self.in_word {
            self.in_word = true;
            self.words += 1;
        }
        self.letters += 1;
        if joined {
            self.joined_script = true;
        } else {
            self.spaced_letters += 1;
        }
        self.out.push(c);
    }

    fn blank(&mut self) {
        if self.in_word {
            self.end_word();
        }
    }

    /// Ends the word, without trailing hyphens and apostrophes.
    fn end_word(&mut self) {
        while self.out.ends_with(['-', '\'']) {
            self.out.pop();
        }
        self.in_word = false;
        self.out.push(' ');
    }

    fn sign(&mut self, c: char) {
        if self.in_word {
            self.end_word();
        }
        self.out.push(c);
        self.out.push(' ');
    }

    fn finish(mut self) -> Normal {
        if self.in_word {
            self.end_word();
        }
        let joined =
            if self.joined_script { self.out.chars().filter(|c| *c != ' ').collect() } else { String::new() };
        let spaced = if self.joined_script && self.spaced_letters < 12 { String::new() } else { self.out };
        Normal { spaced, joined, letters: self.letters, words: self.words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_signs_stand_between_single_blanks() {
        assert_eq!(form("**Shall**  I\u{2019}ll go\u{2014}now?", &[]).spaced, " shall i'll go - now ? ");
    }

    #[test]
    fn full_width_signs_are_folded_and_blanks_dropped() {
        assert_eq!(form("ＡとＢ、 どちら？", &[]).joined, "aとb、どちら?");
    }

    #[test]
    fn code_is_one_sign() {
        assert_eq!(form("run `x?` now", &[(4..8, Masked::Code)]).spaced, " run ` now ");
    }
}
