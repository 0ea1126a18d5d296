//! The built-in agents, one line each.

use super::claude::Claude;
use super::codex::Codex;
use super::facts::{Facts, Hooks};
use super::gemini::Gemini;
use super::kind::Agent;
use super::opencode::OpenCode;

/// The built-in agents. A new agent is added here.
pub const AGENTS: [&dyn Agent; 4] = [&Claude, &Codex, &OpenCode, &Gemini];

/// The built-in agent called `name`.
pub fn built_in(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.into_iter().find(|agent| agent.name() == name)
}

/// The facts about the agent called `name`; [`Facts::NONE`] if it is not built in.
pub fn facts_of(name: &str) -> &'static Facts {
    built_in(name).map_or(&Facts::NONE, Agent::facts)
}

/// The event hooks of all agents that have one.
pub fn all_hooks() -> impl Iterator<Item = &'static Hooks> {
    AGENTS.into_iter().filter_map(|agent| agent.facts().hooks)
}

/// The gates of all agents that have one.
pub fn all_gates() -> impl Iterator<Item = &'static Hooks> {
    AGENTS.into_iter().filter_map(|agent| agent.facts().gate)
}

/// The event hook of the agent called `name`.
pub fn hooks_of(name: &str) -> Option<&'static Hooks> {
    facts_of(name).hooks
}
