//! The language of a text and of each passage in it, determined by script, and by common words for languages
//! that share a script. Must not know what the words mean.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantArray;

use super::network;
use crate::judge::joined::is_joined;

/// A language that the judge reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, JsonSchema)]
#[derive(VariantArray)]
pub enum Language {
    /// English, and what is no other language of this list.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Japanese.
    #[serde(rename = "ja")]
    Japanese,
    /// Chinese.
    #[serde(rename = "zh")]
    Chinese,
    /// Korean.
    #[serde(rename = "ko")]
    Korean,
    /// Spanish.
    #[serde(rename = "es")]
    Spanish,
    /// German.
    #[serde(rename = "de")]
    German,
    /// French.
    #[serde(rename = "fr")]
    French,
    /// Portuguese.
    #[serde(rename = "pt")]
    Portuguese,
}

impl Language {
    /// The two letters of the language.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
            Self::Chinese => "zh",
            Self::Korean => "ko",
            Self::Spanish => "es",
            Self::German => "de",
            Self::French => "fr",
            Self::Portuguese => "pt",
        }
    }

    /// Whether phrases are matched without regard to spaces.
    pub(super) fn is_joined(self) -> bool {
        matches!(self, Self::Japanese | Self::Chinese | Self::Korean)
    }
}

/// How many letters of a text are looked at to tell whether its script is known.
const LETTERS: usize = 2000;

/// Whether most letters of the text are in a script that one of the languages is written in.
pub(super) fn can_be_read(text: &str) -> bool {
    let is_known = |c: char| u32::from(c) < 0x250 || is_joined(c);
    let letters = text.chars().filter(|c| c.is_alphabetic()).take(LETTERS);
    let (known, all) = letters.fold((0, 0), |(known, all), c| (known + usize::from(is_known(c)), all + 1));
    known * 2 >= all
}

/// How many languages there are.
const COUNT: usize = Language::VARIANTS.len();

/// Common words of the languages in Latin script, each list with its language.
const COMMON: [(Language, &[&str]); 5] = [
    (
        Language::English,
        &[
            "the", "and", "is", "are", "was", "to", "of", "in", "that", "this", "with", "for", "it", "you",
            "your", "not", "have", "has", "be", "been", "will", "i", "i'll", "i've", "can", "would", "or",
            "should", "from", "do", "on", "by", "if", "were", "what", "which", "there", "when", "all", "any",
            "now", "we", "want", "like", "let", "me", "at", "an", "as",
        ],
    ),
    (
        Language::German,
        &[
            "der", "die", "das", "und", "ist", "nicht", "ich", "sie", "ein", "eine", "mit", "für", "auf",
            "den", "dem", "zu", "von", "werden", "wird", "wurde", "sind", "oder", "auch", "wenn", "soll",
            "möchten", "möchtest", "du", "dir", "habe", "wie", "es", "im", "kann", "noch", "bitte", "jetzt",
            "alle", "nur", "aus", "bei", "was", "nach", "einen", "hat", "alles", "klar", "mir", "sich",
            "diese", "zuerst", "dann",
        ],
    ),
    (
        Language::French,
        &[
            "le", "la", "les", "des", "et", "est", "un", "une", "pour", "dans", "que", "qui", "vous", "je",
            "pas", "sur", "avec", "ce", "cette", "sont", "du", "au", "aux", "ou", "si", "plus", "par",
            "être", "votre", "nous", "il", "tu", "mais", "tout", "fait", "j'ai", "c'est", "ne", "en", "de",
            "à", "ont", "été", "quel", "quelle", "ici", "sans", "cela", "ça",
        ],
    ),
    (
        Language::Spanish,
        &[
            "el", "la", "los", "las", "de", "que", "y", "en", "un", "una", "es", "por", "para", "con", "no",
            "se", "lo", "está", "al", "del", "como", "más", "pero", "si", "tu", "quieres", "son", "ha", "he",
            "esto", "su", "están", "ahora", "también", "todo", "hay", "este", "esta", "puedo", "debo",
            "cuál", "qué", "cómo", "cuando", "aquí", "necesito", "sin", "ya",
        ],
    ),
    (
        Language::Portuguese,
        &[
            "o", "os", "as", "de", "que", "e", "em", "um", "uma", "é", "para", "com", "não", "se", "na",
            "no", "da", "dos", "das", "por", "mais", "como", "mas", "foi", "você", "está", "são", "ou",
            "isso", "seu", "sua", "já", "ao", "pelo", "pela", "tem", "agora", "também", "este", "esta",
            "quer", "eu", "vou", "à", "do", "posso", "devo", "qual", "quando", "preciso", "pode", "aqui",
            "ainda", "foram", "tiver", "testes",
        ],
    ),
];

/// The longest of these words, in bytes.
const LONGEST: usize = 9;

/// For each of these words, one bit per language that uses it.
static USED_BY: LazyLock<HashMap<&[u8], u8, BuildHasherDefault<WordHasher>>> = LazyLock::new(|| {
    let mut used_by = HashMap::default();
    for (language, words) in COMMON {
        for word in words {
            *used_by.entry(word.as_bytes()).or_default() |= 1_u8 << language as u8;
        }
    }
    used_by
});

/// Hashes words as the networks do. The words are fixed, so nobody can choose them to collide.
struct WordHasher(u64);

