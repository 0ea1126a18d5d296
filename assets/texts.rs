//! Writes lists of texts as Rust. Must not know what a text means.

use std::collections::BTreeMap;

use super::Outcome;
use super::text_list::{TextListWriter, number};

/// Texts that the tables beside them name by their places.
#[derive(Default)]
pub(crate) struct Texts(TextListWriter);

impl Texts {
    /// Adds a text and tells its place.
    pub(crate) fn place(&mut self, text: &str) -> Outcome<u32> {
        self.0.add(text).ok_or_else(|| format!("too long a text: {text}").into())
    }

    /// The list as Rust.
    pub(crate) fn rust(self) -> String {
        format!("TextList::of({:?})", self.0.written())
    }
}

/// Texts as the one text that is their list.
pub(crate) fn joined(texts: &[impl AsRef<str>]) -> Outcome<String> {
    let mut list = Texts::default();
    texts.iter().try_for_each(|text| list.place(text.as_ref()).map(|_| ()))?;
    Ok(list.0.written())
}

/// A list as Rust.
pub(crate) fn list(texts: &[impl AsRef<str>]) -> Outcome<String> {
    Ok(format!("TextList::of({:?})", joined(texts)?))
}

/// Texts by key as Rust.
pub(crate) fn map(pairs: &[(impl AsRef<str>, impl AsRef<str>)]) -> Outcome<String> {
    let mut list = Texts::default();
    let mut places = BTreeMap::new();
    for (key, text) in pairs {
        if places.insert(number(key.as_ref()), list.place(key.as_ref())?).is_some() {
            return Err(format!("another key has the number of {}", key.as_ref()).into());
        }
        list.place(text.as_ref())?;
    }
    let places: Vec<(u32, u32)> = places.into_iter().collect();
    Ok(format!("TextMap::of({}, &{places:?})", list.rust()))
}
