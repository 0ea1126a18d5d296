//! Test vectors: loading, generated texts, and comparison of whole values.
//!
//! A file is `{"cases":[{"name","why","input","expect"}]}`. A judge's test turns an input into a map of
//! results. Every key of `expect` is compared, and a key that the judge does not report fails the case. A key that
//! `expect` leaves out has to come out as nothing, unless the case or the file lists it under `unchecked`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::{Map, Value};

/// One case.
pub(crate) struct Case {
    /// Its name in the file.
    pub(crate) name: String,
    /// The judge's input, with generated texts filled in.
    pub(crate) input: Map<String, Value>,
    /// The expected results; what is missing is expected to be nothing.
    pub(crate) expect: Map<String, Value>,
    /// The results that may be anything.
    unchecked: Vec<String>,
    is_whole: bool,
}

/// Custom comparison for a key of `expect`; `None` means comparison by equality.
pub(crate) type Compare = fn(key: &str, expected: &Value, actual: &Map<String, Value>) -> Option<bool>;

/// The folder of this project's own vectors.
pub(crate) fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// The folder named by `CLOSEOUT_VECTORS`, otherwise the project's own.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("CLOSEOUT_VECTORS")
        .filter(|folder| !folder.is_empty())
        .map_or_else(own_folder, PathBuf::from)
}

/// Loads the cases of a file. Panics if it is missing, malformed or empty, or if a case has unknown keys.
pub(crate) fn load(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut file: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = file.get_mut("cases").and_then(Value::as_array_mut).map(std::mem::take);
    let cases = cases.unwrap_or_else(|| panic!("{}: no list of cases", path.display()));
    assert!(!cases.is_empty(), "{}: no cases", path.display());
    let of_file = read_unchecked(file.get("unchecked"), &path.display().to_string());
    cases
        .into_iter()
        .enumerate()
        .map(|(index, case)| read_case(case, &of_file, &format!("{} #{index}", path.display())))
        .collect()
}

fn read_unchecked(keys: Option<&Value>, place: &str) -> Vec<String> {
    let keys = keys.map_or(Ok(Vec::new()), Vec::deserialize);
    keys.unwrap_or_else(|error| panic!("{place}: `unchecked`: {error}"))
}

fn read_case(case: Value, of_file: &[String], place: &str) -> Case {
    let Value::Object(mut case) = case else { panic!("{place}: not an object") };
    let name = case.remove("name").and_then(|name| name.as_str().map(str::to_owned));
    case.remove("why");
    let unchecked = [read_unchecked(case.remove("unchecked").as_ref(), place), of_file.to_vec()].concat();
    let mut part = |key: &str| match case.remove(key).map(|value| expand(value, place)) {
        Some(Value::Object(object)) => object,
        other => panic!("{place}: `{key}` is not an object: {other:?}"),
    };
    let (input, expect) = (part("input"), part("expect"));
    assert!(case.is_empty(), "{place}: unknown keys {:?}", case.keys());
    assert!(!expect.is_empty(), "{place}: nothing is expected");
    Case {
        name: name.unwrap_or_else(|| panic!("{place}: no name")),
        input,
        expect,
        unchecked,
        is_whole: true,
    }
}

/// Replaces every `X_gen`, at any depth, by `prefix` + `unit` × `times` + `suffix`.
fn expand(value: Value, place: &str) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(|item| expand(item, place)).collect(),
        Value::Object(object) => {
            let mut expanded = Map::new();
            for (key, value) in object {
                let (key, value) = match key.strip_suffix("_gen") {
                    Some(plain) => (plain.to_owned(), Value::String(generate(&value, place))),
                    None => (key, expand(value, place)),
                };
                assert!(expanded.insert(key.clone(), value).is_none(), "{place}: `{key}` is given twice");
            }
            Value::Object(expanded)
        }
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}

fn generate(recipe: &Value, place: &str) -> String {
    let recipe = recipe.as_object().unwrap_or_else(|| panic!("{place}: a recipe is not an object"));
    for key in recipe.keys() {
        assert!(
            ["prefix", "unit", "times", "suffix"].contains(&key.as_str()),
            "{place}: unknown key `{key}` in a recipe"
        );
    }
    let text = |key: &str| match recipe.get(key) {
        None => "",
        Some(text) => text.as_str().unwrap_or_else(|| panic!("{place}: `{key}` of a recipe is not a text")),
    };
    let times = recipe.get("times").map_or(Some(0), Value::as_u64);
    let times =
        times.and_then(|times| usize::try_from(times).ok()).unwrap_or_else(|| panic!("{place}: `times`"));
    text("prefix").to_owned() + &text("unit").repeat(times) + text("suffix")
}

