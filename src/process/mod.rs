//! The room `process` (being built).
