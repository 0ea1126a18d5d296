//! Tests of frames (being built).
