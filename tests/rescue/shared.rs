//! Who may use what a rescue creates in a repository: the same users as if git had created it, by the setting
//! `core.sharedRepository` and the mask. The witness is a twin repository in which git does it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// Makes a repository with one commit, a branch of its own and work; `$1` is its name, `$2` the mask.
const BEGIN: &str = r#"set -e; umask "$2"; git init -q -b main "$1"; cd "$1"
if [ -n "$3" ]; then git config core.sharedRepository "$3"; fi
echo 1 >f; git add f; git commit -qm one; git checkout -qb work; echo 2 >f"#;
/// What git makes of the work there: a commit, a branch beside, a hidden reference, packs.
const BY_GIT: &str = r#"set -e; umask "$2"; cd "$1"; git commit -qam two; git branch -q rescue/beside
git update-ref refs/closeout/rescue/k/id HEAD; git repack -adq"#;
/// The same work, once on the branch and once on a new branch.
const BY_CLOSEOUT: &str = r#"set -e; umask "$2"; cd "$1"; "$CLOSEOUT" rescue -y -m two; echo 3 >f
"$CLOSEOUT" rescue -y -m three --new-branch"#;
/// Both begin without a commit and without an index.
const UNBORN: &str = r#"set -e; umask "$2"; git init -q -b work "$1"; cd "$1"
if [ -n "$3" ]; then git config core.sharedRepository "$3"; fi; echo 1 >f"#;
const BORN_BY_GIT: &str = r#"set -e; umask "$2"; cd "$1"; git add f; git commit -qm one"#;
const BORN_BY_CLOSEOUT: &str = r#"set -e; umask "$2"; cd "$1"; "$CLOSEOUT" rescue -y -m one"#;

#[expect(clippy::disallowed_methods, reason = "the mask is that of a process of its own")]
fn run(env: &TestEnv, script: &str, [name, mask, value]: [&str; 3]) {
    let output = Command::new("sh")
        .args(["-c", script, "sh", name, mask, value])
        .current_dir(env.at("."))
        .env_clear()
        .envs(env.variables())
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
        .env("GIT_CONFIG_GLOBAL", env.at("home/.gitconfig"))
        .env("CLOSEOUT", env!("CARGO_BIN_EXE_closeout"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{name} {mask} {value:?}: {output:?}");
}

/// The modes of each kind of file and folder that a rescue can create in a git directory.
fn modes(git_dir: &Path) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut found: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let mut left = vec![git_dir.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(git_dir).unwrap().to_str().unwrap();
            let is_folder = path.is_dir();
            let kind = match (name, is_folder) {
                ("index", false) => "index",
                (_, false) if name.starts_with("refs/closeout/") => "hidden reference",
                (_, true) if name.starts_with("refs/closeout") => "folder of hidden references",
                (_, false) if name.starts_with("refs/") => "branch",
                (_, false) if name.starts_with("logs/") => "log",
                (_, true) if name.ends_with("heads/rescue") => "folder of branches or logs",
                (_, false) if name.starts_with("objects/pack/") => "pack",
                _ => "",
            };
            if is_folder {
                left.push(path.clone());
            }
            if !kind.is_empty() {
                let mode = path.metadata().unwrap().permissions().mode();
                found.entry(kind).or_default().insert(format!("{:o}", mode & 0o7777));
            }
        }
    }
    found
}

