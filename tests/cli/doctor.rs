//! `doctor`: what is found, what is to be mended, and that one broken thing does not hide the others.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv};

/// An env on whose path there are these programs (name and script) before the machine's own.
fn desk_with(programs: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::with_demo();
    let folder = env.at("programs");
    fs::create_dir(&folder).unwrap();
    for (name, script) in programs {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut path = OsString::from(&folder);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    env.with_variable("PATH", path)
}

/// The lines on one subject, without their indent.
fn section<'a>(run: &'a Run, subject: &str) -> Vec<&'a str> {
    let mut lines = run.out.lines().skip_while(|line| *line != subject);
    assert_eq!(lines.next(), Some(subject), "{run:?}");
    lines.take_while(|line| line.starts_with(' ')).map(str::trim).collect()
}

#[test]
fn each_agent_is_said_with_its_version_and_its_sessions() {
    let env = desk_with(&[("claude", "echo '2.1.330 (Claude Code)'"), ("codex", "echo codex-cli 99.1.0")]);
    let run = env.run(env.shop(), &["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let claude = section(&run, "claude");
    assert_eq!(claude[0], "ok       version 2.1.330 (Claude Code)");
    assert!(claude[1].contains(" in ") && claude[1].ends_with("of the last day"), "{claude:?}");
    let codex = section(&run, "codex");
    assert!(codex[0].starts_with("note     version codex-cli 99.1.0: untested with closeout"));
    assert!(codex[1].ends_with("does not exist yet"), "{codex:?}");
    assert!(section(&run, "git").iter().any(|line| line.ends_with("this repository has 6 worktrees")));
    assert!(run.out.ends_with("\nno problems found\n"), "{run:?}");
}

#[test]
fn a_gate_is_told_where_it_was_put_in_or_is_set() {
    let env = desk_with(&[("claude", "echo '2.1.330 (Claude Code)'")]);
    let gate = |env: &TestEnv| {
        let run = env.run(env.shop(), &["doctor"]);
        let told = section(&run, "claude").into_iter().filter(|line| line.contains("before it stops"));
        told.map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(gate(&env).is_empty());
    env.configure("[[workspace]]\npath = \"~/work/**\"\ngate.enabled = true\n");
    assert_eq!(
        gate(&env),
        ["note     a gate is configured, but the agent does not ask closeout before it stops"]
    );
    assert_eq!(env.run(env.shop(), &["hook", "install", "--gate", "--agent", "claude"]).code, 0);
    assert!(gate(&env)[0].starts_with("ok       it asks closeout before it stops ("), "{:?}", gate(&env));
    env.configure("");
    assert!(gate(&env)[0].ends_with("and no workspace has a gate"), "{:?}", gate(&env));
}

#[test]
fn what_is_broken_is_a_problem_with_a_way_out_and_hides_nothing_else() {
    let env = desk_with(&[("codex", "exit 3")]);
    let configuration = env.at("broken.toml");
    fs::write(&configuration, "[judge]\noffers = 7\n").unwrap();
    let env = env.with_variable("CLOSEOUT_CONFIG", configuration.as_os_str());
    let run = env.run(env.shop(), &["doctor"]);
    assert_eq!(run.code, 1, "{run:?}");
    let closeout = section(&run, "closeout");
    assert!(closeout.iter().any(|line| line.starts_with("PROBLEM") && line.contains("`judge.offers`")));
    assert!(closeout.iter().any(|line| line.starts_with("-> fix that file")), "{closeout:?}");
    let codex = section(&run, "codex");
    assert_eq!(codex[0], "PROBLEM  `codex --version` failed");
    assert_eq!(codex[1], "-> make sure that the program starts");
    assert!(section(&run, "git").len() >= 2);
    assert!(run.out.ends_with("\n2 problems to fix\n"), "{run:?}");
}

#[test]
fn json_says_the_same() {
    let env = desk_with(&[("claude", "echo '2.1.330 (Claude Code)'")]);
    let run = env.run(env.shop(), &["doctor", "--json"]);
    assert_eq!(run.code, 0);
    let report = run.json();
    assert_eq!(report["version"], 1);
    let subjects: Vec<&str> =
        report["sections"].as_array().unwrap().iter().map(|one| one["subject"].as_str().unwrap()).collect();
    assert_eq!(
        subjects,
        ["closeout", "git", "claude", "codex", "opencode", "gemini", "tmux", "watching", "terminal"]
    );
    assert_eq!(report["sections"][2]["findings"][0]["level"], "ok");
}

#[test]
fn hooks_are_said_to_be_missing_there_or_not_trusted() {
    let env = desk_with(&[("claude", "echo '2.1.330 (Claude Code)'"), ("codex", "echo codex-cli 0.169.0")]);
    let home = env.at("codex");
    let env = env.with_variable("CODEX_HOME", home);
    fs::create_dir(env.at("codex")).unwrap();
    let of = |run: &Run, agent: &str| section(run, agent).join("\n");
    let before = env.run(env.shop(), &["doctor"]);
    assert!(of(&before, "claude").contains("note     no hooks"), "{before:?}");
    assert!(of(&before, "claude").contains("-> `closeout hook install --agent claude`"), "{before:?}");
    let installed = env.run(env.shop(), &["hook", "install"]);
    assert_eq!(installed.code, 0, "{installed:?}");
    let after = env.run(env.shop(), &["doctor"]);
    assert!(of(&after, "claude").contains("ok       its hooks report to closeout"), "{after:?}");
    assert!(
        of(&after, "codex").contains("PROBLEM") && of(&after, "codex").contains("not trusted"),
        "{after:?}"
    );
    assert_eq!(after.code, 1);
    let hooks = env.at("codex/hooks.json");
    let trust = format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"x\"\n", hooks.display());
    fs::write(env.at("codex/config.toml"), trust).unwrap();
    let trusted = env.run(env.shop(), &["doctor"]);
    assert!(of(&trusted, "codex").contains("ok       its hooks report to closeout"), "{trusted:?}");
    fs::write(&hooks, "{ broken").unwrap();
    let broken = env.run(env.shop(), &["doctor"]);
    assert!(of(&broken, "codex").contains("-> repair the file"), "{broken:?}");
}

#[test]
fn hooks_that_came_from_another_machine_are_named_put_right_and_removed() {
    let env = desk_with(&[("claude", "echo '2.1.330 (Claude Code)'")]);
    let settings = env.at("demo/claude/settings.json");
    let before = r#"{"model": "opus", "hooks": {
  "Stop": [{"hooks": [{"type": "command", "command": "'/other machine/closeout' hook stop --agent claude"}]}],
  "SessionStart": [{"hooks": [{"type": "command", "command": "/other/closeout hook event --agent claude"}]}]}}"#;
    fs::write(&settings, before).unwrap();
    let claude = || section(&env.run(env.shop(), &["doctor"]), "claude").join("\n");
    let told = claude();
    for words in ["hooks of another closeout", "the gate of another closeout", "repairs it"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    for more in [&["--gate"][..], &[]] {
        let run = env.run(env.shop(), &[&["hook", "install", "--agent", "claude"], more].concat());
        assert_eq!(run.code, 0, "{run:?}");
    }
    assert!(!fs::read_to_string(&settings).unwrap().contains("/other"));
    assert!(!claude().contains("another closeout"), "{}", claude());
    for more in [&["--gate"][..], &[]] {
        assert_eq!(env.run(env.shop(), &[&["hook", "remove", "--agent", "claude"], more].concat()).code, 0);
    }
    let left: serde_json::Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"model": "opus"}));
}

