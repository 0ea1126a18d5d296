//! Where HEAD stood before, and whether the commits made since then changed what it held there. Content that HEAD
//! already had at a task's prompt is no work of that task, even in a new commit: made again after a reset, reverted
//! twice, squashed. Must not know what anybody was asked for; the judge compares times.

use std::collections::HashMap;

use super::content_age::{Ages, Other};
use super::head_news::{Position, Search, Since, Source};
use super::reader::{Commit, Repo, TreeId};
use super::tree_entries::{TreeEntries, trees_of};
use crate::git::{LogEntry, Read, ReflogAction};
use crate::model::{CommitId, HeadNews, HeadStay, Timestamp};

/// HEAD's last positions are compared whether anybody was asked then or not: the next prompt may come at any time.
const MAX_LAST: usize = 32;
/// At most this many positions are compared in all.
const MAX_STAYS: usize = 500;
/// A prompt meets the positions that HEAD held in the seconds before it.
const MARGIN: i64 = 10;
/// New commits alone update the facts only if this many last moves were commits and amends.
const MAX_PLAIN: usize = 32;

/// HEAD's positions, oldest first, and whether its last moves were plain commits alone. Those are compared that a
/// prompt met, and the last ones, however many moves lie between; all others are unknown. Empty if HEAD has no log.
pub(super) fn read(source: &Source<'_>, entries: &mut TreeEntries<'_>) -> Read<(Vec<HeadStay>, bool)> {
    let Some(tip) = source.tip.filter(|_| !source.log.is_empty()) else { return Ok((Vec::new(), true)) };
    let positions = positions(source.log);
    let is_met = met(&positions, source.asked);
    let oldest = is_met.iter().position(|is_met| *is_met).unwrap_or(positions.len());
    let trees = trees(source, positions.iter().zip(&is_met).skip(oldest))?;
    let Some(tip_tree) = trees.get(&tip) else { return Ok((Vec::new(), true)) };
    let by_id: HashMap<CommitId, &Commit> = source.walked.iter().map(|commit| (commit.id, commit)).collect();
    let mut since = Since::default();
    let mut search = Search::new(source, &trees, (tip, tip_tree), entries);
    let mut stays: Vec<HeadStay> = Vec::new();
    let mut next = source.log.len();
    for (position, is_met) in positions.iter().zip(&is_met).skip(oldest).rev() {
        for entry in source.log[position.after..next].iter().rev() {
            since.take(entry, source, &by_id)?;
        }
        next = position.after;
        let from = seconds(position.from);
        // Where its branch was removed, HEAD held nothing to compare.
        if !is_met || (position.id.is_none() && position.after > 0) {
            match stays.last_mut().filter(|later| later.news == HeadNews::Unknown) {
                Some(later) => later.from = later.from.min(from),
                None => stays.push(unknown(from)),
            }
            continue;
        }
        let tree = position.id.as_ref().and_then(|id| trees.get(id));
        let news = match (&position.id, tree) {
            (_, Some(tree)) if tree == tip_tree => HeadNews::None,
            // The commit is gone: nobody can compare.
            (Some(_), None) => HeadNews::Unknown,
            _ if since.is_mixed() || !source.others.is_empty() => search.news(&since, position, tree)?,
            _ => since.newest(),
        };
        stays.push(HeadStay { from, tree: tree.cloned(), news });
    }
    if oldest > 0 || !source.log.first().is_some_and(is_first) {
        stays.push(unknown(Timestamp(i64::MIN)));
    }
    stays.reverse();
    Ok((stays, is_plain(source.log)))
}

/// Whether positions that were read for the prompts `read` also tell what HEAD held at those of `asked`.
pub(super) fn reach(stays: &[HeadStay], read: &[Timestamp], asked: &[Timestamp]) -> bool {
    let is_known = |at: Timestamp| {
        let stay = stays.iter().rev().find(|stay| stay.from <= at);
        stay.is_some_and(|stay| stay.news != HeadNews::Unknown)
    };
    // What was made before the first of the prompts was not compared.
    let is_later = |at: &Timestamp| read.iter().min().is_none_or(|first| first <= at);
    let is_met = |at: &Timestamp| {
        read.contains(at) || is_later(at) && is_known(*at) && is_known(at.plus_millis(-MARGIN * 1000))
    };
    stays.is_empty() || asked.iter().all(is_met)
}

