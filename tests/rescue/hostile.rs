//! Repositories that try to run something. Each is armed with a program that leaves a canary file, and every
//! comparison of states asserts that the canary is absent.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::PlannedPath;

use super::fixture::*;
use crate::support::repo::{Repo, git_program};
use crate::support::{canary, plain};

/// Tests about the programs that a repository names; they arm it themselves.
const ARMED_BY_THEMSELVES: [&str; 9] = [
    "rescue::covered::",
    "rescue::ends::a_hook",
    "rescue::ends::an_own_program",
    "rescue::ends::the_daemons",
    "rescue::programs::",
    "rescue::trust::",
    "rescue::visible::a_path_with_a_filter_program",
    "rescue::visible::no_program_of_the_repository",
    "rescue::visible::no_commit_is_made_where",
];

/// Arms the repository of this test, unless the test does that itself. Recognised by the thread's name, which
/// is the test's; with a single test thread there is no such name, and nothing is armed.
pub(super) fn arm_unless_armed(repo: &Repo) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default();
    if name.starts_with("rescue::") && !ARMED_BY_THEMSELVES.iter().any(|it| name.starts_with(it)) {
        arm(repo);
    }
}

fn trace(repo: &Repo) -> PathBuf {
    repo.root().join("canary")
}

/// Writes the program that leaves the canary.
pub(crate) fn program(repo: &Repo) -> String {
    let body = format!("echo \"$0 $*\" >> '{}'\nexit 0", trace(repo).display());
    repo.script("hostile", &body).display().to_string()
}

/// Arms a repository with everything: hooks in two places, settings in the configuration, in an included file
/// and in the worktree's configuration, and filters for one file extension.
pub(crate) fn arm(repo: &Repo) {
    let program = program(repo);
    let by_git = || PathBuf::from(repo.git(["rev-parse", "--path-format=absolute", "--git-common-dir"]));
    let common = plain::git_dirs(repo.path()).map_or_else(by_git, |(_, common)| common);
    let other_hooks = repo.root().join("hooks");
    for folder in [common.join("hooks"), other_hooks.clone()] {
        fs::create_dir_all(&folder).unwrap();
        for hook in canary::HOOKS {
            let path = folder.join(hook);
            if !path.exists() {
                std::os::unix::fs::symlink(&program, path).unwrap();
            }
        }
    }
    // G05: the same settings again, in files that the configuration includes.
    let text = canary::settings(&program);
    let carried = repo.root().join("carried");
    fs::write(&carried, &text).unwrap();
    let config = common.join("config");
    let own = fs::read_to_string(&config).unwrap();
    let include = format!(
        "[include]\n\tpath = {0}\n[includeIf \"gitdir:**\"]\n\tpath = {0}\n[includeIf \"onbranch:**\"]\n\tpath = {0}\n",
        carried.display()
    );
    let hooks =
        format!("[core]\n\thooksPath = {}\n[extensions]\n\tworktreeConfig = true\n", other_hooks.display());
    fs::write(&config, own + &text + &include + &hooks).unwrap();
    fs::write(common.join("config.worktree"), &text).unwrap();
    fs::create_dir_all(common.join("info")).unwrap();
    let attributes = fs::read_to_string(common.join("info/attributes")).unwrap_or_default();
    fs::write(common.join("info/attributes"), attributes + canary::ATTRIBUTES).unwrap();
}

/// Asserts that nothing of the repository ran.
pub(crate) fn assert_silent(repo: &Repo) {
    let text = fs::read_to_string(trace(repo)).unwrap_or_default();
    assert_eq!(text, "", "the repository ran a program");
}

// Proves that the trap works: plain git sets it off.
#[test]
fn the_canary_is_alive() {
    let repo = rich();
    arm(&repo);
    #[expect(clippy::disallowed_methods, reason = "git without the care of the other tests")]
    let status = Command::new(git_program())
        .args(["status"])
        .current_dir(repo.path())
        .env("HOME", repo.home())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(fs::read_to_string(trace(&repo)).unwrap().contains("hostile"));
}

