//! The help page: keys, made from the bindings, and the signs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::keymap::{BINDINGS, Binding, FILTER_BINDINGS};
use super::look::{Look, Sign, TextStyle};
use super::state::State;
use super::{dialog, put, put_rule, text};

/// From this width on keys and signs stand side by side.
const TWO_COLUMNS: u16 = 96;
const KEYS_WIDTH: usize = 18;

/// The words beside a source, with what they say.
const EVIDENCE: [(&str, &str); 9] = [
    ("decided", "it made the verdict, alone or with others"),
    ("agrees", "it says the same as the verdict"),
    ("overruled", "it says something else, and a stronger rule decided"),
    ("noted", "it counts, and was not needed"),
    ("rejected", "it does not count; the reason stands beside it"),
    ("self-reported", "only the agent itself says so"),
    ("guess", "read out of words, not out of facts"),
    ("vacuous", "there was nothing to check"),
    ("required", "no verdict without it"),
];
const EVIDENCE_WIDTH: usize = 15;

/// What a row says of sessions.
const ROWS: [(&str, &str); 7] = [
    ("claude+1", "one more session here works or waits"),
    ("3/7", "todos of the session, or steps of a plan, that are done"),
    ("3m", "since it waits, works, has finished or was last heard of"),
    ("[guess]", "told by the title of its tmux pane alone"),
    ("gone", "its process is gone in the middle of a turn"),
    ("unknown", "no source tells: at work, waiting or killed"),
    ("auto probe", "closeout asks agents by itself: your configuration allows it"),
];

/// Draws the page.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, state: &State) {
    let lines = lines(state);
    let n_shown = usize::from(area.height);
    let top = state.page_top.min(lines.len().saturating_sub(n_shown));
    let is_all = lines.len() <= n_shown;
    let n_lines = lines.len();
    put(buffer, area, lines.into_iter().skip(top));
    if !is_all && area.y > 0 {
        let remark = format!("{}-{} of {n_lines}", top + 1, top + n_shown);
        let above = Rect { y: area.y - 1, height: 1, ..area };
        put_rule(buffer, above, "Help", TextStyle::Strong, &remark, state.look);
    }
}

/// All lines of the page.
pub(super) fn lines(state: &State) -> Vec<Line<'static>> {
    let look = state.look;
    let width = usize::from(state.size.width);
    let mut left = section("Keys", BINDINGS, look);
    left.push(Line::default());
    left.extend(section("While a filter is written", FILTER_BINDINGS, look));
    for (words, keys) in dialog::help() {
        left.push(Line::default());
        left.push(title(words, look));
        left.extend(keys.iter().map(|(keys, help)| key_line(keys, help, look)));
    }
    let right = signs(look);
    let mut lines = if state.size.width >= TWO_COLUMNS {
        beside(left, right, width / 2, look)
    } else {
        left.push(Line::default());
        left.extend(right);
        left
    };
    if !state.notices.is_empty() {
        lines.push(Line::default());
        lines.push(title("Problems", look));
        for notice in &state.notices {
            lines.extend(text::wrap_text(&text::line(notice), look.style(TextStyle::Plain), width, 3));
        }
    }
    lines.into_iter().map(|line| text::cut_line(line, width, look)).collect()
}

fn title(words: &'static str, look: Look) -> Line<'static> {
    Line::from(Span::styled(format!(" {words}"), look.style(TextStyle::Strong)))
}

fn section(words: &'static str, bindings: &[Binding], look: Look) -> Vec<Line<'static>> {
    let mut lines = vec![title(words, look)];
    lines.extend(bindings.iter().map(|binding| key_line(&binding.keys_in_words(), binding.help, look)));
    lines
}

fn key_line(keys: &str, help: &'static str, look: Look) -> Line<'static> {
    Line::from(vec![
        Span::raw("   "),
        Span::styled(text::fit(keys, KEYS_WIDTH, look), look.style(TextStyle::Busy)),
        Span::raw(help),
    ])
}

/// Every sign of the list, the changes and the checklist, with what it says.
fn signs(look: Look) -> Vec<Line<'static>> {
    let states = [
        (Sign::Permission, TextStyle::Asks, "a permission is waited for"),
        (Sign::Asks, TextStyle::Asks, "asks: a question is waited on"),
        (Sign::Rescue, TextStyle::Bad, "rescue: done, and not committed"),
        (Sign::Error, TextStyle::Bad, "error: something failed"),
        (Sign::Stalled, TextStyle::Bad, "stalled: the same open points again and again"),
        (Sign::Incomplete, TextStyle::Open, "incomplete: not done, or nothing says that it is"),
        (Sign::Offer, TextStyle::Good, "done, with an offer of more"),
        (Sign::Unseen, TextStyle::Good, "complete, and not seen by you yet"),
        (Sign::Waiting, TextStyle::Busy, "waiting: only background work runs"),
        (Sign::Working, TextStyle::Busy, "at work"),
        (Sign::Unjudged, TextStyle::Faint, "not looked at yet"),
        (Sign::Seen, TextStyle::Faint, "complete, and seen"),
    ];
    let mut lines = vec![title("Signs, most urgent first", look)];
    lines.extend(states.map(|(sign, style, words)| sign_line(look.sign(sign), style, words, look)));
    lines.push(Line::default());
    lines.push(title("Sessions in a row", look));
    lines.extend(ROWS.iter().map(|row| word_line(*row, look)));
    lines.push(Line::default());
    lines.push(title("Evidence", look));
    lines.extend(EVIDENCE.iter().map(|row| word_line(*row, look)));
    lines.push(Line::default());
    lines.push(title("Changed files", look));
    let letters = "A added, M modified, D deleted, R renamed, T another type";
    lines.push(sign_line("M ", TextStyle::Good, "first letter: staged", look));
    lines.push(sign_line(" M", TextStyle::Bad, "second letter: not staged", look));
    lines.push(sign_line("??", TextStyle::Open, "not tracked", look));
    lines.push(sign_line("!!", TextStyle::Bad, "in conflict", look));
    lines.push(Line::from(Span::styled(format!("      {letters}"), look.style(TextStyle::Faint))));
    lines
}

fn word_line((word, meaning): (&str, &'static str), look: Look) -> Line<'static> {
    Line::from(vec![
        Span::raw("   "),
        Span::styled(text::fit(word, EVIDENCE_WIDTH, look), look.style(TextStyle::Busy)),
        Span::raw(meaning),
    ])
}

fn sign_line(sign: &'static str, style: TextStyle, words: &'static str, look: Look) -> Line<'static> {
    Line::from(vec![
        Span::raw("   "),
        Span::styled(text::fit(sign, 3, look), look.style(style)),
        Span::raw(words),
    ])
}

/// Two columns of lines as one.
fn beside(
    left: Vec<Line<'static>>,
    right: Vec<Line<'static>>,
    width: usize,
    look: Look,
) -> Vec<Line<'static>> {
    let n_lines = left.len().max(right.len());
    let mut right = right.into_iter();
    let mut left = left.into_iter();
    (0..n_lines)
        .map(|_| {
            let mut line = text::cut_line(left.next().unwrap_or_default(), width, look);
            let n_missing = width.saturating_sub(text::line_width(&line));
            line.push_span(Span::raw(" ".repeat(n_missing)));
            line.spans.extend(right.next().unwrap_or_default().spans);
            line
        })
        .collect()
}
