//! What trust in a repository's programs covers: whatever they call in the usual ways is found, what cannot be
//! traced is reported, and what runs is what was checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
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

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// The usual ways in which a hook starts another program: each is found or reported.
#[test]
fn what_a_hook_calls_is_trusted_with_it_or_said_not_to_be() {
    let lint = [("scripts/lint.sh", "#!/bin/sh\nexit 0\n")];
    for body in [
        "#!/bin/sh\n./scripts/lint.sh\n",
        "#!/bin/sh\nset -e\n( sh ./scripts/lint.sh ) | cat\n",
        "#!/bin/bash\nexec bash scripts/lint.sh\n",
        "#!/usr/bin/env bash\nsource scripts/lint.sh\n",
        "#!/bin/sh\nif test -x scripts/lint.sh; then scripts/lint.sh || exit 1; fi\n",
    ] {
        let repo = hooked(body, &lint);
        assert_eq!(covered(&repo), (names(["scripts/lint.sh"]), names([])), "{body}");
    }
    for (body, expected) in [
        ("make -s check", "make -s"),
        ("npm run lint", "npm run"),
        ("npx lint-staged", "npx lint-staged"),
        ("exec pre-commit run --all", "pre-commit run"),
        ("python3 -m tool", "python3 -m"),
        ("$RUNNER lint", "$RUNNER lint"),
        ("eval \"$LINT\"", "eval"),
        ("cargo fmt --check", "cargo fmt"),
        ("cd scripts && cat lint.sh", "cd scripts"),
        ("\"$(git rev-parse --show-toplevel)/scripts/lint.sh\" --all", "$/scripts/lint.sh --all"),
        ("sh -c './scripts/lint.sh'", "sh -c"),
        ("scripts/gone.sh", "scripts/gone.sh"),
        ("lint() { scripts/lint.sh; }; lint", "what .git/hooks/pre-commit starts"),
    ] {
        let repo = hooked(&format!("#!/bin/sh\n{body}\n"), &lint);
        assert_eq!(covered(&repo).1, names([expected]), "{body}");
    }
    let python = hooked("#!/usr/bin/env python3\nprint('fine')\n", &lint);
    assert_eq!(covered(&python).1, names(["what .git/hooks/pre-commit starts"]));
}

// G14
/// Ways in which a hook can run a file without a plain call of it: a change of the file asks again, wherever it is.
#[test]
fn whatever_a_hook_may_run_asks_again_when_it_changed() {
    let sh = |body: &str| format!("#!/bin/sh\n{body}\n");
    let python = |body: &str| format!("#!/usr/bin/env python3\n{body}\n");
    for body in [
        sh("trap \"sh tools/lint\" EXIT"),
        sh("awk -f tools/lint f"),
        sh("find tools -name lint -exec sh {} \\;"),
        sh("PATH=\"$PWD/tools:$PATH\"; lint"),
        sh("git -c alias.q='!sh tools/lint' q"),
        sh("git -c core.hooksPath=tools checkout -q"),
        sh("builtin eval \"$(cat tools/lint)\""),
        sh("export BASH_ENV=tools/lint; bash -c :"),
        sh("ENV=tools/lint sh -i"),
        sh("sh() { :; }; unset -f sh; sh tools/lint"),
        sh("sed '1e sh tools/lint' README"),
        sh("tar --checkpoint=1 --checkpoint-action=exec='sh tools/lint' -cf /dev/null ."),
        sh("git submodule foreach 'sh tools/lint'"),
        sh("cat tools/lint > scripts; sh ./scripts"),
        python("import sys\nsys.path.insert(0, 'tools')\nimport lint"),
        python("import runpy\nrunpy.run_path('tools/lint')"),
        "#!/usr/bin/env perl\ndo \"./tools/lint\";\n".to_owned(),
        "#!/usr/bin/env node\nrequire(process.cwd() + '/tools/lint')\n".to_owned(),
    ] {
        let repo = hooked(&body, &[("tools/lint", "echo fine\n")]);
        let digest = || rescuer(&repo).trust_list(repo.path()).unwrap().digest;
        let before = digest();
        assert_ne!(covered(&repo).1, names([]), "{body}");
        repo.write("tools/lint", "echo other\n");
        assert_ne!(digest(), before, "{body}");
        repo.write("tools/lint", "echo fine\n");
        assert_eq!(digest(), before, "{body}");
    }
}

