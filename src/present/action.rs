//! Actions in words: command lines, costs, and the outcomes of questions and actions.
//!
//! Which key starts an action, and where its words appear, is decided elsewhere.

use super::baseline::{branch, short};
use super::phrases::{asking, held, loose, outcome, plan_note, record};
use super::texts::shown;
use super::{counts, mark, sets};
use crate::model::{
    ActionOutcome, ActionProblem, AskCost, AskPlan, AskPurpose, CheckResult, HeldNow, HeldReply, MarkOrder,
    ObjectsGo, PlanNote, ProbeReading, ProbeWord, Receipt, RecordNotice, Rescued, RunningAction, SmartReport,
    SmartStatus, UndoDirection, UndoPlan, VerifyReport, display_text, quantity,
};

/// A command line, with quotes where its arguments need them. Cleaned: it is for reading, not for running.
pub(crate) fn command(arguments: &[String]) -> String {
    let quoted = |argument: &String| {
        let shown = shown(argument);
        let is_plain = !shown.is_empty()
            && shown.chars().all(|sign| sign.is_alphanumeric() || "-_./=:@%+,".contains(sign));
        if is_plain { shown } else { format!("'{shown}'") }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The longest argument, in bytes, that is shown in full; of a longer one only the kind and size are shown.
const LONGEST_ARGUMENT: usize = 120;

/// The command line by which an agent would be asked. The prompt, which the dialog shows on its own, and long
/// arguments, which only a program reads, are replaced by a description.
pub(crate) fn asking_command(plan: &AskPlan) -> String {
    let prompt = plan.prompt.trim();
    let shortened = |argument: &String| {
        if !prompt.is_empty() && argument.contains(prompt) {
            return asking::prompt_argument().to_owned();
        }
        if argument.len() <= LONGEST_ARGUMENT {
            return command(std::slice::from_ref(argument));
        }
        let size = quantity::size(argument.len() as u64);
        if argument.trim_start().starts_with(['{', '[']) {
            asking::json_argument(size)
        } else {
            asking::text_argument(size)
        }
    };
    plan.command.iter().map(shortened).collect::<Vec<_>>().join(" ")
}

/// The name of the agent that is answering a reply. Cleaned.
pub(crate) fn answering_agent(turn: &RunningAction) -> String {
    turn.progress
        .taken
        .as_ref()
        .map_or_else(|| asking::the_agent().to_owned(), |taken| shown(&taken.session.agent))
}

/// How the answer to a probe was interpreted.
pub(crate) fn reading(reading: ProbeReading) -> &'static str {
    match reading {
        ProbeReading::Answered(word) => sets::probe_word(word),
        ProbeReading::Failed(failure) => sets::probe_failure(failure),
    }
}

/// How a smart check ended, as a sentence.
pub(crate) fn smart(report: &SmartReport) -> &'static str {
    let last = report.attempts.last().and_then(|attempt| attempt.reading);
    if report.outcome.status == SmartStatus::Timeout
        && last == Some(ProbeReading::Answered(ProbeWord::Complete))
    {
        return asking::done_not_committed();
    }
    sets::smart_status(report.outcome.status)
}

