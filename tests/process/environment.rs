//! P07: what of a person's environment reaches an agent, as the agent itself prints it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use closeout::agent::Adapter;
use closeout::model::{AgentTrail, CustomAgent};
use closeout::process::{Launcher, Spec, environment, run};

/// What closeout itself is given: a person's environment, inside a session of an agent inside of tmux.
const GIVEN: &[(&str, &str)] = &[
    ("HOME", "/home/user"),
    ("PATH", ".:/usr/bin::bin:/bin"),
    ("LANG", "ja_JP.UTF-8"),
    ("LC_TIME", "C"),
    ("TERM", "xterm-256color"),
    ("USER", "user"),
    ("SHELL", "/bin/zsh"),
    ("TMPDIR", "/var/tmp"),
    ("XDG_CONFIG_HOME", "/home/user/config"),
    ("https_proxy", "http://proxy:1"),
    ("NO_PROXY", "localhost"),
    ("NODE_EXTRA_CA_CERTS", "/etc/corp.pem"),
    // Agents' own.
    ("ANTHROPIC_API_KEY", "a"),
    ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1"),
    ("CLAUDE_CONFIG_DIR", "/home/user/claude"),
    ("CLAUDE_CODE_USE_BEDROCK", "1"),
    ("CLAUDE_CODE_OAUTH_TOKEN", "t"),
    ("DISABLE_TELEMETRY", "1"),
    ("OPENAI_API_KEY", "o"),
    ("CODEX_HOME", "/home/user/codex"),
    ("MISTRAL_API_KEY", "m"),
    ("GEMINI_API_KEY", "g"),
    ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:2"),
    ("OPENCODE_CONFIG", "/home/user/opencode.json"),
    // Marks of the session around.
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_ENTRYPOINT", "cli"),
    ("CLAUDE_CODE_SESSION_ID", "s"),
    ("CLAUDE_CODE_CHILD_SESSION", "1"),
    ("CLAUDE_CODE_SSE_PORT", "9"),
    ("CLAUDE_CODE_MESSAGING_TOKEN", "x"),
    ("CLAUDE_PID", "9"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "1"),
    ("CODEX_THREAD_ID", "c"),
    ("GEMINI_CLI", "1"),
    ("OPENCODE", "1"),
    ("OPENCODE_PID", "9"),
    ("TMUX", "/tmp/tmux-0/default,1,0"),
    ("TMUX_PANE", "%1"),
    ("CLOSEOUT_PROBE", "1"),
    // What would run or load something else, and what is nobody's business.
    ("GIT_DIR", "/elsewhere"),
    ("GIT_TRACE", "/tmp/trace"),
    ("LD_PRELOAD", "/tmp/evil.so"),
    ("LD_LIBRARY_PATH", "/tmp"),
    ("NODE_OPTIONS", "--require /tmp/evil.js"),
    ("BASH_ENV", "/tmp/evil.sh"),
    ("ENV", "/tmp/evil.sh"),
    ("PYTHONPATH", "/tmp"),
    ("DATABASE_PASSWORD", "secret"),
    ("SSH_AUTH_SOCK", "/tmp/agent"),
    ("PWD", "/somewhere"),
    ("DISPLAY", ":0"),
];

/// What every agent gets.
const COMMON: &[&str] = &[
    "HOME=/home/user", "LANG=ja_JP.UTF-8", "LC_TIME=C", "NODE_EXTRA_CA_CERTS=/etc/corp.pem",
    "NO_PROXY=localhost", "PATH=/usr/bin:/bin", "SHELL=/bin/zsh", "TERM=dumb", "TMPDIR=/var/tmp",
    "USER=user", "XDG_CONFIG_HOME=/home/user/config", "https_proxy=http://proxy:1",
];

fn given() -> BTreeMap<OsString, OsString> {
    GIVEN.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// What a program prints that is given the environment for `adapter`.
fn printed(adapter: &Adapter) -> Vec<String> {
    let mut spec = Spec::new("/usr/bin/env", "/");
    spec.env = environment(&given(), &adapter.facts().variables);
    spec.own_session = Some(Launcher { program: env!("CARGO_BIN_EXE_closeout").into() });
    let output = run(&spec).unwrap();
    assert!(output.is_success());
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    lines.retain(|line| !line.starts_with("CLOSEOUT_RUN="));
    lines.sort();
    lines
}

fn common_and(own: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = COMMON.iter().chain(own).map(|&line| line.to_owned()).collect();
    lines.sort();
    lines
}

#[test]
fn claude_gets_its_own_names_and_no_mark_of_a_session() {
    let own = [
        "ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "CLAUDE_CODE_OAUTH_TOKEN=t",
        "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CONFIG_DIR=/home/user/claude", "DISABLE_TELEMETRY=1",
    ];
    assert_eq!(printed(&Adapter::named("claude", "/".into()).unwrap()), common_and(&own));
}

#[test]
fn codex_gets_its_own_names_and_the_keys_of_providers() {
    let own = [
        "ANTHROPIC_API_KEY=a", "CODEX_HOME=/home/user/codex", "GEMINI_API_KEY=g", "MISTRAL_API_KEY=m",
        "OPENAI_API_KEY=o",
    ];
    assert_eq!(printed(&Adapter::named("codex", "/".into()).unwrap()), common_and(&own));
}

#[test]
fn opencode_gets_its_own_names_and_those_of_providers() {
    let own = [
        "ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "GEMINI_API_KEY=g",
        "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:2", "MISTRAL_API_KEY=m", "OPENAI_API_KEY=o",
        "OPENCODE_CONFIG=/home/user/opencode.json",
    ];
    assert_eq!(printed(&Adapter::named("opencode", "/".into()).unwrap()), common_and(&own));
}

#[test]
fn gemini_gets_its_own_names_only() {
    let own = ["GEMINI_API_KEY=g", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:2"];
    assert_eq!(printed(&Adapter::named("gemini", "/".into()).unwrap()), common_and(&own));
}

#[test]
fn an_agent_of_the_person_s_gets_the_usual_keys() {
    let agent = CustomAgent {
        name: "mine".to_owned(),
        trail: AgentTrail::Output { place: "out".to_owned() },
        status_file: None,
        reply_file: None,
        probe: None,
        query: None,
        reply: None,
    };
    let own = [
        "ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "GEMINI_API_KEY=g",
        "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:2", "MISTRAL_API_KEY=m", "OPENAI_API_KEY=o",
    ];
    assert_eq!(printed(&Adapter::described(agent)), common_and(&own));
}

#[test]
fn names_that_are_no_text_and_a_path_without_fixed_folders_stay_out() {
    let given = BTreeMap::from([
        (OsString::from_vec(b"ANTHROPIC_\xff".to_vec()), "a".into()),
        ("PATH".into(), ".:bin:".into()),
        ("HOME".into(), OsString::from_vec(b"/h\xff".to_vec())),
    ]);
    let made = environment(&given, &Adapter::named("claude", "/".into()).unwrap().facts().variables);
    let wanted: Vec<(OsString, OsString)> =
        vec![("HOME".into(), OsString::from_vec(b"/h\xff".to_vec())), ("TERM".into(), "dumb".into())];
    assert_eq!(made, wanted);
}
