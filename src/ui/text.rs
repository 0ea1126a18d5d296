//! Text to cells: cleaning, measuring, cutting and wrapping, always on grapheme boundaries.
//!
//! Everything that a frame shows of agents, repositories and file names passes through [`line()`] or
//! [`paragraphs`]. Nothing here knows what the text means or where it goes.

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::look::{Look, Sign};
use crate::model::display_text;

/// Of each text only this many bytes are read, more than any screen shows; this bounds the cost of a frame.
const MAX_BYTES: usize = 16 * 1024;

/// Cleans text for one line.
///
/// Besides unsafe characters, it drops those that join several emojis into one: terminals disagree about the
/// width of the result, and a row that is one cell off is worse than two emojis.
pub(super) fn line(text: &str) -> String {
    let mut shown = display_text::line(bounded(text)).into_owned();
    shown.retain(|sign| !matches!(sign, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}'));
    shown
}

/// Cleans text of several lines, one by one.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = String> + '_ {
    bounded(text).lines().map(|paragraph| line(&paragraph.replace('\t', "    ")))
}

/// The beginning of a text, at most [`MAX_BYTES`].
pub(super) fn bounded(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The width of a text in cells.
pub(super) fn width(text: &str) -> usize {
    if text.bytes().all(|byte| (0x20..0x7F).contains(&byte)) {
        return text.len();
    }
    text.graphemes(true).map(cells).sum()
}

/// The width in cells of untrusted text after cleaning, counted only up to `most`.
pub(super) fn shown_width(raw: &str, most: usize) -> usize {
    let is_plain = raw.bytes().all(|byte| (0x20..0x7F).contains(&byte));
    let n_cells = if is_plain { raw.len() } else { width(&line(raw)) };
    n_cells.min(most)
}

pub(super) fn line_width(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| width(&span.content)).sum()
}

/// At most `max` cells of a text, with an ellipsis if something was left out.
pub(super) fn cut(text: &str, max: usize, look: Look) -> String {
    if text.len() <= max || width(text) <= max {
        return text.to_owned();
    }
    let ellipsis = look.sign(Sign::Ellipsis);
    let Some(room) = max.checked_sub(width(ellipsis)) else {
        return String::new();
    };
    let mut used = 0;
    let kept: String = text
        .graphemes(true)
        .take_while(|grapheme| {
            used += cells(grapheme);
            used <= room
        })
        .collect();
    format!("{}{ellipsis}", kept.trim_end())
}

/// The text cut to exactly `max` cells, padded with spaces.
pub(super) fn fit(text: &str, max: usize, look: Look) -> String {
    let mut shown = cut(text, max, look);
    let n_missing = max.saturating_sub(width(&shown));
    shown.extend(std::iter::repeat_n(' ', n_missing));
    shown
}

/// The line cut to `max` cells.
pub(super) fn cut_line(line: Line<'static>, max: usize, look: Look) -> Line<'static> {
    if line_width(&line) <= max {
        return line;
    }
    let mut room = max;
    let mut spans = Vec::with_capacity(line.spans.len());
    for span in line.spans {
        let n_cells = width(&span.content);
        // A full span with more after it must still leave room for the ellipsis: cut it as too wide.
        if n_cells < room {
            room -= n_cells;
            spans.push(span);
        } else {
            let shown = cut(&format!("{}  ", span.content), room, look);
            spans.push(Span::styled(shown, span.style));
            break;
        }
    }
    Line::from(spans)
}

/// Breaks spans into lines of at most `max` cells: at spaces and between wide characters, but not before
/// closing punctuation. `first` is put before the first line and `rest` before the others.
pub(super) fn wrap(
    spans: &[Span<'_>],
    max: usize,
    first: &Span<'static>,
    rest: &Span<'static>,
) -> Vec<Line<'static>> {
    let graphemes: Vec<(&str, Style)> = spans
        .iter()
        .flat_map(|span| span.content.graphemes(true).map(move |grapheme| (grapheme, span.style)))
        .collect();
    let room = max.saturating_sub(width(&first.content).max(width(&rest.content))).max(2);
    let mut lines = Vec::new();
    let mut start = 0;
    loop {
        let end = line_end(&graphemes, start, room);
        let prefix = if lines.is_empty() { first } else { rest };
        lines.push(joined(prefix, trimmed(&graphemes[start..end])));
        start = end;
        while start < graphemes.len() && graphemes[start].0 == " " {
            start += 1;
        }
        if start >= graphemes.len() {
            return lines;
        }
    }
}

/// Wraps text of a single style.
pub(super) fn wrap_text(text: &str, style: Style, max: usize, indent: usize) -> Vec<Line<'static>> {
    let blanks = Span::raw(" ".repeat(indent));
    wrap(&[Span::styled(text, style)], max, &blanks, &blanks)
}

