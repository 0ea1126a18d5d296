//! Tests of the room `evidence`, all but git: files as agents leave them, good and bad.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use closeout::agent::Adapter;
use closeout::evidence::untrusted_file::{FileReach, FileRefusal, WorkspaceDir};
use closeout::evidence::{
    CollectContext, CollectError, FileResults, Memory, collect, parse_plan, parse_results,
};
use closeout::model::{
    Baseline, BaselineOrigin, CollectRequest, FileCheck, GivenBaseline, Names, Observations, OfferPolicy,
    Parts, Policy, ReadProblem, Reading, TaskKind, TestResults, Timestamp, Unreadable, WorkspaceId,
    WorkspaceSettings,
};
use rustix::fs::{CWD, FileType, Mode};
use tempfile::TempDir;

/// When every file of these tests was written, in milliseconds.
const WRITTEN: i64 = 1_800_000_000_000;

struct Place {
    _temp: TempDir,
    top: PathBuf,
    workspace: PathBuf,
    memory: Memory,
    now: Timestamp,
    baseline: Option<Baseline>,
}

impl Place {
    fn new() -> Place {
        let temp = crate::support::scratch::folder();
        let top = temp.path().canonicalize().unwrap();
        let workspace = top.join("work");
        fs::create_dir(&workspace).unwrap();
        let now = Timestamp(WRITTEN + 60_000);
        let baseline = Some(Baseline {
            commit: None,
            origin: BaselineOrigin::FirstSeen,
            set_at: Timestamp(0),
            commit_time: Some(Timestamp(5)),
        });
        Place { _temp: temp, top, workspace, memory: Memory::default(), now, baseline }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        let time = std::time::UNIX_EPOCH + Duration::from_millis(u64::try_from(WRITTEN).unwrap());
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    fn try_collect(
        &mut self,
        parts: Parts,
        settings: &WorkspaceSettings,
    ) -> Result<Observations, CollectError> {
        let request = CollectRequest {
            workspace: WorkspaceId::local(&self.workspace),
            generation: 1,
            parts,
            settings: settings.clone(),
            policy: Policy {
                offers: OfferPolicy::Ask,
                stall_stage: 3,
                unreadable_limit: 3,
                silent_turn_ms: 1,
            },
            task_kind: TaskKind::Report,
            git_reader: None,
            baseline: self.baseline.clone(),
            named: None,
            task_at: None,
            sessions: Vec::new(),
            prompted_at: Some(Timestamp(7)),
            not_before: Timestamp(0),
        };
        let context = CollectContext {
            now: self.now,
            home: Some(self.top.join("home")),
            adapters: vec![Adapter::named("claude", self.top.join("home/.claude")).unwrap()],
            hook_folder: None,
            git_program: None,
            live: None,
            budget: closeout::process::Budget::default(),
            ending: None,
        };
        collect(&request, &context, &mut self.memory)
    }

    fn collect(&mut self, parts: Parts, settings: &WorkspaceSettings) -> Observations {
        self.try_collect(parts, settings).unwrap()
    }

    /// The problem with which the decision file `name` is not read.
    fn problem(&mut self, name: &str) -> Option<ReadProblem> {
        match self.collect(Parts::WORDS, &decision(name)).decision {
            Reading::Unreadable(Unreadable { problem, detail, .. }) => {
                assert!(!detail.is_empty() && !detail.contains("secret"), "{detail}");
                Some(problem)
            }
            Reading::Present(_) | Reading::Absent { .. } | Reading::NotConfigured | Reading::NotLookedAt => {
                None
            }
        }
    }

    fn tests(&mut self, names: &[&str]) -> Reading<TestResults> {
        let settings = WorkspaceSettings { test_results: strings(names), ..WorkspaceSettings::default() };
        self.collect(Parts::CHECKS, &settings).tests
    }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn decision(name: &str) -> WorkspaceSettings {
    WorkspaceSettings { decision_file: Some(name.to_owned()), ..WorkspaceSettings::default() }
}

fn output(name: &str) -> WorkspaceSettings {
    WorkspaceSettings { outputs: strings(&[name]), ..WorkspaceSettings::default() }
}

fn mkfifo(path: &Path) {
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_decision_file_is_read_whole_with_its_time() {
    let mut place = Place::new();
    place.write(".agent/decision.json", "\u{feff}{\"decision\":\"complete\"}\n");
    let found = place.collect(Parts::WORDS, &decision(".agent/decision.json"));
    let file = found.decision.present().unwrap();
    assert_eq!(file.content, "\u{feff}{\"decision\":\"complete\"}\n");
    assert_eq!((file.name.as_str(), file.size, file.is_excerpt), (".agent/decision.json", 27, false));
    assert_eq!(file.written_at, Timestamp(WRITTEN));
    assert_eq!(found.taken_at, place.now);
    assert_eq!(found.closer, Reading::NotLookedAt);
}

#[test]
fn a_missing_decision_file_is_absent_and_an_unnamed_one_is_not_configured() {
    let mut place = Place::new();
    let absent = Reading::Absent { name: ".agent/d".to_owned() };
    assert_eq!(place.collect(Parts::WORDS, &decision(".agent/d")).decision, absent);
    place.write("d", "x");
    let below_a_file = Reading::Absent { name: "d/e".to_owned() };
    assert_eq!(place.collect(Parts::WORDS, &decision("d/e")).decision, below_a_file);
    let nothing = place.collect(Parts::all(), &WorkspaceSettings::default());
    assert_eq!(nothing.decision, Reading::NotConfigured);
    assert_eq!(nothing.closer, Reading::NotConfigured);
    assert_eq!(nothing.files, Reading::NotConfigured);
    assert_eq!(nothing.tests, Reading::NotConfigured);
    assert_eq!((nothing.outputs.len(), nothing.plans.len()), (0, 0));
}

// D01, D02
#[test]
fn what_is_no_regular_file_is_never_read() {
    let mut place = Place::new();
    mkfifo(&place.path("fifo"));
    let _socket = UnixListener::bind(place.path("socket")).unwrap();
    assert!(fs::metadata(place.path("socket")).unwrap().file_type().is_socket());
    fs::create_dir(place.path("directory")).unwrap();
    let secret = place.write("secret", "secret");
    symlink(&secret, place.path("link")).unwrap();
    symlink("/dev/zero", place.path("zero")).unwrap();
    symlink("nowhere", place.path("dangling")).unwrap();
    fs::create_dir(place.top.join("outside")).unwrap();
    fs::write(place.top.join("outside/file"), "secret").unwrap();
    symlink("../outside", place.path("parent")).unwrap();
    File::create(place.path("sparse")).unwrap().set_len(2 << 30).unwrap();
    let cases = [
        ("fifo", ReadProblem::NotAFile),
        ("socket", ReadProblem::NotAFile),
        ("directory", ReadProblem::NotAFile),
        ("link", ReadProblem::Link),
        ("zero", ReadProblem::Link),
        ("dangling", ReadProblem::Link),
        ("parent/file", ReadProblem::Link),
        ("sparse", ReadProblem::TooLarge),
        ("../outside/file", ReadProblem::Refused),
        ("directory/../../outside/file", ReadProblem::Refused),
        ("/dev/zero", ReadProblem::NotAFile),
    ];
    for (name, problem) in cases {
        assert_eq!(place.problem(name), Some(problem), "{name}");
    }
}

#[test]
fn a_file_without_permission_is_refused() {
    if is_root() {
        eprintln!("SKIPPED a_file_without_permission_is_refused: root may read everything");
        return;
    }
    let mut place = Place::new();
    let path = place.write("d", "x");
    fs::set_permissions(path, fs::Permissions::from_mode(0o0)).unwrap();
    assert_eq!(place.problem("d"), Some(ReadProblem::Refused));
}

#[test]
fn a_hard_link_to_somebody_elses_file_is_refused() {
    if !is_root() {
        eprintln!("SKIPPED a_hard_link_to_somebody_elses_file_is_refused: only root can make one");
        return;
    }
    let mut place = Place::new();
    let path = place.write("d", "x");
    std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
    assert_eq!(place.problem("d"), None, "one name alone is fine");
    fs::hard_link(&path, place.path("second")).unwrap();
    assert_eq!(place.problem("d"), Some(ReadProblem::Refused));
}

// D02
#[test]
fn a_path_that_a_person_named_may_be_absolute_but_is_no_link() {
    let mut place = Place::new();
    let outside = place.top.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "there").unwrap();
    symlink(&outside, place.top.join("by-link")).unwrap();
    symlink(outside.join("file"), place.top.join("link")).unwrap();
    let name = |path: &str| place.top.join(path).to_str().unwrap().to_owned();
    let (plain, through, link) = (name("outside/file"), name("by-link/file"), name("link"));
    for path in [plain, through] {
        let found = place.collect(Parts::WORDS, &decision(&path));
        assert_eq!(found.decision.present().unwrap().content, "there", "{path}");
    }
    assert_eq!(place.problem(&link), Some(ReadProblem::Link));
    // Inside the workspace the strict rule holds for absolute paths too.
    symlink(&outside, place.path("parent")).unwrap();
    let inside = place.path("parent/file").to_str().unwrap().to_owned();
    assert_eq!(place.problem(&inside), Some(ReadProblem::Link));
    // What a workspace's own settings name stays inside.
    let directory = WorkspaceDir::open(&place.workspace).unwrap();
    let refusal = directory.open_file("/etc/hostname", FileReach::Workspace).unwrap_err();
    assert!(matches!(refusal, FileRefusal::Unreadable(Unreadable { problem: ReadProblem::Refused, .. })));
}

// D08
#[test]
fn a_decision_that_is_half_written_is_not_taken_for_one() {
    let mut place = Place::new();
    for half in ["{\"decision\":\"comp", "[", "", " \n", "{\"a\":1} trailing"] {
        place.write("d", half);
        place.now = Timestamp(WRITTEN + 1_999);
        assert_eq!(place.problem("d"), Some(ReadProblem::HalfWritten), "{half:?}");
        place.now = Timestamp(WRITTEN + 2_000);
        assert_eq!(place.problem("d"), None, "{half:?}");
    }
    for whole in ["{\"decision\":\"complete\"}", "COMPLETE", "\u{feff}{}"] {
        place.write("d", whole);
        place.now = Timestamp(WRITTEN);
        assert_eq!(place.problem("d"), None, "{whole:?}");
    }
}

// D03
#[test]
fn a_document_of_one_mebibyte_is_read_and_one_byte_more_is_too_large() {
    let mut place = Place::new();
    place.write("d", vec![b'x'; 1 << 20]);
    assert_eq!(place.problem("d"), None);
    place.write("d", vec![b'x'; (1 << 20) + 1]);
    assert_eq!(place.problem("d"), Some(ReadProblem::TooLarge));
}

#[test]
fn a_long_output_is_its_head_and_its_tail_in_whole_lines() {
    let mut place = Place::new();
    let lines: Vec<String> = (0..100_000).map(|n| format!("line {n:06}")).collect();
    place.write("out.md", lines.join("\n"));
    let found = place.collect(Parts::WORDS, &output("out.md"));
    let file = found.outputs[0].present().unwrap();
    assert!(file.is_excerpt);
    assert_eq!(file.size, 1_199_999);
    let kept: Vec<&str> = file.content.lines().filter(|line| line.starts_with("line ")).collect();
    assert_eq!((kept[0], *kept.last().unwrap()), ("line 000000", "line 099999"));
    assert!(kept.iter().all(|line| line.len() == 11), "a line was cut");
    assert!(file.content.contains("bytes left out …]"));
    assert!(file.content.len() <= 257 << 10);
}

#[test]
fn a_long_output_of_one_line_is_cut_between_characters() {
    let mut place = Place::new();
    place.write("out.md", "あ".repeat(200_000));
    let found = place.collect(Parts::WORDS, &output("out.md"));
    let file = found.outputs[0].present().unwrap();
    assert!(file.is_excerpt && !file.content.contains('\u{fffd}'));
    let n_signs = file.content.chars().filter(|sign| *sign == 'あ').count() as u64;
    assert!(n_signs > 87_000, "{n_signs}");
    let left_out = file.size - n_signs * 3;
    assert!(file.content.contains(&format!("[… {left_out} bytes left out …]")));
}

// J07
#[test]
fn one_line_of_100_mb_is_an_excerpt() {
    let mut place = Place::new();
    let path = place.write("out.md", "begin ");
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(100 << 20).unwrap();
    let found = place.collect(Parts::WORDS, &output("out.md"));
    let file = found.outputs[0].present().unwrap();
    assert!(file.is_excerpt && file.content.starts_with("begin "));
}

#[test]
fn bytes_that_are_no_text_become_replacement_characters() {
    let mut place = Place::new();
    place.write("out.md", b"a\xff\xfeb");
    let found = place.collect(Parts::WORDS, &output("out.md"));
    assert_eq!(found.outputs[0].present().unwrap().content, "a\u{fffd}\u{fffd}b");
}

#[test]
fn outputs_keep_the_order_of_the_settings() {
    let mut place = Place::new();
    place.write("b", "B");
    let settings = WorkspaceSettings { outputs: strings(&["a", "b"]), ..WorkspaceSettings::default() };
    let found = place.collect(Parts::WORDS, &settings);
    assert_eq!(found.outputs[0], Reading::Absent { name: "a".to_owned() });
    assert_eq!(found.outputs[1].present().unwrap().content, "B");
}

/// The steps of a plan as `status title`.
fn steps(text: &str) -> Vec<String> {
    let steps = parse_plan(text).unwrap();
    steps.iter().map(|step| format!("{} {}", step.status.as_deref().unwrap_or("-"), step.title)).collect()
}

#[test]
fn a_markdown_task_list_is_read_in_all_its_forms() {
    let text = "# Plan\n\n- [x] read *the* `code`\n- [ ] write\n  the parser\n    - [X] nested\n    - no box\n\
        * [ ] star\n\n1. [x] numbered\n2. [ ] loose\n\n   more about it\n\n+ [ ] [link](http://x)\n\n\
        - [-] being done\n- [~] half\n- [a] no box\n- [ref] neither\n\n\
        ```\n- [ ] in a fence\n```\n\n    - [ ] in indented code\n\n> - [ ] quoted\n\nText - [ ] inline\n";
    let expected = [
        "done read the code", "open write the parser", "done nested", "open star", "done numbered",
        "open loose", "open link", "- being done", "~ half", "open quoted",
    ];
    assert_eq!(steps(text), expected);
}

#[test]
fn a_plan_without_boxes_has_no_steps() {
    assert_eq!(steps("# Plan\n- a\n- b\n"), Vec::<String>::new());
    assert_eq!(steps(""), Vec::<String>::new());
}

#[test]
fn of_a_plan_with_too_many_steps_those_that_are_done_are_cut_off() {
    let done = "- [x] convert\n".repeat(1500);
    let steps = parse_plan(&format!("- [ ] first\n{done}- [ ] last\n")).unwrap();
    let open: Vec<&str> =
        steps.iter().filter(|step| step.status.as_deref() != Some("done")).map(|step| &*step.title).collect();
    assert_eq!((steps.len(), open), (1000, vec!["first", "last"]));
    assert_eq!(parse_plan(&"- [ ] convert\n".repeat(1500)).unwrap().len(), 1000);
}

#[test]
fn a_json_plan_is_done_by_its_own_formats_word() {
    let cases: [(&str, &[&str]); 9] = [
        (
            r#"{"steps":[{"title":"a","status":"done"},{"title":"b","status":"completed"},{"title":"c"}]}"#,
            &["done a", "completed b", "- c"],
        ),
        (
            r#"{"todos":[{"content":"a","status":"completed","activeForm":"x"},{"content":"b","status":"in_progress"}]}"#,
            &["done a", "in_progress b"],
        ),
        (r#"{"tasks":[{"subject":"a","description":"long","status":"completed"}]}"#, &["done a"]),
        (
            r#"{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"pending"}]}"#,
            &["done a", "pending b"],
        ),
        (r#"{"plan":{"steps":[{"title":"a","status":"Done"}]}}"#, &["Done a"]),
        (r#"[{"title":"a","done":true},{"title":"b","done":false}]"#, &["done a", "- b"]),
        (r#"{"steps":["a", 7, {"title":"c","status":1}]}"#, &["- a", "- 7", "1 c"]),
        (r#"{"steps":[]}"#, &[]),
        ("\u{feff}[]", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(steps(text), expected, "{text}");
    }
    assert!(parse_plan("{\"steps\": [").is_err());
    assert!(parse_plan("{\"other\": 1}").is_err());
    assert!(parse_plan(&"[{\"a\":".repeat(100_000)).is_err());
}

#[test]
fn plans_that_do_not_exist_are_passed_over_and_broken_ones_are_not() {
    let mut place = Place::new();
    place.write("tasks.md", "- [ ] one\n");
    place.write("plan.json", "{");
    let settings = WorkspaceSettings {
        plans: strings(&["none.md", "tasks.md", "plan.json"]),
        ..WorkspaceSettings::default()
    };
    let found = place.collect(Parts::CHECKS, &settings);
    assert_eq!(found.plans.len(), 2);
    assert_eq!(found.plans[0].present().unwrap().steps[0].title, "one");
    let Reading::Unreadable(broken) = &found.plans[1] else { panic!("{:?}", found.plans[1]) };
    assert_eq!((broken.problem, broken.name.as_str()), (ReadProblem::Invalid, "plan.json"));
    place.now = Timestamp(WRITTEN + 100);
    let found = place.collect(Parts::CHECKS, &settings);
    let Reading::Unreadable(young) = &found.plans[1] else { panic!("{:?}", found.plans[1]) };
    assert_eq!(young.problem, ReadProblem::HalfWritten);
}

fn counts(text: &str) -> FileResults {
    parse_results(text.as_bytes()).unwrap()
}

#[test]
fn junit_results_are_counted_by_test_cases() {
    let text = r#"<?xml version="1.0"?>
        <testsuites tests="99" failures="99">
          <testsuite name="outer" tests="3">
            <testcase classname="a.B" name="passes"/>
            <testcase classname="a.B" name="fails"><failure message="x &lt; y">trace <![CDATA[<error>]]></failure></testcase>
            <testsuite name="inner">
              <testcase name="breaks"><error/><failure/></testcase>
              <testcase name="skipped"><skipped/></testcase>
              <testcase name="chatty"><system-out>&lt;failure&gt;</system-out><properties><property name="error"/></properties></testcase>
              <testcase name="not &quot;run&quot;" status="notrun"/>
            </testsuite>
          </testsuite>
        </testsuites>"#;
    let expected =
        FileResults { n_passed: 2, n_failed: 2, n_skipped: 2, failing: strings(&["a.B.fails", "breaks"]) };
    assert_eq!(counts(text), expected);
}

#[test]
fn junit_attributes_count_only_where_they_tell_more() {
    let only_numbers = r#"<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/><testsuite tests="2"/></testsuites>"#;
    let expected = FileResults { n_passed: 4, n_failed: 2, n_skipped: 1, failing: Vec::new() };
    assert_eq!(counts(only_numbers), expected);
    // The outer numbers are the sum of the inner ones.
    let nested = r#"<testsuites tests="3" failures="1"><testsuite tests="3" failures="1"/></testsuites>"#;
    assert_eq!((counts(nested).n_passed, counts(nested).n_failed), (2, 1));
    // A failure that no test case shows is not lost.
    let broken = r#"<testsuite tests="1" errors="1"><testcase name="a"/></testsuite>"#;
    assert_eq!((counts(broken).n_passed, counts(broken).n_failed), (1, 1));
    let own_error = r#"<testsuite><error/><testcase name="a"/></testsuite>"#;
    assert_eq!((counts(own_error).n_passed, counts(own_error).n_failed), (1, 1));
    assert_eq!(counts("<testsuite/>"), FileResults::default());
}

#[test]
fn plain_results_are_strict() {
    let expected = FileResults { n_passed: 12, n_failed: 3, n_skipped: 1, failing: Vec::new() };
    assert_eq!(counts("\u{feff}{\"passed\":12,\"failed\":3,\"skipped\":1,\"other\":[]}"), expected);
    let bad = [
        "", "{}", "{\"passed\":1}", "{\"passed\":-1,\"failed\":0}", "{\"passed\":1.5,\"failed\":0}",
        "{\"passed\":\"1\",\"failed\":0}", "{\"passed\":1,\"failed\":0} x", "[]", "passed",
    ];
    for text in bad {
        assert!(parse_results(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn xml_that_is_cut_or_of_another_kind_is_no_result() {
    let bad = [
        "<testsuite tests=\"1\"><testcase name=\"a\"/>",
        "<testsuite><testcase></testsuite>",
        "<html><testcase/></html>",
        "<?xml version=\"1.0\"?>",
        "<testsuite",
    ];
    for text in bad {
        assert!(parse_results(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn entities_are_never_expanded() {
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
        <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
        <testsuite><testcase name="&c;&file;"><failure>&c;&file;</failure></testcase></testsuite>"#;
    assert_eq!(counts(bomb).failing, ["&c;&file;"]);
}

#[test]
fn a_file_deeper_than_any_stack_is_read() {
    let text = "<testsuite>".repeat(100_000) + "<testcase/>" + &"</testsuite>".repeat(100_000);
    assert_eq!(counts(&text).n_passed, 1);
}

#[test]
fn several_result_files_count_together_and_a_missing_one_leaves_the_question_open() {
    let mut place = Place::new();
    place.write("out/TEST-a.xml", r#"<testsuite><testcase name="a"/></testsuite>"#);
    place.write(
        "out/TEST-b.xml",
        r#"<testsuite><testcase name="b"/><testcase name="c"><skipped/></testcase></testsuite>"#,
    );
    place.write("ok.json", r#"{"passed":1,"failed":0}"#);
    place.write("bad.json", r#"{"passed":1,"failed":2}"#);
    place.write("broken.json", "{");
    let Reading::Present(all) = place.tests(&["out/TEST-*.xml", "ok.json"]) else { panic!("not read") };
    assert_eq!((all.n_passed, all.n_failed, all.n_skipped), (3, 0, 1));
    assert_eq!(all.names, ["out/TEST-a.xml", "out/TEST-b.xml", "ok.json"]);
    assert_eq!(all.written_at, Timestamp(WRITTEN));
    assert_eq!(place.tests(&["ok.json", "none.xml"]), Reading::Absent { name: "none.xml".to_owned() });
    assert_eq!(place.tests(&["ok.json", "no/*.xml"]), Reading::Absent { name: "no/*.xml".to_owned() });
    assert!(matches!(place.tests(&["none.xml", "broken.json"]), Reading::Unreadable(_)));
    let Reading::Present(failed) = place.tests(&["bad.json", "none.xml", "broken.json"]) else {
        panic!("lost")
    };
    assert_eq!(failed.n_failed, 2);
}

#[test]
fn a_result_file_is_parsed_again_when_it_was_written() {
    let mut place = Place::new();
    place.write("r.json", r#"{"passed":1,"failed":0}"#);
    assert_eq!(place.tests(&["r.json"]).present().unwrap().n_passed, 1);
    // The same size and time of modification: the inode's time of change tells.
    place.write("r.json", r#"{"passed":2,"failed":0}"#);
    assert_eq!(place.tests(&["r.json"]).present().unwrap().n_passed, 2);
}

#[test]
fn required_files_are_regular_and_not_empty() {
    let mut place = Place::new();
    place.write("report.md", "x");
    place.write("empty.md", "");
    place.write("src/deep/down/mod.rs", "x");
    place.write(".hidden/x.txt", "x");
    place.write(".git/inside.lock", "x");
    fs::create_dir(place.path("folder.d")).unwrap();
    symlink(place.path("report.md"), place.path("link.lnk")).unwrap();
    symlink("/etc", place.path("etc")).unwrap();
    fs::write(place.top.join("outside.up"), "x").unwrap();
    let cases = [
        ("report.md", true),
        ("./report.md", true),
        ("empty.md", false),
        ("folder.d", false),
        ("none", false),
        ("link.lnk", false),
        ("../outside.up", false),
        ("/etc/hostname", false),
        ("*.md", true),
        ("rep?rt.md", true),
        ("rep?ort.md", false),
        ("*.d", false),
        ("*.lnk", false),
        ("*.rs", false),
        ("**/*.rs", true),
        ("**/mod.rs", true),
        ("src/**", true),
        ("src/*/*/m*d.rs", true),
        ("src/**/down/**/mod.rs", true),
        ("**/report.md", true),
        ("*/x.txt", false),
        (".hidden/*.txt", true),
        ("**/*.lock", false),
        ("etc/*", false),
        ("**/hostname", false),
        ("../*.up", false),
    ];
    let names: Vec<&str> = cases.iter().map(|(name, _)| *name).collect();
    let settings = WorkspaceSettings { required_files: strings(&names), ..WorkspaceSettings::default() };
    let found = place.collect(Parts::CHECKS, &settings);
    let Reading::Present(files) = found.files else { panic!("not read: {:?}", found.files) };
    let told = |file: &FileCheck| (file.name.clone(), !file.found.is_empty(), file.is_empty);
    let told: Vec<(String, bool, bool)> = files.iter().map(told).collect();
    let expected: Vec<(String, bool, bool)> =
        cases.iter().map(|(name, is_there)| ((*name).to_owned(), *is_there, *name == "empty.md")).collect();
    assert_eq!(told, expected);
    let found = |name: &str| files.iter().find(|file| file.name == name).map(|file| file.found.concat());
    assert_eq!(found("*.md").as_deref(), Some("report.md"));
}

/// A failing file could be among those that were not seen.
#[test]
fn results_of_which_not_all_were_seen_are_no_results() {
    let mut place = Place::new();
    let passed = br#"{"passed":1,"failed":0}"#;
    for number in 0..1001 {
        place.write(&format!("many/{number:04}.json"), passed);
    }
    place.write("few/a.json", passed);
    let deep = format!("deep/{}", "d/".repeat(40));
    place.write(&format!("{deep}a.json"), passed);
    place.write("deep/a.json", passed);
    for (pattern, wanted) in [
        ("many/*.json", Some("more than 1000 files match")),
        ("many/0*.json", None),
        ("few/*.json", None),
        ("few/**", None),
        ("deep/**/a.json", Some("folders more than 32 deep")),
    ] {
        let told = match place.tests(&[pattern]) {
            Reading::Unreadable(unreadable) => Some(unreadable.detail),
            Reading::Present(_) => None,
            Reading::Absent { .. } | Reading::NotConfigured | Reading::NotLookedAt => {
                panic!("{pattern} was not read")
            }
        };
        assert_eq!(told.is_some(), wanted.is_some(), "{pattern}: {told:?}");
        assert!(told.unwrap_or_default().contains(wanted.unwrap_or_default()), "{pattern}");
    }
    // A failure that was seen counts, whatever was not.
    place.write("failed.json", br#"{"passed":0,"failed":1}"#);
    let Reading::Present(failed) = place.tests(&["many/*.json", "failed.json"]) else { panic!("not read") };
    assert_eq!(failed.n_failed, 1);
}

#[test]
fn a_pattern_of_many_stars_takes_no_long_time() {
    let mut place = Place::new();
    place.write(&"a".repeat(200), "x");
    let pattern = "a*".repeat(60) + "b";
    let settings =
        WorkspaceSettings { required_files: vec![pattern.clone()], ..WorkspaceSettings::default() };
    let found = place.collect(Parts::CHECKS, &settings);
    assert_eq!(
        found.files,
        Reading::Present(vec![FileCheck {
            name: pattern,
            found: Vec::new(),
            is_empty: false,
            not_seen: None
        }])
    );
}

/// Evidence that was not seen is not said to be missing, and what is looked at has one bound for all patterns.
#[test]
fn required_files_of_which_not_all_were_seen_are_unknown_and_searched_for_within_one_bound() {
    let mut place = Place::new();
    place.write("known.md", b"x");
    let folder = place.path("many");
    std::fs::create_dir(&folder).unwrap();
    for number in 0..50_001 {
        std::fs::hard_link(place.path("known.md"), folder.join(number.to_string())).unwrap();
    }
    let mut files = |names: &[&str]| {
        let settings = WorkspaceSettings { required_files: strings(names), ..WorkspaceSettings::default() };
        let Reading::Present(files) = place.collect(Parts::CHECKS, &settings).files else {
            panic!("not read")
        };
        let told = |file: FileCheck| (!file.found.is_empty(), file.not_seen.unwrap_or_default());
        files.into_iter().map(told).collect::<Vec<_>>()
    };
    let told = files(&["known.*", "**/a.md", "**/b.md", "none.md"]);
    assert!(told[0].0 && told[0].1.is_empty() && told[3].1.is_empty(), "{told:?}");
    assert!(told[1..3].iter().all(|(is_found, why)| !is_found && why.contains("searched")), "{told:?}");
    // A pattern more finds nothing left to be looked at.
    let told = files(&["**/a.md", "**/b.md", "**/c.md", "**/d.md", "known.*"]);
    assert!(told.iter().all(|(is_found, why)| !is_found && why.contains("searched")), "{told:?}");
}

#[test]
fn changes_are_looked_for_in_the_folders_of_the_declared_files() {
    let mut place = Place::new();
    let settings = WorkspaceSettings {
        decision_file: Some(".agent/decision.json".to_owned()),
        outputs: strings(&["out.md"]),
        closer_report: Some(".agent/closer.json".to_owned()),
        plans: strings(&["tasks.md", "plan.md"]),
        test_results: strings(&["target/reports/*.xml"]),
        required_files: strings(&["../outside"]),
        ..WorkspaceSettings::default()
    };
    // Whatever part is read, all places are named: they replace those before.
    let found = place.collect(Parts::WORDS, &settings);
    let in_workspace = |path: &str| if path.is_empty() { place.workspace.clone() } else { place.path(path) };
    let targets: Vec<(PathBuf, Names, Parts)> = found
        .watch_targets
        .iter()
        .map(|target| (target.folder.to_path_buf(), target.names.clone(), target.parts()))
        .collect();
    let name = closeout::agent::claude_folder_name(&place.workspace);
    let expected = [
        (
            place.top.join("home/.claude/projects").join(name),
            Names::Ending(".jsonl".to_owned()),
            Parts::WORDS,
        ),
        (in_workspace(""), Names::these(["out.md"]), Parts::WORDS),
        (in_workspace(""), Names::these(["plan.md", "tasks.md"]), Parts::CHECKS),
        (in_workspace(".agent"), Names::these(["decision.json"]), Parts::WORDS),
        (in_workspace(".agent"), Names::these(["closer.json"]), Parts::CHECKS),
        (in_workspace("target/reports"), Names::Any, Parts::CHECKS),
    ];
    assert_eq!(targets, expected);
}

/// Since when a file is about the task is for the judge to say.
#[test]
fn what_is_known_of_the_last_prompt_is_handed_on() {
    let found = Place::new().collect(Parts::CHECKS, &WorkspaceSettings::default());
    assert_eq!((found.prompted_at, found.task_started_at), (Some(Timestamp(7)), None));
}

/// Commits all of `workspace` at a fixed time and gives the commit's id.
fn commit(repository: &git2::Repository, message: &str, seconds: i64) -> String {
    let mut index = repository.index().unwrap();
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
    index.write().unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let who = git2::Signature::new("A", "a@example.org", &git2::Time::new(seconds, 0)).unwrap();
    let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    repository.commit(Some("HEAD"), &who, &who, message, &tree, &parents).unwrap().to_string()
}

#[test]
fn git_is_read_with_a_found_baseline_that_is_to_be_remembered() {
    let mut place = Place::new();
    let repository = git2::Repository::init(&place.workspace).unwrap();
    place.write("a", "1");
    let first = commit(&repository, "first", 100);
    place.baseline = None;
    place.write("untracked.rs", "x");
    place.write("d", "{}");
    let found = place.collect(Parts::all(), &decision("d"));
    let facts = &found.git.present().unwrap().facts;
    assert_eq!(facts.baseline.commit, first.parse().ok());
    assert_eq!(found.new_baseline.as_ref(), Some(&facts.baseline));
    assert_eq!(facts.baseline.origin, BaselineOrigin::FirstSeen);
    // The commit is younger than what the person asked for; when it was first seen dates nothing.
    assert_eq!((found.prompted_at, found.baseline_at), (Some(Timestamp(7)), None));
    let changes = facts.changes.as_ref().unwrap();
    assert_eq!((changes.n_untracked, changes.n_evidence_files), (1, 1));
    let n_git_targets = found.git.present().unwrap().watch_targets.len();
    assert!(n_git_targets > 0);
    // The next time it is known, git's places stay named, and the work tree is not looked at.
    place.baseline = found.new_baseline;
    let again = place.collect(Parts::WORDS, &decision("d"));
    assert_eq!((again.git, again.new_baseline), (Reading::NotLookedAt, None));
    assert_eq!(again.watch_targets, found.watch_targets);
    let commits = place.collect(Parts::COMMITS, &decision("d"));
    assert_eq!((commits.git.present().unwrap().facts.changes.as_ref(), commits.new_baseline), (None, None));
}

#[test]
fn a_given_baseline_does_not_wander_with_head_and_is_not_remembered() {
    let mut place = Place::new();
    let repository = git2::Repository::init(&place.workspace).unwrap();
    place.write("a", "1");
    let first = commit(&repository, "first", 100);
    place.write("a", "2");
    commit(&repository, "second", 200);
    let given = GivenBaseline { rev: "HEAD~1".to_owned(), origin: BaselineOrigin::Flag };
    let settings = WorkspaceSettings { baseline: Some(given), ..WorkspaceSettings::default() };
    for round in 3..5 {
        let found = place.collect(Parts::COMMITS, &settings);
        let facts = &found.git.present().unwrap().facts;
        assert_eq!(facts.baseline.commit, first.parse().ok(), "round {round}");
        assert_eq!((facts.baseline.origin.clone(), found.new_baseline), (BaselineOrigin::Flag, None));
        place.write("a", format!("{round}"));
        commit(&repository, "more", 100 * round);
    }
    // Without the flag a baseline is found anew, though the request still carries the given one.
    place.baseline = Some(Baseline {
        commit: first.parse().ok(),
        origin: BaselineOrigin::Flag,
        set_at: Timestamp(0),
        commit_time: None,
    });
    let found = place.collect(Parts::COMMITS, &WorkspaceSettings::default());
    assert_eq!(found.git.present().unwrap().facts.baseline.origin, BaselineOrigin::FirstSeen);
}

#[test]
fn outside_of_a_repository_git_is_not_configured() {
    let mut place = Place::new();
    assert_eq!(place.collect(Parts::COMMITS, &WorkspaceSettings::default()).git, Reading::NotConfigured);
}

#[test]
fn a_workspace_that_is_gone_is_said_to_be() {
    let mut place = Place::new();
    place.workspace = place.top.join("never");
    let gone = place.try_collect(Parts::WORDS, &WorkspaceSettings::default()).unwrap_err();
    assert!(matches!(gone, CollectError::Gone { .. }), "{gone:?}");
    fs::write(place.top.join("file"), "").unwrap();
    place.workspace = place.top.join("file");
    let gone = place.try_collect(Parts::WORDS, &WorkspaceSettings::default()).unwrap_err();
    assert!(matches!(gone, CollectError::Gone { .. }), "{gone:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_can_be_a_plan_or_a_result(text in "[\\[\\]{}<>/&;:\"a-z \\-*x\n\u{0}\u{feff}]{0,200}") {
        if let Ok(steps) = parse_plan(&text) {
            proptest::prop_assert!(steps.len() <= 1000);
        }
        if let Ok(counts) = parse_results(text.as_bytes()) {
            proptest::prop_assert!(counts.failing.len() <= 10);
        }
    }
}
