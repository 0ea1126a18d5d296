//! The first block: verdict, why, what to do next, the question in its own words, and warnings.

use ratatui::text::{Line, Span};

use crate::model::{
    ActionKind, AskedByTool, Attention, Choice, Question, QuestionWeight, Rule, Verdict, WorkspaceView,
};
use crate::ui::keymap::{self, Action, Wish};
use crate::ui::look::{Sign, Tone};
use crate::ui::sheet::Sheet;
use crate::ui::urgency::Urgency;
use crate::ui::{age, sessions, text, words};

/// Behind the sign of the verdict.
const INDENT: usize = 2;

/// The lines of the block.
pub(super) fn lines(view: &WorkspaceView, sheet: Sheet) -> Vec<Line<'static>> {
    let mut lines = vec![sheet.one(title(view, sheet))];
    if let Some(problem) = &view.problem {
        lines.extend(warning(&text::line(problem), sheet));
    }
    let Some(verdict) = &view.verdict else {
        lines.extend(sheet.text("Nothing is known yet; the first look is under way.", Tone::Faint, INDENT));
        return lines;
    };
    lines.extend(sheet.text(&text::line(&words::why(view, verdict, sheet.now)), Tone::Plain, INDENT));
    if view.attention == Some(Attention::Permission) {
        let asked = sheet.span(text::line(&sessions::permission(view)), Tone::Asks);
        let sign = sheet.span(format!("{} ", sheet.look.sign(Sign::Permission)), Tone::Asks);
        lines.extend(text::wrap(&[asked], sheet.width, &sign, &Span::raw("  ")));
    }
    lines.extend(next_action(verdict, is_own_word(view, verdict), sheet));
    if let Some(not_asked) = &view.not_asked {
        lines.extend(sheet.text(&text::line(not_asked), Tone::Faint, INDENT));
    }
    if let Some(so_far) = verdict.so_far {
        lines.extend(sheet.text(&format!("so far: {}", so_far.name()), Tone::Faint, INDENT));
    }
    // Where the sessions are known one by one, each says that for itself.
    if let Some(session) = session(view, sheet).filter(|_| view.sessions.is_empty()) {
        lines.push(sheet.one(session));
    }
    if verdict.stage > 1 {
        let repeated = format!("The same open points {} times in a row.", verdict.stage);
        lines.extend(warning(&repeated, sheet));
    }
    for known in &verdict.warnings {
        lines.extend(warning(words::warning(*known), sheet));
    }
    match view.sessions.first().and_then(|session| session.asks.as_ref()) {
        Some(asked) => lines.extend(dialog(asked, sheet)),
        None => lines.extend(verdict.question.iter().flat_map(|asked| question(asked, sheet))),
    }
    lines
}

/// What it asks in a dialog on its screen, each question with its options.
fn dialog(asked: &AskedByTool, sheet: Sheet) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (number, part) in asked.questions.iter().enumerate() {
        let remark = match (asked.questions.len(), part.takes_several) {
            (1, false) => "it waits for one of these options".to_owned(),
            (1, true) => "it waits for some of these options".to_owned(),
            (n, false) => format!("{} of {n}, one option each", number + 1),
            (n, true) => format!("{} of {n}, several can be chosen", number + 1),
        };
        let choices = part
            .options
            .iter()
            .enumerate()
            .map(|(at, option)| Choice { label: (at + 1).to_string(), text: option.in_words() });
        lines.extend(asked_words(&remark, &part.in_words(), &choices.collect::<Vec<_>>(), sheet));
    }
    lines
}

fn title(view: &WorkspaceView, sheet: Sheet) -> Line<'static> {
    let urgency = Urgency::of(view);
    let name = view.verdict.as_ref().map_or("NOT JUDGED YET", |verdict| verdict.state.name());
    let mut line = Line::from(vec![
        sheet.span(sheet.look.sign(urgency.sign()), urgency.tone()),
        Span::raw(" "),
        Span::styled(name, sheet.style(urgency.tone()).patch(sheet.style(Tone::Strong))),
    ]);
    if view.verdict.as_ref().is_some_and(|verdict| verdict.is_self_reported) {
        line.push_span(sheet.span(" [self-reported]", Tone::Open));
    }
    if let Some(since) = sessions::judged_moment(view) {
        line.push_span(sheet.span(format!(" {}", age::lasting(sheet.now, since)), Tone::Faint));
    }
    line
}

