//! The room `agent` (being built).
