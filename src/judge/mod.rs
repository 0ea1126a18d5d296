//! The judges: what a snapshot means. Pure, total (any input gives an answer) and linear.
//!
//! Five judges read one kind of source each; [`weigh`] lets them turn raw observations into
//! evidence, and [`combine`] makes a verdict of all evidence of a workspace. Nothing here reads the
//! world, and missing evidence is never COMPLETE.

mod by_turn;
pub mod checkers;
pub mod closer;
pub mod combine;
pub mod commit_messages;
pub mod decision;
pub mod gate;
pub mod json_answer;
pub mod left_to_do;
pub mod prompt;
pub mod questions;
pub mod rounds;
pub mod runs;
pub mod second_opinion;
pub mod smart_check;
pub mod supervised_loop;
pub mod task;
pub mod weigh;
mod words;

/// Times of less than this between them, in milliseconds, are taken for one moment: a commit has whole seconds, and
/// files, prompts and commits are not of one clock (vectors/README.md, decision rule 5).
pub(crate) const GRACE_MS: i64 = 2000;
