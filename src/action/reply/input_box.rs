//! Decides whether the input box of an agent in a pane is empty, from the cursor's position and the cells
//! around it.
//!
//! It must not treat screen text as evidence of what an agent does. It only prevents words from being sent
//! along with someone's unfinished ones; a box that is not certainly empty counts as not empty.

use crate::agent::EmptyBox;

/// The cursor of a pane, and the screen's lines with their style escape sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AtCursor {
    pub(super) column: u32,
    pub(super) row: u32,
    /// The lines above the cursor, from the top. Untrusted text.
    pub(super) above: Vec<String>,
    /// The cursor's line. Untrusted text.
    pub(super) line: String,
    /// The lines below the cursor. Untrusted text.
    pub(super) below: Vec<String>,
}

/// A cell of a line, reduced to what matters for typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) sign: char,
    is_faint: bool,
    /// A number for the background; different backgrounds have different numbers.
    pub(super) background: u32,
}

/// The current text style, reduced to what matters.
#[derive(Debug, Clone, Copy, Default)]
struct Drawn {
    is_faint: bool,
    background: u32,
}

/// Whether the cursor is in an empty box of this kind.
pub(super) fn is_empty(current: &AtCursor, empty: &EmptyBox) -> bool {
    match *empty {
        EmptyBox::Framed { prompts, column, below } => {
            current.column == column && is_framed(current, prompts, below).unwrap_or(false)
        }
        EmptyBox::WithHint { prompts, column, hint } => {
            current.column == column && is_hinted(current, prompts, column, hint).unwrap_or(false)
        }
        EmptyBox::Barred { bar, from_bar, mode, edge } => current
            .column
            .checked_sub(from_bar)
            .is_some_and(|at| is_barred(current, at as usize, bar, mode, edge).unwrap_or(false)),
    }
}

/// The cells of the line `below` lines under the cursor's (negative: above). `None` if there is none or it
/// cannot be parsed.
fn line(current: &AtCursor, below: isize) -> Option<Vec<Cell>> {
    let n = below.unsigned_abs();
    let line = match below.signum() {
        0 => Some(&current.line),
        1 => current.below.get(n - 1),
        _ => current.above.len().checked_sub(n).and_then(|at| current.above.get(at)),
    };
    cells(line?)
}

fn is_framed(current: &AtCursor, prompts: &[char], frame: char) -> Option<bool> {
    let (line, below) = (line(current, 0)?, line(current, 1)?);
    let (prompt, rest) = line.split_first()?;
    // tmux omits spaces at the end of a line.
    let (is_apart, rest) = rest.split_first().map_or((true, rest), |(blank, rest)| (is_blank(blank), rest));
    let is_prompt = prompts.contains(&prompt.sign) && is_apart;
    // The frame below the box starts at the left edge; another line of text would be indented.
    let is_framed = below.first().is_some_and(|cell| cell.sign == frame);
    Some(is_prompt && is_framed && (rest.iter().all(is_blank) || is_hint(rest)))
}

fn is_hinted(current: &AtCursor, prompts: &[char], column: u32, hint: &str) -> Option<bool> {
    let line = line(current, 0)?;
    let (before, rest) = line.split_at_checked(usize::try_from(column).ok()?)?;
    let [edge, prompt, apart] = before else { return None };
    let is_prompt = is_blank(edge) && prompts.contains(&prompt.sign) && is_blank(apart);
    let shown: String = rest.iter().map(|cell| if is_blank(cell) { ' ' } else { cell.sign }).collect();
    Some(is_prompt && shown.trim_end() == hint)
}

fn is_barred(current: &AtCursor, at: usize, bar: char, mode: &str, edge: (char, char)) -> Option<bool> {
    let lower = line(current, 3)?;
    let has_bar = |cells: &[Cell]| cells.get(at).is_some_and(|cell| cell.sign == bar);
    let right = lower.get(at + 1..).unwrap_or_default();
    let n_edge = right.iter().take_while(|cell| cell.sign == edge.1).count();
    // If no edge is drawn, the whole line counts.
    let width = if n_edge == 0 { usize::MAX } else { n_edge };
    let has_edge = lower.get(at).is_some_and(|cell| cell.sign == edge.0);
    let inside = |cells: &[Cell]| -> Vec<Cell> {
        cells.get(at + 1..).unwrap_or_default().iter().take(width).copied().collect()
    };
    let is_empty = |cells: &[Cell]| has_bar(cells) && inside(cells).iter().all(is_blank);
    let words: String = inside(&line(current, 2)?).iter().map(|cell| cell.sign).collect();
    let is_lowest = line(current, -2).is_none_or(|above| !has_bar(&above));
    let lines = [line(current, -1)?, line(current, 0)?, line(current, 1)?];
    let is_named = has_bar(&line(current, 2)?) && words.contains(mode);
    Some(has_edge && is_named && is_lowest && lines.iter().all(|cells| is_empty(cells)))
}

