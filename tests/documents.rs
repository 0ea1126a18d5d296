//! What the README says of keys is what the keymap has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use closeout::ui::keymap::{BINDINGS, KeyCommand};

/// The lines of the README below `## Keys`, up to the next heading.
fn keys_section() -> String {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, section) = readme.split_once("\n## Keys\n").unwrap();
    section.split("\n## ").next().unwrap().to_owned()
}

/// The keys that a text names: what stands in backquotes, apart at the blanks, and `Space`.
fn keys_in(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2).flat_map(str::split_whitespace).map(str::to_owned);
    quoted.chain(text.contains("Space").then(|| "Space".to_owned())).collect()
}

/// The first cells of the table of keys.
fn table_keys(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| keys_in(row.split('|').nth(1).unwrap())).collect()
}

#[test]
fn the_readme_names_the_keys_of_the_keymap() {
    let section = keys_section();
    let bound: BTreeSet<String> =
        BINDINGS.iter().flat_map(|binding| binding.keys.iter().map(ToString::to_string)).collect();
    let (movement, _) = section.split_once("Actions on the selected workspace").unwrap();
    let named: BTreeSet<String> = table_keys(&section).union(&keys_in(movement)).cloned().collect();
    let unknown: Vec<&String> = named.difference(&bound).collect();
    assert!(unknown.is_empty(), "the README names keys that do nothing: {unknown:?}; there are {bound:?}");
    let actions: BTreeSet<String> = BINDINGS
        .iter()
        .filter(|binding| matches!(binding.command, KeyCommand::Action(_)))
        .flat_map(|binding| binding.keys.iter().map(ToString::to_string))
        .collect();
    let in_table = table_keys(&section);
    let missing: Vec<&String> = actions.difference(&in_table).collect();
    assert!(missing.is_empty(), "the table of the README does not have {missing:?}");
}
