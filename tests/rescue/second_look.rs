//! Ways to lose work, or to move someone else's, that the first round of tests missed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use closeout::action::rescue::{PlanRequest, RescueError, RescueStep};
use closeout::model::LeftOut;

use super::fixture::*;
use crate::support::repo::Repo;
use crate::support::test_env::traces;

/// Every file and link below the top except git's own, found by a walk that shares no code with the program.
fn on_disk(repo: &Repo) -> BTreeSet<Vec<u8>> {
    let top = repo.path().display().to_string() + "/";
    let names = files_below(repo.path()).into_iter().map(|name| name.as_bytes()[top.len()..].to_vec());
    names.filter(|path| !path.split(|byte| *byte == b'/').any(|part| part == b".git")).collect()
}

/// Creates a repository with work of its own at `name`.
fn nest(repo: &Repo, name: &str) {
    let _ = fs::remove_file(repo.at(name));
    let inner = repo.beside(&format!("repo/{name}"));
    inner.git(["init", "-q"]);
    inner.write("inside", "1\n").write("deep/er", "2\n");
}

type Prepare = fn(&Repo);

#[test]
fn a_repository_in_the_place_of_a_path_is_in_the_record_and_nothing_is_deleted_for_it() {
    let cases: [(&str, Prepare); 5] = [
        ("tracked", |repo| drop(repo.write("p", "1\n").commit("p"))),
        ("staged", |repo| drop(repo.write("p", "1\n").git(["add", "p"]))),
        ("intent to add", |repo| drop(repo.write("p", "1\n").git(["add", "-N", "p"]))),
        ("skip-worktree", |repo| {
            repo.write("p", "1\n").commit("p");
            repo.git(["update-index", "--skip-worktree", "p"]);
        }),
        ("below", |repo| drop(repo.write("p/a", "1\n").write("p/b", "1\n").commit("p"))),
    ];
    for (name, prepare) in cases {
        let repo = Repo::new();
        prepare(&repo);
        drop(rescuer(&repo));
        nest(&repo, "p");
        let record = record(&repo);
        let stored: BTreeSet<Vec<u8>> = listed(&repo, &record.snapshot).into_keys().collect();
        let gaps: BTreeSet<Vec<u8>> = record.gaps.iter().map(|gap| gap.path.clone()).collect();
        let missing: Vec<_> = on_disk(&repo).into_iter().filter(|path| !stored.contains(path)).collect();
        assert!(missing.iter().all(|path| gaps.contains(path)), "{name}: {missing:?} {gaps:?}");
        let Ok(plan) = rescuer(&repo).plan(repo.path(), "m") else { continue };
        let at_p = plan.paths.iter().find(|path| path.path == b"p");
        assert!(at_p.is_none_or(|path| path.left_out == Some(LeftOut::Nested)), "{name}: {at_p:?}");
    }
}

#[test]
fn ignored_files_and_the_rest_of_the_tree_stay_as_they_were_listed() {
    let repo = rich();
    repo.write(".gitignore", "*.o\nout/\n").write("a.o", "1").write("out/x/y", "1").write("new/b.o", "1");
    let record = record(&repo);
    let stored: BTreeSet<Vec<u8>> = listed(&repo, &record.snapshot).into_keys().collect();
    let ignored = [&b"a.o"[..], b"out/x/y", b"new/b.o"];
    let expected: BTreeSet<Vec<u8>> =
        on_disk(&repo).into_iter().filter(|path| !ignored.contains(&&path[..])).collect();
    assert_eq!(stored, expected);
    assert_eq!((record.ignored.n_files, record.gaps.len()), (3, 0));
}

/// A way to make a work tree use someone else's repository.
type Point<'a> = (&'a str, Box<dyn Fn(&Repo) + 'a>);