/// Runs the cases of `file` in [`folder`] through `judge`, as [`check`] does. A foreign folder's cases need not expect
/// every result.
pub(crate) fn run(
    file: &str,
    inputs: &[&str],
    judge: impl Fn(&Map<String, Value>) -> Map<String, Value>,
    compare: Compare,
) {
    let folder = folder();
    check(&folder.join(file), folder == own_folder(), inputs, judge, compare);
}

/// Runs every case of a file, then panics with a list of all failures. `inputs` are the known keys of `input`;
/// `is_whole` says that results are compared which a case does not name.
pub(crate) fn check(
    path: &Path,
    is_whole: bool,
    inputs: &[&str],
    judge: impl Fn(&Map<String, Value>) -> Map<String, Value>,
    compare: Compare,
) {
    let mut cases = load(path);
    for case in &mut cases {
        case.is_whole = is_whole;
    }
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let problems = problems(case, inputs, &judge, compare);
            (!problems.is_empty()).then(|| format!("{}:\n    {}", case.name, problems.join("\n    ")))
        })
        .collect();
    let (n_failed, n_cases) = (failures.len(), cases.len());
    assert!(
        failures.is_empty(),
        "{}: {n_failed} of {n_cases} cases fail\n  {}",
        path.display(),
        failures.join("\n  ")
    );
    println!("{}: {n_cases} cases", path.display());
}

fn problems(
    case: &Case,
    inputs: &[&str],
    judge: impl Fn(&Map<String, Value>) -> Map<String, Value>,
    compare: Compare,
) -> Vec<String> {
    let unknown = case.input.keys().filter(|key| !inputs.contains(&key.as_str()));
    let mut problems: Vec<String> = unknown.map(|key| format!("unknown key `{key}` in input")).collect();
    let Ok(actual) = catch_unwind(AssertUnwindSafe(|| judge(&case.input))) else {
        problems.push("the judge, or its driver, panicked".to_owned());
        return problems;
    };
    problems.extend(differences(&case.expect, &actual, compare));
    let is_left_out = |key: &str| case.is_whole && !case.unchecked.iter().any(|unchecked| unchecked == key);
    problems
        .extend(left_out(&case.expect, &actual).filter(|(key, _)| is_left_out(key)).map(|(_, said)| said));
    problems
}

/// What is other than expected, by key.
fn differences<'a>(
    expect: &'a Map<String, Value>,
    actual: &'a Map<String, Value>,
    compare: Compare,
) -> impl Iterator<Item = String> + 'a {
    expect.iter().filter_map(move |(key, expected)| {
        let is_equal = compare(key, expected, actual).unwrap_or_else(|| actual.get(key) == Some(expected));
        let actual = || actual.get(key).map_or("nothing of that name".to_owned(), ToString::to_string);
        (!is_equal).then(|| format!("{key}: expected {expected}, got {}", actual()))
    })
}

/// What `expect` leaves out and is something, each with its key.
fn left_out<'a>(
    expect: &'a Map<String, Value>,
    actual: &'a Map<String, Value>,
) -> impl Iterator<Item = (&'a str, String)> {
    let left_out = actual.iter().filter(|(key, value)| !expect.contains_key(*key) && !is_nothing(value));
    left_out.map(|(key, value)| (key.as_str(), format!("{key}: expected nothing, got {value}")))
}

/// Every difference between a whole result and what is expected.
pub(crate) fn whole_differences(expect: &Map<String, Value>, actual: &Map<String, Value>) -> Vec<String> {
    let left_out = left_out(expect, actual).map(|(_, said)| said);
    differences(expect, actual, by_equality).chain(left_out).collect()
}

/// Whether a result says nothing: no value, no, zero, no words, or a list of such.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.iter().all(is_nothing),
        Value::Object(object) => object.values().all(is_nothing),
    }
}

/// Compares every key by equality.
pub(crate) fn by_equality(_key: &str, _expected: &Value, _actual: &Map<String, Value>) -> Option<bool> {
    None
}

/// Serialises a result into the map that is compared.
pub(crate) fn as_map(result: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(result) {
        Ok(Value::Object(object)) => object,
        other => panic!("a result is not an object: {other:?}"),
    }
}
