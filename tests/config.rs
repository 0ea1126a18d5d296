//! Configuration: layers, what is refused and in which words, and files that are not what they seem.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use closeout::config::{
    AutoProbes, CompletionCheck, Config, ConfigError, DEFAULT_TEXT, Flags, Key, LayerOrigin, LookSetting,
    Sources, nearest, parse_completion_check, parse_layer,
};
use closeout::model::{
    BaselineOrigin, CheckKind, CheckTool, GivenBaseline, OfferPolicy, Policy, TaskKind, WatchSettings,
    WorkspaceSettings,
};
use proptest::prelude::*;
use tempfile::TempDir;
use tracing::level_filters::LevelFilter;

/// A home directory and a workspace of its own for one test.
struct World {
    folder: TempDir,
    environment: BTreeMap<OsString, OsString>,
    flags: Flags,
}

impl World {
    fn new() -> World {
        let folder = crate::support::scratch::folder();
        fs::create_dir_all(folder.path().join("home/.config/closeout")).unwrap();
        fs::create_dir_all(folder.path().join("work/app")).unwrap();
        World { folder, environment: BTreeMap::new(), flags: Flags::default() }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn user_file(&self) -> PathBuf {
        self.home().join(".config/closeout/config.toml")
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("work/app")
    }

    fn user(self, text: &str) -> World {
        fs::write(self.user_file(), text).unwrap();
        self
    }

    fn in_workspace(self, name: &str, text: &str) -> World {
        fs::write(self.workspace().join(name), text).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: impl Into<OsString>) -> World {
        self.environment.insert(name.into(), value.into());
        self
    }

    fn sources(&self) -> Sources {
        Sources { environment: self.environment.clone(), home: Some(self.home()), flags: self.flags.clone() }
    }

    fn load(&self) -> Result<Config, ConfigError> {
        Config::load(&self.sources())
    }

    fn settings(&self) -> (WorkspaceSettings, Vec<String>) {
        self.load().unwrap().for_workspace(&self.workspace())
    }

    /// The message of a configuration that is refused, with the temporary folder taken out.
    fn refusal(&self) -> String {
        let folder = self.folder.path().to_str().unwrap();
        self.load().unwrap_err().to_string().replace(folder, "")
    }
}

/// What is wrong in a text of the person, as lines without the file name.
fn refused(text: &str, origin: LayerOrigin) -> String {
    match parse_layer(text, "f", origin, Some(Path::new("/home/ann"))) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn without_any_file_the_embedded_defaults_hold() {
    let world = World::new();
    let config = world.load().unwrap();
    assert_eq!(
        config.policy,
        Policy { offers: OfferPolicy::Done, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 }
    );
    assert_eq!(
        config.watch,
        WatchSettings {
            reconcile_ms: 300_000,
            poll_ms: 10_000,
            collect_limit_ms: 10_000,
            fold_after_ms: 72 * 3_600_000,
        }
    );
    assert_eq!(config.ui.look, LookSetting::Auto);
    assert_eq!(config.log_level, LevelFilter::INFO);
    let check = CompletionCheck {
        max_probes: 5,
        probe_interval_ms: 30_000,
        probe_timeout_ms: 60_000,
        is_final_rescue_wanted: true,
    };
    assert_eq!(config.completion_check, check);
    assert_eq!(config.auto_probes, AutoProbes { is_on: false, per_hour: 6 });
    let settings = WorkspaceSettings {
        decision_file: Some(".closeout/decision.json".to_owned()),
        closer_report: Some(".closeout/closer.json".to_owned()),
        plans: vec!["tasks.md".to_owned(), ".closeout/plan.json".to_owned()],
        ..WorkspaceSettings::default()
    };
    assert_eq!(config.for_workspace(&world.workspace()), (settings, Vec::new()));
}

#[test]
fn a_machine_without_a_home_directory_still_has_a_configuration() {
    let sources = Sources::default();
    assert!(Config::load(&sources).is_ok());
    assert_eq!(sources.state_folder(), None);
}

#[test]
fn the_reference_names_every_key_and_its_examples_are_right() {
    for (_, full_name) in Key::all() {
        let (section, name) = full_name.split_once('.').unwrap_or(("", &full_name));
        let mut current = "";
        let is_named = DEFAULT_TEXT.lines().any(|line| {
            if let Some(header) = line.strip_prefix('[') {
                current = header.trim_end_matches(']');
            }
            let key = line.trim_start_matches("# ").split(" = ").next();
            current == section && key == Some(name)
        });
        assert!(is_named, "config/default.toml lacks {full_name}");
    }
    let uncommented: String = DEFAULT_TEXT
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.contains(" = ") || rest.starts_with("[[") => format!("{rest}\n"),
            Some(_) | None => format!("{line}\n"),
        })
        .collect();
    assert_eq!(refused(&uncommented, LayerOrigin::User), "");
    assert!(uncommented.contains("\n[[workspace]]"));
}

