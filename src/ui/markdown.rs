//! Renders an agent's words, which are Markdown, as lines of a screen.
//!
//! Text is cleaned after parsing, since entities (`&#27;`) can spell what the source did not contain. A link's
//! target is always shown beside its words. HTML is shown as text. Line breaks of the source stay, since agents
//! write for a terminal.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::look::{Look, Sign, TextStyle};
use super::markdown_table::Table;
use super::text;

/// The lines of a text, at most `width` cells each.
pub(super) fn render(source: &str, width: usize, look: Look) -> Vec<Line<'static>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut writer = Writer { width, look, ..Writer::default() };
    for event in Parser::new_ext(text::bounded(source), options) {
        writer.take(event);
    }
    writer.end_paragraph();
    while writer.lines.last().is_some_and(|line| line.width() == 0) {
        writer.lines.pop();
    }
    writer.lines
}

/// An open Markdown container.
enum Frame {
    Quote,
    /// A list, with the number of its next item if it is numbered.
    List(Option<u64>),
    /// An item, with the marker of its first line (taken when used) and the marker's width.
    Item {
        mark: Option<String>,
        width: usize,
    },
}

#[derive(Default)]
struct Writer {
    width: usize,
    look: Look,
    lines: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
    frames: Vec<Frame>,
    tones: Vec<TextStyle>,
    targets: Vec<String>,
    is_code: bool,
    table: Option<Table>,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) if self.is_code => self.code(&words),
            Event::Text(words)
            | Event::Html(words)
            | Event::InlineHtml(words)
            | Event::InlineMath(words)
            | Event::DisplayMath(words) => {
                self.push(&words, self.style());
            }
            Event::FootnoteReference(words) => self.push(&format!("[^{words}]"), self.style()),
            Event::Code(words) => self.push(&words, self.look.style(TextStyle::Code)),
            Event::SoftBreak | Event::HardBreak if self.table.is_none() => self.end_line(),
            Event::SoftBreak | Event::HardBreak => self.push(" ", Style::new()),
            Event::Rule => {
                self.gap();
                let rule = self.look.sign(Sign::Rule).repeat(self.width.min(24));
                self.spans.push(Span::styled(rule, self.look.style(TextStyle::Faint)));
                self.end_line();
            }
            Event::TaskListMarker(is_done) => self.task(is_done),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other tags are not turned on, or show nothing")]
    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.gap(),
            Tag::Heading { level, .. } => {
                self.end_paragraph();
                self.gap();
                self.tones.push(TextStyle::Strong);
                if level != HeadingLevel::H1 && level != HeadingLevel::H2 {
                    self.tones.push(TextStyle::Emphasis);
                }
            }
            Tag::BlockQuote(_) => {
                self.end_paragraph();
                self.gap();
                self.frames.push(Frame::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.end_paragraph();
                self.gap();
                self.is_code = true;
                if let CodeBlockKind::Fenced(language) = kind {
                    self.language(&language);
                }
            }
            Tag::List(first) => {
                self.end_paragraph();
                if !self.frames.iter().any(|frame| matches!(frame, Frame::Item { .. })) {
                    self.gap();
                }
                self.frames.push(Frame::List(first));
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.tones.push(TextStyle::Emphasis),
            Tag::Strong => self.tones.push(TextStyle::Strong),
            Tag::Strikethrough => self.tones.push(TextStyle::Struck),
            Tag::Link { dest_url, .. } => self.targets.push(dest_url.into_string()),
            Tag::Image { dest_url, .. } => {
                self.push("[image] ", self.look.style(TextStyle::Faint));
                self.targets.push(dest_url.into_string());
            }
            Tag::Table(_) => {
                self.end_paragraph();
                self.gap();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => self.table.iter_mut().for_each(Table::begin_row),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other tags are not turned on, or show nothing")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_paragraph(),
            TagEnd::Heading(level) => {
                self.end_paragraph();
                self.tones.pop();
                if level != HeadingLevel::H1 && level != HeadingLevel::H2 {
                    self.tones.pop();
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.end_paragraph();
                self.frames.pop();
            }
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.tones.pop();
            }
            TagEnd::Link | TagEnd::Image => self.target(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                self.table.iter_mut().for_each(|table| table.push_cell(&cell));
            }
            TagEnd::Table => {
                let room = self.width.saturating_sub(self.indent());
                let table = self.table.take().unwrap_or_default();
                for line in table.lines(room, self.look) {
                    self.spans = line.spans;
                    self.end_line();
                }
            }
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.tones.iter().fold(Style::new(), |style, part| style.patch(self.look.style(*part)))
    }

    fn push(&mut self, words: &str, style: Style) {
        self.spans.push(Span::styled(text::line(words), style));
    }

    /// An empty line between blocks, but not at the beginning and not before the text of an item.
    fn gap(&mut self) {
        let is_item_start = matches!(self.frames.last(), Some(Frame::Item { mark: Some(_), .. }));
        if !self.lines.is_empty() && !is_item_start {
            let is_gap = self.lines.last().is_none_or(|line| line.width() == 0);
            if !is_gap {
                self.lines.push(Line::default());
            }
        }
    }

    fn item(&mut self) {
        self.end_paragraph();
        let mark = match self.frames.last_mut() {
            Some(Frame::List(Some(number))) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => format!("{} ", self.look.sign(Sign::Bullet)),
        };
        self.frames.push(Frame::Item { width: text::width(&mark), mark: Some(mark) });
    }

    fn task(&mut self, is_done: bool) {
        let sign = self.look.sign(if is_done { Sign::Done } else { Sign::Open });
        if let Some(Frame::Item { mark, width }) = self.frames.last_mut() {
            let shown = format!("{sign} ");
            *width = text::width(&shown);
            *mark = Some(shown);
        }
    }

    fn language(&mut self, language: &str) {
        let language = text::line(language.split_whitespace().next().unwrap_or_default());
        if !language.is_empty() {
            self.spans.push(Span::styled(format!("  {language}"), self.look.style(TextStyle::Faint)));
            self.end_line();
        }
    }

    fn code(&mut self, words: &str) {
        let style = self.look.style(TextStyle::Code);
        for line in text::paragraphs(words) {
            self.spans.push(Span::styled(format!("  {line}"), style));
            self.end_line();
        }
    }

    /// A link's target after its words, unless they are equal.
    fn target(&mut self) {
        let Some(target) = self.targets.pop() else { return };
        let target = text::line(&target);
        let is_shown = self.spans.last().is_some_and(|span| span.content == target);
        if !is_shown && !target.is_empty() {
            self.spans.push(Span::styled(format!(" <{target}>"), self.look.style(TextStyle::Faint)));
        }
    }

    fn end_paragraph(&mut self) {
        if !self.spans.is_empty() {
            self.end_line();
        }
    }

    /// The cells that the containers take on the left.
    fn indent(&self) -> usize {
        let cells = |frame: &Frame| match frame {
            Frame::Quote => 2,
            Frame::List(_) => 0,
            Frame::Item { width, .. } => *width,
        };
        self.frames.iter().map(cells).sum()
    }

    /// Emits the collected spans, wrapped, behind the marks of their containers.
    fn end_line(&mut self) {
        let mut first = String::new();
        let mut rest = String::new();
        for frame in &mut self.frames {
            match frame {
                Frame::Quote => {
                    let bar = format!("{} ", self.look.sign(Sign::Bar));
                    first.push_str(&bar);
                    rest.push_str(&bar);
                }
                Frame::List(_) => {}
                Frame::Item { mark, width } => {
                    let blanks = " ".repeat(*width);
                    first.push_str(&mark.take().unwrap_or_else(|| blanks.clone()));
                    rest.push_str(&blanks);
                }
            }
        }
        // Deeply nested marks would leave no room for words.
        let most = self.width / 2;
        let faint = self.look.style(TextStyle::Faint);
        let first = Span::styled(text::cut(&first, most, self.look), faint);
        let rest = Span::styled(text::cut(&rest, most, self.look), faint);
        let spans = std::mem::take(&mut self.spans);
        self.lines.extend(text::wrap(&spans, self.width, &first, &rest));
    }
}
