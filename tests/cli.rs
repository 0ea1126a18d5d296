//! Tests of cli (being built).
