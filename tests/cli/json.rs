//! Everything that `--json` prints is in `closeout schema`, has a version, and tells how the program ended.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::schema;
use crate::asking::{Asked, says};
use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

const COMPLETE: &str = r#"{"status": "complete", "message": "all done"}"#;
const CHECKLIST: &str = r#"{"checklist": [{"id": "1", "description": "parser", "completed": true, "evidence": "f"}],
    "allComplete": true, "pendingActions": [], "confidence": 0.9, "summary": "done"}"#;

/// Fronts of actions: they tell their class and exit code. The others have a verdict, or nothing to fail at.
const ACTS: [&str; 9] = ["rescue", "undo", "redo", "rescues", "restore", "trust", "reply", "ask", "verify"];

/// A workspace in which every front has something to say, and what was run there.
struct Fronts {
    asked: Asked,
    run: BTreeSet<String>,
}

impl Fronts {
    /// Runs a front and holds each line that it prints against the schema; the last line.
    fn run(&mut self, code: i32, arguments: &[&str]) -> Value {
        let run = self.asked.env.run(self.asked.repo.path(), arguments);
        self.holds(code, arguments, &run)
    }

    fn holds(&mut self, code: i32, arguments: &[&str], run: &Run) -> Value {
        assert_eq!(run.code, code, "{arguments:?}: {run:?}");
        let lines: Vec<Value> = run
            .out
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {run:?}"))
            })
            .collect();
        assert!(!lines.is_empty(), "{arguments:?} prints nothing: {run:?}");
        for line in &lines {
            schema().assert_valid(line);
            assert_eq!(line["version"], 1, "{arguments:?}: {line:#}");
            if ACTS.contains(&arguments[0]) {
                assert_eq!(line["exit_code"], run.code, "{arguments:?}: {line:#}");
                assert!(line["class"].is_string(), "{arguments:?}: {line:#}");
            }
        }
        self.run.insert(arguments[0].to_owned());
        lines.into_iter().last().unwrap()
    }
}

/// The commands whose help has a flag `--json`.
pub(super) fn fronts_with_json(env: &TestEnv) -> BTreeSet<String> {
    let help = env.run(".", &["--help"]).out;
    let commands = help.split("Commands:").nth(1).unwrap();
    let commands = commands.trim_start_matches('\n').split("\n\n").next().unwrap();
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let has_flag =
        |help: &str| help.lines().any(|line| line.trim_start().split(' ').next() == Some("--json"));
    names
        .filter(|name| !name.is_empty() && *name != "help")
        .filter(|name| has_flag(&env.run(".", &[name, "--help"]).out))
        .map(str::to_owned)
        .collect()
}

/// The fronts of supervised runs, and of what happened.
fn supervised(fronts: &mut Fronts, repo: &Repo) {
    let ran = fronts.asked.env.run(repo.path(), &["run", "--json", "--max-iterations", "1", "--", "false"]);
    for line in ran.out.lines() {
        let one = Run { out: format!("{line}\n"), err: String::new(), code: ran.code };
        fronts.holds(50, &["run", "--json"], &one);
    }
    fronts.run(0, &["log", "--all", "--json"]);
    fronts.run(0, &["stats", "--json"]);
    fronts.run(31, &["wait", "--json", "--until", "NO_TASK", "--timeout", "1s"]);
}

/// A restore that writes names of any bytes, and one of nothing.
fn restored(fronts: &mut Fronts, record: &Value) {
    let (record, into) = (record.as_str().unwrap(), fronts.asked.env.at("given-back"));
    let restored = fronts.run(0, &["restore", "--json", record, into.to_str().unwrap()]);
    let odd = json!({"path": "odd\\xFF␊", "path_hex": "6f6464ff0a"});
    assert!(restored["files"].as_array().unwrap().contains(&odd), "{restored:#}");
    fronts.run(20, &["restore", "--json", "no-such-record", "x"]);
}

