//! Turns facts into what the user or a script reads: labels, sentences, rows and the JSON form. Every wording
//! is defined here once, for the screen and for the commands.
//!
//! Texts are data (`assets/text/en.toml`), accessed through functions that the lists in `sets` and `phrases`
//! generate: a closed set by its variant, everything else by name with parameters. Symbols, colours
//! and cells belong to `ui`, streams and exit codes to `cli`. Foreign text goes in as a parameter and comes
//! out unchanged: whoever displays it cleans it.

pub(crate) mod action;
pub(crate) mod age;
pub(crate) mod baseline;
pub(crate) mod gate;
pub(crate) mod history;
pub mod json;
pub(crate) mod left;
pub(crate) mod mark;
pub(crate) mod phrases;
pub mod problem;
pub mod reason;
pub mod reply_json;
pub mod rescue_json;
pub(crate) mod row;
pub(crate) mod runs;
pub(crate) mod sessions;
pub(crate) mod sets;
#[cfg(test)]
mod text_file;
mod texts;
mod urgency;
pub mod verdict;
pub(crate) mod warnings;

pub(crate) use phrases::count as counts;
pub use urgency::{Section, Urgency, order, section_of};
