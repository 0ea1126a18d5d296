//! Rule 1: titles in feedback.
//!
//! Must not let a title pose as a line of its own, or grow without a limit. Control characters become spaces
//! here; a front still shows feedback through `model::display_text`.

const MAX_TITLES: usize = 3;
const MAX_CHARACTERS: usize = 500;

/// Up to three titles, followed by an ellipsis if there are more. `n_all` is how many there are.
pub(super) fn first_titles(titles: impl Iterator<Item = String>, n_all: usize) -> String {
    let shown: Vec<String> = titles.take(MAX_TITLES).collect();
    let ellipsis = if n_all > shown.len() { ", ..." } else { "" };
    shown.join(", ") + ellipsis
}

/// A text on one line, at most 500 characters long.
pub(super) fn one_line(text: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    let mut line = String::new();
    let parts = text.split(is_gap).filter(|part| !part.is_empty());
    let characters = parts.flat_map(|part| std::iter::once(' ').chain(part.chars())).skip(1);
    line.extend(characters.take(MAX_CHARACTERS));
    line
}