#[test]
fn every_front_prints_what_the_schema_says() {
    let asked = Asked::new(&says(COMPLETE), &says(CHECKLIST));
    let mut fronts = Fronts { asked, run: BTreeSet::new() };
    let repo: Repo = fronts.asked.repo.clone();
    fronts.run(0, &["ask", "--json", "--dry-run"]);
    fronts.run(0, &["ask", "--json"]);
    fronts.run(0, &["verify", "--json", "--dry-run"]);
    fronts.run(0, &["verify", "--json"]);
    fronts.run(20, &["reply", "--json"]);
    fronts.run(12, &["rescue", "--json"]);
    fronts.run(12, &["undo", "--json", "--yes"]);
    fronts.run(0, &["check", "--json"]);
    fronts.run(0, &["check", "--json", "--probe"]);
    fronts.run(0, &["status", "--json"]);
    fronts.run(12, &["trust", "--json"]);

    repo.write("parser.rs", "fn parse() {}\n").write(".env", "KEY=1\n").write_bytes(b"odd\xff\n", "x\n");
    let plan = fronts.run(0, &["rescue", "--json", "--dry-run"]);
    let paths = plan["paths"].as_array().unwrap();
    let named: Vec<(&str, Option<&str>)> =
        paths.iter().map(|row| (row["path"].as_str().unwrap(), row["path_hex"].as_str())).collect();
    assert_eq!(named, [(".env", None), ("odd\\xFF␊", Some("6f6464ff0a")), ("parser.rs", None)], "{plan:#}");
    assert_eq!(paths[0]["can_be_asked_for"], true);
    let kept = fronts.run(11, &["rescue", "--json"]);
    assert!(kept["reason"].as_str().unwrap().contains("the work is kept in refs/closeout/"), "{kept:#}");
    fronts.run(0, &["rescue", "--json", "--record-only"]);
    let rescued = fronts.run(0, &["rescue", "--json", "--yes"]);
    assert_eq!(rescued["commits"].as_array().unwrap().len(), 1);
    let planned = fronts.run(0, &["undo", "--json", "--dry-run"]);
    assert_eq!(
        (&planned["is_done"], &planned["paths"][0]["path_hex"]),
        (&false.into(), &"6f6464ff0a".into())
    );
    let declined = fronts.run(24, &["undo", "--json"]);
    assert_eq!(declined["class"], "declined");
    fronts.run(0, &["undo", "--json", "--yes"]);
    fronts.run(0, &["redo", "--json", "--yes"]);
    let listed = fronts.run(0, &["rescues", "--json"]);
    assert_eq!(listed["records"][0]["worktree"]["path"], repo.path().to_str().unwrap());
    restored(&mut fronts, &listed["records"][0]["reference"]);
    repo.git(["checkout", "-q", "--detach"]);
    repo.write("more.rs", "fn more() {}\n");
    let refused = fronts.run(11, &["rescue", "--json"]);
    assert!(refused["reason"].is_string() && !refused["next"].as_array().unwrap().is_empty(), "{refused:#}");

    repo.git(["config", "filter.upper.clean", "tr a-z A-Z"]);
    repo.write(".gitattributes", "*.txt filter=upper\n");
    fronts.run(22, &["trust", "--json"]);
    fronts.run(0, &["trust", "--json", "--yes"]);
    fronts.run(0, &["log", "--json"]);
    fronts.run(0, &["config", "--json"]);
    supervised(&mut fronts, &repo);
    let doctor = fronts.asked.env.run(repo.path(), &["doctor", "--json"]);
    fronts.holds(doctor.code, &["doctor", "--json"], &doctor);
    let told = fronts.asked.env.run_with_input(&["classify", "--json"], b"Shall I use A or B?\n");
    fronts.holds(0, &["classify", "--json"], &told);
    let line = "{\"id\": 7, \"task_kind\": \"REPORT\", \"text\": \"Done.\"}\n";
    let told = fronts.asked.env.run_with_input(&["classify", "--jsonl"], line.as_bytes());
    assert_eq!(fronts.holds(0, &["classify", "--jsonl"], &told)["id"], 7);
    assert_eq!(fronts.run, fronts_with_json(&fronts.asked.env), "each front with --json was run");
}

#[test]
fn an_act_that_is_not_done_says_why_on_standard_output_too() {
    let asked = Asked::new("exit 9", "exit 9");
    let mut fronts = Fronts { asked, run: BTreeSet::new() };
    let failed = fronts.run(30, &["ask", "--json"]);
    assert_eq!(failed["class"], "failed", "{failed:#}");
    let refused = fronts.run(20, &["rescue", "--json", "/"]);
    assert!(refused["reason"].is_string(), "{refused:#}");
    fs::write(fronts.asked.repo.path().join(".mine/status.json"), "{\"status\": \"working\"}").unwrap();
    let busy = fronts.run(21, &["verify", "--json"]);
    assert_eq!(busy["next"][0], "wait until its turn is over", "{busy:#}");
}
