//! The one test binary: the list of its modules, so that linking is paid once.

mod architecture;
mod vectors;
mod corpus;
mod combine;
mod judge_properties;
mod evidence_git;
mod evidence_files;
mod agents;
mod watch;
mod monitor;
mod frames;
mod config;
mod store;
mod process;
mod cli;
mod terminal;
mod support;
