//! `closeout hook install` and `remove`: what is put into settings, what is taken out again, and every
//! byte that is neither.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use closeout::agent::hook_settings::{Wanted, install, remove};
use closeout::agent::{Hooks, hooks_of};
use jsonc_parser::JsonValue;
use serde_json::Value;

use crate::support::test_env::TestEnv;

const PROGRAM: &str = "/opt/closeout";

fn all_of(agent: &'static Hooks) -> Wanted {
    Wanted::new(agent, PROGRAM)
}

/// Settings as people have them.
const SETTINGS: [&str; 15] = [
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n    \"model\": \"opus\", // the large one\n    // the end\n}\n",
    "{\r\n\t\"model\": \"opus\"\r\n}\r\n",
    "{\"model\":\"opus\"}",
    "{\"url\":\"https://example.org\"}",
    "{ \"model\": \"opus\", \"theme\": \"dark\" }\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  },\n  \"z\": 1\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}, // mine\n    ],\n  },\n}\n",
    "{\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}\n}\n",
    "{\n  // no hooks yet\n}\n",
    "{\n  \"hooks\": {\n    // to be done\n  }\n}\n",
    "// the head\n{\n\n  \"model\": \"opus\",\n\n\n  \"a\": [1, 2]  \n\n}\n\n// the foot\n",
    "\u{feff}{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"text\": \"a // b /* c */ , }\" /* d */ ,\n  \"last\": {\"x\": []} /* e */ // f\n}",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]}}",
];

#[test]
fn what_was_put_in_and_taken_out_left_every_byte() {
    for agent in [hooks_of("claude").unwrap(), hooks_of("codex").unwrap(), hooks_of("gemini").unwrap()] {
        for text in SETTINGS {
            let installed = install(text, &all_of(agent)).unwrap();
            assert_ne!(installed, text);
            assert_eq!(
                install(&installed, &all_of(agent)).unwrap(),
                installed,
                "a second time changes nothing"
            );
            assert_eq!(remove(&installed, agent).unwrap(), text, "{installed}");
            assert_eq!(remove(text, agent).unwrap(), text, "nothing of ours, nothing to do");
        }
    }
}

/// JSON without its comments.
fn meaning(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    let parsed = jsonc_parser::parse_to_value(text, &jsonc_parser::ParseOptions::default());
    value_of(parsed.unwrap().unwrap())
}

fn value_of(value: JsonValue<'_>) -> Value {
    match value {
        JsonValue::String(text) => Value::from(text.into_owned()),
        JsonValue::Number(number) => number.parse().unwrap(),
        JsonValue::Boolean(is) => Value::from(is),
        JsonValue::Object(members) => {
            members.into_iter().map(|(name, value)| (name, value_of(value))).collect()
        }
        JsonValue::Array(items) => items.into_iter().map(value_of).collect(),
        JsonValue::Null => Value::Null,
    }
}

#[test]
fn the_hooks_stand_at_every_event_and_nothing_else_changed() {
    for text in SETTINGS {
        let wanted = all_of(hooks_of("claude").unwrap());
        let installed = meaning(&install(text, &wanted).unwrap());
        for (event, _) in wanted.hooks.events {
            let groups = installed["hooks"][event].as_array().unwrap();
            let own = &groups.last().unwrap()["hooks"][0];
            assert_eq!(own["command"], "/opt/closeout hook event --agent claude", "{event}");
            assert_eq!((&own["type"], &own["timeout"]), (&Value::from("command"), &Value::from(5)));
        }
    }
}

#[test]
fn lines_keep_their_ends_and_their_indentation() {
    let installed = install(SETTINGS[2], &all_of(hooks_of("codex").unwrap())).unwrap();
    assert_eq!(installed.matches('\n').count(), installed.matches("\r\n").count());
    assert!(installed.contains("\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [\r\n\t\t\t{"), "{installed}");
    let one_line = install(SETTINGS[3], &all_of(hooks_of("codex").unwrap())).unwrap();
    assert!(!one_line.contains('\n'));
}

#[test]
fn gemini_is_given_its_own_form() {
    let installed = meaning(&install("", &all_of(hooks_of("gemini").unwrap())).unwrap());
    let group = &installed["hooks"]["BeforeTool"][0];
    assert_eq!(group["matcher"], "*");
    assert_eq!(group["hooks"][0]["timeout"], 5000);
}

