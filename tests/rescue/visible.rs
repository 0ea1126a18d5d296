//! Visible commits: what they contain and leave out, and when none is made.

use std::fs;

use closeout::action::rescue::{RescueError, RescueStep};
use closeout::model::{CommitAuthor, CommitTarget, LeftOut, PlanNote, RefName, RescuePlan};

use super::fixture::*;
use crate::support::repo::Repo;

fn left_out(repo: &Repo, path: &str) -> Option<LeftOut> {
    plan(repo).paths.iter().find(|it| it.path == path.as_bytes()).unwrap().left_out
}

/// Asserts that a plan cannot be committed, for this reason, and that trying it changes nothing.
fn assert_saved_only(repo: &Repo, word: &str) {
    let before = fingerprint(repo);
    let plan = rescuer(repo).plan(repo.path(), "m").unwrap();
    let reason = plan.refusal.clone().unwrap();
    assert!(reason.contains(word), "{reason}");
    assert_eq!((&plan.targets, &plan.target), (&Vec::new(), &None));
    for target in [None, Some(CommitTarget::Head), Some(CommitTarget::NewBranch(RefName::of_branch("new")))] {
        let plan = RescuePlan { target, ..plan.clone() };
        assert!(matches!(rescuer(repo).commit(repo.path(), &plan), Err(RescueError::SavedOnly(_))));
    }
    assert_eq!(fingerprint(repo), before);
    assert_eq!(repo.git(["rev-parse", &plan.record.reference]), plan.record.snapshot.to_string());
}

#[test]
fn the_commit_holds_the_work_tree_and_leaves_nothing_to_do() {
    let repo = rich();
    let made = commit(&repo);
    let plan = listed(&repo, &made);
    assert!(plan.contains_key(&b"new/deep/x"[..]) && !plan.contains_key(&b"a"[..]));
    assert_eq!(content(&repo, &made, b"split").unwrap(), b"first\n1\n2\nlast\n");
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    // The new index matches the commit, except for what was removed from the index by hand.
    assert_eq!(repo.git(["status", "--porcelain"]), "D  b\n?? b");
}

// S10: a filter of the repository does not run without trust.
#[test]
fn a_path_with_a_filter_program_is_left_out_without_trust() {
    let repo = Repo::new();
    let canary = repo.root().join("canary");
    let touch = format!("touch {}", canary.display());
    repo.git(["config", "filter.red.clean", &format!("{touch}; cat")]);
    repo.write(".gitattributes", "f filter=red\n").write("f", "SECRET\n");
    let mut plan = plan(&repo);
    assert_eq!(left_out(&repo, "f"), Some(LeftOut::Untrusted));
    assert_eq!(
        plan.notes,
        [PlanNote::FiltersNotTrusted(vec!["red".to_owned()]), PlanNote::NotCovered(vec![touch])]
    );
    let asked_for = plan.paths.iter_mut().find(|path| path.path == b"f").unwrap();
    asked_for.left_out = None;
    let before = fingerprint(&repo);
    let refused = rescuer(&repo).commit(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::Untrusted(_))), "{refused:?}");
    assert_eq!(fingerprint(&repo), before);
    assert!(!canary.exists());
    let made = commit(&repo);
    assert_eq!(content(&repo, &made, b"f"), None);
    assert!(!canary.exists());
}

// S09
#[test]
fn converted_line_ends_are_told_and_the_record_keeps_them() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.lf text eol=lf\n").write("f.lf", "1\r\n2\r\n").write("g", "1\r\n");
    let plan = plan(&repo);
    let converted: Vec<_> =
        plan.paths.iter().filter(|it| it.is_converted).map(|it| it.path.clone()).collect();
    assert_eq!(converted, [b"f.lf"]);
    let made = rescuer(&repo).commit(repo.path(), &plan).unwrap().commits.remove(0);
    assert_eq!(content(&repo, &made, b"f.lf").unwrap(), b"1\n2\n");
    assert_eq!(content(&repo, &plan.record.snapshot, b"f.lf").unwrap(), b"1\r\n2\r\n");
}

// S14
#[test]
fn paths_with_flags_are_left_out_and_keep_them() {
    let repo = Repo::new();
    repo.write("flagged", "1\n").write("f", "1\n").commit("more");
    repo.git(["update-index", "--assume-unchanged", "flagged"]);
    repo.write("flagged", "2\n").write("f", "2\n");
    assert_eq!(left_out(&repo, "flagged"), Some(LeftOut::Flagged));
    let made = commit(&repo);
    assert_eq!(content(&repo, &made, b"flagged").unwrap(), b"1\n");
    assert!(repo.git(["ls-files", "-v"]).contains("h flagged"));
}

