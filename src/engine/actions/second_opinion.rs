//! Has a second model read an agent's last words: a new session of an agent's program, which is given these
//! words and the person's last prompt, and nothing else.
//!
//! It must not ask if that leaves a trace. The answer can only add a question or an open point.

use std::time::Duration;

use super::asking::{asker_of_new, in_new_session};
use super::prompts;
use super::tools::{Stop, Tools, cancelled};
use crate::action::asking::{Answer, NoAnswer};
use crate::agent::Asking;
use crate::engine::clock;
use crate::judge::second_opinion;
use crate::model::{ActionClass, ActionProblem, ActionRequest, Opinion, Trace, name_of_words};

/// Asks once, if `permit`, called right before, allows it.
pub(super) fn ask(
    request: &ActionRequest,
    reader: &str,
    tools: &Tools<'_>,
    permit: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<Opinion, Stop> {
    let words = request.last_words.as_deref().unwrap_or_default();
    let adapter = tools.adapter(reader)?;
    let asking = Asking::Fresh {
        prompt: prompts::second_opinion(request.prompt.as_deref(), words),
        schema: prompts::OPINION_SCHEMA.to_owned(),
        model: tools.config.config.model_of(reader),
    };
    let (session, command) = in_new_session(request, adapter, &asking).map_err(refused)?;
    if command.trace != Trace::Nothing {
        return Err(refused(format!("{reader} cannot be asked without a trace")).into());
    }
    if tools.cancel.is_cancelled() {
        return Err(cancelled().into());
    }
    permit()?;
    tools.say(&format!("{reader} reads the last words"));
    let (bounds, _) = tools.config.config.completion_check_for(request.workspace.path());
    let limit = Duration::from_millis(bounds.probe_timeout_ms);
    let answer = match asker_of_new(adapter, tools, limit).ask(adapter, &session, &command).answer {
        Ok(Answer::Structured(value)) => Ok(value),
        Ok(Answer::Text(text)) => second_opinion::find(&text),
        Err(NoAnswer::Cancelled) => return Err(cancelled().into()),
        Err(NoAnswer::TimedOut(_)) => {
            let words = format!("{reader} did not answer in time");
            return Err(ActionProblem::new(ActionClass::TimedOut, words).into());
        }
        Err(why) => Err(why.to_string()),
    };
    let read = answer.and_then(|answer| second_opinion::read(&answer, words));
    let (reading, quote) =
        read.map_err(|why| ActionProblem::new(ActionClass::Failed, format!("{reader}: {why}")))?;
    let words = name_of_words(words);
    Ok(Opinion { by: reader.to_owned(), words, reading, quote, at: clock::now() })
}

fn refused(words: String) -> ActionProblem {
    ActionProblem::new(ActionClass::Refused, words)
}
