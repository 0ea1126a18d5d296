//! `closeout rescue`, `undo`, `redo` and `log`: what they print, their exit codes, and what they change.

use std::path::Path;

use serde_json::Value;

use super::with_work;
use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

/// A repository with a staged and an unstaged edit, a new file and a secret.
pub(super) fn dirty() -> Repo {
    let repo = with_work();
    repo.git(["config", "user.name", "Ann"]);
    repo.git(["config", "user.email", "ann@example.org"]);
    repo.write("parser.rs", "staged\n");
    repo.git(["add", "parser.rs"]);
    repo.write("parser.rs", "staged\nand not\n");
    repo.write("neü.rs", "new\n");
    repo.write(".env", "TOKEN=1\n");
    repo
}

pub(super) fn run(env: &TestEnv, repo: &Repo, arguments: &[&str]) -> Run {
    let path = repo.path().to_str().unwrap();
    env.run(env.at("."), &[&[arguments[0], path], &arguments[1..]].concat())
}

fn status(repo: &Repo) -> String {
    repo.git(["status", "--porcelain=v2"])
}

#[test]
fn a_preview_commits_nothing_and_names_every_path() {
    let (env, repo) = (TestEnv::new(), dirty());
    let before = (status(&repo), repo.git(["rev-parse", "HEAD"]));
    let shown = run(&env, &repo, &["rescue", "--dry-run"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for words in ["parser.rs", "neü.rs", ".env  (possible secret; --include includes it)", "on branch work"]
    {
        assert!(shown.out.contains(words), "{words}: {shown:?}");
    }
    assert_eq!((status(&repo), repo.git(["rev-parse", "HEAD"])), before);
    let plan: Value = run(&env, &repo, &["rescue", "--dry-run", "--json"]).json();
    let left_out: Vec<&Value> =
        plan["paths"].as_array().unwrap().iter().map(|path| &path["left_out"]).collect();
    assert_eq!(left_out, [&Value::from("secret"), &Value::Null, &Value::Null]);
}

#[test]
fn what_is_confirmed_is_committed_taken_back_and_written_down() {
    let (env, repo) = (TestEnv::new(), dirty());
    let before = (status(&repo), repo.git(["rev-parse", "HEAD"]));
    let saved = run(&env, &repo, &["rescue", "--yes", "--message", "feat: parse"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    assert_eq!(repo.git(["log", "-1", "--format=%s"]).trim(), "feat: parse");
    assert_eq!(status(&repo).trim(), "? .env");
    let undone = run(&env, &repo, &["undo", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!((status(&repo), repo.git(["rev-parse", "HEAD"])), before);
    let nothing = run(&env, &repo, &["undo", "--yes"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (12, ""), "{nothing:?}");
    assert_eq!(run(&env, &repo, &["redo", "--yes"]).code, 0);
    assert_eq!(status(&repo).trim(), "? .env");
    let log = run(&env, &repo, &["log", "--json"]);
    let actions: Vec<(String, String)> = log
        .out
        .lines()
        .map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            let word = |value: &Value| value.as_str().unwrap().to_owned();
            (word(&entry["kind"]), word(&entry["end"]["class"]))
        })
        .collect();
    let expected = [("record", "done"), ("rescue", "done"), ("undo", "done"), ("redo", "done")];
    assert_eq!(actions, expected.map(|(kind, class)| (kind.to_owned(), class.to_owned())));
    assert!(!log.out.contains("feat: parse"), "{log:?}");
}

#[test]
fn an_undo_that_would_be_refused_is_not_promised() {
    let (env, repo) = (TestEnv::new(), dirty());
    assert_eq!(run(&env, &repo, &["rescue", "--yes"]).code, 0);
    repo.git(["commit", "-q", "--allow-empty", "-m", "on top"]);
    let [planned, done] =
        [&["undo", "--dry-run"][..], &["undo", "--yes"]].map(|arguments| run(&env, &repo, arguments));
    assert_eq!((planned.code, planned.out.as_str()), (20, ""), "{planned:?}");
    assert!(planned.err.contains("1 commit came on top of"), "{planned:?}");
    assert_eq!((done.code, &done.err), (20, &planned.err));
}

#[test]
fn a_preview_tells_that_an_agent_is_at_work() {
    let env = TestEnv::with_demo();
    env.demo("working").write("half.rs", "fn half(\n");
    let words = "an agent is at work here; what it writes next is not in this";
    for (name, is_told) in [("working", true), ("uncommitted", false)] {
        let folder = env.at("demo").join(name);
        let shown = env.run(&folder, &["rescue", "--dry-run"]);
        assert_eq!(
            (shown.code, shown.out.contains(&format!("\nnote: {words}\n"))),
            (0, is_told),
            "{shown:?}"
        );
        let plan: Value = env.run(&folder, &["rescue", "--dry-run", "--json"]).json();
        assert_eq!(plan["notes"].as_array().unwrap().contains(&words.into()), is_told, "{plan:#}");
    }
}

#[test]
fn commits_on_no_branch_get_one_and_count_as_done_from_then_on() {
    let (env, repo) = (TestEnv::new(), with_work());
    repo.git(["checkout", "-q", "--detach"]);
    repo.write("parser.rs", "1\n").commit("parse");
    let state = || run(&env, &repo, &["check", "--json"]).json()["workspaces"][0]["state"].clone();
    assert_eq!(env.run(repo.path(), &["decide", "complete"]).code, 0);
    assert_eq!(state(), "RESCUE_NEEDED");
    let branches = || repo.git(["for-each-ref", "--format=%(refname)", "refs/heads"]);
    let before = branches();
    let shown = run(&env, &repo, &["rescue", "--dry-run"]);
    assert!(shown.code == 0 && shown.out.contains("parse") && branches() == before, "{shown:?}");
    let asked = run(&env, &repo, &["rescue"]);
    assert!(asked.code == 24 && branches() == before, "{asked:?}");
    let recorded = run(&env, &repo, &["rescue", "--record-only"]);
    assert!(recorded.code == 12 && recorded.err.contains("`closeout rescue` keeps"), "{recorded:?}");
    let kept: Value = run(&env, &repo, &["rescue", "--yes", "--json"]).json();
    assert_eq!((&kept["is_done"], &kept["n_commits"]), (&Value::from(true), &Value::from(1)));
    assert_eq!(repo.git(["rev-parse", kept["branch"].as_str().unwrap()]), repo.head());
    assert_eq!(state(), "COMPLETE");
    let counted = run(&env, &repo, &["check", "--json"]).json()["workspaces"][0]["git"]["commits"].clone();
    assert_eq!((&counted["n_new"], &counted["n_rescued"]), (&Value::from(2), &Value::from(0)));
    let nothing = run(&env, &repo, &["rescue", "--yes"]);
    assert_eq!(nothing.code, 12, "{nothing:?}");
    let undone = run(&env, &repo, &["undo", "--yes"]);
    assert!(undone.code == 0 && branches() == before, "{undone:?}");
    assert_eq!(state(), "RESCUE_NEEDED");
}

#[test]
fn without_a_terminal_nothing_is_committed_unless_a_flag_says_yes() {
    let (env, repo) = (TestEnv::new(), dirty());
    let head = repo.git(["rev-parse", "HEAD"]);
    let asked = run(&env, &repo, &["rescue"]);
    assert_eq!(asked.code, 11, "{asked:?}");
    assert!(asked.err.contains("the work is kept in refs/closeout/rescue/"), "{asked:?}");
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
}

#[test]
fn a_record_alone_a_clean_tree_and_a_plain_folder_have_their_codes() {
    let (env, repo) = (TestEnv::new(), dirty());
    let recorded = run(&env, &repo, &["rescue", "--record-only"]);
    assert_eq!(recorded.code, 0, "{recorded:?}");
    assert!(recorded.out.starts_with("saved in refs/closeout/rescue/"), "{recorded:?}");
    let clean = with_work();
    let nothing = run(&env, &clean, &["rescue", "--yes"]);
    assert_eq!(nothing.code, 12, "{nothing:?}");
    let plain = env.at("plain");
    std::fs::create_dir(&plain).unwrap();
    let refused = env.run(env.at("."), &["rescue", plain.to_str().unwrap()]);
    assert_eq!(refused.code, 20, "{refused:?}");
    let missing = env.run(env.at("."), &["rescue", "not-there"]);
    assert_eq!(missing.code, 4, "{missing:?}");
}

#[test]
fn where_nothing_would_be_committed_no_message_is_proposed() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    repo.write(".closeout/decision.json", "{}");
    let run = env.run(repo.path(), &["rescue", "--yes"]);
    assert_eq!(run.code, 11, "{run:?}");
    assert!(run.out.contains("decision.json") && !run.out.contains("message"), "{run:?}");
}

#[test]
fn the_proposed_message_tells_of_what_is_taken_in_and_a_typed_one_stays() {
    let (env, repo) = (TestEnv::new(), dirty());
    let plan: Value = run(&env, &repo, &["rescue", "--dry-run", "--json"]).json();
    let message = plan["message"].as_str().unwrap();
    assert!(message.starts_with("chore: save work on 2 files\n"), "{message}");
    let staged = |plan: &Value| plan["splits"][0]["commits"][0]["message"].clone();
    assert_eq!(staged(&plan), message);
    let include = ["rescue", "--dry-run", "--json", "--include", ".env"];
    let plan: Value = run(&env, &repo, &include).json();
    let message = plan["message"].as_str().unwrap();
    assert!(message.starts_with("chore: save work on 3 files\n\n- add .env\n"), "{message}");
    assert_eq!(staged(&plan), message);
    let typed: Value = run(&env, &repo, &[&include[..], &["--message", "fix: 2 files"]].concat()).json();
    assert!(typed["message"].as_str().unwrap().starts_with("fix: 2 files\n\nRescued-by: closeout\n"));
}

#[test]
fn a_path_can_be_taken_in_only_where_it_is_offered() {
    let (env, repo) = (TestEnv::new(), dirty());
    let unknown = run(&env, &repo, &["rescue", "--yes", "--include", "nowhere"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    let taken = run(&env, &repo, &["rescue", "--yes", "--include", ".env"]);
    assert_eq!(taken.code, 0, "{taken:?}");
    assert_eq!(status(&repo), "");
    assert!(Path::new(&repo.path().join(".env")).exists());
}

/// Invariant 5: that work was saved says nothing of its end.
#[test]
fn a_rescue_makes_nothing_complete() {
    let (env, repo) = (TestEnv::new(), Repo::new());
    repo.switch("work").write("half.rs", "half\n");
    let verdict = || {
        let (run, workspace) = super::check(&env, repo.path(), &["--baseline-commit", "main"]);
        (run.code, workspace["state"].as_str().unwrap().to_owned())
    };
    let incomplete = (1, "INCOMPLETE".to_owned());
    assert_eq!(verdict(), incomplete);
    let author = ["--author", "Ann <ann@example.org>"];
    let saved = run(&env, &repo, &[&["rescue", "--yes"][..], &author].concat());
    assert_eq!(saved.code, 0, "{saved:?}");
    assert_eq!(verdict(), incomplete);
    repo.commit_file("whole.rs");
    assert_eq!(verdict(), (0, "COMPLETE".to_owned()));
}

/// What cannot be written down is not done: not even the record of the work goes into a folder of another user.
#[test]
fn a_state_folder_of_another_user_is_not_written_to() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give a folder to another user");
        return;
    }
    let (env, repo) = (TestEnv::new(), dirty());
    let state = env.at("theirs");
    std::fs::create_dir(&state).unwrap();
    std::os::unix::fs::chown(&state, Some(12_345), None).unwrap();
    let env = env.with_variable("CLOSEOUT_STATE_DIR", &state);
    let before = (status(&repo), repo.git(["rev-parse", "HEAD"]));
    for arguments in
        [&["rescue", "--yes", "--message", "m"][..], &["rescue", "--record-only"], &["rescue", "--dry-run"]]
    {
        let refused = run(&env, &repo, arguments);
        assert_ne!(refused.code, 0, "{refused:?}");
        assert!(refused.err.contains("another user") || refused.err.contains("belongs to"), "{refused:?}");
        assert_eq!(std::fs::read_dir(&state).unwrap().count(), 0, "{arguments:?}");
        assert_eq!((status(&repo), repo.git(["rev-parse", "HEAD"])), before);
        assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
    }
}

/// A folder in the state folder can be another's, too: from before the state folder was closed to all others.
#[test]
fn a_folder_for_rescues_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (env, repo) = (TestEnv::new(), dirty());
    let theirs = env.at("state/rescue");
    std::fs::create_dir_all(&theirs).unwrap();
    std::os::unix::fs::chown(&theirs, Some(12_345), None).unwrap();
    for arguments in [&["rescue", "--record-only"][..], &["rescues"]] {
        let refused = run(&env, &repo, arguments);
        assert!(refused.code != 0 && refused.err.contains("belongs to another user"), "{refused:?}");
        assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0, "{arguments:?}");
    }
}

/// Whatever stands in the place of a file or folder of closeout's own, the message names it and says what to do.
#[test]
fn what_stands_in_the_place_of_an_own_folder_is_named_with_the_way_out() {
    let (env, repo) = (TestEnv::new(), dirty());
    std::fs::create_dir_all(env.at("state")).unwrap();
    std::fs::write(env.at("state/rescue"), "").unwrap();
    let refused = run(&env, &repo, &["rescue", "--record-only"]);
    assert_eq!(refused.code, 30, "{refused:?}");
    assert!(refused.err.contains("state/rescue"), "{refused:?}");
    assert!(refused.err.contains("move it away and try again"), "{refused:?}");
    std::fs::remove_file(env.at("state/rescue")).unwrap();
    let outside = env.at("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, env.at("state/rescue")).unwrap();
    let refused = run(&env, &repo, &["rescue", "--record-only"]);
    assert_eq!(refused.code, 30, "{refused:?}");
    assert!(refused.err.contains("state/rescue") && refused.err.contains("move it away"), "{refused:?}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    std::fs::remove_file(env.at("state/rescue")).unwrap();
    assert_eq!(run(&env, &repo, &["rescue", "--record-only"]).code, 0);
}

/// V08: a yes means what the screen has chosen already.
#[test]
fn on_a_protected_branch_yes_commits_beside_it_and_says_why() {
    let repo = dirty();
    let env = TestEnv::new();
    let (work, status_before) = (repo.head(), status(&repo));
    let branches = || repo.git(["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    let elsewhere = |run: &Run, why: &str| {
        assert_eq!(run.code, 0, "{why}: {run:?}");
        assert!(run.out.contains(why) && run.out.contains(" on rescue/"), "{why}: {run:?}");
        assert_eq!((repo.head(), status(&repo)), (work.clone(), status_before.clone()), "{why}");
        let made = branches().lines().find(|name| name.starts_with("rescue")).unwrap().to_owned();
        let files = repo.git(["show", "--format=", "--name-only", &made]);
        assert!(files.contains("parser.rs") && !files.contains(".env"), "{why}: {files}");
    };
    for branch in ["main", "release/2", "production"] {
        repo.git(["branch", "-M", branch]);
        let before = branches();
        let why = format!("the branch {branch} is protected");
        elsewhere(&run(&env, &repo, &["rescue", "--yes"]), &why);
        // Whoever always says yes gets no further branch for the same work.
        let (made, again) = (branches(), run(&env, &repo, &["rescue", "--yes"]));
        assert_eq!((again.code, branches()), (12, made), "{branch}: {again:?}");
        assert!(again.err.contains("committed already, on rescue"), "{branch}: {again:?}");
        assert!(!again.out.contains("to be committed"), "{branch}: {again:?}");
        let undone = run(&env, &repo, &["undo", "--yes"]);
        assert_eq!((undone.code, branches()), (0, before), "{branch}: {undone:?}");
    }
    let shown = run(&env, &repo, &["rescue", "--dry-run", "--json"]).json();
    assert!(shown["target"]["new_branch"].is_string() && shown["refusal"].is_string(), "{shown:#}");
    // Nobody to ask.
    let asked = run(&env, &repo, &["rescue", "--json"]);
    let next = asked.json()["next"].to_string();
    assert!(asked.code == 11 && next.contains("--yes") && next.contains("--protected"), "{asked:?}");
    let made = run(&env, &repo, &["rescue", "--yes", "--json"]).json();
    assert!(made["branch"].as_str().unwrap().starts_with("refs/heads/rescue"), "{made:#}");
    assert!(made["reason"].as_str().unwrap().contains("production is protected"), "{made:#}");
    assert_eq!(run(&env, &repo, &["undo", "--yes"]).code, 0);
    repo.git(["checkout", "-q", "--detach"]);
    elsewhere(&run(&env, &repo, &["rescue", "--yes"]), "HEAD is detached");
    assert_eq!(run(&env, &repo, &["undo", "--yes"]).code, 0);
    // The person's own words.
    repo.git(["checkout", "-q", "production"]);
    let here = run(&env, &repo, &["rescue", "--yes", "--protected"]);
    assert!(here.code == 0 && here.out.contains(" on production"), "{here:?}");
    assert_eq!(run(&env, &repo, &["undo", "--yes"]).code, 0);
    env.configure("[rescue]\nprotected = [\"main\"]\n");
    let here = run(&env, &repo, &["rescue", "--yes"]);
    assert!(here.code == 0 && here.out.contains(" on production") && !here.out.contains("why:"), "{here:?}");
}
