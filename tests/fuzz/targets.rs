//! The fuzz targets: one function for each reader of bytes that closeout did not write. Each checks the
//! properties of the answer; that there is an answer, soon and without much memory, is checked by the runner.

use std::path::Path;

use closeout::action::asking::read_answer;
use closeout::agent::hook_events::{event_of, gate_call};
use closeout::agent::hook_settings::{Wanted, install, remove};
use closeout::agent::panes::{is_pane_id, parse_panes};
use closeout::agent::{AnswerPlace, all_gates, all_hooks, read_claude_transcript, read_codex_rollout};
use closeout::evidence::{parse_plan, parse_results};
use closeout::git::{
    PackedRefs, Repository, find_ref, has_more_entries, head, head_ref, index_marks, is_id, recent_log,
};
use closeout::judge::closer::{self, CloserAnswer};
use closeout::judge::decision::{Decision, DecisionFile, DecisionInput, FileContent, decide};
use closeout::judge::smart_check::{ProbeReading, ProbeReport, read_probe_doubting, read_probe_text};
use closeout::judge::{questions, runs, task};
use closeout::model::{GateEvent, HOOK_TEXT, ProcessStat, SessionObservation, Timestamp, display_text};

use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};

use super::own_files;
use super::worlds::World;

/// A reader, and where inputs for it are.
pub(crate) struct Target {
    /// Its name, and the name of its folder in the corpus.
    pub(crate) name: &'static str,
    /// Files and folders below `tests` that serve as seeds too.
    pub(crate) seeds: &'static [&'static str],
    /// Reads the bytes. The error says in words which property does not hold.
    pub(crate) read: fn(&mut World, &[u8]) -> Result<(), String>,
}

const fn target(
    name: &'static str,
    seeds: &'static [&'static str],
    read: fn(&mut World, &[u8]) -> Result<(), String>,
) -> Target {
    Target { name, seeds, read }
}

/// All targets.
pub(crate) const TARGETS: [Target; 22] = [
    target("claude", &["fixtures/agents/claude/transcripts"], claude),
    target("codex", &["fixtures/agents/codex/rollouts"], codex),
    target("gemini", &["fixtures/agents/gemini/chats"], |world, bytes| sessions(&world.gemini(bytes))),
    target("opencode", &[], |world, bytes| sessions(&world.opencode(bytes))),
    target("index", &[], index),
    target("reflog", &[], reflog),
    target("packed-refs", &[], packed_refs),
    target("head", &[], head_file),
    target("git-config", &[], git_config),
    target("git-file", &[], git_file),
    target("decision", &[], decision),
    target("junit", &[], test_results),
    target("plan", &[], plan),
    target("hooks", &["fixtures/agents/claude/hooks", "fixtures/agents/codex/hooks"], hook_payload),
    target("settings", &[], settings),
    target("answers", &["fixtures/agents/claude/headless", "fixtures/agents/codex/exec-json"], answers),
    target("words", &["fixtures/last_words.md"], last_words),
    target("display", &[], display),
    target("system", &["fixtures/agents/tmux"], system),
    target("state", &[], own_files::state),
    target("journal", &[], own_files::journal),
    target("config", &["../config/default.toml"], own_files::config),
];

pub(crate) fn holds(is_so: bool, what: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(what.to_owned()) }
}

fn claude(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    session(&read_claude_transcript("name-of-the-file", bytes))
}

fn codex(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    read_codex_rollout(bytes).map_or(Ok(()), |read| session(&read))
}

fn sessions(read: &[SessionObservation]) -> Result<(), String> {
    read.iter().try_for_each(session)
}

/// A session can be judged as far as its record goes, and survives serialisation.
fn session(read: &SessionObservation) -> Result<(), String> {
    let tasks = task::read(&read.session_name(), &read.history, &mut task::Memory::default());
    let catalog = runs::Catalog::built_in();
    runs::summarize(&read.history, tasks.newest.as_ref(), None, catalog, &mut runs::Memory::default());
    for prompt in read.history.turns.iter().filter_map(|turn| turn.prompt.as_ref()) {
        runs::Demands::of(&prompt.text, catalog);
    }
    if let Some(message) = &read.last_message {
        questions::classify(&message.text, &questions::Context::default());
    }
    let text = serde_json::to_string(read).map_err(|error| format!("it cannot be written: {error}"))?;
    let again: SessionObservation =
        serde_json::from_str(&text).map_err(|error| format!("it cannot be read again: {error}"))?;
    holds(again == *read, "what is written down is not what is read")
}

