//! A workspace's own file, which an agent can write, never softens its verdict: the rule of every key, and whole
//! checks by the real program.

use std::collections::BTreeMap;
use std::fs;

use closeout::config::{CloserSettings, CompletionCheck, Config, DEFAULT_TEXT, Key, Sources};
use closeout::evidence::git::{GitAsk, GitMemory, file_of_commit};
use closeout::model::{BaselineOrigin, GitReader, Proof, TaskKind, WorkspaceSettings};
use serde_json::{Value, json};

use crate::support::repo::{Repo, git_program};
use crate::support::samples::commit_id;
use crate::support::test_env::TestEnv;

/// All that a workspace's own file has a say in.
type Effective = (WorkspaceSettings, CompletionCheck, CloserSettings);

/// What holds for a workspace with this file of its own, for a person with that one. `is_settled` says whether
/// the workspace's file is in the baseline.
fn effective(person: &str, own: &str, is_settled: bool) -> (Effective, Vec<String>) {
    let folder = crate::support::scratch::folder();
    let home = folder.path().join("home");
    let workspace = folder.path().join("app");
    fs::create_dir_all(home.join(".config/closeout")).unwrap();
    fs::create_dir_all(&workspace).unwrap();
    fs::write(home.join(".config/closeout/config.toml"), person).unwrap();
    if !own.is_empty() {
        fs::write(workspace.join(".closeout.toml"), own).unwrap();
    }
    let sources = Sources { environment: BTreeMap::new(), home: Some(home), ..Sources::default() };
    let config = Config::load(&sources).unwrap();
    let (settings, problems) = config.for_workspace(&workspace);
    let (bounds, _) = config.completion_check_for(&workspace);
    // Which keys were chosen is looked at by itself.
    let held = WorkspaceSettings { chosen: Vec::new(), ..settings.in_force(is_settled) };
    ((held, bounds, config.closer_for(&workspace)), problems)
}

/// What a key of a workspace's own file may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Nothing; it is said that it counts for nothing.
    Person,
    /// Counts where the person says nothing.
    Offers,
    /// Adds to what holds; in an unsettled file, what it adds is doubted.
    Adds,
    /// Counts where the person says nothing, in a settled file.
    Settled,
}

