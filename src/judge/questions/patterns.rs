//! The patterns that a word of a phrase may have (`interview*`, `*ing`, numbers), and which of them a word
//! matches. Must not know any phrase.

/// In a word pattern: any number of letters.
pub(super) const ANY_LETTERS: u8 = 1;
/// In a word pattern: at least one digit.
pub(super) const DIGITS: u8 = 2;

/// The patterns of words, with the hashes that identify their edges.
pub(super) struct Patterns {
    /// By the first byte of the words that match.
    by_first: Vec<Vec<(Box<[u8]>, u64)>>,
    /// Those that begin with any letters, by the last byte.
    by_last: Vec<Vec<(Box<[u8]>, u64)>>,
}

impl Default for Patterns {
    /// No patterns.
    fn default() -> Self {
        Self { by_first: vec![Vec::new(); 256], by_last: vec![Vec::new(); 256] }
    }
}

impl Patterns {
    /// Adds a pattern with its hash.
    pub(super) fn add(&mut self, pattern: &[u8], hash: u64) {
        let add = |places: &mut Vec<(Box<[u8]>, u64)>| {
            if places.iter().all(|(_, known)| *known != hash) {
                places.push((pattern.into(), hash));
            }
        };
        match pattern {
            [DIGITS, ..] => (b'0'..=b'9').for_each(|digit| add(&mut self.by_first[usize::from(digit)])),
            [ANY_LETTERS, .., last] if *last > DIGITS => add(&mut self.by_last[usize::from(*last)]),
            [ANY_LETTERS, ..] => self.by_last.iter_mut().for_each(add),
            [first, ..] => add(&mut self.by_first[usize::from(*first)]),
            [] => {}
        }
    }

    /// The hashes of the patterns that match the word.
    pub(super) fn of<'s>(&'s self, word: &'s [u8]) -> impl Iterator<Item = u64> + 's {
        let by_first = word.first().into_iter().flat_map(|byte| &self.by_first[usize::from(*byte)]);
        let by_last = word.last().into_iter().flat_map(|byte| &self.by_last[usize::from(*byte)]);
        by_first.chain(by_last).filter(|(pattern, _)| matches(pattern, word)).map(|(_, hash)| *hash)
    }
}

/// Whether a word matches the pattern. A run of digits is always taken as a whole.
fn matches(pattern: &[u8], word: &[u8]) -> bool {
    let (mut p, mut w) = (0, 0);
    let mut retry = None;
    loop {
        match pattern.get(p) {
            None if w == word.len() => return true,
            Some(&ANY_LETTERS) => {
                retry = Some((p + 1, w));
                p += 1;
                continue;
            }
            Some(&DIGITS) => {
                let digits = word[w..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits > 0 {
                    p += 1;
                    w += digits;
                    continue;
                }
            }
            Some(&literal) if word.get(w) == Some(&literal) => {
                p += 1;
                w += 1;
                continue;
            }
            None | Some(_) => {}
        }
        match retry {
            Some((after, from)) if from < word.len() => {
                retry = Some((after, from + 1));
                (p, w) = (after, from + 1);
            }
            Some(_) | None => return false,
        }
    }
}
