//! The texts of one language, found by section and key, with their parameters filled in.
//!
//! Which texts there are is said by the lists in `sets`, `phrases` and `counts`: a function for each, so that a
//! name or a parameter that does not exist does not compile. A test holds the lists and the file together in
//! both directions; another language is one more file with the same keys.

use std::fmt::{Display, Write as _};

use crate::model::display_text;

/// Section with key, and text, in the order of the keys: made of `assets/text/en.toml` by the build.
static TEXTS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// A text that the program asks for.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The table of the file that it stands in.
    pub(super) section: &'static str,
    /// Its name there.
    pub(super) key: &'static str,
    /// The names that it may have in braces; a count has `n`.
    pub(super) parameters: &'static [&'static str],
}

/// A text without parameters. One that the file does not have, which a test excludes, is its own key.
pub(super) fn text(path: &'static str) -> &'static str {
    TEXTS.binary_search_by(|(known, _)| (*known).cmp(path)).map_or(path, |at| TEXTS[at].1)
}

/// A text with its parameters in the place of their names in braces.
pub(super) fn fill(path: &'static str, parameters: &[(&str, &dyn Display)]) -> String {
    filled(text(path), parameters)
}

/// A text about a number: the form `one` for 1, else `other`.
pub(super) fn count(one: &'static str, other: &'static str, n: &dyn Display) -> String {
    let shown = n.to_string();
    filled(text(if shown == "1" { one } else { other }), &[("n", &shown)])
}

/// What others wrote, cleaned for one line.
pub(super) fn shown(text: &str) -> String {
    display_text::line(text).into_owned()
}

fn filled(text: &str, parameters: &[(&str, &dyn Display)]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        shown.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        if let Some((_, value)) = parameters.iter().find(|(known, _)| *known == name) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{value}");
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// Closed sets: for each a function from the value to its text. The compiler holds the list of variants against
/// the type.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident($type:ident, $section:literal) { $($variant:ident),* $(,)? })*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(value: $type) -> &'static str {
                match value {
                    $($type::$variant => $crate::present::texts::text(
                        concat!($section, ".", stringify!($variant))
                    ),)*
                }
            }
        )*
        /// What these lists ask for.
        #[cfg(test)]
        pub(super) const ENTRIES: &[$crate::present::texts::Entry] = &[
            $($($crate::present::texts::Entry {
                section: $section,
                key: stringify!($variant),
                parameters: &[],
            },)*)*
        ];
    };
}

/// Other texts: a module for each section, in it a function for each text, with its parameters.
macro_rules! phrases {
    (@phrase $section:ident $name:ident) => {
        pub(crate) fn $name() -> &'static str {
            $crate::present::texts::text(concat!(stringify!($section), ".", stringify!($name)))
        }
    };
    (@phrase $section:ident $name:ident $($parameter:ident)+) => {
        pub(crate) fn $name($($parameter: impl std::fmt::Display),+) -> String {
            $crate::present::texts::fill(
                concat!(stringify!($section), ".", stringify!($name)),
                &[$((stringify!($parameter), &$parameter)),+],
            )
        }
    };
    ($($(#[$doc:meta])* $section:ident { $($name:ident $(($($parameter:ident),+))?),* $(,)? })*) => {
        $(
            $(#[$doc])*
            pub(crate) mod $section {
                $($crate::present::texts::phrases!(@phrase $section $name $($($parameter)+)?);)*
            }
        )*
        /// What these lists ask for.
        #[cfg(test)]
        pub(super) const ENTRIES: &[$crate::present::texts::Entry] = &[
            $($($crate::present::texts::Entry {
                section: stringify!($section),
                key: stringify!($name),
                parameters: &[$($(stringify!($parameter)),+)?],
            },)*)*
        ];
    };
}

/// Numbers with what they count: a function for each.
macro_rules! counts {
    ($($name:ident),* $(,)?) => {
        $(pub(crate) fn $name(n: impl std::fmt::Display) -> String {
            $crate::present::texts::count(
                concat!("count.", stringify!($name), ".one"),
                concat!("count.", stringify!($name), ".other"),
                &n,
            )
        })*
        /// What this list asks for.
        #[cfg(test)]
        pub(super) const ENTRIES: &[$crate::present::texts::Entry] = &[
            $($crate::present::texts::Entry {
                section: concat!("count.", stringify!($name)),
                key: "one",
                parameters: &["n"],
            },
            $crate::present::texts::Entry {
                section: concat!("count.", stringify!($name)),
                key: "other",
                parameters: &["n"],
            },)*
        ];
    };
}

pub(super) use {counts, phrases, sets};

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::present::text_file::read;
    use crate::present::{counts, phrases, sets};

    /// The texts in English.
    const ENGLISH: &str = include_str!("../../assets/text/en.toml");

    /// The names in braces of a text.
    fn parameters(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name)).collect()
    }

    /// What does not fit between a file and what the program asks for.
    fn misfits(file: &str) -> Vec<String> {
        let texts = read(file).unwrap();
        let entries = sets::ENTRIES.iter().chain(phrases::ENTRIES).chain(counts::ENTRIES);
        let asked: BTreeMap<String, &Entry> =
            entries.map(|entry| (format!("{}.{}", entry.section, entry.key), entry)).collect();
        let missing = asked.keys().filter(|path| !texts.contains_key(*path));
        let mut found: Vec<String> = missing.map(|path| format!("{path} is missing")).collect();
        for (path, text) in &texts {
            let Some(entry) = asked.get(path) else {
                found.push(format!("{path} is asked for by nothing"));
                continue;
            };
            let known: BTreeSet<&str> = entry.parameters.iter().copied().collect();
            let named = parameters(text);
            // "1 file" need not say its number by the parameter.
            if !named.is_subset(&known) || (named != known && entry.key != "one") {
                found.push(format!("{path} has the parameters {named:?}, not {known:?}"));
            }
            if text.is_empty() {
                found.push(format!("{path} is empty"));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn the_english_texts_are_those_that_are_asked_for() {
        let built: BTreeMap<&str, &str> = TEXTS.iter().copied().collect();
        assert!(
            read(ENGLISH)
                .unwrap()
                .iter()
                .all(|(path, text)| built.get(path.as_str()) == Some(&text.as_str()))
        );
        let found = misfits(ENGLISH);
        assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    }

    #[test]
    fn a_text_too_few_or_too_many_or_with_another_parameter_is_found() {
        let less = ENGLISH.replacen("Conflict = ", "Conflicts = ", 1);
        let found = misfits(&less);
        assert_eq!(found, ["Warning.Conflict is missing", "Warning.Conflicts is asked for by nothing"]);
        let other = ENGLISH.replacen("{key} undoes", "{keys} undoes", 1);
        assert_eq!(misfits(&other).len(), 1, "{:?}", misfits(&other));
    }

    #[test]
    fn parameters_stand_in_the_place_of_their_names() {
        assert_eq!(filled("{a} and {b}, {a}", &[("a", &1), ("b", &"{a}")]), "1 and {a}, 1");
        assert_eq!(filled("no {x} here }", &[]), "no  here }");
    }
}
