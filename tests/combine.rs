//! Tests of combine (being built).
