//! The work of a workspace's tasks according to the records of its sessions: which
//! files they wrote, and whether files may have been brought in with old times. Must
//! not judge whose change something is; `combine` does.

use std::path::Path;

use super::act_names;
use super::deeds::Acts;
use super::memory::Memory;
use super::on_request;
use super::tasks::{SessionTask, TaskStanding, asked_at};
use crate::judge::word_split::words_by_script;
use crate::judge::{runs, task, words};
use crate::model::{
    Deed, Observations, SessionObservation, SessionWork, Task, TaskWork, Timestamp, Turn, TurnEnd, TurnSpan,
    TurnStep,
};

/// How many of a session's last turns are kept apart; all earlier ones count as one.
const MAX_TURNS: usize = 200;

/// How long a hook of a write call may run, such as one that formats all files, in milliseconds.
const HOOK_MS: i64 = 120_000;

/// The work of all tasks, as far as the records attribute it.
pub(super) fn work(observations: &Observations, tasks: &[SessionTask], memory: &mut Memory) -> TaskWork {
    let sessions = observations.sessions();
    let asked: Vec<(&SessionObservation, &SessionTask)> =
        sessions.zip(tasks).filter(|(_, task)| task.standing != TaskStanding::NotAsked).collect();
    let is_told = |(session, task): &(&SessionObservation, &SessionTask)| {
        let history = &session.history;
        !history.turns.is_empty() && history.is_whole && !task.has_undated_prompt()
    };
    let first = asked.iter().filter_map(|(_, task)| task.first_prompt_at()).min();
    let began = asked.iter().filter_map(|(_, task)| task.current()?.began_at).min();
    let mut work = TaskWork {
        first_prompt_at: first.filter(|_| asked.iter().all(is_told)),
        began_at: began.or(first).or_else(|| asked_at(tasks)),
        wants_content: asked
            .iter()
            .flat_map(|(_, task)| task.prompts())
            .any(|prompt| task::wants_content(&prompt)),
        content_asked_at: asked.iter().filter_map(|(_, task)| content_asked_at(task.current()?)).max(),
        names_branch: asked.iter().flat_map(|(_, task)| task.prompts()).any(|prompt| wants_branch(&prompt)),
        wants_commit_each: asked
            .iter()
            .flat_map(|(_, task)| task.prompts())
            .any(|prompt| wants_commit_each(&prompt)),
        may_change_tests: asked
            .iter()
            .flat_map(|(_, task)| task.prompts())
            .any(|prompt| is_about_tests(&prompt)),
        turns: asked.iter().all(is_told).then(Vec::new),
        ran: asked.iter().all(is_told).then(Vec::new),
        ignored: observations.ignored.clone(),
        bisects: asked.iter().flat_map(|(_, task)| task.prompts()).any(|it| it.contains("bisect")),
        ..TaskWork::default()
    };
    for (session, task) in asked {
        if let Some(top) = &memory.top {
            work.outside.extend(outside(session, task, Path::new(top)));
        }
        work.taken_back_at.extend(on_request::taken_back_at(session));
        work.stash_turns.extend(on_request::stash_turns(session));
        work.may_stash.extend(may_stash(session));
        let deeds = memory.of(session).work.follow(session);
        work.sets_excludes |= deeds.acts.contains(Acts::SETS_EXCLUDES);
        work.may_branch |= deeds.acts.contains(Acts::MAY_BRANCH);
        work.bisects |= deeds.acts.contains(Acts::BISECTS);
        work.may_write |= deeds.acts.contains(Acts::MAY_WRITE);
        let own = spans(session, deeds.acts.contains(Acts::MAY_COMMIT));
        let own = own.filter(|_| !deeds.acts.contains(Acts::RUNS_ON));
        work.ran = work.ran.zip(own.as_deref()).map(|(ran, own)| [ran, ran_in(session, own)].concat());
        work.turns = work.turns.zip(own).map(|(turns, own)| [turns, own].concat());
        work.has_deeds |= deeds.acts.contains(Acts::IS_ACTIVE);
        work.moves_files |= deeds.acts.contains(Acts::MOVES_FILES);
        work.by_session.push(SessionWork {
            session: session.session_name(),
            began_at: session.history.began_at,
            paths: deeds.paths,
        });
    }
    work
}

/// The files that a session wrote for its task outside the work tree and its own folder, each once.
fn outside(session: &SessionObservation, task: &SessionTask, top: &Path) -> Vec<String> {
    let home = session.folder.as_deref().and_then(Path::to_str);
    let Some(current) = task.current().filter(|_| home.is_some()) else { return Vec::new() };
    let turns = session.history.turns.iter();
    let turns = turns.filter(|turn| turn.order >= current.asked && turn.order < current.end);
    let mut outside: Vec<String> = Vec::new();
    for step in turns.flat_map(|turn| &turn.steps) {
        let Deed::Edit { paths, was_done: true } = &step.deed else { continue };
        for path in paths.iter().filter_map(|path| runs::path_from(home, path)) {
            let path = Path::new(&path);
            let is_below = |folder: &Path| path.starts_with(folder);
            if !path.is_absolute() || is_below(top) || session.folder.as_deref().is_some_and(is_below) {
                continue;
            }
            let beside = top.parent().and_then(|beside| path.strip_prefix(beside).ok());
            let shown = beside.map_or_else(|| path.to_path_buf(), |below| Path::new("..").join(below));
            let shown = shown.to_string_lossy().into_owned();
            if !outside.contains(&shown) {
                outside.push(shown);
            }
        }
    }
    outside
}