#[test]
fn each_layer_stands_over_the_one_before() {
    let mut world = World::new()
        .user("task_kind = \"REPORT\"\nevidence.outputs = [\"user.md\"]\nevidence.test_results = [\"u.xml\"]")
        .in_workspace(".closeout.toml", "[evidence]\noutputs = [\"own.md\"]\nplans = []\n");
    let (settings, problems) = world.settings();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(settings.task_kind, Some(TaskKind::Report));
    assert_eq!(settings.outputs, ["user.md"]);
    assert_eq!(settings.test_results, ["u.xml"]);
    assert_eq!(settings.plans, ["tasks.md", ".closeout/plan.json"]);

    world.flags = Flags {
        task_kind: Some(TaskKind::ReadInfo),
        baseline: Some("main~2".to_owned()),
        decision_file: Some("./d.json".to_owned()),
        outputs: vec!["flag.md".to_owned()],
        require: None,
    };
    let (settings, _) = world.settings();
    assert_eq!(settings.task_kind, Some(TaskKind::ReadInfo));
    let given = GivenBaseline { rev: "main~2".to_owned(), origin: BaselineOrigin::Flag };
    assert_eq!(settings.baseline, Some(given));
    assert_eq!(settings.decision_file.as_deref(), Some("d.json"));
    assert_eq!(settings.outputs, ["flag.md"]);
}

#[test]
fn a_baseline_from_a_file_is_not_taken_for_a_flag() {
    let (settings, _) = World::new().user("baseline.rev = 'v1'").settings();
    let given = GivenBaseline { rev: "v1".to_owned(), origin: BaselineOrigin::Configuration };
    assert_eq!(settings.baseline, Some(given));
}

#[test]
fn what_the_person_says_of_a_workspace_stands_over_its_own_word() {
    let world = World::new().in_workspace(".closeout.toml", "task_kind = \"READ_INFO\"");
    let pattern = world.folder.path().join("work/*");
    let text = format!(
        "[[workspace]]\npath = \"{0}\"\ntask_kind = \"REPORT\"\nevidence.outputs = [\"a\"]\n\
         [[workspace]]\npath = \"{0}\"\nevidence.outputs = [\"b\"]\n\
         [[workspace]]\npath = \"/elsewhere/**\"\nevidence.outputs = [\"c\"]\n",
        pattern.display()
    );
    let (settings, problems) = world.user(&text).settings();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(settings.task_kind, Some(TaskKind::Report));
    assert_eq!(settings.outputs, ["b"]);
}

#[test]
fn an_empty_path_switches_a_source_off() {
    let (settings, _) = World::new().user("evidence.closer_report = \"\"").settings();
    assert_eq!(settings.closer_report, None);
}

