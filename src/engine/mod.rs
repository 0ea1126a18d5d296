//! The room `engine` (being built).