// V05, V06, S17
#[test]
fn secrets_junk_large_files_and_nested_repositories_are_left_out() {
    let repo = Repo::new();
    repo.write(".env", "KEY=1\n").write("sub/x.pem", "key\n").write("node_modules/a/b.js", "1\n");
    repo.write("large", vec![b'x'; 10_000_001]).write("fine", "fine\n").write("nested/f", "1\n");
    repo.git(["init", "-q", "nested"]);
    let plan = plan(&repo);
    let reason = |path: &str| plan.paths.iter().find(|it| it.path == path.as_bytes()).unwrap().left_out;
    assert_eq!(reason(".env"), Some(LeftOut::Secret));
    assert_eq!(reason("sub/x.pem"), Some(LeftOut::Secret));
    assert_eq!(reason("node_modules/a/b.js"), Some(LeftOut::Junk));
    assert_eq!(reason("large"), Some(LeftOut::Large));
    assert_eq!(reason("nested/f"), Some(LeftOut::Nested));
    let made = rescuer(&repo).commit(repo.path(), &plan).unwrap().commits.remove(0);
    assert_eq!(repo.git(["diff", "--name-only", &format!("{made}~1"), &made.to_string()]), "fine");
    assert_eq!(content(&repo, &plan.record.snapshot, b".env").unwrap(), b"KEY=1\n");
}

// V05: detected by content.
#[test]
fn a_new_file_that_holds_a_key_is_left_out() {
    let repo = Repo::new();
    // Assembled here, so that no scanner takes this file for a leak.
    let key = "gh".to_owned() + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    repo.write("deep/notes.txt", format!("call it with\ntoken {key}\n"));
    repo.write("code.rs", "let token = ghp_from_environment();\n").write("README", format!("{key}\n"));
    let mut plan = plan(&repo);
    let left_out: Vec<_> =
        plan.paths.iter().filter(|it| it.left_out.is_some()).map(|it| &it.path[..]).collect();
    // A file that git already tracks is the person's own responsibility.
    assert_eq!(left_out, [b"deep/notes.txt"]);
    let made = commit(&repo);
    assert_eq!(content(&repo, &made, b"deep/notes.txt"), None);
    rescuer(&repo).undo(repo.path()).unwrap();
    plan.paths.iter_mut().for_each(|path| path.left_out = None);
    let made = rescuer(&repo).commit(repo.path(), &plan).unwrap().commits.remove(0);
    assert!(content(&repo, &made, b"deep/notes.txt").is_some());
}

// V09
#[test]
fn a_message_is_stored_as_typed_but_for_controls() {
    let large = "# a line that looks like a comment\n".repeat(30_000);
    for (typed, stored) in [
        ("-m not an option\n", "-m not an option\n"),
        ("# heading\n\n\n  indented  \n", "# heading\n\n\n  indented  \n"),
        ("bell\u{7} esc\u{1b}[31m nul\0 \u{9b}c1\n", "bell esc[31m nul c1\n"),
        ("日本語 \u{202e}x\n", "日本語 \u{202e}x\n"),
        (&large, &large),
    ] {
        let repo = rich();
        repo.git(["config", "i18n.commitEncoding", "SHIFT_JIS"]);
        let mut plan = plan(&repo);
        plan.message = typed.to_owned();
        let rescued = rescuer(&repo).commit(repo.path(), &plan).unwrap();
        let output = repo.try_git(&["cat-file", "commit", &rescued.commits[0].to_string()], &[]);
        let text = String::from_utf8(output.stdout).unwrap();
        let (head, message) = text.split_once("\n\n").unwrap();
        assert_eq!((message, head.contains("encoding")), (stored, false));
    }
}

// V03
#[test]
fn a_commit_that_should_be_signed_is_not_and_says_so() {
    let repo = rich();
    let program = repo.script("gpg", "sleep 600");
    repo.git(["config", "commit.gpgSign", "true"]);
    repo.git(["config", "gpg.program", &program.display().to_string()]);
    let plan = plan(&repo);
    assert!(plan.notes.contains(&PlanNote::Unsigned));
    let rescued = rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert!(!repo.git(["cat-file", "commit", &rescued.commits[0].to_string()]).contains("gpgsig"));
}

