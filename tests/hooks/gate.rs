//! The gates, the real program: an agent that is about to stop is held back while something is left to do, and never by
//! an error of closeout's own.

use std::fs;

use closeout::agent::claude_folder_name;
use closeout::engine::clock;
use serde_json::{Value, json};

use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

const STOP: [&str; 4] = ["hook", "stop", "--agent", "claude"];
const ENABLED: &str = "[gate]\nenabled = true\n";

/// A repository with an open box in its plan, and a person who set a gate.
fn open_plan(config: &str) -> (Repo, TestEnv) {
    let repo = Repo::new();
    repo.write("tasks.md", "# Tasks\n- [ ] write the parser\n- [x] read the code\n");
    let env = TestEnv::beside(&repo);
    env.configure(config);
    (repo, env)
}

/// What Claude Code 2.1.330 sends at `Stop`, with `more` in it.
fn payload(repo: &Repo, more: &Value) -> String {
    let mut payload = json!({
        "session_id": "694dbac5", "transcript_path": "/home/user/x.jsonl", "cwd": repo.path(),
        "prompt_id": "p", "permission_mode": "default", "effort": {"level": "medium"}, "hook_event_name": "Stop",
        "stop_hook_active": false, "last_assistant_message": "I wrote the parser.", "background_tasks": [],
        "session_crons": []
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    payload.to_string()
}

fn ask(env: &TestEnv, arguments: &[&str], payload: &str) -> Run {
    env.run_with_input(arguments, payload.as_bytes())
}

fn stop(env: &TestEnv, repo: &Repo, more: &Value) -> Run {
    ask(env, &STOP, &payload(repo, more))
}

#[track_caller]
fn held(run: &Run) -> String {
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let answer = run.json();
    let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
    // Codex takes an answer with any other field for none.
    assert_eq!(fields, ["decision", "reason"], "{run:?}");
    assert_eq!(answer["decision"], "block");
    answer["reason"].as_str().unwrap().to_owned()
}

#[track_caller]
fn let_go(run: &Run) {
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""), "{run:?}");
}

