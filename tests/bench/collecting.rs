//! Reading the evidence, against the two git commands that a script would run, as child processes.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use closeout::config::{Config, Flags, Sources};
use closeout::engine::clock;
use closeout::evidence::git::{BaselineChoice, GitAsk, GitMemory, observe};
use closeout::evidence::{CollectContext, Memory, collect};
use closeout::model::{
    BaselineOrigin, CollectRequest, GivenBaseline, Parts, TaskKind, Timestamp, WorkspaceId,
};

use super::fleet::decide;
use super::samples::{Samples, thread_cpu};
use super::table::{Reference, Table};
use super::world::World;
use super::{Scope, growth};

/// A request for everything, with the built-in settings.
pub(crate) fn request(top: &Path) -> Result<CollectRequest> {
    let environment = std::collections::BTreeMap::new();
    let sources = Sources { environment, home: None, flags: Flags::default() };
    let config = Config::load(&sources)?;
    let (mut settings, _) = config.for_workspace(top);
    settings.baseline = Some(GivenBaseline { rev: "base".to_owned(), origin: BaselineOrigin::Flag });
    Ok(CollectRequest {
        workspace: WorkspaceId::local(top),
        generation: 1,
        parts: Parts::all(),
        settings,
        policy: config.policy.clone(),
        task_kind: TaskKind::Implementation,
        git_reader: None,
        baseline: None,
        named: None,
        task_at: None,
        sessions: Vec::new(),
        prompted_at: None,
        not_before: clock::now(),
    })
}

/// The machine as a collection sees it.
pub(crate) fn collect_context(world: &World) -> CollectContext {
    CollectContext {
        now: clock::now(),
        home: Some(world.home()),
        adapters: Vec::new(),
        hook_folder: None,
        git_program: Some(world.git_program().to_path_buf()),
        live: None,
        budget: closeout::process::Budget::default(),
        ending: None,
    }
}

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    for n_files in scope.pick(vec![50, 5_000, 100_000], vec![50, 2_000]) {
        let world = World::new()?;
        let top = world.repository("repository", n_files)?;
        decide(&top, "the tests fail")?;
        std::thread::sleep(Duration::from_millis(1100));
        world.refresh_index(&top)?;
        let count = match n_files {
            0..1_000 => scope.pick(100, 30),
            1_000..50_000 => scope.pick(30, 8),
            _ => scope.pick(8, 3),
        };
        everything(&world, &top, &format!("{n_files} files, clean"), count, table)?;
        unchanged(&world, &top, n_files, table)?;
        one_commit(&world, &top, n_files, scope.pick(30, 8), table)?;
        world.make_dirty(&top, if n_files < 1_000 { 10 } else { 1_000 })?;
        everything(&world, &top, &format!("{n_files} files, dirty"), count, table)?;
    }
    moves(scope, table)
}

/// Where HEAD stood at two hundred prompts, with nothing remembered, by how often it moved.
fn moves(scope: &Scope, table: &mut Table) -> Result<()> {
    let mut points = Vec::new();
    for n_moves in scope.pick(vec![50, 500, 5_000], vec![50, 500]) {
        let world = World::new()?;
        let top = world.repository("moves", 50)?;
        let (first, last) = world.many_moves(&top, n_moves)?;
        let asked: Vec<Timestamp> = (0..200)
            .map(|number| i64::try_from((first + (last - first) * number / 200) * 1000).map(Timestamp))
            .collect::<Result<_, _>>()?;
        let collect_context = collect_context(&world);
        let ask = GitAsk {
            baseline: BaselineChoice::Given { rev: "base", origin: &BaselineOrigin::Flag },
            asked: &asked,
            program: collect_context.git_program.as_deref(),
            home: collect_context.home.as_deref(),
            ..GitAsk::new(collect_context.now, &collect_context.budget)
        };
        let mut samples = Samples::default();
        for _ in 0..5 {
            let before = thread_cpu();
            let read = observe(&top, &ask, &mut GitMemory::default());
            samples.push(thread_cpu().saturating_sub(before));
            let stays = read.present().map_or(0, |git| git.facts.commits.stays.len());
            ensure!(stays > 32, "{stays} positions were read");
        }
        points.push((n_moves, samples.p50()));
    }
    growth::row(table, "positions of HEAD by its moves (CPU)", &points, "exponent ≤ 1");
    Ok(())
}