/// Whether these cells are the faint hint that an empty box may show. Its first character lies under the cursor
/// and is drawn like it; a single character could be typed text.
fn is_hint(cells: &[Cell]) -> bool {
    let Some((_, rest)) = cells.split_first() else { return false };
    rest.iter().any(|cell| !is_blank(cell)) && rest.iter().all(|cell| is_blank(cell) || cell.is_faint)
}

fn is_blank(cell: &Cell) -> bool {
    matches!(cell.sign, ' ' | '\u{a0}')
}

/// Parses a line of `capture-pane -e` into cells; `None` if it has an escape sequence other than a style.
pub(super) fn cells(line: &str) -> Option<Vec<Cell>> {
    let mut cells = Vec::new();
    let mut drawn = Drawn::default();
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        if sign != '\x1b' {
            cells.push(Cell { sign, is_faint: drawn.is_faint, background: drawn.background });
            continue;
        }
        if signs.next() != Some('[') {
            return None;
        }
        let look: String = signs.by_ref().take_while(|sign| *sign != 'm').collect();
        if !look.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, ';' | ':')) {
            return None;
        }
        drawn = drawn.after(&look);
    }
    Some(cells)
}

/// A line without its styles; `None` if it has an escape sequence other than a style.
pub(super) fn plain(line: &str) -> Option<String> {
    Some(cells(line)?.into_iter().map(|cell| cell.sign).collect())
}