// C06, C07
#[test]
fn whoever_holds_the_index_is_named() {
    let repo = rich();
    let plan = plan(&repo);
    let lock = repo.git_dir().join("index.lock");
    let held = fs::File::create(&lock).unwrap();
    let Err(RescueError::Busy(words)) = rescuer(&repo).commit(repo.path(), &plan) else { panic!() };
    assert!(words.contains(&format!("process {}", std::process::id())), "{words}");
    drop(held);
    let Err(RescueError::Busy(words)) = rescuer(&repo).commit(repo.path(), &plan) else { panic!() };
    assert!(
        words.contains("remove the file yourself") && words.contains(&*lock.to_string_lossy()),
        "{words}"
    );
    assert!(lock.exists());
}

// A staged secret is left out too, and stays staged.
#[test]
fn a_staged_secret_does_not_slip_into_the_commit() {
    let repo = Repo::new();
    repo.write(".env", "KEY=1\n").git(["add", ".env"]);
    repo.write("fine", "fine\n");
    let made = commit(&repo);
    assert_eq!(content(&repo, &made, b".env"), None);
    assert_eq!(repo.git(["status", "--porcelain"]), "A  .env");
}

// S29, S28
#[test]
fn no_commit_is_made_where_it_could_do_harm() {
    let repo = rich();
    begin_merge(&repo);
    assert_saved_only(&repo, "merge");

    let repo = rich();
    repo.git(["bisect", "start"]);
    assert_saved_only(&repo, "bisect");
}

// V04
#[test]
fn without_a_name_no_commit_is_made_until_it_is_given() {
    let repo = rich();
    let empty = repo.beside("empty");
    let mut rescuer = rescuer(&repo);
    rescuer.home = Some(empty.path().to_owned());
    let mut plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!((&plan.author, &plan.refusal), (&None, &None));
    let before = fingerprint(&repo);
    for author in [None, Some(("A <x>", "a@b")), Some(("", "a@b")), Some(("A", "a\nb"))] {
        plan.author =
            author.map(|(name, mail)| CommitAuthor { name: name.to_owned(), mail: mail.to_owned() });
        let refused = rescuer.commit(repo.path(), &plan);
        assert!(matches!(refused, Err(RescueError::Refused(_))), "{refused:?}");
        assert_eq!(fingerprint(&repo), before);
    }
    plan.author =
        Some(CommitAuthor { name: "山田 花子".to_owned(), mail: "hanako@example.jp".to_owned() });
    rescuer.commit(repo.path(), &plan).unwrap();
    let names = "山田 花子 <hanako@example.jp>";
    assert_eq!(repo.git(["log", "-1", "--format=%an <%ae>|%cn <%ce>"]), format!("{names}|{names}"));
}

// C03, C04, and an edit: at each step until we hold the lock.
#[test]
fn what_the_agent_does_since_the_preview_is_kept_and_nothing_is_committed() {
    let actions: [(&str, &[&str]); 2] =
        [("commit", &["commit", "-q", "--allow-empty", "-m", "theirs"]), ("add", &["add", "e"])];
    for (name, args) in actions {
        for step in
            [RescueStep::Locked, RescueStep::TreeMade, RescueStep::CommitPinned, RescueStep::MoveJournalled]
        {
            let repo = rich();
            let plan = plan(&repo);
            let agent = repo.clone();
            let rescuer = rescuer_at(&repo, step, move || drop(agent.git(args)));
            let refused = rescuer.commit(repo.path(), &plan);
            assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{name} at {step:?}: {refused:?}");
            let after = fingerprint(&repo);
            assert_eq!(after.locks, Vec::<String>::new());
            if name == "commit" {
                assert_eq!(repo.git(["log", "-1", "--format=%s"]), "theirs");
            } else {
                assert!(repo.git(["ls-files", "-s", "e"]).contains('e'));
                assert_ne!(repo.git(["log", "-1", "--format=%s"]), "rescue: work");
            }
        }
    }
    let repo = rich();
    let plan = plan(&repo);
    repo.write("new/deep/x", "y\n");
    assert!(matches!(rescuer(&repo).commit(repo.path(), &plan), Err(RescueError::SavedOnly(_))));
}

// C05
#[test]
fn two_rescues_of_one_worktree_do_not_mix() {
    let repo = rich();
    let second = rescuer(&repo);
    let top = repo.path().to_owned();
    let rescuer = rescuer_at(&repo, RescueStep::Locked, move || {
        assert!(matches!(second.record(&top), Err(RescueError::Busy(_))));
    });
    rescuer.record(repo.path()).unwrap();
}

