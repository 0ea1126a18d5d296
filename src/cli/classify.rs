//! `closeout classify`: applies the judge of questions to a text, or to the lines of a corpus. No rule lives
//! here.

use std::fmt::Write as _;
use std::io::{self, BufRead, Read};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::questions::{
    self, Ask, Classification, Context, ContextRecord, Finding, Label, SignalHit, Speech,
};
use crate::model::{TaskKind, display_text};
use crate::present::json as forms;

use super::args::Classify;
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::output;

/// A line of input for `classify --jsonl`.
#[derive(Deserialize)]
struct Message {
    id: serde_json::Value,
    /// Does not affect the label, but a line without it is invalid.
    #[serde(rename = "task_kind")]
    _task_kind: TaskKind,
    text: String,
    #[serde(flatten)]
    known: ContextRecord,
}

/// What `classify --json` prints, and `classify --jsonl` for each line.
#[derive(Serialize, JsonSchema)]
pub(super) struct Labelled {
    /// The version of this form.
    version: u32,
    /// With `--jsonl` the id of the line that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    #[serde(flatten)]
    judged: Classification,
    /// With `--explain` the sentences about which a rule spoke, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Finding>>,
}

impl Labelled {
    fn new(id: Option<serde_json::Value>, judged: Classification, findings: Option<Vec<Finding>>) -> Self {
        Self { version: forms::VERSION, id, judged, findings }
    }
}

pub(super) fn run(environment: &Environment, classify: &Classify) -> Ended {
    let input = open(environment, classify)?;
    if classify.jsonl { lines(input, classify.explain) } else { one(input, classify) }
}

fn open(environment: &Environment, classify: &Classify) -> Result<Box<dyn BufRead>, Failure> {
    match &classify.file {
        Some(path) if path.as_os_str() != "-" => {
            let file = std::fs::File::open(environment.absolute(path)).map_err(|source| Failure::Stream {
                what: format!("cannot open {}", display_text::path(path)),
                source,
            })?;
            Ok(Box::new(io::BufReader::new(file)))
        }
        Some(_) | None => Ok(Box::new(io::BufReader::new(io::stdin()))),
    }
}

fn lines(input: Box<dyn BufRead>, explain: bool) -> Ended {
    let mut printed = String::new();
    for (number, line) in input.split(b'\n').enumerate() {
        let line = line.map_err(cannot_read)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let message: Message = serde_json::from_slice(&line).map_err(|error| {
            Failure::Usage(format!(
                "line {} is no {{\"id\",\"task_kind\",\"text\"}} object: {}",
                number + 1,
                display_text::line(&error.to_string())
            ))
        })?;
        let judged = questions::classify(&message.text, &message.known.context());
        let findings = explain.then(|| questions::explain(&message.text));
        printed.push_str(&forms::line(&Labelled::new(Some(message.id), judged, findings)));
        printed.push('\n');
    }
    output::print(&printed)?;
    Ok(Outcome::Done)
}

fn one(mut input: Box<dyn BufRead>, classify: &Classify) -> Ended {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(cannot_read)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = display_text::without_escapes(&text);
    let judged = questions::classify(&text, &Context::default());
    let findings = classify.explain.then(|| questions::explain(&text));
    if classify.json {
        output::print_line(&forms::line(&Labelled::new(None, judged, findings)))?;
    } else {
        let found: String = findings.iter().flatten().map(finding).collect();
        output::print(&(label(&judged) + &found))?;
    }
    Ok(Outcome::Done)
}

fn label(judged: &Classification) -> String {
    let mut text = String::new();
    let status = match judged.label {
        Label::AwaitingResponse => "AWAITING_RESPONSE",
        Label::Complete => "COMPLETE",
        Label::Incomplete => "INCOMPLETE",
    };
    let weight = match judged.ask {
        Some(Ask::Offer) => " (offer)",
        Some(Ask::Blocking) => " (blocking)",
        None => "",
    };
    let certainty = forms::line(&judged.certainty);
    let _ = writeln!(text, "{status}{weight}");
    let _ = writeln!(text, "  certain  {}", certainty.trim_matches('"'));
    let _ = writeln!(text, "  language {}", judged.language.code());
    for reason in &judged.reasons {
        let _ = writeln!(text, "  why      {}", display_text::line(reason));
    }
    if judged.admits {
        let _ = writeln!(text, "  admits   that something is not done, fails or was not verified");
    }
    if let Some(words) = &judged.may_admit {
        let _ = writeln!(text, "  may      leave something open: {}", display_text::line(words));
    }
    if let Some(question) = &judged.question {
        for line in display_text::block(&question.text).lines() {
            let _ = writeln!(text, "  asks     {line}");
        }
        for option in &question.options {
            let label = display_text::line(&option.label);
            let _ = writeln!(text, "           {label}) {}", display_text::line(&option.text));
        }
    }
    for signal in &judged.signals {
        signal_in_words(&mut text, signal);
    }
    text
}

fn signal_in_words(text: &mut String, hit: &SignalHit) {
    let name = forms::line(&hit.signal);
    let _ = writeln!(
        text,
        "  signal   {} 0.{}: {}",
        name.trim_matches('"'),
        hit.tenths,
        display_text::line(&hit.excerpt)
    );
}

/// One sentence that matched a rule: its line, the effect, its words, and the groups of phrases found in it.
fn finding(finding: &Finding) -> String {
    let speech = match finding.speech {
        Speech::Asks => "asks",
        Speech::AsksNobody => "asks nobody",
        Speech::Unfinished => "unfinished",
        Speech::Finished => "finished",
    };
    format!(
        "  line {:<4}{speech} ({}): {}\n           {}\n",
        finding.line,
        finding.language.code(),
        display_text::line(&finding.excerpt),
        finding.groups.join(", ")
    )
}

fn cannot_read(source: io::Error) -> Failure {
    Failure::Stream { what: "cannot read the input".to_owned(), source }
}
