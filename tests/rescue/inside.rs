//! Repositories inside the work tree: what their own rules ignore, or those around them, stays out of the record and is
//! counted. What they track is never left out.

use std::collections::BTreeSet;
use std::fs;

use closeout::action::rescue::{AskAbove, RescueError, RescueStep, Rescuer};
use closeout::model::ActionClass;

use super::fixture::*;
use crate::support::plain;
use crate::support::repo::{Repo, git_program};

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
        (|inner| _ = inner.fifo(&inner.git_dir().join("info/exclude")), "is unknown"),
        (|inner| fs::write(inner.git_dir().join("index"), "DIRC").unwrap(), "is unknown"),
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
    let made = rescuer_at(&repo, closeout::action::rescue::RescueStep::Listed, at_listed).record(repo.path());
    assert_eq!(below(&repo, &made.unwrap().snapshot, "inner"), names([".gitignore", "f", "new"]));
}

/// Where nothing tells what a repository inside tracks, nothing is left out of it: tracked files can be where rules match.
#[test]
fn what_is_tracked_in_a_repository_inside_is_kept_whatever_of_it_is_missing() {
    type Spoiling = fn(&Repo);
    let cases: [(&str, Spoiling); 3] = [
        ("no index", |inner| fs::remove_file(inner.git_dir().join("index")).unwrap()),
        ("an index behind a link", |inner| {
            fs::rename(inner.git_dir().join("index"), inner.git_dir().join("real")).unwrap();
            std::os::unix::fs::symlink("real", inner.git_dir().join("index")).unwrap();
        }),
        ("elsewhere", |inner| {
            let aside = inner.root().join("aside");
            fs::rename(inner.git_dir(), &aside).unwrap();
            fs::write(inner.at(".git"), format!("gitdir: {}\n", aside.display())).unwrap();
        }),
    ];
    for (case, spoil) in cases {
        let repo = Repo::new();
        let inner = repo.beside("repo/inner");
        inner.git(["init", "-q"]);
        inner
            .write(".gitignore", "dist/\n")
            .write("dist/x", "1\n")
            .git(["add", "-f", "dist/x", ".gitignore"]);
        inner.git(["commit", "-q", "-m", "tracked"]);
        inner.write("dist/x", "2\n");
        spoil(&inner);
        let made = rescuer(&repo).record(repo.path()).unwrap();
        assert!(below(&repo, &made.snapshot, "inner").contains("dist/x"), "{case}");
        assert!(made.gaps.iter().any(|gap| gap.path.starts_with(b"inner")), "{case}: {:?}", made.gaps);
    }
}

/// Git is not asked what is ignored while it would wait for the rules around a repository.
#[test]
fn rules_that_hang_around_a_repository_inside_are_not_read_for_it() {
    let repo = Repo::new();
    let inner = repo.beside("repo/inner");
    inner.git(["init", "-q"]);
    inner.write("f", "1\n");
    repo.fifo(&repo.at(".gitignore"));
    let made = rescuer(&repo).record(repo.path()).unwrap();
    assert!(made.gaps.iter().all(|gap| !gap.reason.contains("check-ignore")), "{:?}", made.gaps);
    let into = repo.root().join("into");
    rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap();
    assert!(into.join("inner/f").exists());
}

