//! `closeout trust`, and what of a workspace's programs runs by the command: only what was looked at.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::rescue::{dirty, run};
use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

/// Work with a file that goes through the filter `red`.
fn filtered(command: &str) -> Repo {
    let repo = dirty();
    repo.write(".gitattributes", "secret.txt filter=red\n");
    repo.git(["add", ".gitattributes"]);
    repo.git(["commit", "-q", "-m", "attributes", "--only", ".gitattributes"]);
    repo.git(["config", "filter.red.clean", command]);
    repo.write("secret.txt", "my SECRET\n");
    repo
}

fn make_executable(repo: &Repo, path: &str) {
    fs::set_permissions(repo.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn planned(env: &TestEnv, repo: &Repo) -> Value {
    run(env, repo, &["rescue", "--dry-run", "--json"]).json()
}

fn left_out(plan: &Value, path: &str) -> Value {
    let paths = plan["paths"].as_array().unwrap();
    paths.iter().find(|it| it["path"] == path).unwrap_or_else(|| panic!("{path}: {plan:#}"))["left_out"]
        .clone()
}

fn audited(env: &TestEnv, repo: &Repo) -> Vec<(String, String)> {
    let log = run(env, repo, &["log", "--json"]).out;
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries.map(|entry| (word(&entry["kind"]), word(&entry["end"]["class"]))).collect()
}

// G11
#[test]
fn a_filter_runs_only_after_it_was_shown_and_trusted_and_one_byte_more_asks_again() {
    let (env, repo) = (TestEnv::new(), filtered("sed s/SECRET/XXX/"));
    let shown = run(&env, &repo, &["rescue", "--dry-run"]);
    assert!(
        shown.out.contains("filters: red  (not trusted, their files are left out; `closeout trust`"),
        "{shown:?}"
    );
    assert_eq!(left_out(&planned(&env, &repo), "secret.txt"), "untrusted");
    // Without a yes nothing is trusted.
    let asked = run(&env, &repo, &["trust"]);
    assert_eq!(asked.code, 22, "{asked:?}");
    for words in ["filter.red.clean", "| sed s/SECRET/XXX/", ".gitattributes", "| secret.txt filter=red"] {
        assert!(asked.out.contains(words), "{words}: {asked:?}");
    }
    let json = run(&env, &repo, &["trust", "--json"]);
    assert_eq!((json.code, &json.json()["is_trusted"]), (22, &Value::Bool(false)), "{json:?}");
    assert_eq!(left_out(&planned(&env, &repo), "secret.txt"), "untrusted");
    let trusted = run(&env, &repo, &["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    // Also from a folder below.
    fs::create_dir(repo.path().join("below")).unwrap();
    let below = repo.path().join("below");
    let known = env.run(&below, &["trust", "--json"]);
    assert_eq!((known.code, &known.json()["is_trusted"]), (0, &Value::Bool(true)), "{known:?}");
    let plan = planned(&env, &repo);
    assert_eq!(
        (left_out(&plan, "secret.txt"), &plan["programs"]["filters"][0]),
        (Value::Null, &Value::from("red"))
    );
    // Another byte of the command is another command.
    repo.git(["config", "filter.red.clean", "sed s/SECRET/XXXX/"]);
    assert_eq!(left_out(&planned(&env, &repo), "secret.txt"), "untrusted");
    assert_eq!(run(&env, &repo, &["trust"]).code, 22);
    repo.git(["config", "filter.red.clean", "sed s/SECRET/XXX/"]);
    let saved = run(&env, &repo, &["rescue", "--yes"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    assert_eq!(repo.git(["show", "HEAD:secret.txt"]), "my XXX");
    assert_eq!(fs::read_to_string(repo.path().join("secret.txt")).unwrap(), "my SECRET\n");
    // Taken back.
    assert_eq!(run(&env, &repo, &["trust", "--remove"]).code, 0);
    assert_eq!(run(&env, &repo, &["trust", "--remove"]).code, 12);
    assert_eq!(run(&env, &repo, &["trust"]).code, 22);
    // Each preview made a record.
    let mut done = audited(&env, &repo);
    done.retain(|(kind, _)| kind != "record");
    let actions = [("trust", "done"), ("rescue", "done"), ("trust", "done")];
    assert_eq!(done, actions.map(|(kind, class)| (kind.to_owned(), class.to_owned())));
}

#[test]
fn where_nothing_could_run_there_is_nothing_to_trust() {
    let (env, repo) = (TestEnv::new(), dirty());
    let nothing = run(&env, &repo, &["trust", "--yes"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (12, ""), "{nothing:?}");
    let plain = env.at("plain");
    fs::create_dir(&plain).unwrap();
    let refused = env.run(&plain, &["trust", "--yes"]);
    assert_eq!(refused.code, 20, "{refused:?}");
}

/// Work in a repository whose hook adds a trailer.
fn hooked() -> Repo {
    let repo = dirty();
    fs::create_dir_all(repo.path().join(".git/hooks")).unwrap();
    repo.write(".git/hooks/commit-msg", "#!/bin/sh\necho 'Change-Id: I1' >> \"$1\"\n");
    make_executable(&repo, ".git/hooks/commit-msg");
    repo
}

// V01
#[test]
fn hooks_run_when_they_are_wanted_and_trusted() {
    let (env, repo) = (TestEnv::new(), hooked());
    let head = repo.git(["rev-parse", "HEAD"]);
    for flags in [&["--yes"][..], &["--dry-run"]] {
        let refused = run(&env, &repo, &[&["rescue", "--hooks"][..], flags].concat());
        assert_eq!(refused.code, 22, "{refused:?}");
        assert!(
            refused.err.contains("closeout trust") && refused.err.contains("refs/closeout/rescue/"),
            "{refused:?}"
        );
    }
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
    assert_eq!(run(&env, &repo, &["trust", "--yes"]).code, 0);
    let saved = run(&env, &repo, &["rescue", "--hooks", "--yes"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    assert!(saved.out.contains("hooks: commit-msg  (trusted; this runs)"), "{saved:?}");
    assert!(repo.git(["log", "-1", "--format=%B"]).ends_with("Change-Id: I1"));
    let none = run(&env, &dirty(), &["rescue", "--hooks", "--yes"]);
    assert_eq!(none.code, 2, "{none:?}");
}

/// A trap runs what no command of the hook shows.
#[test]
fn a_hook_that_would_run_a_changed_file_is_not_run() {
    let (env, repo) = (TestEnv::new(), dirty());
    let canary = env.at("canary");
    repo.write("tools/lint", "echo fine\n").stage("tools/lint");
    repo.git(["commit", "-q", "-m", "tools", "--only", "tools/lint"]);
    fs::create_dir_all(repo.path().join(".git/hooks")).unwrap();
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\ntrap \"sh tools/lint\" EXIT\n");
    make_executable(&repo, ".git/hooks/pre-commit");
    let trusted = run(&env, &repo, &["trust", "--yes"]);
    assert!(trusted.out.contains("trap") && trusted.out.contains("ignored files"), "{trusted:?}");
    repo.write("tools/lint", format!("touch {}\n", canary.display()));
    let head = repo.git(["rev-parse", "HEAD"]);
    let refused = run(&env, &repo, &["rescue", "--hooks", "--yes"]);
    assert_eq!(refused.code, 22, "{refused:?}");
    assert!(!canary.exists());
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
    assert_eq!(run(&env, &repo, &["trust", "--yes"]).code, 0);
    assert_eq!(run(&env, &repo, &["rescue", "--hooks", "--yes"]).code, 0);
    assert!(canary.exists());
}

#[test]
fn the_own_program_of_a_workspace_makes_the_commit_when_it_is_trusted() {
    let (env, repo) = (TestEnv::new(), dirty());
    repo.write("commit-rescue.py", "#!/bin/sh\ngit add parser.rs && exec git commit -q -F -\n");
    make_executable(&repo, "commit-rescue.py");
    let head = repo.git(["rev-parse", "HEAD"]);
    let refused = run(&env, &repo, &["rescue", "--own-program", "--yes"]);
    assert_eq!(refused.code, 22, "{refused:?}");
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
    assert_eq!(run(&env, &repo, &["trust", "--yes"]).code, 0);
    let saved = run(&env, &repo, &["rescue", "--own-program", "--yes", "--message", "feat: by my program"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    assert_eq!(repo.git(["log", "-1", "--format=%s"]), "feat: by my program");
    assert_eq!(repo.git(["diff", "--name-only", &format!("{head}..HEAD")]), "parser.rs");
    assert_eq!(run(&env, &repo, &["undo", "--yes"]).code, 0);
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
    // One byte more.
    repo.write("commit-rescue.py", "#!/bin/sh\ngit add parser.rs && exec git commit -q -F -\n#");
    let refused = run(&env, &repo, &["rescue", "--own-program", "--yes"]);
    assert_eq!(refused.code, 22, "{refused:?}");
}

/// The built-in commit ticks no box, since closeout would make evidence of its own; a program of the person's may.
#[test]
fn the_own_program_is_told_what_the_work_is_about_and_may_tick_it_off() {
    let (env, repo) = (TestEnv::new(), dirty());
    repo.write("tasks.md", "- [ ] parser\n- [ ] lexer\n").stage("tasks.md");
    repo.git(["commit", "-q", "-m", "plan", "--only", "tasks.md"]);
    let program = "#!/bin/sh\nsed -i \"s/\\[ \\] $CLOSEOUT_SPEC/[x] $CLOSEOUT_SPEC/\" tasks.md\ngit add parser.rs tasks.md && \
                   git commit -q -m \"$CLOSEOUT_SPEC: rescued\"\n";
    repo.write("commit-rescue.py", program);
    make_executable(&repo, "commit-rescue.py");
    assert_eq!(run(&env, &repo, &["trust", "--yes"]).code, 0);
    let alone = run(&env, &repo, &["rescue", "--spec", "parser", "--yes"]);
    assert_eq!(alone.code, 2, "{alone:?}");
    let saved = run(&env, &repo, &["rescue", "--own-program", "--spec", "parser", "--yes"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    assert_eq!(repo.git(["log", "-1", "--format=%s"]), "parser: rescued");
    assert_eq!(repo.git(["show", "HEAD:tasks.md"]), "- [x] parser\n- [ ] lexer");
}

// X01
#[test]
fn the_own_program_and_the_protected_branches_are_named_by_the_person_alone() {
    let (env, repo) = (TestEnv::new(), dirty());
    let canary = env.at("canary");
    let program = env.at("evil");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", canary.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!("[rescue]\ncommand = [\"{}\"]\n", program.display());
    repo.write(".closeout.toml", &text);
    let refused: Run = run(&env, &repo, &["rescue", "--own-program", "--yes"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(planned(&env, &repo)["programs"]["own"], Value::Null);
    assert!(!canary.exists());
    assert!(refused.err.contains(".closeout.toml") && refused.err.contains("rescue.command"), "{refused:?}");
    // The same words in the person's own file: it lies outside the workspace and needs no more trust.
    fs::remove_file(repo.path().join(".closeout.toml")).unwrap();
    let file = env.at("own.toml");
    fs::write(&file, text + "protected = [\"work\"]\n").unwrap();
    let env = env.with_variable("CLOSEOUT_CONFIG", &file);
    let plan = planned(&env, &repo);
    assert_eq!(plan["programs"]["own"]["is_trusted"], Value::Bool(true), "{plan:#}");
    assert!(plan["target"]["new_branch"].is_string(), "{plan:#}");
    // It commits to the branch that it finds, so a new one is no way out.
    let refused = run(&env, &repo, &["rescue", "--own-program", "--yes"]);
    assert!(
        refused.code == 11 && refused.err.contains("work is protected") && !canary.exists(),
        "{refused:?}"
    );
    assert!(refused.err.contains("→ without --own-program, --yes commits to a new branch"), "{refused:?}");
    let made = run(&env, &repo, &["rescue", "--own-program", "--protected", "--yes"]);
    assert_eq!(made.code, 11, "it ran and made no commit: {made:?}");
    assert!(canary.exists());
}