/// What an older git cannot be kept from is a problem, and is said with the least version that will do.
#[test]
fn an_older_git_is_a_problem_and_one_that_is_new_enough_is_none() {
    let env = TestEnv::with_demo();
    std::fs::create_dir_all(env.demo("shop").root().join("old")).unwrap();
    for (told, expected) in [
        ("git version 2.37.9", "PROBLEM  git version 2.37.9 is older than 2.38"),
        ("git version 2.9.0", "is older than 2.38"),
        ("git version 2.38.0", "ok       git version 2.38.0"),
        ("git version 3.0.rc1", "ok       git version 3.0.rc1"),
        ("gut", "-> make sure that it is 2.38 or newer"),
    ] {
        let program = env.demo("shop").script("old/git", &format!("echo '{told}'"));
        let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
        let mut command = env.command(&env.shop(), &["doctor"]);
        command.env("PATH", path);
        let run = crate::support::test_env::finish(crate::support::test_env::spawn(&mut command));
        let lines = section(&run, "git").join("\n");
        assert!(lines.contains(expected), "{told}: {lines}");
        assert_eq!(lines.contains("PROBLEM"), expected.contains("older"), "{told}: {lines}");
    }
}

#[test]
fn tmux_that_swallows_notices_is_told_where_they_need_it() {
    for (option, ways, told) in [
        ("off", "[\"osc9\"]", Some("note     tmux swallows the notices")),
        ("", "[\"osc777\", \"bell\"]", Some("note     tmux swallows the notices")),
        ("on", "[\"osc99\"]", Some("note     tmux passes notices on only from visible windows")),
        ("all", "[\"osc9\"]", Some("ok       tmux passes notices on")),
        ("off", "[\"bell\", \"title\"]", None),
    ] {
        let tmux = format!("case \"$*\" in *allow-passthrough*) echo {option};; *) echo 'tmux 3.4';; esac");
        let env = desk_with(&[("tmux", tmux.as_str())]).with_variable("TMUX", "/tmp/none,1,0");
        env.configure(&format!("[notify]\nways = {ways}\n"));
        let run = env.run(env.shop(), &["doctor"]);
        let lines = section(&run, "tmux");
        let found = lines.iter().find(|line| line.contains("notices"));
        assert_eq!(found.is_some(), told.is_some(), "{option} {ways}: {run:?}");
        assert!(found.is_none_or(|line| line.starts_with(told.unwrap_or_default())), "{lines:?}");
    }
    let old =
        desk_with(&[("tmux", "case \"$*\" in *allow-passthrough*) exit 1;; *) echo 'tmux 3.2';; esac")]);
    let old = old.with_variable("TMUX", "/tmp/none,1,0");
    old.configure("[notify]\nways = [\"osc9\"]\n");
    let run = old.run(old.shop(), &["doctor"]);
    assert!(!section(&run, "tmux").iter().any(|line| line.contains("notices")), "{run:?}");
}

/// G12: git reads the settings of a person even for its version.
#[test]
fn what_git_would_wait_for_is_named_and_not_waited_for() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    repo.fifo(&env.at("home/.gitconfig")).fifo(&repo.at("deep/.gitignore"));
    let run = env.run(repo.path(), &["doctor"]);
    let told = section(&run, "git").join("\n");
    assert_eq!(run.code, 1, "{run:?}");
    for words in ["git version ", "home/.gitconfig is no file", "deep/.gitignore is a FIFO"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // Git never enters a folder that it ignores.
    repo.write(".gitignore", "/deep\n");
    let told = section(&env.run(repo.path(), &["doctor"]), "git").join("\n");
    assert!(!told.contains("FIFO"), "{told}");
    repo.fifo(&repo.at(".git/shallow"));
    assert!(env.run(repo.path(), &["doctor"]).out.contains(".git/shallow is a FIFO"));
}
