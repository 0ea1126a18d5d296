//! The first block: verdict, reason, next action, the question in its own words, and warnings.

use ratatui::text::{Line, Span};

use crate::model::{
    ActivityState, AskedByTool, Attention, Choice, NextActionKind, Question, Rule, Verdict, WorkspaceView,
};
use crate::present::phrases::session as say;
use crate::present::{Urgency, age, left, mark, problem, row, sessions, sets, verdict, warnings};
use crate::ui::keymap::{self, KeyCommand, WorkspaceCommand};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

const INDENT: usize = 2;

pub(super) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = vec![sheet.one(title(view, sheet))];
    if let Some(problem) = problem::label(&view.reading.problems) {
        lines.extend(warning(&problem, sheet));
    }
    let Some(verdict) = &view.verdict else {
        lines.extend(sheet.text(
            "Nothing is known yet; the first reading is under way.",
            TextStyle::Faint,
            INDENT,
        ));
        return lines;
    };
    lines.extend(sheet.text(&text::line(&row::why(view, verdict, sheet.now)), TextStyle::Plain, INDENT));
    if view.attention == Some(Attention::Permission) {
        let asked = sheet.span(text::line(&sessions::permission(view)), TextStyle::Asks);
        let sign =
            sheet.span(format!("{} ", sheet.look.sign(Sign::Urgency(Urgency::Permission))), TextStyle::Asks);
        lines.extend(text::wrap(&[asked], sheet.width, &sign, &Span::raw("  ")));
        if !sessions::names_permission(view) {
            let verdict = say::permission_in_pane(keymap::key_of(KeyCommand::Go));
            lines.extend(sheet.text(&verdict, TextStyle::Open, INDENT));
        }
    }
    lines.extend(next_action(verdict, is_own_word(view, verdict), sheet));
    if let Some(verdict) = left::complete_when(view) {
        lines.extend(sheet.text(&verdict, TextStyle::Plain, INDENT));
    }
    if let Some(not_asked) = &view.not_asked {
        lines.extend(sheet.text(&problem::not_asked(not_asked), TextStyle::Faint, INDENT));
    }
    if let Some(so_far) = verdict.so_far {
        lines.extend(sheet.text(&format!("so far: {}", so_far.name()), TextStyle::Faint, INDENT));
    }
    // If the sessions are known individually, each shows this itself.
    if let Some(session) = session(view, sheet).filter(|_| view.sessions.is_empty()) {
        lines.push(sheet.one(session));
    }
    for sentence in warnings::of(view) {
        lines.extend(warning(&sentence, sheet));
    }
    for said in mark::holding(&view.marks, sheet.now) {
        lines.extend(sheet.text(&text::line(&said), TextStyle::Good, INDENT));
    }
    if let Some(asked) = view.sessions.first().and_then(|session| session.asks.as_ref()) {
        lines.extend(dialog(asked, sheet));
    } else {
        let beside = || view.offer_beside().map(|(_, offer)| offer);
        let asked = verdict.question.as_ref().or_else(beside);
        lines.extend(asked.into_iter().flat_map(|asked| question(asked, sheet)));
    }
    lines
}

/// What the agent asks in a dialog on its screen: each question with its options.
fn dialog(asked: &AskedByTool, sheet: TextLayout) -> Vec<Line<'static>> {
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
            .map(|(at, option)| Choice { label: (at + 1).to_string(), text: option.label() });
        lines.extend(asked_words(&remark, &part.label(), &choices.collect::<Vec<_>>(), sheet));
    }
    lines
}

fn title(view: &WorkspaceView, sheet: TextLayout) -> Line<'static> {
    let urgency = Urgency::of(view);
    let name = view.verdict.as_deref().map_or("NOT JUDGED YET", |verdict| verdict.state.name());
    let mut line = Line::from(vec![
        sheet.span(sheet.look.sign(Sign::Urgency(urgency)), TextStyle::of(urgency)),
        Span::raw(" "),
        Span::styled(name, sheet.style(TextStyle::of(urgency)).patch(sheet.style(TextStyle::Strong))),
    ]);
    let verdict = view.verdict.as_deref();
    if let Some(proof) = verdict.and_then(|verdict| verdict.proof) {
        line.push_span(sheet.span(format!(" [{}]", sets::proof(proof)), TextStyle::Open));
    } else if verdict.is_some_and(|verdict| verdict.is_self_reported) {
        line.push_span(sheet.span(" [self-reported]", TextStyle::Open));
    }
    if let Some(since) = sessions::judged_moment(view) {
        line.push_span(sheet.span(format!(" {}", age::lasting(sheet.now, since)), TextStyle::Faint));
    }
    line
}