/// Every key: the rule, what the person says, what the workspace says.
const KEYS: &[(Key, Rule, &str, &str)] = &[
    (Key::TaskKind, Rule::Settled, "\"REPORT\"", "\"READ_INFO\""),
    (Key::BaselineRev, Rule::Settled, "\"person\"", "\"HEAD~9\""),
    (Key::DecisionFile, Rule::Settled, "\"person.json\"", "\"own.json\""),
    (Key::Outputs, Rule::Settled, "[\"person.md\"]", "[\"own.md\"]"),
    (Key::CloserReport, Rule::Settled, "\"person.json\"", "\"\""),
    (Key::Plans, Rule::Adds, "[\"person.md\"]", "[\"own.md\"]"),
    (Key::RequiredFiles, Rule::Adds, "[\"person.md\"]", "[\"own.md\"]"),
    (Key::TestResults, Rule::Adds, "[\"person.xml\"]", "[\"own.xml\"]"),
    (Key::CloserAgentId, Rule::Offers, "\"person\"", "\"own\""),
    (Key::CloserStep, Rule::Offers, "\"person/a\"", "\"own/b\""),
    (Key::Noise, Rule::Person, "[\"person.log\"]", "[\"**\"]"),
    (Key::Require, Rule::Adds, "\"checked\"", "\"said\""),
    (Key::Offers, Rule::Person, "\"ask\"", "\"done\""),
    (Key::StallStage, Rule::Person, "4", "20"),
    (Key::UnreadableLimit, Rule::Person, "4", "100"),
    (Key::SilentTurnMinutes, Rule::Person, "4", "1"),
    (Key::SecondOpinion, Rule::Person, "\"claude\"", "\"codex\""),
    (Key::ReconcileMinutes, Rule::Person, "4", "1440"),
    (Key::PollSeconds, Rule::Person, "4", "3600"),
    (Key::CollectLimitSeconds, Rule::Person, "4", "1"),
    (Key::FoldAfterHours, Rule::Person, "4", "1"),
    (Key::RescueCommand, Rule::Person, "[\"person\"]", "[\"own\"]"),
    (Key::RescueProtected, Rule::Person, "[\"main\"]", "[]"),
    (Key::Look, Rule::Person, "\"plain\"", "\"color\""),
    (Key::Mouse, Rule::Person, "true", "false"),
    (Key::NotifyWays, Rule::Person, "[\"title\"]", "[]"),
    (Key::NotifyAbout, Rule::Person, "[\"question\"]", "[]"),
    (Key::NotifyCommand, Rule::Person, "[\"person\"]", "[\"own\"]"),
    (Key::NotifyQuietHours, Rule::Person, "\"22:00-07:00\"", "\"\""),
    (Key::NotifyQuestion, Rule::Person, "false", "true"),
    (Key::LogLevel, Rule::Person, "\"warn\"", "\"off\""),
    (Key::ChecksMode, Rule::Person, "\"all\"", "\"any\""),
    (Key::ChecksRun, Rule::Person, "\"asked\"", "\"turn-end\""),
    (Key::GateEnabled, Rule::Person, "true", "false"),
    (Key::GateMaxBlocks, Rule::Person, "4", "5"),
    (Key::GateDeadlineMinutes, Rule::Person, "4", "5"),
    (Key::GateTimeLimitSeconds, Rule::Person, "4", "5"),
    (Key::GateFinalTools, Rule::Person, "[\"person\"]", "[\"own\"]"),
    (Key::MaxProbes, Rule::Offers, "0", "20"),
    (Key::ProbeIntervalSeconds, Rule::Offers, "7", "1"),
    (Key::ProbeTimeoutSeconds, Rule::Offers, "7", "600"),
    (Key::FinalRescueAttempt, Rule::Adds, "true", "false"),
    (Key::Models, Rule::Person, "[\"a=m\"]", "[\"a=n\"]"),
    (Key::AutoProbe, Rule::Person, "false", "true"),
    (Key::AutoProbesPerHour, Rule::Person, "4", "60"),
];

/// The keys of the rule that can stand in a workspace's own file, and whose list it extends.
fn list_of(settings: &WorkspaceSettings, key: Key) -> &[String] {
    match key.full_name().as_str() {
        "evidence.plans" => &settings.plans,
        "evidence.required_files" => &settings.required_files,
        "evidence.test_results" => &settings.test_results,
        other => panic!("{other} is no list of demands"),
    }
}

#[test]
fn each_key_of_a_workspaces_own_file_does_what_its_rule_lets_it() {
    let named: Vec<Key> = KEYS.iter().map(|(key, ..)| *key).collect();
    assert_eq!(named, Key::all().map(|(key, _)| key).collect::<Vec<_>>(), "the table has every key");
    for (key, rule, person_value, own_value) in KEYS {
        let name = key.full_name();
        let line = |value: &str| format!("{name} = {value}\n");
        for (person, is_settled) in [("", false), ("", true), ("said", false), ("said", true)] {
            let person = if person.is_empty() { String::new() } else { line(person_value) };
            let without = effective(&person, "", is_settled).0;
            let (with, problems) = effective(&person, &line(own_value), is_settled);
            let place = format!("{name}: person says {person:?}, settled {is_settled}");
            assert_eq!(problems.is_empty(), *rule != Rule::Person, "{place}: {problems:?}");
            match rule {
                Rule::Person => assert_eq!(with, without, "{place}"),
                Rule::Offers => assert_eq!(with == without, !person.is_empty(), "{place}"),
                Rule::Settled => assert_eq!(with == without, !person.is_empty() || !is_settled, "{place}"),
                Rule::Adds if matches!(*key, Key::FinalRescueAttempt | Key::Require) => {
                    assert_eq!(with, without, "{place}");
                }
                Rule::Adds => {
                    let (before, after) = (list_of(&without.0, *key), list_of(&with.0, *key));
                    assert_eq!(after[..before.len()], *before, "{place}: nothing is taken away");
                    assert_eq!(after.len(), before.len() + 1, "{place}");
                    let doubted: &[String] = if is_settled { &[] } else { &after[before.len()..] };
                    assert_eq!(with.0.doubted, doubted, "{place}");
                }
            }
        }
    }
}

