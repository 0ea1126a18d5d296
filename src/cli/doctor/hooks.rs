//! What the doctor looks at of the hooks in an agent's settings. It changes nothing.

use std::path::Path;

use super::finding::Finding;
use crate::agent::hook_events::HookAgent;
use crate::agent::hook_settings::{self, Scope, Wanted};
use crate::cli::environment::Environment;
use crate::cli::hook::own_program;
use crate::model::display_text;
use crate::store::settings_file;

/// Whether closeout's hooks are in the person's settings of the agent, and run.
pub(super) fn hooks(environment: &Environment, agent: HookAgent) -> Option<Finding> {
    let folder = environment.settings_folder(agent)?;
    let path = hook_settings::file(agent, Scope::User(&folder));
    let install = format!("`closeout hook install --agent {}`", agent.name());
    let shown = display_text::path(&path);
    let content = match settings_file::read(&path) {
        Ok(content) => content.unwrap_or_default(),
        Err(error) => return Some(Finding::problem(error.to_string(), "see that the file can be read")),
    };
    let is_there = match state(agent, &content) {
        Ok(is_there) => is_there,
        Err(problem) => return Some(Finding::problem(format!("{shown}: {problem}"), "repair the file")),
    };
    Some(match is_there {
        Installed::No => Finding::hint(
            "no hooks: what it waits for shows later, or not at all",
            format!("{install} has it tell closeout itself"),
        ),
        Installed::Otherwise => Finding::hint(
            format!("hooks of another closeout, or not all of them, in {shown}"),
            format!("{install} puts them right"),
        ),
        Installed::Yes if agent == HookAgent::Codex && !is_any_trusted(&folder) => Finding::problem(
            format!("its hooks are in {shown}, and Codex does not run them: they are not trusted"),
            "start `codex` and trust them in the dialog that reviews hooks (`/hooks` opens it)",
        ),
        Installed::Yes => Finding::ok(format!("its hooks tell closeout ({shown})")),
    })
}

enum Installed {
    Yes,
    /// Another path, or some are missing.
    Otherwise,
    No,
}

fn state(agent: HookAgent, content: &[u8]) -> Result<Installed, String> {
    let program = own_program().map_err(|error| error.to_string())?;
    if agent == HookAgent::OpenCode {
        return Ok(match content {
            _ if !hook_settings::is_opencode_plugin(content) => Installed::No,
            _ if content == hook_settings::opencode_plugin(&program).as_bytes() => Installed::Yes,
            _ => Installed::Otherwise,
        });
    }
    let text = std::str::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
    let told = |problem: hook_settings::SettingsProblem| problem.to_string();
    if text.trim().is_empty() || hook_settings::remove(text, agent).map_err(told)? == text {
        return Ok(Installed::No);
    }
    let wanted = hook_settings::install(text, &Wanted::new(agent, &program)).map_err(told)?;
    Ok(if wanted == text { Installed::Yes } else { Installed::Otherwise })
}

/// Whether Codex was told to trust any hook of its own file (its `config.toml`, tables `hooks.state`).
fn is_any_trusted(folder: &Path) -> bool {
    let configuration = settings_file::read(&folder.join("config.toml")).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&configuration);
    let file = folder.join("hooks.json").display().to_string();
    let mut lines = text.lines();
    lines.any(|line| line.starts_with("[hooks.state.") && line.contains(&file))
}
