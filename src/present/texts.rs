//! The texts of one language, looked up by section and key, with parameters filled in.
//!
//! The lists in `sets`, `phrases` and `counts` define which texts exist: each becomes a function, so that a
//! name or a parameter that does not exist does not compile. A test checks the lists against the file in both
//! directions; another language is one more file with the same keys.

use std::fmt::{Display, Write as _};

use crate::model::display_text;

/// Pairs of "section.key" and text, sorted by key; the build generates them from `assets/text/en.toml`.
static TEXTS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// A text that the program uses.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its table in the file.
    pub(super) section: &'static str,
    /// Its key in that table.
    pub(super) key: &'static str,
    /// The parameters that may appear in braces; a count has `n`.
    pub(super) parameters: &'static [&'static str],
}

/// A text without parameters. If the file lacks it, which a test excludes, the key itself is returned.
pub(super) fn text(path: &'static str) -> &'static str {
    TEXTS.binary_search_by(|(known, _)| (*known).cmp(path)).map_or(path, |at| TEXTS[at].1)
}

/// A text with its parameters inserted where their names stand in braces.
pub(super) fn fill(path: &'static str, parameters: &[(&str, &dyn Display)]) -> String {
    filled(text(path), parameters)
}

/// A text about a number: the form `one` for 1, otherwise `other`.
pub(super) fn count(one: &'static str, other: &'static str, n: &dyn Display) -> String {
    let shown = n.to_string();
    filled(text(if shown == "1" { one } else { other }), &[("n", &shown)])
}

/// Foreign text, cleaned for one line.
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

/// Closed sets: for each a function from the value to its text. The compiler checks that the list of variants
/// is complete.
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
        /// The texts that these lists use.
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

/// All other texts: a module per section, with a function per text that takes its parameters.
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
        /// The texts that these lists use.
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

/// Numbers with their nouns: a function for each.
macro_rules! counts {
    ($($name:ident),* $(,)?) => {
        $(pub(crate) fn $name(n: impl std::fmt::Display) -> String {
            $crate::present::texts::count(
                concat!("count.", stringify!($name), ".one"),
                concat!("count.", stringify!($name), ".other"),
                &n,
            )
        })*
        /// The texts that this list uses.
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

    const ENGLISH: &str = include_str!("../../assets/text/en.toml");

    fn parameters(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name)).collect()
    }

    /// The differences between a file and the texts that the program uses.
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
            // "1 file" need not use the parameter.
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
