//! A repository's programs: how they are shown, when they run, and that one changed byte asks again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{LeftOut, PlanNote, RescuePlan, TrustKind};

use super::fixture::*;
use crate::support::repo::Repo;

/// A rescuer for a person who has just reviewed and trusted everything.
pub(super) fn trusting(repo: &Repo) -> Rescuer {
    let mut rescuer = rescuer(repo);
    rescuer.program_env = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
    let digest = rescuer.trust_list(repo.path()).unwrap().digest;
    rescuer.trusted = BTreeSet::from([digest]);
    rescuer
}

/// A repository whose file `f` has a filter.
fn filtered(settings: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.write(".gitattributes", "f filter=red\n").write("plain", "1\n").commit("attributes");
    for (key, value) in settings {
        repo.git(["config", &format!("filter.red.{key}"), value]);
    }
    repo.write("f", "my SECRET\n").write("plain", "2\n");
    repo
}

/// The plan of a trusting rescuer, which can be committed.
fn trusted_plan(rescuer: &Rescuer, repo: &Repo) -> RescuePlan {
    let plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!(plan.refusal, None);
    assert!(plan.programs.is_trusted);
    plan
}

// S10
#[test]
fn a_trusted_filter_converts_the_commit_and_the_record_keeps_the_bytes() {
    let repo = filtered(&[("clean", "sed s/SECRET/XXX/")]);
    let rescuer = trusting(&repo);
    let plan = trusted_plan(&rescuer, &repo);
    let f = plan.paths.iter().find(|path| path.path == b"f").unwrap();
    assert_eq!((f.left_out, f.is_converted), (None, true));
    assert_eq!(plan.notes, [PlanNote::NotCovered(vec!["sed s/SECRET/XXX/".to_owned()])]);
    let before = fingerprint(&repo);
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    assert_eq!(content(&repo, &done.commits[0], b"f").unwrap(), b"my XXX\n");
    assert_eq!(content(&repo, &plan.record.snapshot, b"f").unwrap(), b"my SECRET\n");
    assert_eq!(fingerprint(&repo).work_tree, before.work_tree);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    rescuer.undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// S11, and a filter that is not required: git would store the unfiltered content.
#[test]
fn a_filter_that_fails_makes_no_commit_and_is_named() {
    let hanging = "sleep 600";
    for settings in [
        &[("clean", "no-such-program-here"), ("required", "true")][..],
        &[("clean", "no-such-program-here")],
        &[("clean", "exit 1")],
        &[("clean", hanging)],
        &[("process", "false"), ("clean", "cat")],
        &[("required", "true")],
    ] {
        let repo = filtered(settings);
        let mut rescuer = trusting(&repo);
        if settings.iter().any(|(_, value)| *value == hanging) {
            rescuer.program_limit = std::time::Duration::from_millis(300);
        }
        let before = fingerprint(&repo);
        let plan = rescuer.plan(repo.path(), "m").unwrap();
        assert!(plan.refusal.as_ref().is_some_and(|words| words.contains("red")), "{settings:?}: {plan:?}");
        assert!(plan.targets.is_empty());
        assert_eq!(content(&repo, &plan.record.snapshot, b"f").unwrap(), b"my SECRET\n");
        assert_eq!(fingerprint(&repo), before, "{settings:?}");
        // Without trust, the rest can still be committed.
        let plan = self::plan(&repo);
        assert_eq!(plan.notes[0], PlanNote::FiltersNotTrusted(vec!["red".to_owned()]));
        let done = super::fixture::rescuer(&repo).commit(repo.path(), &plan).unwrap();
        assert_eq!(repo.git(["diff", "--name-only", "HEAD~1"]), "plain");
        assert_eq!(done.n_paths, 1);
    }
}

// S12: what the filter stores in the git directory is still there after the commit.
#[test]
fn a_filter_that_keeps_contents_keeps_them_in_the_repository() {
    let repo = Repo::new();
    let script = repo.script(
        "keeper",
        "dir=$(git rev-parse --git-dir)/lfs/objects; mkdir -p \"$dir\"; cat > \"$dir/tmp.$$\"\n\
         sum=$(sha256sum < \"$dir/tmp.$$\" | cut -c1-64); mv \"$dir/tmp.$$\" \"$dir/$sum\"; echo \"oid sha256:$sum\"",
    );
    repo.write(".gitattributes", "*.bin filter=lfs\n").commit("attributes");
    repo.git(["config", "filter.lfs.clean", &script.display().to_string()]);
    repo.git(["config", "filter.lfs.required", "true"]);
    let bytes: Vec<u8> = (0..9000_u32).map(|n| (n % 251) as u8).collect();
    repo.write("large.bin", &bytes);
    let rescuer = trusting(&repo);
    let plan = trusted_plan(&rescuer, &repo);
    let done = rescuer.commit(repo.path(), &plan).unwrap();
    let pointer = String::from_utf8(content(&repo, &done.commits[0], b"large.bin").unwrap()).unwrap();
    let sum = pointer.trim().strip_prefix("oid sha256:").unwrap().to_owned();
    assert_eq!(fs::read(repo.git_dir().join("lfs/objects").join(sum)).unwrap(), bytes);
    assert_eq!(content(&repo, &plan.record.snapshot, b"large.bin").unwrap(), bytes);
}

// A filter that stores files in a place unknown to us would lose them with the shadow.
#[test]
fn a_filter_that_keeps_files_elsewhere_in_the_git_directory_makes_no_commit() {
    let repo = filtered(&[("clean", "mkdir -p \"$(git rev-parse --git-dir)/mine\"; cat")]);
    let plan = trusting(&repo).plan(repo.path(), "m").unwrap();
    assert!(plan.refusal.unwrap().contains("red"));
}

// G11: every kind of thing that could run.
#[test]
fn one_byte_more_is_not_what_was_trusted() {
    let repo = filtered(&[("clean", "./tools/clean.sh")]);
    let hook = repo.git_dir().join("hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexec ./tools/check.sh\n").unwrap();
    make_executable(&hook);
    for name in ["tools/clean.sh", "tools/check.sh", "other"] {
        repo.write(name, "#!/bin/sh\ncat\n");
    }
    make_executable(&repo.at("tools/clean.sh"));
    make_executable(&repo.at("tools/check.sh"));
    let trusted = trusting(&repo);
    let is_trusted = || trusted.plan(repo.path(), "m").unwrap().programs.is_trusted;
    assert!(is_trusted());
    let list = trusted.trust_list(repo.path()).unwrap();
    let shown: BTreeSet<(TrustKind, &str)> =
        list.items.iter().map(|item| (item.kind, item.name.as_str())).collect();
    assert_eq!(
        shown,
        BTreeSet::from([
            (TrustKind::Setting, "filter.red.clean"),
            (TrustKind::Attribute, ".gitattributes"),
            (TrustKind::Hook, ".git/hooks/pre-commit"),
            (TrustKind::File, "tools/clean.sh"),
            (TrustKind::File, "tools/check.sh"),
        ])
    );
    // What cannot run is not part of the digest.
    repo.write("other", "more\n").write("f", "SECRET again\n");
    assert!(is_trusted());
    for path in [hook.clone(), repo.at("tools/clean.sh"), repo.at("tools/check.sh")] {
        let sound = fs::read(&path).unwrap();
        fs::write(&path, [&sound[..], b" "].concat()).unwrap();
        assert!(!is_trusted(), "{}", path.display());
        fs::write(&path, &sound).unwrap();
        assert!(is_trusted(), "{}", path.display());
    }
    repo.write("sub/.gitattributes", "* filter=red\n").write("sub/x", "1\n");
    assert!(!is_trusted());
    fs::remove_file(repo.at("sub/.gitattributes")).unwrap();
    repo.git(["config", "filter.red.clean", "./tools/clean.sh "]);
    assert!(!is_trusted());
    repo.git(["config", "filter.red.clean", "./tools/clean.sh"]);
    repo.git(["config", "filter.other.clean", "cat"]);
    assert!(!is_trusted());
    repo.git(["config", "--unset", "filter.other.clean"]);
    assert!(is_trusted());
    // The same content in another place has another digest.
    let copy = repo.beside("copy");
    fs::remove_dir(copy.path()).unwrap();
    let copied = copy_folder(repo.path(), copy.path());
    assert!(copied && !trusted.plan(copy.path(), "m").unwrap().programs.is_trusted);
}

#[expect(clippy::disallowed_methods, reason = "a copy with all its modes and times")]
fn copy_folder(from: &Path, to: &Path) -> bool {
    std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success()
}

// G11: what a workspace script sources or calls is trusted with it, however deep.
#[test]
fn what_a_trusted_script_calls_is_trusted_with_it() {
    let repo = filtered(&[("clean", "./tools/clean.sh")]);
    let files = [
        ("tools/clean.sh", "#!/bin/sh\n. tools/lib/common\nexec ./tools/second\n"),
        ("tools/lib/common", "source tools/lib/deep.env\n"),
        ("tools/lib/deep.env", "a=1\n"),
        ("tools/second", "#!/bin/bash\necho $(bash -e tools/third)\n"),
        ("tools/third", "if false; then sh tools/clean.sh; fi\n"),
    ];
    for (name, text) in files {
        repo.write(name, text);
    }
    for name in ["tools/clean.sh", "tools/second"] {
        make_executable(&repo.at(name));
    }
    repo.write("tools/data.txt", "clean tools\n");
    let trusted = trusting(&repo);
    let is_trusted = || trusted.plan(repo.path(), "m").unwrap().programs.is_trusted;
    assert!(is_trusted());
    for (name, text) in &files {
        repo.write(name, format!("{text}# more\n"));
        assert!(!is_trusted(), "{name}");
        repo.write(name, text);
        assert!(is_trusted(), "{name}");
    }
    repo.write("tools/data.txt", "other\n");
    assert!(is_trusted());
}

// G11 between the look and the commit.
#[test]
fn a_filter_that_changes_after_the_look_does_not_run() {
    let repo = filtered(&[("clean", "sed s/SECRET/XXX/")]);
    let rescuer = trusting(&repo);
    let plan = trusted_plan(&rescuer, &repo);
    let canary = repo.root().join("canary");
    repo.git(["config", "filter.red.clean", &format!("touch {}; cat", canary.display())]);
    let before = fingerprint(&repo);
    let refused = rescuer.commit(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::Untrusted(_))), "{refused:?}");
    assert_eq!(fingerprint(&repo), before);
    let plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!(plan.paths.iter().find(|path| path.path == b"f").unwrap().left_out, Some(LeftOut::Untrusted));
    assert!(!canary.exists());
}

