//! The prompt of the next iteration: the first prompt, what is left to do, and what became of the last iteration.
//!
//! Must not: shorten or reword what the person or a source said.

use std::fmt::Write as _;

/// What goes into a prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct NextPrompt<'a> {
    /// The person's own prompt; may be empty.
    pub first: &'a str,
    /// The number of the iteration that it is for.
    pub number: u32,
    /// The most iterations.
    pub max_iterations: u32,
    /// How often the same points were open in a row.
    pub stage: u8,
    /// What the check after the last iteration found left to do.
    pub open_points: &'a [String],
    /// What became of the last iteration, in a sentence or two; empty before the second.
    pub summary: &'a str,
    /// The agent's question and the person's answer.
    pub answered: Option<(&'a str, &'a str)>,
    /// Where the decision goes, in words.
    pub decision: Option<&'a str>,
}

/// The prompt. From the second stage on it asks for the smallest change, and repeats the points word for word.
pub fn next_prompt(parts: &NextPrompt<'_>) -> String {
    let mut text = parts.first.trim_end().to_owned();
    let mut section = |title: &str, body: &str| {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{gap}## {title}\n\n{}", body.trim_end());
    };
    if let Some((question, answer)) = parts.answered {
        section(
            "Your question, and the answer",
            &format!("You asked:\n\n{}\n\nThe answer: {answer}", quoted(question)),
        );
    }
    if !parts.summary.is_empty() {
        let title = format!("Iteration {} of at most {}", parts.number, parts.max_iterations);
        section(&title, parts.summary);
    }
    if !parts.open_points.is_empty() {
        let list: Vec<String> =
            parts.open_points.iter().map(|point| format!("- {}", indented(point))).collect();
        let list = list.join("\n");
        if parts.stage >= 2 {
            let words = format!(
                "These very points were left {} times in a row. Make the smallest change that settles them, and \
                 nothing else. If one of them cannot be settled, say why in your decision.\n\n{}",
                parts.stage,
                quoted(&list)
            );
            section("Left to do, again", &words);
        } else {
            section("Left to do", &list);
        }
    }
    if let Some(decision) = parts.decision {
        section("When you are done", decision);
    }
    text.push('\n');
    text
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

fn indented(point: &str) -> String {
    point.trim().lines().collect::<Vec<_>>().join("\n  ")
}
