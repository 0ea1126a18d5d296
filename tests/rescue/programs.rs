//! Hooks that a person requested, and their own rescue program: the record comes first, and they are judged by
//! what exists afterwards.

use std::fs;
use std::time::Duration;

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{PlanNote, RescuePlan, WantedProgram};

use super::fixture::*;
use super::trust::trusting;
use crate::support::repo::Repo;
use crate::support::samples::commit_id;

/// Installs a hook.
fn hook(repo: &Repo, name: &str, body: &str) {
    let path = repo.git_dir().join("hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    make_executable(&path);
}

/// A plan that asks for hooks.
fn with_hooks(rescuer: &Rescuer, repo: &Repo) -> RescuePlan {
    let mut plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
    assert_eq!(plan.refusal, None);
    plan.programs.wanted = Some(WantedProgram::Hooks);
    plan
}

// V01
#[test]
fn hooks_are_not_run_unless_asked_for_and_trusted() {
    let repo = rich();
    let canary = repo.root().join("canary");
    hook(&repo, "pre-commit", &format!("touch {}; exit 1", canary.display()));
    let plan = plan(&repo);
    assert!(plan.notes.contains(&PlanNote::HooksNotRun(vec!["pre-commit".to_owned()])));
    assert_eq!(plan.programs.hooks, ["pre-commit"]);
    rescuer(&repo).commit(repo.path(), &plan).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert!(!canary.exists());
    let before = fingerprint(&repo);
    let untrusted = with_hooks(&rescuer(&repo), &repo);
    let refused = rescuer(&repo).commit(repo.path(), &untrusted);
    assert!(matches!(refused, Err(RescueError::Untrusted(_))), "{refused:?}");
    assert!(!canary.exists());
    assert_eq!(fingerprint(&repo), before);
    // Trusted and wanted, the hook fails, so nothing is committed.
    let rescuer = trusting(&repo);
    let refused = rescuer.commit(repo.path(), &with_hooks(&rescuer, &repo));
    assert!(
        matches!(&refused, Err(RescueError::SavedOnly(words)) if words.contains("pre-commit")),
        "{refused:?}"
    );
    assert!(canary.exists());
    assert_eq!(fingerprint(&repo), before);
}

// V01
#[test]
fn a_hook_that_hangs_is_ended() {
    let repo = rich();
    hook(&repo, "commit-msg", "sleep 600");
    let mut rescuer = trusting(&repo);
    rescuer.program_limit = Duration::from_millis(300);
    let before = fingerprint(&repo);
    let refused = rescuer.commit(repo.path(), &with_hooks(&rescuer, &repo));
    assert!(
        matches!(&refused, Err(RescueError::SavedOnly(words)) if words.contains("commit-msg")),
        "{refused:?}"
    );
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn hooks_see_what_is_committed_and_can_add_to_the_message() {
    let repo = rich();
    let seen = repo.root().join("seen");
    hook(&repo, "pre-commit", &format!("git diff --cached --name-only > {}", seen.display()));
    hook(&repo, "commit-msg", "echo 'Change-Id: I1' >> \"$1\"");
    hook(&repo, "post-commit", "exit 3");
    let rescuer = trusting(&repo);
    let plan = with_hooks(&rescuer, &repo);
    let before = fingerprint(&repo);
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    assert!(repo.git(["log", "-1", "--format=%B"]).ends_with("Change-Id: I1"));
    assert_eq!(done.notes.len(), 1);
    assert!(done.notes[0].contains("post-commit"));
    let mut names: Vec<String> = fs::read_to_string(&seen).unwrap().lines().map(str::to_owned).collect();
    names.sort();
    assert_eq!(names, ["a", "c2", "e", "intended", "link", "new/deep/x", "split"]);
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// V02
#[test]
fn a_hook_that_destroys_work_is_found_out_and_the_record_has_everything() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("more");
    repo.write("a", "2\n").write("untracked", "u\n");
    hook(
        &repo,
        "pre-commit",
        "unset GIT_INDEX_FILE; git -c user.name=x -c user.email=y stash -q; rm -f untracked",
    );
    let rescuer = trusting(&repo);
    let plan = with_hooks(&rescuer, &repo);
    let head = repo.head();
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    for part in ["a changed", "untracked deleted", &plan.record.reference] {
        assert!(done.notes[0].contains(part), "{part}: {:?}", done.notes);
    }
    // What was confirmed is committed, whatever remains of it in the work tree.
    assert_eq!(repo.git(["rev-parse", "HEAD~1"]), head);
    assert_eq!(content(&repo, "HEAD", b"a").unwrap(), b"2\n");
    assert_eq!(content(&repo, "HEAD", b"untracked").unwrap(), b"u\n");
    assert_eq!(fs::read(repo.at("a")).unwrap(), b"1\n");
    let into = repo.root().join("back");
    rescuer.restore(repo.path(), &plan.record.reference, &into).unwrap();
    assert_eq!(fs::read(into.join("a")).unwrap(), b"2\n");
    assert_eq!(fs::read(into.join("untracked")).unwrap(), b"u\n");
    assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
}

// A formatting hook: as with git, what was confirmed is committed, and the next commit gets the rest.
#[test]
fn what_a_hook_formats_in_the_work_tree_is_said_and_not_committed() {
    let repo = Repo::new();
    repo.write("f", "x  \n");
    hook(&repo, "pre-commit", "sed -i 's/ *$//' f");
    let rescuer = trusting(&repo);
    let done = rescuer.commit(repo.path(), &with_hooks(&rescuer, &repo)).unwrap();
    assert!(done.notes[0].contains("f changed"), "{:?}", done.notes);
    assert_eq!(content(&repo, &done.commits[0], b"f").unwrap(), b"x  \n");
    let rescuer = trusting(&repo);
    let done = rescuer.commit(repo.path(), &with_hooks(&rescuer, &repo)).unwrap();
    assert_eq!(content(&repo, &done.commits[0], b"f").unwrap(), b"x\n");
}

// V02: what a hook stages was never confirmed.
#[test]
fn a_hook_that_stages_makes_no_commit() {
    let repo = Repo::new();
    repo.write("f", "x\n").write("other", "1\n").stage("other");
    hook(&repo, "pre-commit", "unset GIT_INDEX_FILE; git reset -q; rm -f f");
    let rescuer = trusting(&repo);
    let plan = with_hooks(&rescuer, &repo);
    let head = repo.head();
    let refused = rescuer.commit(repo.path(), &plan);
    assert!(matches!(&refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    assert_eq!(repo.head(), head);
    assert_eq!(content(&repo, &plan.record.snapshot, b"f").unwrap(), b"x\n");
}

/// A plan that asks for the person's own program.
fn with_own(rescuer: &Rescuer, repo: &Repo) -> RescuePlan {
    let mut plan = rescuer.plan(repo.path(), "the message\n").unwrap();
    assert!(plan.programs.own.is_some());
    plan.programs.wanted = Some(WantedProgram::Own);
    plan
}

/// Installs a shell script as the program at the top; it commits as `Own`.
fn own_script(repo: &Repo, body: &str) {
    let git = "git -c user.name=Own -c user.email=own@example.org";
    repo.write("commit-rescue.py", format!("#!/bin/sh\nset -e\ngit() {{ command {git} \"$@\"; }}\n{body}\n"));
    make_executable(&repo.at("commit-rescue.py"));
    repo.commit("program");
}

#[test]
fn an_own_program_runs_only_when_it_is_trusted() {
    let repo = Repo::new();
    let canary = repo.root().join("canary");
    own_script(&repo, &format!("touch {}", canary.display()));
    repo.write("f", "1\n");
    let plan = with_own(&rescuer(&repo), &repo);
    let own = plan.programs.own.clone().unwrap();
    assert_eq!((own.words, own.is_trusted), (vec!["commit-rescue.py".to_owned()], false));
    let before = fingerprint(&repo);
    let refused = rescuer(&repo).commit(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::Untrusted(_))), "{refused:?}");
    assert!(!canary.exists());
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn the_commits_of_an_own_program_are_judged_and_taken_back_exactly() {
    let repo = Repo::new();
    own_script(&repo, "git add f; git commit -q -m one; git add -A; git commit -q -F -");
    repo.write("f", "1\n").write("g", "2\n").write("staged", "s\n").git(["add", "staged"]);
    let rescuer = trusting(&repo);
    let plan = with_own(&rescuer, &repo);
    assert!(plan.programs.own.as_ref().unwrap().is_trusted);
    let before = fingerprint(&repo);
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    assert_eq!((done.commits.len(), done.n_paths, done.can_be_undone), (2, 3, true));
    assert_eq!(done.commits[1], commit_id(&repo.head()));
    // These references tell a verdict that the commits are no evidence of finished work.
    let pinned = repo.git(["for-each-ref", "--format=%(objectname)", "refs/closeout/visible"]);
    assert!(done.commits.iter().all(|commit| pinned.contains(&commit.to_string())), "{pinned}");
    assert_eq!(repo.git(["log", "-2", "--format=%s %an"]), "the message Own\none Own");
    let after = fingerprint(&repo);
    assert_eq!(rescuer.undo_plan(repo.path()).unwrap().commits.len(), 2);
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    rescuer.redo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo).references, after.references);
}

#[test]
fn an_own_program_that_makes_no_commit_or_changes_the_past_is_not_a_rescue() {
    for (body, word) in [
        ("echo nothing to do; exit 0", "no commit"),
        ("echo it broke >&2; exit 7", "it broke"),
        ("git checkout -q -b other; git add -A; git commit -q -m x", "left the branch"),
        ("git add -A; git commit -q --amend -m x", "changed commits"),
        ("sleep 600", "did not end"),
    ] {
        let repo = Repo::new();
        own_script(&repo, body);
        repo.write("f", "1\n");
        let mut rescuer = trusting(&repo);
        if body.starts_with("sleep") {
            rescuer.program_limit = Duration::from_millis(300);
        }
        let plan = with_own(&rescuer, &repo);
        let refused = rescuer.commit(repo.path(), &plan);
        let Err(RescueError::SavedOnly(words)) = &refused else { panic!("{body}: {refused:?}") };
        assert!(words.contains(word), "{body}: {words}");
        assert_eq!(content(&repo, &plan.record.snapshot, b"f").unwrap(), b"1\n");
        assert!(matches!(rescuer.undo(repo.path()), Err(RescueError::Nothing)));
    }
}

#[test]
fn an_own_program_that_changes_files_is_said_not_to_be_undone_exactly() {
    let repo = Repo::new();
    own_script(&repo, "echo formatted > f; git add -A; git commit -q -m x");
    repo.write("f", "1\n");
    let rescuer = trusting(&repo);
    let plan = with_own(&rescuer, &repo);
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    assert!(!done.can_be_undone);
    assert!(done.notes[0].contains("f changed") && done.notes[0].contains(&*plan.record.reference));
    assert!(matches!(rescuer.undo(repo.path()), Err(RescueError::Nothing)));
}

/// Nobody knows which of the two versions ran what.
#[test]
fn an_own_program_that_was_changed_while_it_ran_is_not_a_success() {
    let repo = Repo::new();
    own_script(&repo, "git add f; git commit -q -m x; echo '# more' >> commit-rescue.py");
    repo.write("f", "1\n");
    let rescuer = trusting(&repo);
    let refused = rescuer.commit(repo.path(), &with_own(&rescuer, &repo));
    let Err(RescueError::SavedOnly(words)) = &refused else { panic!("{refused:?}") };
    assert!(words.contains("commit-rescue.py changed while"), "{words}");
}

#[test]
fn an_own_program_runs_from_a_copy() {
    for (name, body) in [
        ("commit-rescue.py", "#!/bin/sh\necho \"ran as $0\"; exit 1\n"),
        ("commit-rescue.py", "#!/usr/bin/env python3\nprint('ran as ' + __file__)\n"),
        ("tools/own", "echo \"ran as $0\"; exit 1\n"),
    ] {
        let repo = Repo::new();
        repo.write(name, body);
        make_executable(&repo.at(name));
        let own = name.starts_with("tools").then(|| vec!["sh".into(), name.into()]);
        let trust = |rescuer: Rescuer| {
            let digest = rescuer.trust_list(repo.path()).unwrap().digest;
            Rescuer { trusted: [digest].into(), ..rescuer }
        };
        let rescuer = trust(Rescuer { own_program: own, ..trusting(&repo) });
        let words = rescuer.commit(repo.path(), &with_own(&rescuer, &repo)).unwrap_err().to_string();
        let ran = words.split_once("ran as ").map(|(_, rest)| rest.to_owned());
        assert!(
            ran.as_ref().is_some_and(|it| it.starts_with(&*rescuer.state.to_string_lossy()))
                || name.ends_with("py"),
            "{words}"
        );
        assert!(!words.contains(&format!("ran as {}", repo.path().display())), "{words}");
    }
}

#[test]
fn a_configured_program_outside_the_workspace_is_the_persons_own_word() {
    let repo = rich();
    let script = repo.script("mine", "git -c user.name=x -c user.email=y commit -q -a -m \"$1\"");
    let mut rescuer = rescuer(&repo);
    rescuer.program_env = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
    rescuer.own_program = Some(vec![script.clone().into(), "by mine".into()]);
    let plan = with_own(&rescuer, &repo);
    assert!(plan.programs.own.as_ref().unwrap().is_trusted && !plan.programs.is_trusted);
    rescuer.commit(repo.path(), &plan).unwrap();
    assert_eq!(repo.git(["log", "-1", "--format=%s"]), "by mine");
    // Nor is one that is given a file that is not there yet.
    for word in ["tools/save", "save.py", "--file=tools/save"] {
        rescuer.own_program = Some(vec!["sh".into(), word.into()]);
        assert!(!with_own(&rescuer, &repo).programs.own.unwrap().is_trusted, "{word}");
    }
    // A program that is given a workspace file to run is not trusted.
    rescuer.own_program = Some(vec!["sh".into(), "e".into()]);
    repo.write("e", "exit 1\n");
    let plan = with_own(&rescuer, &repo);
    assert!(!plan.programs.own.as_ref().unwrap().is_trusted);
    assert!(matches!(rescuer.commit(repo.path(), &plan), Err(RescueError::Untrusted(_))));
}
