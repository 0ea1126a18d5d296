//! Tests of process (being built).
