//! What may go wrong with the database, and what its owner notices: nothing.