/// The whole of the evidence, with nothing remembered, and with what the last reading remembered.
fn everything(world: &World, top: &Path, what: &str, count: usize, table: &mut Table) -> Result<()> {
    let request = request(top)?;
    let mut kept = Memory::default();
    let (mut git, mut fresh, mut again) = (Samples::default(), Samples::default(), Samples::default());
    for number in 0..=count {
        let began = Instant::now();
        children(world, top)?;
        let git_took = began.elapsed();
        let began = Instant::now();
        collect(&request, &collect_context(world), &mut Memory::default())?;
        let fresh_took = began.elapsed();
        let began = Instant::now();
        collect(&request, &collect_context(world), &mut kept)?;
        let again_took = began.elapsed();
        // The first round warms the page cache and fills the memory.
        if number > 0 {
            git.push(git_took);
            fresh.push(fresh_took);
            again.push(again_took);
        }
    }
    let reference = Reference::new("git rev-list + status", &git);
    table.times(&format!("collect, {what}"), &fresh, Some(&reference), "ratio ≤ 1.1");
    table.times(&format!("collect again, {what}"), &again, Some(&reference), "ratio ≤ 1.1");
    Ok(())
}

/// Nothing changed since the last reading; the work tree is not looked at. CPU time of the thread.
fn unchanged(world: &World, top: &Path, n_files: usize, table: &mut Table) -> Result<()> {
    let request = request(top)?;
    let mut memory = Memory::default();
    collect(&request, &collect_context(world), &mut memory)?;
    let request = CollectRequest { parts: Parts::all() - Parts::CHANGES, ..request };
    let words = CollectRequest { parts: Parts::WORDS, ..request.clone() };
    let (mut all, mut only_words) = (Samples::default(), Samples::default());
    for _ in 0..200 {
        let before = thread_cpu();
        collect(&request, &collect_context(world), &mut memory)?;
        all.push(thread_cpu().saturating_sub(before));
        let before = thread_cpu();
        collect(&words, &collect_context(world), &mut memory)?;
        only_words.push(thread_cpu().saturating_sub(before));
    }
    table.times(&format!("unchanged, {n_files} files (CPU)"), &all, None, "≤ 100 µs");
    table.times(&format!("only the words, {n_files} files (CPU)"), &only_words, None, "≤ 100 µs");
    Ok(())
}

/// One new commit since the last reading; the work tree is not looked at. CPU time of the thread.
fn one_commit(world: &World, top: &Path, n_files: usize, count: usize, table: &mut Table) -> Result<()> {
    let mut request = request(top)?;
    let mut memory = Memory::default();
    collect(&request, &collect_context(world), &mut memory)?;
    request.parts = Parts::COMMITS;
    let mut samples = Samples::default();
    for number in 0..count {
        world.commit(top, &format!("change {number}"))?;
        let before = thread_cpu();
        collect(&request, &collect_context(world), &mut memory)?;
        samples.push(thread_cpu().saturating_sub(before));
    }
    table.times(&format!("one new commit, {n_files} files (CPU)"), &samples, None, "≤ 500 µs");
    Ok(())
}

fn children(world: &World, top: &Path) -> Result<()> {
    for arguments in
        [&["rev-list", "--count", "base..HEAD"][..], &["--no-optional-locks", "status", "--porcelain"]]
    {
        let mut command = world.command(world.git_program());
        let output = command.arg("-C").arg(top).args(arguments).stderr(Stdio::null()).output()?;
        ensure!(output.status.success(), "git {arguments:?} failed");
    }
    Ok(())
}
