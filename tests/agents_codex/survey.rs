//! Finding the sessions, in homes made for one question each.

use std::os::unix::fs::{PermissionsExt, symlink};

use closeout::model::{Parts, WatchTarget};

use super::*;

const SINCE: i64 = 1_000_000_000;

fn arrivals(folder: &Path) -> WatchTarget {
    WatchTarget::new(folder, Names::Any, Parts::WORDS).arrivals()
}

#[test]
fn a_session_is_found_with_its_folder_and_the_time_of_its_record() {
    let mut machine = Machine::new();
    let record = machine.write(DAY, ID, meta(ID, &machine.workspace));
    set_time(&record, 2_000_000);
    let survey = machine.survey_since(SINCE, None);
    assert_eq!(survey.found.len(), 1);
    assert_eq!(survey.found[0].place, machine.place(&record));
    assert_eq!(survey.found[0].moved_at, Timestamp(2_000_000_000));
    assert_eq!((survey.n_older, survey.problems), (0, Vec::new()));
}

#[test]
fn a_home_without_sessions_has_none_and_is_watched_for_them() {
    let mut machine = Machine::new();
    let expected = Survey {
        watch_targets: vec![
            arrivals(&machine.home.join("sessions")),
            arrivals(&machine.home.join("thread-writer-locks")),
        ],
        ..Survey::default()
    };
    assert_eq!(machine.survey(), expected);
    fs::remove_dir(&machine.home).unwrap();
    assert_eq!(machine.survey(), expected);
}

#[test]
fn new_sessions_show_in_the_newest_folder_of_each_level() {
    let mut machine = Machine::new();
    for day in ["2025/12/31", "2026/02/03", "2026/11/09", "2026/11/21"] {
        machine.write(day, ID, meta(ID, &machine.workspace));
    }
    let sessions = machine.home.join("sessions");
    let watched = machine.survey().watch_targets;
    for folder in ["2026", "2026/11", "2026/11/21"] {
        assert!(watched.contains(&arrivals(&sessions.join(folder))), "{folder}");
    }
    assert_eq!(watched.len(), 5);
}

#[test]
fn an_old_session_is_counted_and_not_read_until_it_is_taken_up_again() {
    let mut machine = Machine::new();
    let old = machine.write("2026/01/02", ID, "no rollout at all\n");
    set_time(&old, 10);
    let survey = machine.survey_since(SINCE, None);
    assert_eq!((survey.found, survey.n_older, survey.problems), (Vec::new(), 1, Vec::new()));

    machine.write(DAY, OTHER_ID, meta(OTHER_ID, &machine.workspace));
    fs::write(&old, meta(ID, &machine.workspace)).unwrap();
    let survey = machine.survey_since(SINCE, None);
    assert_eq!((survey.found.len(), survey.n_older), (2, 0));
}

#[test]
fn an_old_session_that_a_client_holds_open_is_found() {
    let mut machine = Machine::new();
    let old = machine.write("2026/01/02", ID, meta(ID, &machine.workspace));
    set_time(&old, 10);
    let locks = machine.home.join("thread-writer-locks");
    fs::create_dir(&locks).unwrap();
    let lock = locks.join(format!("{ID}.lock"));
    fs::write(&lock, "").unwrap();
    assert_eq!(machine.survey_since(SINCE, None).found.len(), 1);
    // Left behind by a client that was killed long ago.
    set_time(&lock, 20);
    assert_eq!(machine.survey_since(SINCE, None).n_older, 1);
}

#[test]
fn only_sessions_within_the_folder_asked_for_are_found_also_through_a_link() {
    let mut machine = Machine::new();
    let (inner, beside) = (machine.workspace.join("deep"), machine.workspace.with_extension("other"));
    let link = machine.workspace.with_extension("link");
    symlink(&machine.workspace, &link).unwrap();
    let ids: Vec<String> = (0..4).map(|n| format!("01a1ffc5-000{n}-7ca2-8767-ad8301777ff0")).collect();
    for (id, folder) in ids.iter().zip([&machine.workspace, &inner, &beside, &link]) {
        machine.write(DAY, id, meta(id, folder));
    }
    let workspace = machine.workspace.clone();
    let mut found: Vec<String> = machine
        .survey_since(0, Some(&workspace))
        .found
        .into_iter()
        .map(|found| found.place.session_id.to_string())
        .collect();
    found.sort();
    assert_eq!(found, [ids[0].clone(), ids[1].clone(), ids[3].clone()]);
}

#[test]
fn a_subagent_is_no_session() {
    let mut machine = Machine::new();
    machine.write(DAY, ID, fixture("subagent.child.jsonl"));
    machine.write(DAY, OTHER_ID, fixture("subagent.jsonl"));
    assert_eq!(machine.found_ids(), ["01a200ec-58dd-76b2-b276-6fa325892bd3"]);
}

#[test]
fn archived_sessions_are_not_found() {
    let mut machine = Machine::new();
    let archive = machine.home.join("archived_sessions");
    fs::create_dir_all(&archive).unwrap();
    let name = format!("rollout-2026-11-21T20-00-00-{ID}.jsonl");
    fs::write(archive.join(name), meta(ID, &machine.workspace)).unwrap();
    assert_eq!(machine.found_ids(), Vec::<String>::new());
}

