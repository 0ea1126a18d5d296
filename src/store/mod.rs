//! The room `store` (being built).