#[test]
fn an_empty_list_and_a_switch_of_a_workspace_take_nothing_away() {
    for name in ["plans", "required_files", "test_results"] {
        let person = format!("evidence.{name} = [\"mine.md\"]");
        for is_settled in [false, true] {
            let with = effective(&person, &format!("evidence.{name} = []"), is_settled).0;
            assert_eq!(with, effective(&person, "", is_settled).0, "{name}");
        }
    }
    let off = "completion_check.final_rescue_attempt = false";
    assert!(!effective(off, "", false).0.1.is_final_rescue_wanted);
    let on = effective(off, "completion_check.final_rescue_attempt = true", false).0;
    assert!(on.1.is_final_rescue_wanted, "a demand may be added");
}

#[test]
fn a_workspace_raises_the_proof_that_is_required_and_never_lowers_it() {
    let required = |person: &str, own: &str| {
        let line = |proof: &str| format!("[verdict]\nrequire = \"{proof}\"\n");
        effective(&line(person), &line(own), false).0.0.required
    };
    assert_eq!(required("committed", "checked"), Proof::Checked);
    assert_eq!(required("committed", "said"), Proof::Committed);
}

#[test]
fn the_hardest_task_kind_is_nobodys_to_doubt() {
    let (settings, ..) = effective("", "task_kind = \"IMPLEMENTATION\"", false).0;
    assert_eq!(settings.task_kind, Some(TaskKind::Implementation));
}

#[test]
fn a_baseline_of_the_workspace_says_whose_it_is() {
    let (settings, ..) = effective("", "baseline.rev = \"v1\"", true).0;
    assert_eq!(settings.baseline.unwrap().origin, BaselineOrigin::Workspace);
}

#[test]
fn the_reference_tells_the_rule_of_each_key() {
    for (key, rule, ..) in KEYS {
        let full_name = key.full_name();
        let (section, name) = full_name.split_once('.').unwrap_or(("", &full_name));
        let mark = match rule {
            Rule::Person => None,
            Rule::Offers => Some("# [workspace: offers]"),
            Rule::Adds => Some("# [workspace: adds]"),
            Rule::Settled => Some("# [workspace: settled]"),
        };
        let mut current = "";
        let mut above = Vec::new();
        let mut found = None;
        for line in DEFAULT_TEXT.lines() {
            if let Some(header) = line.strip_prefix('[') {
                (current, above) = (header.trim_end_matches(']'), Vec::new());
            } else if current == section && line.trim_start_matches("# ").split(" = ").next() == Some(name) {
                found = Some(above.iter().find(|line: &&&str| line.starts_with("# [workspace")).copied());
                break;
            } else if line.is_empty() {
                above.clear();
            } else {
                above.push(line);
            }
        }
        let told = found.unwrap_or_else(|| panic!("{full_name} is not in the reference"));
        assert_eq!(told.map(|line| line.split_inclusive(']').next().unwrap()), mark, "{full_name}");
    }
}

/// The only workspace of a check there.
fn check(env: &TestEnv, repo: &Repo, more: &[&str]) -> Value {
    let path = repo.path().to_str().unwrap();
    env.run(env.at("."), &[&["check", "--json", path], more].concat()).workspace()
}

fn warns(workspace: &Value, warning: &str) -> bool {
    workspace["warnings"].as_array().unwrap().contains(&json!(warning))
}

/// A repository in which nothing says that the work is done.
fn undone() -> Repo {
    let repo = Repo::new();
    repo.write("notes.md", "The notes cover all three releases, each with its date.\n").commit("notes");
    repo.switch("work");
    repo
}

