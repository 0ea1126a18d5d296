//! Tests of judge_properties (being built).