/// Whether only the person can say that the work is done, because no session is known here.
fn is_own_word(view: &WorkspaceView, verdict: &Verdict) -> bool {
    verdict.rule() == Rule::NoEvidence && view.sessions.is_empty()
}

/// The next action. `answer: …` takes only one line, since the whole question is shown below.
fn next_action(verdict: &Verdict, is_own_word: bool, sheet: TextLayout) -> Vec<Line<'static>> {
    let kind = verdict.next_action.kind();
    if kind == NextActionKind::None {
        return Vec::new();
    }
    let arrow = format!("{} ", sheet.look.sign(Sign::Arrow));
    let indent = " ".repeat(text::width(&arrow));
    let said = verdict::next_action(verdict);
    let mut action = said.clone();
    if is_own_word && kind == NextActionKind::Ask {
        let key = keymap::key_of(WorkspaceCommand::Mark);
        action = format!("{said} ({key})");
    }
    let action = sheet.span(action, TextStyle::Strong);
    let mut lines =
        text::wrap(&[action], sheet.width, &sheet.span(arrow.clone(), TextStyle::Strong), &Span::raw(indent));
    if kind == NextActionKind::Answer && lines.len() > 1 {
        let text = sheet.span(format!("{arrow}{said}"), TextStyle::Strong);
        lines = vec![sheet.one(Line::from(text))];
    }
    lines
}

/// What the session does, and since when.
fn session(view: &WorkspaceView, sheet: TextLayout) -> Option<Line<'static>> {
    let agent = view.agent.as_deref().map(text::line);
    let known = Some(view.activity.state).filter(|state| *state != ActivityState::Unknown);
    let state = known.map(sets::activity).map(|state| match view.activity.since {
        Some(since) => format!("{state}{}", age::lasting(sheet.now, since)),
        None => state.to_owned(),
    });
    let is_said = view.attention == Some(Attention::Permission);
    let detail = view.activity.detail.as_deref().filter(|_| !is_said).map(text::line);
    let facts: Vec<String> = [agent, state, detail].into_iter().flatten().collect();
    (!facts.is_empty())
        .then(|| Line::from(sheet.span(format!("  {}", facts.join(sheet.look.dot())), TextStyle::Faint)))
}

fn warning(sentence: &str, sheet: TextLayout) -> Vec<Line<'static>> {
    let sign = sheet.span(format!("{} ", sheet.look.sign(Sign::Warning)), TextStyle::Bad);
    text::wrap(&[sheet.span(sentence, TextStyle::Open)], sheet.width, &sign, &Span::raw("  "))
}

fn question(question: &Question, sheet: TextLayout) -> Vec<Line<'static>> {
    asked_words(sets::weight(question.weight), &question.text, &question.choices, sheet)
}

fn asked_words(remark: &str, verdict: &str, choices: &[Choice], sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.heading("Question", remark).to_vec();
    for paragraph in text::paragraphs(verdict) {
        lines.extend(sheet.text(&paragraph, TextStyle::Asks, INDENT));
    }
    let widest = choices.iter().map(|choice| text::width(&text::line(&choice.label))).max();
    let label_width = widest.unwrap_or(0).min(8);
    for choice in choices {
        let label = text::fit(&text::line(&choice.label), label_width, sheet.look);
        let indent = " ".repeat(INDENT * 2 + label_width + 2);
        let verdict = [Span::raw(text::line(&choice.text))];
        let label = sheet.span(format!("    {label}  "), TextStyle::Strong);
        lines.extend(text::wrap(&verdict, sheet.width, &label, &Span::raw(indent)));
    }
    lines
}
