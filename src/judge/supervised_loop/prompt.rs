//! The prompt of the next iteration: the first prompt, what is left to do, and the
//! outcome of the last iteration.
//!
//! Must not shorten or reword what the person or a source said.

use std::fmt::Write as _;

/// The parts of a prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct NextPrompt<'a> {
    /// The person's own prompt; may be empty.
    pub first: &'a str,
    /// The number of the iteration it is for.
    pub number: u32,
    /// The most iterations.
    pub max_iterations: u32,
    /// How many times in a row the same points were open.
    pub stage: u8,
    /// What the check after the last iteration found left to do.
    pub open_points: &'a [String],
    /// The outcome of the last iteration in a sentence or two; empty for the first.
    pub summary: &'a str,
    /// The agent's question and the person's answer.
    pub answered: Option<(&'a str, &'a str)>,
    /// Where the decision goes, in words.
    pub decision: Option<&'a str>,
}

/// The titles of the sections below the person's own prompt.
const ANSWERED: &str = "Your question, and the answer";
const LEFT: &str = "Left to do";
const LEFT_AGAIN: &str = "Left to do, again";
const DECISION: &str = "When you are done";

/// Whether `later` is the prompt of a later iteration in the same run as `earlier`, so that both belong to
/// one task. Both are as agents recorded them, so whitespace is ignored.
pub fn is_later_iteration(later: &str, earlier: &str) -> bool {
    let (own, sections) = parted(later);
    let is_numbered = sections.lines().any(|line| number_of(line).is_some());
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    is_numbered && words(own) == words(parted(earlier).0)
}

/// The person's own part of a prompt. In a prompt of a supervised run, that is the text above its sections.
pub fn own_part(prompt: &str) -> &str {
    let (own, sections) = parted(prompt);
    let is_of_run = |line: &str| number_of(line).is_some() || line.trim_end() == format!("## {DECISION}");
    if !own.trim().is_empty() && sections.lines().any(is_of_run) { own } else { prompt }
}

/// The person's own part of a prompt, and the sections below it.
fn parted(prompt: &str) -> (&str, &str) {
    let is_ours = |line: &str| {
        let title = line.strip_prefix("## ").map(str::trim_end);
        title.is_some_and(|title| [ANSWERED, LEFT, LEFT_AGAIN, DECISION].contains(&title))
            || number_of(line).is_some()
    };
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        if is_ours(line) {
            return prompt.split_at(at);
        }
        at += line.len();
    }
    (prompt, "")
}

/// The number in the title of an iteration.
fn number_of(line: &str) -> Option<u32> {
    let (number, most) = line.strip_prefix("## Iteration ")?.split_once(" of at most ")?;
    most.trim_end().parse::<u32>().ok()?;
    number.parse().ok()
}

/// Builds the prompt. From the second stage on, it asks for the smallest change and
/// repeats the points word for word.
pub fn next_prompt(parts: &NextPrompt<'_>) -> String {
    let mut text = parts.first.trim_end().to_owned();
    let mut section = |title: &str, body: &str| {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{gap}## {title}\n\n{}", body.trim_end());
    };
    if let Some((question, answer)) = parts.answered {
        section(ANSWERED, &format!("You asked:\n\n{}\n\nThe answer: {answer}", quoted(question)));
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
            section(LEFT_AGAIN, &words);
        } else {
            section(LEFT, &list);
        }
    }
    if let Some(decision) = parts.decision {
        section(DECISION, decision);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_one_run_are_one_task_and_no_others() {
        let open = ["decision: a test fails".to_owned()];
        let prompt = |first, number, summary| {
            let parts = NextPrompt { first, number, max_iterations: 4, stage: 0, ..NextPrompt::default() };
            let open_points = if number > 1 { &open[..] } else { &[] };
            next_prompt(&NextPrompt { summary, open_points, decision: Some("Write it."), ..parts })
        };
        let (first, second) = (
            prompt("Mend it.\n\n## How\n\nSoon.", 1, ""),
            prompt("Mend it.\n\n## How\n\nSoon.", 2, "It ended."),
        );
        let third = prompt("Mend it.\n\n## How\n\nSoon.", 3, "It ended.");
        assert!(is_later_iteration(&second, &first) && is_later_iteration(&third, &second));
        assert!(!is_later_iteration(&first, &second), "the first one tells of no iteration");
        assert!(is_later_iteration(&second, "Mend it.\n## How\nSoon."), "by hand before");
        assert!(!is_later_iteration(&prompt("Mend the other.", 2, "It ended."), &first));
        let answered = NextPrompt {
            first: "Paint it.",
            number: 1,
            max_iterations: 4,
            summary: "It asks.",
            answered: Some(("Red?", "Yes")),
            ..NextPrompt::default()
        };
        assert!(is_later_iteration(&next_prompt(&answered), &prompt("Paint it.", 1, "")));
        assert_eq!(own_part(&next_prompt(&answered)).trim(), "Paint it.");
        assert_eq!(own_part(&second).trim(), "Mend it.\n\n## How\n\nSoon.");
        for whole in [
            "Mend it.", "## Left to do\n\n- a", "Mend it.\n\n## Left to do\n\n- a",
            "## When you are done\n\nPush.",
        ] {
            assert_eq!(own_part(whole), whole);
        }
        for (later, earlier) in [
            ("", ""),
            ("Mend it.", "Mend it."),
            ("Mend it.\n\n## Left to do\n\n- b", "Mend it.\n\n## Left to do\n\n- a"),
        ] {
            assert!(!is_later_iteration(later, earlier), "{later:?}");
        }
    }
}
