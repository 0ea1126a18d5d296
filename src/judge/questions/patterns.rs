//! The patterns that a word of a phrase may have (`interview*`, `*ing`, numbers), and which of them a word
//! matches. Must not know any phrase.

/// In a word pattern: any number of letters.
pub(super) const ANY_LETTERS: u8 = 1;
/// In a word pattern: at least one digit.
pub(super) const DIGITS: u8 = 2;

/// How many lists there are: of the patterns that a word with this first byte may match, and then of those that
/// begin with any letters, by the word's last byte.
pub(super) const N_LISTS: usize = 512;

/// The patterns of words, with the letters that identify their edges. `building` writes them.
pub(super) struct Patterns<'b> {
    /// Where each list begins in `listed`, and where the last one ends.
    lists: &'b [[u8; 2]],
    /// The patterns by number: letter, and where its bytes end.
    entries: &'b [[u8; 4]],
    /// The bytes of all patterns.
    bytes: &'b [u8],
    /// The numbers of the patterns, list by list.
    listed: &'b [[u8; 2]],
}

/// The next `count` records; none where the bytes end before them.
pub(super) const fn records<const SIZE: usize>(bytes: &[u8], count: usize) -> (&[[u8; SIZE]], &[u8]) {
    match bytes.split_at_checked(count * SIZE) {
        Some((records, rest)) => (records.as_chunks().0, rest),
        None => (&[], &[]),
    }
}

impl<'b> Patterns<'b> {
    /// The patterns in the bytes that `building` wrote.
    pub(super) const fn read(bytes: &'b [u8], n_listed: usize, n_patterns: usize) -> Patterns<'b> {
        let (lists, bytes) = records(bytes, N_LISTS + 1);
        let (listed, bytes) = records(bytes, n_listed);
        let (entries, bytes) = records(bytes, n_patterns);
        Patterns { lists, entries, bytes, listed }
    }

    /// The letters of the patterns that match the word.
    pub(super) fn of<'s>(&'s self, word: &'s [u8]) -> impl Iterator<Item = u32> + 's {
        let by_first = word.first().into_iter().flat_map(|byte| self.list(usize::from(*byte)));
        let by_last = word.last().into_iter().flat_map(|byte| self.list(256 + usize::from(*byte)));
        by_first.chain(by_last).filter(|(pattern, _)| matches(pattern, word)).map(|(_, letter)| letter)
    }

    fn list(&self, number: usize) -> impl Iterator<Item = (&'b [u8], u32)> {
        let start = |number: usize| usize::from(u16::from_le_bytes(self.lists[number]));
        self.listed[start(number)..start(number + 1)].iter().map(|pattern| {
            let number = usize::from(u16::from_le_bytes(*pattern));
            let end = |number: usize| {
                let [_, _, low, high] = self.entries[number];
                usize::from(u16::from_le_bytes([low, high]))
            };
            let begin = number.checked_sub(1).map_or(0, end);
            let [low, high, ..] = self.entries[number];
            (&self.bytes[begin..end(number)], u16::from_le_bytes([low, high]).into())
        })
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
