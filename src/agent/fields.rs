//! The fields of a JSON object that an agent wrote, each as it stands there: one of another type than expected counts
//! as absent, and of a text that is broken or cut off what stands before that place counts. Pure.

use std::collections::HashMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// More fields of one object are not kept; what agents write has some dozens.
const MOST_FIELDS: usize = 512;

/// The fields of one object, by their names; of something else none.
#[derive(Debug, Default)]
pub(super) struct Fields<'a>(HashMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    /// Reads an object. Nothing of its fields is copied.
    pub(super) fn read(json: &'a [u8]) -> Fields<'a> {
        let mut fields = Fields::default();
        // What stood before a mistake is in the fields already.
        let _ = serde_json::Deserializer::from_slice(json).deserialize_map(Collect(&mut fields));
        fields
    }

    /// The field of that name, if it has this type.
    pub(super) fn get<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// The field of that name as it stands.
    pub(super) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    /// The text of that name.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)
    }

    /// The first of these fields that is a text with something in it.
    pub(super) fn first_text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter_map(|name| self.text(name)).find(|text| !text.trim().is_empty())
    }

    /// The texts of that name: a list of them, or one alone.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.get(name).or_else(|| Some(vec![self.text(name)?]))
    }
}

/// Puts each field into its place as it comes by.
struct Collect<'f, 'a>(&'f mut Fields<'a>);

impl<'a> Visitor<'a> for Collect<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry()? {
            if self.0.0.len() < MOST_FIELDS {
                self.0.0.insert(name, value);
            }
        }
        Ok(())
    }
}
