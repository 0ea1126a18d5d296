//! Makes of the data in `assets/` at build time what would else be made at every start: the phrases of the languages
//! as networks, the tables of tasks, tools and texts as Rust. Tells the linker how to write the program.
//! A file that cannot be read ends the build with its name.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use language_file::{Answers, LanguageFile};

#[path = "../src/judge/questions/building.rs"]
mod building;
mod checks;
#[path = "../src/judge/questions/forms.rs"]
#[expect(dead_code, reason = "the program asks more of it")]
mod forms;
#[path = "../src/judge/questions/language_file.rs"]
#[expect(dead_code, reason = "tests read the examples")]
mod language_file;
#[path = "../src/judge/questions/network.rs"]
#[expect(dead_code, reason = "the program reads what is written here")]
mod network;
#[path = "../src/judge/questions/notation.rs"]
mod notation;
#[path = "../src/judge/questions/patterns.rs"]
#[expect(dead_code, reason = "the program reads what is written here")]
mod patterns;
mod tasks;
#[path = "../src/present/text_file.rs"]
mod text_file;
#[path = "../src/model/text_list.rs"]
#[expect(dead_code, unreachable_pub, reason = "the program reads what is written here")]
mod text_list;
mod texts;
#[path = "../src/judge/questions/writing.rs"]
mod writing;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let out = env::var_os("OUT_DIR").ok_or("cargo names no folder")?;
    let out = Path::new(&out);
    languages(out)?;
    let tasks: BTreeMap<String, Vec<String>> = toml::from_str(&read("assets/tasks.toml")?)?;
    fs::write(out.join("tasks.rs"), tasks::written(&tasks)?)?;
    let words: BTreeMap<String, Vec<String>> = toml::from_str(&read("assets/words.toml")?)?;
    let lists = words.iter().map(|(group, words)| Ok((group, texts::joined(words)?)));
    fs::write(out.join("words.rs"), texts::map(&lists.collect::<Outcome<Vec<_>>>()?)?)?;
    let texts = text_file::read(&read("assets/text/en.toml")?)?;
    fs::write(out.join("texts.rs"), texts::map(&texts.iter().collect::<Vec<_>>())?)?;
    let defaults: toml::Table = toml::from_str(&read("config/default.toml")?)?;
    fs::write(out.join("default.toml"), toml::to_string(&defaults)?)?;
    let schema = read("assets/schema.json")?;
    fs::write(out.join("schema.json"), schema.lines().map(str::trim_start).collect::<Vec<_>>().join("\n"))?;
    fs::write(out.join("checks.rs"), checks::written(&read("assets/checks.toml")?)?)?;
    pack_relocations();
    strip_symbols();
    Ok(())
}

/// The first C library that unpacks them.
const LEAST_LIBRARY: (u32, u32) = (2, 36);

/// Lets the linker pack the relocations, which are a tenth of the program otherwise: read, and gone through one by one, at
/// every start. Only where the program is built for this very system, whose C library can unpack them.
fn pack_relocations() {
    let is_here = env::var_os("HOST") == env::var_os("TARGET");
    let is_known = is("CARGO_CFG_TARGET_ARCH", "x86_64")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is_here && is_known && library().is_some_and(|version| version >= LEAST_LIBRARY) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Has the linker leave out the symbols of a release, as the profile asks: cargo forgets that for a package that has an
/// entry of its own below `profile.release.package` (cargo 1.95). Who asks for debug information keeps them.
fn strip_symbols() {
    if is("PROFILE", "release") && is("DEBUG", "false") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}

/// Whether cargo tells the build script this value.
fn is(name: &str, value: &str) -> bool {
    env::var(name).is_ok_and(|found| found == value)
}

/// The version of this system's C library (getconf(1)).
#[expect(
    clippy::disallowed_methods,
    reason = "the program is not there yet, nor its room that starts others"
)]
fn library() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(told.stdout).ok()?;
    let mut numbers = text.trim().strip_prefix("glibc ")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The languages: the network of each, and the words of all beside their phrases.
fn languages(out: &Path) -> Outcome<()> {
    println!("cargo::rerun-if-changed=assets/lang");
    let mut paths = Vec::new();
    for entry in fs::read_dir("assets/lang")? {
        paths.push(entry?.path());
    }
    paths.sort();
    let (mut option_words, mut question_labels, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let named = |error: String| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path)?;
        let file: LanguageFile = toml::from_str(&text).map_err(|error| named(error.to_string()))?;
        let code = path.file_stem().ok_or("a language file without a name")?;
        fs::write(out.join(code).with_extension("network"), file.network().map_err(named)?)?;
        option_words.extend(file.option_words);
        question_labels.extend(file.question_labels);
        let code = code.to_str().ok_or("a language file with a strange name")?.to_owned();
        answers.push((code, file.answers));
    }
    let answers = answers.iter().map(|(code, answers)| Ok(format!("({code:?}, {})", written(answers)?)));
    fs::write(out.join("answers.rs"), format!("[{}]", answers.collect::<Outcome<Vec<_>>>()?.join(",\n")))?;
    fs::write(out.join("option_words.rs"), texts::list(&option_words)?)?;
    fs::write(out.join("question_labels.rs"), texts::list(&question_labels)?)?;
    Ok(())
}

/// How a language offers answers, as Rust.
fn written(answers: &Answers) -> Outcome<String> {
    let Answers { yes, no, pairs, begins, ends, asks_more, joins, tails } = answers;
    Ok(format!(
        "Answers {{ yes: {yes:?}, no: {no:?}, pairs: {}, begins: {}, ends: {}, asks_more: {}, joins: {}, tails: {} }}",
        texts::list(pairs)?,
        texts::list(begins)?,
        texts::list(ends)?,
        texts::list(asks_more)?,
        texts::list(joins)?,
        texts::list(tails)?,
    ))
}

/// Reads a file that the build depends on.
fn read(path: &str) -> Outcome<String> {
    println!("cargo::rerun-if-changed={path}");
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}").into())
}
