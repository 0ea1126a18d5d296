//! Replies to agents: how they go, what is sent, what is known of them afterwards. With a real tmux of the
//! test's own where one is installed, and scripted agents that write down every byte that they are given.

mod dialog;
mod file;
mod fixture;
mod held;
mod killed;
mod left;
mod pane;
mod permission;
mod program;
mod screen;
mod seen;