#[test]
fn the_environment_names_the_file_the_state_folder_the_level_and_the_look() {
    let world = World::new();
    let other = world.folder.path().join("other.toml");
    fs::write(&other, "judge.offers = \"done\"").unwrap();
    let world = world
        .user("judge.stall_stage = 9")
        .variable("CLOSEOUT_CONFIG", &other)
        .variable("CLOSEOUT_STATE_DIR", "/state")
        .variable("CLOSEOUT_LOG", "DEBUG")
        .variable("CLOSEOUT_LOOK", "ascii");
    let config = world.load().unwrap();
    assert_eq!(config.policy.offers, OfferPolicy::Done);
    assert_eq!(config.policy.stall_stage, 3, "the other file takes the place of the usual one");
    assert_eq!(config.log_level, LevelFilter::DEBUG);
    assert_eq!(config.ui.look, LookSetting::Ascii);
    assert_eq!(world.sources().state_folder(), Some(PathBuf::from("/state")));
}

#[test]
fn xdg_variables_count_when_they_are_absolute() {
    let world = World::new().variable("XDG_STATE_HOME", "relative").variable("XDG_CONFIG_HOME", "/c");
    let sources = world.sources();
    assert_eq!(sources.state_folder(), Some(world.home().join(".local/state/closeout")));
    assert_eq!(sources.config_folder(), Some(PathBuf::from("/c/closeout")));
}

#[test]
fn a_null_device_is_a_configuration_without_a_word() {
    let world = World::new().user("nonsense").variable("CLOSEOUT_CONFIG", "/dev/null");
    assert!(world.load().is_ok());
}

#[test]
fn a_named_file_that_is_not_there_ends_the_program() {
    let world = World::new().variable("CLOSEOUT_CONFIG", "/nowhere/c.toml");
    assert_eq!(world.refusal(), "cannot read the configuration /nowhere/c.toml: there is no such file");
}

#[test]
fn a_wrong_flag_or_variable_is_named() {
    let mut world = World::new().variable("CLOSEOUT_LOG", "loud");
    assert_eq!(
        world.refusal(),
        "CLOSEOUT_LOG: must be \"off\", \"error\", \"warn\", \"info\", \"debug\" or \"trace\", not \"loud\""
    );
    world.environment.clear();
    world.flags.baseline = Some("--output=x".to_owned());
    world.flags.outputs = vec!["ok".to_owned(), "../x".to_owned()];
    assert_eq!(
        world.refusal(),
        "--baseline-commit: must be a revision as git understands it, which does not begin with `-`, not \
         \"--output=x\"\n--output: must be a list of at most 100 paths inside the workspace, and \"../x\" is not"
    );
}

