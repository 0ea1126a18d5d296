//! Puts what a session's subagents did among the session's own steps, in the order of time, so that it is judged as
//! the session's. Their prompts are not the user's and their words not the session's, so neither is taken. Pure.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use super::TurnTracker;
use super::kept::sent_off;
use super::turns::{APART, MAX_STEPS};
use crate::model::{Deed, Timestamp, Turn, TurnHistory, TurnStep};

/// What one subagent did, as its own record tells.
#[derive(Debug)]
pub(in crate::agent) struct SubagentSteps {
    id: String,
    steps: Vec<Arc<TurnStep>>,
    /// Whether they are all that it did.
    is_whole: bool,
    /// When its record last grew.
    moved_at: Option<Timestamp>,
}

impl TurnTracker {
    /// Takes the start of a subagent, or a message to it, where no call tells it.
    pub(in crate::agent) fn send_off(&mut self, what: &str, id: &str, at: Option<Timestamp>) {
        self.touch(at);
        self.ensure_turn();
        self.turns.add_step(sent_off(what, Some(id)), at);
    }
}

impl SubagentSteps {
    /// The steps of a record that was read. `is_whole` says that it was read from its first line to its end. What its
    /// paths are relative to is `folder`, if that is known: it need not be the session's.
    pub(in crate::agent) fn of(
        id: &str,
        turns: &TurnTracker,
        folder: Option<&str>,
        is_whole: bool,
        moved_at: Option<Timestamp>,
    ) -> SubagentSteps {
        let kept = &turns.turns;
        let is_whole = is_whole && !kept.is_cut && !turns.is_blank();
        SubagentSteps {
            id: id.to_owned(),
            steps: kept.iter().flat_map(|turn| &turn.steps).map(|step| absolute(step, folder)).collect(),
            is_whole: is_whole && !kept.iter().any(|turn| turn.is_missing_steps),
            moved_at,
        }
    }

    /// A record that was not read: what it tells is unknown.
    pub(in crate::agent) fn unread(id: &str, moved_at: Option<Timestamp>) -> SubagentSteps {
        SubagentSteps { id: id.to_owned(), steps: Vec::new(), is_whole: false, moved_at }
    }
}

/// The step, with the paths of an edit put behind the folder that they are relative to.
fn absolute(step: &Arc<TurnStep>, folder: Option<&str>) -> Arc<TurnStep> {
    let (Some(folder), Deed::Edit { paths, was_done }) = (folder, &step.deed) else {
        return Arc::clone(step);
    };
    let whole = |path: &String| Path::new(folder).join(path).to_str().unwrap_or(path).to_owned();
    let deed = Deed::Edit { paths: paths.iter().map(whole).collect(), was_done: *was_done };
    Arc::new(TurnStep { deed, ..**step })
}

/// A step on its way into the history.
struct Placed {
    /// The time that decides about its place. Without one it comes last.
    at: Option<Timestamp>,
    step: Arc<TurnStep>,
    /// Whether more was done around it than is known.
    is_beside_unknown: bool,
}

/// Puts the steps of `subagents` into `history`, each into the turn that ran at its time. What is older than a history
/// that does not begin with the record is left out. `before` keeps the turns made here, so that an unchanged turn stays
/// the same one.
pub(in crate::agent) fn join(
    history: &mut TurnHistory,
    subagents: &[SubagentSteps],
    before: &mut Vec<Arc<Turn>>,
) {
    if subagents.is_empty() || history.turns.is_empty() {
        return before.clear();
    }
    let whole = subagents.iter().filter(|subagent| subagent.is_whole);
    let read: HashSet<&str> = whole.map(|subagent| subagent.id.as_str()).collect();
    let mut placed = in_order(subagents);
    let begin = history.reaches_to();
    placed.retain(|one| one.at.zip(begin).is_none_or(|(at, begin)| at >= begin));
    let made = std::mem::take(before);
    let ends = ends(&history.turns);
    let last = ends.len() - 1;
    for (n, (turn, end)) in history.turns.iter_mut().zip(ends).enumerate() {
        let is_of_turn = |one: &Placed| n == last || one.at.zip(end).is_some_and(|(at, end)| at < end);
        let n_taken = placed.iter().take_while(|one| is_of_turn(one)).count();
        let taken: VecDeque<Placed> = placed.drain(..n_taken).collect();
        let is_read = |step: &&Arc<TurnStep>| is_sent_off_to(step, &read);
        if taken.is_empty() && turn.steps.iter().find(is_read).is_none() {
            continue;
        }
        let known = made.binary_search_by_key(&turn.order, |turn| turn.order).ok().map(|at| &made[at]);
        *turn = joined(turn, taken, &read, known);
        before.push(Arc::clone(turn));
    }
}