/// What an agent could write to make a verdict softer, each with the state without it.
const SOFTER: &[(&str, &str)] = &[
    (
        "nothing is said, and reading would be enough",
        "task_kind = \"READ_INFO\"\nevidence.outputs = [\"notes.md\"]",
    ),
    ("a report is not asked for", "task_kind = \"REPORT\"\nevidence.outputs = [\"notes.md\"]"),
    ("commits of before", "baseline.rev = \"HEAD~1\""),
    ("a file of its own making", "evidence.required_files = [\"made.md\"]"),
    ("results of its own making", "evidence.test_results = [\"results.json\"]"),
    ("a plan of its own making", "evidence.plans = [\"plan.json\"]"),
];

/// Whatever an agent writes into `.closeout.toml`, and commits: INCOMPLETE stays INCOMPLETE.
#[test]
fn a_file_that_an_agent_wrote_never_makes_a_verdict_complete() {
    for (what, text) in SOFTER {
        for is_committed in [false, true] {
            let repo = undone();
            let env = TestEnv::beside(&repo);
            let before = check(&env, &repo, &[]);
            assert_eq!(before["state"], "NO_TASK", "{what}: {before:#}");
            repo.write(".git/info/exclude", "results.json\nplan.json\nmade.md\n.closeout.toml\n");
            repo.write("made.md", "x");
            repo.write("results.json", "{\"passed\": 9, \"failed\": 0}");
            repo.write("plan.json", "[{\"title\": \"all\", \"status\": \"done\"}]");
            repo.write(".closeout.toml", format!("{text}\n"));
            if is_committed {
                // A commit is new work by itself: only one that is not counted shows what the file does.
                repo.git(["add", "-f", ".closeout.toml"]);
                repo.git(["commit", "-q", "-m", "settings\n\nRescued-by: closeout"]);
            }
            let after = check(&env, &repo, &[]);
            assert_ne!(after["state"], "COMPLETE", "{what}, committed {is_committed}: {after:#}");
            assert!(warns(&after, "own_settings_ignored"), "{what}: {after:#}");
            assert!(after["chosen"].as_array().unwrap().iter().all(|key| key["counts"] == false), "{what}");
        }
    }
}

/// The same files, there before the work began: they count where that is their rule, and the verdict tells.
#[test]
fn a_file_that_was_there_before_the_work_counts_and_is_told() {
    for (what, text) in SOFTER {
        let repo = Repo::new();
        repo.write("notes.md", "The notes cover all three releases, each with its date.\n").commit("notes");
        repo.write(".closeout.toml", format!("{text}\n")).commit("settings");
        repo.write(".git/info/exclude", "results.json\nplan.json\nmade.md\n");
        repo.write("made.md", "x");
        repo.switch("work");
        // The output is of this work: what the baseline has says nothing.
        if text.contains("notes.md") {
            repo.write("notes.md", "The notes cover all four releases, each with its date.\n");
        }
        repo.write("results.json", "{\"passed\": 9, \"failed\": 0}");
        repo.write("plan.json", "[{\"title\": \"all\", \"status\": \"done\"}]");
        let env = TestEnv::beside(&repo);
        let found = check(&env, &repo, &[]);
        assert_eq!(found["state"], "COMPLETE", "{what}: {found:#}");
        assert!(warns(&found, "own_settings"), "{what}: {found:#}");
        let chosen = found["chosen"].as_array().unwrap();
        assert!(!chosen.is_empty() && chosen.iter().all(|key| key["counts"] == true), "{what}: {found:#}");
        let told = env.run(env.at("."), &["check", repo.path().to_str().unwrap()]).out;
        assert!(told.contains("chosen by the workspace's .closeout.toml"), "{told}");
    }
}

