//! What was read of each turn of a session, kept so that a turn that did not change is not read again. It knows
//! nothing of what is read, and losing it costs time and nothing else.

use std::sync::Arc;

use crate::model::Turn;

/// The turns of one session, each with what was read of it.
#[derive(Debug)]
pub(super) struct ByTurn<T>(Vec<(Arc<Turn>, T)>);

impl<T> Default for ByTurn<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByTurn<T> {
    /// Follows the history to `turns`: `read` is called for those that are new or other than before, with the turn
    /// as it was and what was read of it then.
    pub(super) fn follow(
        &mut self,
        turns: &[Arc<Turn>],
        mut read: impl FnMut(&Turn, Option<(&Turn, T)>) -> T,
    ) {
        let mut known = std::mem::take(&mut self.0).into_iter().peekable();
        let followed = turns.iter().map(|turn| {
            while known.next_if(|(old, _)| old.order < turn.order).is_some() {}
            match known.next_if(|(old, _)| old.order == turn.order) {
                // A turn that is held here is never changed in place.
                Some(kept) if Arc::ptr_eq(&kept.0, turn) => kept,
                Some((old, before)) => (Arc::clone(turn), read(turn, Some((&old, before)))),
                None => (Arc::clone(turn), read(turn, None)),
            }
        });
        self.0 = followed.collect();
    }

    /// The turns in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Turn, &T)> {
        self.0.iter().map(|(turn, read)| (turn.as_ref(), read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows to `turns` and tells which were read, with the order of what each was read beside.
    fn read(known: &mut ByTurn<u64>, turns: &[Arc<Turn>]) -> Vec<(u64, Option<u64>)> {
        let mut read = Vec::new();
        known.follow(turns, |turn, before| {
            read.push((turn.order, before.map(|(old, _)| old.order)));
            turn.order
        });
        assert!(
            known.iter().map(|(turn, read)| (turn.order, *read)).eq(turns.iter().map(|t| (t.order, t.order)))
        );
        read
    }

    #[test]
    fn only_what_is_new_or_changed_is_read() {
        let mut known = ByTurn::default();
        let mut turns: Vec<Arc<Turn>> = [1, 5, 9].map(|order| Arc::new(Turn::begun(order, None))).into();
        assert_eq!(read(&mut known, &turns), [(1, None), (5, None), (9, None)]);
        assert_eq!(read(&mut known, &turns), []);
        Arc::make_mut(&mut turns[1]).is_missing_steps = true;
        turns.push(Arc::new(Turn::begun(12, None)));
        assert_eq!(read(&mut known, &turns), [(5, Some(5)), (12, None)]);
        turns.remove(0);
        assert_eq!(read(&mut known, &turns), []);
        turns.clear();
        assert_eq!(read(&mut known, &turns), []);
    }
}
