//! A person cancels a rescue: everything is as before except for the record or, once the branch is about to
//! move, the rescue is completed. Whatever a program started is ended with it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use strum::VariantArray as _;

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};
use closeout::engine::clock;
use closeout::model::{ActionClass, KeepIn, RecordOrder, RescuePlan, WantedProgram};
use closeout::process::{Cancel, Launcher};

use super::fixture::*;
use super::trust::trusting;
use crate::support::repo::Repo;
use crate::support::samples::commit_id;

/// A limit in milliseconds that no condition in these tests takes on any machine.
const PATIENCE: i64 = 60_000;

/// A rescuer that is cancelled as soon as this step is complete.
fn ended_at(repo: &Repo, step: RescueStep) -> Rescuer {
    let cancel = Cancel::new();
    let command = cancel.clone();
    Rescuer {
        cancel,
        ..rescuer_at(repo, step, move || {
            command.cancel();
        })
    }
}

/// The records kept by references.
fn records(repo: &Repo) -> Vec<String> {
    let names = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/rescue/"]);
    names.lines().map(str::to_owned).collect()
}

/// Leftovers of working folders in our own folder, and files that keep git from collecting a pack.
fn leftovers(repo: &Repo) -> Vec<PathBuf> {
    let ours = repo.root().join("state/rescue");
    let folders = fs::read_dir(ours).into_iter().flatten().flatten();
    let inside = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let works = inside
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("work")));
    let packs = fs::read_dir(repo.git_dir().join("objects/pack")).into_iter().flatten().flatten();
    let kept = packs.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "keep"));
    works.chain(kept).collect()
}

/// The processes whose current folder is the repository, as paths below `/proc`.
pub(super) fn living_in(repo: &Repo) -> BTreeSet<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let is_in = |process: &PathBuf| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == repo.path());
    processes.filter(is_in).collect()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = clock::now();
    while !is_so() {
        assert!(clock::now().millis_since(began) < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

fn installed(repo: &Repo, name: &str, body: &str) {
    let path = repo.git_dir().join("hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    make_executable(&path);
}

/// A rescuer that trusts the repository's programs and runs them in sessions of their own.
fn with_sessions(repo: &Repo) -> Rescuer {
    Rescuer { launcher: Some(Launcher { program: env!("CARGO_BIN_EXE_closeout").into() }), ..trusting(repo) }
}

fn wanting(rescuer: &Rescuer, repo: &Repo, wanted: WantedProgram) -> RescuePlan {
    let mut plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
    assert_eq!(plan.refusal, None);
    plan.programs.wanted = Some(wanted);
    plan
}

/// Commits, and cancels once the file exists.
fn ended_when(
    rescuer: &Rescuer,
    repo: &Repo,
    plan: &RescuePlan,
    file: &Path,
) -> Result<closeout::model::Rescued, RescueError> {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            until("the program was never started", || file.exists());
            assert!(rescuer.cancel.cancel());
        });
        rescuer.commit(repo.path(), plan)
    })
}

/// A script for daemons that leave group and session and ignore requests to end.
fn daemons(born: &Path) -> String {
    format!(
        "for i in 1 2 3; do (setsid sh -c 'trap \"\" TERM HUP; echo >> {}; while :; do sleep 100; done' \
         >/dev/null 2>&1 </dev/null &); done; while [ \"$(wc -l < {} 2>/dev/null)\" != 3 ]; do sleep 0.01; done",
        born.display(),
        born.display()
    )
}

#[test]
fn a_record_that_is_ended_is_there_as_a_whole_or_not_at_all() {
    let steps = RescueStep::VARIANTS.iter().copied().take_while(|step| *step != RescueStep::TreeMade);
    for step in steps {
        let repo = rich();
        let before = fingerprint(&repo);
        let ended = ended_at(&repo, step).plan(repo.path(), "rescue: work\n");
        let error = ended.unwrap_err();
        assert_eq!(error.class(), ActionClass::Cancelled, "{step:?}: {error:?}");
        let kept: Vec<String> = error.kept().map(str::to_owned).into_iter().collect();
        let is_kept = matches!(step, RescueStep::ReferenceMade | RescueStep::RecordJournalled);
        assert_eq!((kept.len(), records(&repo)), (usize::from(is_kept), kept), "{step:?}");
        assert_eq!((fingerprint(&repo), leftovers(&repo)), (before, Vec::<PathBuf>::new()), "{step:?}");
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        assert_eq!((listed.records.len(), listed.notices), (usize::from(is_kept), Vec::new()), "{step:?}");
        commit(&repo);
    }
}

