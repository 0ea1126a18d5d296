//! Agents that are asked without a person's word: when, within which budget, and how a person comes first.

mod budget;
