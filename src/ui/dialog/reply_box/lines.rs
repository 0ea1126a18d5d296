//! The lines above the text: warnings, the question with the answers it offers, the permission with its
//! options, and how the reply would be sent. Foreign text is cleaned here.

use ratatui::text::{Line, Span};

use super::reply::{Confirm, ReplyBox, Stage, Stop};
use super::sessions;
use crate::model::{ActionProblem, AskedByTool, PermissionPrompt, ReceiptState, ReplyPlan};
use crate::present::{Urgency, action, age};
use crate::ui::dialog::Context;
use crate::ui::look::{Look, Sign, TextStyle};
use crate::ui::text;

const INDENT: usize = 3;
const ASKS: Sign = Sign::Urgency(Urgency::Asks);
const PERMISSION: Sign = Sign::Urgency(Urgency::Permission);
const ERROR: Sign = Sign::Urgency(Urgency::Error);
/// At most this many of the agent's last lines are shown if it asks nothing.
const MAX_LAST_WORDS: usize = 5;

/// What a person can do after a reply that was not sent, or perhaps not.
fn next_step(state: ReceiptState) -> &'static str {
    match state {
        ReceiptState::Held => "Look at its pane. Enter checks how it can be sent now.",
        ReceiptState::Unknown => "Look at its session first. Enter checks how it can be sent now.",
        ReceiptState::Refused | ReceiptState::Delivered | ReceiptState::Queued | ReceiptState::Consumed => {
            "What you wrote is kept. Enter checks how it can be sent now."
        }
    }
}

/// Collects lines of one width and look.
struct Writer {
    lines: Vec<Line<'static>>,
    width: usize,
    look: Look,
}

impl Writer {
    fn of(width: usize, look: Look) -> Writer {
        Writer { lines: Vec::new(), width, look }
    }

    /// A paragraph for each line of a text, the first behind a sign. Cleaned.
    fn add(&mut self, sign: Sign, words: &str, style: TextStyle) {
        self.add_behind(self.look.sign(sign), words, style);
    }

    /// The same without a sign.
    fn add_below(&mut self, words: &str, style: TextStyle) {
        self.add_behind("", words, style);
    }

    fn add_behind(&mut self, sign: &str, words: &str, style: TextStyle) {
        let style = self.look.style(style);
        let indent = INDENT.max(text::width(sign) + 2);
        let mut first = Span::styled(text::fit(&format!(" {sign}"), indent, self.look), style);
        let rest = Span::raw(" ".repeat(INDENT));
        for paragraph in text::paragraphs(words) {
            let spans = [Span::styled(paragraph, style)];
            self.lines.extend(text::wrap(&spans, self.width, &first, &rest));
            first = rest.clone();
        }
    }

    /// A key and what it does, with a mark before the selected one.
    fn add_key(&mut self, mark: &str, key: &str, words: &str, style: TextStyle) {
        let look = self.look;
        let key = text::fit(&format!(" {} {key}", text::fit(mark, 1, look)), INDENT + 3, look);
        let first = Span::styled(key, look.style(TextStyle::Busy));
        let rest = Span::raw(" ".repeat(INDENT + 3));
        let spans = [Span::styled(text::line(words), look.style(style))];
        self.lines.extend(text::wrap(&spans, self.width, &first, &rest));
    }
}

