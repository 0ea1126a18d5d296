//! Repositories that would run something, hang, or look clean although they cannot be read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use closeout::evidence::git::{BaselineChoice, GitMemory, observe};
use closeout::model::{BaselineOrigin, GitReader, ReadProblem, Reading};

use super::case::{facts, facts_by_program, first_seen, look, look_with, refusal};
use crate::support::repo::{Repo, git_program};

const READERS: [GitReader; 2] = [GitReader::InProcess, GitReader::Program];

/// A repository with work in every state that makes git look at content.
fn worked_in() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "a\n").write("b.bin", "b\n").commit("files");
    repo.switch("feature").commit_file("c");
    repo.switch("main").commit_file("d");
    repo.switch("feature").git(["merge", "-q", "--no-edit", "main"]);
    repo.write("a.txt", "changed\n").write("b.bin", "c\n").write("loose", "x").write("new", "x").stage("new");
    repo
}

/// Looks in every way; the canary must not be there after.
fn stays_silent(repo: &Repo, canary: &Path) {
    let baseline = first_seen(repo);
    let _ = std::fs::remove_file(canary);
    // Racy and touched files are hashed again, through filters.
    repo.write("a.txt", "changed\n").write("b.bin", "b\n");
    let evidence = ["out/decision.json".to_owned()];
    repo.write("out/decision.json", "{}");
    for reader in [Some(GitReader::InProcess), Some(GitReader::Program), None] {
        for choice in [
            BaselineChoice::Find,
            BaselineChoice::Remembered(&baseline),
            BaselineChoice::Given { rev: "HEAD~1", origin: &BaselineOrigin::Flag },
        ] {
            let memory = &mut GitMemory::default();
            let read = look_with(repo, repo.path(), choice, reader, memory, &evidence);
            let changes = read.present().unwrap_or_else(|| panic!("{read:?}")).facts.changes.clone().unwrap();
            assert!(changes.n_paths >= 2);
            assert!(
                !canary.exists(),
                "{reader:?} ran {}",
                std::fs::read_to_string(canary).unwrap_or_default()
            );
        }
    }
    closeout::evidence::git::worktrees(repo.path()).unwrap();
    assert!(!canary.exists());
}

/// A script that leaves its name in the canary and hands its input through.
fn armed(repo: &Repo, canary: &Path, name: &str) -> String {
    repo.script(name, &format!("echo {name} >> '{}'\ncat", canary.display())).display().to_string()
}

#[test]
fn fsmonitor_and_hooks_never_run() {
    let repo = worked_in();
    let canary = repo.root().join("canary");
    let script = armed(&repo, &canary, "armed");
    for name in [
        "post-index-change", "reference-transaction", "post-commit", "prepare-commit-msg", "pre-auto-gc",
        "fsmonitor-watchman",
    ] {
        std::os::unix::fs::symlink(&script, repo.git_dir().join("hooks").join(name)).unwrap();
    }
    repo.git(["config", "core.fsmonitor", &script]);
    stays_silent(&repo, &canary);
}

#[test]
fn filters_of_the_repository_never_run() {
    for place in [".gitattributes", ".git/info/attributes"] {
        let repo = worked_in();
        let canary = repo.root().join("canary");
        let script = armed(&repo, &canary, "filter");
        for driver in ["f", "x=y"] {
            for key in ["clean", "smudge", "process"] {
                repo.git(["config", &format!("filter.{driver}.{key}"), &script]);
            }
            repo.git(["config", &format!("filter.{driver}.required"), "true"]);
        }
        let attributes = "*.txt filter=f diff=f\n*.bin filter=x=y\nc filter=f working-tree-encoding=UTF-16\n";
        std::fs::write(repo.at(place), attributes).unwrap();
        stays_silent(&repo, &canary);
    }
}

