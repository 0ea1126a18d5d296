//! After quiet a monitor knows what a fresh check finds, whatever happened while it watched (random, by a fixed seed).

use std::collections::BTreeMap;
use std::time::Duration;

use closeout::engine::{EngineConfig, OneShot, Scope};
use closeout::model::{CommitId, Intent, Rule, VerdictState, WorkspaceView};

use crate::engine::{Front, engine_config, run};
use crate::support::repo::Repo;

/// Steps of the whole run.
const N_STEPS: u32 = 60;

/// What a person reads of a workspace: the verdict, HEAD, new commits and changed paths.
type Known = (Option<(VerdictState, Rule)>, Option<CommitId>, Option<(u32, Option<u32>)>);

fn known<'v>(views: impl Iterator<Item = &'v WorkspaceView>) -> BTreeMap<String, Known> {
    let of = |view: &WorkspaceView| {
        let git = view.git.as_ref();
        (
            view.verdict.as_deref().map(|verdict| (verdict.state, verdict.rule())),
            git.and_then(|git| git.head.commit()),
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
    let config = engine_config(&repos[3], &[]);
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
        let fresh = known(OneShot::judge(&config).judged().views.iter());
        // A work tree is looked at when a person looks.
        front.want_of_all(|workspace| Intent::Glance { workspace });
        front.until("what a fresh check finds", |views| known(views.values()) == fresh).await;
        front.turn_for(Duration::from_millis(300)).await;
        assert_eq!(known(front.views()), fresh, "and it stays");
    });
}

/// What git's part of a reading says, without when it was read.
fn git_part(view: &WorkspaceView) -> String {
    let git = view.git.as_ref().unwrap();
    let (commits, baseline) = (&git.commits, &git.baseline.commit);
    let rest = (&git.head, &git.tree, &git.content, &git.upstream, &git.changes, &git.notes);
    format!("{rest:?} {commits:?} {baseline:?}")
}

/// Five worktrees in which something differs from HEAD, from the first to the last.
fn worktrees_of(main: &Repo) -> Vec<Repo> {
    main.write("a.txt", "one\n").write("b.txt", "two\n").stage("a.txt").stage("b.txt");
    main.commit("Two files");
    let trees: Vec<Repo> =
        ["clean", "dirty", "staged", "ahead", "loose"].map(|name| main.worktree(name)).into();
    trees[1].write("a.txt", "changed\n").write("new/c.log", "a log\n").write("d.txt", "new\n");
    trees[2].write("a.txt", "staged\n").stage("a.txt").write("b.txt", "more\n");
    trees[3].write("c.txt", "three\n").stage("c.txt").commit("A third file");
    trees[3].write(".gitignore", "*.txt\n!e.txt\n").write("e.txt", "kept\n").write("f.txt", "ignored\n");
    trees[4].git(["checkout", "-q", "--detach"]);
    trees[4].remove("b.txt").write(".closeout/plan.json", "{}");
    trees
}

#[test]
fn worktrees_read_one_after_another_are_read_as_each_alone() {
    type Prepare = fn(&Repo);
    let settings: [(&str, Prepare); 7] = [
        ("nothing", |_| ()),
        ("packed references and an upstream", |main| {
            main.git(["branch", "up"]);
            main.git(["pack-refs", "--all"]);
            main.git(["branch", "-q", "--set-upstream-to=up", "ahead"]);
        }),
        ("excludes", |main| drop(std::fs::write(main.git_dir().join("info/exclude"), "*.log\n"))),
        ("attributes", |main| {
            drop(std::fs::write(main.git_dir().join("info/attributes"), "*.txt eol=crlf\n"));
        }),
        ("modes", |main| drop(main.git(["config", "core.filemode", "false"]))),
        ("a condition", |main| {
            let rules = main.root().join("rules");
            std::fs::write(&rules, "*.log\n").unwrap();
            let included = main.root().join("included");
            std::fs::write(&included, format!("[core]\nexcludesFile = {}\n", rules.display())).unwrap();
            let condition = "includeIf.gitdir:**/worktrees/dirty.path";
            main.git(["config", condition, included.to_str().unwrap()]);
        }),
        ("settings of one", |main| {
            main.git(["config", "extensions.worktreeConfig", "true"]);
            let own = main.git_dir().join("worktrees/dirty/config.worktree");
            std::fs::write(own, "[core]\nexcludesFile = /nowhere\nignoreCase = true\n").unwrap();
        }),
    ];
    for (name, prepare) in settings {
        let main = Repo::new();
        let trees = worktrees_of(&main);
        prepare(&main);
        let all = engine_config(&main, &[]);
        let together = OneShot::judge(&all).judged().views;
        assert_eq!(together.len(), 6, "{name}");
        for tree in &trees {
            let alone = EngineConfig { scope: Scope::One(tree.path().to_owned()), ..all.clone() };
            let alone = OneShot::judge(&alone).judged().views.remove(0);
            let beside = together.iter().find(|view| view.id == alone.id).unwrap();
            assert_eq!(git_part(beside), git_part(&alone), "{name}: {}", alone.name);
        }
    }
}
