//! The built program without a screen: output, exit codes, its schema, and what it leaves behind.

mod bad_input;
mod check;
mod checks;
mod classify;
mod clock_back;
mod doctor;
mod full_disk;
mod json;
mod log;
mod mark;
mod mcp;
mod raw_json;
mod records;
mod remembered;
mod rescue;
mod settings;
mod status;
mod trust;
mod unaudited;
mod usage;
mod waiting;

use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::repo::Repo;
use crate::support::schema::Schema;
use crate::support::test_env::{Run, TestEnv};

/// The schema that the program prints.
fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let run = TestEnv::new().run(".", &["schema"]);
        assert_eq!(run.code, 0, "{run:?}");
        Schema::parse(&run.out)
    })
}

/// Runs `check --json` on a repository, from outside it, and holds what it prints to the schema.
fn check(env: &TestEnv, path: &Path, more: &[&str]) -> (Run, Value) {
    let path = path.to_str().unwrap();
    let run = env.run(env.at("."), &[&["check", "--json", path], more].concat());
    schema().assert_valid(&run.json());
    let workspace = run.workspace();
    (run, workspace)
}

/// The evidence of one source. The decision has another name when it carries an id.
fn evidence<'a>(workspace: &'a Value, source: &str) -> &'a Value {
    let all = workspace["evidence"].as_array().unwrap();
    all.iter()
        .find(|part| part["source"].as_str().unwrap().starts_with(source))
        .unwrap_or_else(|| panic!("no {source}: {all:#?}"))
}

/// The reasons of one source as one text.
fn reasons(workspace: &Value, source: &str) -> String {
    let reasons = evidence(workspace, source)["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason.as_str().unwrap()).collect::<Vec<_>>().join("; ")
}

/// A repository on the branch `work` that left `main` after its first commit, with one commit more.
fn with_work() -> Repo {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    repo
}
