//! Rescue: records, visible commits and their undo, over real git and with faults injected for real.

#[path = "rescue/bench.rs"]
mod bench;
#[path = "rescue/kill.rs"]
mod kill;
#[path = "rescue/places.rs"]
mod places;
#[path = "rescue/record.rs"]
mod record;
#[path = "rescue/split.rs"]
mod split;
#[path = "rescue/target.rs"]
mod target;
#[path = "rescue/undo.rs"]
mod undo;
#[path = "rescue/visible.rs"]
mod visible;
