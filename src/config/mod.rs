//! The room `config` (being built).
