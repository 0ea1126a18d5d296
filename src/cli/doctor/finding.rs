//! The doctor's findings as data, and the text that they are printed as. It must not examine anything.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::display_text;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing; closeout works without it.
    Note,
    /// Something does not work until it is mended.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Finding {
    /// How grave it is.
    pub(super) level: Level,
    /// What was found, in a sentence. Cleaned.
    pub(super) text: String,
    /// What to do about it. Cleaned.
    pub(super) advice: Option<String>,
}

/// Findings on one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Section {
    /// The subject.
    pub(super) subject: String,
    /// What was found.
    pub(super) findings: Vec<Finding>,
}

impl Finding {
    pub(super) fn ok(text: impl AsRef<str>) -> Finding {
        Finding::new(Level::Ok, text.as_ref(), None)
    }

    /// A note without advice.
    pub(super) fn note(text: impl AsRef<str>) -> Finding {
        Finding::new(Level::Note, text.as_ref(), None)
    }

    /// A note with advice.
    pub(super) fn hint(text: impl AsRef<str>, advice: impl AsRef<str>) -> Finding {
        Finding::new(Level::Note, text.as_ref(), Some(advice.as_ref()))
    }

    pub(super) fn problem(text: impl AsRef<str>, advice: impl AsRef<str>) -> Finding {
        Finding::new(Level::Problem, text.as_ref(), Some(advice.as_ref()))
    }

    fn new(level: Level, text: &str, advice: Option<&str>) -> Finding {
        let clean = |text: &str| display_text::line(text).into_owned();
        Finding { level, text: clean(text), advice: advice.map(clean) }
    }
}

impl Section {
    pub(super) fn new(subject: &str, findings: Vec<Finding>) -> Section {
        Section { subject: subject.to_owned(), findings }
    }

    /// The section as lines. Levels are shown as words, so that a screen reader and a search find them.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.subject.clone()];
        for finding in &self.findings {
            let sign = match finding.level {
                Level::Ok => "ok",
                Level::Note => "note",
                Level::Problem => "PROBLEM",
            };
            lines.push(format!("  {sign:<8} {}", finding.text));
            lines.extend(finding.advice.iter().map(|advice| format!("           -> {advice}")));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_says_what_was_found_and_what_to_do() {
        let section = Section::new(
            "git",
            vec![Finding::ok("git 2.47"), Finding::problem("no \u{1b}[31mgit", "install git")],
        );
        assert_eq!(
            section.lines(),
            ["git", "  ok       git 2.47", "  PROBLEM  no ␛[31mgit", "           -> install git"]
        );
    }
}
