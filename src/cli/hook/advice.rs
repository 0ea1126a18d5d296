//! What a person is told beside a change of an agent's settings.

use crate::agent::hook_events::HookAgent;

/// What is to be done after hooks were installed, or known of them.
pub(super) fn after_install(agent: HookAgent) -> &'static str {
    match agent {
        HookAgent::Codex => {
            "Codex runs new hooks only when you trust them, and says nothing until then: start `codex`, and in the \
             dialog that reviews hooks choose to trust them (or open it with `/hooks`). After closeout moved to \
             another path it asks again"
        }
        HookAgent::Gemini => {
            "in a folder that Gemini CLI does not trust it runs no hooks of the project's; sessions that run already \
             tell from their next start on"
        }
        HookAgent::Claude => "sessions that run already tell from now on, too",
        HookAgent::OpenCode => "sessions that run already tell from their next start on",
    }
}
