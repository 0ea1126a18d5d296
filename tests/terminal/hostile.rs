//! Text of repositories and agents never reaches the terminal as anything but text.

use std::collections::BTreeSet;

use regex::bytes::Regex;

use super::{LARGE, SMALL, is_judged, on_demo};
use crate::rescue::hostile::{arm, assert_silent};
use crate::support::pty::Terminal;
use crate::support::test_env::TestEnv;

/// Sets a title, blinks, scrolls a region, copies to the clipboard, and rings.
const EVIL: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[5m\u{1b}[2;7r\u{1b}]52;c;ZWNobw==\u{1b}\\\u{9b}5m\u{202e}\u{7}";

/// Everything that the program sends beside text: control sequences without the numbers in them, and
/// single controls.
fn sequences(bytes: &[u8]) -> BTreeSet<String> {
    let all = Regex::new(r"(?-u)\x1b\[[0-9;?<>=!]*[ -/]*[@-~]|\x1b.?|[\x00-\x1a\x1c-\x1f\x7f]").unwrap();
    let numbers = Regex::new("(?-u)[0-9;]+").unwrap();
    let found = all.find_iter(bytes).map(|found| match found.as_bytes() {
        mode if mode.starts_with(b"\x1b[?") => mode.escape_ascii().to_string(),
        other => numbers.replace_all(other, b"".as_slice()).escape_ascii().to_string(),
    });
    found.collect()
}

/// The program's own: modes at the start and the end, then cursor, colours, clearing.
fn own() -> BTreeSet<String> {
    let modes = [
        "?2026h", "?2026l", "?1049h", "?1049l", "?2004h", "?2004l", "?1004h", "?1004l", "?1000h", "?1000l",
        "?1006h", "?1006l", "?25h", "?25l",
    ];
    modes.iter().chain(&["H", "J", "m"]).map(|sequence| format!("\\x1b[{sequence}")).collect()
}

/// The parts of all colour and style sequences.
fn styles(bytes: &[u8]) -> BTreeSet<String> {
    let style = Regex::new(r"(?-u)\x1b\[([0-9;]*)m").unwrap();
    style.captures_iter(bytes).map(|found| String::from_utf8_lossy(&found[1]).into_owned()).collect()
}

// T01, T02
#[test]
fn hostile_names_and_words_reach_the_terminal_as_text() {
    let env = TestEnv::with_demo();
    // closeout's own bell, which rings if the machine is slow, would hide one that came from a text.
    env.configure("[notify]\nways = []\n");
    let shop = env.demo("shop");
    // Worktrees and branches with hostile names; git refuses C0 controls in branches only.
    let folder = format!("../evil{}", EVIL.replace('/', ""));
    shop.git(["worktree", "add", "-q", "-b", "evil\u{9b}5m\u{202e}", &folder]);
    // A folder with a line break in its name, that is no worktree.
    let broken = env.demo(&format!("line\nbreak{EVIL}"));
    broken.git(["init", "-q", "-b", "main"]);
    broken.write(&format!("file{EVIL}.rs"), "x");
    broken.write(
        ".closeout/decision.json",
        serde_json::json!({"decision": "no", "reasons": [EVIL]}).to_string(),
    );
    // A HEAD that git itself would not write.
    let crooked = env.demo("crooked");
    crooked.git(["init", "-q", "-b", "main"]);
    crooked.write(".git/HEAD", format!("ref: refs/heads/x{EVIL}\n"));
    crooked.write(".closeout.toml", format!("\"key{}\" = 1\n", EVIL.escape_unicode()));
    env.agent_says(
        "working",
        &format!("Which one?{EVIL} **bold{EVIL}**\n\n1. A{EVIL}\n2. B\n\nShall I use A?{EVIL}"),
    );

    let given = [broken.path().to_str().unwrap(), crooked.path().to_str().unwrap(), "gone\u{1b}[5m"];
    let mut terminal = Terminal::start(&env, &env.shop(), &given, LARGE);
    terminal.wait_for("two are folded", |shown| shown.has("2 quiet") && super::is_judged(shown));
    terminal.press("o");
    terminal.wait_for("a verdict on each", |shown| shown.list().len() == 9 && super::is_judged(shown));
    terminal.press("g");
    for _ in 0..9 {
        for tab in 1..=6 {
            terminal.press(&format!("{tab}G"));
        }
        terminal.press("\x1bj");
    }
    terminal.press("/nothing\r");
    terminal.wait_for("all keys taken", |shown| shown.list().is_empty());
    terminal.press("q");
    assert_eq!(terminal.wait_for_end(), 0);

    let bytes = terminal.bytes();
    let foreign: Vec<String> = sequences(&bytes).difference(&own()).cloned().collect();
    assert_eq!(foreign, Vec::<String>::new());
    assert!(!styles(&bytes).contains("5"), "something blinks");
    let text = std::str::from_utf8(&bytes).unwrap();
    for sign in ['\u{9b}', '\u{202e}', '\u{7}'] {
        assert!(!text.contains(sign), "{sign:?} reached the terminal");
    }
    assert!(text.contains('␛'), "the hostile names were on the screen");
}

#[test]
fn without_colour_no_colour_is_sent() {
    // The program's own doing, and that of the library below it.
    for (name, value) in [("CLOSEOUT_LOOK", "plain"), ("NO_COLOR", "1"), ("TERM", "vt100")] {
        let env = TestEnv::with_demo().with_variable(name, value);
        let mut terminal = on_demo(&env, SMALL);
        terminal.press("jjjj?q");
        terminal.press("q");
        assert_eq!(terminal.wait_for_end(), 0);
        let found = styles(&terminal.bytes());
        let colours: Vec<&String> = found.iter().filter(|style| is_colour(style)).collect();
        assert!(colours.is_empty(), "{name}={value}: {colours:?}");
    }
}

#[test]
fn with_colour_colours_are_sent() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    assert!(styles(&terminal.bytes()).iter().any(|style| is_colour(style)));
}