/// Takes in that `commit` was made on top, with new content in the files `paths`, if any.
pub(super) fn advance(
    repo: &dyn Repo,
    others: &[Other],
    stays: &mut Vec<HeadStay>,
    commit: &Commit,
    paths: &[Vec<u8>],
    entries: &mut TreeEntries<'_>,
) -> Read<()> {
    let mut ages = Ages::new(repo, others, (commit.id, &commit.tree));
    let mut made = Vec::with_capacity(paths.len());
    for path in paths {
        made.push((path, seconds(ages.age(commit.time, path, entries)?)));
    }
    let mut last: Option<(Option<TreeId>, Option<Timestamp>)> = None;
    for stay in stays.iter_mut().filter(|stay| !made.is_empty() && stay.news != HeadNews::Unknown) {
        let known = last.as_ref().filter(|(tree, _)| *tree == stay.tree).map(|(_, newest)| *newest);
        let newest = match known {
            Some(newest) => newest,
            None => newest_of(&made, stay.tree.as_ref(), &commit.tree, entries)?,
        };
        last = Some((stay.tree.clone(), newest));
        let before = if let HeadNews::MadeAt(before) = stay.news { Some(before) } else { None };
        stay.news = before.max(newest).map_or(HeadNews::None, HeadNews::MadeAt);
    }
    stays.push(HeadStay {
        from: seconds(commit.time),
        tree: Some(commit.tree.clone()),
        news: HeadNews::None,
    });
    if stays.len() > MAX_STAYS {
        drop(stays.drain(..stays.len() - MAX_STAYS));
        stays.insert(0, unknown(Timestamp(i64::MIN)));
    }
    Ok(())
}

/// When the newest of these files was made that is not as in the tree `before`.
fn newest_of(
    made: &[(&Vec<u8>, Timestamp)],
    before: Option<&TreeId>,
    now: &TreeId,
    entries: &mut TreeEntries<'_>,
) -> Read<Option<Timestamp>> {
    let mut newest = None;
    for (path, at) in made {
        if newest < Some(*at) && !entries.are_same(before, Some(now), path)? {
            newest = Some(*at);
        }
    }
    Ok(newest)
}

/// HEAD's positions, oldest first. Of those of one second only the last counts, since the log tells no finer times.
fn positions(log: &[LogEntry]) -> Vec<Position> {
    let mut positions: Vec<Position> = Vec::with_capacity(log.len() + 1);
    if let Some(first) = log.first().filter(|first| is_first(first)) {
        // A clone or a new worktree begins at a commit that was made elsewhere, and which is nobody's work here.
        let (after, id) = if first.action.is_making() { (0, None) } else { (1, first.new) };
        positions.push(Position { from: 0, after, id });
    }
    let is_move = |entry: &LogEntry| entry.old != entry.new && (!is_first(entry) || entry.action.is_making());
    for (at, entry) in log.iter().enumerate().filter(|(_, entry)| is_move(entry)) {
        positions.pop_if(|before| before.from == entry.time);
        positions.push(Position { from: entry.time, after: at + 1, id: entry.new });
    }
    positions
}

/// Which of these positions are compared: the last ones, and those that the prompts at `asked` met, the newest first.
fn met(positions: &[Position], asked: &[Timestamp]) -> Vec<bool> {
    let mut is_met = vec![false; positions.len()];
    let last = positions.len().saturating_sub(MAX_LAST);
    is_met[last..].fill(true);
    let mut n_left = MAX_STAYS - MAX_LAST;
    let mut asked: Vec<i64> = asked.iter().map(|at| at.0.div_euclid(1000)).collect();
    asked.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
    // The earliest time of each position and those after it, which only grows, however the clock was set.
    let mut earliest: Vec<i64> = positions.iter().map(|position| position.from).collect();
    for at in (1..earliest.len()).rev() {
        earliest[at - 1] = earliest[at - 1].min(earliest[at]);
    }
    let held_at = |at: i64| earliest.partition_point(|earliest| *earliest <= at).checked_sub(1);
    for at in asked {
        let Some(to) = held_at(at) else { continue };
        let from = held_at(at - MARGIN).unwrap_or_default().min(to);
        n_left = n_left.saturating_sub(to - from + 1);
        if n_left == 0 {
            break;
        }
        is_met[from..=to].fill(true);
    }
    is_met
}

fn is_first(entry: &LogEntry) -> bool {
    entry.old.is_none()
}

/// The trees of HEAD's commit, of the positions that are compared, and of all that HEAD met since the first of them.
fn trees<'p>(
    source: &Source<'_>,
    positions: impl Iterator<Item = (&'p Position, &'p bool)>,
) -> Read<HashMap<CommitId, TreeId>> {
    let mut from = source.log.len();
    let mut met: Vec<CommitId> = source.tip.into_iter().collect();
    for (position, _) in positions.filter(|(_, is_met)| **is_met) {
        from = from.min(position.after);
        met.extend(position.id);
    }
    let arrivals = source.log[from..].iter().filter(|entry| !entry.action.is_making());
    met.extend(arrivals.filter_map(|entry| entry.new));
    met.extend(source.walked.iter().flat_map(|commit| commit.parents.iter().skip(1).copied()));
    trees_of(source.repo, source.walked, met.into_iter())
}

/// Whether HEAD's last moves were plain commits and amends.
fn is_plain(log: &[LogEntry]) -> bool {
    let moves = log.iter().rev().filter(|entry| entry.old != entry.new && !is_first(entry));
    moves.take(MAX_PLAIN).all(|entry| matches!(entry.action, ReflogAction::Commit | ReflogAction::Amend))
}

/// A time of which nothing is known.
fn unknown(from: Timestamp) -> HeadStay {
    HeadStay { from, tree: None, news: HeadNews::Unknown }
}

fn seconds(seconds: i64) -> Timestamp {
    Timestamp(seconds.saturating_mul(1000))
}