#[test]
fn the_work_in_a_tree_that_its_repository_does_not_list_goes_to_the_vault_and_both_are_named() {
    let theirs = rich();
    let linked = theirs.worktree("linked");
    let before = fingerprint(&theirs);
    let common = theirs.git_dir();
    let text = |path: &Path| format!("gitdir: {}\n", path.display());
    let place = fs::read_dir(common.join("worktrees")).unwrap().next().unwrap().unwrap().path();
    let ways: [Point<'_>; 4] = [
        ("a file", Box::new(|mine| fs::write(mine.at(".git"), text(&common)).unwrap())),
        ("a link", Box::new(|mine| symlink(&common, mine.at(".git")).unwrap())),
        ("another's worktree", Box::new(|mine| fs::write(mine.at(".git"), text(&place)).unwrap())),
        (
            "a common folder",
            Box::new(|mine| {
                mine.git(["init", "-q"]);
                fs::write(mine.at(".git/commondir"), common.display().to_string()).unwrap();
            }),
        ),
    ];
    for (name, point) in ways {
        let mine = theirs.beside(&format!("mine {name}"));
        mine.write("work", "1\n");
        point(&mine);
        let plan = rescuer(&theirs).plan(mine.path(), "m").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(plan.targets.is_empty() && plan.record.vault.is_some(), "{name}: {plan:?}");
        let words = plan.refusal.unwrap();
        assert!(words.contains(&mine.path().display().to_string()), "{name}: {words}");
        assert!(words.contains(&theirs.path().display().to_string()), "{name}: {words}");
    }
    assert_eq!(fingerprint(&theirs), before);
    linked.write("work", "1\n");
    commit(&linked);
}

/// A git directory elsewhere names no work tree. Whoever names it without having its files gets a record of their own
/// work, and nothing of the other's moves.
#[test]
fn a_git_directory_elsewhere_that_is_about_other_files_is_left_alone() {
    let ways: [fn(&Repo, &Path, &Repo); 4] = [
        |mine, store, _| fs::write(mine.at(".git"), format!("gitdir: {}\n", store.display())).unwrap(),
        |mine, store, _| symlink(store, mine.at(".git")).unwrap(),
        // The same names and contents.
        |mine, store, theirs| {
            fs::copy(theirs.at("README"), mine.at("README")).unwrap();
            symlink(store, mine.at(".git")).unwrap();
        },
        // The other's files behind a link.
        |mine, store, theirs| {
            symlink(theirs.at("deep"), mine.at("deep")).unwrap();
            symlink(store, mine.at(".git")).unwrap();
        },
    ];
    for point in ways {
        for is_used in [false, true] {
            let theirs = Repo::new();
            theirs.write("deep/file", "1\n").commit("deep");
            let store = theirs.root().join("store");
            theirs.git(["init", "-q", "--separate-git-dir", &store.display().to_string()]);
            drop(rescuer(&theirs));
            theirs.write("README", "their work\n");
            if is_used {
                commit(&theirs);
                theirs.write("README", "more\n");
            }
            let (before, store_before) = (fingerprint(&theirs), traces(&store));
            let mine = theirs.beside("mine");
            mine.write("work", "mine\n");
            point(&mine, &store, &theirs);
            let rescuer = rescuer(&theirs);
            match rescuer.plan(mine.path(), "m") {
                Ok(plan) => {
                    assert!(plan.target.is_none() && plan.record.vault.is_some(), "{plan:?}");
                    let other = if is_used { theirs.path() } else { &store };
                    assert!(
                        plan.refusal.as_ref().unwrap().contains(&other.display().to_string()),
                        "{plan:?}"
                    );
                    assert!(rescuer.commit(mine.path(), &plan).is_err());
                    let into = mine.root().join("into");
                    rescuer.restore(mine.path(), &plan.record.reference, &into).unwrap();
                    assert_eq!(fs::read(into.join("work")).unwrap(), b"mine\n");
                }
                Err(error) => panic!("{error}"),
            }
            assert!(matches!(rescuer.undo(mine.path()), Err(RescueError::Nothing | RescueError::Refused(_))));
            assert_eq!((fingerprint(&theirs), traces(&store)), (before, store_before));
            // The owner goes on.
            commit(&theirs);
            rescuer.undo(theirs.path()).unwrap();
        }
    }
}

#[test]
fn a_separate_git_directory_and_a_repaired_worktree_are_rescued() {
    let repo = Repo::new();
    repo.git(["init", "-q", "--separate-git-dir", &repo.root().join("kept.git").display().to_string()]);
    repo.write("work", "1\n");
    let head = repo.head();
    drop(rescuer(&repo));
    let plan = plan(&repo);
    rescuer(&repo).commit(repo.path(), &plan).unwrap();
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(repo.head(), head);

    let repo = Repo::new();
    let linked = repo.worktree("linked");
    linked.write("work", "1\n");
    let moved = repo.beside("moved");
    fs::remove_dir(moved.path()).unwrap();
    fs::rename(linked.path(), moved.path()).unwrap();
    let refused = rescuer(&repo).plan(moved.path(), "m").unwrap().refusal.unwrap();
    assert!(refused.contains("worktree repair"), "{refused}");
    moved.git(["worktree", "repair"]);
    commit(&moved);
}

