//! Installs closeout's hooks in an agent's settings and removes them. Every other byte stays as it is:
//! comments, order, white space, other programs' hooks.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Wanted;
use super::splice::{BLANKS, Layout, append, remove as remove_item, spliced};
use crate::agent::facts::Hooks;

const HOOKS: &str = "hooks";
/// Some editors put this at the start of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why settings cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsProblem {
    /// The text is not JSON, even with comments allowed.
    #[error("line {line}, column {column}: {what}")]
    Broken {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// A value is not of the kind that the agent requires there.
    #[error("line {line}: {key} is not {expected}")]
    WrongKind {
        /// The line, counted from 1.
        line: usize,
        /// The key.
        key: String,
        /// The required kind of value.
        expected: &'static str,
    },
}

/// Returns the settings with closeout's hooks added. If they are already there, the text is unchanged.
///
/// # Errors
/// The text is not valid JSON, or a value in the place of hooks has the wrong type.
pub fn install(text: &str, wanted: &Wanted) -> Result<String, SettingsProblem> {
    let (mark, text) = without_mark(text);
    let mut text = if is_blank(text) { "{}\n".to_owned() } else { text.to_owned() };
    // Removes hooks at events that are no longer wanted.
    let is_old = |event: &str| wanted.hooks.events.iter().all(|(name, _)| *name != event);
    while let Some(without) = without_first(&text, wanted.hooks, is_old)? {
        text = without;
    }
    for (event, _) in wanted.hooks.events {
        text = with_event(&text, event, wanted)?;
    }
    Ok(format!("{mark}{text}"))
}

/// Returns the settings without closeout's hooks. If there are none, the text is unchanged.
///
/// # Errors
/// The text is not valid JSON, or a value in the place of hooks has the wrong type.
pub fn remove(text: &str, hooks: &Hooks) -> Result<String, SettingsProblem> {
    let (mark, text) = without_mark(text);
    let mut text = text.to_owned();
    if is_blank(&text) {
        return Ok(format!("{mark}{text}"));
    }
    while let Some(without) = without_first(&text, hooks, |_| true)? {
        text = without;
    }
    Ok(format!("{mark}{text}"))
}

/// Whether there is nothing but what JSON knows as blank: a file of other signs is not ours to replace.
fn is_blank(text: &str) -> bool {
    text.trim_matches(BLANKS).is_empty()
}

fn without_mark(text: &str) -> (&str, &str) {
    text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |rest| (&text[..text.len() - rest.len()], rest))
}

/// Parses the text and calls `then` with the object in it.
fn with_root<T>(
    text: &str,
    then: impl FnOnce(&Object<'_>) -> Result<T, SettingsProblem>,
) -> Result<T, SettingsProblem> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(text, &collect, &options).map_err(|error| SettingsProblem::Broken {
        line: error.line_display(),
        column: error.column_display(),
        what: error.kind().to_string().to_lowercase(),
    })?;
    check_blanks(text, &parsed.tokens.unwrap_or_default())?;
    match parsed.value {
        Some(Value::Object(root)) => then(&root),
        Some(other) => Err(wrong_kind(text, &other, "the whole", "an object")),
        None => Err(SettingsProblem::Broken { line: 1, column: 1, what: "there is no object".to_owned() }),
    }
}

/// Refuses white space that JSON does not have (RFC 8259, section 2), such as a vertical tab: the parser accepts
/// it, the agents do not, and an indentation made of it would break the settings.
fn check_blanks(text: &str, tokens: &[TokenAndRange<'_>]) -> Result<(), SettingsProblem> {
    let starts = tokens.iter().map(Ranged::start).chain([text.len()]);
    let ends = [0].into_iter().chain(tokens.iter().map(Ranged::end));
    for (from, to) in ends.zip(starts) {
        let gap = text.get(from..to).unwrap_or_default();
        if let Some(at) = gap.find(|sign| !BLANKS.contains(&sign)) {
            let before = &text[..from + at];
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let what = "a blank that JSON does not allow".to_owned();
            return Err(SettingsProblem::Broken { line: before.matches('\n').count() + 1, column, what });
        }
    }
    Ok(())
}

fn wrong_kind(text: &str, value: &Value<'_>, key: &str, expected: &'static str) -> SettingsProblem {
    let line = text[..value.start()].matches('\n').count() + 1;
    SettingsProblem::WrongKind { line, key: key.to_owned(), expected }
}

fn ranges<'a, R: Ranged + 'a>(items: impl IntoIterator<Item = &'a R>) -> Vec<Range<usize>> {
    items.into_iter().map(range).collect()
}

fn range(item: &impl Ranged) -> Range<usize> {
    item.start()..item.end()
}

/// The value of a key that must not occur twice.
fn member<'r, 'a>(
    text: &str,
    object: &'r Object<'a>,
    key: &str,
) -> Result<Option<&'r Value<'a>>, SettingsProblem> {
    let mut members = object.properties.iter().filter(|property| property.name.as_str() == key);
    let first = members.next();
    match members.next() {
        Some(second) => Err(wrong_kind(text, &second.value, &format!("\"{key}\""), "written once only")),
        None => Ok(first.map(|property| &property.value)),
    }
}

fn hooks_of<'r, 'a>(text: &str, root: &'r Object<'a>) -> Result<Option<&'r Object<'a>>, SettingsProblem> {
    match member(text, root, HOOKS)? {
        None => Ok(None),
        Some(Value::Object(hooks)) => Ok(Some(hooks)),
        Some(other) => Err(wrong_kind(text, other, "\"hooks\"", "an object")),
    }
}

fn groups_of<'r, 'a>(
    text: &str,
    hooks: &'r Object<'a>,
    event: &str,
) -> Result<Option<&'r Array<'a>>, SettingsProblem> {
    match member(text, hooks, event)? {
        None => Ok(None),
        Some(Value::Array(groups)) => Ok(Some(groups)),
        Some(other) => Err(wrong_kind(text, other, &format!("\"{event}\""), "a list")),
    }
}

/// The commands of a group: the index of each, its text and its range.
fn commands<'r>(group: &'r Value<'_>) -> impl Iterator<Item = (usize, &'r str, Range<usize>)> {
    let entries = group.as_object().and_then(|group| group.get_array(HOOKS));
    let entries = entries.into_iter().flat_map(|entries| entries.elements.iter().enumerate());
    entries.filter_map(|(number, entry)| {
        let command = entry.as_object()?.get_string("command")?;
        Some((number, command.value.as_ref(), range(command)))
    })
}