#[test]
fn a_changed_file_loses_what_it_had_and_a_demand_of_it_still_says_no() {
    let repo = Repo::new();
    repo.write(".closeout.toml", "evidence.outputs = [\"src/x.rs\"]\n").commit("settings");
    repo.switch("work").commit_file("parser.rs");
    repo.write("src/x.rs", "fn x() {}\n");
    let env = TestEnv::beside(&repo);
    assert_eq!(check(&env, &repo, &[])["git"]["changes"]["n_paths"], 0, "a declared output is no work");
    repo.write(
        ".closeout.toml",
        "evidence.outputs = [\"src/x.rs\"]\nevidence.required_files = [\"docs.md\"]\n",
    );
    let found = check(&env, &repo, &[]);
    assert_eq!(found["git"]["changes"]["n_paths"], 2, "{found:#}");
    assert_eq!(found["state"], "INCOMPLETE", "the demand counts: {found:#}");
    // What the person says on the command line is nobody else's choice.
    let keys = |found: &Value| {
        found["chosen"].as_array().unwrap().iter().map(|key| key["key"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&found), ["evidence.outputs", "evidence.required_files"]);
    let named = env.run(repo.path(), &["check", "--json", "--output", "other.md"]).workspace();
    assert_eq!(keys(&named), ["evidence.required_files"]);
}

/// On a branch without a branch point the work begins where closeout first looked, also when the file chose
/// another baseline then: what is committed later changes no file of before.
#[test]
fn the_moment_at_which_a_workspace_was_first_seen_is_remembered_beside_a_chosen_baseline() {
    let repo = Repo::new();
    repo.write("a", "1").commit("one");
    repo.write(".closeout.toml", "baseline.rev = \"HEAD~1\"\n").commit("settings");
    let env = TestEnv::beside(&repo);
    let first = check(&env, &repo, &[]);
    assert_eq!(first["git"]["baseline"]["origin"]["kind"], "workspace", "{first:#}");
    repo.write(".closeout.toml", "baseline.rev = \"HEAD~2\"\n");
    repo.git(["commit", "-q", "-a", "-m", "more\n\nRescued-by: closeout"]);
    let second = check(&env, &repo, &[]);
    assert_eq!(second["git"]["baseline"]["origin"]["kind"], "first_seen", "{second:#}");
    assert_eq!(second["state"], "NO_TASK", "{second:#}");
}

#[test]
fn both_readers_find_the_same_file_of_a_commit() {
    let repo = Repo::new();
    repo.write("own.toml", "a = 1\n").write("folder/f", "");
    std::os::unix::fs::symlink("own.toml", repo.at("link")).unwrap();
    let commit = repo.commit("files");
    for reader in [GitReader::InProcess, GitReader::Program] {
        let program = git_program();
        let budget = closeout::process::Budget::new(std::time::Duration::from_secs(10));
        let ask =
            GitAsk { reader: Some(reader), program: Some(&program), ..GitAsk::new(repo.now(), &budget) };
        let of = |name: &str, commit: &str, most| {
            file_of_commit(repo.path(), name, commit_id(commit), most, &ask, &mut GitMemory::default())
        };
        let file = |name: &str, most| of(name, &commit, most).unwrap();
        assert_eq!(file("own.toml", 6).as_deref(), Some(b"a = 1\n".as_slice()), "{reader:?}");
        for (name, most) in
            [("own.toml", 5), ("link", 100), ("folder", 100), ("none", 100), ("own.toml/x", 100)]
        {
            assert_eq!(file(name, most), None, "{name} by {reader:?}");
        }
        assert!(of("own.toml", "1", 9).is_err());
    }
}

/// In a plain folder there is no baseline that the file could be held against.
#[test]
fn in_a_folder_without_a_repository_the_file_softens_nothing() {
    let env = TestEnv::new();
    let folder = env.at("plain");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("notes.md"), "The notes cover all three releases, each with its date.\n").unwrap();
    fs::write(folder.join(".closeout.toml"), "evidence.outputs = [\"notes.md\"]\n").unwrap();
    let run = env.run(&folder, &["check", "--json"]);
    let found = run.workspace();
    assert_eq!((found["state"].as_str(), run.code), (Some("NO_TASK"), 1), "{found:#}");
    assert!(warns(&found, "own_settings_ignored"), "{found:#}");
    assert_eq!(env.run(&folder, &["check", "--output", "notes.md"]).code, 0);
}