fn is_colour(style: &str) -> bool {
    let first = style.split(';').next().and_then(|first| first.parse().ok()).unwrap_or(0_u16);
    matches!(first, 30..=38 | 40..=48 | 58 | 90..=97 | 100..=107)
}

/// Everything that looks and changes nothing, on the screen: each row and each part.
const VIEWS: [&str; 8] = ["\t", "j", "G", "\t", "?", "?", "R", "w"];
/// The same without the screen.
const COMMANDS: [&[&str]; 8] = [
    &["check", "--json"],
    &["status"],
    &["rescue", "--dry-run"],
    &["rescues"],
    &["trust", "--json"],
    &["undo"],
    &["doctor"],
    &["log"],
];

/// Opens every view of every workspace, and a preview of a rescue; then leaves.
fn look_everywhere(terminal: &mut Terminal) {
    for row in 1..=6 {
        terminal.press(&row.to_string());
        for keys in VIEWS {
            terminal.press(keys);
        }
    }
    terminal.press("/uncommitted\r");
    terminal.wait_for("uncommitted selected", |shown| shown.selected() == Some("uncommitted"));
    terminal.press("c");
    terminal.wait_for("the preview", |shown| shown.has("Rescue  uncommitted"));
    terminal.press("\x1b");
    terminal.wait_for("the list", |shown| !shown.has("Rescue  uncommitted"));
    terminal.press("q");
    assert_eq!(terminal.wait_for_end(), 0);
}

/// G04, G01 to G03, G05: with every setting that names a program, every view and command runs none of them.
#[test]
fn no_view_runs_what_a_repository_names() {
    let env = TestEnv::with_demo();
    let repo = env.demo("uncommitted");
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    repo.write("f.canary", "1\n").stage("f.canary");
    repo.git(["commit", "-q", "-m", "one"]);
    repo.write("f.canary", "2\n").write("g.canary", "new\n");
    arm(&repo);
    let mut terminal = Terminal::start(&env, &env.shop(), &[], LARGE);
    terminal.wait_for("a verdict on each worktree", |shown| shown.list().len() == 5 && is_judged(shown));
    look_everywhere(&mut terminal);
    assert_silent(&repo);
    for arguments in COMMANDS {
        let run = env.run(repo.path(), arguments);
        assert!(run.code < 30, "{arguments:?}: {run:?}");
        assert_silent(&repo);
    }
}

/// X04: neither the screen nor a command opens a socket to the internet, nor does a child of theirs.
#[test]
fn no_view_and_no_command_opens_a_socket_to_the_internet() {
    let env = TestEnv::with_demo();
    let repo = env.demo("uncommitted");
    let trace = repo.root().join("sockets");
    let trace_file = trace.display().to_string();
    let program = env!("CARGO_BIN_EXE_closeout");
    let traced = ["-qq", "-f", "--seccomp-bpf", "-e", "trace=socket,connect", "-o", &trace_file, program];
    let tried =
        Terminal::start_program("strace", &env, repo.path(), &["-qq", "-f", "--seccomp-bpf", "true"], SMALL);
    if tried.wait_for_end() != 0 {
        return eprintln!("SKIPPED sockets: strace cannot be used here");
    }
    let look = |terminal: &Terminal| {
        terminal.wait_for_end();
        let text = std::fs::read_to_string(&trace).unwrap();
        assert!(!text.contains("AF_INET"), "{text}");
    };
    let mut terminal = Terminal::start_program("strace", &env, &env.shop(), &traced, LARGE);
    terminal.wait_for("a verdict on each worktree", |shown| shown.list().len() == 5 && is_judged(shown));
    look_everywhere(&mut terminal);
    look(&terminal);
    for arguments in COMMANDS.into_iter().chain([&["rescue", "--yes", "--author", "A <a@b>"][..]]) {
        let all = [&traced[..], arguments].concat();
        look(&Terminal::start_program("strace", &env, repo.path(), &all, LARGE));
    }
}
