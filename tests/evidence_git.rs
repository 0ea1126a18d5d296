//! Tests of evidence_git (being built).