#[test]
fn what_is_created_has_the_mode_that_git_gives_it() {
    for (mask, value) in [
        ("022", ""),
        ("077", ""),
        ("022", "group"),
        ("077", "group"),
        ("077", "true"),
        ("077", "everybody"),
        ("022", "0640"),
        ("007", "0600"),
    ] {
        let env = TestEnv::beside(&Repo::unborn());
        fs::write(env.at("home/.gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n").unwrap();
        let twins = |begin: &str, by_git: &str, by_closeout: &str, names: [&str; 2]| {
            for (name, then) in names.into_iter().zip([by_git, by_closeout]) {
                run(&env, begin, [name, mask, value]);
                run(&env, then, [name, mask, value]);
            }
            names.map(|name| modes(&env.at(name).join(".git")))
        };
        let [by_git, by_closeout] = twins(BEGIN, BY_GIT, BY_CLOSEOUT, ["git", "closeout"]);
        assert_eq!(by_git.len(), 7, "{by_git:?}");
        assert_eq!(by_closeout, by_git, "umask {mask}, {value:?}");
        let [by_git, mut by_closeout] =
            twins(UNBORN, BORN_BY_GIT, BORN_BY_CLOSEOUT, ["unborn-git", "unborn-closeout"]);
        by_closeout.retain(|kind, _| by_git.contains_key(kind));
        assert_eq!(by_closeout, by_git, "umask {mask}, {value:?}, unborn");
    }
}

/// Git reads the setting wherever it stands.
#[test]
fn a_setting_of_the_user_counts_too() {
    let env = TestEnv::beside(&Repo::unborn());
    let settings = "[user]\n\tname = Ada\n\temail = ada@example.org\n[core]\n\tsharedRepository\n";
    fs::write(env.at("home/.gitconfig"), settings).unwrap();
    for (name, then) in [("git", BY_GIT), ("closeout", BY_CLOSEOUT)] {
        run(&env, BEGIN, [name, "077", ""]);
        run(&env, then, [name, "077", ""]);
    }
    let [by_git, by_closeout] = ["git", "closeout"].map(|name| modes(&env.at(name).join(".git")));
    assert_eq!(by_closeout, by_git);
    assert!(by_git["branch"].contains("660"), "{by_git:?}");
}

/// The files that git replaces too: the index, the branch, both logs, and the packed references once a branch is deleted.
const REPLACED: [&str; 5] = ["index", "refs/heads/work", "logs/HEAD", "logs/refs/heads/work", "packed-refs"];
/// Each of these files has a mode before that is not the one of a new file.
const BEGIN_PRIVATE: &str = r#"set -e; umask "$2"; git init -q -b work "$1"; cd "$1"
echo 1 >f; git add f; git commit -qm one; git branch old; git pack-refs --all; git commit -q --allow-empty -m two
cd .git; chmod 600 index refs/heads/work logs/HEAD logs/refs/heads/work packed-refs; cd ..
git config core.sharedRepository "$3"; echo 2 >f"#;
const DELETE_BY_GIT: &str = r#"set -e; umask "$2"; cd "$1"; git commit -qam three; git branch -qD old"#;
/// The undo of a branch that was packed meanwhile deletes it.
const DELETE_BY_CLOSEOUT: &str = r#"set -e; umask "$2"; cd "$1"; "$CLOSEOUT" rescue -y -m three --new-branch
git pack-refs --all; chmod 600 .git/packed-refs; "$CLOSEOUT" undo -y; "$CLOSEOUT" rescue -y -m three"#;

/// Git gives what it replaces the mode of a new file, and shares an old log.
#[test]
fn what_is_replaced_has_the_mode_that_git_gives_it() {
    for value in ["group", "everybody", "0640", "0600"] {
        let env = TestEnv::beside(&Repo::unborn());
        fs::write(env.at("home/.gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n").unwrap();
        let [by_git, by_closeout] =
            [("git", DELETE_BY_GIT), ("closeout", DELETE_BY_CLOSEOUT)].map(|(name, then)| {
                run(&env, BEGIN_PRIVATE, [name, "022", value]);
                run(&env, then, [name, "022", value]);
                REPLACED.map(|file| {
                    let mode = env.at(name).join(".git").join(file).metadata().unwrap().permissions().mode();
                    format!("{file} {:o}", mode & 0o7777)
                })
            });
        assert_eq!(by_closeout, by_git, "{value:?}");
    }
}

/// The access of a new lock cannot be set. The lock goes, since nobody would know it for ours.
#[test]
fn no_lock_stays_where_its_access_cannot_be_set() {
    let env = TestEnv::beside(&Repo::unborn());
    fs::write(env.at("home/.gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n").unwrap();
    run(&env, BEGIN, ["shared", "077", "group"]);
    let locks = || {
        let found = super::fixture::files_below(&env.at("shared/.git"));
        found.into_iter().filter(|it| it.contains(".lock") || it.contains("closeout-")).collect::<Vec<_>>()
    };
    let failing = r#"umask "$2"; cd "$1"; echo "$3" >f
strace -qq -o /dev/null -e "inject=fchmod:error=EPERM:when=$3" "$CLOSEOUT" rescue -y -m two || touch ../failed"#;
    #[expect(clippy::disallowed_methods, reason = "a look for the program")]
    let strace = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    if !strace.is_ok_and(|output| output.status.success()) {
        return eprintln!("SKIPPED shared: strace cannot be used here");
    }
    // Every call that sets an access fails once.
    for n in 1..=16 {
        run(&env, failing, ["shared", "077", &n.to_string()]);
        assert_eq!(locks(), Vec::<String>::new(), "{n}");
    }
    assert!(env.at("failed").exists(), "no call that was made to fail made a rescue fail");
    fs::write(env.at("shared/f"), "last\n").unwrap();
    run(&env, BY_CLOSEOUT, ["shared", "077", "group"]);
    assert_eq!(locks(), Vec::<String>::new());
}