#[test]
fn every_other_setting_that_names_a_program_is_without_effect() {
    let repo = worked_in();
    let canary = repo.root().join("canary");
    let script = armed(&repo, &canary, "setting");
    repo.write(".gitattributes", "* diff=d merge=d\n");
    for key in [
        "diff.external", "diff.d.command", "diff.d.textconv", "merge.d.driver", "gpg.program", "core.pager",
        "pager.status", "core.sshCommand", "core.gitProxy", "core.editor", "core.askPass",
        "core.alternateRefsCommand", "credential.helper", "alias.status", "alias.rev-list",
        "uploadpack.packObjectsHook", "interactive.diffFilter",
    ] {
        repo.git(["config", key, &script]);
    }
    repo.git(["config", "log.showSignature", "true"]);
    repo.git(["config", "extensions.partialClone", "origin"]);
    repo.git(["config", "remote.origin.url", &format!("ext::{script}")]);
    repo.git(["config", "remote.origin.promisor", "true"]);
    stays_silent(&repo, &canary);
}

#[test]
fn includes_and_worktree_settings_carry_nothing_in() {
    let repo = worked_in();
    let canary = repo.root().join("canary");
    let script = armed(&repo, &canary, "included");
    repo.write(".gitattributes", "* filter=f\n");
    let text =
        format!("[core]\n\tfsmonitor = {script}\n[filter \"f\"]\n\tclean = {script}\n\tprocess = {script}\n");
    let included = repo.root().join("included.config");
    std::fs::write(&included, &text).unwrap();
    repo.git(["config", "include.path", &included.display().to_string()]);
    repo.git(["config", "includeIf.onbranch:**.path", &included.display().to_string()]);
    repo.git(["config", "extensions.worktreeConfig", "true"]);
    std::fs::write(repo.git_dir().join("config.worktree"), &text).unwrap();
    stays_silent(&repo, &canary);
}

#[test]
fn a_submodules_filters_and_hooks_never_run() {
    let part = Repo::new();
    let repo = part.beside("whole");
    repo.git(["init", "-q", "-b", "main"]);
    let url = part.path().display().to_string();
    repo.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "part"]);
    repo.commit("with a part");
    repo.write("a.txt", "a\n").write("b.bin", "x\n").commit("files");
    let canary = repo.root().join("canary");
    let script = armed(&repo, &canary, "submodule");
    let inside = repo.beside("whole/part");
    inside.git(["config", "filter.f.clean", &script]);
    inside.git(["config", "core.fsmonitor", &script]);
    inside.git(["config", "filter.f.process", &script]);
    inside.git(["config", "filter.f.required", "true"]);
    std::os::unix::fs::symlink(&script, inside.git_dir().join("hooks/post-index-change")).unwrap();
    // The same size as in the index: only its content tells.
    inside.write(".gitattributes", "* filter=f\n").write("README", "dirty\n");
    stays_silent(&repo, &canary);
    let changed = facts(&repo, BaselineChoice::Find).changes.unwrap().files;
    assert!(changed.iter().any(|file| file.path == "part"), "{changed:?}");
    assert!(!canary.exists());
}

#[test]
fn a_folder_that_looks_like_a_bare_repository_is_no_repository() {
    let repo = worked_in();
    let canary = repo.root().join("canary");
    let script = armed(&repo, &canary, "bare");
    let trap = repo.beside("repo/trap");
    trap.git(["init", "-q", "--bare", "."]);
    trap.git(["config", "core.fsmonitor", &script]);
    trap.git(["config", "core.worktree", "."]);
    for reader in READERS {
        let memory = &mut GitMemory::default();
        let read = look(&trap, trap.path(), BaselineChoice::Find, Some(reader), memory);
        assert_eq!(read.present().unwrap().top, repo.path(), "the repository around it");
    }
    assert!(!canary.exists());
}