/// The loose objects of the repository.
fn single_objects(repo: &Repo) -> BTreeSet<String> {
    let is_single = |name: &String| !name.contains("/pack/") && !name.contains("/info/");
    files_below(&repo.git_dir().join("objects")).into_iter().filter(is_single).collect()
}

/// Whether this is a `.keep` file.
fn is_keep(name: &String) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "keep")
}

/// A garbage collection that looked before the reference existed removes whatever it found unreachable.
#[test]
fn what_a_visible_commit_needs_outlives_a_collection_of_garbage() {
    let repo = rich();
    repo.write("crlf", "a\r\nb\r\n").write(".gitattributes", "crlf text\n");
    let plan = plan(&repo);
    let before = single_objects(&repo);
    let beside = repo.clone();
    let rescued = rescuer_at(&repo, RescueStep::CommitPinned, move || {
        for object in single_objects(&beside).difference(&before) {
            fs::remove_file(object).unwrap();
        }
        for pack in files_below(&beside.git_dir().join("objects/pack")) {
            let pack = Path::new(&pack);
            let is_ours = pack.with_extension("keep").exists();
            let is_of_a_record = beside.git(["for-each-ref", "refs/closeout/rescue"]).is_empty();
            if !is_ours && is_of_a_record {
                fs::remove_file(pack).unwrap();
            }
        }
    })
    .commit(repo.path(), &plan)
    .unwrap();
    assert_eq!(repo.head(), rescued.commits.last().unwrap().to_string());
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    assert_eq!(content(&repo, "HEAD", b"crlf").unwrap(), b"a\nb\n");
    assert!(!files_below(&repo.git_dir()).iter().any(is_keep));
}