// G01 to G05, for every action.
#[test]
fn no_act_runs_what_a_repository_names() {
    let repo = rich();
    repo.write("f.canary", "1\n");
    let record = record(&repo);
    let plan = rescuer(&repo).plan(repo.path(), "rescue: work\n").unwrap();
    assert_silent(&repo);
    // No trust is given, so a path with a filter is not committed.
    let is_out = |path: &PlannedPath| path.path == b"f.canary" && path.left_out.is_some();
    assert!(plan.refusal.is_some() || plan.paths.iter().any(is_out), "{plan:?}");
    repo.remove("f.canary");
    let before = fingerprint(&repo);
    commit(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    rescuer(&repo).redo(repo.path()).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    let into = repo.root().join("restored");
    rescuer(&repo).restore(repo.path(), &record.reference, &into).unwrap();
    rescuer(&repo).recover(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// G08: a folder that looks like a bare repository, and a nested repository, both armed.
#[test]
fn repositories_inside_run_nothing() {
    let repo = Repo::new();
    let bare = repo.beside("repo/bare");
    bare.git(["init", "-q", "--bare", "."]);
    fs::write(bare.at("config"), format!("[core]\n\tbare = true\n\tfsmonitor = {}\n", program(&repo)))
        .unwrap();
    let nested = repo.beside("repo/nested");
    nested.git(["init", "-q", "-b", "main"]);
    nested.write("f", "1\n");
    arm(&nested);
    let record = record(&repo);
    assert_eq!(content(&repo, &record.snapshot, b"nested/f").unwrap(), b"1\n");
    assert!(content(&repo, &record.snapshot, b"bare/config").is_some());
    commit(&repo);
    assert_silent(&repo);
    let refused = rescuer(&repo).record(bare.path());
    assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
    assert_silent(&repo);
}

/// Not a test of its own: a rescue in an environment that names other things.
#[test]
#[ignore = "run by a test of this module in a process of its own"]
fn act_in_this_environment() {
    let Some(top) = std::env::var_os("CLOSEOUT_TEST_TOP").map(PathBuf::from) else { return };
    let beside = top.parent().unwrap();
    let rescuer = Rescuer::new(git_program(), Some(beside.join("home")), beside.join("state"));
    let plan = rescuer.plan(&top, "rescue: work\n").unwrap();
    rescuer.commit(&top, &plan).unwrap();
    rescuer.undo(&top).unwrap();
}

// G10
#[test]
fn variables_of_the_caller_have_no_effect() {
    let repo = rich();
    let other = repo.beside("other");
    other.git(["init", "-q", "-b", "main"]);
    let (before, elsewhere) = (fingerprint(&repo), fingerprint(&other));
    let program = program(&repo);
    let trace = repo.root().join("trace").display().to_string();
    let git_dir = other.git_dir().display().to_string();
    #[expect(clippy::disallowed_methods, reason = "the environment must be that of another process")]
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "rescue::hostile::act_in_this_environment", "--ignored"])
        .env("CLOSEOUT_TEST_TOP", repo.path())
        .envs([("GIT_DIR", git_dir.as_str()), ("GIT_COMMON_DIR", &git_dir), ("GIT_WORK_TREE", &git_dir)])
        .envs([("GIT_INDEX_FILE", "/nowhere"), ("GIT_OBJECT_DIRECTORY", "/nowhere")])
        .envs([("GIT_TRACE", trace.as_str()), ("GIT_TRACE2_EVENT", &trace), ("GIT_TRACE_PACKET", &trace)])
        .envs([
            ("GIT_EXTERNAL_DIFF", program.as_str()),
            ("GIT_SSH_COMMAND", &program),
            ("GIT_PAGER", &program),
        ])
        .envs([("GIT_EDITOR", program.as_str()), ("GIT_ASKPASS", &program), ("GIT_PROXY_COMMAND", &program)])
        .envs([
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
            ("GIT_CONFIG_VALUE_0", &program),
        ])
        .env("GIT_CONFIG_GLOBAL", repo.root().join("carried"))
        .env("GIT_NAMESPACE", "elsewhere")
        .env("GIT_EXEC_PATH", repo.root().join("hooks"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!((fingerprint(&repo), fingerprint(&other)), (before, elsewhere));
    assert!(!Path::new(&trace).exists(), "a trace was written");
}

/// Places where git would block on a FIFO.
const PLACES: [&str; 15] = [
    ".gitignore", "dir/.gitignore", ".gitattributes", "dir/.gitattributes", ".git/info/exclude",
    ".git/info/attributes", ".git/index", ".git/HEAD", ".git/packed-refs", ".git/config",
    ".git/config.worktree", ".git/refs/heads/main", ".git/shallow", ".git/objects/info/alternates",
    "included",
];

// G06, G07: nothing waits forever, nothing moves, and others continue meanwhile.
#[test]
fn a_fifo_anywhere_ends_in_time_and_delays_no_other_workspace() {
    let other = rich();
    std::thread::scope(|scope| {
        for place in PLACES {
            scope.spawn(move || {
                let repo = rich();
                arm(&repo);
                repo.write("dir/f", "1\n");
                let path = repo.at(place);
                if place == "included" {
                    let name = path.display().to_string();
                    fs::write(repo.git_dir().join("config"), format!("[include]\n\tpath = {name}\n"))
                        .unwrap();
                }
                repo.fifo(&path);
                #[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
                let began = Instant::now();
                // All calls that hang share one budget.
                let git_limit = Duration::from_secs(2);
                let outcome = Rescuer { git_limit, ..rescuer(&repo) }.plan(repo.path(), "rescue: work\n");
                let took = began.elapsed();
                assert!(took < Duration::from_secs(15), "{place}: {took:?}");
                // If the work could be recorded all the same, that is said.
                let is_told = match &outcome {
                    Ok(plan) => plan.record.vault.is_some() && plan.refusal.is_some(),
                    Err(error) => {
                        error.kept().is_some()
                            || matches!(error, RescueError::TimedOut(_) | RescueError::Refused(_))
                    }
                };
                assert!(is_told, "{place}: {outcome:?}");
                let is_named = match outcome.as_ref().map_err(RescueError::cause) {
                    Err(RescueError::TimedOut(words)) => {
                        words.contains(&format!("{} is a FIFO", path.display()))
                    }
                    Ok(_) | Err(_) => true,
                };
                // Git alone knows what its settings include.
                assert!(is_named || place == "included", "{place}: {outcome:?}");
                let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
                assert_eq!(mode & 0o170_000, 0o010_000, "{place} is not what it was");
                assert!(!repo.at(".git/index.lock").exists(), "{place}");
                assert_silent(&repo);
            });
        }
        let before = fingerprint(&other);
        commit(&other);
        rescuer(&other).undo(other.path()).unwrap();
        assert_eq!(fingerprint(&other), before);
    });
}