fn log_text(env: &TestEnv) -> String {
    let entries = fs::read_dir(env.at("state/log")).into_iter().flatten();
    entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn an_agent_is_held_while_its_plan_is_open_and_let_go_when_it_is_done() {
    let (repo, env) = open_plan(ENABLED);
    let reason = held(&stop(&env, &repo, &json!({})));
    assert!(reason.starts_with("closeout: 1 point is left to do.\n1. "), "{reason}");
    assert!(reason.contains("write the parser") && !reason.contains("read the code"), "{reason}");
    assert!(reason.contains("take it out of the plan and say why"), "{reason}");
    held(&stop(&env, &repo, &json!({"stop_hook_active": true, "last_assistant_message": "Now it is done."})));
    let log = env.run(repo.path(), &["log", "--json"]);
    let gates: Vec<Value> = log.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(gates.iter().filter(|entry| entry["kind"] == "gate").count(), 2, "{}", log.out);
    assert!(!log.out.contains("parser"), "the record holds no text of others: {}", log.out);
    repo.write("tasks.md", "# Tasks\n- [x] write the parser\n- [x] read the code\n");
    let_go(&stop(&env, &repo, &json!({"stop_hook_active": true})));
}

#[test]
fn nobody_is_held_where_no_gate_is_set() {
    for config in
        ["", "[gate]\nmax_blocks = 3\n", "[[workspace]]\npath = \"/elsewhere\"\ngate.enabled = true\n"]
    {
        let (repo, env) = open_plan(config);
        let_go(&stop(&env, &repo, &json!({})));
    }
    // The workspace's own file cannot set one.
    let (repo, env) = open_plan("");
    repo.write(".closeout.toml", ENABLED);
    let_go(&stop(&env, &repo, &json!({})));
}

#[test]
fn one_workspace_alone_can_have_a_gate() {
    let (repo, env) = open_plan("");
    let path = repo.path().canonicalize().unwrap();
    env.configure(&format!("[[workspace]]\npath = \"{}\"\ngate.enabled = true\n", path.display()));
    held(&stop(&env, &repo, &json!({})));
    // A session in a folder of it is in it.
    fs::create_dir(repo.path().join("src")).unwrap();
    held(&stop(&env, &repo, &json!({"cwd": repo.path().join("src"), "session_id": "other"})));
}

#[test]
fn an_error_of_our_own_never_holds_an_agent() {
    let (repo, env) = open_plan(ENABLED);
    let whole = payload(&repo, &json!({}));
    for input in ["", "nonsense", "{}", "[1]", "\u{0}", r#"{"session_id":7}"#, &whole[..20]] {
        let_go(&ask(&env, &STOP, input));
    }
    assert_eq!(log_text(&env).lines().count(), 7, "{}", log_text(&env));
    for cwd in ["/nowhere/at/all", "relative", "/proc/self/fd"] {
        let_go(&stop(&env, &repo, &json!({"cwd": cwd})));
    }
    // More than is read: what stood before the cut counts, and nothing breaks.
    let huge = payload(&repo, &json!({"zzz": "x".repeat(20 << 20)}));
    held(&ask(&env, &STOP, &huge));
    // A wrong word in the person's own file.
    env.configure("[gate]\nenabled = \"yes\"\n");
    let_go(&stop(&env, &repo, &json!({})));
    assert!(log_text(&env).contains("gate.enabled"), "{}", log_text(&env));
}

#[test]
fn a_payload_for_another_folder_is_judged_there() {
    let (repo, env) = open_plan(ENABLED);
    let clean = repo.beside("clean");
    clean.git(["init", "-q", "."]);
    held(&stop(&env, &repo, &json!({})));
    let_go(&stop(&env, &clean, &json!({"session_id": "other"})));
    // A version that closeout does not know, and fields of another kind than any.
    let newer = json!({"version": 99, "cwd": repo.path(), "session_id": "n", "background_tasks": "none",
        "stop_hook_active": "no", "last_assistant_message": {"text": "Done."}});
    held(&ask(&env, &STOP, &newer.to_string()));
}

#[test]
fn unknown_arguments_are_passed_over() {
    let (repo, env) = open_plan(ENABLED);
    held(&ask(
        &env,
        &["hook", "stop"],
        &payload(&repo, &json!({"new_field": {"a": [1]}, "session_id": "n"})),
    ));
    held(&ask(&env, &["hook", "stop", "--later", "--agent=claude"], &payload(&repo, &json!({}))));
    held(&ask(
        &env,
        &["hook", "after-agent", "--agent", "gemini"],
        &payload(&repo, &json!({"session_id": "g"})),
    ));
}

#[test]
fn what_cannot_be_counted_is_not_held() {
    let (repo, env) = open_plan(ENABLED);
    fs::create_dir_all(env.at("state")).unwrap();
    fs::write(env.at("state/gates.json"), "{").unwrap();
    let_go(&stop(&env, &repo, &json!({})));
    let env = env.with_variable("CLOSEOUT_STATE_DIR", "/proc/closeout");
    let_go(&stop(&env, &repo, &json!({})));
}

#[test]
fn a_question_to_the_person_is_never_held() {
    let (repo, env) = open_plan(ENABLED);
    let question = "Both ways work. Should I use SQLite or Postgres for the store?";
    let_go(&stop(&env, &repo, &json!({"last_assistant_message": question})));
    held(&stop(&env, &repo, &json!({"last_assistant_message": "I wrote a part of it."})));
}

#[test]
fn background_work_asks_again_when_it_ends() {
    let (repo, env) = open_plan(ENABLED);
    let task =
        |status: &str| json!({"background_tasks": [{"id": "a", "type": "subagent", "status": status}]});
    let_go(&stop(&env, &repo, &task("running")));
    held(&stop(&env, &repo, &task("completed")));
}

#[test]
fn a_server_that_runs_is_no_work_for_which_an_agent_may_stop() {
    let (repo, env) = open_plan(ENABLED);
    let shells = |commands: &[&str]| {
        let task = |command: &&str| json!({"id": *command, "type": "shell", "status": "running", "command": command});
        json!({"background_tasks": commands.iter().map(task).collect::<Vec<_>>()})
    };
    for endless in [
        "npm run dev",
        "cd web && PORT=3000 npm run dev 2>&1 | tee /tmp/dev.log",
        "cargo watch -x test",
        "npx vite --port 4000",
        "pytest --watch & npm run dev",
    ] {
        let session = json!({"session_id": endless});
        let mut more = shells(&[endless]);
        more.as_object_mut().unwrap().extend(session.as_object().unwrap().clone());
        held(&stop(&env, &repo, &more));
    }
    for work in [&["cargo build"][..], &["npm run dev", "cargo test"], &["npm run dev & cargo test"]] {
        let_go(&stop(&env, &repo, &shells(work)));
    }
    // What is told without a command line may be anything.
    let_go(&stop(
        &env,
        &repo,
        &json!({"background_tasks": [{"id": "b", "type": "shell", "status": "running"}]}),
    ));
    // It does not keep finished work from being finished, either.
    repo.write("tasks.md", "- [x] write the parser\n").stage("tasks.md").commit_file("parser.rs");
    let_go(&stop(&env, &repo, &shells(&["npm run dev"])));
}

#[test]
fn a_row_of_blocks_ends_and_the_next_prompt_begins_anew() {
    let (repo, env) = open_plan("[gate]\nenabled = true\nmax_blocks = 2\n[judge]\nstall_stage = 20\n");
    let again = json!({"stop_hook_active": true});
    held(&stop(&env, &repo, &json!({})));
    held(&stop(&env, &repo, &again));
    let_go(&stop(&env, &repo, &again));
    assert!(log_text(&env).contains("as many times in a row as allowed"), "{}", log_text(&env));
    // Another session has a row of its own.
    held(&stop(&env, &repo, &json!({"session_id": "b", "stop_hook_active": true})));
    held(&stop(&env, &repo, &json!({})));
}

#[test]
fn two_agents_in_one_workspace_have_a_row_each() {
    let (repo, env) = open_plan("[gate]\nenabled = true\nmax_blocks = 1\n[judge]\nstall_stage = 20\n");
    let asks = |agent: &str, is_continued: bool| {
        let more = json!({"session_id": "one-id", "stop_hook_active": is_continued});
        ask(&env, &["hook", "stop", "--agent", agent], &payload(&repo, &more))
    };
    held(&asks("claude", false));
    held(&asks("codex", false));
    let_go(&asks("claude", true));
    let_go(&asks("codex", true));
    // The next prompt of one begins its row anew, and not that of the other.
    held(&asks("codex", false));
    let_go(&asks("claude", true));
}

#[test]
fn a_plan_of_ten_thousand_steps_is_held_to_and_told_in_few_words() {
    let (repo, env) = open_plan(ENABLED);
    let steps: Vec<String> = (1..=10_000).map(|number| format!("- [ ] step {number} of the plan")).collect();
    repo.write("tasks.md", steps.join("\n"));
    let reason = held(&stop(&env, &repo, &json!({})));
    assert!(reason.contains("step 1 of the plan") && reason.len() < 8_000, "{}: {reason}", reason.len());
    // One of 200 MiB is not read, and the gate answers all the same.
    fs::File::options().write(true).open(repo.at("tasks.md")).unwrap().set_len(200 << 20).unwrap();
    let run = stop(&env, &repo, &json!({"session_id": "b"}));
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn test_results_of_200_mb_are_not_read_and_verify_nothing() {
    let (repo, env) = open_plan("[gate]\nenabled = true\n[evidence]\ntest_results = [\"junit.xml\"]\n");
    repo.write("tasks.md", "- [x] all\n").write("junit.xml", "<testsuite tests=\"1\" failures=\"0\">");
    fs::File::options().write(true).open(repo.at("junit.xml")).unwrap().set_len(200 << 20).unwrap();
    let reason = held(&stop(&env, &repo, &json!({})));
    assert!(reason.contains("tests") && reason.contains("run the tests"), "{reason}");
}

#[test]
fn the_same_points_again_and_again_let_it_stop() {
    let (repo, env) = open_plan(ENABLED);
    held(&stop(&env, &repo, &json!({})));
    let again = json!({"stop_hook_active": true});
    held(&stop(&env, &repo, &again));
    let_go(&stop(&env, &repo, &again));
    assert!(log_text(&env).contains("came back too often"), "{}", log_text(&env));
    // After a prompt of the person's it is told once more.
    held(&stop(&env, &repo, &json!({})));
    let_go(&stop(&env, &repo, &again));
}

#[test]
fn a_persons_word_lets_it_stop() {
    for word in ["done", "quiet"] {
        let (repo, env) = open_plan(ENABLED);
        held(&stop(&env, &repo, &json!({})));
        assert_eq!(env.run(repo.path(), &["mark", word]).code, 0);
        let_go(&stop(&env, &repo, &json!({"stop_hook_active": true})));
    }
}

#[test]
fn finished_work_that_is_not_committed_holds_only_where_commits_are_required() {
    let done = "- [x] write the parser\n";
    let (repo, env) = open_plan(ENABLED);
    repo.write("tasks.md", done).write("parser.rs", "fn parse() {}\n");
    let_go(&stop(&env, &repo, &json!({})));
    env.configure(&format!("{ENABLED}[verdict]\nrequire = \"committed\"\n"));
    let reason = held(&stop(&env, &repo, &json!({})));
    assert!(reason.contains("commit the work"), "{reason}");
}

#[test]
fn the_form_for_an_sdk_says_it_either_way() {
    let (repo, env) = open_plan(ENABLED);
    let arguments = ["hook", "stop", "--format", "sdk"];
    let answer = ask(&env, &arguments, &payload(&repo, &json!({}))).json();
    assert_eq!((&answer["needsMoreTurns"], &answer["decision"]), (&json!(true), &json!("continue")));
    assert!(answer["reason"].as_str().unwrap().contains("write the parser"));
    repo.write("tasks.md", "- [x] write the parser\n");
    let answer = ask(&env, &arguments, &payload(&repo, &json!({}))).json();
    assert_eq!((&answer["needsMoreTurns"], &answer["decision"]), (&json!(false), &json!("stop")));
    let answer = ask(&env, &arguments, "").json();
    assert_eq!(answer["needsMoreTurns"], json!(false));
}

#[test]
fn only_a_tool_that_hands_in_the_result_is_looked_at() {
    let (repo, env) = open_plan("[gate]\nenabled = true\nfinal_tools = [\"final_output\"]\n");
    let after = |tool: &str| {
        let more = json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"a": "b"}});
        ask(&env, &["hook", "post-tool-use", "--agent", "claude"], &payload(&repo, &more))
    };
    let_go(&after("Bash"));
    assert!(held(&after("final_output")).contains("write the parser"));
}

