//! Compiles the notation of the phrases in `assets/lang/`, which the top of `en.toml` explains, into nodes and
//! edges of a `network`. Must not search for phrases.

use super::forms::FormSet;
use serde::Deserialize;

use super::building::{Builder, word_hash};
use super::network::{BEGIN, ROOT, character_hash};
use super::patterns::{ANY_LETTERS, DIGITS};

/// How a language separates words, which decides how its phrases are matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spacing {
    /// Spaces separate words; a phrase matches whole words.
    Spaced,
    /// Spaces have no meaning; a phrase matches anywhere.
    Joined,
}

/// Why a phrase cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum NotationError {
    /// A bracket has no counterpart.
    #[error("a bracket without its partner")]
    Brackets,
    /// A word is longer than the space reserved for it.
    #[error("a word of more than {LONGEST} bytes")]
    LongWord,
}

/// The longest word of a phrase, in bytes.
const LONGEST: usize = 55;
/// How many times a repeated group may extend the same word.
const PROLONGED: usize = 1;
/// What `#` stands for in languages that do not separate words.
const NUMERALS: &str = "0123456789一二三四五六七八九十百千万数";

/// The part of a word that was read so far.
#[derive(Clone, Copy)]
struct Word {
    bytes: [u8; LONGEST],
    length: u8,
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Word {
    const EMPTY: Self = Self { bytes: [0; LONGEST], length: 0 };

    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn has_pattern(&self) -> bool {
        self.bytes().iter().any(|byte| matches!(*byte, ANY_LETTERS | DIGITS))
    }
}

/// A position in the network, and in one of its words.
#[derive(Clone, Copy)]
struct Place {
    node: u32,
    word: Word,
    /// Whether the sentence must end here.
    is_end: bool,
}

/// Adds a phrase of `group` to the network.
pub(super) fn add(
    network: &mut Builder,
    phrase: &str,
    words: Spacing,
    group: FormSet,
) -> Result<(), NotationError> {
    let (phrase, at_start) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
    let (phrase, at_end) = phrase.strip_suffix('$').map_or((phrase, false), |rest| (rest, true));
    // A gap at the end stands for the rest of the sentence.
    let open = if words == Spacing::Spaced { phrase.strip_suffix(" ...") } else { None };
    let start = Place { node: if at_start { BEGIN } else { ROOT }, word: Word::EMPTY, is_end: false };
    let mut reader = Reader { network, words, group, rest: open.unwrap_or(phrase) };
    let mut places = reader.alternatives(&[start])?;
    if !reader.rest.is_empty() {
        return Err(NotationError::Brackets);
    }
    reader.blank(&mut places);
    for place in places {
        network.ends(place.node, group, place.is_end || (at_end && open.is_none()));
    }
    Ok(())
}

struct Reader<'n, 'p> {
    network: &'n mut Builder,
    words: Spacing,
    group: FormSet,
    rest: &'p str,
}

impl<'p> Reader<'_, 'p> {
    /// Reads up to the end of the phrase, the group or the alternative.
    fn sequence(&mut self, mut places: Vec<Place>) -> Result<Vec<Place>, NotationError> {
        let gap = if self.words == Spacing::Spaced { " ... " } else { "..." };
        while let Some(c) = self.rest.chars().next() {
            if matches!(c, ')' | '|') {
                break;
            }
            let joined = self.words == Spacing::Joined;
            if let Some(after) = self.rest.strip_prefix(gap) {
                self.rest = after;
                self.blank(&mut places);
                self.gap(&mut places);
                continue;
            }
            self.rest = &self.rest[c.len_utf8()..];
            if c == ' ' && !joined {
                self.blank(&mut places);
                continue;
            }
            if c == '$' && joined {
                for place in &mut places {
                    place.is_end = true;
                }
                continue;
            }
            self.merge(&mut places);
            match c {
                '(' => places = self.group(places)?,
                '#' => self.number(&mut places)?,
                '*' if joined => self.gap(&mut places),
                '*' => lengthen(&mut places, &[ANY_LETTERS])?,
                '^' if joined => at_begin(&mut places),
                '\\' => {
                    let escaped = self.rest.chars().next().unwrap_or('\\');
                    self.rest = self.rest.get(escaped.len_utf8()..).unwrap_or_default();
                    self.literal(&mut places, escaped)?;
                }
                _ => self.literal(&mut places, c)?,
            }
        }
        Ok(places)
    }

