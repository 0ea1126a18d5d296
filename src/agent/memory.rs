//! What agents remember from one look to the next, so that only what was appended to a record is read again.

use std::any::{Any, TypeId};
use std::collections::HashMap;

/// The memories of all agents, one of a type. Losing it costs time and nothing else.
#[derive(Debug, Default)]
pub struct Memories(HashMap<TypeId, Box<dyn Any + Send>>);

impl Memories {
    /// Calls `look` with the memory of this type, which is empty the first time.
    pub fn with<M: Default + Send + 'static, T>(&mut self, look: impl FnOnce(&mut M) -> T) -> T {
        let known = self.0.remove(&TypeId::of::<M>()).and_then(|memory| memory.downcast::<M>().ok());
        let mut memory = known.unwrap_or_default();
        let told = look(&mut memory);
        self.0.insert(TypeId::of::<M>(), memory);
        told
    }
}
