//! The house holds: rooms, arrows, purity, rights, and the files that describe them.
//!
//! `table` is the law as data; `source` reads a file of `src/`; `rules` holds the one against the other.
//! The tests here run over the tree, and over planted violations: a rule that cannot fail is no rule.

mod circles;
mod citations;
mod names;
mod rules;
mod source;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rules::{findings, findings_of_crate_root, findings_with};
use table::{EXCEPTIONS, LATER_ROOMS, MAX_LINES, RESCUE_ROOMS, ROOMS, Room, room};

/// Every Rust file below a folder, with its path from the top of the project.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut folders = vec![top().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(top()).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The room that a file of `src/` is in; `None` for the files at the top of `src/`.
fn room_of(file: &str) -> Option<&str> {
    file.strip_prefix("src/")?.split_once('/').map(|(room, _)| room)
}

/// What is written for those who read the code.
const DOCUMENTS: [&str; 6] = [
    "CONTRIBUTING.md", "src/ARCHITECTURE.md", "src/DESIGN.md", "src/RESCUE.md", "src/SECURITY.md",
    "tests/FAULTS.md",
];

fn architecture_file() -> String {
    fs::read_to_string(top().join("src/ARCHITECTURE.md")).unwrap()
}

#[test]
fn every_file_of_every_room_keeps_to_the_table() {
    let mut all = Vec::new();
    for (file, text) in rust_files("src") {
        match room_of(&file) {
            Some(name) => match room(name) {
                Some(room) => all.extend(findings(room, &file, &text)),
                None => all.push(format!("{file}: the table names no room `{name}`")),
            },
            None => all.extend(findings_of_crate_root(&file, &text)),
        }
    }
    assert!(all.is_empty(), "\n{}\n", all.join("\n"));
}

/// What the program's `regex` cannot read, since it has no tables of Unicode; a crate that only tests need brings
/// them, so that compiling a pattern in a test proves nothing.
const UNICODE_IN_PATTERNS: [&str; 9] = ["\\d", "\\D", "\\s", "\\S", "\\w", "\\W", "\\b", "\\p", "(?i"];

fn needs_unicode(text: &str) -> Option<&'static str> {
    let (code, _) = text.split_once("#[cfg(test)]").unwrap_or((text, ""));
    let raw = code.split("r\"").skip(1).chain(code.split("r#\"").skip(1));
    let patterns: Vec<&str> = raw.filter_map(|rest| rest.split('"').next()).collect();
    UNICODE_IN_PATTERNS.into_iter().find(|class| patterns.iter().any(|pattern| pattern.contains(class)))
}

