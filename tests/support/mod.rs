//! What several test modules share.
pub mod vectors;
