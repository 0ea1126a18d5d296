//! `verify`: the closer from the command line to its checklist.

use std::fs;

use serde_json::{Value, json};

use super::{Asked, says};
use crate::support::test_env::Run;

fn answer(is_complete: bool, pending: &[&str]) -> String {
    json!({
        "checklist": [
            {"id": "1", "description": "parse", "completed": true, "evidence": "parser.rs"},
            {"id": "2", "description": "docs", "completed": is_complete, "evidence": null},
        ],
        "allComplete": is_complete, "summary": "nearly", "pendingActions": pending, "confidence": 0.9,
    })
    .to_string()
}

fn verify(asked: &Asked) -> (Run, Value) {
    let run = asked.env.run(asked.repo.path(), &["verify", "--json"]);
    let json = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    (run, json)
}

/// A script that keeps what it was given and answers.
fn keeping(answer: &str) -> String {
    format!("cat \"$1\" > \"$TRACE/schema\"\ncat > \"$TRACE/prompt\"\ncat <<'END'\n{answer}\nEND")
}

#[test]
fn a_checklist_comes_with_evidence_and_the_prompt_with_what_is_known() {
    let asked = Asked::new("exit 9", &keeping(&answer(false, &["write the docs"])));
    asked.repo.commit_file("parser.rs");
    asked.repo.write("notes.txt", "x");
    let (run, json) = verify(&asked);
    let found = (run.code, json["is_complete"].as_bool(), json["n_attempts"].as_u64());
    assert_eq!(found, (1, Some(false), Some(1)), "{run:?}");
    assert_eq!(json["pending_actions"], json!(["write the docs"]));
    assert_eq!((json["confidence_percent"].as_u64(), json["round"].as_u64()), (Some(90), Some(1)));
    let first = json!({"title": "parse", "state": "done", "evidence": "parser.rs"});
    assert_eq!(json["checklist"]["items"][0], first);
    let prompt = fs::read_to_string(asked.trace("prompt")).unwrap();
    for words in ["(complete.issue)", "I looked at the parser.", "add parser.rs", "- notes.txt"] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    let schema: Value = serde_json::from_str(&fs::read_to_string(asked.trace("schema")).unwrap()).unwrap();
    assert_eq!(schema["required"][1], "allComplete");
    // The next round knows what this one left open, also in another run.
    let run = asked.env.run(asked.repo.path(), &["verify"]);
    let prompt = fs::read_to_string(asked.trace("prompt")).unwrap();
    assert!(prompt.contains("write the docs"), "{prompt}");
    let lines = ["[x] parse", "      parser.rs", "[ ] docs", "to do: write the docs"];
    for line in lines.into_iter().chain(["not complete (round 2, confidence 90 %)"]) {
        assert!(run.out.lines().any(|told| told == line), "{line}: {}", run.out);
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_once_more() {
    let whole = answer(true, &[]);
    let script = format!(
        "cat > \"$TRACE/prompt.$N\"\nif [ \"$N\" = 0 ]; then echo 'All is well.'; else echo '{whole}'; fi"
    );
    let asked = Asked::new("exit 9", &script);
    let (run, json) = verify(&asked);
    assert_eq!(
        (run.code, json["n_attempts"].as_u64(), json["error"].is_null()),
        (0, Some(2), true),
        "{run:?}"
    );
    let again = fs::read_to_string(asked.trace("prompt.1")).unwrap();
    let words = "could not be used (complete.issue): it holds no JSON object of the form";
    assert!(again.contains(words), "{again}");
    let asked = Asked::new("exit 9", &says("All is well."));
    let (run, json) = verify(&asked);
    let found = (run.code, json["is_complete"].as_bool(), json["n_attempts"].as_u64());
    assert_eq!(found, (23, Some(false), Some(2)), "{run:?}");
    assert_eq!(asked.n_started("query"), 2);
}

#[test]
fn a_prompt_of_the_workspace_takes_the_place_of_the_built_in_one() {
    let asked = Asked::new("exit 9", &keeping(&answer(true, &[])));
    let path = ".agent/mine/prompts/steps/complete/issue/f_default.md";
    asked.repo.write(path, "---\nparams:\n  - step_id\n---\nOwn {{step_id}}: {{input}} {{unknown}}\n");
    asked.repo.commit("prompt");
    assert_eq!(verify(&asked).0.code, 0);
    let prompt = fs::read_to_string(asked.trace("prompt")).unwrap();
    assert!(prompt.starts_with("Own complete.issue: ## ") && prompt.ends_with(" {{unknown}}\n"), "{prompt}");
    let run = asked.env.run(asked.repo.path(), &["verify", "--dry-run"]);
    assert!(run.out.contains(&format!("prompt   {path}")), "{run:?}");
    // It is read like every file of a workspace: not through links.
    asked.repo.remove(path);
    std::os::unix::fs::symlink("/etc/hostname", asked.repo.at(path)).unwrap();
    let run = asked.env.run(asked.repo.path(), &["verify"]);
    assert_eq!((run.code, asked.n_started("query")), (20, 1), "{run:?}");
}

/// P06
#[test]
fn asking_that_changes_files_brings_no_checklist() {
    let asked = Asked::new("exit 9", &format!("echo x > new.txt\n{}", says(&answer(true, &[]))));
    let run = asked.env.run(asked.repo.path(), &["verify"]);
    assert_eq!(run.code, 23, "{run:?}");
    assert!(run.err.contains("asking changed files: new.txt"), "{run:?}");
}
