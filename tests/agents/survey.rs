//! Finding the sessions of Claude Code on a machine: which count, where each was begun, and what is
//! watched for new ones.

use closeout::agent::{FoundSession, Memories, Survey, SurveyAsk};

use super::registry::Living;
use super::*;

/// The files of these tests are older or younger than this, in seconds.
const SINCE: u64 = 1_000_000;

impl Machine {
    fn adapter(&self) -> Adapter {
        Adapter::named("claude", self.config_dir.clone()).unwrap()
    }

    fn survey_within(&self, within: Option<&Path>, memory: &mut Memories) -> Survey {
        let since = Timestamp(i64::try_from(SINCE * 1000).unwrap());
        agent::survey(&[self.adapter()], &SurveyAsk { since, all_of: &[], within }, memory)
    }

    fn survey(&self) -> Survey {
        self.survey_within(None, &mut Memories::default())
    }

    /// A session that was begun in `cwd` and grew `age` seconds after the moment asked for.
    fn session_in(&self, cwd: &Path, id: &str, age: i64) -> PathBuf {
        let folder = self.config_dir.join("projects").join(claude_folder_name(cwd));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{id}.jsonl"));
        let prompt = json!({"type": "user", "uuid": id, "timestamp": EARLY, "promptSource": "typed",
            "message": {"role": "user", "content": "go"}});
        fs::write(&path, Machine::line_in(cwd, &prompt)).unwrap();
        set_time(&path, SINCE.checked_add_signed(age).unwrap());
        path
    }

    fn registry(&self) -> PathBuf {
        let registry = self.config_dir.join("sessions");
        fs::create_dir_all(&registry).unwrap();
        registry
    }
}

fn ids(survey: &Survey) -> Vec<&str> {
    let mut ids: Vec<&str> = survey.found.iter().map(|found| found.place.session_id.as_str()).collect();
    ids.sort_unstable();
    ids
}

fn one(survey: &Survey) -> &FoundSession {
    assert_eq!(survey.found.len(), 1, "{survey:?}");
    &survey.found[0]
}

