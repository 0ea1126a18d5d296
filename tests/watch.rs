//! Tests of watch (being built).