    /// Whether a node may not be replaced by another: a beginning, or a gap.
    fn stays(&self, node: u32) -> bool {
        matches!(node, ROOT | BEGIN) || self.network.is_gap(node)
    }

    /// Whether what follows this position may occur anywhere after it, so that an
    /// optional part before it adds nothing.
    fn is_anywhere(&self, place: &Place) -> bool {
        place.word.is_empty() && !place.is_end && (place.node == ROOT || self.network.is_gap(place.node))
    }

    /// Merges positions in the same word that come from different nodes.
    fn merge(&mut self, places: &mut Vec<Place>) {
        if places.len() < 2 {
            return;
        }
        let (mut merged, mut rest): (Vec<Place>, Vec<Place>) =
            places.iter().partition(|place| place.is_end || self.stays(place.node));
        rest.sort_by(|one, other| one.word.bytes().cmp(other.word.bytes()));
        for same in rest.chunk_by(|one, other| one.word == other.word) {
            let mut place = same[0];
            if same.iter().any(|other| other.node != place.node) {
                place.node = self.network.node();
                for other in same {
                    self.network.join(other.node, place.node);
                }
            }
            merged.push(place);
        }
        *places = merged;
    }

    /// Ends the words. If none was begun, there would be two spaces in a row, which no sentence has.
    fn blank(&mut self, places: &mut Vec<Place>) {
        if self.words == Spacing::Joined {
            return;
        }
        places.retain(|place| !place.word.is_empty());
        for place in places {
            let word = place.word.bytes();
            place.node = if place.word.has_pattern() {
                self.network.pattern(place.node, word)
            } else {
                self.network.sign(place.node, word_hash(word))
            };
            place.word.length = 0;
        }
    }

    fn literal(&mut self, places: &mut Vec<Place>, c: char) -> Result<(), NotationError> {
        match self.words {
            Spacing::Spaced => lengthen(places, c.encode_utf8(&mut [0; 4]).as_bytes()),
            Spacing::Joined => {
                places.retain(|place| !place.is_end);
                for place in places {
                    place.node = self.network.sign(place.node, character_hash(c));
                }
                Ok(())
            }
        }
    }

    /// Reads a gap: any number of signs.
    fn gap(&mut self, places: &mut Vec<Place>) {
        let ended: Vec<Place> = places.extract_if(.., |place| place.is_end).collect();
        if places.is_empty() {
            *places = ended;
            return;
        }
        let node = if places.iter().any(|place| matches!(place.node, ROOT | BEGIN)) {
            ROOT
        } else {
            let node = self.network.gap(self.group);
            for place in &*places {
                self.network.join(place.node, node);
            }
            node
        };
        *places = ended;
        places.push(Place { node, word: Word::EMPTY, is_end: false });
    }

    /// Reads digits; between words, also a fraction.
    fn number(&mut self, places: &mut Vec<Place>) -> Result<(), NotationError> {
        if self.words == Spacing::Spaced {
            lengthen(places, &[DIGITS])?;
            let mut whole = places.clone();
            self.blank(&mut whole);
            for sign in [b".", b","] {
                let mut fraction = whole.clone();
                lengthen(&mut fraction, sign)?;
                self.blank(&mut fraction);
                lengthen(&mut fraction, &[DIGITS])?;
                places.append(&mut fraction);
            }
            return Ok(());
        }
        places.retain(|place| !place.is_end);
        if places.is_empty() {
            return Ok(());
        }
        let after = self.network.node();
        for from in places.iter().map(|place| place.node).chain([after]) {
            for numeral in NUMERALS.chars() {
                let to = self.network.sign(from, character_hash(numeral));
                self.network.join(to, after);
            }
        }
        *places = vec![Place { node: after, word: Word::EMPTY, is_end: false }];
        Ok(())
    }