#[test]
fn a_record_in_both_places_that_is_ended_is_in_none() {
    let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
    let repo = rich();
    let ended = ended_at(&repo, RescueStep::ReferenceMade).record_ordered(repo.path(), order);
    assert!(matches!(ended, Err(RescueError::Cancelled)), "{ended:?}");
    assert_eq!((records(&repo), leftovers(&repo)), (vec![], vec![]));
    assert_eq!(rescuer(&repo).list(repo.path()).unwrap().records, []);
}

#[test]
fn a_commit_is_ended_until_it_is_pinned_and_finished_from_then_on() {
    let steps = [RescueStep::Locked]
        .into_iter()
        .chain(RescueStep::VARIANTS.iter().copied().skip_while(|it| *it != RescueStep::TreeMade));
    for step in steps {
        let repo = rich();
        let plan = plan(&repo);
        let before = fingerprint(&repo);
        let rescuer = ended_at(&repo, step);
        let ended = rescuer.commit(repo.path(), &plan);
        if matches!(step, RescueStep::Locked | RescueStep::TreeMade) {
            assert!(matches!(ended, Err(RescueError::Cancelled)), "{step:?}: {ended:?}");
        } else {
            assert_eq!(ended.unwrap().commits, [commit_id(&repo.head())], "{step:?}");
            // The cancellation counts afterwards: no other action is started.
            assert!(rescuer.cancel.is_cancelled(), "{step:?}");
            super::fixture::rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert_eq!((fingerprint(&repo), leftovers(&repo)), (before, Vec::<PathBuf>::new()), "{step:?}");
    }
}

#[test]
fn an_undo_is_ended_before_it_moves_anything_or_finished() {
    for (step, is_ended) in
        [(RescueStep::Locked, true), (RescueStep::IndexPrepared, false), (RescueStep::BranchMoved, false)]
    {
        let repo = rich();
        let before = fingerprint(&repo);
        commit(&repo);
        let done = fingerprint(&repo);
        let ended = ended_at(&repo, step).undo(repo.path());
        assert_eq!(matches!(ended, Err(RescueError::Cancelled)), is_ended, "{ended:?}");
        assert_eq!((ended.is_ok(), fingerprint(&repo)), (!is_ended, if is_ended { done } else { before }));
    }
}

/// G07: git waits forever.
#[test]
fn a_git_that_hangs_is_ended_at_once() {
    let repo = rich();
    repo.write("hanging/file", "1\n");
    let spoiled = repo.clone();
    // It comes after the first look, so git opens it.
    let rescuer = rescuer_at(&repo, RescueStep::Listed, move || {
        spoiled.fifo(&spoiled.at("hanging/.gitignore"));
    });
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            let hangs = || repo.at("hanging/.gitignore").exists() && !living_in(&repo).is_empty();
            until("git was never started", hangs);
            assert!(rescuer.cancel.cancel());
        });
        rescuer.record(repo.path())
    });
    assert!(matches!(ended, Err(RescueError::Cancelled)), "{ended:?}");
    // After its time limit the error would be another one.
    assert_eq!((living_in(&repo), records(&repo), leftovers(&repo)), (BTreeSet::new(), vec![], vec![]));
}

/// P04 for hooks, and K04: everything a hook started is killed, however it hid.
#[test]
fn a_hook_that_is_ended_takes_its_daemons_with_it() {
    let repo = rich();
    let (born, started) = (repo.root().join("born"), repo.root().join("started"));
    installed(&repo, "pre-commit", &format!("{}; touch {}; sleep 600", daemons(&born), started.display()));
    let rescuer = with_sessions(&repo);
    let plan = wanting(&rescuer, &repo, WantedProgram::Hooks);
    let before = fingerprint(&repo);
    let ended = ended_when(&rescuer, &repo, &plan, &started);
    assert!(matches!(ended, Err(RescueError::Cancelled)), "{ended:?}");
    assert_eq!((fingerprint(&repo), living_in(&repo), leftovers(&repo)), (before, BTreeSet::new(), vec![]));
}

