//! The features of a sentence that a learned reading knows: its words and their neighbours, by hashes. Must not know any
//! words.

use super::joined;

/// A longer sentence is read so far, in tokens.
const MAX_TOKENS: usize = 120;
/// The longest beginning of a word that stands for the whole, in characters.
const STEM: usize = 5;
/// The longest ending of a word that stands for its form, in characters.
const ENDING: usize = 3;

/// The kind of a feature.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Token,
    Stem,
    Ending,
    Pair,
    Triple,
    /// Two tokens with one between them.
    Around,
    /// Four signs of a script that is written without spaces.
    Signs,
    /// A token to the left of a mention, so many places away.
    Left,
    /// A token to the right of a mention, so many places away.
    Right,
    /// A token near a mention of one kind.
    Near,
    /// A token of the title above.
    Above,
    /// A token at the beginning of the sentence before.
    Before,
    /// Where the sentence stands.
    Place,
    /// What the rules read in a sentence.
    Rule,
}

/// The features of a sentence, each once, in order.
pub(super) fn features(words: &str) -> Vec<u32> {
    let mut found = features_of(&tokens(words));
    found.sort_unstable();
    found.dedup();
    found
}

/// The features of tokens: the words, how they begin and end, and what stands beside them.
pub(super) fn features_of(tokens: &[Token]) -> Vec<u32> {
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
    found
}

/// A word or a sign, by hashes of its characters in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) hash: u32,
    /// How it begins, if it is longer.
    pub(super) stem: Option<u32>,
    /// How it ends, if it is longer than its stem.
    ending: Option<u32>,
    /// Whether it is one sign of a script that is written without spaces.
    is_sign: bool,
}

impl Token {
    /// The token of these characters.
    pub(super) fn of(characters: impl Iterator<Item = char>) -> Token {
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
            is_sign = n_characters == 0 && joined::is_joined(character);
            n_characters += 1;
        }
        let is_long = n_characters > STEM;
        let ending = || last.into_iter().fold(NOTHING, with);
        Token { hash, stem: is_long.then_some(stem), ending: is_long.then(ending), is_sign }
    }
}

/// The tokens of a sentence between two marks for its ends: words and single signs. Code is one token, whatever it says,
/// and a number says only whether it is zero.
pub(super) fn tokens(words: &str) -> Vec<Token> {
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
        || !character.is_ascii() && character.is_alphabetic() && !joined::is_joined(character)
}

/// The hash of no characters.
const NOTHING: u32 = 0x811c_9dc5;

/// The hash of characters with one more behind them, by FNV-1a.
fn with(hash: u32, character: char) -> u32 {
    (hash ^ u32::from(character)).wrapping_mul(0x0100_0193)
}

/// A feature: its kind and the hashes of its tokens, as 28 bits.
pub(super) fn feature(kind: Kind, hashes: &[u32]) -> u32 {
    let mixed = hashes.iter().fold(kind as u32 + 1, |mixed, hash| {
        let mixed = (mixed.rotate_left(5) ^ hash).wrapping_mul(0x9e37_79b1);
        mixed ^ mixed >> 15
    });
    mixed >> 4
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
