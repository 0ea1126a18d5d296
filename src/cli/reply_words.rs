//! What `closeout reply` prints before anything is sent: first the question with its options, then how an
//! answer would be sent. It must not send.

use crate::model::{AskedByTool, Question, ReplyBody, ReplyPlan, SessionView, display_text};

/// A session's question if there is no plan for an answer: the session, the question, its options.
pub(super) fn asked(session: &SessionView) -> String {
    let mut lines = vec![to(&session.agent, &session.session_id)];
    match (&session.asks, &session.question) {
        (Some(asked), _) => add_dialog(asked, &mut lines),
        (None, Some(question)) => add_question(question, &mut lines),
        (None, None) => {}
    }
    in_lines(&lines)
}

/// What a person sees before they confirm. `is_look`: nothing will be sent, so it also shows how to send it.
pub(super) fn plan(plan: &ReplyPlan, is_look: bool) -> String {
    let mut lines = vec![to(&plan.session.agent, &plan.session.session_id)];
    match (plan.channel.permission(), plan.channel.asked(), &plan.question) {
        (Some(permission), _, _) => {
            lines.push(format!("wants    {}", display_text::line(&permission.what)));
            for option in &permission.options {
                lines.push(format!("         {} ({})", option.label, option.answer));
            }
        }
        (None, Some(asked), _) => add_dialog(asked, &mut lines),
        (None, None, Some(question)) => add_question(question, &mut lines),
        (None, None, None) => {}
    }
    if plan.has_way() {
        lines.push(format!("goes     it will be {}", display_text::line(&plan.channel.to_string())));
        if let (true, Some(next)) = (is_look, by_command(plan)) {
            lines.push(format!("next     {next}"));
        }
    } else if let Some(pane) = &plan.pane {
        lines.push(format!("next     answer it in its pane, tmux pane {}", display_text::line(&pane.id)));
    }
    lines.extend(
        plan.channel.next_steps().iter().map(|next| format!("next     {}", display_text::line(next))),
    );
    lines.extend(plan.warnings.iter().map(|warning| format!("note     {}", display_text::line(warning))));
    if let Some(unsettled) = &plan.unsettled {
        lines.push(format!(
            "note     an earlier reply may have been sent: {}",
            display_text::line(&unsettled.excerpt)
        ));
    }
    in_lines(&lines)
}

/// The question to the person before sending.
pub(super) fn confirm(plan: &ReplyPlan, body: &ReplyBody) -> String {
    match (body, &plan.unsettled) {
        (ReplyBody::Permission { answer, .. }, _) => {
            let options = plan.channel.permission().into_iter().flat_map(|permission| permission.options);
            let label = options.filter(|option| option.answer == *answer).map(|option| option.label);
            format!("Answer \"{}\"?", label.collect::<String>())
        }
        (ReplyBody::Option { label, .. }, _) => format!("Answer \"{}\"?", display_text::line(label)),
        (ReplyBody::Text { .. }, Some(_)) => {
            "Send it, even though an earlier reply may have been sent?".to_owned()
        }
        (ReplyBody::Text { .. }, None) => "Send it?".to_owned(),
    }
}

/// The command that chooses one of the options.
fn by_command(plan: &ReplyPlan) -> Option<String> {
    let id = display_text::line(&plan.session.session_id);
    if plan.channel.permission().is_some() {
        return Some(format!("closeout reply {id} --allow, or --deny"));
    }
    plan.channel.asked().map(|_| format!("closeout reply {id} NUMBER; type any other answer in its pane"))
}

fn to(agent: &str, id: &str) -> String {
    format!("to       {} {}", display_text::line(agent), display_text::line(id))
}

fn add_question(question: &Question, lines: &mut Vec<String>) {
    add_words(&question.text, lines);
    for choice in &question.choices {
        let label = display_text::line(&choice.label);
        lines.push(format!("         {label}) {}", display_text::line(&choice.text)));
    }
}

fn add_dialog(asked: &AskedByTool, lines: &mut Vec<String>) {
    for question in &asked.questions {
        add_words(&question.label(), lines);
        for (at, option) in question.options.iter().enumerate() {
            lines.push(format!("         {}) {}", at + 1, display_text::line(&option.label())));
        }
        if question.takes_several {
            lines.push("         (several can be chosen)".to_owned());
        }
    }
}

fn add_words(words: &str, lines: &mut Vec<String>) {
    lines.extend(display_text::block(words).lines().map(|line| format!("asks     {line}")));
}

fn in_lines(lines: &[String]) -> String {
    format!("{}\n", lines.join("\n"))
}