/// P04 for hooks: at the time limit, and when the hook ends by itself.
#[test]
fn the_daemons_of_a_hook_end_with_it() {
    for (rest, is_committed) in [("sleep 600", false), ("exit 0", true)] {
        let repo = rich();
        let born = repo.root().join("born");
        installed(&repo, "pre-commit", &format!("{}; {rest}", daemons(&born)));
        let mut rescuer = with_sessions(&repo);
        let plan = wanting(&rescuer, &repo, WantedProgram::Hooks);
        let before = fingerprint(&repo);
        if !is_committed {
            rescuer.program_limit = Duration::from_secs(3);
        }
        let done = rescuer.commit(repo.path(), &plan);
        assert_eq!(done.is_ok(), is_committed, "{done:?}");
        if is_committed {
            rescuer.undo(repo.path()).unwrap();
        } else {
            let words = done.unwrap_err().to_string();
            assert!(words.contains("the hook pre-commit did not end in its time"), "{words}");
        }
        assert_eq!(fs::read_to_string(&born).unwrap().lines().count(), 3);
        assert_eq!((fingerprint(&repo), living_in(&repo)), (before, BTreeSet::new()), "{rest}");
    }
}

/// What a hook did before it was cancelled is reported.
#[test]
fn a_hook_that_is_ended_and_had_changed_files_is_said() {
    let repo = rich();
    let started = repo.root().join("started");
    installed(&repo, "pre-commit", &format!("rm -f e; touch {}; sleep 600", started.display()));
    let rescuer = with_sessions(&repo);
    let plan = wanting(&rescuer, &repo, WantedProgram::Hooks);
    let ended = ended_when(&rescuer, &repo, &plan, &started);
    let Err(RescueError::SavedOnly(words)) = &ended else { panic!("{ended:?}") };
    assert!(words.contains("e deleted"), "{words}");
}

/// A hook that runs after the commit need not be waited for; the commit stays.
#[test]
fn a_hook_after_the_commit_can_be_ended_and_the_commit_stays() {
    let repo = rich();
    let started = repo.root().join("started");
    installed(&repo, "post-commit", &format!("touch {}; sleep 600", started.display()));
    let rescuer = with_sessions(&repo);
    let plan = wanting(&rescuer, &repo, WantedProgram::Hooks);
    let before = fingerprint(&repo);
    let done = ended_when(&rescuer, &repo, &plan, &started).unwrap();
    assert_eq!(
        (done.commits, done.notes),
        (vec![commit_id(&repo.head())], vec!["the hook post-commit was ended on request".to_owned()])
    );
    assert_eq!(living_in(&repo), BTreeSet::new());
    super::fixture::rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

/// P04 for the person's own program: it is ended with its daemons, and what it did until then is examined.
#[test]
fn an_own_program_is_ended_and_its_commits_count() {
    let git = "git -c user.name=Own -c user.email=own@example.org";
    for (does, n_commits) in [(":", 0), ("git add -A; git commit -q -m one", 1)] {
        let repo = Repo::new();
        let (born, started) = (repo.root().join("born"), repo.root().join("started"));
        let body = format!(
            "#!/bin/sh\nset -e\ngit() {{ command {git} \"$@\"; }}\n{does}\n{}; touch {}; sleep 600\n",
            daemons(&born),
            started.display()
        );
        repo.write("commit-rescue.py", body);
        make_executable(&repo.at("commit-rescue.py"));
        repo.commit("program");
        repo.write("f", "1\n");
        let rescuer = with_sessions(&repo);
        let plan = wanting(&rescuer, &repo, WantedProgram::Own);
        let before = fingerprint(&repo);
        let ended = ended_when(&rescuer, &repo, &plan, &started);
        assert_eq!(living_in(&repo), BTreeSet::new());
        if n_commits == 0 {
            assert!(matches!(ended, Err(RescueError::Cancelled)), "{ended:?}");
        } else {
            let done = ended.unwrap();
            assert_eq!((done.commits.as_slice(), done.can_be_undone), (&[commit_id(&repo.head())][..], true));
            assert_eq!(done.notes, ["the rescue program was ended on request"]);
            super::fixture::rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert_eq!((fingerprint(&repo), leftovers(&repo)), (before, vec![]));
    }
}
