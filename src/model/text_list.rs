//! Many fixed texts in one: each stands behind its length, which one character tells. The loader sets every address in a
//! table at every start, and copies the table for that; such a list needs one address for all of its texts. The build script
//! writes them, by this file too. Must not know what a text means.

/// A list of texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextList(&'static str);

impl TextList {
    /// The list that a [`TextListWriter`] wrote.
    pub const fn of(written: &'static str) -> TextList {
        TextList(written)
    }

    /// The texts in their order.
    pub fn iter(self) -> impl Iterator<Item = &'static str> + Clone {
        self.from(0)
    }

    /// The texts from this place on.
    fn from(self, place: u32) -> impl Iterator<Item = &'static str> + Clone {
        let mut rest = self.0.get(place as usize..).unwrap_or_default();
        std::iter::from_fn(move || {
            let mut signs = rest.chars();
            let length = signs.next()?;
            let (text, behind) = signs.as_str().split_at_checked(length as usize)?;
            rest = behind;
            Some(text)
        })
    }

    /// The text at a place that the writer told.
    pub fn at(self, place: u32) -> &'static str {
        self.from(place).next().unwrap_or_default()
    }

    /// Whether this is one of the texts.
    pub fn contains(self, text: &str) -> bool {
        self.iter().any(|known| known == text)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// Texts by key.
#[derive(Debug, Clone, Copy)]
pub struct TextMap {
    /// Each key, and behind it its text.
    list: TextList,
    /// The [`number`] of each key, sorted, and where the key stands: numbers are compared faster than texts.
    places: &'static [(u32, u32)],
}

/// A number that no other key of a table has, which the build script sees to (FNV-1a).
pub(super) fn number(key: &str) -> u32 {
    key.bytes().fold(0x811c_9dc5, |number, byte| (number ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

impl TextMap {
    /// The keys at these places, sorted by their numbers, and the texts behind them.
    pub const fn of(list: TextList, places: &'static [(u32, u32)]) -> TextMap {
        TextMap { list, places }
    }

    /// The text of a key.
    pub fn get(self, key: &str) -> Option<&'static str> {
        let at = self.places.binary_search_by_key(&number(key), |(number, _)| *number).ok()?;
        let mut pair = self.list.from(self.places[at].1);
        pair.next().filter(|known| *known == key).and_then(|_| pair.next())
    }

    /// Each key with its text.
    #[cfg(test)]
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.places.iter().filter_map(move |(_, place)| {
            let key = self.list.at(*place);
            Some((key, self.get(key)?))
        })
    }
}

/// Writes a list.
#[derive(Debug, Default)]
pub struct TextListWriter(String);

impl TextListWriter {
    /// Adds a text, and tells its place; `None` if no character tells its length, which is then over 55 thousand bytes.
    pub fn add(&mut self, text: &str) -> Option<u32> {
        let place = u32::try_from(self.0.len()).ok()?;
        let length = char::from_u32(u32::try_from(text.len()).ok()?)?;
        self.0.push(length);
        self.0.push_str(text);
        Some(place)
    }

    /// What was written.
    pub fn written(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_by_its_turn_its_place_and_its_key() {
        let long = "長".repeat(400);
        let mut writer = TextListWriter::default();
        let places = ["b", "", &long, "a"].map(|text| writer.add(text).unwrap());
        assert_eq!(writer.add(&"x".repeat(0xd800)), None);
        let list = TextList::of(writer.written().leak());
        assert_eq!(list.iter().collect::<Vec<_>>(), ["b", "", &long, "a"]);
        assert_eq!(places.map(|place| list.at(place)), ["b", "", &long, "a"]);
        assert!(list.contains("a") && list.contains("") && !list.contains("ab") && !list.is_empty());
        let mut keys = [("b", places[0]), (&long, places[2])].map(|(key, place)| (number(key), place));
        keys.sort_unstable();
        let map = TextMap::of(list, Box::leak(Box::new(keys)));
        assert_eq!((map.get("b"), map.get(&long), map.iter().count()), (Some(""), Some("a"), 2));
        assert_eq!(map.get("a"), None, "it is no key");
        assert!(TextList::default().is_empty() && TextList::default().iter().next().is_none());
    }
}
