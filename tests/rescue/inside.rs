//! Repositories inside the work tree: what their own rules ignore, or those around them, stays out of the record and is
//! counted. What they track is never left out.

use std::collections::BTreeSet;
use std::fs;

use closeout::model::ActionClass;

use super::fixture::*;
use crate::support::plain;
use crate::support::repo::Repo;

/// The paths of a record below a folder.
fn below(repo: &Repo, commit: &impl std::fmt::Display, folder: &str) -> BTreeSet<String> {
    let names = listed(repo, commit).into_keys().map(|path| String::from_utf8(path).unwrap());
    let folder = format!("{folder}/");
    names.filter_map(|path| path.strip_prefix(&folder).map(str::to_owned)).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

type Making = fn(&Repo) -> Repo;

/// Each makes a repository inside, in which `kept.log` is tracked although rules match it.
const KINDS: [(&str, Making); 3] = [
    ("a worktree", |repo| {
        repo.git(["worktree", "add", "-q", "-b", "beside", "inner"]);
        repo.beside("repo/inner")
    }),
    ("a repository", |repo| {
        let inner = repo.beside("repo/inner");
        inner.git(["init", "-q"]);
        inner
    }),
    ("a submodule that rules match", |repo| {
        let url = repo.path().display().to_string();
        repo.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "inner"]);
        repo.write(".gitignore", "*.log\ninner/\n").commit("a submodule");
        repo.beside("repo/inner")
    }),
];

#[test]
fn what_a_repository_inside_ignores_is_left_out_and_counted() {
    for (case, make) in KINDS {
        let repo = Repo::new();
        repo.write(".gitignore", "*.log\n").commit("rules");
        let inner = make(&repo);
        inner.write("kept.log", "1\n").write("f", "1\n").git(["add", "-f", "kept.log", "f"]);
        inner.git(["commit", "-q", "-m", "tracked"]);
        inner.write(".gitignore", "ign/\n*.tmp\n!back.log\n").write("f", "2\n").write("kept.log", "2\n");
        let (_, common) = plain::git_dirs(inner.path()).unwrap();
        fs::create_dir_all(common.join("info")).unwrap();
        fs::write(common.join("info/exclude"), "/own\n").unwrap();
        for left_out in ["ign/x", "ign/deep/.git/config", "sub/a.tmp", "own"] {
            inner.write(left_out, "secret\n");
        }
        inner.write("a.log", "1\n").write("back.log", "1\n").write("sub/new", "1\n").write(":(top)*", "1\n");
        let made = rescuer(&repo).record(repo.path()).unwrap();
        let mut expected = names([".gitignore", ":(top)*", "back.log", "f", "kept.log", "sub/new"]);
        let mut n_ignored = 5;
        if case.starts_with("a submodule") {
            // Whoever tracks a submodule does not ignore what is in it.
            expected.insert("a.log".to_owned());
            n_ignored = 4;
        }
        let found = below(&repo, &made.snapshot, "inner");
        assert!(found.is_superset(&expected), "{case}: {found:?}");
        let more: BTreeSet<_> = found.difference(&expected).map(String::as_str).collect();
        assert!(more.is_empty() || more == ["README"].into(), "{case}: {more:?}");
        assert_eq!(made.gaps, [], "{case}");
        assert_eq!(made.ignored.n_files, n_ignored, "{case}");
        super::hostile::assert_silent(&repo);
    }
}

/// A rule file that git would wait for keeps nothing out, and nobody waits.
#[test]
fn all_is_kept_of_a_repository_inside_whose_rules_cannot_be_read() {
    type Spoiling = fn(&Repo);
    let cases: [(Spoiling, &str); 3] = [
        (|inner| _ = inner.fifo(&inner.at("deep/.gitignore")), "no file"),
        (|inner| _ = inner.fifo(&inner.git_dir().join("info/exclude")), "cannot be told"),
        (|inner| fs::write(inner.git_dir().join("index"), "DIRC").unwrap(), "cannot be told"),
    ];
    for (spoil, words) in cases {
        let repo = Repo::new();
        let inner = repo.beside("repo/inner");
        inner.git(["init", "-q"]);
        inner.write("deep/a.tmp", "1\n").write(".gitignore", "*.tmp\n");
        spoil(&inner);
        let made = rescuer(&repo).record(repo.path()).unwrap();
        assert!(made.gaps.iter().all(|gap| !gap.reason.contains("did not answer")), "{:?}", made.gaps);
        assert_eq!(made.class(), ActionClass::SavedGaps, "{words}");
        assert!(made.gaps.iter().any(|gap| gap.path.starts_with(b"inner") && gap.reason.contains(words)));
        assert!(below(&repo, &made.snapshot, "inner").contains("deep/a.tmp"), "{words}");
    }
}

/// A file that is ignored and appears after the first look stays out too.
#[test]
fn what_appears_in_a_repository_inside_while_it_is_read_is_ignored_too() {
    let repo = Repo::new();
    let inner = repo.beside("repo/inner");
    inner.git(["init", "-q"]);
    inner.write(".gitignore", "*.tmp\n").write("f", "1\n");
    let later = inner.clone();
    let at_listed = move || _ = later.write("a.tmp", "1\n").write("new", "1\n");
    let made = rescuer_at(&repo, closeout::action::rescue::Stage::Listed, at_listed).record(repo.path());
    assert_eq!(below(&repo, &made.unwrap().snapshot, "inner"), names([".gitignore", "f", "new"]));
}
