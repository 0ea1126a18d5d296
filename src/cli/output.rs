//! The standard streams. Text must already be cleaned. Only the screen, the question before an action,
//! `closeout mcp` and the gates write to them elsewhere.

use std::io::{self, IsTerminal as _, Write};

use unicode_width::UnicodeWidthStr as _;

use super::exit::Failure;
use crate::model::display_text;

pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(failed)
}

pub(super) fn print_line(line: &str) -> Result<(), Failure> {
    print(&format!("{line}\n"))
}

/// Prints lines, wrapped between words if standard output is a terminal; the rest of a line stands below the column
/// where its text begins.
pub(super) fn print_text(text: &str) -> Result<(), Failure> {
    let width = if io::stdout().is_terminal() { crossterm::terminal::size().ok() } else { None };
    match width {
        Some((columns, _)) if columns > 0 => print(&wrapped(text, usize::from(columns))),
        Some(_) | None => print(text),
    }
}

/// The text in lines of at most `width` cells, where words allow it.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::with_capacity(text.len());
    for line in text.lines() {
        let indent = column_of(line).min(width / 2);
        let mut used = 0;
        let mut is_first = true;
        for word in line.split_inclusive(' ') {
            let n_cells = word.trim_end().width();
            if !is_first && used + n_cells > width && used > indent {
                lines.truncate(lines.trim_end_matches(' ').len());
                lines.push('\n');
                lines.push_str(&" ".repeat(indent));
                used = indent;
            }
            lines.push_str(word);
            used += word.width();
            is_first = false;
        }
        lines.push('\n');
    }
    lines
}

/// The column where the text of a line begins: after its label, which two blanks end, else after its indent.
fn column_of(line: &str) -> usize {
    const WIDEST_LABEL: usize = 20;
    let begin = line.len() - line.trim_start().len();
    let label = line[begin..].find("  ").map(|at| begin + at);
    let text = label.map(|at| at + line[at..].len() - line[at..].trim_start().len());
    text.map(|at| line[..at].width()).filter(|column| *column <= WIDEST_LABEL).unwrap_or(begin)
}

/// Writes a line to standard error. A failure is ignored, since there is no other way to report it.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes closeout's own words about something, cleaned, to standard error.
pub(super) fn note(text: &str) {
    complain(&format!("closeout: {}", display_text::line(text)));
}

/// Writes several of them.
pub(super) fn notes<'t>(texts: impl IntoIterator<Item = &'t String>) {
    texts.into_iter().for_each(|text| note(text));
}

fn failed(source: io::Error) -> Failure {
    Failure::Stream { what: "cannot write the output".to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_below_the_beginning_of_its_text() {
        let text = "  why   one two three four\n\n    - five six seven\n  検索結果 保存する\n";
        let expected = "  why   one two\n        three\n        four\n\n    - five six\n    seven\n  検索結果\n  保存する\n";
        assert_eq!(wrapped(text, 16), expected);
        assert_eq!(wrapped(text, 80), text);
        assert_eq!(wrapped("anunbreakableword is long", 6), "anunbreakableword\nis\nlong\n");
    }
}
