//! Tests of terminal (being built).
