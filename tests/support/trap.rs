//! G10: reruns tests of this binary with environment variables that would mislead git.

use std::time::Duration;

use super::repo::Repo;

/// Runs these tests, by full name, in a process whose environment names another repository, index, settings and
/// programs. They must pass, and none of the programs may run.
pub(crate) fn assert_passed_in_a_trap(tests: &[&str]) {
    let repo = Repo::new();
    let canary = repo.root().join("canary");
    let script = repo.script("environment", &format!("echo environment >> '{}'\ncat", canary.display()));
    let script = script.display().to_string();
    let trap = repo.beside("trap");
    trap.git(["init", "-q", "--bare", "."]);
    let trap = trap.path().display().to_string();
    let mut spec = closeout::process::Spec::new(std::env::current_exe().unwrap(), repo.path())
        .args(["--exact"])
        .args(tests.iter().copied())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let index = repo.root().join("no-index").display().to_string();
    for (name, value) in [
        ("HOME", trap.as_str()),
        ("XDG_CONFIG_HOME", &trap),
        ("GIT_DIR", &trap),
        ("GIT_WORK_TREE", &trap),
        ("GIT_COMMON_DIR", &trap),
        ("GIT_OBJECT_DIRECTORY", &trap),
        ("GIT_INDEX_FILE", &index),
        ("GIT_TRACE", &canary.display().to_string()),
        ("GIT_EXTERNAL_DIFF", &script),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", &script),
        ("GIT_NAMESPACE", "other"),
    ] {
        spec = spec.env(name, value);
    }
    spec.time_limit = Duration::from_mins(1);
    let output = closeout::process::run(&spec).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.is_success(), "{said}");
    assert!(said.contains(&format!("{} passed", tests.len())), "{said}");
    assert!(!canary.exists());
}
