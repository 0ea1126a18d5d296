//! The command line itself: help, version, what is said of wrong arguments.

use crate::support::test_env::TestEnv;

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let env = TestEnv::new();
    for arguments in [["--help"].as_slice(), &["help"]] {
        let run = env.run(".", arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        for command in ["watch", "check", "status", "classify", "schema"] {
            assert!(run.out.contains(&format!("\n  {command} ")), "{command}: {run:?}");
        }
    }
    let run = env.run(".", &["check", "--help"]);
    for words in
        ["0 complete, 1 not complete, 2 wrong usage", "--baseline-commit", "AGENTCORE_COMPLETION_CHECK_ID"]
    {
        assert!(run.out.contains(words), "{words}: {run:?}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    for flag in ["--version", "-V"] {
        let run = TestEnv::new().run(".", &[flag]);
        assert_eq!((run.code, run.out.trim_end()), (0, concat!("closeout ", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn wrong_arguments_are_told_with_a_hint() {
    let env = TestEnv::new();
    for (arguments, hint) in [
        (["check", "--jsn"].as_slice(), "'--json'"),
        (&["check", "--task-kind", "POEM"], "it is one of IMPLEMENTATION, READ_INFO, REPORT"),
        (&["check", "--decision-file"], "--decision-file <FILE>"),
        (&["check", "a", "b"], "unexpected argument 'b'"),
        (&["classify", "--json", "--jsonl"], "cannot be used with"),
        (&["status", "\u{1b}]0;PWNED\u{7}", "--\u{1b}]0;PWNED\u{7}"], "unexpected argument"),
    ] {
        let run = env.run(".", arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        if arguments.contains(&"--json") {
            let told = run.json();
            assert!(told["exit_code"] == 2 && told["error"].as_str().unwrap().contains(hint), "{told}");
        } else {
            assert_eq!(run.out, "", "{arguments:?}");
        }
        assert!(run.err.contains(hint), "{arguments:?}: {run:?}");
        assert!(!run.err.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_mistyped_command_is_told_from_a_path() {
    let env = TestEnv::with_demo();
    for (arguments, hint) in [
        (["chekc"].as_slice(), "did you mean `closeout check`?"),
        (&["sttus", "x"], "did you mean `closeout status`?"),
        (&["blorf"], "`closeout --help` lists the commands"),
    ] {
        let run = env.run(env.shop(), arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(
            run.err.contains("is no command, and there is no such path") && run.err.contains(hint),
            "{run:?}"
        );
    }
    // A folder that is there is a path, whatever a command is called.
    let run = env.run(env.shop(), &["src"]);
    assert!(run.err.contains("`closeout status`"), "{run:?}");
    let run = env.run(env.shop(), &["log", "/no/such/path"]);
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
    for arguments in [["completions", "bash"].as_slice(), &["man"]] {
        let run = env.run(env.shop(), arguments);
        assert!(run.code == 0 && run.out.contains("closeout"), "{run:?}");
    }
}

#[test]
fn the_screen_wants_a_terminal_and_names_what_does_not() {
    let env = TestEnv::with_demo();
    for arguments in [[].as_slice(), &["watch"], &["some/path"]] {
        let run = env.run(env.shop(), arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        assert!(run.err.contains("`closeout status`"), "{run:?}");
    }
}