#[test]
fn a_sub_agent_is_held_like_its_session_and_a_helper_of_the_client_is_not() {
    let (repo, env) = open_plan(ENABLED);
    let sub = |kind: &str| {
        // Its own entry stands among the tasks that run.
        let running = json!([{"id": "a1", "type": "subagent", "status": "running"}]);
        let more = json!({"agent_id": "a1", "agent_type": kind, "background_tasks": running});
        ask(&env, &["hook", "subagent-stop", "--agent", "claude"], &payload(&repo, &more))
    };
    let_go(&sub(""));
    assert!(held(&sub("general-purpose")).contains("write the parser"));
}

#[test]
fn a_task_is_kept_open_by_what_a_machine_checks_and_not_by_the_other_tasks() {
    let (repo, env) =
        open_plan("[gate]\nenabled = true\n[evidence]\nrequired_files = [\"docs/parser.md\"]\n");
    let more =
        json!({"hook_event_name": "TaskCompleted", "task_id": "1", "task_subject": "Read the log files"});
    let completed = || ask(&env, &["hook", "task-completed", "--agent", "claude"], &payload(&repo, &more));
    let run = completed();
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
    assert!(run.err.contains("docs/parser.md") && !run.err.contains("write the parser"), "{run:?}");
    repo.write("docs/parser.md", "The parser.\n");
    let_go(&completed());
}

