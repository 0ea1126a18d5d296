//! The fields of a JSON object that an agent wrote, borrowed from its text. A field of an unexpected type
//! counts as absent; if the text is broken or cut off, the fields before that point count. Pure.

use std::collections::HashMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// How many fields of one object are kept. What agents write has a few dozen.
const MAX_FIELDS: usize = 512;

/// The fields of an object by name. Empty for any other value.
#[derive(Debug, Default)]
pub(super) struct Fields<'a>(HashMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    /// Reads an object. The values are not copied.
    pub(super) fn read(json: &'a [u8]) -> Fields<'a> {
        let mut fields = Fields::default();
        // The fields before an error have been collected by then.
        let _ = serde_json::Deserializer::from_slice(json).deserialize_map(Collect(&mut fields));
        fields
    }

    /// The field `name`, if it has this type.
    pub(super) fn get<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// The raw text of the field `name`.
    pub(super) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    /// The field `name`, if it is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)
    }

    /// The first of these fields that is a string and not blank.
    pub(super) fn first_text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter_map(|name| self.text(name)).find(|text| !text.trim().is_empty())
    }

    /// The strings in the field `name`: a list, or a single string.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.get(name).or_else(|| Some(vec![self.text(name)?]))
    }
}

/// Stores each field as it is parsed.
struct Collect<'f, 'a>(&'f mut Fields<'a>);

impl<'a> Visitor<'a> for Collect<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry()? {
            if self.0.0.len() < MAX_FIELDS {
                self.0.0.insert(name, value);
            }
        }
        Ok(())
    }
}