#[test]
fn an_error_in_the_persons_file_names_file_line_column_key_and_what_is_allowed() {
    let world = World::new().user("# mine\n[judge]\n  stal_stage = 4\n");
    assert_eq!(
        world.refusal(),
        "/home/.config/closeout/config.toml:3:3: `judge.stal_stage` is not a closeout key; did you mean \
         `judge.stall_stage`?; allowed here: offers, stall_stage, unreadable_limit, silent_turn_minutes, second_opinion"
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once_in_the_order_of_the_text() {
    let text = "watch.poll_seconds = 0\nui.look = \"colour\"\njudge.offers = 3\nlog = 1\noffers = \"ask\"\n";
    assert_eq!(
        refused(text, LayerOrigin::User),
        "f:1:22: `watch.poll_seconds` must be a whole number from 1 to 3600, not 0\n\
         f:2:11: `ui.look` must be \"auto\", \"color\", \"plain\" or \"ascii\", not \"colour\"; did you mean \
         \"color\"?\n\
         f:3:16: `judge.offers` must be \"ask\" or \"done\", not a number\n\
         f:4:7: `log` must be a table, like [log], not a whole number\n\
         f:5:1: `offers` is not a closeout key; did you mean `judge.offers`?; allowed here: task_kind, \
         baseline, evidence, closer, work, verdict, judge, watch, sessions, rescue, ui, notify, log, \
         checks, gate, completion_check, workspace, agent, check, tool"
    );
}

#[test]
fn a_tool_of_the_persons_own_is_read_and_what_is_wrong_with_it_is_named_with_its_line() {
    let specs =
        "[[tool]]\nname = \"specs\"\nkind = \"test\"\nrun = [\"specs\"]\npass = [\"# specs, 0 broken*\"]\n";
    let config = World::new().user(specs).load().unwrap();
    let mut expected = CheckTool::named("specs", CheckKind::Test);
    expected.run = vec!["specs".to_owned()];
    expected.pass = vec!["# specs, 0 broken*".to_owned()];
    assert_eq!(config.tools(), [expected]);
    assert_eq!(config.listing(Path::new("/w")).tools, ["specs"]);
    for (text, said) in [
        ("tool = 5", "f:1:1: `tool` must be a list of tables: write [[tool]]"),
        ("[[tool]]\nkind = \"test\"", "f:1:1: `tool.name` is missing\nf:1:1: `tool.run` is missing"),
        (
            "[[tool]]\nname = \"a\"\nkind = \"tests\"\nrun = [\"a\"]",
            "f:3:8: `tool.kind` must be \"test\", \"build\", \"lint\" or \"types\"",
        ),
        (
            "[[tool]]\nname = \"a\"\nkind = \"test\"\nrun = []",
            "f:4:7: `tool.run` must be 1 to 100 strings that are not empty",
        ),
        (
            "[[tool]]\nname = \"a\"\nkind = \"test\"\nrun = [\"a\"]\nis_silent = 1\nempty_codes = [\"x\"]",
            "f:5:13: `tool.is_silent` must be true or false, not a whole number\n\
             f:6:15: `tool.empty_codes` must be a list of exit codes, not a list of something else",
        ),
    ] {
        assert_eq!(refused(text, LayerOrigin::User), said, "{text}");
    }
    let misspelt = refused(&format!("{specs}runs = [\"x\"]"), LayerOrigin::User);
    assert!(
        misspelt.starts_with("f:6:1: `tool.runs` is not a closeout key; did you mean `tool.run`?"),
        "{misspelt}"
    );
    let twice = refused(&specs.repeat(2), LayerOrigin::User);
    assert_eq!(twice, "f:6:1: `tool.name` is the name of another tool too: \"specs\"");
}

#[test]
fn a_workspaces_own_file_describes_no_tool() {
    let text = "[[tool]]\nname = \"specs\"\nkind = \"test\"\nrun = [\"specs\"]\npass = [\"*\"]\n";
    let said = "`tool` counts only in your own configuration file: it says what proves work";
    assert!(refused(text, LayerOrigin::Workspace).contains(said));
    let world = World::new().in_workspace(".closeout.toml", text);
    assert_eq!(world.settings().1.len(), 1);
    assert_eq!(world.load().unwrap().tools(), []);
}

#[test]
fn wrong_values_of_every_kind_are_refused() {
    for (text, expected) in [
        ("task_kind = \"REPORTS\"", "did you mean \"REPORT\"?"),
        ("evidence.decision_file = \"/etc/passwd\"", "must be a path inside the workspace, or \"\" for none"),
        (
            "evidence.plans = \"tasks.md\"",
            "must be a list of at most 100 paths inside the workspace, not a string",
        ),
        ("evidence.plans = [1]", "not a list of something else"),
        ("evidence.plans = [\"a\", \"b/../../c\"]", "\"b/../../c\" is not"),
        ("judge.stall_stage = 2.5", "not a number with a fraction"),
        ("judge.stall_stage = 99999999999999999999", "not a number of that size"),
        ("judge.stall_stage = 1979-05-27", "not a date"),
        ("completion_check.final_rescue_attempt = \"yes\"", "must be true or false, not a string"),
        ("notify.ways = [\"bel\"]", "did you mean \"bell\"?"),
        ("notify.quiet_hours = \"22-7\"", "a span of the day like \"22:00-07:30\""),
        ("workspace = 3", "write [[workspace]]"),
        ("[[workspace]]\ntask_kind = \"REPORT\"", "`workspace.path` is missing"),
        ("[[workspace]]\npath = \"app\"", "must be an absolute path or begin with `~/`"),
        ("[[workspace]]\npath = \"/a\"\njudge.offers = \"done\"", "counts only for all workspaces"),
        ("[[workspace]]\npath = \"/a\"\nevidence.output = []", "did you mean `workspace.evidence.outputs`?"),
        ("a = 1\na = 2", "duplicate key"),
        ("[evidence", "is not TOML here"),
        ("x = \"\u{1b}[2J\"", "is not TOML here"),
    ] {
        let message = refused(text, LayerOrigin::User);
        assert!(message.contains(expected), "{text}\n  gives    {message}\n  expected {expected}");
        assert!(!message.contains('\u{1b}'));
    }
}

#[test]
fn a_wrong_key_of_a_workspace_counts_for_nothing_and_its_other_keys_count() {
    let world = World::new().in_workspace(
        ".closeout.toml",
        "task_kind = \"REPORT\"\n[evidence]\noutput = [\"x\"]\nplans = [\"p.md\"]\n[judge]\noffers = \"done\"\n",
    );
    let (settings, problems) = world.settings();
    assert_eq!(settings.own.unwrap().task_kind, Some(TaskKind::Report));
    assert_eq!(settings.plans, ["tasks.md", ".closeout/plan.json", "p.md"]);
    assert_eq!(settings.outputs, Vec::<String>::new());
    assert_eq!(
        problems,
        [
            ".closeout.toml:3:1: `evidence.output` is not a closeout key; did you mean `evidence.outputs`?; \
             allowed here: decision_file, outputs, closer_report, plans, required_files, test_results",
            ".closeout.toml:6:1: `judge.offers` counts only for all workspaces, in your own configuration file",
        ]
    );
}

#[test]
fn a_workspace_cannot_speak_for_other_workspaces() {
    let message = refused("[[workspace]]\npath = \"/\"\ntask_kind = \"REPORT\"", LayerOrigin::Workspace);
    assert_eq!(message, "f:1:3: `workspace` counts only in your own configuration file");
}

/// Puts something at the first path; the second is a file elsewhere.
type Make = fn(&Path, &Path);

#[test]
fn files_of_a_workspace_that_are_no_plain_files_are_said_and_never_read() {
    let secret = World::new().in_workspace("secret", "task_kind = \"REPORT\"");
    let cases: [(&str, Make); 5] = [
        ("is a symbolic link, not a regular file", |file, other| symlink(other, file).unwrap()),
        ("is a symbolic link, not a regular file", |file, _| symlink("/dev/zero", file).unwrap()),
        ("is a directory, not a regular file", |file, _| fs::create_dir(file).unwrap()),
        ("is a FIFO, not a regular file", |file, _| make_fifo(file)),
        ("is larger than 1048576 bytes", |file, _| {
            fs::File::create(file).unwrap().set_len(2 << 30).unwrap();
        }),
    ];
    for (expected, make) in cases {
        let world = World::new();
        make(&world.workspace().join(".closeout.toml"), &secret.workspace().join("secret"));
        let (settings, problems) = world.settings();
        assert_eq!(settings.task_kind, None, "{expected}");
        assert_eq!(problems, [format!(".closeout.toml: {expected}; it does not count")]);
    }
}

fn make_fifo(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
}

#[test]
fn the_persons_own_file_may_be_a_link_and_no_fifo() {
    let world = World::new();
    fs::write(world.home().join("dotfile"), "judge.offers = \"done\"").unwrap();
    symlink(world.home().join("dotfile"), world.user_file()).unwrap();
    assert_eq!(world.load().unwrap().policy.offers, OfferPolicy::Done);

    let world = World::new();
    make_fifo(&world.user_file());
    assert_eq!(
        world.refusal(),
        "the configuration /home/.config/closeout/config.toml is a FIFO, not a regular file"
    );
}

#[test]
fn a_file_that_is_no_utf8_is_said_with_its_place() {
    let world = World::new();
    fs::write(world.workspace().join(".closeout.toml"), b"# ok\n# \xe6\x97\xa5\xff\n").unwrap();
    let (_, problems) = world.settings();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].ends_with(".closeout.toml:2:4: is not UTF-8 here"), "{}", problems[0]);
}