#[test]
fn a_work_tree_elsewhere_is_not_followed() {
    let repo = Repo::new();
    let other = repo.beside("other");
    other.write("secret", "x");
    repo.git(["config", "core.worktree", &other.path().display().to_string()]);
    for reader in READERS {
        let memory = &mut GitMemory::default();
        let read = look(&repo, repo.path(), BaselineChoice::Find, Some(reader), memory);
        let observation = read.present().unwrap();
        assert_eq!(observation.top, repo.path());
        assert_eq!(observation.facts.changes.as_ref().unwrap().n_paths, 0, "{reader:?}");
    }
}

/// A path in which a FIFO makes git hang.
type Place = fn(&Repo) -> PathBuf;

#[test]
fn a_named_pipe_in_a_known_place_is_refused_at_once() {
    let places: [(&str, Place); 14] = [
        (".gitignore", |repo| repo.at(".gitignore")),
        (".gitattributes", |repo| repo.at(".gitattributes")),
        (".gitmodules", |repo| repo.at(".gitmodules")),
        ("exclude", |repo| repo.git_dir().join("info/exclude")),
        ("attributes", |repo| repo.git_dir().join("info/attributes")),
        ("index", |repo| repo.git_dir().join("index")),
        ("HEAD", |repo| repo.git_dir().join("HEAD")),
        ("packed-refs", |repo| repo.git_dir().join("packed-refs")),
        ("config", |repo| repo.git_dir().join("config")),
        ("grafts", |repo| repo.git_dir().join("info/grafts")),
        ("included", |repo| {
            let path = repo.root().join("included");
            std::fs::write(&path, "").unwrap();
            repo.git(["config", "include.path", &path.display().to_string()]);
            path
        }),
        ("excludes", |repo| {
            let path = repo.root().join("excludes");
            repo.git(["config", "core.excludesFile", &path.display().to_string()]);
            path
        }),
        ("commit-graph", |repo| repo.git_dir().join("objects/info/commit-graph")),
        ("multi-pack-index", |repo| {
            let folder = repo.root().join("objects");
            std::fs::create_dir_all(folder.join("pack")).unwrap();
            let alternates = repo.git_dir().join("objects/info/alternates");
            std::fs::write(alternates, format!("{}\n", folder.display())).unwrap();
            folder.join("pack/multi-pack-index")
        }),
    ];
    for (name, place) in places {
        let repo = Repo::new();
        repo.fifo(&place(&repo));
        for reader in [Some(GitReader::InProcess), Some(GitReader::Program), None] {
            let unreadable = refusal(&repo, repo.path(), reader);
            assert_eq!(unreadable.problem, ReadProblem::NotAFile, "{name}");
            assert!(unreadable.detail.contains(name), "{name}: {}", unreadable.detail);
        }
    }
}

/// What the git program, asked because git's library hung, reads with a budget of 0.2 s.
fn carefully(repo: &Repo) -> Reading<closeout::model::GitObservation> {
    let (program, home) = (git_program(), repo.home());
    let budget = closeout::process::Budget::new(Duration::from_millis(200));
    let ask = closeout::evidence::git::GitAsk {
        changes: true,
        reader: Some(GitReader::Program),
        program: Some(&program),
        home: Some(&home),
        ..closeout::evidence::git::GitAsk::new(repo.now(), &budget)
    };
    observe(repo.path(), &ask, &mut GitMemory::default())
}

#[test]
fn a_named_pipe_among_the_ignore_rules_is_not_opened_where_something_hung() {
    let repo = Repo::new();
    repo.write(".gitignore", "/passed over\n").write("passed over/deep/file", "x").write("odd[a]*/file", "x");
    repo.fifo(&repo.at("passed over/.gitignore")).fifo(&repo.at("passed over/deep/.gitignore"));
    assert_eq!(carefully(&repo).present().unwrap().facts.changes.as_ref().unwrap().n_paths, 2);
    repo.fifo(&repo.at("odd[a]*/.gitignore"));
    let read = carefully(&repo);
    let Reading::Unreadable(unreadable) = read else { panic!("{read:?}") };
    assert_eq!(unreadable.problem, ReadProblem::NotAFile);
    assert!(unreadable.detail.contains("odd[a]*/.gitignore is a FIFO"), "{unreadable:?}");
}

