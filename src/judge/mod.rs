//! The room `judge` (being built).
