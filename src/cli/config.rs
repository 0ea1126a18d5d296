//! `closeout config`: the settings that apply in a workspace, and where each comes from. It must not change
//! or judge any of them.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{Config, Flags, ListedSetting, Listing, OwnValue, SettingOrigin, Value};
use crate::model::display_text;
use crate::present::json::{VERSION, line};

use super::args;
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::output;

/// The column of the comments.
const COMMENT: usize = 52;

/// What `config --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Configured {
    /// The version of this form.
    version: u32,
    /// The workspace.
    path: String,
    /// The files that are read, the user's first.
    files: Vec<FileRow>,
    /// The settings, in the order of `config/default.toml`.
    settings: Vec<SettingRow>,
    /// The names of the agents in your own configuration.
    agents: Vec<String>,
    /// The names of the checks for this workspace.
    checks: Vec<String>,
    /// The names of the tools of checks in your own configuration.
    tools: Vec<String>,
    /// Problems in the files of the workspace, a line each.
    problems: Vec<String>,
}

/// A file that is read.
#[derive(Debug, Serialize, JsonSchema)]
struct FileRow {
    path: String,
    /// Whether there is one.
    exists: bool,
}

/// A setting.
#[derive(Debug, Serialize, JsonSchema)]
struct SettingRow {
    /// The key with its section, such as `judge.offers`.
    key: String,
    /// The value; null if nothing sets it.
    value: Option<Value>,
    /// Where it comes from: `default`, `workspace`, `user`, `user_for_some` or `environment`.
    origin: &'static str,
    /// What the files of the workspace ask for beside it.
    own: Option<OwnRow>,
}

/// What the files of the workspace ask for.
#[derive(Debug, Serialize, JsonSchema)]
struct OwnRow {
    value: Value,
    /// What becomes of it: `added`, `if_in_baseline` or `overruled`.
    effect: &'static str,
}

pub(super) fn run(environment: &Environment, arguments: &args::Config) -> Ended {
    let path = environment.absolute(&arguments.path);
    if !path.is_dir() {
        let what = format!("{} is no directory", display_text::path(&path));
        return Err(Failure::NoWorkspace(what));
    }
    let engine = super::target_workspace::engine_config(environment, &arguments.path)?;
    // Outside of a repository a folder can have settings too.
    let top = engine.worktree_top(&path).unwrap_or(path);
    let sources = environment.sources(Flags::default());
    let mut listing = Config::load(&sources)?.listing(&top);
    if arguments.changed {
        listing.settings.retain(|setting| setting.origin != SettingOrigin::Default || setting.own.is_some());
    }
    let files = sources.files(&top).into_iter().map(|(_, path)| FileRow {
        exists: path.symlink_metadata().is_ok(),
        path: display_text::path(&path),
    });
    let files: Vec<FileRow> = files.collect();
    if arguments.json {
        output::print_line(&line(&form(&top, files, listing)))?;
    } else {
        output::print(&text(&files, &listing))?;
    }
    Ok(Outcome::Done)
}

fn form(top: &Path, files: Vec<FileRow>, listing: Listing) -> Configured {
    let row = |setting: ListedSetting| SettingRow {
        value: setting.value,
        origin: origin_name(setting.origin),
        own: setting.own.map(|own| {
            let (effect, value) = match own {
                OwnValue::Added(value) => ("added", value),
                OwnValue::IfInBaseline(value) => ("if_in_baseline", value),
                OwnValue::Overruled(value) => ("overruled", value),
            };
            OwnRow { value, effect }
        }),
        key: setting.key,
    };
    Configured {
        version: VERSION,
        path: display_text::path(top),
        files,
        settings: listing.settings.into_iter().map(row).collect(),
        agents: listing.agents,
        checks: listing.checks,
        tools: listing.tools,
        problems: listing.problems,
    }
}

/// The settings as TOML, each with its origin in a comment.
fn text(files: &[FileRow], listing: &Listing) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for file in files {
        let _ = writeln!(text, "# {}{}", file.path, if file.exists { "" } else { " (none)" });
    }
    for problem in &listing.problems {
        let _ = writeln!(text, "# ignored: {}", display_text::line(problem));
    }
    text.push('\n');
    for setting in &listing.settings {
        let assignment = match &setting.value {
            Some(value) => format!("{} = {}", setting.key, toml(value)),
            None => format!("# {}", setting.key),
        };
        let _ =
            writeln!(text, "{}", display_text::line(&format!("{assignment:<COMMENT$}  # {}", why(setting))));
    }
    let named = [
        ("agents of your own", &listing.agents),
        ("checks", &listing.checks),
        ("tools of your own", &listing.tools),
    ];
    for (what, names) in named {
        if !names.is_empty() {
            let _ = writeln!(text, "# {what}: {}", display_text::line(&names.join(", ")));
        }
    }
    text
}

/// Where a value comes from, and what the workspace's files ask for beside it.
fn why(setting: &ListedSetting) -> String {
    let origin = match (setting.origin, &setting.value) {
        (_, None) => "not set",
        (SettingOrigin::Default, _) => "default",
        (SettingOrigin::Workspace, _) => "the workspace's file",
        (SettingOrigin::UserJson, _) => "your config.json",
        (SettingOrigin::User, _) => "yours",
        (SettingOrigin::UserForSome, _) => "yours, [[workspace]]",
        (SettingOrigin::Environment, _) => "environment",
    };
    let own = match &setting.own {
        None => String::new(),
        Some(OwnValue::Added(value)) => format!("; the workspace's file adds {}", toml(value)),
        Some(OwnValue::IfInBaseline(value)) => {
            format!(
                "; the workspace's file says {}, which counts only if the baseline has that file",
                toml(value)
            )
        }
        Some(OwnValue::Overruled(value)) => {
            format!("; the workspace's file says {}, which does not count", toml(value))
        }
    };
    format!("{origin}{own}")
}

/// A value as TOML: its strings, lists, numbers and switches are written as in JSON.
fn toml(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn origin_name(origin: SettingOrigin) -> &'static str {
    match origin {
        SettingOrigin::Default => "default",
        SettingOrigin::Workspace => "workspace",
        SettingOrigin::UserJson | SettingOrigin::User => "user",
        SettingOrigin::UserForSome => "user_for_some",
        SettingOrigin::Environment => "environment",
    }
}