/// What a question cost; `None` if the client does not report it.
pub(crate) fn cost(cost: AskCost) -> Option<String> {
    let tokens = |n: u64| match n {
        0..1_000 => n.to_string(),
        _ => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
    };
    let facts = [
        cost.input_tokens.map(|n| asking::tokens_in(tokens(n))),
        cost.cached_tokens.filter(|n| *n > 0).map(|n| asking::tokens_cached(tokens(n))),
        cost.output_tokens.map(|n| asking::tokens_out(tokens(n))),
        cost.micro_dollars.map(|n| format!("${}.{:04}", n / 1_000_000, n % 1_000_000 / 100)),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

/// The confirmation question shown before an agent is asked.
pub(crate) fn ask_question(plan: &AskPlan) -> String {
    let agent = shown(&plan.session.agent);
    match plan.purpose {
        AskPurpose::Probe => asking::whether_done(agent),
        AskPurpose::Verify => asking::checklist(agent),
    }
}

/// How often an agent would be asked, and how long closeout waits for each answer.
pub(crate) fn how_often(plan: &AskPlan) -> String {
    let seconds = plan.timeout_seconds;
    match (plan.max_attempts, plan.purpose) {
        (0 | 1, _) => asking::once(seconds),
        (n, AskPurpose::Verify) => asking::once_or_more(n - 1, seconds),
        (n, AskPurpose::Probe) => asking::at_most(n, plan.interval_seconds, seconds),
    }
}

/// What the closer found, as a sentence.
pub(crate) fn verified(report: &VerifyReport) -> &'static str {
    if report.is_complete {
        asking::all_done()
    } else if report.error.is_some() {
        asking::answer_unusable()
    } else {
        asking::something_left()
    }
}

/// The state of a receipt, in one line. Cleaned.
pub(crate) fn receipt(receipt: &Receipt) -> String {
    let agent = shown(&receipt.session.agent);
    let message = format!("{agent}: {} ({})", sets::receipt(receipt.state), shown(&receipt.channel_words));
    match &receipt.detail {
        Some(more) => format!("{message}: {}", shown(more)),
        None => message,
    }
}

/// What to know about the place where a record is kept. May hold untrusted text.
pub(crate) fn record_notice(notice: &RecordNotice) -> String {
    match notice {
        RecordNotice::JournalDamaged { n_lines } => record::journal_damaged(n_lines),
        RecordNotice::JournalNewer { n_lines } => record::journal_newer(n_lines),
        RecordNotice::JournalUnreadable { reason } => record::journal_unreadable(reason),
        RecordNotice::PutBack { reference, moved_to: None } => record::put_back(reference),
        RecordNotice::PutBack { reference, moved_to: Some(kept) } => {
            record::put_back_and_kept(reference, kept)
        }
        RecordNotice::NotPutBack { reference, reason } => record::not_put_back(reference, reason),
        RecordNotice::NotInJournal { reference } => record::not_in_journal(reference),
        RecordNotice::Lost { reference } => record::lost(reference),
        RecordNotice::MirrorRemote { remote, remedy } => record::mirror_remote(remote, remedy),
        RecordNotice::NoRepository { reason, n_unseen: 0 } => record::broken_repository(reason),
        RecordNotice::NoRepository { reason, n_unseen } => {
            record::no_repository(reason, counts::records(*n_unseen))
        }
        RecordNotice::OtherName { taken } => record::other_name(taken),
        RecordNotice::GitDirElsewhere { git_dir } => record::git_dir_elsewhere(git_dir),
        RecordNotice::VaultOnly { reason } => record::vault_only(reason),
    }
}

/// When git deletes the objects of a removed record.
pub(crate) fn objects_go(objects: &ObjectsGo) -> String {
    match objects {
        ObjectsGo::WhenCollected { expiry, reflog_expiry: None } => record::objects_go(age_of(expiry)),
        ObjectsGo::WhenCollected { expiry, reflog_expiry: Some(reflog) } => {
            record::objects_go_late(age_of(expiry), age_of(reflog))
        }
        ObjectsGo::Never => record::objects_stay().to_owned(),
        ObjectsGo::Now => record::objects_gone().to_owned(),
        ObjectsGo::Elsewhere => record::objects_elsewhere().to_owned(),
    }
}

/// How old something is then, of which git's settings say `2.weeks.ago`; other times as they are.
fn age_of(expiry: &str) -> String {
    expiry.strip_suffix(".ago").map_or_else(|| expiry.to_owned(), |age| age.replace('.', " "))
}

/// The outcome of an action. Cleaned. The screen adds which keys can be used next.
pub(crate) fn label(outcome: &ActionOutcome) -> String {
    match outcome {
        ActionOutcome::Rescued(rescued) => rescued_label(rescued),
        ActionOutcome::Recorded(record) => outcome::recorded(
            counts::files(record.n_files),
            quantity::size(record.n_bytes),
            shown(&record.reference),
        ),
        ActionOutcome::CommitsKept(plan) => {
            loose::kept(counts::commits(plan.n_commits), branch(&plan.branch), short(plan.tip))
        }
        ActionOutcome::Undone(plan) => undone_label(plan),
        ActionOutcome::Replied(sent) => receipt(sent),
        ActionOutcome::Held { reply, now } => held_label(reply, now),
        ActionOutcome::Decided(file) => {
            let word = if file.is_complete { "COMPLETE" } else { "INCOMPLETE" };
            outcome::decided(word, display_text::path(&file.path))
        }
        ActionOutcome::Marked { order, .. } => marked_label(order),
        ActionOutcome::ChecksRan(records) => {
            let n_met = records.iter().filter(|record| record.result == CheckResult::Passed).count();
            outcome::checks_ran(n_met, records.len())
        }
        ActionOutcome::Opined(opinion) => outcome::opined(&opinion.by, sets::reading(opinion.reading)),
        ActionOutcome::Failed(problem) => problem_label(problem),
        ActionOutcome::Checked(report) => smart(report).to_owned(),
        ActionOutcome::NotAsked(_) => outcome::not_asked().to_owned(),
        ActionOutcome::Verified(report) => verified(report).to_owned(),
        ActionOutcome::RescuePlanned(_)
        | ActionOutcome::SizeAsked(_)
        | ActionOutcome::BranchPlanned(_)
        | ActionOutcome::UndoPlanned(_)
        | ActionOutcome::ReplyPlanned(_)
        | ActionOutcome::AskPlanned(_)
        | ActionOutcome::ChecksPlanned(_) => outcome::plan_without_workspace().to_owned(),
    }
}

fn marked_label(order: &MarkOrder) -> String {
    if let MarkOrder::TakeBack { order } = order {
        return outcome::mark_removed(shown(&mark::order(order)));
    }
    let words = shown(&mark::order(order));
    if *order == MarkOrder::Clear { words } else { outcome::marked(words) }
}

fn held_label(reply: &HeldReply, now: &HeldNow) -> String {
    let agent = shown(&reply.session.agent);
    match now {
        HeldNow::Kept | HeldNow::WaitsOn => held::kept(agent),
        HeldNow::Taken => held::taken(agent),
        HeldNow::Dropped(end) => held::dropped(agent, shown(end.why())),
    }
}

fn rescued_label(rescued: &Rescued) -> String {
    let ids: Vec<String> = rescued.commits.iter().take(3).map(|commit| short(*commit)).collect();
    let n_more = rescued.commits.len().saturating_sub(ids.len());
    let ids = if n_more > 0 { outcome::and_more(ids.join(", "), n_more) } else { ids.join(", ") };
    outcome::rescued(counts::files(rescued.n_paths), branch(&rescued.branch), ids)
}

fn undone_label(plan: &UndoPlan) -> String {
    let (commits, branch) = (counts::commits(plan.commits.len()), branch(&plan.branch));
    match plan.way {
        UndoDirection::Undo => outcome::undone(commits, branch),
        UndoDirection::Redo => outcome::redone(commits, branch),
    }
}

/// What went wrong, and on the next line what the user can do about it.
pub(crate) fn problem_label(problem: &ActionProblem) -> String {
    let words = shown(&problem.message);
    match &problem.next {
        Some(next) => format!("{words}\n{}", shown(next)),
        None => words,
    }
}

/// A fact about a plan that its paths do not show. Untrusted.
pub(crate) fn note(note: &PlanNote) -> String {
    match note {
        PlanNote::HooksNotRun(names) => plan_note::hooks(names.join(", ")),
        PlanNote::Unsigned => plan_note::unsigned().to_owned(),
        PlanNote::FiltersNotTrusted(names) => plan_note::filters(names.join(", ")),
        PlanNote::NotCovered(names) => plan_note::not_covered(names.join(", ")),
        PlanNote::StagedVersions(n) => plan_note::staged(n),
        PlanNote::CommittedOn(name) => plan_note::committed_on(branch(name)),
        PlanNote::AgentAtWork => plan_note::agent_at_work().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_shows_where_its_arguments_end() {
        let arguments = ["claude", "-p", "two words", "", "a\u{1b}b"].map(str::to_owned);
        assert_eq!(command(&arguments), "claude -p 'two words' '' 'a␛b'");
    }

    #[test]
    fn what_asking_cost_is_said_where_it_is_known() {
        assert_eq!(cost(AskCost::default()), None);
        let known = AskCost {
            input_tokens: Some(21_340),
            cached_tokens: Some(20_000),
            output_tokens: Some(56),
            micro_dollars: Some(12_345),
        };
        assert_eq!(cost(known).unwrap(), "21.3k in, 20.0k of them cached, 56 out, $0.0123");
    }

    #[test]
    fn ages_of_gits_settings_are_told_as_ages() {
        let go = |expiry: &str| {
            objects_go(&ObjectsGo::WhenCollected { expiry: expiry.to_owned(), reflog_expiry: None })
        };
        assert!(go("2.weeks.ago").ends_with("once older than 2 weeks"));
        assert!(go("2026.01.02").ends_with("once older than 2026.01.02"));
    }

    #[test]
    fn what_trust_does_not_cover_is_named() {
        let words = note(&PlanNote::NotCovered(vec!["make".to_owned()]));
        assert!(words.contains("run make: not covered"), "{words}");
        let staged = |n| note(&PlanNote::StagedVersions(n));
        assert!(staged(1).starts_with("the staged version of 1 file is not"), "{}", staged(1));
        assert!(staged(2).starts_with("the staged versions of 2 files are not"), "{}", staged(2));
    }
}
