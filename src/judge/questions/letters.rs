//! Finds letters to somebody else in running text, from a salutation to a closing formula or rule. Must not
//! judge: what a letter asks, the writer of the message does not ask.

use super::forms::Form;
use super::language::Language;
use super::lexicon::Search;
use super::lines::{Line, Role};
use super::normal;

/// The longest line, in bytes, that can be a salutation.
const SALUTATION: usize = 80;
/// The longest line, in bytes, that can be a closing formula, which may be a whole sentence.
const FORMULA: usize = 200;

/// Marks the lines of letters.
pub(super) fn mark(text: &str, language: Language, lines: &mut [Line]) {
    let mut search = Search::default();
    let mut introduced = false;
    let mut openings = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if introduced && opens(&mut search, language, text, line, Form::Greeting) {
            openings.push(index);
        }
        if !matches!(line.role, Role::Blank | Role::Rule) {
            let end = text[line.range.clone()].trim_end().trim_end_matches('*');
            introduced = line.role == Role::Heading || end.ends_with([':', '\u{ff1a}', '。', '.']);
        }
    }
    let Some(&first) = openings.first() else { return };
    let mut close = None;
    let mut ends = vec![None; lines.len()];
    for index in (first..lines.len()).rev() {
        let line = &lines[index];
        if matches!(line.role, Role::Rule | Role::Heading)
            || opens(&mut search, language, text, line, Form::SignOff)
        {
            close = Some(index);
        }
        ends[index] = close;
    }
    let mut marked = 0;
    for start in openings {
        let mut end = ends[start].unwrap_or(start);
        // The sender's name follows the closing formula.
        while lines.get(end + 1).is_some_and(|line| {
            !matches!(line.role, Role::Blank | Role::Heading) && line.range.len() <= 40 && end > start
        }) {
            end += 1;
        }
        let from = start.max(marked).min(end + 1);
        for line in &mut lines[from..=end] {
            if !matches!(line.role, Role::Blank | Role::Letter) {
                line.role = Role::Letter;
            }
        }
        marked = marked.max(end + 1);
    }
}

fn opens(search: &mut Search, language: Language, text: &str, line: &Line, form: Form) -> bool {
    let longest = if form == Form::SignOff { FORMULA } else { SALUTATION };
    if line.role != Role::Paragraph || line.range.len() > longest {
        return false;
    }
    let normal = normal::form(&text[line.content.min(line.range.end)..line.range.end], &[]);
    search.find(language, &normal.spaced, &normal.joined).has(form)
}