// Making the list runs nothing, whatever is configured.
#[test]
fn the_list_is_made_without_running_anything() {
    let repo = Repo::new();
    let canary = repo.root().join("canary");
    let program = repo.script("evil", &format!("touch {}", canary.display()));
    let program = program.display().to_string();
    for key in ["core.fsmonitor", "filter.x.clean", "gpg.program", "core.pager", "diff.external", "alias.x"] {
        repo.git(["config", key, &program]);
    }
    repo.write(".gitattributes", "* filter=x\n");
    let before = fingerprint(&repo);
    let list = rescuer(&repo).trust_list(repo.path()).unwrap();
    assert_eq!(list.items.len(), 9, "{:#?}", list.items);
    assert!(list.items.iter().any(|item| item.name == "core.fsmonitor" && item.content == program));
    assert_eq!(fingerprint(&repo), before);
    assert!(!canary.exists());
}

/// A person sees the list, and so may whoever reads over their shoulder or in a log.
#[test]
fn what_a_link_in_the_hooks_folder_leads_to_is_not_repeated_unless_it_is_a_script() {
    for (content, is_repeated) in
        [("a-private-word of mine\n", false), ("#!/bin/sh\nstarts-a-program\n", true)]
    {
        let repo = Repo::new();
        let outside = repo.beside("outside");
        outside.write("file", content);
        make_executable(&outside.at("file"));
        fs::create_dir_all(repo.git_dir().join("hooks")).unwrap();
        std::os::unix::fs::symlink(outside.at("file"), repo.git_dir().join("hooks/pre-commit")).unwrap();
        let list = rescuer(&repo).trust_list(repo.path()).unwrap();
        let shown = format!("{:?}", list.items);
        assert_eq!(
            shown.contains("a-private-word") || shown.contains("starts-a-program"),
            is_repeated,
            "{shown}"
        );
        assert!(is_repeated || shown.contains("what .git/hooks/pre-commit starts"), "{shown}");
    }
}

#[test]
fn lines_of_a_file_outside_are_not_repeated_as_attributes() {
    for (place, counts) in
        [(".gitattributes", false), ("sub/.gitattributes", false), (".git/info/attributes", true)]
    {
        let repo = Repo::new();
        let outside = repo.beside("outside");
        outside.write("file", "* filter=a-private-word\n");
        repo.write("sub/f", "1\n").write(".git/info/x", "");
        std::os::unix::fs::symlink(outside.at("file"), repo.at(place)).unwrap();
        let list = rescuer(&repo).trust_list(repo.path()).unwrap();
        assert!(!format!("{:?}", list.items).contains("a-private-word"), "{place}: {:?}", list.items);
        assert_eq!(list.items.iter().any(|item| item.kind == TrustKind::Attribute), counts, "{place}");
    }
}
