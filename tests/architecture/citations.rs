//! What comments cite: documents with their sections, and faults by their ids.

use std::collections::BTreeSet;

/// A document that is cited, and the section.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Citation {
    /// The file's name, like `SECURITY.md`.
    pub(super) document: String,
    /// The number of a section, like `1.2`; empty for the whole.
    pub(super) section: String,
}

/// Names that comments give as an example of a name.
const NO_DOCUMENTS: [&str; 1] = ["PASS"];
/// The letters that ids of faults begin with.
const FAULTS: &str = "SCKVUGDJPRTWX";

/// The text of a file's comments, without its code.
pub(super) fn comments(text: &str) -> String {
    let comment = |line: &str| line.trim_start().starts_with("//").then(|| line.to_owned());
    text.lines().filter_map(comment).collect::<Vec<_>>().join("\n")
}

/// Every document with a name in capitals that a text cites.
pub(super) fn citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    for (end, _) in text.match_indices(".md") {
        let name = text[..end].rsplit(|sign: char| !sign.is_ascii_uppercase()).next().unwrap_or_default();
        if name.len() < 3 || NO_DOCUMENTS.contains(&name) {
            continue;
        }
        let rest = text[end + 3..].trim_start_matches('`').trim_start_matches([',', ' ']);
        let rest = rest.strip_prefix("section ").unwrap_or(rest);
        let number: String = rest.chars().take_while(|sign| sign.is_ascii_digit() || *sign == '.').collect();
        found.push(Citation {
            document: format!("{name}.md"),
            section: number.trim_end_matches('.').to_owned(),
        });
    }
    found
}

/// The numbers of a document's headings, like `1.2` of `### 1.2 Repositories`.
pub(super) fn sections(document: &str) -> BTreeSet<String> {
    let heading = |line: &str| {
        let title = line.strip_prefix('#')?.trim_start_matches('#').trim_start();
        let number = title.split(' ').next()?.trim_end_matches('.');
        number.starts_with(|sign: char| sign.is_ascii_digit()).then(|| number.to_owned())
    };
    document.lines().filter_map(heading).collect()
}

/// The ids of faults in a text, like `S07`.
pub(super) fn faults(text: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric());
    let is_id = |word: &&str| {
        word.len() == 3
            && word.starts_with(|letter| FAULTS.contains(letter))
            // Weeks and times of day look alike.
            && (!word.starts_with(['T', 'W']) || word[1..].starts_with('0'))
            && word[1..].bytes().all(|digit| digit.is_ascii_digit())
    };
    words.filter(is_id).map(str::to_owned).collect()
}
