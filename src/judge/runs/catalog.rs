//! The tools that `assets/checks.toml` knows: how they are called and what they print. A person's own file of
//! the same form stands before it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::CheckKind;

/// The built-in file.
const BUILT_IN: &str = include_str!("../../../assets/checks.toml");

/// The tools of the built-in file alone.
static BUILT_IN_CATALOG: LazyLock<Catalog> = LazyLock::new(|| toml::from_str(BUILT_IN).unwrap_or_default());

/// The tools that are known.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Checks.
    #[serde(default)]
    pub(super) tool: Vec<Tool>,
    /// Lines of what runs other tools, by the kind of check.
    #[serde(default)]
    pub(super) lines: Vec<Lines>,
    /// Commands that act outside the work tree: what they do, by how they are called.
    #[serde(default)]
    pub(super) act: BTreeMap<String, Vec<String>>,
    /// Commands without an end.
    #[serde(default)]
    pub(super) endless: Vec<String>,
    /// Commands that change files.
    #[serde(default)]
    pub(super) edit: Vec<String>,
    /// Lines by which a shell or a runner says that a tool could not start.
    #[serde(default)]
    pub(super) start: Vec<String>,
}

/// One tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    /// Its name, for a person and to tell runs apart.
    pub(super) name: String,
    /// What it checks.
    pub(super) kind: CheckKind,
    /// How it is called: words, `*` at a word's end for its rest. Options between them do not matter.
    pub(super) run: Vec<String>,
    /// Options without which it is not this check.
    #[serde(default)]
    pub(super) with: Vec<String>,
    /// Options with which it is not this check: it writes, or only tells.
    #[serde(default)]
    pub(super) without: Vec<String>,
    /// Options that narrow it to a part.
    #[serde(default)]
    pub(super) part: Vec<String>,
    /// Options that take the next word.
    #[serde(default)]
    pub(super) values: Vec<String>,
    /// Words behind it that leave it whole; any other word that is no option narrows it.
    #[serde(default)]
    pub(super) whole: Vec<String>,
    /// True where words behind it are folders that leave it whole.
    #[serde(default)]
    pub(super) takes_folders: bool,
    /// Options with which it never ends.
    #[serde(default)]
    pub(super) watch: Vec<String>,
    /// True where it prints nothing when all is well.
    #[serde(default)]
    pub(super) is_silent: bool,
    /// True where it runs other tools: their lines count, and it covers them.
    #[serde(default)]
    pub(super) runs_others: bool,
    /// Checks that are contained in it.
    #[serde(default)]
    pub(super) covers: Vec<String>,
    /// Codes that say that nothing was checked.
    #[serde(default)]
    pub(super) empty_codes: Vec<i32>,
    /// Lines that say that something failed.
    #[serde(default)]
    pub(super) fail: Vec<String>,
    /// Lines that say that all passed.
    #[serde(default)]
    pub(super) pass: Vec<String>,
    /// Lines that say that nothing was checked.
    #[serde(default)]
    pub(super) empty: Vec<String>,
    /// Lines that name what failed.
    #[serde(default)]
    pub(super) failing: Vec<String>,
}

/// Lines that runners of this kind print, for what runs other tools.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    /// The kind of check.
    pub(super) kind: CheckKind,
    /// The tools whose lines count.
    pub(super) of: Vec<String>,
}