#[test]
fn the_words_of_a_hostile_file_reach_nobody_as_they_are() {
    let message = refused("\"\\u001b]52;c;aGk=\\u0007\\u202e\" = 1", LayerOrigin::Workspace);
    assert!(message.contains("␛]52;c;aGk=␇‹U+202E›"), "{message}");
    assert!(!message.chars().any(char::is_control), "{message}");
}

#[test]
fn a_million_wrong_keys_make_a_short_message() {
    let lines: Vec<String> = (0..50_000).map(|n| format!("k{n} = 1")).collect();
    let text = lines.join("\n");
    let message = refused(&text, LayerOrigin::Workspace);
    assert_eq!(message.lines().count(), 21);
    assert!(message.ends_with("… and 49980 more"));
}

#[test]
fn nesting_without_end_is_refused() {
    for text in ["[".repeat(100_000), format!("a = {}", "[".repeat(100_000)), "a.".repeat(100_000)] {
        assert!(refused(&text, LayerOrigin::Workspace).contains("is not TOML here"));
    }
}

#[test]
fn the_block_of_a_json_file_is_understood() {
    let world = World::new().in_workspace(
        "config.json",
        "{\"name\": \"app\", \"completion_check\": {\"max_probes\": 2, \"probe_interval_seconds\": 3, \
         \"final_rescue_attempt\": false}}",
    );
    let user_json = world.home().join(".config/closeout/config.json");
    fs::write(user_json, "{\"completion_check\": {\"max_probes\": 9, \"probe_timeout_seconds\": 7}}")
        .unwrap();
    let config = world.load().unwrap();
    assert_eq!(config.completion_check.max_probes, 9);
    let expected = CompletionCheck {
        // The person says how often; a record that the person wants is not taken away.
        max_probes: 9,
        probe_interval_ms: 3_000,
        probe_timeout_ms: 7_000,
        is_final_rescue_wanted: true,
    };
    assert_eq!(config.completion_check_for(&world.workspace()), (expected, Vec::new()));
}

