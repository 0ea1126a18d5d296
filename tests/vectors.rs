//! Tests of vectors (being built).