/// The steps of all subagents in the order of time, the last ones where they are too many.
fn in_order(subagents: &[SubagentSteps]) -> VecDeque<Placed> {
    let mut placed = Vec::new();
    for SubagentSteps { id, steps, is_whole, moved_at } in subagents {
        let mut at = steps.iter().find_map(|step| step.at).or(*moved_at);
        for step in steps.iter().filter(|step| !matches!(step.deed, Deed::Asked { .. })) {
            at = at.max(step.at);
            placed.push(Placed { at, step: Arc::clone(step), is_beside_unknown: !is_whole });
        }
        if !is_whole {
            let at = at.max(*moved_at);
            let step = Arc::new(TurnStep { order: 0, at, deed: sent_off("", Some(id)) });
            placed.push(Placed { at, step, is_beside_unknown: true });
        }
    }
    placed.sort_by_key(|one| (one.at.is_none(), one.at));
    let n_over = placed.len().saturating_sub(MAX_STEPS);
    placed.drain(..n_over);
    if let Some(first) = placed.first_mut().filter(|_| n_over > 0) {
        first.is_beside_unknown = true;
    }
    placed.into()
}

/// When each turn was followed by another one.
fn ends(turns: &[Arc<Turn>]) -> Vec<Option<Timestamp>> {
    let mut ends = Vec::with_capacity(turns.len());
    let mut next = None;
    for turn in turns.iter().rev() {
        ends.push(next);
        next = turn.began_at().or(next);
    }
    ends.reverse();
    ends
}

/// A turn with these steps among its own. What is in `known`, the turn made from it before, is used again.
fn joined(
    turn: &Turn,
    mut placed: VecDeque<Placed>,
    read: &HashSet<&str>,
    known: Option<&Arc<Turn>>,
) -> Arc<Turn> {
    let is_missing_steps = turn.is_missing_steps || placed.iter().any(|one| one.is_beside_unknown);
    let mut steps = Vec::with_capacity(turn.steps.len() + placed.len());
    let mut order = turn.order;
    for own in &turn.steps {
        let is_earlier = |one: &Placed| one.at.zip(own.at).is_some_and(|(at, own)| at < own);
        while let Some(one) = placed.pop_front_if(|one| is_earlier(one)) {
            order += 1;
            steps.push(step_at(order, &one.step, read, known));
        }
        steps.push(if is_sent_off_to(own, read) {
            step_at(own.order, own, read, known)
        } else {
            Arc::clone(own)
        });
        order = own.order;
    }
    for one in placed {
        order += 1;
        steps.push(step_at(order, &one.step, read, known));
    }
    let turn = Turn { steps, is_missing_steps, prompt: turn.prompt.clone(), ..turn.clone() };
    known.filter(|known| ***known == turn).map_or_else(|| Arc::new(turn), Arc::clone)
}

/// A step at this position.
fn step_at(order: u64, step: &TurnStep, read: &HashSet<&str>, known: Option<&Arc<Turn>>) -> Arc<TurnStep> {
    let mut step = TurnStep { order, ..step.clone() };
    if let Deed::SentOff { id: Some(id), was_read, .. } = &mut step.deed {
        *was_read = read.contains(id.as_str());
    }
    let same = known.and_then(|known| {
        let at = known.steps.binary_search_by_key(&order, |step| step.order).ok()?;
        known.steps.get(at).filter(|known| ***known == step)
    });
    same.map_or_else(|| Arc::new(step), Arc::clone)
}

