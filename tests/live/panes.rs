//! What `tmux list-panes` prints, and what titles tell.

use std::path::Path;

use closeout::agent::built_in;
use closeout::agent::panes::{pane_of, parse_panes};
use closeout::agent::process_stat::read;
use closeout::evidence::LiveSources;
use closeout::evidence::live_facts::{LiveMemory, tell};
use closeout::evidence::panes::PaneSource;
use closeout::model::{ActivitySource, LiveStatus, Pane, ProcessId, Timestamp, WaitsOn};

use super::tmux::Server;
use super::{open_session, request};
use crate::support::repo::Repo;

const WAITS: LiveStatus = LiveStatus::Waiting { on: WaitsOn::Permission };

#[test]
fn the_recorded_list_is_read() {
    let printed = include_str!("../fixtures/agents/tmux/list-panes.txt");
    let panes = parse_panes(printed);
    let found: Vec<_> = panes.iter().map(|pane| (&*pane.place, &*pane.id, pane.pid, &*pane.tty)).collect();
    assert_eq!(found, [("shell:0.0", "%1", 12215, "/dev/pts/2"), ("work:0.0", "%0", 12209, "/dev/pts/0")]);
    assert_eq!((&*panes[1].command, &*panes[1].title), ("claude", "✳ Claude Code"));
    assert!(!panes[1].is_dead && !panes[1].is_in_mode);
}

#[test]
fn hostile_fields_move_no_others() {
    let titled = "w:0.0\t%7\t41\t/dev/pts/9\tnode\t/tmp/x\ta\tb\t1\t0\t1";
    let pane = parse_panes(titled).remove(0);
    assert_eq!((&*pane.title, pane.is_dead, pane.is_in_mode), ("a\tb\t1", false, true));
    for line in ["", "\t\t\t", "w\t%x\t1\tt\tc\tp\tt\t0\t0", "w\t%1 ; kill-server\t1\tt\tc\tp\tt\t0\t0"] {
        assert_eq!(parse_panes(line), [], "{line:?}");
    }
}

#[test]
fn titles_that_were_seen_are_understood_and_others_tell_nothing() {
    let cases = [
        ("codex", "⠹ project", Some(LiveStatus::Busy)),
        ("codex", "[ ! ] Action Required | project", Some(WAITS)),
        ("codex", "[ . ] Action Required | project", Some(WAITS)),
        ("codex", "project", Some(LiveStatus::Idle)),
        // The shell's title, of a person who took Codex's away.
        ("codex", "vm", None),
        ("codex", "", None),
        ("gemini", "✦  Working… (project)", Some(LiveStatus::Busy)),
        ("gemini", "✋  Action Required (project)", Some(WAITS)),
        ("gemini", "◇  Ready (project)   ", Some(LiveStatus::Idle)),
        ("gemini", "project", None),
        ("claude", "✳ Claude Code", None),
        ("opencode", "OC | [ ! ] Action Required", None),
    ];
    for (agent, title, wanted) in cases {
        assert_eq!(
            built_in(agent).unwrap().title_status(title, Path::new("/w/project")),
            wanted,
            "{agent} {title}"
        );
    }
}

#[test]
fn a_title_tells_of_an_open_turn_that_fell_silent() {
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    let id = "01a200e7-11ec-7922-b128-1514eba23115";
    let rollout = repo.root().join(format!("rollout-1-{id}.jsonl"));
    let titles = format!(
        "exec 9>>'{}'\nprintf '\\033]2;⠹ repo\\033\\\\'\nread _\n\
         printf '\\033]2;[ ! ] Action Required | repo\\033\\\\'",
        rollout.display()
    );
    let pane = server.agent("codex", &titles);
    server.wait_for("the first title", &pane, "#{pane_title}", "⠹ repo");
    // Later than any process of this test starts.
    let grew_at = 4_000_000_000_000;
    let live = LiveSources::new(Some(PaneSource::new(server.tmux(None))));
    let request = request(repo.path(), Vec::new());
    let mut memory = LiveMemory::default();
    let mut look = |now: i64| {
        let mut session = open_session("codex", id, repo.path(), grew_at);
        let again = tell(std::slice::from_mut(&mut session), &request, &live, Timestamp(now), &mut memory);
        assert_eq!(session.pane, Some(Pane { socket: None, id: pane.clone() }));
        let words: Vec<_> = session.live.iter().map(|word| (word.source, word.status.clone())).collect();
        (words, again.map(|again| again.0 - grew_at))
    };
    // While the record grows it tells by itself.
    assert_eq!(look(grew_at + 10), (vec![], Some(250)));
    let title = |status: LiveStatus| vec![(ActivitySource::PaneTitle, status)];
    assert_eq!(look(grew_at + 1500), (title(LiveStatus::Busy), Some(3000)));
    server.run(&["send-keys", "-t", &pane, "Enter"]);
    server.wait_for("the second title", &pane, "#{pane_title}", "[ ! ] Action Required | repo");
    // Not asked again within the second, and then asked until ten seconds have passed.
    assert_eq!(look(grew_at + 2400), (title(LiveStatus::Busy), Some(3000)));
    assert_eq!(look(grew_at + 3000), (title(WAITS), Some(10_000)));
    assert_eq!(look(grew_at + 10_000), (title(WAITS), None));
}

/// As the agent's program is that goes on with a session for a reply: it came of closeout, which is in a pane.
#[test]
fn a_program_without_a_terminal_is_in_no_pane() {
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    let told = repo.root().join("told");
    let first = format!(
        "setsid sleep 600 & until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do :; done\n\
         echo $! > '{}'; printf '\\033]2;started\\033\\\\'",
        told.display()
    );
    let pane = server.agent("claude", &first);
    server.wait_for("its program", &pane, "#{pane_title}", "started");
    let pid: u32 = std::fs::read_to_string(&told).unwrap().trim().parse().unwrap();
    let named = |pid| ProcessId { pid, started_at: read(pid).unwrap().started_at };
    let process = named(pid);
    let socket = server.tmux(None).default_socket;
    let panes = PaneSource::new(server.tmux(None)).panes_now(&socket);
    assert_eq!(pane_of(&panes, process), None);
    let first = named(server.pid(&pane));
    assert_eq!(pane_of(&panes, first).map(|listed| &*listed.id), Some(&*pane));
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}
