//! What a person must know before a rescue, apart from its paths: the record, what could not be recorded
//! exactly, and programs that could run. Foreign text is cleaned here.

use ratatui::text::Line;

use crate::model::{PlannedPrograms, RescueRecord, WantedProgram, display_text};
use crate::present::action;
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// At most this many gaps are named; the rest are counted.
const MAX_GAPS: usize = 20;

/// What could not be recorded exactly.
pub(super) fn gaps(record: &RescueRecord, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut sentences: Vec<String> = Vec::new();
    if !record.is_settled {
        sentences.push("Files still changed while they were recorded.".to_owned());
    }
    sentences.extend(record.gaps.iter().take(MAX_GAPS).map(|gap| {
        let name = display_text::bytes(&gap.path);
        let of = if name.is_empty() { String::new() } else { format!("{name}: ") };
        format!("not recorded exactly: {}{}", text::line(&of), text::line(&gap.reason))
    }));
    if record.gaps.len() > MAX_GAPS {
        sentences.push(format!("and {} more gaps", record.gaps.len() - MAX_GAPS));
    }
    let signed = |words: String| sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open);
    sentences.into_iter().flat_map(signed).collect()
}

/// The programs that the person can choose to run.
pub(super) fn programs(
    programs: &PlannedPrograms,
    wanted: Option<WantedProgram>,
    sheet: TextLayout,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if wanted == Some(WantedProgram::Hooks) {
        let words = format!("The repository's hooks run: {}", text::line(&programs.hooks.join(", ")));
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open));
    }
    if let Some(own) = &programs.own {
        let command = action::command(&own.words);
        if wanted == Some(WantedProgram::Own) {
            let words = format!("Your own program makes the commit: {command}");
            lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open));
        } else {
            let trust = if own.is_trusted { "not used" } else { "not trusted, not used" };
            lines.extend(sheet.labelled("own program", &format!("{command}  ({trust})")));
        }
    }
    let has_programs = !programs.hooks.is_empty() || !programs.filters.is_empty();
    let is_own_untrusted = programs.own.as_ref().is_some_and(|own| !own.is_trusted);
    if (has_programs && !programs.is_trusted) || is_own_untrusted {
        let words = "`closeout trust` shows these programs and asks whether you trust them";
        lines.extend(sheet.labelled("trust", words));
    }
    lines
}