impl Default for WordHasher {
    fn default() -> Self {
        Self(network::START)
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| network::take(hash, byte));
    }

    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        network::spread(self.0)
    }
}

/// The share of each language in a passage, in words or in characters of its script.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Share {
    words: [u32; COUNT],
    kana: u32,
    han: u32,
    hangul: u32,
    latin: u32,
}

impl Share {
    /// Adds the words of a passage.
    pub(super) fn add(&mut self, text: &str) {
        if text.is_ascii() {
            let is_sign = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'\'');
            text.as_bytes().split(is_sign).filter(|word| !word.is_empty()).for_each(|word| self.word(word));
            return;
        }
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '\u{2019}')) {
            let Some(first) = word.chars().next() else { continue };
            if first.is_ascii() || (!is_joined(first) && word.len() < 12) {
                self.word(word.as_bytes());
            }
            if !word.is_ascii() {
                for c in word.chars() {
                    self.letter(c);
                    match c {
                        '\u{3040}'..='\u{30ff}' => self.kana += 1,
                        '\u{ac00}'..='\u{d7a3}' => self.hangul += 1,
                        c if is_joined(c) => self.han += 1,
                        _ => {}
                    }
                }
            }
        }
    }

    /// Counts a letter that only some of the languages have.
    fn letter(&mut self, c: char) {
        let languages: &[Language] = match c {
            'ã' | 'õ' | 'Ã' | 'Õ' => &[Language::Portuguese, Language::Portuguese],
            'ñ' => &[Language::Spanish, Language::Spanish],
            'ä' | 'ö' | 'ü' | 'ß' | 'Ä' | 'Ö' | 'Ü' => &[Language::German],
            'è' | 'œ' | 'û' | 'î' | 'ï' => &[Language::French],
            'ç' => &[Language::Portuguese, Language::French],
            'á' | 'í' | 'ó' | 'ú' => &[Language::Spanish, Language::Portuguese],
            'ê' | 'à' | 'â' | 'ô' => &[Language::French, Language::Portuguese],
            'é' => &[Language::Spanish, Language::French, Language::Portuguese],
            _ => &[],
        };
        for language in languages {
            self.words[*language as usize] += 1;
        }
    }

    fn word(&mut self, word: &[u8]) {
        self.latin += 1;
        // A word in capitals is a mark or a name, whatever the language: "TODO" is no Spanish.
        let is_mark = word.len() > 1 && word.iter().all(u8::is_ascii_uppercase);
        if word.len() > LONGEST || is_mark {
            return;
        }
        let mut lower = [0; LONGEST];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        let languages = match USED_BY.get(&*lower) {
            None if !word.is_ascii() => {
                let lower = String::from_utf8_lossy(word).to_lowercase().replace('\u{2019}', "'");
                USED_BY.get(lower.as_bytes()).copied()
            }
            found => found.copied(),
        };
        let mut languages = languages.unwrap_or_default();
        while languages != 0 {
            self.words[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }

    /// The language of a text: by its script, or else the one with the most common words.
    pub(super) fn of_text(&self) -> Language {
        self.language(Language::default(), 1)
    }

    /// The language of a passage in a text of language `expected`. Another language
    /// must lead by at least two words.
    pub(super) fn of_passage(&self, expected: Language) -> Language {
        self.language(expected, 2)
    }

    fn language(&self, expected: Language, lead: u32) -> Language {
        let joined = self.kana + self.han + self.hangul;
        // A character of these scripts says about as much as half a word.
        if joined > self.latin {
            return self.joined(expected);
        }
        if joined > 0 && expected.is_joined() && joined * 2 >= self.latin.min(24) {
            return self.joined(expected);
        }
        let latin = if expected.is_joined() { Language::English } else { expected };
        let most = Language::VARIANTS.iter().copied().fold(latin, |best, language| {
            if self.words[language as usize] > self.words[best as usize] { language } else { best }
        });
        let ahead = self.words[most as usize] - self.words[latin as usize];
        if ahead >= lead { most } else { latin }
    }

    fn joined(&self, expected: Language) -> Language {
        if self.hangul > self.kana + self.han / 2 {
            Language::Korean
        } else if self.kana * 12 > self.han
            || (expected == Language::Japanese && (self.kana > 0 || self.han < 12))
        {
            Language::Japanese
        } else {
            Language::Chinese
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> &'static str {
        let mut share = Share::default();
        share.add(text);
        share.of_text().code()
    }

    #[test]
    fn the_language_of_a_sentence_is_known_by_script_and_common_words() {
        let cases = [
            ("The tests pass and the branch is pushed.", "en"),
            ("テストは通りました。API の型も直しました。", "ja"),
            ("测试都通过了，要我提交吗？", "zh"),
            ("테스트가 통과했습니다. API 문서도 고쳤습니다.", "ko"),
            ("Las pruebas pasan y el archivo está en su sitio.", "es"),
            ("Die Tests laufen, soll ich die Änderungen auch noch committen?", "de"),
            ("Les tests passent et la branche est poussée.", "fr"),
            ("Os testes passam e o arquivo já foi atualizado, não há mais erros.", "pt"),
            ("Quer que eu atualize a documentação também?", "pt"),
            ("`cargo build`", "en"),
        ];
        for (text, language) in cases {
            assert_eq!(of(text), language, "{text}");
        }
    }
}