#[test]
fn each_recorded_session_is_found_in_the_folder_that_it_was_begun_in() {
    let machine = Machine::new();
    for entry in fs::read_dir(fixtures().join("transcripts")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), machine.folder.join(entry.file_name())).unwrap();
    }
    let survey = machine.survey();
    let mut expected: Vec<String> = fs::read_dir(fixtures().join("transcripts"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        // The transcript of a subagent is none of a session.
        .filter(|name| name != "subagent.sidechain")
        .collect();
    expected.sort();
    assert_eq!(ids(&survey), expected);
    assert!(survey.found.iter().all(|found| found.place.folder == Path::new("/home/user/project")));
    assert!(survey.found.iter().all(|found| found.place.agent == "claude"));
    assert_eq!((survey.n_older, survey.problems.len()), (0, 0));
}

#[test]
fn old_sessions_are_counted_and_those_that_live_are_found_however_old() {
    let machine = Machine::new();
    machine.session_in(&machine.workspace, "old", -10);
    let living = machine.session_in(&machine.workspace, "living", -20);
    machine.session_in(&machine.workspace, "new", 10);
    machine.registry();
    assert_eq!((ids(&machine.survey()), machine.survey().n_older), (vec!["new"], 2));
    machine.enter_this("sessions-idle.json", &json!({"sessionId": "living"}));
    let survey = machine.survey();
    assert_eq!((ids(&survey), survey.n_older), (vec!["living", "new"], 1));
    let found = survey.found.iter().find(|found| found.place.session_id == "living").unwrap();
    assert_eq!(found.place.record, living);
    assert_eq!(found.moved_at, Timestamp(i64::try_from((SINCE - 20) * 1000).unwrap()));
    // The process that is told of does not live any more.
    machine.enter_this("sessions-idle.json", &json!({"sessionId": "living", "procStart": "1"}));
    assert_eq!(ids(&machine.survey()), ["new"]);
}

#[test]
fn a_process_that_has_written_nothing_yet_is_a_session_of_its_folder() {
    let machine = Machine::new();
    machine.registry();
    let id = "0b8f1e1a-6d55-4b0e-9c0e-2f3f6a1a9c11";
    machine.enter_this("sessions-idle.json", &json!({"sessionId": id, "cwd": machine.workspace}));
    let survey = machine.survey();
    let found = one(&survey);
    assert_eq!(found.place.record, machine.folder.join(format!("{id}.jsonl")));
    assert_eq!(found.place.folder, machine.workspace);
    // Its record exists by now, and holds nothing but bookkeeping.
    let record = machine.write(id, "{\"type\":\"mode\",\"mode\":\"normal\"}\n");
    set_time(&record, SINCE + 5);
    let survey = machine.survey();
    assert_eq!((&one(&survey).place.record, &one(&survey).place.folder), (&record, &machine.workspace));
    // An id that is a path is none.
    for id in ["../../../escape", "a/b", ".."] {
        machine.enter_this("sessions-idle.json", &json!({"sessionId": id, "cwd": machine.workspace}));
        assert_eq!(ids(&machine.survey()), <[&str; 0]>::default());
    }
}

#[test]
fn looks_of_ones_own_and_dead_processes_are_no_sessions() {
    let machine = Machine::new();
    machine.registry();
    let child = Living::start_with("CLOSEOUT_PROBE");
    let look = json!({"sessionId": "looked-at", "cwd": machine.workspace, "entrypoint": "sdk-cli"});
    machine.enter(child.0.id(), "sessions-busy.json", &look);
    assert_eq!(machine.survey().found, []);
    let stale = json!({"sessionId": "killed", "cwd": machine.workspace, "procStart": "1"});
    machine.enter_this("sessions-stale-after-kill.json", &stale);
    assert_eq!(machine.survey().found, []);
    // The same of a session that a person began.
    let own = json!({"sessionId": "own", "cwd": machine.workspace});
    machine.enter(child.0.id(), "sessions-busy.json", &own);
    assert_eq!(ids(&machine.survey()), ["own"]);
}

#[test]
fn subagents_and_sessions_in_which_nothing_was_said_are_none_until_something_is() {
    let machine = Machine::new();
    let subagent = machine.session_in(&machine.workspace, "agent-1", 10);
    fs::create_dir_all(machine.folder.join("s/subagents")).unwrap();
    fs::copy(subagent, machine.folder.join("s/subagents/agent-2.jsonl")).unwrap();
    let blank = machine.write("blank", &machine.line(&json!({"type": "mode"})));
    machine.write("empty", "");
    let mut memory = Memories::default();
    let survey = machine.survey_within(None, &mut memory);
    assert_eq!(survey.found, []);
    let growing =
        WatchTarget::new(&machine.folder, Names::these(["blank.jsonl", "empty.jsonl"]), Parts::WORDS);
    assert!(survey.watch_targets.contains(&growing), "{:?}", survey.watch_targets);
    append(&blank, &machine.prompt("go", EARLY));
    assert_eq!(ids(&machine.survey_within(None, &mut memory)), ["blank"]);
    // After /clear nothing was said yet; that the conversation before it was thrown away counts.
    let cleared = machine
        .line(&json!({"type": "user", "isMeta": true, "message": {"content": "<local-command-caveat>"}}))
        + &machine
            .line(&json!({"type": "user", "message": {"content": "<command-name>/clear</command-name>"}}));
    machine.write("blank", &cleared);
    assert_eq!(ids(&machine.survey()), ["blank"]);
}

#[test]
fn within_a_folder_only_its_own_are_looked_at() {
    let machine = Machine::new();
    let below = machine.workspace.join("sub/deeper");
    let beside = machine.workspace.with_file_name("work-2");
    let away = machine.workspace.with_file_name("away");
    machine.session_in(&machine.workspace, "here", 10);
    machine.session_in(&below, "below", 10);
    machine.session_in(&below, "old", -10);
    machine.session_in(&beside, "beside", 10);
    machine.session_in(&away, "away", -10);
    let survey = machine.survey_within(Some(&machine.workspace), &mut Memories::default());
    assert_eq!((ids(&survey), survey.n_older), (vec!["below", "here"], 1));
    assert_eq!(machine.survey().n_older, 2);
    machine.registry();
    machine.enter_this("sessions-idle.json", &json!({"sessionId": "new", "cwd": away}));
    let survey = machine.survey_within(Some(&machine.workspace), &mut Memories::default());
    assert_eq!(ids(&survey), ["below", "here"]);
}

#[test]
fn folders_with_long_names_that_were_cut_are_found() {
    let machine = Machine::new();
    let deep = machine.workspace.join("d".repeat(120)).join("e".repeat(120));
    let name = claude_folder_name(&deep);
    let cut = machine.config_dir.join("projects").join(format!("{}-ab12cd", &name[..200]));
    fs::create_dir_all(&cut).unwrap();
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "go"}});
    fs::write(cut.join("deep.jsonl"), Machine::line_in(&deep, &prompt)).unwrap();
    for within in [&machine.workspace, &deep] {
        let survey = machine.survey_within(Some(within), &mut Memories::default());
        assert_eq!(one(&survey).place.record, cut.join("deep.jsonl"));
    }
    let deeper = deep.join("f");
    assert_eq!(machine.survey_within(Some(&deeper), &mut Memories::default()).found, []);
}

