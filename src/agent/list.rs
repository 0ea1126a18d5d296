//! The agents that closeout knows itself: one line each.

use super::claude::Claude;
use super::codex::Codex;
use super::facts::{Facts, Hooks};
use super::gemini::Gemini;
use super::kind::Agent;
use super::opencode::OpenCode;

/// The agents that closeout knows itself. An agent more is a line more.
pub const AGENTS: [&dyn Agent; 4] = [&Claude, &Codex, &OpenCode, &Gemini];

/// The agent of that name, if closeout knows it itself.
pub fn built_in(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.into_iter().find(|agent| agent.name() == name)
}

/// What is known of the agent of that name; nothing of one that closeout does not know itself.
pub fn facts_of(name: &str) -> &'static Facts {
    built_in(name).map_or(&Facts::NONE, Agent::facts)
}

/// The hooks of all agents that have some.
pub fn all_hooks() -> impl Iterator<Item = &'static Hooks> {
    AGENTS.into_iter().filter_map(|agent| agent.facts().hooks)
}

/// The gates of all agents that have one.
pub fn all_gates() -> impl Iterator<Item = &'static Hooks> {
    AGENTS.into_iter().filter_map(|agent| agent.facts().gate)
}

/// The hooks of the agent of that name.
pub fn hooks_of(name: &str) -> Option<&'static Hooks> {
    facts_of(name).hooks
}
