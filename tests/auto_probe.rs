//! Agents that are asked without a person's word: when, within which budget, and how a person comes first.

mod beside;
mod budget;
mod checks;
mod deciding;
mod giving_way;
mod opinion;
pub(crate) mod scene;
mod screen;