    /// Reads a group after its opening bracket.
    fn group(&mut self, places: Vec<Place>) -> Result<Vec<Place>, NotationError> {
        let extent = extent(self.rest)?;
        let (inner, after) = (&self.rest[..extent.length], &self.rest[extent.length + 1..]);
        let ends_words = self.words == Spacing::Joined || !extent.is_glued;
        if let Some(after) = after.strip_prefix('*') {
            let found = self.repeated(&places, inner, ends_words)?;
            self.rest = after;
            return Ok(found);
        }
        let anywhere = places.iter().all(|place| self.is_anywhere(place));
        if anywhere && extent.has_empty && ends_words {
            self.rest = after;
            return Ok(places);
        }
        let found = self.alternatives(&places)?;
        self.rest = after;
        Ok(found)
    }

    /// Reads alternatives up to the closing bracket or the end of the phrase.
    fn alternatives(&mut self, places: &[Place]) -> Result<Vec<Place>, NotationError> {
        let mut found: Vec<Place> = Vec::new();
        loop {
            found.append(&mut self.sequence(places.to_vec())?);
            match self.rest.strip_prefix('|') {
                Some(next) => self.rest = next,
                None => return Ok(found),
            }
        }
    }

    /// Reads a group that may repeat any number of times. All paths to the same part of a word lead to one node
    /// before the group.
    fn repeated(
        &mut self,
        places: &[Place],
        inner: &'p str,
        ends_words: bool,
    ) -> Result<Vec<Place>, NotationError> {
        let mut entries: Vec<(Place, usize)> = Vec::new();
        for place in places {
            self.entry(&mut entries, *place, 0);
        }
        let mut next = 0;
        while let Some(&(entry, prolonged)) = entries.get(next) {
            next += 1;
            if ends_words && self.is_anywhere(&entry) {
                continue;
            }
            self.rest = inner;
            for place in self.alternatives(&[entry])? {
                let longer = place.word.length > entry.word.length
                    && place.word.bytes().starts_with(entry.word.bytes());
                if !longer {
                    self.entry(&mut entries, place, 0);
                } else if prolonged < PROLONGED {
                    self.entry(&mut entries, place, prolonged + 1);
                }
            }
        }
        Ok(entries.into_iter().map(|(entry, _)| entry).collect())
    }

    fn entry(&mut self, entries: &mut Vec<(Place, usize)>, place: Place, prolonged: usize) {
        if let Some((known, _)) =
            entries.iter().find(|(known, _)| known.word == place.word && known.is_end == place.is_end)
        {
            if known.node != place.node && known.node != ROOT {
                self.network.join(place.node, known.node);
            }
        } else if place.node == ROOT || self.network.is_gap(place.node) {
            entries.push((place, prolonged));
        } else {
            let node = self.network.node();
            self.network.join(place.node, node);
            entries.push((Place { node, ..place }, prolonged));
        }
    }
}

/// Extends the words.
fn lengthen(places: &mut [Place], more: &[u8]) -> Result<(), NotationError> {
    for place in places {
        let length = usize::from(place.word.length);
        let room = place.word.bytes.get_mut(length..length + more.len()).ok_or(NotationError::LongWord)?;
        room.copy_from_slice(more);
        place.word.length = u8::try_from(length + more.len()).map_err(|_| NotationError::LongWord)?;
    }
    Ok(())
}

/// Keeps only positions at the beginning of the sentence.
fn at_begin(places: &mut Vec<Place>) {
    places.retain(|place| matches!(place.node, ROOT | BEGIN));
    for place in places {
        place.node = BEGIN;
    }
}

/// What is known about a group before it is read.
#[derive(Clone, Copy)]
struct Extent {
    /// The position of its closing bracket.
    length: usize,
    /// Whether it may be empty.
    has_empty: bool,
    /// Whether one of its alternatives ends inside a word.
    is_glued: bool,
}

/// Scans the group whose opening bracket precedes `rest`.
fn extent(rest: &str) -> Result<Extent, NotationError> {
    let mut depth = 0_usize;
    let mut extent = Extent { length: 0, has_empty: false, is_glued: false };
    let mut last = b'|';
    let mut bytes = rest.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        if depth == 0 && matches!(byte, b')' | b'|') {
            extent.has_empty |= last == b'|';
            extent.is_glued |= !matches!(last, b'|' | b' ');
        }
        match byte {
            b')' if depth == 0 => return Ok(Extent { length: at, ..extent }),
            b'\\' => drop(bytes.next()),
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        // A bar inside brackets does not begin an alternative of this group.
        last = if depth > 0 { b'(' } else { byte };
    }
    Err(NotationError::Brackets)
}