#[test]
fn the_head_of_a_record_is_read_once() {
    let machine = Machine::new();
    let path = machine.session_in(&machine.workspace, "s", 10);
    let mut memory = Memories::default();
    assert_eq!(one(&machine.survey_within(None, &mut memory)).place.folder, machine.workspace);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("/work\"", "/krow\"")).unwrap();
    assert_eq!(one(&machine.survey_within(None, &mut memory)).place.folder, machine.workspace);
    assert_eq!(one(&machine.survey()).place.folder, machine.workspace.with_file_name("krow"));
    // Another file under the name, or one that was cut, is another record.
    fs::write(&path, "").unwrap();
    assert_eq!(machine.survey_within(None, &mut memory).found, []);
}

#[test]
fn a_long_first_prompt_does_not_hide_the_folder() {
    let machine = Machine::new();
    for size in [10 << 10, 100 << 10, 900 << 10] {
        let path = machine.write("s", &machine.prompt(&"x".repeat(size), EARLY));
        set_time(&path, SINCE + 1);
        assert_eq!(one(&machine.survey()).place.folder, machine.workspace, "{size}");
    }
}

#[test]
fn new_folders_new_records_and_new_processes_are_watched_for_and_growth_is_not() {
    let machine = Machine::new();
    machine.session_in(&machine.workspace, "s", -10);
    let projects = machine.config_dir.join("projects");
    let registry = machine.registry();
    let arrivals = |folder: &Path, names: Names| WatchTarget::new(folder, names, Parts::WORDS).arrivals();
    let expected = [
        arrivals(&projects, Names::Any),
        arrivals(&registry, Names::Ending(".json".to_owned())),
        arrivals(&machine.folder, Names::Ending(".jsonl".to_owned())),
    ];
    assert_eq!(machine.survey().watch_targets, expected);
    // An entry that is only being written is looked at again when it is whole.
    let pid = std::process::id();
    fs::write(machine.entry_file(pid), "{\"pid\":").unwrap();
    let written = WatchTarget::new(&registry, Names::these([format!("{pid}.json")]), Parts::WORDS);
    assert!(machine.survey().watch_targets.contains(&written));
    // Without the client nothing is found, and its coming is seen.
    fs::remove_dir_all(&machine.config_dir).unwrap();
    assert_eq!(machine.survey().watch_targets, expected[..2]);
    assert_eq!((machine.survey().found, machine.survey().problems), (vec![], vec![]));
}

#[test]
fn what_is_no_record_is_passed_over_and_does_not_hang() {
    let machine = Machine::new();
    let real = machine.session_in(&machine.workspace, "real", 10);
    std::os::unix::fs::symlink(&real, machine.folder.join("link.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", machine.folder.join("endless.jsonl")).unwrap();
    fs::create_dir(machine.folder.join("folder.jsonl")).unwrap();
    let fifo = machine.folder.join("fifo.jsonl");
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let binary = machine.write("binary", "");
    fs::write(&binary, [b"\x00\xff\xfe{\n".as_slice(), "[".repeat(100_000).as_bytes()].concat()).unwrap();
    machine.write(".jsonl", "");
    std::os::unix::fs::symlink(&machine.folder, machine.config_dir.join("projects/linked")).unwrap();
    fs::write(machine.config_dir.join("projects/file"), "").unwrap();
    let survey = machine.survey();
    assert_eq!((ids(&survey), &survey.problems), (vec!["real"], &vec![]));
}

#[test]
fn folders_that_cannot_be_read_are_problems_and_the_rest_is_found() {
    let machine = Machine::new();
    machine.session_in(&machine.workspace, "here", 10);
    let away = machine.session_in(&machine.workspace.with_file_name("away"), "away", 10);
    let folder = away.parent().unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o0);
    fs::set_permissions(folder, mode).unwrap();
    if fs::read_dir(folder).is_ok() {
        eprintln!("SKIPPED: this user may read everything, so no folder is refused");
    } else {
        let survey = machine.survey();
        assert_eq!(ids(&survey), ["here"]);
        let problems: Vec<_> = survey.problems.iter().map(|problem| problem.problem).collect();
        assert_eq!(problems, [ReadProblem::Refused]);
    }
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let projects = machine.config_dir.join("projects");
    fs::remove_dir_all(&projects).unwrap();
    fs::write(&projects, "").unwrap();
    assert_eq!(machine.survey().problems.len(), 1);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

    #[test]
    fn any_bytes_can_stand_where_a_record_or_an_entry_is(
        bytes in proptest::collection::vec(0u8.., 0..400), cut in 0usize..600) {
        let machine = Machine::new();
        let registry = machine.registry();
        let mut record = fixture("statement.jsonl");
        record.splice(cut..cut, bytes.iter().copied());
        fs::write(machine.folder.join("s.jsonl"), &record).unwrap();
        fs::write(machine.folder.join("t.jsonl"), &bytes).unwrap();
        fs::write(registry.join("1.json"), &bytes).unwrap();
        let survey = machine.survey();
        proptest::prop_assert!(survey.found.len() <= 2);
        proptest::prop_assert_eq!(survey.problems, vec![]);
    }
}
