//! Tests of corpus (being built).
