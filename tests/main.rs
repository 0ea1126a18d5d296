//! The one test binary: the list of its modules, so that linking is paid once.

// Says to clippy that helpers beside the tests are tests too (`allow-unwrap-in-tests`).
#![cfg(test)]

mod actions;
mod activity;
mod agents;
mod agents_codex;
mod agents_custom;
mod agents_gemini;
mod agents_opencode;
mod architecture;
mod asking;
mod auto_probe;
mod cli;
mod combine;
mod config;
mod corpus;
mod documents;
mod engine;
mod engine_quiet;
mod evidence_files;
mod evidence_git;
mod examples;
mod frames;
mod fuzz_short;
mod held;
mod hooks;
mod hostile;
mod judge_properties;
pub(crate) mod live;
mod monitor;
mod notices;
mod own_settings;
mod process;
mod reply;
mod rescue;
mod run;
mod scenarios;
mod store;
mod support;
mod terminal;
mod turn_history;
mod vectors;
mod vectors_questions;
mod vectors_runs;
mod vectors_tasks;
mod watch;
