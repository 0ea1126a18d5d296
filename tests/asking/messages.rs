//! `rescue --ask-messages`: what an agent proposes is shown, committed as it was shown, and taken back; an agent that errs
//! costs nothing.

use std::fs;

use serde_json::{Value, json};

use super::{Asked, says};

/// An agent that proposes these commits, each a message with the numbers of its changes, and keeps what it was given.
fn proposing(commits: &[(&str, &[usize])]) -> Asked {
    let commits: Vec<Value> =
        commits.iter().map(|(message, changes)| json!({"message": message, "changes": changes})).collect();
    let answer = json!({ "commits": commits }).to_string();
    let query = format!(
        "cat \"$1\" > \"$TRACE/schema\"\ncat > \"$TRACE/prompt\"\ncat <<'END'\nHere it is: {answer}\nEND"
    );
    changed(Asked::new("exit 9", &query))
}

fn changed(asked: Asked) -> Asked {
    asked.repo.write("a.rs", "fn a() {}\n").write("b.md", "# b\n").write("README", "hello you\n");
    asked
}

/// Subject and paths of each commit since `from`, the oldest first.
fn commits(asked: &Asked, from: &str) -> Vec<(String, Vec<String>)> {
    let ids = asked.repo.git(["rev-list", "--reverse", &format!("{from}..HEAD")]);
    let read = |id: &str| {
        let subject = asked.repo.git(["log", "-1", "--format=%s", id]);
        let names = asked.repo.git(["diff-tree", "--no-commit-id", "--name-only", "-r", id]);
        (subject.trim().to_owned(), names.lines().map(str::to_owned).collect())
    };
    ids.lines().map(read).collect()
}

#[test]
fn an_agent_proposes_messages_and_a_split_which_are_shown_committed_and_taken_back() {
    let asked = proposing(&[("Say whom the greeting is for", &[1]), ("Add a\n\nIt was asked for.", &[2])]);
    let head = asked.repo.head();
    let run = asked.env.run(asked.repo.path(), &["rescue", "--ask-messages", "--dry-run", "--json"]);
    assert_eq!((run.code, asked.repo.head()), (0, head.clone()), "{run:?}");
    let plan = run.json();
    assert_eq!((&plan["split"], plan["splits"].as_array().unwrap().len()), (&json!("agent"), 1), "{plan:#}");
    let shown = &plan["splits"][0]["commits"];
    assert!(shown[1]["message"].as_str().unwrap().starts_with("Add a\n\nIt was asked for.\n\nRescued-by: "));
    let prompt = fs::read_to_string(asked.trace("prompt")).unwrap();
    for words in ["1. changed README (10 bytes)", "2. added a.rs", "3. added b.md", "I looked at the parser."]
    {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    let schema: Value = serde_json::from_str(&fs::read_to_string(asked.trace("schema")).unwrap()).unwrap();
    assert_eq!(schema["required"][0], "commits");
    let run = asked.env.run(asked.repo.path(), &["rescue", "--ask-messages=mine", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("| Say whom the greeting is for"), "{run:?}");
    // What it names in no commit is one more.
    let found = commits(&asked, &head);
    let named = |at: usize| (found[at].0.as_str(), found[at].1.join(" "));
    assert_eq!(named(0), ("Say whom the greeting is for", "README".to_owned()));
    assert_eq!(named(1), ("Add a", "a.rs".to_owned()));
    assert_eq!((found.len(), found[2].1.join(" ")), (3, "b.md".to_owned()));
    assert_eq!(asked.repo.git(["status", "--porcelain"]), "");
    let log = asked.env.run(asked.repo.path(), &["log", "--json"]);
    assert_eq!(log.out.lines().filter(|line| line.contains("\"kind\":\"messages\"")).count(), 2, "{log:?}");
    let undone = asked.env.run(asked.repo.path(), &["undo", "--yes"]);
    assert_eq!((undone.code, asked.repo.head()), (0, head), "{undone:?}");
}

#[test]
fn one_commit_has_the_message_of_the_agent_and_paths_taken_in_count() {
    let asked = proposing(&[("Add all of it", &[3, 1, 2])]);
    let head = asked.repo.head();
    let run = asked.env.run(asked.repo.path(), &["rescue", "--ask-messages", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    let all = ["README", "a.rs", "b.md"].map(str::to_owned).to_vec();
    assert_eq!(commits(&asked, &head), [("Add all of it".to_owned(), all)]);
    // What is left out is not shown to the agent, and goes with the last commit where the person takes it in.
    let asked = proposing(&[("Add a", &[3]), ("The rest", &[1, 2, 4])]);
    asked.repo.write(".env", "TOKEN=1\n");
    let head = asked.repo.head();
    let run = asked.env.run(asked.repo.path(), &["rescue", "--ask-messages", "--include", ".env", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(commits(&asked, &head)[0], ("Add a".to_owned(), vec!["a.rs".to_owned()]), "{run:?}");
    assert_eq!(commits(&asked, &head).len(), 2);
}

#[test]
fn an_agent_that_errs_takes_nothing_away() {
    let write =
        "cat > /dev/null; echo x >> a.rs; echo '{\"commits\":[{\"message\":\"m\",\"changes\":[1,2,3]}]}'";
    for (query, why) in [
        (says("All is well."), "no JSON object"),
        (says(r#"{"commits":[{"message":"m","changes":[9]}]}"#), "there is no change 9"),
        ("exit 7".to_owned(), "exit code 7"),
        (write.to_owned(), "files changed while the agent was asked: a.rs"),
    ] {
        let asked = changed(Asked::new("exit 9", &query));
        let head = asked.repo.head();
        let run = asked.env.run(asked.repo.path(), &["rescue", "--ask-messages", "--dry-run"]);
        assert_eq!((run.code, asked.repo.head()), (0, head), "{why}: {run:?}");
        assert!(run.err.contains(why) && run.err.contains("stay as closeout proposes them"), "{run:?}");
        assert!(run.out.contains("Rescued-by: closeout"), "{run:?}");
    }
    let asked = changed(Asked::new("exit 9", "exit 9"));
    let run = asked.env.run(asked.repo.path(), &["rescue", "--ask-messages=none", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("does not know the agent none"), "{run:?}");
}
