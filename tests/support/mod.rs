//! What several test modules share.
pub(crate) mod repo;
pub(crate) mod screen;
pub(crate) mod stories;
pub(crate) mod vectors;