fn index(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let Some(repository) = world.repository("index", bytes) else { return Err(World::GONE.to_owned()) };
    let marks = index_marks(&repository);
    has_more_entries(&repository, 0);
    let Ok(marks) = marks else { return Ok(()) };
    let are_ids =
        marks.passed_over.iter().all(|entry| is_id(&entry.id)) && marks.tree.is_none_or(|id| is_id(&id));
    holds(are_ids, "an entry without an id")
}

fn reflog(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let Some(repository) = world.repository("logs/HEAD", bytes) else { return Err(World::GONE.to_owned()) };
    recent_log(&repository).map(drop).map_err(|problem| problem.detail)
}

fn packed_refs(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let Some(repository) = world.repository("packed-refs", bytes) else { return Err(World::GONE.to_owned()) };
    let packed = PackedRefs::read(&repository).map_err(|problem| problem.detail)?;
    holds(packed.entries().all(|(id, _)| is_id(id)), "a reference without an id")?;
    find_ref(&repository, "refs/heads/work").map(drop).map_err(|problem| problem.detail)
}

fn head_file(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let Some(repository) = world.repository("HEAD", bytes) else { return Ok(()) };
    // A name in HEAD must not lead to a file outside the folder.
    let _ = head_ref(&repository);
    if let Ok(head) = head(&repository) {
        holds(!format!("{head:?}").contains(World::PRIVATE), "a file outside of the git directory was read")?;
    }
    Ok(())
}

fn git_config(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    // Whatever the file says, the result is a repository or an error.
    let Some(repository) = world.repository("config", bytes) else { return Ok(()) };
    holds(repository.git_dir.is_absolute(), "a git directory that is nowhere")
}

fn git_file(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let top = world.with_git_file(bytes);
    if let Ok(Some(repository)) = Repository::open(&top) {
        holds(repository.git_dir.is_absolute(), "a git directory that is nowhere")?;
    }
    Ok(())
}

/// Reads the bytes as a file and as an output, with a matching id, with another id, and with none.
fn decision(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    const ID: &str = "0f9f2b8e-an-id-that-nobody-guesses";
    let text = String::from_utf8_lossy(bytes);
    for check_id in [None, Some("check-1"), Some(ID)] {
        let content = FileContent::Text(&text);
        let file = Some(DecisionFile { content, age_before_check_ms: None });
        for (file, output) in [(file, ""), (None, &*text), (file, &*text)] {
            let input = DecisionInput { file, worker_output: output, check_id, env_check_id: None };
            let record = decide(&input);
            let is_bounded = record.reasons.iter().all(|reason| reason.chars().count() <= 241);
            holds(is_bounded && record.reasons.len() <= 200, "reasons without a limit")?;
            let is_right = check_id != Some(ID) || record.check_id_match != Some(true);
            holds(is_right, "an id that is nowhere was found")?;
            holds(
                record.has_verdict || record.decision == Decision::Incomplete,
                "silence is taken for complete",
            )?;
        }
    }
    Ok(())
}

fn test_results(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    let Ok(results) = parse_results(bytes) else { return Ok(()) };
    let is_bounded =
        results.failing.len() <= 10 && results.failing.iter().all(|name| name.chars().count() <= 201);
    holds(is_bounded, "names without a limit")?;
    holds(results.n_failed > 0 || results.failing.is_empty(), "a failing test and no failure")
}

fn plan(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let Ok(steps) = parse_plan(&text) else { return Ok(()) };
    holds(steps.len() <= text.len(), "more steps than signs")
}

fn hook_payload(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    // The seeds contain one payload per line.
    for payload in bytes.split(|byte| *byte == b'\n').take(64).chain([bytes]) {
        for hooks in all_hooks() {
            let Some(event) = event_of(hooks, payload, Timestamp(1_795_000_000_000)) else { continue };
            let texts = [&event.what, &event.tool, &event.call, &event.reason, &event.subagent];
            let is_bounded = texts.into_iter().flatten().all(|text| text.chars().count() <= HOOK_TEXT + 1);
            holds(is_bounded, "a text of an event without a limit")?;
        }
        for event in [GateEvent::Stop, GateEvent::PostToolUse, GateEvent::TaskCompleted] {
            gate_call(event, payload);
        }
    }
    Ok(())
}