#[test]
fn no_pattern_needs_the_tables_of_unicode() {
    let uses_regex = |text: &str| text.lines().any(|line| line.starts_with("use regex::"));
    let files: Vec<_> = rust_files("src").into_iter().filter(|(_, text)| uses_regex(text)).collect();
    assert!(files.len() > 3, "{}", files.len());
    for (file, text) in files {
        assert_eq!(needs_unicode(&text), None, "{file}");
    }
    assert_eq!(needs_unicode(r#"Regex::new(r"a \d+")"#), Some("\\d"));
    assert_eq!(needs_unicode(r#"Regex::new(r"a [0-9]+ \(")"#), None);
}

// `thread::Builder` answers with an error where the system starts no thread; the shorter ways panic.
#[test]
fn a_thread_that_cannot_be_started_is_an_error() {
    for (file, text) in rust_files("src") {
        let code = source::program_lines(&text).join("\n");
        for call in ["thread::spawn(", "scope.spawn("] {
            assert!(!code.contains(call), "{file}: `{call}…)` panics; use `thread::Builder`");
        }
    }
}

#[test]
fn every_folder_is_a_room_of_the_table_and_every_room_is_a_folder() {
    let folders: BTreeSet<String> = fs::read_dir(top().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let rooms: BTreeSet<String> = ROOMS
        .iter()
        .map(|room| room.name.to_owned())
        .filter(|name| folders.contains(name) || !LATER_ROOMS.contains(&name.as_str()))
        .collect();
    assert_eq!(folders, rooms);
}

#[test]
fn every_exception_has_a_reason_and_is_still_needed() {
    for exception in EXCEPTIONS {
        assert!(!exception.reason.is_empty());
        let text = fs::read_to_string(top().join(exception.file)).unwrap();
        let room = room(room_of(exception.file).unwrap()).unwrap();
        let found = findings_with(room, None, exception.file, &text);
        assert!(!found.is_empty(), "{} needs no exception any more", exception.file);
    }
}

#[test]
fn the_arrows_of_the_table_only_point_down() {
    // The rooms stand in the table in reading order: each imports only those before it.
    for (place, room) in ROOMS.iter().enumerate() {
        for import in room.imports {
            assert!(
                ROOMS[..place].iter().any(|above| above.name == *import),
                "{} imports {import}, which does not stand before it",
                room.name
            );
        }
    }
}

#[test]
fn no_files_of_a_room_need_each_other() {
    let found = circles::circles(&rust_files("src"));
    let found: Vec<String> = found.into_iter().map(|circle| circle.explanation).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// The circles in a planted room.
fn planted_circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let files: Vec<(String, String)> =
        files.iter().map(|(name, code)| (format!("src/judge/{name}"), (*code).to_owned())).collect();
    circles::circles(&files).into_iter().map(|circle| circle.files).collect()
}

#[test]
fn circles_of_files_are_found_however_they_are_made() {
    const BY_USE: &[(&str, &str)] =
        &[("a.rs", "use super::b::g; fn f() { g() }"), ("b.rs", "use super::a::f; pub fn g() { f() }")];
    const BY_PATH: &[(&str, &str)] =
        &[("a.rs", "pub fn f() { super::b::g() }"), ("b.rs", "pub fn g() { crate::judge::a::f() }")];
    const BY_MODULE: &[(&str, &str)] =
        &[("a.rs", "use super::b; pub fn f() { b::g() }"), ("b.rs", "use super::a; pub fn g() { a::f() }")];
    const BY_NAMES_HANDED_ON: &[(&str, &str)] = &[
        ("mod.rs", "mod a; mod b; pub use a::f; pub(crate) use b::g;"),
        ("a.rs", "pub fn f() { super::g() }"),
        ("b.rs", "use super::f; pub fn g() { f() }"),
    ];
    const WITH_THE_FOLDERS_OWN_FILE: &[(&str, &str)] = &[
        ("mod.rs", "mod a; pub struct S; pub fn all() { a::f() }"),
        ("a.rs", "use super::S; pub fn f() { S; }"),
    ];
    const BY_METHODS_OF_ONE_TYPE: &[(&str, &str)] = &[
        ("a.rs", "pub struct S; impl S { pub fn f(&self) { self.g() } }"),
        ("b.rs", "use super::a::S; impl S { pub fn g(&self) {} }"),
    ];
    const IN_THREE_STEPS_AND_A_MACRO: &[(&str, &str)] = &[
        ("a.rs", "pub fn f() { super::b::f() }"),
        ("b.rs", "pub fn f() { println!(\"{}\", super::c::f()) }"),
        ("c.rs", "pub fn f() { super::a::f() }"),
    ];
    for files in [
        BY_USE, BY_PATH, BY_MODULE, BY_NAMES_HANDED_ON, WITH_THE_FOLDERS_OWN_FILE, BY_METHODS_OF_ONE_TYPE,
        IN_THREE_STEPS_AND_A_MACRO,
    ] {
        let found = planted_circles(files);
        assert_eq!(found.len(), 1, "{files:?}: {found:?}");
    }
}

#[test]
fn what_is_no_circle_of_files_is_not_found() {
    const ONE_WAY: &[(&str, &str)] =
        &[("a.rs", "pub fn f() {} pub struct S;"), ("b.rs", "use super::a::{S, f}; pub fn g() { f(); S; }")];
    const NAMES_HANDED_ON: &[(&str, &str)] = &[
        ("mod.rs", "mod a; mod b; pub use a::S;"),
        ("a.rs", "pub struct S;"),
        ("b.rs", "use super::S; fn g(_: S) {}"),
    ];
    const A_TEST_LOOKS_UP: &[(&str, &str)] = &[
        ("a.rs", "pub fn f() {} #[cfg(test)] mod tests { use super::super::b::g; fn t() { g() } }"),
        ("b.rs", "use super::a::f; pub fn g() { f() }"),
    ];
    const A_COMMENT: &[(&str, &str)] =
        &[("a.rs", "/// Like [`super::b::g`].\npub fn f() {}"), ("b.rs", "pub fn g() { super::a::f() }")];
    for files in [ONE_WAY, NAMES_HANDED_ON, A_TEST_LOOKS_UP, A_COMMENT] {
        let found = planted_circles(files);
        assert!(found.is_empty(), "{files:?}: {found:?}");
    }
}

/// The room of a file of `action/rescue`; an empty name is the folder's own file.
fn rescue_room_of(file: &str) -> Option<&str> {
    let path = file.strip_prefix("src/action/rescue/")?;
    Some(path.split_once('/').map_or_else(|| path.trim_end_matches(".rs"), |(room, _)| room))
        .map(|room| if room == "mod" { "" } else { room })
}

/// The arrows between rooms of `action/rescue`, each with the first that needs it.
fn rescue_arrows(files: &[(String, String)]) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for (from, to, what) in circles::arrows(files) {
        if let (Some(room), Some(other)) = (rescue_room_of(&from), rescue_room_of(&to))
            && room != other
            && !other.is_empty()
        {
            let words = format!("{from} needs {to} for {what}");
            found.entry((room.to_owned(), other.to_owned())).or_insert(words);
        }
    }
    found
}

/// What the table of rescue's rooms does not allow.
fn rescue_strangers(files: &[(String, String)]) -> Vec<String> {
    let imports =
        |room: &str| RESCUE_ROOMS.iter().find(|(name, _)| *name == room).map(|(_, imports)| *imports);
    let is_allowed = |room: &str, other: &str| {
        let imports = if room.is_empty() { Some(&["base"][..]) } else { imports(room) };
        imports.is_some_and(|imports| imports.contains(&other))
    };
    let found = rescue_arrows(files).into_iter();
    found.filter(|((room, other), _)| !is_allowed(room, other)).map(|(_, words)| words).collect()
}

#[test]
fn the_rooms_of_a_rescue_keep_to_their_table() {
    let files = rust_files("src");
    let found = rescue_strangers(&files);
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    // Each folder is in the table, each arrow of it is needed and points to a room above.
    let rooms: BTreeSet<&str> =
        files.iter().filter_map(|(file, _)| rescue_room_of(file)).filter(|room| !room.is_empty()).collect();
    assert_eq!(rooms, RESCUE_ROOMS.iter().map(|(name, _)| *name).collect());
    let arrows = rescue_arrows(&files);
    for (place, (room, imports)) in RESCUE_ROOMS.iter().enumerate() {
        for import in *imports {
            assert!(RESCUE_ROOMS[..place].iter().any(|(name, _)| name == import), "{room} imports {import}");
            let arrow = ((*room).to_owned(), (*import).to_owned());
            assert!(arrows.contains_key(&arrow), "{room} does not need {import} any more");
        }
    }
}

#[test]
fn an_arrow_up_between_the_rooms_of_a_rescue_would_be_found() {
    for code in [
        "use crate::action::rescue::survey::f; fn g() { f() }",
        "fn g() { super::super::survey::f() }",
        "use crate::action::rescue::Rescuer; impl Rescuer { fn h(&self) { self.of_survey() } }",
    ] {
        let file = |name: &str, code: &str| (format!("src/action/rescue/{name}"), code.to_owned());
        let files = [
            file("mod.rs", "mod base; mod survey; pub struct Rescuer;"),
            file("base/names.rs", code),
            file(
                "survey/mod.rs",
                "pub fn f() {} use crate::action::rescue::Rescuer; impl Rescuer { pub fn of_survey(&self) {} }",
            ),
        ];
        assert_eq!(rescue_strangers(&files).len(), 1, "{code}");
    }
}

#[test]
fn nothing_has_a_name_that_was_retired() {
    let found: Vec<String> = rust_files("src")
        .into_iter()
        .chain(rust_files("tests"))
        .flat_map(|(file, text)| names::retired(&file, &text))
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn a_retired_name_would_be_found() {
    let code = "const MOST_DESKS: u8 = 1; const ALMOST: u8 = 1; \
                struct Desk { told_at: u8 } impl Desk { fn stumble(&self) { let pile = 1; } }";
    assert_eq!(
        names::retired("src/agent/words.rs", code),
        [
            "src/agent/words.rs: the Type `Desk` is now called TestEnv",
            "src/agent/words.rs: the Function `stumble` is now called on_error",
            "src/agent/words.rs: the Field `told_at` is now called reported_at",
            "src/agent/words.rs: the Module `words` is now called what the words say, or present",
            "src/agent/words.rs: the Constant `MOST_DESKS` is now called MAX",
            "src/agent/words.rs: the Local `pile` is now called evidence_set",
        ]
    );
    assert_eq!(names::retired("src/judge/questions/text.rs", "fn words() {}"), Vec::<String>::new());
    assert!(
        names::OTHER_MEANING
            .iter()
            .all(|(folder, _, reason)| top().join(folder).is_dir() && !reason.is_empty())
    );
}

/// Names that several public types have, and why. The list only gets shorter.
const NAMED_TWICE: &[(&str, &str)] = &[
    ("Memory", "what a room keeps from one look to the next; always named with its room"),
    ("Question", "still to be renamed in `judge`"),
];

/// The public types that a file defines outside of its tests.
fn public_types(text: &str) -> Vec<String> {
    let program = source::program_lines(text).into_iter();
    let name = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub ")?;
        let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| rest.strip_prefix(kind))?;
        Some(rest.chars().take_while(|sign| sign.is_alphanumeric()).collect())
    };
    program.filter_map(name).collect()
}

#[test]
fn each_public_type_has_a_name_of_its_own() {
    let mut files_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in rust_files("src") {
        for name in public_types(&text) {
            files_of.entry(name).or_default().push(file.clone());
        }
    }
    let is_listed = |name: &str| NAMED_TWICE.iter().any(|(known, _)| *known == name);
    for (name, files) in &files_of {
        assert!(
            files.len() == 1 || is_listed(name),
            "`{name}` is the name of {} types: {files:?}",
            files.len()
        );
    }
    for (name, reason) in NAMED_TWICE {
        assert!(
            !reason.is_empty() && files_of.get(*name).is_some_and(|files| files.len() > 1),
            "strike {name}"
        );
    }
    let planted =
        "pub struct A;\nstruct B;\n    pub enum C<T> {}\n#[cfg(test)]\nmod tests {\npub struct D;\n}\n";
    assert_eq!(public_types(planted), ["A", "C"]);
}

/// Each file of vectors is read by a test: one that nobody runs would hold nothing.
#[test]
fn every_file_of_vectors_is_run() {
    let tests: String = rust_files("tests").into_iter().map(|(_, text)| text).collect();
    let mut n_files = 0;
    for entry in fs::read_dir(top().join("tests/vectors")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        n_files += 1;
        let is_run = tests.contains(&format!("\"{name}\"")) || tests.contains(&format!("vectors/{name}\""));
        assert!(is_run, "no test runs tests/vectors/{name}");
    }
    assert!(n_files > 5, "{n_files}");
}

#[test]
fn no_file_is_too_long() {
    let too_long: Vec<String> = rust_files("src")
        .into_iter()
        .filter(|(file, _)| !source::is_test_file(file))
        .map(|(file, text)| (file, source::program_lines(&text).len()))
        .filter(|(_, n_lines)| *n_lines > MAX_LINES)
        .map(|(file, n_lines)| format!("{file}: {n_lines} lines without tests, allowed are {MAX_LINES}"))
        .collect();
    assert!(too_long.is_empty(), "\n{}\n", too_long.join("\n"));
}

/// Files outside an agent's own folder that name one in code, and why.
const NAMING_AGENTS: [(&str, &str); 4] = [
    ("src/agent/mod.rs", "the modules, and the two forms of records that others can have"),
    ("src/agent/list.rs", "the list of the agents"),
    ("src/model/custom_agent.rs", "the names that an agent of a person's own cannot have"),
    ("src/config/agent_entry.rs", "those two forms"),
];

/// The agents that a file names in code: by a literal or by their module. Words for a person are no code.
fn agents_named_in(file: &str, text: &str) -> Vec<&'static str> {
    let own_folder = |name: &str| file.starts_with(&format!("src/agent/{name}/"));
    let program = source::program_lines(text);
    let code = |line: &&str| line.split("//").next().unwrap_or_default().to_owned();
    let code: String = program.iter().map(code).collect::<Vec<_>>().join("\n");
    let is_named = |name: &str| {
        code.contains(&format!("\"{name}\""))
            || code.contains(&format!("{name}::"))
            || code.contains(&format!("mod {name};"))
    };
    let names = closeout::agent::AGENTS.iter().map(|agent| agent.name());
    names.filter(|name| is_named(name) && !own_folder(name)).collect()
}

#[test]
fn what_is_known_of_an_agent_stands_in_its_folder_alone() {
    let mut found = Vec::new();
    for (file, text) in rust_files("src") {
        let named = agents_named_in(&file, &text);
        match NAMING_AGENTS.iter().find(|(known, _)| *known == file) {
            Some((_, reason)) => {
                assert!(!named.is_empty() && !reason.is_empty(), "{file} names none any more");
            }
            None => found.extend(named.iter().map(|name| format!("{file}: names {name}"))),
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    for code in ["if agent == \"codex\" {", "use crate::agent::codex::NAME;", "codex::command(session)"] {
        assert_eq!(agents_named_in("src/action/planted.rs", code), ["codex"], "{code}");
        assert_eq!(agents_named_in("src/agent/codex/planted.rs", code), Vec::<&str>::new());
    }
    assert_eq!(
        agents_named_in("src/cli/planted.rs", "// claude::x\nsay(\"start `codex`\");"),
        Vec::<&str>::new()
    );
}

#[test]
fn every_test_file_is_a_module_of_the_one_test_binary() {
    let main = fs::read_to_string(top().join("tests/main.rs")).unwrap();
    let forgotten: Vec<PathBuf> = fs::read_dir(top().join("tests"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            name != "main"
                && !main.lines().any(|line| line.trim_start_matches("pub(crate) ") == format!("mod {name};"))
        })
        .collect();
    assert!(forgotten.is_empty(), "tests/main.rs does not list {forgotten:?}");
}

#[test]
fn the_architecture_file_names_every_room() {
    let text = architecture_file();
    for room in ROOMS.iter().filter(|room| !LATER_ROOMS.contains(&room.name)) {
        assert!(text.contains(&format!("`{}`", room.name)), "ARCHITECTURE.md does not name `{}`", room.name);
    }
}

#[test]
fn the_documents_name_only_paths_that_exist() {
    for document in DOCUMENTS {
        let text = fs::read_to_string(top().join(document)).unwrap();
        let missing: Vec<String> =
            paths_named_in(&text).into_iter().filter(|path| !top().join(path).exists()).collect();
        assert!(missing.is_empty(), "{document} names what does not exist: {missing:?}");
    }
}

#[test]
fn the_architecture_file_and_the_table_show_the_same_arrows() {
    let text = architecture_file();
    for Room { name, imports, .. } in ROOMS.iter().filter(|room| !LATER_ROOMS.contains(&room.name)) {
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")))
            .unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{name}`"));
        let cell = row.split('|').nth(3).unwrap();
        let shown: BTreeSet<&str> = cell
            .split(',')
            .map(|import| import.trim().trim_matches('`'))
            .filter(|import| *import != "–")
            .collect();
        let real: BTreeSet<&str> =
            imports.iter().copied().filter(|import| !LATER_ROOMS.contains(import)).collect();
        assert_eq!(shown, real, "the arrows of `{name}` in ARCHITECTURE.md");
    }
}

#[test]
fn every_document_and_section_that_a_comment_cites_is_there() {
    let texts: Vec<(&str, String)> = ["README.md", "CHANGELOG.md"]
        .iter()
        .chain(&DOCUMENTS)
        .map(|name| (Path::new(name).file_name().unwrap().to_str().unwrap(), *name))
        .map(|(name, path)| (name, fs::read_to_string(top().join(path)).unwrap()))
        .collect();
    let mut missing = Vec::new();
    for (file, text) in rust_files("src").into_iter().chain(rust_files("tests")) {
        for citation in citations::citations(&citations::comments(&text)) {
            let document = texts.iter().find(|(name, _)| *name == citation.document);
            let is_there = document.is_some_and(|(_, text)| {
                citation.section.is_empty() || citations::sections(text).contains(&citation.section)
            });
            if !is_there && file != "tests/architecture/citations.rs" {
                missing.push(format!("{file} cites {} {}", citation.document, citation.section));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}\n", missing.join("\n"));
}

#[test]
fn the_faults_that_tests_name_are_those_of_the_page() {
    let page = fs::read_to_string(top().join("tests/FAULTS.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let listed: BTreeSet<String> =
        rows.flat_map(|row| citations::faults(row.split('|').nth(1).unwrap_or_default())).collect();
    let named: BTreeSet<String> = rust_files("tests")
        .into_iter()
        .chain(rust_files("src"))
        .filter(|(file, _)| !file.starts_with("tests/architecture"))
        .flat_map(|(_, text)| citations::faults(&citations::comments(&text)))
        .collect();
    let missing: Vec<&String> = named.difference(&listed).collect();
    let unused: Vec<&String> = listed.difference(&named).collect();
    assert!(missing.is_empty() && unused.is_empty(), "not in FAULTS.md: {missing:?}; in no test: {unused:?}");
}

#[test]
fn citations_are_read_however_they_are_written() {
    let text = "/// Rules: `SECURITY.md` 1.2. (DESIGN.md 2.3, R3), `RESCUE.md` section 4; README.md, plan.md\nlet x = \"DESIGN.md 9\"; // S07";
    let found: Vec<(String, String)> = citations::citations(&citations::comments(text))
        .into_iter()
        .map(|citation| (citation.document, citation.section))
        .collect();
    let expected = [("SECURITY.md", "1.2"), ("DESIGN.md", "2.3"), ("RESCUE.md", "4"), ("README.md", "")];
    assert_eq!(found, expected.map(|(document, section)| (document.to_owned(), section.to_owned())));
    assert_eq!(
        citations::sections("# A\n## 1. B\n### 1.2 C\ntext 3\n"),
        BTreeSet::from(["1".to_owned(), "1.2".to_owned()])
    );
    assert_eq!(citations::faults("S07, G1, T20, R2 and XS12"), BTreeSet::from(["S07".to_owned()]));
}

/// The paths in backquotes that begin with a folder of the project.
fn paths_named_in(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| !quoted.contains([' ', '\n', '*', '…', '<']))
        .filter(|quoted| {
            ["src/", "tests/", "config/", "assets/", ".ci/"].iter().any(|folder| quoted.starts_with(folder))
                || ["CONTRIBUTING.md", "Cargo.toml", "Cargo.lock", ".clippy.toml", "README.md"]
                    .contains(quoted)
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_path_that_is_named_and_not_there_would_be_found() {
    let text = "See `src/model/mod.rs`, `src/nowhere.rs` and `judge::combine`.";
    assert_eq!(paths_named_in(text), ["src/model/mod.rs", "src/nowhere.rs"]);
}

/// What the rules say of a planted file.
fn planted(room_name: &str, code: &str) -> Vec<String> {
    let file = format!("src/{room_name}/planted.rs");
    findings(room(room_name).unwrap(), &file, &format!("//! Planted.\n{code}"))
}

#[test]
fn forbidden_arrows_are_found_however_they_are_written() {
    for (room, code) in [
        ("judge", "use crate::evidence::collect;"),
        ("judge", "use crate::{model::Verdict, evidence::{self, git}};"),
        ("judge", "use crate as house; fn f() { house::evidence::collect(); }"),
        ("judge", "fn f() { crate::evidence::collect(); }"),
        ("judge", "fn f(_: &crate::evidence::Reader) {}"),
        ("judge", "fn f() { assert_eq!(1, crate::evidence::n()); }"),
        ("judge", "fn f() { vec![vec![crate :: evidence :: n()]]; }"),
        ("judge", "use super::super::evidence::collect;"),
        ("judge", "mod inner { use super::super::super::evidence; }"),
        ("judge", "use closeout::evidence::collect;"),
        ("judge", "#[cfg(test)] mod tests { use crate::evidence::collect; }"),
        ("judge", "macro_rules! m { () => { crate::evidence::collect() } }"),
        ("judge", "#[derive(Debug)] struct S { #[serde(with = \"crate::evidence::form\")] a: u8 }"),
        ("store", "use crate::config::Config;"),
        ("evidence", "use crate::judge::weigh;"),
        ("engine", "use crate::ui::Screen;"),
    ] {
        let found = planted(room, code);
        let is_found = found.iter().any(|finding| finding.contains("imports"));
        assert!(is_found, "{room}: {code}\n{found:?}");
    }
    let file = "//! Planted.\nuse super::evidence;";
    assert_eq!(
        findings(room("judge").unwrap(), "src/judge/mod.rs", file),
        ["src/judge/mod.rs: imports `evidence`, which `judge` may not"]
    );
}

#[test]
fn the_outside_world_is_found_in_pure_rooms() {
    for code in [
        "use std::fs;",
        "fn f() { std::fs::read(\"x\"); }",
        "use std::{fmt, fs as disk}; fn f() { disk::read(\"x\"); }",
        "use std::time::{Duration, Instant};",
        "fn f() { std::time::SystemTime::now(); }",
        "fn f() { jiff::Timestamp::now(); }",
        "use std::env;",
        "fn f() { println!(\"{:?}\", std::env::var(\"X\")); }",
        "use std::process::Command;",
        "use std::net::TcpStream;",
        "use std::thread;",
        "use std::sync::Mutex;",
        "use std::sync::atomic::AtomicU64;",
        "use std::cell::RefCell;",
        "thread_local! { static X: u8 = 1; }",
        "async fn f() {}",
        "fn f() { let _ = async { 1 }; }",
        "use tokio::sync::mpsc;",
        "use git2::Repository;",
        "fn f() { rustix::fs::stat(\"x\"); }",
        "use std::os::unix::fs::MetadataExt;",
        "use std::sync::LazyLock;",
        "fn f() { std::io::stdin(); }",
        "extern crate libc;",
    ] {
        assert_eq!(planted("model", code).len(), 1, "{code}\n{:?}", planted("model", code));
    }
    assert_eq!(planted("judge", "use std::sync::{LazyLock, OnceLock};"), Vec::<String>::new());
    assert_eq!(planted("ui", "use crossterm::terminal::enable_raw_mode;").len(), 1);
    assert_eq!(planted("ui", "use ratatui::widgets::Paragraph;"), Vec::<String>::new());
    assert_eq!(planted("ui", "use ratatui::Terminal;").len(), 1);
    assert_eq!(planted("ui", "use ratatui::backend::CrosstermBackend;").len(), 1);
}

#[test]
fn rights_that_a_room_does_not_have_are_found() {
    for (room, code) in [
        ("evidence", "use std::process::Command;"),
        ("engine", "fn f() { tokio::process::Command::new(\"x\"); }"),
        ("cli", "fn f() { std::process::exit(1); }"),
        ("agent", "fn f() { rustix::process::kill_process(p, s); }"),
        ("evidence", "fn f() { std::fs::write(\"x\", \"\"); }"),
        ("evidence", "use std::fs; fn f() { fs::remove_dir_all(\"x\"); }"),
        ("evidence", "use std::fs::File; fn f() { File::create(\"x\"); }"),
        ("evidence", "use std::fs::rename;"),
        ("agent", "fn f() { std::fs::OpenOptions::new().write(true).open(\"x\"); }"),
        ("watch", "fn f(o: &mut Options) { o.append(true); }"),
        ("evidence", "use rustix::fs::openat; fn f() { openat(d, p, flags); }"),
        ("evidence", "use rustix::fs::OFlags; fn f() { g(OFlags::WRONLY); }"),
        ("store", "use rustix::fs::OFlags; const FLAGS: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);"),
        ("action", "fn f() { std::fs::File::options().read(true).custom_flags(0).open(\"f\"); }"),
        ("evidence", "use crate::disk::write; fn f() { write::replace(p, b\"\"); }"),
        ("agent", "use crate::disk::{open, write::Journal};"),
        ("evidence", "fn f() { rustix::fs::unlinkat(d, p, x); }"),
        ("config", "fn f() { std::os::unix::fs::symlink(a, b); }"),
        ("config", "use std::env;"),
        ("store", "fn f() { std::env::var(\"HOME\"); }"),
        ("evidence", "use tempfile::tempdir;"),
        ("cli", "use git2::Repository;"),
        ("engine", "use notify::Watcher;"),
        ("engine", "use std::net::TcpListener;"),
    ] {
        let found = planted(room, code);
        assert_eq!(found.len(), 1, "{room}: {code}\n{found:?}");
    }
}

#[test]
fn bad_manners_are_found() {
    for (code, expected) in [
        ("use crate::model::*;", "glob import"),
        ("use super::*;", "glob import"),
        ("use super::super::near;", "super::super"),
        ("fn f() { super::super::near(); }", "super::super"),
        ("mod tests { fn f() {} }", "without #[cfg(test)]"),
        ("mod tests;", "without #[cfg(test)]"),
    ] {
        let found = planted("judge", code);
        assert!(found.iter().any(|finding| finding.contains(expected)), "{code}\n{found:?}");
    }
    let judge = room("judge").unwrap();
    assert_eq!(findings(judge, "src/judge/x.rs", "use std::fmt;"), ["src/judge/x.rs: has no module doc"]);
    assert_eq!(findings(judge, "src/judge/x.rs", "//! Doc.\nfn {"), ["src/judge/x.rs: is not Rust"]);
    let tests = "//! Tests.\nuse super::*;\nuse std::fs;";
    assert_eq!(findings(judge, "src/judge/closer/tests.rs", tests), Vec::<String>::new());
    let tests = "//! Tests.\nuse crate::evidence::collect;";
    assert_eq!(findings(judge, "src/judge/closer/tests.rs", tests).len(), 1);
    assert_eq!(
        findings_of_crate_root("src/lib.rs", "#![doc = \"x\"]\npub mod model;\npub fn f() {}\n"),
        ["src/lib.rs: holds something else than its rooms"]
    );
    assert_eq!(findings_of_crate_root("src/helper.rs", "//! Doc.\n").len(), 1);
}

#[test]
fn what_is_allowed_is_not_found() {
    for (room, code) in [
        ("judge", "use crate::model::{self, Verdict}; use super::near; use std::collections::BTreeMap;"),
        ("judge", "//! See `crate::evidence`.\n/// And crate::evidence.\nfn f() {} // crate::evidence"),
        (
            "judge",
            "#[cfg(test)] mod tests { use super::*; use std::fs; #[test] fn t() { fs::read(\"x\"); } }",
        ),
        ("judge", "fn f(fs: u8, thread: u8) -> u8 { fs + thread }"),
        ("judge", "mod inner { use super::near; }"),
        ("evidence", "use crate::process::run; use crate::agent::find; use std::fs::File;"),
        (
            "evidence",
            "fn f() { std::fs::OpenOptions::new().read(true).open(\"x\"); list.append(&mut other); }",
        ),
        ("process", "use std::process::{Child, Command};"),
        ("store", "fn f() { std::fs::rename(a, b); }"),
        ("cli", "use std::process::ExitCode; fn f() { std::env::args_os(); }"),
        ("process", "fn f() { std::env::split_paths(p); }"),
    ] {
        assert_eq!(planted(room, code), Vec::<String>::new(), "{room}: {code}");
    }
}

#[test]
fn tests_do_not_count_as_lines_of_a_file() {
    let text = "//! Doc.\n#[cfg(test)]\nmod training;\nfn f() {}\n#[cfg(test)]\n#[expect(dead_code)]\nmod tests {\n    use super::*;\n\n    fn g() {}\n}\nfn h() {}\n";
    assert_eq!(source::program_lines(text), ["//! Doc.", "fn f() {}", "fn h() {}"]);
}