#[test]
fn an_older_path_is_updated_in_its_place_and_an_event_of_old_taken_out() {
    let before =
        install(SETTINGS[5], &Wanted::new(hooks_of("claude").unwrap(), "/old place/closeout")).unwrap();
    let before = before.replacen("\"PreToolUse\"", "\"TaskCreated\"", 1);
    let now = install(&before, &all_of(hooks_of("claude").unwrap())).unwrap();
    assert!(!now.contains("/old place") && !now.contains("TaskCreated"), "{now}");
    assert_eq!(now.matches("/opt/closeout hook event").count(), hooks_of("claude").unwrap().events.len());
    assert_eq!(remove(&now, hooks_of("claude").unwrap()).unwrap(), SETTINGS[5]);
}

#[test]
fn what_a_person_added_since_stays() {
    let installed = install("{\n  \"a\": 1\n}\n", &all_of(hooks_of("codex").unwrap())).unwrap();
    let mine = r#""Stop": [
      {"hooks": [{"type": "command", "command": "mine"}]},"#;
    let edited = installed.replace("\"Stop\": [", mine).replace("\"a\": 1,", "\"a\": 1,\n  \"b\": 2,");
    let removed = remove(&edited, hooks_of("codex").unwrap()).unwrap();
    let expected = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n";
    assert_eq!(removed, expected);
}

#[test]
fn broken_settings_are_refused_with_the_place() {
    for (text, place) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column 9: expected comma"),
        ("{\n  \"a\": ", "line 2"),
        ("[1]", "the whole is not an object"),
        ("{\"hooks\": []}", "\"hooks\" is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "\"Stop\" is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "written once"),
        ("{'a': 1}", "line 1"),
        ("{\n \u{b}\"a\": 1}", "line 2, column 2: a blank that JSON does not allow"),
        ("{\"a\": 1} // é \u{a0}\n\u{a0}", "line 2, column 1: a blank"),
    ] {
        let problem = install(text, &all_of(hooks_of("claude").unwrap())).unwrap_err().to_string();
        assert!(problem.contains(place), "{text}: {problem}");
    }
}

#[test]
fn a_path_is_one_word_for_the_shell() {
    let wanted = |program: &str| Wanted::new(hooks_of("claude").unwrap(), program).command;
    assert_eq!(wanted("/usr/bin/closeout"), "/usr/bin/closeout hook event --agent claude");
    assert_eq!(wanted("/a b/it's/closeout"), r"'/a b/it'\''s/closeout' hook event --agent claude");
}

