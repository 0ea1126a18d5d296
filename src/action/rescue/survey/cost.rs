//! What reading will cost, and the question whether that is wanted: before anything is read, and again before more is.
//!
//! It must not read a file.

use std::collections::{BTreeMap, BTreeSet};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::{Stamp, WorkTree};
use crate::git::IndexEntry;

/// What reading will cost, estimated from file sizes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    /// All bytes that will be read.
    pub(crate) bytes: u64,
    /// The number of files that differ from the index's cached state.
    pub(crate) new_files: usize,
    /// The size of those files in bytes.
    pub(crate) new_bytes: u64,
    /// The size in bytes and the path of the largest file that will be read.
    pub(crate) largest: (u64, Vec<u8>),
    /// How many bytes of it take their place already.
    pub(crate) written: u64,
}

/// Says with an error that what it will cost is not wanted.
pub(crate) type IsWanted<'a> = &'a dyn Fn(&Expected) -> Result<(), RescueError>;

/// One file, as it was asked about. Its size is 0 where there was none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cost {
    bytes: u64,
    is_new: bool,
}

/// What was asked about.
pub(crate) struct Costs<'a> {
    tree: &'a WorkTree,
    /// Files that match the index's cached state count as known.
    known: BTreeMap<&'a [u8], &'a IndexEntry>,
    is_wanted: IsWanted<'a>,
    counted: BTreeMap<Vec<u8>, Cost>,
    expected: Expected,
    is_asked: bool,
}

impl<'a> Costs<'a> {
    pub(crate) fn new(tree: &'a WorkTree, entries: &'a [IndexEntry], is_wanted: IsWanted<'a>) -> Costs<'a> {
        let known = entries.iter().map(|entry| (&entry.path[..], entry)).collect();
        let (counted, expected) = (BTreeMap::new(), Expected::default());
        Costs { tree, known, is_wanted, counted, expected, is_asked: false }
    }

    /// Asks the first time, and where some of the paths were not asked about.
    pub(crate) fn ask(&mut self, paths: &BTreeSet<Vec<u8>>, written: u64) -> Result<(), RescueError> {
        let mut is_more = !self.is_asked;
        for path in paths {
            if !self.counted.contains_key(path) {
                self.counted.insert(path.clone(), Cost::default());
                if let Ok(Some(stamp)) = self.tree.stamp(path) {
                    self.count(path, &stamp);
                }
                is_more = true;
            }
        }
        self.ask_if(is_more, written)
    }

    /// Asks again where this file costs more than it did.
    pub(crate) fn ask_again(&mut self, path: &[u8], stamp: &Stamp, written: u64) -> Result<(), RescueError> {
        let is_more = self.count(path, stamp);
        self.ask_if(is_more, written)
    }

    fn ask_if(&mut self, is_more: bool, written: u64) -> Result<(), RescueError> {
        if is_more {
            self.expected.written = written;
            (self.is_wanted)(&self.expected)?;
            self.is_asked = true;
        }
        Ok(())
    }

    /// Returns whether it costs more than it did.
    fn count(&mut self, path: &[u8], stamp: &Stamp) -> bool {
        if stamp.is_folder() {
            return false;
        }
        let cost = self.counted.entry(path.to_vec()).or_default();
        let before = *cost;
        let is_new = self.known.get(path).is_none_or(|entry| entry.stat != stamp.as_in_index());
        *cost = Cost { bytes: before.bytes.max(stamp.size), is_new: before.is_new || is_new };
        let new_bytes = |cost: Cost| if cost.is_new { cost.bytes } else { 0 };
        let expected = &mut self.expected;
        expected.bytes = expected.bytes.saturating_add(cost.bytes - before.bytes);
        expected.new_files += usize::from(cost.is_new && !before.is_new);
        expected.new_bytes = expected.new_bytes.saturating_add(new_bytes(*cost) - new_bytes(before));
        if stamp.size > expected.largest.0 {
            expected.largest = (stamp.size, path.to_vec());
        }
        *cost != before
    }
}
