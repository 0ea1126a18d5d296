//! Recognises an agent by its command line. Observed: an npm install of Codex is `node …/bin/codex` with
//! the native program `codex` as its child; Gemini CLI is `node …/bin/gemini` with a second one as its
//! child; opencode and newer Claude Code are native. Codex's server is the same program with `app-server`.

use crate::agent::{AGENTS, Agent};

/// Programs that run an agent's script. A newer Node names its main thread.
const RUNTIMES: [&str; 5] = ["node", "nodejs", "bun", "MainThread", "node-MainThread"];
/// Subcommands with which an agent acts as a server and works in no folder of its own.
const SERVING: [&str; 5] = ["app-server", "mcp-server", "serve", "web", "acp"];

/// Whether a process of this name (`/proc/PID/comm`) may be an agent's.
pub(super) fn is_candidate(name: &str) -> bool {
    RUNTIMES.contains(&name) || agent_of_name(name).is_some()
}

/// The agent that a process runs, and whether it acts as a server. `arguments` is its command line.
pub(super) fn agent_of(name: &str, arguments: &[&str]) -> Option<(&'static dyn Agent, bool)> {
    let mut words = arguments.iter().copied();
    let agent = if let Some(agent) = agent_of_name(name) {
        words.next();
        agent
    } else {
        words.next();
        // The first argument that is not an option of the runtime is the script.
        let script = words.find(|word| !word.starts_with('-'))?;
        agent_of_script(script)?
    };
    Some((agent, words.take(3).any(|word| SERVING.contains(&word))))
}

fn agent_of_name(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.into_iter().find(|agent| agent.facts().programs.contains(&name))
}

fn agent_of_script(script: &str) -> Option<&'static dyn Agent> {
    let mut parts = script.rsplit('/');
    let file = parts.next()?;
    let stem = file.strip_suffix("js").map_or(file, |stem| stem.trim_end_matches(['.', 'm', 'c']));
    agent_of_name(stem).or_else(|| {
        let mut folders = parts.take(4);
        folders.find_map(|folder| AGENTS.into_iter().find(|agent| agent.facts().package == Some(folder)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process's name, its command line, and the expected result.
    type Case<'a> = (&'a str, &'a [&'a str], Option<(&'a str, bool)>);

    #[test]
    fn command_lines_that_were_seen_are_recognised() {
        let native = "/x/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
        let cases: &[Case<'_>] = &[
            ("node", &["node", "/x/node_modules/.bin/codex"], Some(("codex", false))),
            ("codex", &[native], Some(("codex", false))),
            ("codex", &[native, "exec", "resume", "id", "serve"], Some(("codex", false))),
            ("codex", &["codex", "app-server", "--listen", "unix://"], Some(("codex", true))),
            ("codex", &["codex", "app-server", "daemon", "pid-update-loop"], Some(("codex", true))),
            ("node", &["node", "/x/.bin/gemini"], Some(("gemini", false))),
            (
                "node",
                &["/usr/bin/node", "--max-old-space-size=12052", "/x/bundle/gemini.js"],
                Some(("gemini", false)),
            ),
            ("node", &["node", "/x/@google/gemini-cli/dist/index.js"], Some(("gemini", false))),
            ("node", &["node", "/x/@anthropic-ai/claude-code/cli.js"], Some(("claude", false))),
            ("claude", &["claude", "-p", "hello"], Some(("claude", false))),
            ("opencode", &["opencode"], Some(("opencode", false))),
            ("opencode", &["opencode", "serve", "--port", "1"], Some(("opencode", true))),
            // A shell script of that name, as the kernel reports it.
            ("codex", &["/bin/sh", "/x/codex"], Some(("codex", false))),
            ("node", &["node", "/x/server.js", "codex"], None),
            ("node", &["node"], None),
        ];
        for (name, arguments, wanted) in cases {
            let found = agent_of(name, arguments).map(|(agent, is_service)| (agent.name(), is_service));
            assert_eq!(found, *wanted, "{name} {arguments:?}");
        }
        assert!(is_candidate("node") && is_candidate("codex"));
        assert!(!is_candidate("codex-code-mode") && !is_candidate("vim"));
    }
}