/// The text with the hook registered at one event.
fn with_event(text: &str, event: &str, wanted: &Wanted) -> Result<String, SettingsProblem> {
    let layout = Layout::of(text);
    with_root(text, |root| {
        let list = |indent: &str| {
            let space = if layout.is_one_line { "" } else { " " };
            format!("\"{event}\":{space}{}", layout.text(&[wanted.group()], indent))
        };
        let Some(hooks) = hooks_of(text, root)? else {
            let member = |indent: &str| {
                let inner = format!("{indent}{}", layout.indent);
                if layout.is_one_line {
                    return format!("\"{HOOKS}\":{{{}}}", list(""));
                }
                let newline = layout.newline;
                format!("\"{HOOKS}\": {{{newline}{inner}{}{newline}{indent}}}", list(&inner))
            };
            return Ok(append(text, &range(root), &ranges(&root.properties), &layout, member));
        };
        let Some(groups) = groups_of(text, hooks, event)? else {
            return Ok(append(text, &range(hooks), &ranges(&hooks.properties), &layout, list));
        };
        let mut own = groups.elements.iter().flat_map(commands);
        match own.find(|(_, command, _)| wanted.hooks.is_own_command(command)) {
            Some((_, command, _)) if command == wanted.command => Ok(text.to_owned()),
            // A different path: closeout was moved, or installed in another way.
            Some((_, _, place)) => {
                let command = serde_json::Value::from(wanted.command.as_str()).to_string();
                Ok(spliced(text, place, &command))
            }
            None => {
                let group = |indent: &str| layout.text(&wanted.group(), indent);
                Ok(append(text, &range(groups), &ranges(&groups.elements), &layout, group))
            }
        }
    })
}

/// The text without closeout's first entry at an event for which `is_asked_for` holds, and without the
/// group, list and object that contained nothing else. `None` if there is no such entry.
fn without_first(
    text: &str,
    own: &Hooks,
    is_asked_for: impl Fn(&str) -> bool,
) -> Result<Option<String>, SettingsProblem> {
    with_root(text, |root| {
        let Some(hooks) = hooks_of(text, root)? else { return Ok(None) };
        let hooks_at = root.properties.iter().position(|property| property.name.as_str() == HOOKS);
        for (event_at, property) in hooks.properties.iter().enumerate() {
            let Some(groups) = property.value.as_array().filter(|_| is_asked_for(property.name.as_str()))
            else {
                continue;
            };
            for (group_at, group) in groups.elements.iter().enumerate() {
                let found = commands(group).find(|(_, command, _)| own.is_own_command(command));
                let entries = group.as_object().and_then(|group| group.get_array(HOOKS));
                let Some(((entry_at, ..), entries)) = found.zip(entries) else { continue };
                // From the innermost to the outermost: the range of the container, the ranges of its items,
                // and the index of the item.
                let nested = [
                    (range(entries), ranges(&entries.elements), entry_at),
                    (range(groups), ranges(&groups.elements), group_at),
                    (range(hooks), ranges(&hooks.properties), event_at),
                    (range(root), ranges(&root.properties), hooks_at.unwrap_or_default()),
                ];
                let is_held = |(container, items, number): &&(Range<usize>, Vec<Range<usize>>, usize)| {
                    items.len() > 1 || has_more(text, container, &items[*number])
                };
                let outermost = nested.iter().find(is_held).or(nested.last());
                return Ok(outermost.map(|(container, items, at)| remove_item(text, container, items, *at)));
            }
        }
        Ok(None)
    })
}

/// Whether the container has anything besides the item, which can only be a comment.
fn has_more(text: &str, container: &Range<usize>, item: &Range<usize>) -> bool {
    let around = [&text[container.start + 1..item.start], &text[item.end..container.end - 1]];
    around.iter().any(|part| part.contains('/'))
}