/// Where the line that starts at `start` ends. Always beyond `start`, unless nothing is left.
fn line_end(graphemes: &[(&str, Style)], start: usize, room: usize) -> usize {
    let mut used = 0;
    let mut last_break = None;
    for position in start..graphemes.len() {
        let grapheme = graphemes[position].0;
        if position > start && may_break(graphemes[position - 1].0, grapheme) {
            last_break = Some(position);
        }
        used += cells(grapheme);
        if used > room && grapheme != " " {
            return last_break.unwrap_or(position.max(start + 1));
        }
    }
    graphemes.len()
}

/// Whether a line may be broken between these two graphemes.
pub(super) fn may_break(before: &str, after: &str) -> bool {
    if before == " " {
        return after != " ";
    }
    let is_wide = cells(before) == 2 || cells(after) == 2;
    is_wide && after != " " && !closes(after) && !opens(before)
}

/// Punctuation that must not begin a line (JIS X 4051, the common characters).
fn closes(grapheme: &str) -> bool {
    "、。，．・：；？！）］｝〉》」』】〕ー…‥々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;?!)]}"
        .contains(grapheme)
}

/// Punctuation that must not end a line.
fn opens(grapheme: &str) -> bool {
    "（［｛〈《「『【〔([{".contains(grapheme)
}

fn trimmed<'a, 'b>(graphemes: &'b [(&'a str, Style)]) -> &'b [(&'a str, Style)] {
    let end = graphemes.iter().rposition(|(grapheme, _)| *grapheme != " ").map_or(0, |last| last + 1);
    &graphemes[..end]
}

/// One line of these graphemes; neighbours of the same style share a span.
fn joined(prefix: &Span<'static>, graphemes: &[(&str, Style)]) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    if !prefix.content.is_empty() {
        spans.push(prefix.clone());
    }
    for run in graphemes.chunk_by(|left, right| left.1 == right.1) {
        let content: String = run.iter().map(|(grapheme, _)| *grapheme).collect();
        spans.push(Span::styled(content, run[0].1));
    }
    Line::from(spans)
}

/// The width of a grapheme in cells, as ratatui counts it.
fn cells(grapheme: &str) -> usize {
    usize::from(grapheme.cell_width())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, max: usize) -> Vec<String> {
        wrap_text(text, Style::new(), max, 0).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn cutting_leaves_no_half_of_a_wide_sign() {
        let look = Look::colour();
        assert_eq!(cut("日本語です", 5, look), "日本…");
        assert_eq!(cut("日本語です", 4, look), "日…");
        assert_eq!(cut("日本語です", 10, look), "日本語です");
        assert_eq!(cut("abc", 0, look), "");
        assert_eq!(cut("日本語です", 6, Look::ascii()), "日本..");
        assert_eq!(cut("日本語です", 5, Look::ascii()), "日..");
        assert_eq!(fit("日本", 6, look), "日本  ");
    }

    #[test]
    fn lines_break_at_blanks_and_between_wide_signs() {
        assert_eq!(wrapped("to be or not to be", 8), ["to be or", "not to", "be"]);
        assert_eq!(wrapped("データを消しますか", 8), ["データを", "消します", "か"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn closing_punctuation_does_not_begin_a_line() {
        assert_eq!(wrapped("完了です。次", 8), ["完了で", "す。次"]);
        assert_eq!(wrapped("ああ「次」", 6), ["ああ", "「次」"]);
    }

    #[test]
    fn a_line_is_cut_where_its_spans_do_not_fit() {
        let line = Line::from(vec![Span::raw("abc"), Span::raw("def")]);
        assert_eq!(cut_line(line.clone(), 6, Look::colour()).to_string(), "abcdef");
        assert_eq!(cut_line(line.clone(), 5, Look::colour()).to_string(), "abcd…");
        assert_eq!(cut_line(line, 3, Look::colour()).to_string(), "ab…");
    }

    #[test]
    fn joined_emojis_are_taken_apart() {
        assert_eq!(line("👩\u{200D}💻 ❤\u{FE0F} ok"), "👩💻 ❤ ok");
    }
}
