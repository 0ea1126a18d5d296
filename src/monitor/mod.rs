//! The room `monitor` (being built).