/// Whether a step sent off one of these subagents.
fn is_sent_off_to(step: &TurnStep, ids: &HashSet<&str>) -> bool {
    matches!(&step.deed, Deed::SentOff { id: Some(id), .. } if ids.contains(id.as_str()))
}

/// As many steps as are put between two of the session's own find room.
const _: () = assert!((MAX_STEPS as u64) < APART);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::turn_tracker::{Answer, ToolCall, command, edit};
    use crate::model::{Exit, PromptKind, SessionObservation, TurnEnd};

    fn run(tracker: &mut TurnTracker, line: &str, at: Option<i64>) {
        let at = at.map(Timestamp);
        let deed = Some(command(line, None));
        tracker.call(ToolCall { id: line.to_owned(), deed, ..ToolCall::default() }, at);
        tracker.answer(line, &Answer { exit: Some(Exit::Code(0)), ..Answer::default() }, at);
    }

    /// A session that ran `a` at 10, sent off the subagent `s` at 20, ran `b` at 30, and `c` at 110 in its second turn.
    fn lead() -> TurnHistory {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "one", Some(Timestamp(1)));
        run(&mut tracker, "a", Some(10));
        tracker.send_off("look", "s", Some(Timestamp(20)));
        run(&mut tracker, "b", Some(30));
        tracker.end(TurnEnd::Finished, Some(Timestamp(40)));
        tracker.prompt(PromptKind::Person, "two", Some(Timestamp(100)));
        run(&mut tracker, "c", Some(110));
        let mut session = SessionObservation::named("agent", "id");
        tracker.tell(true, &mut session);
        session.history
    }

    fn subagent(steps: &[(&str, Option<i64>)]) -> TurnTracker {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "do it", steps.first().and_then(|(_, at)| at.map(Timestamp)));
        for (line, at) in steps {
            run(&mut tracker, line, *at);
        }
        tracker
    }

    /// The steps of each turn in short, which stand in the order of their positions.
    fn steps_of(history: &TurnHistory) -> Vec<String> {
        let mut last = 0;
        let mut lines = Vec::new();
        for turn in &history.turns {
            assert!(turn.order > last);
            last = turn.order;
            let mut steps = Vec::new();
            for step in &turn.steps {
                assert!(step.order > last);
                last = step.order;
                steps.push(match &step.deed {
                    Deed::Command(run) => run.command.clone(),
                    Deed::SentOff { was_read: true, .. } => "sent".to_owned(),
                    Deed::SentOff { .. } => "unknown".to_owned(),
                    Deed::Edit { .. } | Deed::Asked { .. } | Deed::Other { .. } => "other".to_owned(),
                });
            }
            lines.push(steps.join(" ") + if turn.is_missing_steps { " (more)" } else { "" });
        }
        lines
    }

    #[test]
    fn a_step_stands_where_the_session_was_at_its_time() {
        let mut history = lead();
        let steps = [("s1", Some(25)), ("s2", None), ("s3", Some(31)), ("s4", Some(60)), ("s5", Some(105))];
        let of = SubagentSteps::of("s", &subagent(&steps), None, true, None);
        let before =
            SubagentSteps::of("t", &subagent(&[("t1", Some(5)), ("t2", Some(120))]), None, true, None);
        join(&mut history, &[of, before], &mut Vec::new());
        assert_eq!(steps_of(&history), ["t1 a sent s1 s2 b s3 s4", "s5 c t2"]);
        // Neither its prompt nor its words.
        assert_eq!(history.turns.len(), 2);
    }

    #[test]
    fn what_a_record_does_not_tell_is_unknown_until_it_grew_last() {
        for of in [
            SubagentSteps::unread("s", Some(Timestamp(35))),
            SubagentSteps::of("s", &subagent(&[]), None, false, Some(Timestamp(35))),
            SubagentSteps::of("s", &TurnTracker::default(), None, true, Some(Timestamp(35))),
        ] {
            let mut history = lead();
            join(&mut history, &[of], &mut Vec::new());
            assert_eq!(steps_of(&history), ["a unknown b unknown (more)", "c"]);
        }
        let mut lost = subagent(&[("s1", Some(25))]);
        lost.lose_track();
        let mut history = lead();
        join(
            &mut history,
            &[SubagentSteps::of("s", &lost, None, true, Some(Timestamp(112)))],
            &mut Vec::new(),
        );
        assert_eq!(steps_of(&history), ["a unknown s1 b (more)", "c unknown (more)"]);
        // Without any time it may be the last thing that was done.
        let mut history = lead();
        join(&mut history, &[SubagentSteps::unread("", None)], &mut Vec::new());
        assert_eq!(steps_of(&history), ["a unknown b", "c unknown (more)"]);
    }

    #[test]
    fn of_a_record_read_from_its_end_only_what_was_done_since_counts() {
        let mut history = lead();
        history.turns.remove(0);
        history.is_whole = false;
        let of = SubagentSteps::of("s", &subagent(&[("s1", Some(25)), ("s2", Some(105))]), None, true, None);
        join(&mut history, &[of], &mut Vec::new());
        assert_eq!(steps_of(&history), ["s2 c"]);
    }

    #[test]
    fn turns_and_steps_that_stay_the_same_are_the_same() {
        let (first, mut kept) = (lead(), Vec::new());
        let steps = [("s1", Some(25)), ("s2", Some(105))];
        let joined = |steps: &[(&str, Option<i64>)], kept: &mut Vec<Arc<Turn>>| {
            let mut history = first.clone();
            join(&mut history, &[SubagentSteps::of("s", &subagent(steps), None, true, None)], kept);
            history.turns
        };
        let before = joined(&steps, &mut kept);
        let after = joined(&[steps[0], steps[1], ("s3", Some(115))], &mut kept);
        assert!(Arc::ptr_eq(&before[0], &after[0]));
        assert!(!Arc::ptr_eq(&before[1], &after[1]));
        assert!(before[1].steps.iter().zip(&after[1].steps).all(|(one, other)| Arc::ptr_eq(one, other)));
        // A turn without them is the session's own.
        assert!(Arc::ptr_eq(&joined(&[], &mut kept)[1], &first.turns[1]));
    }

    #[test]
    fn of_too_many_steps_the_last_ones_are_kept() {
        let lines: Vec<String> = (0..1_000).map(|n| format!("s{n}")).collect();
        let steps: Vec<(&str, Option<i64>)> = lines.iter().map(|line| (line.as_str(), Some(25))).collect();
        let all = [1, 2].map(|_| SubagentSteps::of("s", &subagent(&steps), None, true, None));
        let mut history = lead();
        join(&mut history, &all, &mut Vec::new());
        assert!(history.turns[0].is_missing_steps);
        assert_eq!(history.turns[0].steps.len(), 3 + MAX_STEPS);
        steps_of(&history);
    }

    #[test]
    fn the_paths_of_an_edit_are_those_of_its_own_folder() {
        let mut tracker = TurnTracker::default();
        let deed = Some(edit(["src/a.rs".to_owned(), "/x/b.rs".to_owned()]));
        tracker.call(ToolCall { id: "e".to_owned(), deed, ..ToolCall::default() }, Some(Timestamp(25)));
        let mut history = lead();
        join(&mut history, &[SubagentSteps::of("s", &tracker, Some("/part"), true, None)], &mut Vec::new());
        let paths = history.turns[0].steps.iter().find_map(|step| match &step.deed {
            Deed::Edit { paths, .. } => Some(paths.clone()),
            Deed::Command(_) | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => None,
        });
        assert_eq!(paths.unwrap(), ["/part/src/a.rs", "/x/b.rs"]);
    }
}
