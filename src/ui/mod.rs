//! The room `ui` (being built).