#[test]
fn what_is_not_covered_is_trusted_only_for_files_that_git_does_not_track_as_they_are_too() {
    let repo = hooked("", &[]);
    repo.write(".gitignore", "ignored\n").write("ignored", "1\n");
    std::os::unix::fs::symlink("ignored", repo.at("link")).unwrap();
    repo.commit("a link to an ignored file");
    for inner in ["sub", "nested"] {
        repo.git(["init", "-q", inner]);
        repo.write(&format!("{inner}/deep/Makefile"), "1\n");
        repo.git(["-C", inner, "add", "-A"]);
        repo.git(["-C", inner, "commit", "-q", "-m", "one"]);
    }
    repo.git(["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
    repo.git(["commit", "-q", "-m", "a submodule"]);
    let outside = repo.beside("outside");
    outside.write("x.sh", "1\n");
    fs::write(repo.git_dir().join("hooks/pre-commit"), "#!/bin/sh\nmake -C sub\n").unwrap();
    fs::write(
        repo.git_dir().join("hooks/commit-msg"),
        format!("#!/bin/sh\n. {}\n", outside.at("x.sh").display()),
    )
    .unwrap();
    make_executable(&repo.git_dir().join("hooks/commit-msg"));
    let digest = || rescuer(&repo).trust_list(repo.path()).unwrap().digest;
    let mut before = digest();
    for path in [
        "GNUmakefile", "x/__main__.py", "hooks.d/b.sh", "sub/deep/Makefile", "nested/deep/Makefile",
        "ignored",
    ]
    .map(|path| repo.at(path))
    .into_iter()
    .chain([outside.at("x.sh")])
    {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "another\n").unwrap();
        let after = digest();
        assert_ne!(after, before, "{}", path.display());
        before = after;
    }
    repo.git(["config", "remote.x.url", "y"]);
    assert_ne!(digest(), before);
}

#[test]
fn a_search_path_in_the_workspace_makes_any_command_unknown() {
    let repo = hooked("#!/bin/sh\ncat f\n", &[]);
    assert_eq!(covered(&repo).1, names([]));
    let mut rescuer = rescuer(&repo);
    rescuer.program_env = vec![("PATH".into(), repo.at("bin").into())];
    let list = rescuer.trust_list(repo.path()).unwrap();
    assert!(
        list.items.iter().any(|it| it.kind == TrustKind::NotCovered && it.name.starts_with("programs in"))
    );
}

#[test]
fn a_command_that_a_filter_starts_by_way_of_git_is_told() {
    for (key, value, told) in [
        ("filter.x.clean", "cat '%f'", "cat '%f'"),
        ("filter.x.clean", "cat x%f", "cat x%f"),
        ("filter.x.clean", "make %f", "make %f"),
        ("alias.lfs", "!make", "!make"),
        ("lfs.extension.x.clean", "make x", "make x"),
        ("lfs.customtransfer.x.path", "make", "make"),
        ("core.fsmonitor", "make", "make"),
    ] {
        let repo = hooked("#!/bin/sh\ngit lfs post-commit \"$@\"\n", &[]);
        repo.git(["config", "filter.y.clean", "git-lfs clean -- %f"]);
        assert_eq!(covered(&repo).1, names([]));
        repo.git(["config", key, value]);
        assert_eq!(covered(&repo).1, names([told]), "{key}");
    }
}

/// It is reported where the commit is confirmed, and a change of any file asks again.
#[test]
fn what_is_not_covered_is_said_and_trusted_only_for_the_files_as_they_are() {
    let repo = hooked("#!/bin/sh\nmake check\n", &[]);
    repo.write("Makefile", "check:\n\ttrue\n").commit("make");
    repo.write("work", "2\n");
    let trusted = trusting(&repo);
    let plan = trusted.plan(repo.path(), "m").unwrap();
    assert!(plan.programs.is_trusted);
    assert!(plan.notes.contains(&PlanNote::NotCovered(vec!["make check".to_owned()])), "{:?}", plan.notes);
    repo.write("new", "untracked\n");
    assert!(!trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
    fs::remove_file(repo.at("new")).unwrap();
    assert!(trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
    repo.write("Makefile", "check:\n\tfalse\n");
    assert!(!trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
    repo.write("Makefile", "check:\n\ttrue\n");
    assert!(trusted.plan(repo.path(), "m").unwrap().programs.is_trusted);
}

/// A hook that is not covered was trusted for other files than a formatter before it left.
#[test]
fn a_hook_that_is_not_covered_does_not_run_after_one_that_changed_files() {
    let repo = hooked("#!/bin/sh\necho formatted > README\n", &[]);
    let path = repo.git_dir().join("hooks/commit-msg");
    fs::write(&path, "#!/bin/sh\necho 'Checked: yes' >> \"$1\"\n").unwrap();
    make_executable(&path);
    let commit = || {
        let trusted = trusting(&repo);
        let mut plan = trusted.plan(repo.path(), "m").unwrap();
        plan.programs.wanted = Some(WantedProgram::Hooks);
        trusted.commit(repo.path(), &plan)
    };
    let refused = commit().unwrap_err().to_string();
    assert!(refused.contains("commit-msg") && refused.contains("README changed"), "{refused}");
    // What is formatted stays as it is, so that both hooks are trusted for it.
    commit().unwrap();
    assert!(repo.git(["log", "-1", "--format=%B"]).contains("Checked: yes"));
}

/// What a failing hook says of its own place.
fn ran_as(repo: &Repo) -> String {
    let trusted = trusting(repo);
    let mut plan = trusted.plan(repo.path(), "m").unwrap();
    plan.programs.wanted = Some(WantedProgram::Hooks);
    let words = trusted.commit(repo.path(), &plan).unwrap_err().to_string();
    let (_, place) = words.split_once("ran as ").unwrap_or_else(|| panic!("{words}"));
    place.split([';', '\n']).next().unwrap().to_owned()
}

#[test]
fn hooks_and_the_files_that_they_call_run_from_copies() {
    let lint = [("tools/lint", "#!/bin/sh\n. tools/more\nexit 1\n"), ("tools/more", "echo \"ran as $0\"\n")];
    for body in [
        "#!/bin/sh\necho \"ran as $0\"; exit 1\n",
        "echo \"ran as $0\"; exit 1\n",
        "#!/bin/sh\nmake=\"$0\"; make -v >/dev/null; echo \"ran as $0\"; exit 1\n",
        "#!/bin/sh\nexec \"$(dirname \"$0\")/deep/beside\"\n",
        "#!/usr/bin/env python3\nimport sys\nprint('ran as ' + __file__)\nsys.exit(1)\n",
        "#!/bin/sh\nexec ./tools/lint\n",
        "#!/bin/sh\nsh tools/lint\n",
    ] {
        let repo = hooked(body, &lint);
        let beside = repo.git_dir().join("hooks/deep/beside");
        fs::create_dir_all(beside.parent().unwrap()).unwrap();
        fs::write(&beside, "#!/bin/sh\necho \"ran as $0\"; exit 1\n").unwrap();
        make_executable(&beside);
        let place = ran_as(&repo);
        assert!(Path::new(&place).starts_with(rescuer(&repo).state), "{body}: {place}");
    }
}

#[test]
fn what_a_filter_calls_runs_from_a_copy() {
    let clean = "#!/bin/sh\nif [ \"$0\" = ./tools/clean ]; then echo in place; else echo elsewhere; fi\n";
    let repo = hooked("", &[("tools/clean", clean)]);
    repo.write(".gitattributes", "f filter=red\n").commit("attributes");
    repo.git(["config", "filter.red.clean", "./tools/clean"]);
    repo.write("f", "1\n");
    let trusted = trusting(&repo);
    let plan = trusted.plan(repo.path(), "m").unwrap();
    trusted.commit(repo.path(), &plan).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(repo.git(["show", "HEAD:f"]), "elsewhere");
}

// G15
/// Someone keeps replacing a program with another script: either the trusted one runs, or nothing is committed.
#[test]
fn what_is_swapped_after_the_check_does_not_run() {
    let lint = [("tools/lint", "#!/bin/sh\nexit 0\n")];
    for (body, swapped) in [
        ("#!/bin/sh\nexit 0\n", ".git/hooks/pre-commit"),
        ("#!/bin/sh\ncd \"$(dirname \"$0\")\"\n", ".git/hooks/pre-commit"),
        ("#!/bin/sh\nsh tools/lint\n", "tools/lint"),
    ] {
        let repo = hooked(body, &lint);
        swap_while_rescuing(&repo, &repo.at(swapped));
    }
}

fn swap_while_rescuing(repo: &Repo, hook: &Path) {
    let (sound, evil, canary) =
        (repo.root().join("sound"), repo.root().join("evil"), repo.root().join("fired"));
    fs::copy(hook, &sound).unwrap();
    fs::write(&evil, format!("#!/bin/sh\necho fired >> {}\n", canary.display())).unwrap();
    make_executable(&evil);
    let trusted = Rescuer { program_limit: std::time::Duration::from_secs(10), ..trusting(repo) };
    let is_over = AtomicBool::new(false);
    let mut n_done = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let aside = repo.root().join("aside");
            while !is_over.load(Ordering::Relaxed) {
                for from in [&evil, &sound] {
                    fs::copy(from, &aside).unwrap();
                    fs::rename(&aside, hook).unwrap();
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