impl Drawn {
    /// The style after this SGR sequence (ECMA-48: 2 is faint, 22 neither faint nor bold, 4x and 10x set the
    /// background, 49 the default one).
    fn after(mut self, look: &str) -> Drawn {
        let mut numbers = look.split(';');
        while let Some(number) = numbers.next() {
            match number {
                "" | "0" => self = Drawn::default(),
                "22" => self.is_faint = false,
                "2" => self.is_faint = true,
                // An extended colour: three parameters follow a 2, one follows a 5.
                "38" | "48" | "58" => {
                    let n_more = if numbers.next() == Some("2") { 3 } else { 1 };
                    let colour = numbers.by_ref().take(n_more).filter_map(|part| part.parse::<u32>().ok());
                    let colour = colour.fold(1, |colour, part| colour << 8 | part & 0xff);
                    self.background = if number == "48" { colour } else { self.background };
                }
                "49" => self.background = 0,
                _ => {
                    let plain = number.parse().ok().filter(|plain| matches!(plain, 40..=47 | 100..=107));
                    self.background = plain.unwrap_or(self.background);
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: EmptyBox = EmptyBox::Framed { prompts: &['❯', '>'], column: 2, below: '─' };
    const FRAME: &str = "\x1b[38;5;244m──────";

    fn screen(column: u32, row: u32, lines: &[&str], empty: &EmptyBox) -> bool {
        let mut lines = lines.iter().map(|line| (*line).to_owned());
        let above = lines.by_ref().take(row as usize).collect();
        let line = lines.next().unwrap_or_default();
        is_empty(&AtCursor { column, row, above, line, below: lines.collect() }, empty)
    }

    fn at(column: u32, line: &str, below: &str) -> bool {
        screen(column, 1, &["above", line, below], &EMPTY)
    }

    /// As Claude Code 2.1.330 draws it: a no-break space after the prompt sign, then the cursor.
    #[test]
    fn an_empty_box_and_one_with_a_faint_hint_are_empty() {
        for line in [
            "\x1b[39m❯\u{a0}\x1b[7m \x1b[0m\x1b[39m\x1b[49m",
            "\x1b[39m❯\u{a0}\x1b[7m",
            "> ",
            "❯",
            "\x1b[38;2;2;2;2m❯ \x1b[7mT\x1b[0;2mry \"fix the tests\"\x1b[0m",
        ] {
            assert!(at(2, line, FRAME), "{line:?}");
        }
    }

    #[test]
    fn words_in_the_box_wherever_the_cursor_stands_are_seen() {
        for (column, line, below) in [
            (8, "❯\u{a0}a word\x1b[7m ", FRAME),
            // The cursor was moved back to the start of the text.
            (2, "❯\u{a0}\x1b[7mh\x1b[0malf a draft", FRAME),
            (2, "❯\u{a0}\x1b[7my\x1b[0m", FRAME),
            (2, "❯\u{a0}\x1b[7mh\x1b[0m\x1b[38;2;2;2;2malf", FRAME),
            (2, "❯\u{a0}\x1b[7mh\x1b[0m\x1b[2;22malf", FRAME),
            // The cursor on a second line, and on a first line with a second one below.
            (2, "  \x1b[7m ", FRAME),
            (2, "❯\u{a0}\x1b[7m ", "  the second line"),
            // A typed space, another mode, an escape sequence that is no style, no box at all.
            (3, "❯\u{a0} \x1b[7m ", FRAME),
            (2, "!\u{a0}\x1b[7m ", FRAME),
            (2, "❯\u{a0}\x1b]8;;x\x1b\\", FRAME),
            (2, "❯x", FRAME),
            (2, "❯\u{a0}", ""),
            (2, "", FRAME),
        ] {
            assert!(!at(column, line, below), "{column} {line:?} {below:?}");
        }
    }

    const BARRED: EmptyBox = EmptyBox::Barred { bar: '┃', from_bar: 3, mode: " · ", edge: ('╹', '▀') };
    const BAR: &str = "\x1b[48;5;232m  \x1b[38;5;75m┃\x1b[38;5;15m\x1b[48;5;234m            \x1b[48;5;232m";
    const NAMES: &str = "  \x1b[38;5;75m┃  Build\x1b[38;5;15m · \x1b[38;5;255mMock Mock";
    const EDGE: &str = "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀";

    /// As opencode 1.18.33 draws it.
    #[test]
    fn a_block_with_a_bar_is_empty_in_its_lowest_form_only() {
        let in_block = |column, lines: [&str; 6]| screen(column, 2, &lines, &BARRED);
        assert!(in_block(5, ["", BAR, BAR, BAR, NAMES, EDGE]));
        // Status text at the right of a wide screen, and a theme that draws no edge.
        let fact = format!("{BAR}{}  Context 12", " ".repeat(24));
        assert!(in_block(5, ["", &fact, &fact, &fact, NAMES, &format!("{EDGE}   /work:main")]));
        assert!(in_block(5, ["", BAR, BAR, BAR, NAMES, "  ╹"]));
        for (column, lines) in [
            (17, ["", BAR, "  ┃  half a draft", BAR, NAMES, EDGE]),
            (5, ["", BAR, "  ┃  half a draft", BAR, NAMES, EDGE]),
            // Text above or below the cursor, even if scrolled out of the block.
            (5, [BAR, "  ┃  words", BAR, BAR, NAMES, EDGE]),
            (5, ["", BAR, BAR, "  ┃  words", NAMES, EDGE]),
            (5, [BAR, BAR, BAR, BAR, NAMES, EDGE]),
            // Shell mode, and something other than the box at the cursor.
            (5, ["", BAR, BAR, BAR, "  ┃  Shell", EDGE]),
            (5, ["", "", "", "", "", ""]),
            (34, ["", BAR, BAR, BAR, NAMES, EDGE]),
            (2, ["", BAR, BAR, BAR, NAMES, EDGE]),
            (5, ["", BAR, BAR, BAR, NAMES, NAMES]),
        ] {
            assert!(!in_block(column, lines), "{column} {lines:?}");
        }
        assert!(!screen(5, 0, &[BAR, BAR, NAMES, EDGE], &BARRED));
        assert!(!screen(5, 9, &[BAR], &BARRED));
    }

    const HINTED: EmptyBox =
        EmptyBox::WithHint { prompts: &['>', '*'], column: 3, hint: "  Type your message or @path/to/file" };

    /// As Gemini CLI 0.61.0 draws it.
    #[test]
    fn a_hint_that_goes_with_the_first_sign_shows_an_empty_line() {
        let of = |column, line: &str| screen(column, 0, &[line], &HINTED);
        let hint =
            "\x1b[7m\x1b[39m \x1b[0m\x1b[38;5;248m\x1b[48;5;240m Type your message or @path/to/file\x1b[39m";
        for sign in ['>', '*'] {
            assert!(of(3, &format!(" \x1b[38;5;183m{sign} {hint}")), "{sign}");
        }
        for (column, line) in [
            (15, " > half a draft\x1b[7m ".to_owned()),
            (3, " > \x1b[7mh\x1b[0malf a draft".to_owned()),
            // Shell mode, a line break, and text before or after the hint.
            (3, " ! \x1b[7m \x1b[0m Type your shell command".to_owned()),
            (3, " >".to_owned()),
            (3, "   \x1b[7m ".to_owned()),
            (3, format!(" > {hint} x")),
            (4, format!(" > {hint}")),
            (3, format!("x> {hint}")),
        ] {
            assert!(!of(column, &line), "{column} {line:?}");
        }
    }
}