#[test]
fn the_plugin_names_the_program_as_a_string() {
    let hooks = hooks_of("opencode").unwrap();
    let plugin = hooks.plugin("/a \"b\"/closeout").unwrap();
    assert!(plugin.contains(r#""/a \"b\"/closeout""#), "{plugin}");
    assert!(!plugin.contains("@CLOSEOUT@"));
    assert!(hooks.is_own_plugin(plugin.as_bytes()));
    assert!(!hooks.is_own_plugin(b"export const Mine = 1"));
}

/// An env with a home in which agents were used.
fn desk_with(agents: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    for agent in agents {
        fs::create_dir_all(env.at(agent)).unwrap();
    }
    env.with_variable("CLAUDE_CONFIG_DIR", "")
}

fn home(env: &TestEnv, path: &str) -> PathBuf {
    let home = env.variables().into_iter().find(|(name, _)| name == "HOME").unwrap().1;
    PathBuf::from(home).join(path)
}

fn write(env: &TestEnv, path: &str, text: &str) -> PathBuf {
    let path = home(env, path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn all_agents_that_are_there_are_changed_and_put_back() {
    let env = desk_with(&[]);
    let claude = write(&env, ".claude/settings.json", "{}");
    let gemini = write(&env, ".gemini/settings.json", "");
    fs::create_dir_all(env.at("home/config/opencode")).unwrap();
    let installed = env.run(env.at("."), &["hook", "install"]);
    assert_eq!(installed.code, 0, "{installed:?}");
    assert!(installed.out.contains("codex: skipped"), "{installed:?}");
    // A summary, and last what is left to do; the changes themselves are shown to whom asks for them.
    assert!(installed.out.contains("lines added") && !installed.out.contains("+++ "), "{installed:?}");
    let last = installed.out.lines().last().unwrap();
    assert!(!last.contains("lines added") && !last.contains("skipped"), "{installed:?}");
    let plugin = env.at("home/config/opencode/plugin/closeout.js");
    let program = env!("CARGO_BIN_EXE_closeout");
    assert!(fs::read_to_string(&plugin).unwrap().contains(program));
    assert!(fs::read_to_string(&claude).unwrap().contains(program));
    let again = env.run(env.at("."), &["hook", "install"]);
    assert_eq!(again.out.matches("nothing to change").count(), 3, "{again:?}");
    let removed = env.run(env.at("."), &["hook", "remove"]);
    assert_eq!(removed.code, 0, "{removed:?}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), "{}");
    assert_eq!(fs::read_to_string(&gemini).unwrap(), "", "the copy tells that it was empty");
    assert!(!plugin.exists());
    let nothing = env.run(env.at("."), &["hook", "remove"]);
    assert_eq!((nothing.code, nothing.out.matches("nothing to change").count()), (0, 3), "{nothing:?}");
}

#[test]
fn the_gate_stands_beside_the_hooks_and_each_is_removed_alone() {
    let env = desk_with(&[]);
    let claude = write(&env, ".claude/settings.json", "{}");
    let gemini = write(&env, ".gemini/settings.json", "{}");
    fs::create_dir_all(home(&env, ".codex")).unwrap();
    fs::create_dir_all(env.at("home/config/opencode")).unwrap();
    let codex = home(&env, ".codex/hooks.json");
    let plugin = env.at("home/config/opencode/plugin/closeout-gate.js");
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
    let run = |arguments: &[&str]| {
        let run = env.run(env.at("."), &[&["hook"], arguments].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run
    };
    let gates = [
        (&claude, "hook stop --agent claude"),
        (&codex, "hook stop --agent codex"),
        (&gemini, "hook after-agent --agent gemini"),
        (&plugin, "\"hook\", \"stop\", \"--agent\", \"opencode\""),
    ];
    assert!(run(&["install", "--gate"]).out.contains("`[gate] enabled = true`"));
    for (path, command) in gates {
        assert_eq!(text(path).matches(command).count(), 1, "{}", text(path));
        assert!(!text(path).contains("hook event"), "{}", text(path));
    }
    assert_eq!(meaning(&text(&claude))["hooks"]["Stop"][0]["hooks"][0]["timeout"], 600);
    assert_eq!(run(&["install", "--gate"]).out.matches("nothing to change").count(), 4);
    let with_gate = text(&claude);
    let _ = run(&["install"]);
    let _ = run(&["remove"]);
    assert_eq!(text(&claude), with_gate, "the gate stays");
    let _ = run(&["install"]);
    let _ = run(&["uninstall", "--gate"]);
    assert!(!text(&claude).contains("hook stop") && text(&claude).contains("hook event"));
    assert!(!plugin.exists() && env.at("home/config/opencode/plugin/closeout.js").exists());
    let _ = run(&["remove"]);
    assert_eq!((text(&claude).as_str(), text(&gemini).as_str(), codex.exists()), ("{}", "{}", false));
}

#[test]
fn a_file_of_our_own_is_removed_and_codex_is_explained() {
    let env = desk_with(&[]);
    let installed = env.run(env.at("."), &["hook", "install", "--agent", "codex"]);
    assert!(installed.out.contains("trust"), "{installed:?}");
    let hooks = home(&env, ".codex/hooks.json");
    assert!(hooks.exists());
    let _ = env.run(env.at("."), &["hook", "remove", "--agent", "codex"]);
    assert!(!hooks.exists());
}

#[test]
fn after_an_update_of_closeout_nothing_of_it_is_left_either() {
    let env = desk_with(&[]);
    let mine = write(&env, ".claude/settings.json", "{}");
    let arguments = ["--agent", "claude", "--agent", "codex"];
    let run = |command: &str| env.run(env.at("."), &[&["hook", command], arguments.as_slice()].concat());
    assert_eq!(run("install").code, 0);
    let codex = home(&env, ".codex/hooks.json");
    for path in [&mine, &codex] {
        // As an earlier closeout left it: at another path, and at fewer events.
        let text = fs::read_to_string(path).unwrap().replace(env!("CARGO_BIN_EXE_closeout"), "/old/closeout");
        fs::write(path, text.replace("\"Stop\"", "\"Halt\"")).unwrap();
    }
    assert_eq!(run("install").code, 0);
    assert_eq!(run("remove").code, 0);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "{}");
    assert!(!codex.exists());
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let env = desk_with(&[]);
    let path = write(&env, ".claude/settings.json", "{\n  \"a\": 1\n}\n");
    let run = env.run(env.at("."), &["hook", "install", "--dry-run"]);
    assert!(run.out.contains("+  \"hooks\": {") && run.out.contains("--dry-run"), "{run:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), "{\n  \"a\": 1\n}\n");
    assert!(!env.at("state/backups").exists());
}

#[test]
fn a_project_has_its_own_settings() {
    let env = desk_with(&[]);
    fs::create_dir_all(env.at("project")).unwrap();
    let arguments = ["hook", "install", "--agent", "claude", "--agent", "opencode", "--scope", "project"];
    let run = env.run(env.at("project"), &arguments);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(env.at("project/.claude/settings.json").exists());
    assert!(env.at("project/.opencode/plugin/closeout.js").exists());
    assert!(!home(&env, ".claude").exists());
}

/// What is in a project an agent wrote: a link there could lead to any file of the person's.
#[test]
fn no_link_leads_out_of_a_project() {
    for (link, target) in [(".claude", "mine"), (".claude/settings.json", "mine/settings.json")] {
        let env = desk_with(&[]);
        let project = env.at("project");
        for folder in [project.clone(), env.at("mine")] {
            fs::create_dir_all(folder).unwrap();
        }
        for content in [None, Some("{}\n")] {
            let mine = env.at("mine/settings.json");
            if let Some(content) = content {
                fs::write(&mine, content).unwrap();
            }
            let link = project.join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&link);
            symlink(env.at(target), &link).unwrap();
            let run = env.run(&project, &["hook", "install", "--agent", "claude", "--scope", "project"]);
            assert_ne!(run.code, 0, "{run:?}");
            assert!(run.err.contains("symbolic link"), "{run:?}");
            assert_eq!(fs::read_to_string(&mine).ok().as_deref(), content);
        }
    }
}

#[test]
fn a_link_stays_a_link_and_a_mode_the_same() {
    let env = desk_with(&[]);
    let target = write(&env, "dotfiles/claude.json", "{\n  \"a\": 1\n}\n");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o440)).unwrap();
    let link = home(&env, ".claude/settings.json");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink("../dotfiles/claude.json", &link).unwrap();
    let run = env.run(env.at("."), &["hook", "install", "--agent", "claude"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("hook event"));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o440);
    let _ = env.run(env.at("."), &["hook", "remove", "--agent", "claude"]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn what_cannot_be_changed_safely_stays_and_the_others_are_changed() {
    let env = desk_with(&[]);
    let broken = write(&env, ".claude/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}\n");
    let gemini = write(&env, ".gemini/settings.json", "{}");
    let run = env.run(env.at("."), &["hook", "install"]);
    assert_eq!(run.code, 5, "{run:?}");
    for words in ["claude: nothing was changed", "settings.json", "line 2", "repair it"] {
        assert!(run.err.contains(words), "{words}: {run:?}");
    }
    assert_eq!(fs::read_to_string(broken).unwrap(), "{\n  \"a\": 1\n  \"b\": 2\n}\n");
    assert!(fs::read_to_string(gemini).unwrap().contains("hook event"));
}

#[test]
fn without_a_place_for_the_copy_nothing_is_changed() {
    let env = desk_with(&[]);
    let path = write(&env, ".claude/settings.json", "{}");
    fs::write(env.at("state"), "a file").unwrap();
    let run = env.run(env.at("."), &["hook", "install"]);
    assert_eq!(run.code, 5, "{run:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), "{}");
}

#[test]
fn a_plugin_of_another_origin_is_left_alone() {
    let env = desk_with(&[]);
    let plugin = env.at("home/config/opencode/plugin/closeout.js");
    fs::create_dir_all(plugin.parent().unwrap()).unwrap();
    fs::write(&plugin, "export const Mine = 1\n").unwrap();
    let run = env.run(env.at("."), &["hook", "install", "--agent", "opencode"]);
    assert_eq!(run.code, 5, "{run:?}");
    let _ = env.run(env.at("."), &["hook", "remove", "--agent", "opencode"]);
    assert_eq!(fs::read_to_string(plugin).unwrap(), "export const Mine = 1\n");
}