/// What is left out is what the rules and the index say when the files are read, not what they said at the first look.
#[test]
fn a_repository_inside_that_changes_its_rules_or_tracks_more_is_looked_at_again() {
    type Change = fn(&Repo);
    let cases: [(&str, Change); 3] = [
        ("its rules", |repo| _ = repo.write("inner/.gitignore", "none\n")),
        ("its index", |repo| {
            let inner = repo.beside("repo/inner");
            inner.write("f", "2\n").git(["add", "-f", "a.tmp"]);
        }),
        ("the rules around it", |repo| _ = repo.write(".gitignore", "*.log\n")),
    ];
    for (case, change) in cases {
        let repo = Repo::new();
        let is_around = case == "the rules around it";
        repo.write(".gitignore", if is_around { "a.tmp\n" } else { "*.log\n" }).commit("rules");
        let inner = repo.beside("repo/inner");
        inner.git(["init", "-q"]);
        inner.write("f", "1\n").write("a.tmp", "1\n");
        inner.write(".gitignore", if is_around { "none\n" } else { "*.tmp\n" });
        let later = repo.clone();
        let made = rescuer_at(&repo, closeout::action::rescue::RescueStep::Listed, move || change(&later));
        let made = made.record(repo.path()).unwrap();
        assert!(below(&repo, &made.snapshot, "inner").contains("a.tmp"), "{case}: {:?}", made.gaps);
    }
}

/// Git takes a repository without a HEAD for a plain folder, and one whose files the repository around it tracks: it applies
/// their rules, which hide what they track themselves.
#[test]
fn nothing_is_hidden_in_a_repository_inside_that_git_takes_for_a_plain_folder() {
    for is_broken in [true, false] {
        let repo = Repo::new();
        repo.write(".gitignore", "*.log\nvendor/\n").write("inner/outer", "1\n").commit("rules");
        let inner = repo.beside("repo/inner");
        inner.git(["init", "-q"]);
        inner.write(".gitignore", "dist/\n*.tmp\n").write("dist/own", "1\n").git(["add", "-f", "dist/own"]);
        inner.git(["commit", "-q", "-m", "tracked"]);
        inner
            .write("dist/own", "2\n")
            .write("sub/deep/free", "1\n")
            .write("a.tmp", "1\n")
            .write("outer", "2\n")
            .write("a.log", "1\n")
            .write("own.log", "1\n")
            .git(["add", "-f", "own.log"]);
        // Here its own rules hide everything, and there is nothing beside it.
        let all = repo.beside("repo/deep/er/all");
        all.git(["init", "-q"]);
        all.write(".gitignore", "*\n").write("f", "1\n");
        // One in another that git takes for a plain folder too is no further level.
        let within = repo.beside("repo/inner/within");
        within.git(["init", "-q"]);
        within.write("w", "1\n");
        if is_broken {
            fs::remove_file(within.git_dir().join("HEAD")).unwrap();
        }
        // What this repository's own rules name stays out.
        let vendored = repo.beside("repo/vendor/lib");
        vendored.git(["init", "-q"]);
        vendored.write("v", "1\n");
        if is_broken {
            for broken in [&inner, &all, &vendored] {
                fs::remove_file(broken.git_dir().join("HEAD")).unwrap();
            }
        }
        let rescuer = rescuer(&repo);
        let plan = rescuer.plan(repo.path(), "saved").unwrap();
        let made = &plan.record;
        let mut expected = names([".gitignore", "dist/own", "own.log", "sub/deep/free", "outer", "within/w"]);
        if is_broken {
            expected.insert("a.tmp".to_owned());
            assert_eq!(below(&repo, &made.snapshot, "deep/er/all"), names([".gitignore", "f"]));
        }
        assert_eq!(below(&repo, &made.snapshot, "inner"), expected, "{is_broken}");
        assert_eq!(below(&repo, &made.snapshot, "vendor"), names([]));
        let named: BTreeSet<_> = made.gaps.iter().map(|gap| &gap.path[..]).collect();
        let broken: BTreeSet<&[u8]> =
            if is_broken { [&b"deep/er/all"[..], b"inner", b"inner/within"].into() } else { [].into() };
        assert!(made.gaps.iter().all(|gap| gap.reason.contains("is broken")), "{:?}", made.gaps);
        assert_eq!(named, broken);
        // What git itself would add is in the commit, and nothing else.
        let taken = plan.paths.iter().filter(|path| path.left_out.is_none());
        let taken: BTreeSet<_> = taken.map(|path| String::from_utf8_lossy(&path.path).into_owned()).collect();
        let mut to_add = names(["inner/.gitignore", "inner/outer", "inner/sub/deep/free"]);
        to_add.extend(is_broken.then(|| "inner/within/w".to_owned()));
        assert_eq!(taken, to_add);
        super::hostile::assert_silent(&repo);
    }
}

