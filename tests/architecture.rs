//! Tests of architecture (being built).