/// Whether agents may be asked by themselves in the workspace of `world`, whether in any, and what is wrong.
fn asked(world: &World) -> (bool, bool, Vec<String>) {
    let config = world.load().unwrap();
    let (settings, problems) = config.for_workspace(&world.workspace());
    (settings.may_be_asked, config.auto_probes.is_on, problems)
}

#[test]
fn a_person_has_agents_asked_by_themselves_everywhere_or_in_some_workspaces() {
    let on = "[completion_check]\nauto_probe = true\n";
    let entry = |path: &str, switch: bool| {
        format!("[[workspace]]\npath = \"{path}\"\ncompletion_check.auto_probe = {switch}\n")
    };
    for (text, expected) in [
        (String::new(), (false, false, Vec::new())),
        (on.to_owned(), (true, true, Vec::new())),
        (format!("{on}{}", entry("/**", false)), (false, true, Vec::new())),
        (entry("/**", true), (true, true, Vec::new())),
        (entry("/elsewhere", true), (false, true, Vec::new())),
    ] {
        assert_eq!(asked(&World::new().user(&text)), expected, "{text}");
    }
    let world = World::new();
    fs::write(
        world.home().join(".config/closeout/config.json"),
        "{\"completion_check\": {\"auto_probe\": true, \"auto_probes_per_hour\": 60}}",
    )
    .unwrap();
    assert_eq!(world.load().unwrap().auto_probes, AutoProbes { is_on: true, per_hour: 60 });
}