// C06, C07, C08
#[test]
fn a_lock_of_another_is_respected_and_never_removed() {
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
        let repo = rich();
        let plan = plan(&repo);
        let path = repo.git_dir().join(lock);
        fs::write(&path, "").unwrap();
        let before = fingerprint(&repo);
        let busy = rescuer(&repo).commit(repo.path(), &plan);
        assert!(matches!(busy, Err(RescueError::Busy(_))), "{lock}: {busy:?}");
        let words = busy.unwrap_err().to_string();
        assert!(words.contains(&format!("remove the file yourself: {}", path.display())), "{words}");
        rescuer(&repo).recover(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before);
        assert!(rescuer(&repo).record(repo.path()).is_ok());
        fs::remove_file(&path).unwrap();
        rescuer(&repo).commit(repo.path(), &plan).unwrap();
    }
}

// G01, G02, V01, V03
#[test]
fn no_program_of_the_repository_runs() {
    let repo = rich();
    let canary = repo.root().join("canary");
    let program = repo.script("evil", &format!("touch {}; exit 1", canary.display()));
    let program = program.to_str().unwrap().to_owned();
    let hooks = repo.git_dir().join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    let before = fingerprint(&repo);
    for name in [
        "pre-commit", "post-commit", "prepare-commit-msg", "commit-msg", "post-index-change",
        "reference-transaction", "post-rewrite",
    ] {
        fs::copy(&program, hooks.join(name)).unwrap();
    }
    let config = repo.git_dir().join("config");
    let text = fs::read_to_string(&config).unwrap();
    let more = format!(
        "[core]\nfsmonitor = {program}\npager = {program}\n[commit]\ngpgSign = true\n[gpg]\nprogram = {program}\n\
         [diff]\nexternal = {program}\n[filter \"x=y\"]\nclean = {program}\n"
    );
    fs::write(&config, text + &more).unwrap();
    let rescuer = rescuer(&repo);
    let plan = rescuer.plan(repo.path(), "m").unwrap();
    assert_eq!(plan.refusal, None);
    rescuer.commit(repo.path(), &plan).unwrap();
    rescuer.undo(repo.path()).unwrap();
    assert!(!canary.exists());
    fs::remove_dir_all(hooks).unwrap();
    repo.git(["config", "--unset", "core.fsmonitor"]);
    assert_eq!(fingerprint(&repo), before);
}

/// G10
#[test]
fn a_hostile_environment_of_the_caller_has_no_effect_on_a_rescue() {
    crate::support::trap::assert_passed_in_a_trap(&[
        "rescue::record::a_record_holds_the_work_tree_and_the_staged_version",
        "rescue::undo::undo_gives_back_branch_index_bytes_and_times",
        "rescue::visible::the_commit_holds_the_work_tree_and_leaves_nothing_to_do",
        "rescue::visible::no_program_of_the_repository_runs",
    ]);
}

// The reflog lines that `git update-ref` would have written are there too.
#[test]
fn the_reflogs_tell_of_the_commit_and_of_its_undo() {
    let repo = rich();
    let before = repo.head();
    let made = commit(&repo);
    for name in ["HEAD", "main"] {
        let told = repo.git(["reflog", "-1", "--format=%H %gs %gn", name]);
        assert_eq!(told, format!("{made} closeout A Person"));
        assert_eq!(repo.git(["rev-parse", &format!("{name}@{{1}}")]), before);
    }
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(repo.git(["reflog", "-1", "--format=%H %gs", "HEAD"]), format!("{before} closeout"));
    repo.git(["fsck", "--no-dangling"]);
    repo.git(["reflog", "expire", "--expire=all", "--all"]);
}

#[test]
fn a_branch_moves_wherever_git_keeps_it() {
    for name in ["main", "work/on/it"] {
        let repo = rich();
        repo.switch(name);
        repo.git(["pack-refs", "--all"]);
        let before = fingerprint(&repo);
        commit(&repo);
        assert_eq!(repo.git(["symbolic-ref", "--short", "HEAD"]), name);
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before);
    }
    // Before the first commit, below a branch folder that does not exist yet; packed before the undo.
    for is_packed in [false, true] {
        let repo = Repo::unborn();
        repo.git(["symbolic-ref", "HEAD", "refs/heads/work/on/it"]);
        repo.write("untracked", "2\n");
        let before = fingerprint(&repo);
        commit(&repo);
        if is_packed {
            repo.git(["pack-refs", "--all"]);
        }
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before);
    }
    // A branch already has the name of a folder on the way.
    let repo = rich();
    repo.git(["symbolic-ref", "HEAD", "refs/heads/main/inner"]);
    repo.git(["pack-refs", "--all"]);
    let plan = plan(&repo);
    let before = fingerprint(&repo);
    assert!(rescuer(&repo).commit(repo.path(), &plan).is_err());
    assert_eq!(fingerprint(&repo), before);
}
