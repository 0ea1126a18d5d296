#![doc = include_str!("ARCHITECTURE.md")]

pub mod model;

pub mod present;

pub mod judge;

pub mod monitor;

pub mod ui;

pub mod disk;
pub mod process;

pub mod git;

pub mod agent;
pub mod evidence;
pub mod watch;

pub mod config;
pub mod store;

pub mod action;

pub mod engine;

pub mod cli;
