//! After quiet a monitor knows what a fresh check finds, whatever happened while it watched (random, by a fixed seed).

use std::collections::BTreeMap;
use std::time::Duration;

use closeout::engine::judge_once;
use closeout::model::{Intent, Rule, VerdictState, WorkspaceView};

use crate::engine::{Front, launch, run};
use crate::support::repo::Repo;

/// Steps of the whole run.
const N_STEPS: u32 = 60;

/// What a person reads of a workspace: the verdict, HEAD, new commits and changed paths.
type Known = (Option<(VerdictState, Rule)>, Option<String>, Option<(u32, Option<u32>)>);

fn known<'v>(views: impl Iterator<Item = &'v WorkspaceView>) -> BTreeMap<String, Known> {
    let of = |view: &WorkspaceView| {
        let git = view.git.as_ref();
        (
            view.verdict.as_ref().map(|verdict| (verdict.state, verdict.rule())),
            git.and_then(|git| git.head.commit().map(str::to_owned)),
            git.map(|git| (git.commits.n_new, git.changes.as_ref().map(|changes| changes.n_paths))),
        )
    };
    views.map(|view| (view.name.clone(), of(view))).collect()
}

/// One change by an agent in `repo`.
fn step(repo: &Repo, number: u32, choice: u32) {
    let name = format!("file{}.txt", choice / 6 % 4);
    match choice % 6 {
        0 => drop(repo.write(&name, format!("line {number}\n"))),
        1 => {
            repo.write(&name, format!("work {number}\n")).stage(&name);
            repo.git(["commit", "-q", "-m", &format!("Step {number}")]);
        }
        2 => drop(repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#)),
        3 => {
            let decision = format!(r#"{{"decision":"incomplete","reasons":["step {number}"]}}"#);
            repo.write(".closeout/decision.json", decision);
        }
        4 => drop(repo.git(["stash", "-q", "--include-untracked"])),
        _ => drop(repo.git(["checkout", "-q", "-B", &format!("branch-{}-{number}", choice / 6 % 3)])),
    }
}

#[test]
fn after_quiet_what_is_known_is_what_a_fresh_check_finds() {
    let main = Repo::new();
    let mut repos: Vec<Repo> = ["one", "two", "three"].map(|name| main.worktree(name)).into();
    repos.push(main);
    let config = launch(&repos[3], &[]);
    run(async {
        let mut front = Front::start(config.clone());
        front.until("the first verdicts", |views| views.len() == 4).await;
        let mut random: u32 = 20_261_122;
        for number in 0..N_STEPS {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let choice = random >> 8;
            step(&repos[choice as usize / 100 % 4], number, choice);
            front.turn_for(Duration::from_millis(u64::from(choice % 40))).await;
        }
        let fresh = known(judge_once(&config).views.iter());
        // A work tree is looked at when a person looks.
        front.want_of_all(|workspace| Intent::Glance { workspace });
        front.until("what a fresh check finds", |views| known(views.values()) == fresh).await;
        front.turn_for(Duration::from_millis(300)).await;
        assert_eq!(known(front.views()), fresh, "and it stays");
    });
}
