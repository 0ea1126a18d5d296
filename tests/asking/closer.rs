//! `verify`: the closer from the command line to its checklist.

use std::fs;

use closeout::engine::clock;
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
    for words in
        ["whether a task is really finished", "I looked at the parser.", "add parser.rs", "- notes.txt"]
    {
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
    let words = "could not be used: it holds no JSON object of the form";
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

#[test]
fn another_agent_is_asked_in_a_new_session_step_by_step_and_all_have_to_be_complete() {
    let asked = Asked::new("exit 9", "exit 9");
    let trace = asked.trace("");
    let script = format!(
        "N=$(ls {0} | grep -c with); cat > {0}/with.$N; if [ $N = 1 ]; then echo '{1}'; else echo '{2}'; fi",
        trace.display(),
        answer(false, &["write the docs"]),
        answer(true, &[])
    );
    asked.configure_more(&format!(
        "[[agent]]\nname = \"critic\"\noutput = \".critic/x.md\"\ncommands.query = [\"/bin/sh\", \"-c\", {script:?}]\n"
    ));
    for (step, text) in [("review/pr", "Tone {{tone}}, step {{step_id}}.\n"), ("review/docs", "{{input}}\n")]
    {
        asked.repo.write(&format!(".agent/mine/prompts/steps/{step}/f_default.md"), text);
    }
    asked.repo.commit("prompts");
    let output = asked.trace("output.json");
    fs::write(&output, r#"{"files": ["a.rs"]}"#).unwrap();
    let output = output.display().to_string();
    let arguments = [
        "verify", "--json", "--with", "critic", "--param", "tone=strict", "--step", "review/pr", "--step",
        "review/docs", "--structured-output", &output,
    ];
    let run = asked.env.run(asked.repo.path(), &arguments);
    let json = run.json();
    assert_eq!(
        (run.code, &json["is_complete"], &json["asked_of"]),
        (1, &json!(false), &json!("critic")),
        "{run:?}"
    );
    assert_eq!((&json["pending_actions"], &json["n_attempts"]), (&json!(["write the docs"]), &json!(2)));
    assert_eq!(json["checklist"]["items"].as_array().unwrap().len(), 4, "of both steps");
    assert_eq!(fs::read_to_string(asked.trace("with.0")).unwrap(), "Tone strict, step review.pr.\n");
    let second = fs::read_to_string(asked.trace("with.1")).unwrap();
    assert!(second.contains("structured output") && second.contains(r#"{"files":["a.rs"]}"#), "{second}");
    assert!(json["prompt_used"].as_str().unwrap().starts_with("Tone strict, step review.pr."), "{json}");
    assert_eq!(asked.n_started("query"), 0, "the session that did the work is not asked");
    for (arguments, code) in [
        (&["verify", "--with", "nobody"][..], 20),
        (&["verify", "--param", "tone"], 2),
        (&["verify", "--step", "../x"], 2),
        (&["verify", "--structured-output", "/nowhere"], 2),
    ] {
        assert_eq!(asked.env.run(asked.repo.path(), arguments).code, code, "{arguments:?}");
    }
}

#[test]
fn what_the_closer_found_stays_open_and_tells_of_commits_since() {
    let asked = Asked::new("exit 9", &says(&answer(false, &["write the docs"])));
    asked.repo.commit_file("parser.rs");
    assert_eq!(verify(&asked).0.code, 1);
    let row = || {
        let run = asked.env.run(asked.repo.path(), &["check", "--json"]);
        let workspace = run.json()["workspaces"][0].clone();
        let rows = workspace["evidence"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["name"] == "asked of mine").unwrap()
    };
    assert_eq!(row()["reasons"], json!(["write the docs"]));
    asked.repo.write("docs.md", "new\n").stage("docs.md");
    let date = format!("{} +0000", clock::now().0 / 1000 + 2);
    let committed = asked.repo.try_git(&["commit", "-q", "-m", "docs"], &[("GIT_COMMITTER_DATE", &date)]);
    assert!(committed.status.success(), "{committed:?}");
    let row = row();
    assert_eq!(
        (&row["claim"], &row["reasons"][1]),
        (&json!("NO"), &json!("since then 1 commit: ask the closer again"))
    );
}

/// P06
#[test]
fn asking_that_changes_files_brings_no_checklist() {
    let asked = Asked::new("exit 9", &format!("echo x > new.txt\n{}", says(&answer(true, &[]))));
    let run = asked.env.run(asked.repo.path(), &["verify"]);
    assert_eq!(run.code, 23, "{run:?}");
    assert!(run.err.contains("files changed while the agent was asked: new.txt"), "{run:?}");
}