#[test]
fn a_named_pipe_elsewhere_costs_the_time_limit_and_no_more() {
    let repo = Repo::new();
    let (path, next) = (repo.root().join("included"), repo.root().join("next"));
    std::fs::write(&path, format!("[include]\n\tpath = {}\n", next.display())).unwrap();
    repo.git(["config", "include.path", &path.display().to_string()]);
    repo.write("deep/file", "x").fifo(&next);
    let read = carefully(&repo);
    let Reading::Unreadable(unreadable) = read else { panic!("{read:?}") };
    assert_eq!(unreadable.problem, ReadProblem::TimedOut);
    let words = " did not answer and was ended: the 0.2 s that all calls together may lose";
    assert!(unreadable.detail.contains(words), "{unreadable:?}");
    assert!(unreadable.detail.contains("next is no file"), "{unreadable:?}");
}

/// Git quotes the first line that it does not understand, and a link can lead to any file.
#[test]
fn no_line_of_a_file_outside_is_repeated() {
    for name in
        ["packed-refs", "shallow", "info/grafts", "objects/info/alternates", "HEAD", "commondir", "config"]
    {
        let repo = Repo::new();
        let outside = repo.root().join("key");
        std::fs::write(&outside, "hunter2\n").unwrap();
        let path = repo.git_dir().join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        for reader in [Some(GitReader::InProcess), Some(GitReader::Program), None] {
            let read = look(&repo, repo.path(), BaselineChoice::Find, reader, &mut GitMemory::default());
            assert!(!format!("{read:?}").contains("hunter2"), "{name}, {reader:?}: {read:?}");
        }
    }
}

/// As `git-new-workdir` and `repo` make them: git reads on, and everything is seen.
#[test]
fn references_that_are_reached_by_links_are_read_by_git() {
    let repo = worked_in();
    let expected = facts(&repo, BaselineChoice::Find);
    let (store, git_dir) = (repo.root().join("store"), repo.git_dir());
    std::fs::create_dir(&store).unwrap();
    repo.git(["pack-refs", "--all"]);
    for name in ["refs", "packed-refs", "logs", "objects", "config"] {
        std::fs::rename(git_dir.join(name), store.join(name)).unwrap();
        std::os::unix::fs::symlink(store.join(name), git_dir.join(name)).unwrap();
    }
    let found = facts_by_program(&repo, BaselineChoice::Find);
    assert_eq!(
        (&found.head, &found.commits, &found.changes),
        (&expected.head, &expected.commits, &expected.changes)
    );
}

#[test]
fn the_callers_environment_has_no_effect() {
    // The environment of this process cannot be changed from a test; that nothing of it is handed on
    // is shown by a program that says what it was given. It can write no file: it is confined.
    let repo = Repo::new();
    let body = "echo \"names $(env | sed -n 's/=.*//p' | grep -v ^GIT_ | tr '\\n' ' ')end \
                $GIT_OPTIONAL_LOCKS$GIT_NO_LAZY_FETCH$GIT_LITERAL_PATHSPECS $*\" >&2\nexit 1";
    let fake = repo.script("git", body);
    let budget = closeout::process::Budget::new(Duration::from_secs(5));
    let ask = closeout::evidence::git::GitAsk {
        changes: true,
        reader: Some(GitReader::Program),
        program: Some(&fake),
        ..closeout::evidence::git::GitAsk::new(repo.now(), &budget)
    };
    let read = observe(repo.path(), &ask, &mut GitMemory::default());
    let Reading::Unreadable(unreadable) = &read else { panic!("{read:?}") };
    let (names, rest) =
        unreadable.detail.split_once("names ").and_then(|it| it.1.split_once("end ")).unwrap();
    let allowed = ["LC_ALL", "PATH", "PWD", "OLDPWD", "SHLVL", "_"];
    assert!(names.split_whitespace().all(|name| allowed.contains(&name)), "{names}");
    assert!(rest.starts_with("011 ") && rest.contains("--no-optional-locks"), "{rest}");
}

