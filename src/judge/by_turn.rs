//! What was read from a session's turns and their steps, kept so that a look costs as much as what is new in
//! the record rather than all of it. Must not know what is read; losing it costs only time.
//!
//! It holds only weak pointers to turns and steps, so whoever extends the last turn need not copy it. A weak
//! pointer also keeps its address from being reused, so the same address means the same content.

use std::sync::{Arc, Weak};

use crate::model::{Turn, TurnStep};

/// How many of the last items are always folded anew, since they are the ones that change.
const N_LATE: usize = 16;

/// Items in order, each with what was read from it, and the fold of those that are settled.
#[derive(Debug)]
pub(super) struct Followed<I, T, F> {
    items: Vec<(Weak<I>, T)>,
    /// The fold of the first `n_settled` items; `None` is an empty one, as most short sessions have.
    settled: Option<Box<F>>,
    n_settled: usize,
}

impl<I, T, F: Default> Default for Followed<I, T, F> {
    fn default() -> Self {
        Self { items: Vec::new(), settled: None, n_settled: 0 }
    }
}

impl<I, T, F: Clone + Default> Followed<I, T, F> {
    /// Folds all items. `from(at)` yields them from position `at` on, and the first `n_known` must be
    /// unchanged. `read` is called for each new or changed item, with what was read at that position before.
    pub(super) fn fold<'i, It: Iterator<Item = &'i Arc<I>>>(
        &mut self,
        n_known: usize,
        from: impl Fn(usize) -> It,
        begin: &F,
        mut read: impl FnMut(&I, Option<T>) -> T,
        mut take: impl FnMut(&mut F, &I, &T),
    ) -> F
    where
        I: 'i,
    {
        let n_same = self.follow(n_known, &from, &mut read);
        if self.n_settled > n_same {
            self.refold(begin.clone());
        }
        let n_settled = self.items.len().saturating_sub(N_LATE).min(n_same).max(self.n_settled);
        let mut rest = from(self.n_settled).zip(&self.items[self.n_settled..]);
        for (item, (_, read)) in rest.by_ref().take(n_settled - self.n_settled) {
            take(self.settled.get_or_insert_default(), item, read);
        }
        self.n_settled = n_settled;
        let mut folded = self.settled.as_deref().cloned().unwrap_or_default();
        for (item, (_, read)) in rest {
            take(&mut folded, item, read);
        }
        folded
    }

    /// Catches up with the current items, and returns how many of the first are unchanged.
    fn follow<'i, It: Iterator<Item = &'i Arc<I>>>(
        &mut self,
        n_known: usize,
        from: impl Fn(usize) -> It,
        mut read: impl FnMut(&I, Option<T>) -> T,
    ) -> usize
    where
        I: 'i,
    {
        let is_same = |(old, _): &(Weak<I>, T), new: &Arc<I>| std::ptr::eq(old.as_ptr(), Arc::as_ptr(new));
        if n_known == 0 {
            // The record drops its oldest items to save memory.
            let first = from(0).next();
            let n_gone = first.and_then(|first| self.items.iter().position(|old| is_same(old, first)));
            if let Some(n_gone) = n_gone.filter(|n_gone| *n_gone > 0) {
                self.items.drain(..n_gone);
                // Exceeds every length, so that the settled items are folded anew.
                self.n_settled = usize::MAX;
            }
        }
        let known = self.items[n_known..].iter().zip(from(n_known));
        let n_same = n_known + known.take_while(|(old, new)| is_same(old, new)).count();
        let mut before = self.items.split_off(n_same).into_iter();
        self.items.extend(from(n_same).map(|item| match before.next() {
            Some(old) if is_same(&old, item) => old,
            old => (Arc::downgrade(item), read(item, old.map(|(_, read)| read))),
        }));
        n_same
    }

    /// The fold of the settled items; `None` if it is empty.
    pub(super) fn settled_mut(&mut self) -> Option<&mut F> {
        self.settled.as_deref_mut()
    }

    /// Makes the next fold start over with all items, from `begin`.
    pub(super) fn refold(&mut self, begin: F) {
        self.settled = Some(Box::new(begin));
        self.n_settled = 0;
    }
}

/// Where each turn's steps begin among all steps of a session.
#[derive(Debug, Default)]
pub(super) struct StepPlaces {
    turns: Vec<TurnPlace>,
    n_steps: usize,
}

/// Where one turn's steps begin.
#[derive(Debug)]
struct TurnPlace {
    turn: Weak<Turn>,
    begin: usize,
}

impl StepPlaces {
    /// Catches up with `turns`, and returns how many of the first steps belong to unchanged turns.
    pub(super) fn follow(&mut self, turns: &[Arc<Turn>]) -> usize {
        let known = self.turns.iter().zip(turns);
        let n_same = known.take_while(|(old, new)| std::ptr::eq(old.turn.as_ptr(), Arc::as_ptr(new))).count();
        let n_known = self.turns.get(n_same).map_or(self.n_steps, |place| place.begin);
        self.turns.truncate(n_same);
        self.n_steps = n_known;
        for turn in &turns[n_same..] {
            self.turns.push(TurnPlace { turn: Arc::downgrade(turn), begin: self.n_steps });
            self.n_steps += turn.steps.len();
        }
        n_known
    }

