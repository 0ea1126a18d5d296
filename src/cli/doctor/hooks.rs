//! What the doctor looks at of the hooks in an agent's settings. It changes nothing.

use super::finding::Finding;
use crate::agent::hook_settings::{self, Scope, Wanted};
use crate::agent::{Adapter, Hooks};
use crate::cli::environment::Environment;
use crate::cli::hook::own_program;
use crate::model::display_text;
use crate::store::settings_file;

/// Whether closeout's hooks are in the person's settings of the agent, and run.
pub(super) fn hooks(environment: &Environment, agent: &Adapter) -> Option<Finding> {
    let hooks = agent.facts().hooks?;
    let folder = environment.folder_of(&hooks.folder)?;
    let path = hooks.file(Scope::User(&folder));
    let install = format!("`closeout hook install --agent {}`", agent.name());
    let shown = display_text::path(&path);
    let content = match settings_file::read(&path) {
        Ok(content) => content.unwrap_or_default(),
        Err(error) => return Some(Finding::problem(error.to_string(), "see that the file can be read")),
    };
    let is_there = match state(hooks, &content) {
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
        Installed::Yes => match agent.why_hooks_rest(&folder) {
            Some((why, next)) => Finding::problem(format!("its hooks are in {shown}, and {why}"), next),
            None => Finding::ok(format!("its hooks tell closeout ({shown})")),
        },
    })
}

enum Installed {
    Yes,
    /// Another path, or some are missing.
    Otherwise,
    No,
}

fn state(hooks: &'static Hooks, content: &[u8]) -> Result<Installed, String> {
    let program = own_program().map_err(|error| error.to_string())?;
    if let Some(plugin) = hooks.plugin(&program) {
        return Ok(match content {
            _ if !hooks.is_own_plugin(content) => Installed::No,
            _ if content == plugin.as_bytes() => Installed::Yes,
            _ => Installed::Otherwise,
        });
    }
    let text = std::str::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
    let told = |problem: hook_settings::SettingsProblem| problem.to_string();
    if text.trim().is_empty() || hook_settings::remove(text, hooks).map_err(told)? == text {
        return Ok(Installed::No);
    }
    let wanted = hook_settings::install(text, &Wanted::new(hooks, &program)).map_err(told)?;
    Ok(if wanted == text { Installed::Yes } else { Installed::Otherwise })
}