/// G10
#[test]
fn a_hostile_environment_of_the_caller_has_no_effect() {
    crate::support::trap::assert_passed_in_a_trap(&[
        "evidence_git::new_work::a_commit_made_here_is_new_work",
        "evidence_git::changes::every_kind_of_change_is_told_apart",
    ]);
}

/// What breaks a repository.
type Damage = fn(&Repo);

#[test]
fn damage_is_never_clean() {
    let damages: [(&str, Damage); 8] = [
        ("tree is gone", |repo| {
            let id = repo.git(["rev-parse", "HEAD^{tree}"]);
            std::fs::remove_file(repo.git_dir().join("objects").join(&id[..2]).join(&id[2..])).unwrap();
        }),
        ("HEAD is text", |repo| std::fs::write(repo.git_dir().join("HEAD"), "garbage\n").unwrap()),
        ("HEAD names no branch", |repo| {
            std::fs::write(repo.git_dir().join("HEAD"), "ref: refs/heads/x\u{1b}y\n").unwrap();
        }),
        ("HEAD is gone", |repo| std::fs::remove_file(repo.git_dir().join("HEAD")).unwrap()),
        ("index is cut", |repo| {
            let path = repo.git_dir().join("index");
            let content = std::fs::read(&path).unwrap();
            std::fs::write(path, &content[..content.len() / 2]).unwrap();
        }),
        ("branch is text", |repo| {
            std::fs::write(repo.git_dir().join("refs/heads/main"), "garbage\n").unwrap();
        }),
        ("commit is gone", |repo| {
            let id = repo.head();
            let path = repo.git_dir().join("objects").join(&id[..2]).join(&id[2..]);
            std::fs::remove_file(path).unwrap();
        }),
        ("commit is empty", |repo| {
            let id = repo.head();
            let path = repo.git_dir().join("objects").join(&id[..2]).join(&id[2..]);
            std::fs::remove_file(&path).unwrap();
            std::fs::write(path, "").unwrap();
        }),
    ];
    for (name, damage) in damages {
        for reader in READERS {
            let repo = Repo::new();
            damage(&repo);
            let unreadable = refusal(&repo, repo.path(), Some(reader));
            assert!(!unreadable.detail.is_empty());
            assert!(
                matches!(unreadable.problem, ReadProblem::Invalid | ReadProblem::Io),
                "{name}, {reader:?}: {unreadable:?}"
            );
        }
    }
}

#[test]
fn an_index_that_is_gone_is_said() {
    let repo = Repo::new();
    std::fs::remove_file(repo.git_dir().join("index")).unwrap();
    let facts = facts(&repo, BaselineChoice::Find);
    assert!(facts.notes[0].contains("the index is gone"), "{:?}", facts.notes);
    assert_eq!(facts.changes.unwrap().n_staged, 1);
}

#[test]
fn a_locked_index_is_read_and_said() {
    let repo = Repo::new();
    std::fs::write(repo.git_dir().join("index.lock"), "").unwrap();
    repo.write("README", "changed\n");
    let facts = facts(&repo, BaselineChoice::Find);
    assert!(facts.notes[0].contains("index.lock"));
    assert_eq!(facts.changes.unwrap().n_unstaged, 1);
}

#[test]
fn a_repository_of_somebody_else_is_refused_with_what_to_do() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give a repository to another user");
        return;
    }
    for part in ["", ".git"] {
        let repo = Repo::new();
        std::os::unix::fs::chown(repo.at(part), Some(12345), None).unwrap();
        for reader in READERS {
            let unreadable = refusal(&repo, repo.path(), Some(reader));
            assert_eq!(unreadable.problem, ReadProblem::Refused);
            assert!(unreadable.detail.contains("safe.directory"));
        }
        let allowed = format!("[safe]\n\tdirectory = {}\n", repo.path().display());
        std::fs::write(repo.home().join(".gitconfig"), allowed).unwrap();
        let read = look(&repo, repo.path(), BaselineChoice::Find, None, &mut GitMemory::default());
        assert!(read.present().is_some(), "the user allowed it: {read:?}");
    }
}