impl ReplyBox {
    /// What to read before answering; it scrolls if there is not enough room.
    pub(super) fn head(&self, context: Context<'_>, width: usize) -> Vec<Line<'static>> {
        let mut writer = Writer::of(width, context.look);
        if let Stage::Choosing { among, selected } = &self.stage {
            for (position, name) in among.iter().enumerate() {
                let is_selected = position == *selected;
                let words = sessions::label(context.view, name, context.now);
                let style = if is_selected { TextStyle::Selected } else { TextStyle::Plain };
                let mark = if is_selected { context.look.sign(Sign::Marker) } else { "" };
                writer.add_key(mark, &(position + 1).to_string(), &words, style);
            }
            return writer.lines;
        }
        if context.view.is_none() {
            writer.add(Sign::Warning, "This workspace is gone. What you write is kept.", TextStyle::Open);
        }
        let plan = self.plan();
        let warnings = plan.filter(|plan| plan.has_way()).map(|plan| plan.warnings.as_slice());
        for warning in warnings.unwrap_or_default() {
            writer.add(Sign::Warning, warning, TextStyle::Open);
        }
        let session = sessions::find(context.view, &self.session);
        let planned = plan.and_then(|plan| plan.channel.asked());
        let asked = planned.or(session.and_then(|session| session.asks.as_ref()));
        match (plan.and_then(|plan| plan.channel.permission()), asked) {
            (Some(prompt), _) => add_permission(&prompt, &mut writer),
            (None, _) if plan.is_none() && sessions::waits_for_a_permission(session) => {
                let what = session.and_then(|session| session.activity.detail.clone()).unwrap_or_default();
                add_permission(&PermissionPrompt { what, options: Vec::new() }, &mut writer);
            }
            (None, Some(asked)) => add_asked(asked, plan.is_some_and(ReplyPlan::has_way), &mut writer),
            (None, None) => self.add_question(context, &mut writer),
        }
        writer.lines
    }

    fn add_question(&self, context: Context<'_>, writer: &mut Writer) {
        let planned = self.plan().and_then(|plan| plan.question.as_ref()).map(|asked| asked.text.as_str());
        let (asked, _) = sessions::asked(context.view, &self.session);
        if let Some(words) = planned.or(asked) {
            writer.add(ASKS, words, TextStyle::Asks);
        } else {
            self.add_last_words(context, writer);
        }
        for answer in self.answers(context.view) {
            let words = text::line(&answer.words);
            let shown = text::line(&answer.answer);
            let words =
                if shown == words || shown.len() == 1 { words } else { format!("{words}  ({shown})") };
            writer.add_key("", &answer.key.to_ascii_uppercase().to_string(), &words, TextStyle::Plain);
        }
    }

    /// The end of the agent's last words, if it asks nothing and they are known.
    fn add_last_words(&self, context: Context<'_>, writer: &mut Writer) {
        let is_first = |name| {
            context.view.and_then(|view| view.sessions.first()).map(|session| session.session_name())
                == Some(name)
        };
        let said = context.view.and_then(|view| view.last_words.as_ref());
        match said.filter(|_| is_first(self.session.clone())) {
            Some(said) => {
                let mut end = Writer::of(writer.width, writer.look);
                end.add(Sign::Bullet, &said.text, TextStyle::Faint);
                let n_left_out = end.lines.len().saturating_sub(MAX_LAST_WORDS);
                writer.lines.extend(end.lines.into_iter().skip(n_left_out));
            }
            None => writer.add_below("It asks nothing.", TextStyle::Faint),
        }
    }

    /// What must be visible before anything is sent: how it is sent, what is asked, what went wrong.
    pub(super) fn facts(&self, context: Context<'_>, width: usize) -> Vec<Line<'static>> {
        let mut writer = Writer::of(width, context.look);
        match &self.stage {
            Stage::Choosing { .. } => {}
            Stage::Planning => {
                let message = context.look.spelled("checking how it can be sent…");
                writer.add(Sign::Arrow, &message, TextStyle::Faint);
            }
            Stage::Planned { plan, confirm } => {
                if plan.has_way() {
                    writer.add(Sign::Arrow, &format!("will be {}", plan.channel), TextStyle::Good);
                    if plan.channel.asked().is_some() {
                        writer.add_below("To answer in your own words, type in its pane.", TextStyle::Faint);
                    }
                } else {
                    add_next_steps(plan, &mut writer);
                }
                if let Some(message) = plan.warning_of(self.area.text()) {
                    writer.add(Sign::Warning, message, TextStyle::Open);
                }
                add_confirm(plan, *confirm, context, &mut writer);
            }
            Stage::Sending { plan, .. } => {
                let message = format!("being sent: {}", plan.channel);
                writer.add(Sign::Arrow, &message, TextStyle::Busy);
            }
            Stage::Stopped(stop) => add_stop(stop, &mut writer),
        }
        if let Some(remark) = &self.remark {
            writer.add(Sign::Warning, remark, TextStyle::Strong);
        }
        writer.lines
    }
}

fn add_permission(prompt: &PermissionPrompt, writer: &mut Writer) {
    writer.add(PERMISSION, "It waits for permission:", TextStyle::Strong);
    writer.add_below(&prompt.what, TextStyle::Asks);
    for (position, option) in prompt.options.iter().enumerate() {
        writer.add_key("", &(position + 1).to_string(), &option.label, TextStyle::Plain);
    }
}

/// The agent's dialog, with keys for its options if one can be chosen from here.
fn add_asked(asked: &AskedByTool, can_choose: bool, writer: &mut Writer) {
    let n_questions = asked.questions.len();
    for (number, question) in asked.questions.iter().enumerate() {
        let place =
            if n_questions > 1 { format!("{} of {n_questions}  ", number + 1) } else { String::new() };
        let several = if question.takes_several { "  (several can be chosen)" } else { "" };
        writer.add(ASKS, &format!("{place}{}{several}", question.label()), TextStyle::Asks);
        let bullet = writer.look.sign(Sign::Bullet);
        for (place, option) in question.options.iter().enumerate() {
            let key = if can_choose { (place + 1).to_string() } else { bullet.to_owned() };
            writer.add_key("", &key, &text::line(&option.label()), TextStyle::Plain);
        }
    }
}

/// What a person can do when nothing can be sent; the reason comes second.
fn add_next_steps(plan: &ReplyPlan, writer: &mut Writer) {
    if plan.pane.is_some() {
        writer.add(Sign::Arrow, "Enter goes to its pane: answer it there.", TextStyle::Good);
    }
    for next in plan.channel.next_steps() {
        writer.add(Sign::Arrow, next, TextStyle::Good);
    }
    for why in &plan.warnings {
        writer.add_below(why, TextStyle::Faint);
    }
}

fn add_confirm(plan: &ReplyPlan, confirm: Confirm, context: Context<'_>, writer: &mut Writer) {
    match confirm {
        Confirm::Nothing => {}
        Confirm::Option(option) => {
            let label = label_of(plan, option).unwrap_or_default();
            let label = text::line(&label);
            let yes = if plan.channel.permission().is_some() { "y yes" } else { "Enter yes" };
            writer.add(ASKS, &format!("Answer “{label}”?  {yes}  n no"), TextStyle::Bad);
        }
        Confirm::Again => {
            if let Some(before) = &plan.unsettled {
                let age = age::ago(context.now, before.sent_at);
                let message = format!("An earlier reply may have been sent, {age}: {}", before.excerpt);
                writer.add(Sign::Warning, &message, TextStyle::Bad);
            }
            writer.add(ASKS, "Send this one anyway?  y yes  n no", TextStyle::Bad);
        }
    }
}

/// The name of an option of the prompt that the session shows.
fn label_of(plan: &ReplyPlan, place: usize) -> Option<String> {
    if let Some(prompt) = plan.channel.permission() {
        return prompt.options.get(place).map(|option| option.label.clone());
    }
    let question = plan.channel.asked()?.questions.first()?;
    question.options.get(place).map(|option| option.label.clone())
}

fn add_stop(stop: &Stop, writer: &mut Writer) {
    match stop {
        Stop::NoWay(problem) => add_problem("it cannot be sent now", problem, writer),
        Stop::Failed(problem) => add_problem("not sent", problem, writer),
        Stop::Receipt(receipt) => {
            let (sign, style) = if receipt.state == ReceiptState::Refused {
                (ERROR, TextStyle::Bad)
            } else {
                (Sign::Warning, TextStyle::Open)
            };
            writer.add(sign, &action::receipt(receipt), style);
            writer.add_below(next_step(receipt.state), TextStyle::Plain);
        }
    }
}

fn add_problem(what: &str, problem: &ActionProblem, writer: &mut Writer) {
    writer.add(ERROR, &format!("{what}: {}", text::line(&problem.message)), TextStyle::Bad);
    let next = problem.next.as_deref().unwrap_or("What you wrote is kept. Enter looks again.");
    writer.add_below(next, TextStyle::Plain);
}
