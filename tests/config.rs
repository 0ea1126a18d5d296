//! Tests of config (being built).
