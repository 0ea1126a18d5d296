//! The texts of one language, looked up by section and key, with parameters filled in.
//!
//! The lists in `sets` and `phrases` define which texts exist: each becomes a function, so that a name or a
//! parameter that does not exist does not compile. A text about a number `n` may have a form for 1 (`one`) and
//! one for all other numbers (`other`). A test checks the lists against the file in both directions; another
//! language is one more file with the same keys.

use std::fmt::{Display, Write as _};

use crate::model::{TextList, TextMap, display_text};

/// The texts by "section.key"; the build generates them from `assets/text/en.toml`.
#[expect(clippy::unreadable_literal, reason = "a table that only the build writes")]
static TEXTS: TextMap = include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The parameter by which a text has forms, and the names of the forms.
const NUMBER: &str = "n";
const ONE: &str = "one";
const OTHER: &str = "other";

/// A text that the program uses.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its table in the file.
    pub(super) section: &'static str,
    /// Its key in that table.
    pub(super) key: &'static str,
    /// The parameters that may appear in braces.
    pub(super) parameters: &'static [&'static str],
}

/// A text without parameters. If the file lacks it, which a test excludes, the key itself is returned.
pub(super) fn text(path: &'static str) -> &'static str {
    TEXTS.get(path).unwrap_or(path)
}

/// A text with its parameters inserted where their names stand in braces; of a text with forms, the one for
/// the number `n`.
pub(super) fn fill(path: &'static str, parameters: &[(&str, &dyn Display)]) -> String {
    let form = || {
        let (_, n) = parameters.iter().find(|(name, _)| *name == NUMBER)?;
        TEXTS.get(&format!("{path}.{}", if n.to_string() == "1" { ONE } else { OTHER }))
    };
    filled(TEXTS.get(path).or_else(form).unwrap_or(path), parameters)
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

pub(super) use {phrases, sets};

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::present::text_file::read;
    use crate::present::{phrases, sets};

    const ENGLISH: &str = include_str!("../../assets/text/en.toml");

    fn parameters(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name)).collect()
    }

    /// The differences between a file and the texts that the program uses.
    fn misfits(file: &str) -> Vec<String> {
        let texts = read(file).unwrap();
        let entries = sets::ENTRIES.iter().chain(phrases::ENTRIES);
        let asked: BTreeMap<String, &Entry> =
            entries.map(|entry| (format!("{}.{}", entry.section, entry.key), entry)).collect();
        let forms = |path: &str| [ONE, OTHER].map(|form| format!("{path}.{form}"));
        let is_there =
            |path: &str| texts.contains_key(path) || forms(path).iter().all(|path| texts.contains_key(path));
        let missing = asked.keys().filter(|path| !is_there(path));
        let mut found: Vec<String> = missing.map(|path| format!("{path} is missing")).collect();
        for (path, text) in &texts {
            let of_form = path.rsplit_once('.').filter(|(stem, _)| forms(stem).contains(path));
            let of_form = of_form.and_then(|(stem, _)| asked.get(stem));
            let of_form = of_form.filter(|entry| entry.parameters.contains(&NUMBER));
            let Some(entry) = asked.get(path).or(of_form) else {
                found.push(format!("{path} is asked for by nothing"));
                continue;
            };
            let known: BTreeSet<&str> = entry.parameters.iter().copied().collect();
            let mut named = parameters(text);
            if path.rsplit_once('.').is_some_and(|(_, form)| form == "one") {
                // "1 file" need not use the parameter.
                named.extend(of_form.map(|_| NUMBER));
            }
            if named != known {
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
        let built: BTreeMap<&str, &str> = TEXTS.iter().collect();
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
