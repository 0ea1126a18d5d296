//! Tests of agents (being built).
