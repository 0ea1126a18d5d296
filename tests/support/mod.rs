//! What several test modules share.
pub(crate) mod act_stories;
pub(crate) mod desk;
pub(crate) mod pty;
pub(crate) mod repo;
pub(crate) mod schema;
pub(crate) mod screen;
pub(crate) mod session_stories;
pub(crate) mod stories;
pub(crate) mod trap;
pub(crate) mod vectors;
pub(crate) mod weighed_words;
