//! The room `watch` (being built).