/// Existing settings stay, in their order; an inserted hook is found again and can be removed. White space is
/// ignored here: `tests/hooks` checks the usual layouts byte by byte.
fn settings(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let signs = |text: &str| text.split_ascii_whitespace().collect::<String>();
    for hooks in all_hooks().chain(all_gates()).filter(|hooks| hooks.plugin("/opt/closeout").is_none()) {
        let wanted = Wanted::new(hooks, "/opt/closeout");
        let (Ok(installed), Ok(bare)) = (install(&text, &wanted), remove(&text, hooks)) else { continue };
        let again = install(&installed, &wanted).map_err(|error| format!("not a second time: {error}"))?;
        holds(again == installed, "a second time changes something")?;
        let removed = remove(&installed, hooks).map_err(|error| format!("not removed: {error}"))?;
        holds(remove(&removed, hooks).as_ref() == Ok(&removed), "something is left to be removed")?;
        let [before, bare_signs, with, without] = [&*text, &bare, &installed, &removed].map(signs);
        holds(is_part(&bare_signs, &before), "more was taken out than was there")?;
        let is_empty = before.trim_start_matches('\u{feff}').is_empty();
        holds(is_empty || is_part(&bare_signs, &with), "what is of others was changed")?;
        holds(is_empty || is_part(&without, &before), "something is left of what was put in")?;
        if bare == text && !has_empty_place(&text) {
            holds(without == before, "what was put in did not leave everything when it was taken out")?;
            holds(meaning(&removed) == meaning(&text), "what was put in left other settings")?;
        }
    }
    Ok(())
}

/// The settings without comments.
fn meaning(text: &str) -> Option<JsonValue<'_>> {
    parse_to_value(text.trim_start_matches('\u{feff}'), &ParseOptions::default()).ok().flatten()
}

/// Whether hooks are absent, or their place is empty: an empty place is removed with the last hook, whoever
/// created it.
fn has_empty_place(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let Ok(Some(JsonValue::Object(root))) = parse_to_value(text, &ParseOptions::default()) else {
        return true;
    };
    match root.get("hooks") {
        None => false,
        Some(JsonValue::Object(hooks)) => {
            let mut events = hooks.clone().into_iter().peekable();
            events.peek().is_none()
                || events.any(|(_, groups)| matches!(groups, JsonValue::Array(groups) if groups.is_empty()))
        }
        Some(_) => true,
    }
}

/// Whether `whole` is `part` with something inserted.
fn is_part(part: &str, whole: &str) -> bool {
    let mut signs = whole.chars();
    part.chars().all(|sign| signs.any(|it| it == sign))
}

fn answers(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    use AnswerPlace::{LastAgentMessage, ResponseField, ResultObject, Stdout, TextEvents};
    for place in [ResultObject, LastAgentMessage, TextEvents, ResponseField, Stdout, AnswerPlace::None] {
        read_answer(place, bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    closer::read(CloserAnswer::Raw(&text));
    let (believed, doubted) = (read_probe_text(&text), read_probe_doubting(&text));
    let is_answer = |report: &ProbeReport| matches!(report.reading, ProbeReading::Answered(_));
    holds(is_answer(&believed) || !is_answer(&doubted), "doubt makes an answer of none")
}

fn last_words(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    questions::classify(&text, &questions::Context::default());
    questions::explain(&text);
    let tenths = questions::tenths(&questions::signals(&text));
    holds(tenths == questions::tenths(&questions::signals(&text)), "the same words say two things")
}

/// What reaches a person contains no character that a screen interprets or hides.
fn display(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let is_shown = |shown: &str, breaks: bool| {
        let mut before = None;
        shown.chars().all(|sign| {
            let is_joined = sign == '\u{200d}' && before.is_some();
            before = Some(sign);
            is_joined || (breaks && sign == '\n') || !display_text::is_unsafe(sign)
        })
    };
    holds(is_shown(&display_text::line(&text), false), "a line with a control")?;
    holds(is_shown(&display_text::block(&text), true), "a block with a control")?;
    holds(is_shown(&display_text::bytes(bytes), false), "bytes with a control")?;
    let plain = display_text::without_escapes(&text);
    holds(!plain.contains('\u{1b}'), "an escape is left")?;
    holds(display_text::shorten(&text, 7).chars().count() <= 7, "a short text that is long")
}

fn system(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    ProcessStat::parse(bytes);
    let panes = parse_panes(&String::from_utf8_lossy(bytes));
    holds(panes.iter().all(|pane| is_pane_id(&pane.id)), "a pane without an id")
}

/// The folder of a target's own seeds.
pub(crate) fn corpus(target: &Target) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target.name)
}
