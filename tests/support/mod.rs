//! Helpers that several test modules share.
pub(crate) mod action_samples;
pub(crate) mod canary;
pub(crate) mod index_refresh;
pub(crate) mod plain;
pub(crate) mod pty;
pub(crate) mod repo;
pub(crate) mod samples;
pub(crate) mod schema;
pub(crate) mod scratch;
pub(crate) mod screen;
pub(crate) mod session_samples;
pub(crate) mod test_env;
pub(crate) mod trap;
pub(crate) mod turns;
pub(crate) mod vectors;
pub(crate) mod weighed_words;
