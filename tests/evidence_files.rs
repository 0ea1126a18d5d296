//! Tests of evidence_files (being built).
