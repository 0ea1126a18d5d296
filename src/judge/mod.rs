//! The judges: what a snapshot means. Pure, total (every input has an answer) and linear in the input.
//!
//! Five judges each read one kind of source. [`weigh`] uses them to turn raw observations into evidence, and
//! [`combine`] turns all evidence of a workspace into a verdict. Nothing here does I/O, and missing evidence
//! never yields COMPLETE.

mod by_turn;
pub mod checkers;
pub mod closer;
pub mod combine;
pub mod commit_messages;
pub mod decision;
mod figures;
pub mod gate;
mod joined;
pub mod json_answer;
pub mod left_to_do;
mod linear_model;
pub mod prompt;
pub mod questions;
pub mod rounds;
pub mod runs;
pub mod second_opinion;
mod sentence_features;
mod sentences;
pub mod set_aside;
pub mod smart_check;
pub mod supervised_loop;
pub mod task;
pub mod weigh;
mod word_split;
mod words;

/// Two times closer than this, in milliseconds, count as the same moment: commit times are whole seconds, and
/// files, prompts and commits do not share a clock (vectors/README.md, decision rule 5).
pub(crate) const GRACE_MS: i64 = 2000;
