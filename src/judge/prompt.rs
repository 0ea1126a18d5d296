//! Prompt files: an optional head (front matter) and the text with its placeholders.
//!
//! Must not read files or interpret the values. All placeholders are replaced in a single pass, so a value
//! that looks like a placeholder is left alone.
//!
//! The head stands between two `---` lines at the beginning and lists the names of the values the prompt takes:
//!
//! ```text
//! ---
//! params:
//!   - step_id
//! ---
//! Is {{step_id}} done? {{input}}
//! ```

/// The longest name of a value, in bytes.
const LONGEST_NAME: usize = 64;

/// A prompt whose placeholders are not yet filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The values its head asks for, besides `input`.
    pub params: Vec<String>,
    /// The text below the head. Untrusted.
    pub text: String,
}

/// Parses a prompt. Never fails: a head that is not closed is read as text.
pub fn read(text: &str) -> Template {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let head = text.strip_prefix("---\n").and_then(|rest| {
        let end = if rest.starts_with("---\n") { 0 } else { rest.find("\n---\n")? + 1 };
        Some((rest.get(..end)?.to_owned(), rest.get(end + 4..)?.to_owned()))
    });
    match head {
        Some((head, text)) => Template { params: params(&head), text },
        None => Template { params: Vec::new(), text },
    }
}

/// Reads `params` from a head, either as dashed lines or in brackets.
fn params(head: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_inside = false;
    for line in head.lines() {
        if let Some(rest) = line.strip_prefix("params:") {
            let inline = rest.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            names.extend(inline.into_iter().flat_map(|list| list.split(',')).map(bare));
            is_inside = inline.is_none();
        } else if let Some(entry) = line.trim_start().strip_prefix("- ").filter(|_| is_inside) {
            names.push(bare(entry));
        } else if !line.trim().is_empty() && !line.starts_with(char::is_whitespace) {
            is_inside = false;
        }
    }
    names.retain(|name| is_name(name));
    names
}

fn bare(entry: &str) -> String {
    entry.trim().trim_matches(['"', '\'']).to_owned()
}

fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_sign)
}

impl Template {
    /// The names that the head asks for but `values` lacks.
    pub fn missing(&self, values: &[(&str, &str)]) -> Vec<String> {
        let is_there = |name: &String| values.iter().any(|(known, _)| known == name);
        self.params.iter().filter(|name| !is_there(name)).cloned().collect()
    }

    /// Replaces each `{{name}}` found in `values`, in a single pass. All other braces stay.
    pub fn fill(&self, values: &[(&str, &str)]) -> String {
        let mut filled = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find("{{") {
            let (before, after) = rest.split_at(start);
            filled.push_str(before);
            let inside = after.get(2..).unwrap_or_default();
            let near = inside.get(..inside.floor_char_boundary(2 * LONGEST_NAME)).unwrap_or_default();
            let name = near.find("}}").and_then(|end| near.get(..end));
            let value = name.and_then(|name| values.iter().find(|(known, _)| *known == name.trim()));
            if let (Some(name), Some((_, value))) = (name, value) {
                filled.push_str(value);
                rest = inside.get(name.len() + 2..).unwrap_or_default();
            } else {
                // Advance by one brace only, so that the placeholder in `{{{input}}` is found.
                filled.push('{');
                rest = after.get(1..).unwrap_or_default();
            }
        }
        filled.push_str(rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_names_the_values() {
        let template = read("---\nparams:\n  - step_id\n  - \"other\"\nedition: x\n---\nDo {{step_id}}\n");
        assert_eq!(
            (template.params, template.text),
            (vec!["step_id".into(), "other".into()], "Do {{step_id}}\n".into())
        );
        assert_eq!(read("---\nparams: [a, b]\n---\nx").params, ["a", "b"]);
        assert_eq!(read("---\r\nparams:\r\n- a\r\n---\r\nx\r\n").params, ["a"]);
        assert_eq!(read("---\n---\nx").text, "x");
        let open = read("---\nparams:\n - a\nno end");
        assert_eq!((open.params.len(), open.text.as_str()), (0, "---\nparams:\n - a\nno end"));
    }

    #[test]
    fn values_are_put_in_once_and_not_looked_into() {
        let template = read("{{input}} {{ step_id }} {{other}} {{{input}}} {{");
        let values = [("input", "{{step_id}}"), ("step_id", "s")];
        assert_eq!(template.fill(&values), "{{step_id}} s {{other}} {{{step_id}}} {{");
    }

    #[test]
    fn what_a_head_asks_for_and_nobody_has_is_named() {
        let template = read("---\nparams:\n - step_id\n - issue\n---\n");
        assert_eq!(template.missing(&[("step_id", "s")]), ["issue"]);
    }
}
