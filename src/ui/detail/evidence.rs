//! Every source: its role in the verdict, its claim, age and reasons; and which sources contradict each other.

use ratatui::text::{Line, Span};

use crate::model::{
    Changes, Claim, Evidence, Moment, Part, PartRole, Rejection, Source, Strength, Verdict, WorkspaceView,
};
use crate::present::phrases::row as say;
use crate::present::{age, reason, sessions, sets, verdict};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

const ROLE: usize = 10;
const CLAIM: usize = 8;
const AGE: usize = 5;
/// From this width on, reasons line up under the source's name.
const ROOMY: usize = 60;
/// At most this many reasons of a source are shown; the rest are counted.
const MAX_REASONS: usize = 12;

pub(super) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let Some(verdict) = &view.verdict else { return Vec::new() };
    let remark = match (view.reading.is_running, view.reading.taken_at) {
        (true, _) => "looking again".to_owned(),
        (false, Some(at)) => format!("read {}", age::ago(sheet.now, at)),
        (false, None) => String::new(),
    };
    let mut lines = sheet.heading("Evidence", &remark).to_vec();
    // The deciding sources come first; the others keep the order of their rank.
    let mut parts: Vec<&Part> = verdict::speaking(verdict).collect();
    parts.sort_by_key(|part| part.role != PartRole::Decided);
    if parts.is_empty() {
        lines.extend(sheet.text("no source has said anything", TextStyle::Faint, 2));
    }
    lines.extend(parts.into_iter().flat_map(|part| source(part, view, sheet)));
    lines.extend(verdict::silent(verdict).flat_map(|verdict| sheet.text(&verdict, TextStyle::Faint, 2)));
    lines.extend(conflicts(verdict, sheet));
    lines
}

/// A source with its role, claim, name, marks and age, and its reasons: a short one on the same line.
fn source(part: &Part, view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let evidence = &part.evidence;
    // The only evidence on the work tree is the look at it, so its age is the age of that look.
    let looked = view.reading.tree_at.filter(|_| evidence.source == Source::Changes);
    let is_old = looked.is_some() && age::since_look(view, sheet.now).is_some();
    let role_tone = match part.role {
        PartRole::Decided => TextStyle::Strong,
        PartRole::Agrees | PartRole::Overruled | PartRole::Noted => TextStyle::Plain,
        PartRole::Rejected | PartRole::NotConfigured | PartRole::NotThere => TextStyle::Faint,
    };
    let marks = marks(evidence);
    let mut room = sheet.width.saturating_sub(2 + ROLE + CLAIM + AGE + text::width(&marks));
    let title = text::cut(evidence.source.title(), room, sheet.look);
    room -= text::width(&title);
    let name = text::line(&evidence.name);
    let name = if name.is_empty() || name == title { String::new() } else { format!(" {name}") };
    let of_session = evidence.session().and_then(|session| sessions::told_apart(view, session));
    let of_session = of_session.map(|name| format!(" {}", text::line(&name))).unwrap_or_default();
    let name = name + &of_session;
    let name = text::cut(&name, room, sheet.look);
    room -= text::width(&name);
    let mut reasons = reasons(evidence);
    let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
    if is_old && changes.is_some_and(Changes::is_clean) && evidence.is_rejected_as(Rejection::Vacuous) {
        reasons = vec![(TextStyle::Faint, say::was_clean().to_owned())];
    }
    let short = match reasons.as_slice() {
        [(style, reason)] if text::width(reason) + 3 <= room => Some((*style, format!("  {reason}"))),
        _ => None,
    };
    if short.is_some() {
        reasons.clear();
    }
    let (short_tone, short) = short.unwrap_or((TextStyle::Plain, String::new()));
    let n_blanks = room.saturating_sub(text::width(&short));
    let at = match evidence.provenance.moment {
        Moment::At(said_at) => Some(said_at),
        Moment::AsRead => looked,
        Moment::Unknown => None,
    };
    let age = at.map(|at| age::age(sheet.now, at)).unwrap_or_default();
    let mut lines = vec![Line::from(vec![
        sheet.span(format!("  {:ROLE$}", sets::role(part.role)), role_tone),
        Span::styled(
            format!("{:CLAIM$}", verdict::claim(part)),
            sheet.style(claim_tone(evidence.claim)).patch(sheet.style(role_tone)),
        ),
        sheet.span(title, role_tone),
        sheet.span(name, TextStyle::Faint),
        sheet.span(marks, TextStyle::Open),
        sheet.span(short, short_tone),
        Span::raw(" ".repeat(n_blanks)),
        sheet.span(format!("{age:>AGE$}"), TextStyle::Faint),
    ])];
    let indent = if sheet.width >= ROOMY { 2 + ROLE + CLAIM } else { 4 };
    lines.extend(reasons.iter().flat_map(|(style, reason)| sheet.text(reason, *style, indent)));
    lines.extend(pointer(evidence, sheet, indent));
    lines
}

