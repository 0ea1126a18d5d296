//! The reader for repositories that libgit2 cannot or should not read: the git program, as a child
//! with a time limit (being built).