/// What the rules of this repository keep out does not come into a record because something called `.git` stands beside it.
#[test]
fn the_rules_around_a_broken_repository_inside_still_count() {
    type Breaking = fn(&Repo);
    let cases: [(&str, Breaking); 2] = [
        ("an empty folder", |repo| fs::create_dir(repo.at("a/inner/.git")).unwrap()),
        ("an empty file", |repo| fs::write(repo.at("a/inner/.git"), "").unwrap()),
    ];
    for (case, make_git) in cases {
        let repo = Repo::new();
        repo.write(".gitignore", "target/\nnode_modules/\n.env\n").write("a/.gitignore", "/inner/build\n");
        repo.commit("rules");
        repo.write("a/inner/.gitignore", "/target\ndata\n").write("a/inner/f", "1\n");
        for left_out in [".env", "target/o", "node_modules/x/.git/config", "node_modules/x/y", "build"] {
            repo.write(&format!("a/inner/{left_out}"), "secret\n");
        }
        repo.write("a/inner/data", "1\n");
        make_git(&repo);
        let made = rescuer(&repo).record(repo.path()).unwrap();
        assert_eq!(below(&repo, &made.snapshot, "a/inner"), names([".gitignore", "data", "f"]), "{case}");
        let gaps: Vec<_> = made.gaps.iter().map(|gap| String::from_utf8_lossy(&gap.path)).collect();
        assert_eq!(gaps, ["a/inner"], "{case}: {:?}", made.gaps);
        super::hostile::assert_silent(&repo);
    }
}

/// What comes to light only after the first look, and a file that grew, are asked about before they are recorded.
#[test]
fn whatever_is_found_later_is_asked_about_too() {
    let above = |repo: &Repo| Rescuer {
        ask_above: AskAbove { n_bytes: 1000, ..AskAbove::default() },
        ..rescuer(repo)
    };
    let repo = Repo::new();
    repo.write("inner/.gitignore", "data/\n").write("inner/data/large", "x".repeat(1001));
    fs::create_dir(repo.at("inner/.git")).unwrap();
    let asked = above(&repo).record(repo.path());
    assert!(matches!(&asked, Err(RescueError::Ask(cost)) if cost.n_bytes > 1000), "{asked:?}");
    let repo = Repo::new();
    repo.write("log", "1\n");
    let later = repo.clone();
    let grows = rescuer_at(&repo, RescueStep::Listed, move || _ = later.write("log", "x".repeat(1001)));
    let asked = Rescuer { at_step: grows.at_step, ..above(&repo) }.record(repo.path());
    assert!(matches!(&asked, Err(RescueError::Ask(cost)) if cost.n_bytes == 1001), "{asked:?}");
}

/// Where git does not tell what rules match around it, all is kept and that is said.
#[test]
fn all_is_kept_of_a_plain_repository_inside_if_git_does_not_tell_what_is_ignored() {
    let repo = Repo::new();
    repo.write("inner/.gitignore", "*.tmp\n").write("inner/f", "1\n").write("inner/a.tmp", "1\n");
    fs::create_dir(repo.at("inner/.git")).unwrap();
    let git = git_program().display().to_string();
    let script = format!("case \" $* \" in *' check-ignore '*) exit 3;; esac\nexec {git} \"$@\"");
    let made = Rescuer { git: repo.script("git", &script), ..rescuer(&repo) }.record(repo.path()).unwrap();
    assert_eq!(below(&repo, &made.snapshot, "inner"), names([".gitignore", "a.tmp", "f"]));
    let unknown: Vec<_> = made.gaps.iter().filter(|gap| gap.reason.contains("is unknown")).collect();
    assert!(matches!(&unknown[..], [gap] if gap.path == b"inner"), "{:?}", made.gaps);
}