#[test]
fn a_rollout_whose_first_line_is_not_whole_is_watched_and_then_found() {
    let mut machine = Machine::new();
    let whole = meta(ID, &machine.workspace);
    let record = machine.write(DAY, ID, &whole[..40]);
    let becomes_whole =
        WatchTarget::new(record.parent().unwrap(), Names::these([record.file_name().unwrap()]), Parts::WORDS);
    let survey = machine.survey();
    assert_eq!((survey.found.len(), survey.problems), (0, Vec::new()));
    assert!(survey.watch_targets.contains(&becomes_whole), "{:?}", survey.watch_targets);

    append(&record, &whole[40..]);
    let survey = machine.survey();
    assert_eq!(survey.found.len(), 1);
    assert!(!survey.watch_targets.contains(&becomes_whole));
}

#[test]
fn an_empty_new_rollout_is_watched_too() {
    let mut machine = Machine::new();
    machine.write(DAY, ID, "");
    let survey = machine.survey();
    assert_eq!((survey.found.len(), survey.problems.len()), (0, 0));
    assert!(survey.watch_targets.iter().any(|target| matches!(target.names, Names::These(_))));
}

#[test]
fn a_first_line_of_any_usual_length_is_read() {
    let mut machine = Machine::new();
    // Before the fields that are used, so that none of it can be left out.
    let long = line(
        0,
        "session_meta",
        &json!({"a_instructions": "x".repeat(300_000), "id": ID,
        "cwd": machine.workspace, "cli_version": "0.169.0", "source": "exec"}),
    );
    machine.write(DAY, ID, long);
    assert_eq!(machine.found_ids(), [ID]);
}

#[test]
fn the_begin_of_a_rollout_is_read_once() {
    let mut machine = Machine::new();
    let record = machine.write(DAY, ID, meta(ID, &machine.workspace));
    assert_eq!(machine.found_ids(), [ID]);
    // The same file, not shorter: its begin is not looked at again.
    let mut bytes = fs::read(&record).unwrap();
    bytes[0] = b'x';
    bytes.extend(b"\nmore");
    fs::write(&record, bytes).unwrap();
    assert_eq!(machine.found_ids(), [ID]);
    // Another file under the same name.
    let new = record.with_extension("new");
    fs::write(&new, meta(OTHER_ID, &machine.workspace)).unwrap();
    fs::rename(&new, &record).unwrap();
    assert_eq!(machine.found_ids(), [OTHER_ID]);
}

#[test]
fn what_is_no_rollout_is_told_and_hides_no_other_one() {
    let mut machine = Machine::new();
    machine.write(DAY, ID, meta(ID, &machine.workspace));
    machine.write(DAY, "00000000-0000-0000-0000-000000000001", [0_u8, 159, 146, 150].repeat(1000));
    machine.write(DAY, "00000000-0000-0000-0000-000000000002", "{\"type\":\"other\",\"payload\":{}}\n");
    let relative = meta(OTHER_ID, Path::new("relative"));
    machine.write(DAY, "00000000-0000-0000-0000-000000000003", relative);
    let endless = format!("{{\"a\":\"{}", "x".repeat(9 << 20));
    machine.write(DAY, "00000000-0000-0000-0000-000000000004", endless);
    let survey = machine.survey();
    let told: Vec<&str> = survey.problems.iter().map(|problem| problem.detail.as_str()).collect();
    assert_eq!((survey.found.len(), told), (1, vec!["it and 3 more do not begin as a session's record"]));
}

#[test]
fn links_pipes_and_strange_names_are_passed_over() {
    let mut machine = Machine::new();
    let record = machine.write(DAY, ID, meta(ID, &machine.workspace));
    let folder = record.parent().unwrap();
    symlink(&record, machine.path(DAY, OTHER_ID)).unwrap();
    symlink(machine.home.join("sessions"), folder.parent().unwrap().join("22")).unwrap();
    let pipe = machine.path(DAY, "00000000-0000-0000-0000-000000000001");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    for name in ["notes.jsonl", "rollout-x.jsonl.zst", "rollout-€.jsonl"] {
        fs::write(folder.join(name), meta(OTHER_ID, &machine.workspace)).unwrap();
    }
    fs::create_dir_all(machine.home.join("sessions/latest/11/21")).unwrap();
    let survey = machine.survey();
    let found: Vec<&Path> = survey.found.iter().map(|found| found.place.record.as_path()).collect();
    assert_eq!((found, survey.problems), (vec![record.as_path()], Vec::new()));
}

#[test]
fn a_folder_that_may_not_be_read_is_told_and_hides_no_other_one() {
    let mut machine = Machine::new();
    machine.write(DAY, ID, meta(ID, &machine.workspace));
    let shut = machine.write("2026/11/20", OTHER_ID, "").parent().unwrap().to_owned();
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let is_all_powerful = fs::read_dir(&shut).is_ok();
    let survey = machine.survey();
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(survey.found.len(), 1);
    assert_eq!(survey.problems.len(), usize::from(!is_all_powerful));
}

#[test]
fn a_file_where_a_folder_is_expected_hides_nothing() {
    let mut machine = Machine::new();
    machine.write(DAY, ID, meta(ID, &machine.workspace));
    fs::write(machine.home.join("sessions/2027"), "").unwrap();
    assert_eq!(machine.found_ids(), [ID]);
    fs::remove_dir_all(machine.home.join("sessions")).unwrap();
    fs::write(machine.home.join("sessions"), "").unwrap();
    let survey = machine.survey();
    assert_eq!((survey.found.len(), survey.problems.len()), (0, 1));
}