#[test]
fn reading_writes_nothing() {
    let repo = worked_in();
    let linked = repo.worktree("linked");
    linked.write("README", "racy\n");
    let before = state(&repo.root());
    for path in [repo.path(), linked.path()] {
        for reader in READERS {
            let read = look(&repo, path, BaselineChoice::Find, Some(reader), &mut GitMemory::default());
            assert!(read.present().is_some(), "{read:?}");
        }
    }
    assert_eq!(state(&repo.root()), before);
}

/// Every file below a folder with its content and time of change.
fn state(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let modified = path.symlink_metadata().unwrap().modified().unwrap();
        if path.is_dir() {
            files.extend(state(&path));
            files.insert(path, (Vec::new(), modified));
        } else {
            files.insert(path.clone(), (std::fs::read(path).unwrap(), modified));
        }
    }
    files
}

#[test]
fn every_version_of_the_index_is_whole_and_every_cut_is_seen() {
    for version in ["2", "3", "4"] {
        let repo = Repo::new();
        repo.write("a/long/path/of/a/file", "x")
            .write("a/long/path/of/another", "x")
            .write("b", "x")
            .commit("files");
        repo.write("announced", "x").git(["add", "-N", "announced"]);
        repo.git(["update-index", "--index-version", version]);
        assert_eq!(facts(&repo, BaselineChoice::Find).changes.unwrap().n_paths, 1, "version {version}");
        let path = repo.git_dir().join("index");
        let content = std::fs::read(&path).unwrap();
        for cut in (12..content.len()).step_by(37) {
            std::fs::write(&path, &content[..cut]).unwrap();
            let unreadable = refusal(&repo, repo.path(), Some(GitReader::Program));
            assert_eq!(unreadable.problem, ReadProblem::Invalid, "version {version}, cut at {cut}");
        }
    }
}

#[test]
fn a_damaged_index_is_said_with_its_path_and_what_to_do() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    for at in [&repo, &linked] {
        let path = at.git_dir().join("index");
        let content = std::fs::read(&path).unwrap();
        let mut flipped = content.clone();
        flipped[40] ^= 0xFF;
        for (damage, readers) in [
            (&content[..content.len() / 2], &READERS[..]),
            (b"garbage and more".as_slice(), &READERS[..]),
            (&flipped, &READERS[..1]),
        ] {
            std::fs::write(&path, damage).unwrap();
            for reader in readers {
                let unreadable = refusal(at, at.path(), Some(*reader));
                assert_eq!(unreadable.problem, ReadProblem::Invalid);
                let advice = format!("`rm {} && git reset`", path.display());
                assert!(unreadable.detail.contains(&advice), "{reader:?}: {}", unreadable.detail);
            }
        }
    }
}

#[test]
fn a_damaged_configuration_is_said_with_its_path_and_line() {
    for reader in [Some(GitReader::InProcess), Some(GitReader::Program), None] {
        let repo = Repo::new();
        let path = repo.git_dir().join("config");
        std::fs::write(&path, "[core]\n\tbare = false\n[[[ garbage = \n").unwrap();
        let unreadable = refusal(&repo, repo.path(), reader);
        assert_eq!(unreadable.problem, ReadProblem::Invalid);
        let detail = unreadable.detail;
        assert!(detail.contains("configuration file of git is damaged"), "{reader:?}: {detail}");
        assert!(detail.contains(&path.display().to_string()), "{reader:?}: {detail}");
        assert!(detail.contains(":3") || detail.contains("line 3"), "{reader:?}: {detail}");
    }
}
