//! The room `evidence` (being built).