/// Whether nobody but the person can say that the work is done: no session is known here.
fn is_own_word(view: &WorkspaceView, verdict: &Verdict) -> bool {
    verdict.rule == Rule::NoEvidence && view.sessions.is_empty()
}

/// The question itself stands below in full, so `answer: …` takes one line only.
fn next_action(verdict: &Verdict, is_own_word: bool, sheet: Sheet) -> Vec<Line<'static>> {
    if verdict.next_action.kind == ActionKind::None || verdict.next_action.text.is_empty() {
        return Vec::new();
    }
    let arrow = format!("{} ", sheet.look.sign(Sign::Arrow));
    let indent = " ".repeat(text::width(&arrow));
    let mut words = text::line(&verdict.next_action.text);
    if is_own_word && verdict.next_action.kind == ActionKind::Ask {
        let key = keymap::key_of(Action::Act(Wish::Decide));
        words = format!("{words} ({key})");
    }
    let action = sheet.span(words, Tone::Strong);
    let mut lines =
        text::wrap(&[action], sheet.width, &sheet.span(arrow.clone(), Tone::Strong), &Span::raw(indent));
    if verdict.next_action.kind == ActionKind::Answer && lines.len() > 1 {
        let text = sheet.span(format!("{arrow}{}", text::line(&verdict.next_action.text)), Tone::Strong);
        lines = vec![sheet.one(Line::from(text))];
    }
    lines
}

/// What the session does, since when.
fn session(view: &WorkspaceView, sheet: Sheet) -> Option<Line<'static>> {
    let agent = view.agent.as_deref().map(text::line);
    let state = words::activity(view.activity.state).map(|state| match view.activity.since {
        Some(since) => format!("{state}{}", age::lasting(sheet.now, since)),
        None => state.to_owned(),
    });
    let is_said = view.attention == Some(Attention::Permission);
    let detail = view.activity.detail.as_deref().filter(|_| !is_said).map(text::line);
    let facts: Vec<String> = [agent, state, detail].into_iter().flatten().collect();
    (!facts.is_empty())
        .then(|| Line::from(sheet.span(format!("  {}", facts.join(sheet.look.dot())), Tone::Faint)))
}

fn warning(sentence: &str, sheet: Sheet) -> Vec<Line<'static>> {
    let sign = sheet.span(format!("{} ", sheet.look.sign(Sign::Warning)), Tone::Bad);
    text::wrap(&[sheet.span(sentence, Tone::Open)], sheet.width, &sign, &Span::raw("  "))
}

fn question(question: &Question, sheet: Sheet) -> Vec<Line<'static>> {
    let remark = match question.weight {
        QuestionWeight::Blocking => "the work waits for the answer",
        QuestionWeight::Offer => "an offer; the work itself is done",
    };
    asked_words(remark, &question.text, &question.choices, sheet)
}

fn asked_words(remark: &str, words: &str, choices: &[Choice], sheet: Sheet) -> Vec<Line<'static>> {
    let mut lines = sheet.heading("Question", remark).to_vec();
    for paragraph in text::paragraphs(words) {
        lines.extend(sheet.text(&paragraph, Tone::Asks, INDENT));
    }
    let widest = choices.iter().map(|choice| text::width(&text::line(&choice.label))).max();
    let label_width = widest.unwrap_or(0).min(8);
    for choice in choices {
        let label = text::fit(&text::line(&choice.label), label_width, sheet.look);
        let indent = " ".repeat(INDENT * 2 + label_width + 2);
        let words = [Span::raw(text::line(&choice.text))];
        let label = sheet.span(format!("    {label}  "), Tone::Strong);
        lines.extend(text::wrap(&words, sheet.width, &label, &Span::raw(indent)));
    }
    lines
}