impl Catalog {
    /// The built-in tools.
    pub fn built_in() -> &'static Catalog {
        &BUILT_IN_CATALOG
    }

    /// The built-in tools with those of a person's own file before them.
    ///
    /// # Errors
    /// The file is no TOML of that form; the message names the line and the key.
    pub fn with_own(text: &str) -> Result<Catalog, String> {
        let mut own: Catalog = toml::from_str(text).map_err(|error| error.to_string())?;
        let built_in = Catalog::built_in().clone();
        own.tool.extend(built_in.tool);
        own.lines.extend(built_in.lines);
        for (act, commands) in built_in.act {
            own.act.entry(act).or_default().extend(commands);
        }
        own.endless.extend(built_in.endless);
        own.edit.extend(built_in.edit);
        own.start.extend(built_in.start);
        Ok(own)
    }

    /// The tool that `words` call, and how many of them name it. The one that is named by the most words is
    /// meant.
    pub(super) fn tool(&self, words: &[String]) -> Option<(&Tool, usize)> {
        let named = |tool| -> Option<(&Tool, usize, usize)> {
            let tool: &Tool = tool;
            let found = tool.run.iter().filter_map(|call| {
                named_by(call, words).map(|n_words| (call.split_whitespace().count(), n_words))
            });
            found.max().map(|(n_call, n_words)| (tool, n_call, n_words))
        };
        let is_meant = |tool: &Tool| {
            let has = |options: &[String]| has_option(words, options);
            (tool.with.is_empty() || has(&tool.with)) && !has(&tool.without)
        };
        let tools = self.tool.iter().filter_map(named).filter(|(tool, ..)| is_meant(tool));
        // The first of several: a person's own.
        let best = tools.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(tool, _, n_words)| (tool, n_words))
    }

    /// Whether these words call something that never ends.
    pub(super) fn is_endless(&self, words: &[String]) -> bool {
        self.endless.iter().any(|call| calls(call, words))
    }

    /// What these words do outside the work tree.
    pub(super) fn act_of(&self, words: &[String]) -> Option<&str> {
        if has_option(words, &["--dry-run".to_owned(), "-n".to_owned()]) {
            return None;
        }
        let does = |(_, commands): &(&String, &Vec<String>)| commands.iter().any(|call| calls(call, words));
        self.act.iter().find(does).map(|(act, _)| act.as_str())
    }

    /// Whether these words change files.
    pub(super) fn is_edit(&self, words: &[String]) -> bool {
        self.edit.iter().any(|call| calls(call, words))
    }
}

/// Whether `words` are the call, which may end with options that must be there (`-i*`) or, behind `!`, must not.
fn calls(call: &str, words: &[String]) -> bool {
    let parts: Vec<&str> = call.split_whitespace().collect();
    let (options, names): (Vec<&str>, Vec<&str>) =
        parts.into_iter().partition(|part| part.starts_with(['-', '!']));
    named_by(&names.join(" "), words).is_some()
        && options.iter().all(|option| match option.strip_prefix('!') {
            Some(refused) => !words.iter().any(|word| is_word(refused, word)),
            None => words.iter().any(|word| is_word(option, word)),
        })
}

/// How many of `words` the call takes, with the options between its words; `None` if they call something else.
fn named_by(call: &str, words: &[String]) -> Option<usize> {
    let mut at = 0;
    for part in call.split_whitespace() {
        if at > 0 {
            while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
                let takes_value = VALUE_OPTIONS.contains(&word.as_str());
                at += if takes_value { 2 } else { 1 };
            }
        }
        if !is_word(part, words.get(at)?) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Options before the name of a sub-command that take the next word.
pub(super) const VALUE_OPTIONS: [&str; 16] = [
    "--prefix",
    "-C",
    "--dir",
    "--cwd",
    "--directory",
    "--manifest-path",
    "--filter",
    "-F",
    "-w",
    "--workspace",
    "--project",
    "--config",
    "--color",
    "-f",
    "--file",
    "--package",
];

fn is_word(part: &str, word: &str) -> bool {
    match part.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => part == word,
    }
}

/// Whether one of `options` is among the words, by itself or with a value behind `=`.
pub(super) fn has_option(words: &[String], options: &[String]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| is_option(word, options))
}

/// Whether this word is one of `options`.
pub(super) fn is_option(word: &str, options: &[String]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    options.iter().any(|option| match option.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => option == name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_can_be_read() {
        let read: Result<Catalog, _> = toml::from_str(BUILT_IN);
        let read = read.unwrap();
        let names: Vec<&str> = read.tool.iter().map(|tool| tool.name.as_str()).collect();
        for of in
            read.lines.iter().flat_map(|lines| &lines.of).chain(read.tool.iter().flat_map(|t| &t.covers))
        {
            assert!(names.contains(&of.as_str()), "{of} is no tool");
        }
    }

    #[test]
    fn a_persons_own_tool_stands_before_the_built_in_ones() {
        let own = "[[tool]]\nname = 'ours'\nkind = 'test'\nrun = ['cargo test']\n";
        let catalog = Catalog::with_own(own).unwrap();
        let words = ["cargo", "test"].map(str::to_owned);
        assert_eq!(catalog.tool(&words).unwrap().0.name, "ours");
        assert!(Catalog::with_own("[[tool]]\nnome = 'x'").is_err());
    }
}