#[test]
fn no_branch_moves_to_a_commit_of_which_something_is_gone() {
    let repo = rich();
    let plan = plan(&repo);
    let (head, beside) = (repo.head(), repo.clone());
    let refused = rescuer_at(&repo, RescueStep::CommitPinned, move || {
        let newest = beside.git(["for-each-ref", "--format=%(objectname)", "refs/closeout/visible"]);
        let kept: Vec<String> = files_below(&beside.git_dir().join("objects/pack"));
        for keep in kept.iter().filter(|name| is_keep(name)) {
            for end in ["idx", "pack", "rev"] {
                let _ = fs::remove_file(Path::new(keep).with_extension(end));
            }
        }
        let _ = fs::remove_file(beside.git_dir().join("objects").join(&newest[..2]).join(&newest[2..]));
    })
    .commit(repo.path(), &plan);
    assert!(matches!(refused, Err(RescueError::SavedOnly(_))), "{refused:?}");
    assert_eq!(repo.head(), head);
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

#[test]
fn a_rescue_is_taken_back_whose_commit_the_repository_lost() {
    let repo = rich();
    let before = fingerprint(&repo);
    let made = commit(&repo);
    // The record's reference stays: it has what was staged.
    let pin = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/visible"]);
    repo.git(["update-ref", "-d", &pin]);
    repo.git(["update-ref", "refs/heads/main", "main~"]);
    repo.git(["reflog", "expire", "--all", "--expire=now"]);
    repo.git(["gc", "-q", "--prune=now"]);
    fs::create_dir_all(repo.git_dir().join("refs/heads")).unwrap();
    fs::write(repo.git_dir().join("refs/heads/main"), made + "\n").unwrap();
    assert!(!repo.try_git(&["cat-file", "-e", "HEAD^{commit}"], &[]).status.success());
    let plan = rescuer(&repo).undo_plan(repo.path()).unwrap();
    assert_eq!(plan.commits.len(), 1);
    rescuer(&repo).turn_back(repo.path(), &plan).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn a_rescue_is_taken_back_of_whose_commit_the_repository_lost_the_tree() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    let packs = repo.root().join("packs");
    fs::rename(repo.git_dir().join("objects/pack"), &packs).unwrap();
    fs::create_dir(repo.git_dir().join("objects/pack")).unwrap();
    for pack in fs::read_dir(packs).unwrap().map(|pack| pack.unwrap().path()) {
        if pack.extension().is_some_and(|end| end == "pack") {
            repo.git_with_input(&["unpack-objects", "-q"], fs::read(&pack).unwrap());
        }
    }
    fs::remove_file(repo.git_dir().join("objects").join(&tree[..2]).join(&tree[2..])).unwrap();
    let plan = rescuer(&repo).undo_plan(repo.path()).unwrap();
    assert_eq!(plan.commits.len(), 1);
    rescuer(&repo).turn_back(repo.path(), &plan).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

/// The indexes kept for undo, each with its inode and ctime.
fn kept_indexes(repo: &Repo) -> Vec<(String, (u64, i64, i64))> {
    let files = files_below(&repo.root().join("state/rescue"));
    let kept = files.into_iter().filter(|name| name.contains("/index-"));
    kept.map(|name| {
        let metadata = fs::symlink_metadata(&name).unwrap();
        (name, (metadata.ino(), metadata.ctime(), metadata.ctime_nsec()))
    })
    .collect()
}

#[test]
fn an_index_that_is_kept_is_never_written_again() {
    let repo = rich();
    let before = fingerprint(&repo);
    commit(&repo);
    let kept = kept_indexes(&repo);
    assert_eq!(kept.len(), 2);
    rescuer(&repo).undo(repo.path()).unwrap();
    commit(&repo);
    let now = kept_indexes(&repo);
    assert!(kept.iter().all(|index| now.contains(index)), "{kept:?} {now:?}");
    rescuer(&repo).undo(repo.path()).unwrap();
    // A kept index that was altered is replaced, without writing through a link.
    let outside = repo.root().join("outside");
    fs::write(&outside, "precious").unwrap();
    for (name, _) in &kept {
        fs::remove_file(name).unwrap();
        symlink(&outside, name).unwrap();
    }
    commit(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fs::read(&outside).unwrap(), b"precious");
    assert_eq!(fingerprint(&repo), before);
}

#[test]
fn a_record_is_restored_as_the_journal_knows_it_wherever_its_reference_is() {
    let repo = rich();
    let record = record(&repo);
    let into = |name: &str| repo.root().join(name);
    let expected = rescuer(&repo).restore(repo.path(), &record.reference, &into("first")).unwrap();
    let forged = repo.git([
        "commit-tree",
        "HEAD^{tree}",
        "-p",
        "HEAD",
        "-p",
        &record.record.to_string(),
        "-m",
        "forged",
    ]);
    repo.git(["update-ref", &record.reference, &forged]);
    let n = rescuer(&repo).restore(repo.path(), &record.reference, &into("moved")).unwrap();
    assert_eq!(n, expected);
    assert!(into("moved").join("new/deep/x").exists());
    repo.git(["update-ref", "-d", &record.reference]);
    let n = rescuer(&repo).restore(repo.path(), &record.reference, &into("removed")).unwrap();
    assert_eq!(n, expected);
    for name in files_below(&into("first")) {
        let (one, other) = (name.clone(), name.replace("/first/", "/removed/"));
        let same = |path: &str| {
            fs::read_link(path).map(|it| it.as_os_str().as_bytes().to_vec()).or_else(|_| fs::read(path))
        };
        assert_eq!(same(&one).unwrap(), same(&other).unwrap(), "{name}");
    }
}

#[test]
fn modes_of_git_s_files_stay_and_ours_are_for_this_user_only() {
    let repo = rich();
    let mode = |name: &str| fs::metadata(repo.git_dir().join(name)).unwrap().permissions().mode() & 0o777;
    for modes in [[0o600, 0o600], [0o664, 0o660]] {
        let names = ["index", "refs/heads/main"];
        for (name, mode) in names.iter().zip(modes) {
            fs::set_permissions(repo.git_dir().join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        commit(&repo);
        assert_eq!(names.map(mode), modes);
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(names.map(mode), modes);
    }
    for name in files_below(&repo.root().join("state")) {
        let mode = fs::symlink_metadata(&name).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}: {mode:o}");
    }
}

#[test]
fn work_that_has_only_names_that_git_refuses_is_work() {
    for name in [".GIT", "git~1", ".git ", ".git."] {
        let repo = Repo::new();
        repo.write(&format!("s/{name}/x"), "an hour of work\n");
        let record = rescuer(&repo).record(repo.path()).unwrap();
        let listed = repo.git(["ls-tree", "-r", "--name-only", &format!("{}^2", record.snapshot)]);
        assert!(listed.lines().any(|path| path == "x/0"), "{name}: {listed}");
    }
}

#[test]
fn secrets_by_name_and_by_content_are_left_out_of_the_commit() {
    let repo = Repo::new();
    let secret = [
        ".git-credentials", "sub/.pgpass", ".kube/config", "kubeconfig", "keys/id_dsa", "keys/id_ecdsa",
        "secrets.yaml", "config/secrets.toml", "prod.tfvars", "prod.auto.tfvars.json", ".netrc",
        ".docker/config.json", ".env ", ".envrc", "prod.env", ".netrc~", ".pgpass.bak", "id_rsa.old",
        "id_ed25519_work", "kubeconfig.yml", "app.secret.json", "gcp-service-account.json",
        "terraform.tfstate",
    ];
    for name in secret {
        repo.write(name, "x\n");
    }
    let url = format!("url = \"postgres://{}@db/app\"\n", "app:hunter2");
    repo.write("settings.toml", url).write("config/app.json", "{}").write("secretary.rs", "fn main() {}\n");
    repo.write("secret.rs", "fn main() {}\n").write("id_rsa_work.pub", "x\n").write("environment.yml", "x\n");
    let plan = plan(&repo);
    let left_out: BTreeSet<&[u8]> = plan
        .paths
        .iter()
        .filter(|path| path.left_out == Some(LeftOut::Secret))
        .map(|path| &path.path[..])
        .collect();
    let expected: BTreeSet<&[u8]> =
        secret.iter().map(|name| name.as_bytes()).chain([&b"settings.toml"[..]]).collect();
    assert_eq!(left_out, expected);
}

#[test]
fn what_the_person_calls_noise_is_recorded_and_is_no_part_of_the_commit() {
    let repo = Repo::new();
    repo.write("Cargo.lock", "1\n").commit("more");
    repo.write("Cargo.lock", "2\n").write("logs/a/today.txt", "x\n").write("src/a.rs", "fn main() {}\n");
    let noise = ["Cargo.lock", "logs/**"].map(str::to_owned).to_vec();
    let plan = rescuer(&repo).plan(repo.path(), PlanRequest { noise, ..PlanRequest::from("m") }).unwrap();
    let left_out: Vec<(&[u8], LeftOut)> =
        plan.paths.iter().filter_map(|path| Some((&path.path[..], path.left_out?))).collect();
    assert_eq!(left_out, [(&b"Cargo.lock"[..], LeftOut::Noise), (b"logs/a/today.txt", LeftOut::Noise)]);
    rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert_eq!(content(&repo, "HEAD", b"Cargo.lock").unwrap(), b"1\n");
    assert_eq!(content(&repo, &plan.record.snapshot, b"Cargo.lock").unwrap(), b"2\n");
    assert_eq!(content(&repo, &plan.record.snapshot, b"logs/a/today.txt").unwrap(), b"x\n");
}

/// An agent can write some settings: a pattern or a folder as evidence would empty the commit.
#[test]
fn only_the_very_file_that_a_setting_names_is_evidence() {
    let repo = Repo::new();
    repo.write("src/a.rs", "fn main() {}\n").write("out/report.xml", "<x/>\n");
    let evidence = ["**", "src", "*.rs", "./out//report.xml"].map(str::to_owned).to_vec();
    let plan = rescuer(&repo).plan(repo.path(), PlanRequest { evidence, ..PlanRequest::from("m") }).unwrap();
    let left_out: Vec<&[u8]> =
        plan.paths.iter().filter(|path| path.left_out.is_some()).map(|path| &path.path[..]).collect();
    assert_eq!(left_out, [b"out/report.xml"]);
}

#[test]
fn evidence_is_recorded_and_is_no_part_of_the_commit_unless_it_is_included() {
    let repo = Repo::new();
    repo.write("report.md", "1\n").write(".closeout/old.json", "{}").commit("more");
    repo.write("report.md", "2\n").write(".closeout/decision.json", "{}").write("src/a.rs", "fn main() {}\n");
    fs::remove_file(repo.at(".closeout/old.json")).unwrap();
    let request = || PlanRequest { evidence: vec!["report.md".to_owned()], ..PlanRequest::from("m") };
    let mut plan = rescuer(&repo).plan(repo.path(), request()).unwrap();
    let left_out: Vec<&[u8]> =
        plan.paths.iter().filter(|path| path.left_out.is_some()).map(|path| &path.path[..]).collect();
    assert_eq!(left_out, [&b".closeout/decision.json"[..], b".closeout/old.json", b"report.md"]);
    assert!(plan.paths.iter().all(|path| path.left_out.is_none_or(LeftOut::can_be_asked_for)));
    assert_eq!(content(&repo, &plan.record.snapshot, b"report.md").unwrap(), b"2\n");
    plan.paths.iter_mut().filter(|path| path.path == b"report.md").for_each(|path| path.left_out = None);
    rescuer(&repo).commit(repo.path(), &plan).unwrap();
    assert_eq!(content(&repo, "HEAD", b"report.md").unwrap(), b"2\n");
    assert_eq!(content(&repo, "HEAD", b".closeout/decision.json"), None);
    assert_eq!(content(&repo, "HEAD", b".closeout/old.json").unwrap(), b"{}");
}