    /// The steps of `turns` from position `at` on. `turns` must be those last followed.
    pub(super) fn steps_from<'t>(
        &self,
        at: usize,
        turns: &'t [Arc<Turn>],
    ) -> impl Iterator<Item = &'t Arc<TurnStep>> + use<'t> {
        let turn = self.turns.partition_point(|place| place.begin <= at).saturating_sub(1);
        let n_before = self.turns.get(turn).map_or(0, |place| at - place.begin);
        let first = turns.get(turn).map_or(&[][..], |turn| &turn.steps[n_before.min(turn.steps.len())..]);
        first.iter().chain(turns.iter().skip(turn + 1).flat_map(|turn| &turn.steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folds `turns` into the list of their orders. Returns which turns were read, with what was read there
    /// before, and how many were folded.
    fn read(
        known: &mut Followed<Turn, u64, Vec<u64>>,
        turns: &[Arc<Turn>],
    ) -> (Vec<(u64, Option<u64>)>, usize) {
        let mut was_read = Vec::new();
        let mut n_taken = 0;
        let folded = known.fold(
            0,
            |at| turns[at..].iter(),
            &Vec::new(),
            |turn, before| {
                was_read.push((turn.order, before));
                turn.order
            },
            |folded, turn, read| {
                assert_eq!(turn.order, *read);
                n_taken += 1;
                folded.push(*read);
            },
        );
        assert!(folded.into_iter().eq(turns.iter().map(|turn| turn.order)));
        (was_read, n_taken)
    }

    #[test]
    fn only_what_is_new_or_changed_is_read() {
        let mut known = Followed::default();
        let mut turns: Vec<Arc<Turn>> = [1, 5, 9].map(|order| Arc::new(Turn::begun(order, None))).into();
        assert_eq!(read(&mut known, &turns).0, [(1, None), (5, None), (9, None)]);
        assert_eq!(read(&mut known, &turns).0, []);
        Arc::make_mut(&mut turns[1]).is_missing_steps = true;
        turns.push(Arc::new(Turn::begun(12, None)));
        assert_eq!(read(&mut known, &turns).0, [(5, Some(5)), (12, None)]);
        turns.remove(0);
        assert_eq!(read(&mut known, &turns).0, []);
        turns.clear();
        assert_eq!(read(&mut known, &turns).0, []);
    }

    #[test]
    fn what_is_settled_is_not_folded_again() {
        let mut known = Followed::default();
        let mut turns: Vec<Arc<Turn>> = (0..100).map(|order| Arc::new(Turn::begun(order, None))).collect();
        assert_eq!(read(&mut known, &turns), ((0..100).map(|order| (order, None)).collect(), 100));
        turns.push(Arc::new(Turn::begun(100, None)));
        assert_eq!(read(&mut known, &turns).1, 101);
        turns.push(Arc::new(Turn::begun(101, None)));
        assert_eq!(read(&mut known, &turns), (vec![(101, None)], N_LATE + 1));
        turns.remove(0);
        assert_eq!(read(&mut known, &turns), (Vec::new(), 101));
        assert_eq!(read(&mut known, &turns), (Vec::new(), N_LATE));
        Arc::make_mut(&mut turns[3]).is_missing_steps = true;
        assert_eq!(read(&mut known, &turns).1, 101);
    }

    #[test]
    fn steps_are_given_from_a_place_on() {
        let step = |order| {
            let deed = crate::model::Deed::Other { tool: String::new() };
            Arc::new(TurnStep { order, at: None, deed })
        };
        let turn = |order, steps: &[u64]| {
            let steps = steps.iter().copied().map(step).collect();
            Arc::new(Turn { steps, ..Turn::begun(order, None) })
        };
        let mut turns = vec![turn(0, &[1, 2]), turn(3, &[]), turn(4, &[5]), turn(6, &[])];
        let mut places = StepPlaces::default();
        assert_eq!(places.follow(&turns), 0);
        for at in 0..=3 {
            let orders: Vec<u64> = places.steps_from(at, &turns).map(|step| step.order).collect();
            assert_eq!(orders, [1, 2, 5][at..]);
        }
        assert_eq!(places.follow(&turns), 3);
        Arc::make_mut(&mut turns[2]).steps.push(step(6));
        assert_eq!(places.follow(&turns), 2);
        assert_eq!(places.steps_from(3, &turns).count(), 1);
        turns.clear();
        assert_eq!(places.follow(&turns), 0);
        assert_eq!(places.steps_from(0, &turns).count(), 0);
    }
}