/// An agent can write these files: it would spend what is the person's.
#[test]
fn a_workspaces_own_file_cannot_have_its_agent_asked() {
    for (file, text) in [
        (".closeout.toml", "[completion_check]\nauto_probe = true\nmax_probes = 2\n"),
        ("config.json", "{\"completion_check\": {\n\"auto_probe\": true, \"max_probes\": 2}}"),
    ] {
        let world = World::new().in_workspace(file, text);
        let (may_be_asked, is_on, _) = asked(&world);
        assert_eq!((may_be_asked, is_on), (false, false), "{file}");
        let (check, problems) = world.load().unwrap().completion_check_for(&world.workspace());
        assert_eq!(check.max_probes, 2, "{file}");
        let column = if file == "config.json" { 15 } else { 1 };
        let told = format!(
            "{file}:2:{column}: `completion_check.auto_probe` counts only in your own configuration file"
        );
        assert_eq!(problems, [told]);
    }
    let budget = "[completion_check]\nauto_probes_per_hour = 60\n";
    let everywhere = "counts only for all workspaces";
    assert!(refused(budget, LayerOrigin::Workspace).contains(everywhere));
    let entry = "[[workspace]]\npath = \"/a\"\ncompletion_check.auto_probes_per_hour = 60\n";
    assert!(refused(entry, LayerOrigin::User).contains(everywhere));
}

#[test]
fn the_budget_of_questions_has_its_bounds() {
    for number in ["0", "61", "-1", "true"] {
        let text = format!("[completion_check]\nauto_probes_per_hour = {number}\n");
        let message = refused(&text, LayerOrigin::User);
        assert!(message.contains("must be a whole number from 1 to 60"), "{number}: {message}");
    }
}

#[test]
fn a_json_file_of_another_program_is_passed_over() {
    for text in ["{\"name\": \"app\"}", "// comments\n{}", "[]", "", "null", "\u{feff}{}"] {
        let (_, problems) = parse_completion_check(text, "config.json", LayerOrigin::Workspace);
        assert!(problems.is_empty(), "{text:?}: {problems}");
    }
}

#[test]
fn a_wrong_block_of_a_json_file_is_said_with_its_place() {
    let text = "{\n \"completion_check\": {\n  \"max_probe\": 1,\n  \"max_probes\": 99,\n  \
                \"probe_interval_seconds\": \"x\"\n }\n}";
    let (_, problems) = parse_completion_check(text, "config.json", LayerOrigin::Workspace);
    assert_eq!(
        problems.lines(),
        [
            "config.json:3:16: `completion_check.max_probe` is not a closeout key; did you mean `max_probes`?; \
             allowed here: max_probes, probe_interval_seconds, probe_timeout_seconds, final_rescue_attempt",
            "config.json:4:17: `completion_check.max_probes` must be a whole number from 0 to 20, not 99",
            "config.json:5:29: `completion_check.probe_interval_seconds` must be a whole number from 1 to 3600, \
             not \"x\"",
        ]
    );
    let block = |text| parse_completion_check(text, "config.json", LayerOrigin::User);
    let (_, problems) = block("{\"completion_check\": [1,}");
    assert!(problems.lines()[0].starts_with("config.json:1:"), "{problems}");
    let (_, problems) = block("{\"completion_check\": 5}");
    assert_eq!(problems.lines(), ["config.json:1:22: `completion_check` must be an object"]);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,200}|[\\[\\]=.\"'a-z#\n ]{0,200}") {
        for origin in [LayerOrigin::User, LayerOrigin::Workspace] {
            let _ = parse_layer(&text, "f", origin, None);
            let _ = parse_completion_check(&text, "f", origin);
            let _ = parse_completion_check(&format!("{{\"completion_check\":{text}}}"), "f", origin);
        }
    }
}

#[test]
fn one_slip_is_seen_through() {
    let names = ["stall_stage", "offers", "look"];
    assert_eq!(nearest("stal_stage", names), Some("stall_stage"));
    assert_eq!(nearest("offesr", names), Some("offers"));
    assert_eq!(nearest("Look", names), Some("look"));
    assert_eq!(nearest("REPROT", ["REPORT"]), Some("REPORT"));
    assert_eq!(nearest("colour", names), None);
}
