//! What the writer of a text says in their own voice (DESIGN.md 2.2, rank 8): no quote,
//! example, heading or tool output. The rules of the vectors find markers anywhere;
//! this says where one counts. Must not read a decision itself.

use super::fence::Fence;
use super::marker;
use crate::judge::words;

/// `text` without quotes, headings and fenced blocks, except blocks that are nothing but a decision and are no example.
pub fn own_voice(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut open: Option<(Fence, Vec<&str>)> = None;
    let mut lead = "";
    for line in text.lines() {
        match &mut open {
            Some((fence, block)) if fence.is_closed_by(line) => {
                push_decision(&mut own, lead, block);
                open = None;
            }
            Some((_, block)) => block.push(line),
            None => {
                open = Fence::of(line).map(|fence| (fence, Vec::new()));
                let is_said = open.is_none() && !line.trim_start().starts_with(['>', '#']);
                lead = if open.is_some() || line.trim().is_empty() { lead } else { line };
                own.push_str(if is_said { line } else { "" });
                own.push('\n');
            }
        }
    }
    if let Some((_, block)) = open {
        push_decision(&mut own, lead, &block);
    }
    own
}

/// Adds a block that is a decision; `lead` is the line before it.
fn push_decision(own: &mut String, lead: &str, block: &[&str]) {
    let text = block.join("\n");
    let text = text.trim();
    let is_example = words::has(&lead.to_lowercase(), "leads_to_example");
    let is_decision =
        marker::whole_word(text).is_some() || text.starts_with('{') && text.contains("\"decision\"");
    if is_decision && !is_example {
        own.push_str(text);
    }
    own.push('\n');
}

/// The last paragraph of a text, where a YES must be.
pub fn last_paragraph(text: &str) -> &str {
    let text = text.trim_end();
    let lines = text.rsplit('\n').take_while(|line| !line.trim().is_empty());
    // Each line with its line feed, which the last one lacks.
    let n_bytes = lines.map(|line| line.len() + 1).sum::<usize>().saturating_sub(1);
    &text[text.len() - n_bytes..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_that_a_text_gives_as_an_example_is_none() {
        let said =
            |lead: &str| own_voice(&format!("{lead}\n\n```json\n{{\"decision\":\"incomplete\"}}\n```\n"));
        assert!(!said("A refusal looks, for example, like this:").contains("decision"));
        assert!(said("My decision:").contains("decision"));
    }

    #[test]
    fn quotes_headings_and_examples_are_not_said_by_the_writer() {
        assert_eq!(
            own_voice("# COMPLETE\na\n> PASS\n```\nFAIL x.js\n```\nb").split_whitespace().collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert_eq!(own_voice("```\nINCOMPLETE\n```").trim(), "INCOMPLETE");
        assert_eq!(own_voice("```json\n{\"decision\":\"complete\"}").trim(), "{\"decision\":\"complete\"}");
    }

    #[test]
    fn a_paragraph_begins_behind_a_blank_line() {
        assert_eq!(last_paragraph("a\n\nb\nc\n\n"), "b\nc");
        assert_eq!(last_paragraph("a\n \nb"), "b");
        assert_eq!(last_paragraph("a\nb"), "a\nb");
        assert_eq!(last_paragraph(""), "");
    }
}
