//! What trust in a repository's programs covers: whatever they call in the usual ways is found, what cannot be
//! traced is reported, and what runs is what was checked.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{PlanNote, TrustKind, WantedProgram};

use super::fixture::*;
use super::trust::trusting;
use crate::support::repo::Repo;

/// A repository with a `pre-commit` hook, and with files that can be executed.
fn hooked(body: &str, files: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    for (name, text) in files {
        repo.write(name, text);
        make_executable(&repo.at(name));
    }
    repo.commit("tools");
    repo.write("work", "1\n");
    let path = repo.git_dir().join("hooks/pre-commit");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, body).unwrap();
    make_executable(&path);
    repo
}

/// The files that are trusted along with the hook, and what is reported as not covered.
fn covered(repo: &Repo) -> (BTreeSet<String>, BTreeSet<String>) {
    let list = rescuer(repo).trust_list(repo.path()).unwrap();
    let of =
        |kind| list.items.iter().filter(|item| item.kind == kind).map(|item| item.name.clone()).collect();
    (of(TrustKind::File), of(TrustKind::NotCovered))
}

/// The usual ways in which a hook starts another program: each is found or reported.
#[test]
fn what_a_hook_calls_is_trusted_with_it_or_said_not_to_be() {
    let lint = [("scripts/lint.sh", "#!/bin/sh\nexit 0\n")];
    for body in [
        "#!/bin/sh\n./scripts/lint.sh\n",
        "#!/bin/sh\ncd scripts && ./lint.sh\n",
        "#!/bin/sh\nROOT=$(git rev-parse --show-toplevel)\n\"$ROOT/scripts/lint.sh\"\n",
        "#!/bin/sh\n\"$(git rev-parse --show-toplevel)/scripts/lint.sh\" --all\n",
        "#!/bin/bash\nexec bash scripts/lint.sh\n",
        "#!/bin/bash\nsource scripts/lint.sh\n",
        "#!/bin/sh\n( cd \"$ROOT/scripts\"; sh ./lint.sh )\n",
        "#!/bin/sh\nsh -c './scripts/lint.sh'\n",
        "#!/bin/sh\nif test -x scripts/lint.sh; then env A=1 scripts/lint.sh || exit 1; fi\n",
    ] {
        let repo = hooked(body, &lint);
        assert_eq!(
            covered(&repo),
            (BTreeSet::from(["scripts/lint.sh".to_owned()]), BTreeSet::new()),
            "{body}"
        );
    }
    for (body, expected) in [
        ("make -s check", "make"),
        ("npm run lint", "npm"),
        ("npx lint-staged", "npx"),
        ("exec pre-commit run --all", "pre-commit"),
        ("python3 -m tool", "python3 -m tool"),
        ("$RUNNER lint", "$RUNNER"),
        ("eval \"$LINT\"", "eval"),
        ("cargo fmt --check", "cargo"),
    ] {
        let repo = hooked(&format!("#!/bin/sh\n{body}\n"), &lint);
        assert_eq!(covered(&repo).1, BTreeSet::from([expected.to_owned()]), "{body}");
    }
    let python = hooked("#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(['make'])\n", &lint);
    assert_eq!(covered(&python).1, BTreeSet::from(["what .git/hooks/pre-commit starts".to_owned()]));
}

/// It is reported where the commit is confirmed, and a change of any tracked file asks again.
#[test]
fn what_is_not_covered_is_said_and_trusted_only_for_the_tracked_files_as_they_are() {
    let repo = hooked("#!/bin/sh\nmake check\n", &[]);
    repo.write("Makefile", "check:\n\ttrue\n").commit("make");
    repo.write("work", "2\n");
    let trusted = trusting(&repo);
    let plan = trusted.plan(repo.path(), "m").unwrap();
    assert!(plan.programs.is_trusted);
    assert!(plan.notes.contains(&PlanNote::NotCovered(vec!["make".to_owned()])), "{:?}", plan.notes);
    repo.write("new", "untracked\n");
    assert!(trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
    repo.write("Makefile", "check:\n\tfalse\n");
    assert!(!trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
    repo.write("Makefile", "check:\n\ttrue\n");
    assert!(trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
}

/// A formatter that is not covered changes the files that its trust was given for; later hooks still run.
#[test]
fn hooks_after_one_that_formats_are_trusted_as_the_first_was() {
    let repo = hooked("#!/bin/sh\necho formatted > README\n$NOTHING\n", &[]);
    let path = repo.git_dir().join("hooks/commit-msg");
    fs::write(&path, "#!/bin/sh\necho 'Checked: yes' >> \"$1\"\n").unwrap();
    make_executable(&path);
    let trusted = trusting(&repo);
    let mut plan = trusted.plan(repo.path(), "m").unwrap();
    plan.programs.wanted = Some(WantedProgram::Hooks);
    trusted.commit(repo.path(), &plan).unwrap();
    assert!(repo.git(["log", "-1", "--format=%B"]).contains("Checked: yes"));
}

/// Someone keeps replacing the hook with another script: either the trusted one runs, or nothing is committed.
#[test]
fn a_hook_that_is_swapped_after_the_check_does_not_run() {
    let repo = hooked("#!/bin/sh\nexit 0\n", &[]);
    let hook = repo.git_dir().join("hooks/pre-commit");
    let (sound, evil, canary) =
        (repo.root().join("sound"), repo.root().join("evil"), repo.root().join("fired"));
    fs::copy(&hook, &sound).unwrap();
    fs::write(&evil, format!("#!/bin/sh\necho fired >> {}\n", canary.display())).unwrap();
    make_executable(&evil);
    let trusted = Rescuer { program_limit: std::time::Duration::from_secs(10), ..trusting(&repo) };
    let is_over = AtomicBool::new(false);
    let mut n_done = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let aside = repo.root().join("aside");
            while !is_over.load(Ordering::Relaxed) {
                for from in [&evil, &sound] {
                    fs::copy(from, &aside).unwrap();
                    fs::rename(&aside, &hook).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(3));
                }
            }
        });
        for round in 0..12 {
            repo.write("work", format!("{round} more\n"));
            let Ok(mut plan) = trusted.plan(repo.path(), "m") else { continue };
            plan.programs.wanted = Some(WantedProgram::Hooks);
            match trusted.commit(repo.path(), &plan) {
                Ok(_) => n_done += 1,
                Err(RescueError::Untrusted(_) | RescueError::SavedOnly(_)) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    eprintln!("{n_done} of 12 rescues ran the hook that was trusted");
    assert!(!canary.exists(), "a hook ran that nobody trusted");
}
