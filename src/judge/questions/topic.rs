//! Compares an answer with the request: are they about the same thing? Must not judge anything else.

use std::collections::HashSet;

use super::normal;
use crate::judge::joined;

/// A longer answer, in bytes, discusses its subject in words that need not occur in the request.
const LONGEST_ANSWER: usize = 512;
/// A shorter answer, in bytes, is a name or a number.
const SHORTEST_ANSWER: usize = 32;
/// A longer request, in bytes, is a text that was handed over, or a command with its template.
const LONGEST_REQUEST: usize = 240;
/// How much of a text is compared, in bytes.
const WINDOW: usize = 16 * 1024;

/// Whether the text has next to nothing of what the request is about. False if the two are in different
/// scripts, or if the request has too few words to tell.
pub(super) fn is_off(text: &str, request: &str) -> bool {
    let mut end = text.len().min(WINDOW);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if text.len() < SHORTEST_ANSWER {
        return false;
    }
    let is_long = text.len() > LONGEST_ANSWER || request.len() > LONGEST_REQUEST;
    // Code to copy is for the work at hand, whatever it is called.
    let has_code = text.lines().any(|line| line.trim_start().starts_with("```"));
    if is_long || has_code || request.trim().contains('\n') {
        return false;
    }
    let (wanted, given) = (pieces(request), pieces(&text[..end]));
    let comparable: Vec<_> = wanted.iter().filter(|piece| piece.chars().count() > 1).collect();
    let is_joined = request.chars().any(joined::is_joined);
    // Three pairs of characters are one short remark.
    if comparable.len() < if is_joined { 4 } else { 3 } || given.is_empty() {
        return false;
    }
    let same_script = is_joined == text.chars().any(joined::is_joined);
    let shared = comparable.iter().filter(|piece| given.contains(piece.as_str())).count();
    same_script && shared == 0
}

/// The stems of the words that carry meaning, or pairs of characters where words are not separated.
fn pieces(text: &str) -> HashSet<String> {
    let normal = normal::form(text, &[]);
    let mut pieces = HashSet::new();
    let base = if normal.joined.is_empty() { &normal.spaced } else { &normal.joined };
    let mut word = String::new();
    let mut previous: Option<char> = None;
    for c in base.chars().chain([' ']) {
        let content = joined::is_joined(c) && !matches!(c, '\u{3040}'..='\u{309f}');
        if content {
            if let Some(first) = previous {
                pieces.insert([first, c].iter().collect());
            }
            previous = Some(c);
        } else {
            previous = None;
        }
        if c.is_alphanumeric() && !joined::is_joined(c) {
            word.push(c);
        } else if !word.is_empty() {
            if word.chars().count() > 3 && !COMMON.contains(&word.as_str()) {
                pieces.insert(word.chars().take(5).collect());
            }
            word.clear();
        }
    }
    pieces
}

/// Words of requests that say nothing about their subject.
const COMMON: [&str; 42] = [
    "please", "with", "that", "this", "from", "into", "what", "which", "where", "when", "have", "does",
    "list", "show", "write", "give", "make", "create", "about", "explain", "describe", "summarise",
    "summarize", "find", "tell", "could", "would", "should", "your", "them", "their", "there", "these",
    "those", "using", "each", "then", "also", "want", "need", "file", "files",
];