/// Writes the session's record: so many turns, the first of a prompt and the others of what the gate said.
fn write_turns(env: &TestEnv, repo: &Repo, n_turns: i64) {
    let mut text = String::new();
    let mut add = |ago: i64, mut line: Value| {
        line["timestamp"] =
            json!(jiff::Timestamp::from_second(clock::now().0 / 1000 - ago).unwrap().to_string());
        line["uuid"] = json!(format!("u{ago}"));
        for (name, value) in [("sessionId", json!("694dbac5")), ("version", json!("2.1.330"))] {
            line[name] = value;
        }
        (line["cwd"], line["isSidechain"]) = (json!(repo.path()), json!(false));
        text.extend([line.to_string(), "\n".to_owned()]);
    };
    for turn in 0..n_turns {
        let said = if turn == 0 { "Write the parser." } else { "Stop hook feedback:\nNot yet." };
        let prompt =
            json!({"type": "user", "isMeta": turn > 0, "message": {"role": "user", "content": said}});
        let answer = json!({"id": format!("m{turn}"), "role": "assistant", "model": "m", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "I wrote the parser."}]});
        add(600 - 20 * turn, prompt);
        add(590 - 20 * turn, json!({"type": "assistant", "message": answer}));
    }
    let folder = env.at("demo/claude/projects").join(claude_folder_name(repo.path()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("694dbac5.jsonl"), text).unwrap();
}

#[test]
fn a_turn_is_one_round_for_a_gate_and_for_all_who_look_beside_it() {
    let (repo, env) = open_plan(ENABLED);
    for (n_turns, state) in [(1, "INCOMPLETE"), (2, "INCOMPLETE"), (3, "STALLED")] {
        write_turns(&env, &repo, n_turns);
        let look = || env.run(repo.path(), &["check", "--json"]).workspace()["state"].clone();
        assert_eq!(look(), state, "before the gate is asked at the end of turn {n_turns}");
        let run = stop(&env, &repo, &json!({"stop_hook_active": n_turns > 1}));
        if state == "STALLED" {
            let_go(&run);
        } else {
            drop(held(&run));
        }
        for _ in 0..2 {
            assert_eq!(look(), state, "after turn {n_turns}");
        }
    }
}
