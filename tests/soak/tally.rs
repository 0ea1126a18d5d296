//! Counts of what was observed.

use std::collections::BTreeMap;
use std::fmt;

use super::cycle_action::CycleAction;
use super::shot::Target;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By action, by who was killed (or nobody), and by whether the state is the one before or after.
    pub(crate) ends: BTreeMap<(CycleAction, Option<Target>, &'static str), usize>,
    /// Records that were reported as saved, each compared with the work tree.
    pub(crate) n_saved: usize,
    /// Foreign locks that were present.
    pub(crate) n_foreign: usize,
    /// Our own locks that a kill left and the recovery removed.
    pub(crate) n_left: usize,
    /// Garbage collections and agents' loops that ran during an action.
    pub(crate) n_collected: usize,
    /// Why actions were refused although nobody was killed.
    pub(crate) refusals: BTreeMap<String, usize>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((cycle_action, target, end), count) in &self.ends {
            let target = target.map_or("nobody".to_owned(), |target| format!("{target:?}").to_lowercase());
            writeln!(f, "  {:<6} killed: {target:<6} state: {end:<6} {count}", cycle_action.name())?;
        }
        for (words, count) in &self.refusals {
            writeln!(f, "  not done, nobody killed: {words} {count}")?;
        }
        write!(
            f,
            "  {} records saved and compared byte for byte; {} foreign locks untouched; {} locks of ours left by \
             kills, all removed; {} collections of garbage or agents' loops beside",
            self.n_saved, self.n_foreign, self.n_left, self.n_collected
        )
    }
}