/// Whether a prompt wants work on a branch of its own: it names one, and nothing that brings the work from there.
fn wants_branch(prompt: &str) -> bool {
    act_names::names_branch(prompt) && !act_names::names_act(prompt, "merge")
}

/// Whether a prompt asks for a commit for each of several things: it counts them, or names them by number.
fn wants_commit_each(prompt: &str) -> bool {
    let own = runs::own_lines(prompt).to_lowercase();
    let counts = || words_by_script(&own).any(|word| words::of("several").contains(word));
    words::has(&own, "wants_commit_each")
        && !words::has(&own, "or_in_one")
        && (counts() || own.matches('#').count() > 1)
}

fn content_asked_at(task: &Task) -> Option<Timestamp> {
    if task::wants_content(&task.last_prompt) {
        task.asked_at
    } else {
        task.began_at.filter(|_| task::wants_content(&task.first_prompt))
    }
}

/// When the turns of a session ran; `None` if its record does not tell all of them.
fn spans(session: &SessionObservation, may_commit: bool) -> Option<Vec<TurnSpan>> {
    let turns = &session.history.turns;
    let n_early = turns.len().saturating_sub(MAX_TURNS);
    let mut begin = session.history.began_at;
    let mut spans = Vec::with_capacity(turns.len() - n_early + 1);
    if let Some(last) = turns[..n_early].last() {
        begin = last.ended_at;
        spans.push(TurnSpan { from: Timestamp(0), to: Some(last.ended_at?), may_commit });
    }
    let mut is_going_on = false;
    for turn in &turns[n_early..] {
        let from = turn.prompt.as_ref().and_then(|prompt| prompt.at).or(begin)?;
        if turn.is_missing_steps {
            return None;
        }
        if let Some(before) = spans.last_mut().filter(|_| is_going_on) {
            before.to = Some(from);
        }
        // A subagent in the background worked on, and until when is not known.
        is_going_on = turn.steps.iter().filter_map(|step| step.at).max() > turn.ended_at;
        let is_over = !matches!(turn.end, TurnEnd::Open | TurnEnd::Unknown) && !is_going_on;
        spans.push(TurnSpan { from, to: if is_over { Some(turn.ended_at?) } else { None }, may_commit });
        begin = turn.ended_at;
    }
    Some(spans)
}

/// The turns in which a session, or a helper of it, may have stashed.
fn may_stash(session: &SessionObservation) -> impl Iterator<Item = TurnSpan> {
    let history = &session.history;
    let is_told = history.tells_steps && history.is_whole;
    let stashes = |deed: &Deed| match deed {
        Deed::Command(run) => run.command.contains("stash"),
        Deed::SentOff { .. } => true,
        Deed::Edit { .. } | Deed::Asked { .. } | Deed::Other { .. } => false,
    };
    let may = move |turn: &&Turn| {
        !is_told || turn.is_missing_steps || turn.steps.iter().any(|step| stashes(&step.deed))
    };
    history.turns.iter().map(AsRef::as_ref).filter(may).map(|turn| {
        let from = turn.prompt.as_ref().and_then(|prompt| prompt.at).or(history.began_at);
        let is_over = !matches!(turn.end, TurnEnd::Open | TurnEnd::Unknown);
        let to = turn.ended_at.filter(|_| is_over);
        TurnSpan { from: from.unwrap_or(Timestamp(0)), to, may_commit: false }
    })
}

/// When a session ran something in these `turns` that may have written files which no write call names: a command until
/// the step after it, a write call as long as a hook of it may run.
fn ran_in(session: &SessionObservation, turns: &[TurnSpan]) -> Vec<TurnSpan> {
    let steps = session.history.turns.iter().flat_map(|turn| turn.steps.iter().map(move |step| (turn, step)));
    let steps: Vec<(&Turn, &TurnStep)> = steps.map(|(turn, step)| (&**turn, &**step)).collect();
    if !session.history.tells_steps || steps.iter().any(|(_, step)| step.at.is_none()) {
        return turns.to_vec();
    }
    let mut ran: Vec<TurnSpan> = Vec::new();
    for (index, (turn, step)) in steps.iter().enumerate() {
        let Some(from) = step.at else { continue };
        let is_over = !matches!(turn.end, TurnEnd::Open | TurnEnd::Unknown);
        let end = turn.ended_at.filter(|end| is_over && *end >= from);
        let next = steps[index + 1..].iter().filter_map(|(_, next)| next.at).find(|at| *at >= from);
        let to = match &step.deed {
            Deed::Asked { .. } => continue,
            Deed::Edit { .. } => next.or(end).map(|to| to.min(from.plus_millis(HOOK_MS))),
            Deed::Command(_) | Deed::Other { .. } => {
                next.filter(|next| end.is_none_or(|end| *next <= end)).or(end)
            }
            Deed::SentOff { .. } => end,
        };
        match ran.last_mut().filter(|last| last.to.is_none_or(|to| to >= from)) {
            Some(last) => last.to = last.to.zip(to).map(|(one, other)| one.max(other)),
            None => ran.push(TurnSpan { from, to, may_commit: false }),
        }
    }
    ran
}

/// Whether a prompt asks to change or remove tests.
fn is_about_tests(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    words::has(&prompt, "names_tests") && words::has(&prompt, "changes_tests")
}
