//! An action that cannot be entered in the record of what was done is not carried out.

use std::fs;
use std::os::unix::fs::symlink;

use super::rescue::{dirty, run};
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};

/// Every command that changes something in a workspace or writes work into a folder.
const COMMANDS: [&[&str]; 10] = [
    &["rescue", "--record-only"],
    &["rescue", "--record-only", "--vault"],
    &["rescue", "--dry-run"],
    &["rescue", "--yes"],
    &["undo", "--yes"],
    &["restore", "RECORD", "INTO"],
    &["forget", "RECORD", "--yes"],
    &["trust", "--yes"],
    &["mark", "done"],
    &["decide", "complete"],
];

/// Work with a commit of closeout's before it, a hook to trust, and the reference of its record.
fn repo(env: &TestEnv) -> (Repo, String) {
    let repo = dirty();
    fs::create_dir_all(repo.at(".git/hooks")).unwrap();
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(repo.at(".git/hooks/pre-commit"), runs).unwrap();
    let made = run(env, &repo, &["rescue", "--yes"]);
    assert_eq!(made.code, 0, "{made:?}");
    repo.write("more.rs", "more\n");
    let listed = run(env, &repo, &["rescues", "--json"]).json();
    let reference = listed["records"][0]["reference"].as_str().unwrap().to_owned();
    (repo, reference)
}

/// The kept files of rescues. A lock comes and goes in their folders, which moves only a folder's time.
fn kept(env: &TestEnv) -> Vec<String> {
    let state = env.at("state").join("rescue");
    let is_file = |line: &String| !line.split(' ').nth(1).is_some_and(|mode| mode.starts_with("40"));
    traces(&state).into_iter().filter(is_file).collect()
}

#[test]
fn nothing_is_done_that_cannot_be_recorded() {
    for way in ["a folder", "a link", "a pipe"] {
        let env = TestEnv::new();
        let (repo, reference) = repo(&env);
        let log = env.at("state").join("audit.jsonl");
        fs::rename(&log, env.at("audit-before")).unwrap();
        fs::write(env.at("elsewhere"), "").unwrap();
        match way {
            "a folder" => fs::create_dir(&log).unwrap(),
            "a link" => symlink(env.at("elsewhere"), &log).unwrap(),
            _ => drop(repo.fifo(&log)),
        }
        let into = env.at("into");
        let (before, rescues) = (traces(repo.path()), kept(&env));
        for command in COMMANDS {
            let words: Vec<String> = command
                .iter()
                .map(|word| word.replace("RECORD", &reference).replace("INTO", &into.display().to_string()))
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let refused = env.run(repo.path(), &words);
            assert!(
                refused.code != 0
                    && refused.err.contains("the audit log cannot be written")
                    && refused.err.contains("audit.jsonl")
                    && refused.err.contains("move away what stands there"),
                "{way}: {words:?}: {refused:?}"
            );
            assert_eq!(traces(repo.path()), before, "{way}: {words:?}");
            assert_eq!(kept(&env), rescues, "{way}: {words:?}");
            assert!(!into.exists(), "{way}: {words:?}");
        }
        assert_eq!(fs::read(env.at("elsewhere")).unwrap(), b"", "{way}");
    }
}