/// Qualifications of a source that a person must not overlook.
fn marks(evidence: &Evidence) -> String {
    let strength = match evidence.strength {
        Strength::Verified => None,
        Strength::Person => Some(" [by you]"),
        Strength::SelfReported => Some(" [self-reported]"),
        Strength::Guess => Some(" [guess]"),
    };
    let vacuous = evidence.is_vacuous.then_some(" [vacuous]");
    let required = evidence.is_required.then_some(" [required]");
    [strength, vacuous, required].into_iter().flatten().collect()
}

fn claim_tone(claim: Claim) -> TextStyle {
    match claim {
        Claim::Yes => TextStyle::Good,
        Claim::No => TextStyle::Open,
        Claim::Ask => TextStyle::Asks,
        Claim::Dirty | Claim::Fail => TextStyle::Bad,
        Claim::Wait | Claim::Work => TextStyle::Busy,
        Claim::Abstain(_) => TextStyle::Faint,
    }
}

/// Why a source does not count, and why it claims what it claims.
fn reasons(evidence: &Evidence) -> Vec<(TextStyle, String)> {
    let rejection = evidence.rejection().map(sets::rejection).unwrap_or_default();
    let style = if evidence.rejection().is_some() { TextStyle::Faint } else { TextStyle::Plain };
    let said = evidence.reasons.iter().take(MAX_REASONS);
    let mut reasons: Vec<(TextStyle, String)> =
        said.map(|reason| (style, text::line(&reason::label(reason)))).collect();
    match (evidence.rejection(), reasons.first_mut()) {
        (Some(_), None) => reasons.push((style, rejection.to_owned())),
        // The other rejections say by themselves that the source does not count.
        (Some(Rejection::Unreadable | Rejection::Foreign), Some((_, reason))) => {
            *reason = format!("{rejection}: {reason}");
        }
        (Some(_) | None, _) => {}
    }
    if evidence.reasons.len() > MAX_REASONS {
        reasons.push((TextStyle::Faint, format!("and {} more", evidence.reasons.len() - MAX_REASONS)));
    }
    reasons
}

/// Where the raw text is, unless the source's name or its reasons already say it.
fn pointer(evidence: &Evidence, sheet: TextLayout, indent: usize) -> Option<Line<'static>> {
    let pointer = evidence.pointer.as_ref()?;
    let is_said = |excerpt: &&String| evidence.reasons.iter().any(|said| reason::label(said) == **excerpt);
    let excerpt = pointer.excerpt.as_ref().filter(|excerpt| !excerpt.is_empty() && !is_said(excerpt));
    let excerpt = excerpt.map(|excerpt| text::line(excerpt));
    if excerpt.is_none() && pointer.place == evidence.name {
        return None;
    }
    let quoted = excerpt.map(|excerpt| format!(": {excerpt}")).unwrap_or_default();
    let shown = format!("{}in {}{quoted}", " ".repeat(indent), text::line(&pointer.place));
    Some(sheet.one(Line::from(sheet.span(shown, TextStyle::Faint))))
}

fn conflicts(verdict: &Verdict, sheet: TextLayout) -> Vec<Line<'static>> {
    let pairs: Vec<Line<'static>> =
        verdict::conflicts(verdict).map(|[yes, against]| pair(yes, against, sheet)).collect();
    if pairs.is_empty() {
        return pairs;
    }
    let mut lines = sheet.heading("Conflicts", "").to_vec();
    lines.extend(pairs);
    lines
}

fn pair(yes: &Part, against: &Part, sheet: TextLayout) -> Line<'static> {
    let versus = format!("  {}  ", sheet.look.sign(Sign::Versus));
    let room = sheet.width.saturating_sub(2 + text::width(&versus)) / 2;
    let side = |part: &Part| {
        let title = format!("{}: ", part.evidence.source.title());
        let why = text::cut(
            &text::line(&verdict::said(part)),
            room.saturating_sub(text::width(&title)),
            sheet.look,
        );
        [Span::raw(title), sheet.span(why, claim_tone(part.evidence.claim))]
    };
    let mut line = Line::from(Span::raw("  "));
    line.spans.extend(side(yes));
    line.push_span(sheet.span(versus, TextStyle::Bad));
    line.spans.extend(side(against));
    sheet.one(line)
}
