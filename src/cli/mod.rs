//! The room `cli` (being built).
