//! Tests of store (being built).
