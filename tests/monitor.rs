//! Tests of monitor (being built).
