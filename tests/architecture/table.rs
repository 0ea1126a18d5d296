//! The table of rooms: who may import whom, and who may do what. A new arrow is a commit of its own
//! that changes this table and `src/ARCHITECTURE.md` first.

/// Longest file, in lines without its tests. Aim at 300.
pub(super) const MAX_LINES: usize = 400;

/// Rooms that the design names and that are not built yet.
pub(super) const LATER_ROOMS: [&str; 1] = ["fleet"];

/// What a room may do beyond computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    /// Read the file system.
    ReadFiles,
    /// Change the file system.
    WriteFiles,
    /// Start, signal and end processes.
    Spawn,
    /// Read the environment of the process.
    Environment,
    /// Clocks, threads, locks, async.
    Concurrency,
    /// Statics that are computed at first use (compiled rules).
    LazyStatics,
    /// Connect to this machine's own loopback.
    Connect,
    /// Name the flags with which the system opens files.
    OpenRaw,
}

/// One room.
pub(super) struct Room {
    pub(super) name: &'static str,
    /// The rooms that it imports.
    pub(super) imports: &'static [&'static str],
    pub(super) rights: &'static [Right],
    /// For a pure room the only outside crates that it may use; `None` for any that is not reserved.
    pub(super) crates: Option<&'static [&'static str]>,
}

use Right::{Concurrency, Connect, Environment, LazyStatics, OpenRaw, ReadFiles, Spawn, WriteFiles};

/// The rooms in reading order: each imports only rooms before it.
pub(super) const ROOMS: &[Room] = &[
    Room {
        name: "model",
        imports: &[],
        rights: &[],
        crates: Some(&[
            "bitflags", "schemars", "serde", "strum", "unicode_normalization", "unicode_segmentation",
            "unicode_width",
        ]),
    },
    Room {
        name: "present",
        imports: &["model"],
        rights: &[LazyStatics],
        // `toml` for the texts, which are embedded data; the others for the JSON form.
        crates: Some(&["schemars", "serde", "serde_json", "strum", "toml"]),
    },
    Room {
        name: "judge",
        imports: &["model", "present"],
        rights: &[LazyStatics],
        // `toml` for the rules of each language, which are embedded data; `schemars` for the form of what
        // `classify --json` prints, which is the judge's own value; `sha2` names texts that were read.
        crates: Some(&[
            "bitflags", "pulldown_cmark", "regex", "schemars", "serde", "serde_json", "sha2", "strum",
            "toml", "unicode_normalization", "unicode_segmentation",
        ]),
    },
    Room { name: "monitor", imports: &["model", "present", "judge"], rights: &[], crates: Some(&["serde"]) },
    Room {
        name: "ui",
        imports: &["model", "present"],
        rights: &[LazyStatics],
        // `jiff` for the words of a duration; `now` of its types is refused below.
        crates: Some(&[
            "crossterm", "jiff", "nucleo_matcher", "pulldown_cmark", "ratatui", "strum",
            "unicode_segmentation", "unicode_width",
        ]),
    },
    Room {
        name: "disk",
        imports: &["model"],
        rights: &[ReadFiles, WriteFiles, OpenRaw, Concurrency],
        crates: None,
    },
    Room {
        name: "process",
        imports: &["model"],
        rights: &[ReadFiles, WriteFiles, Spawn, Environment, Concurrency, LazyStatics],
        crates: None,
    },
    Room {
        name: "git",
        imports: &["model", "disk", "process"],
        rights: &[ReadFiles, WriteFiles, Concurrency],
        crates: None,
    },
    Room {
        name: "agent",
        imports: &["model", "disk"],
        rights: &[ReadFiles, Concurrency, LazyStatics],
        crates: None,
    },
    Room {
        name: "evidence",
        // `process` for tmux's list of panes.
        imports: &["model", "disk", "process", "git", "agent"],
        rights: &[ReadFiles, Concurrency, LazyStatics],
        crates: None,
    },
    Room { name: "watch", imports: &["model"], rights: &[ReadFiles, Concurrency], crates: None },
    Room { name: "config", imports: &["model", "disk"], rights: &[ReadFiles], crates: None },
    Room {
        name: "store",
        imports: &["model", "disk"],
        rights: &[ReadFiles, WriteFiles, Concurrency],
        crates: None,
    },
    Room {
        name: "action",
        imports: &["model", "disk", "process", "git", "agent"],
        rights: &[ReadFiles, WriteFiles, Concurrency],
        crates: None,
    },
    Room { name: "fleet", imports: &["model"], rights: &[Concurrency], crates: None },
    Room {
        name: "engine",
        imports: &[
            "model", "present", "judge", "monitor", "process", "git", "agent", "evidence", "watch", "config",
            "store", "action",
        ],
        rights: &[ReadFiles, Concurrency],
        crates: None,
    },
    Room {
        name: "cli",
        imports: &[
            "model", "judge", "monitor", "present", "ui", "process", "git", "agent", "evidence", "watch",
            "config", "store", "action", "fleet", "engine",
        ],
        rights: &[ReadFiles, Environment, Concurrency, LazyStatics],
        crates: None,
    },
];

/// The rooms of `action/rescue` in reading order, each with those that it imports. All of them have the `Rescuer` of
/// the folder's own file, which itself imports `base` only.
pub(super) const RESCUE_ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("survey", &["base"]),
    ("lock", &["base", "survey"]),
    ("trust", &["base", "survey", "lock"]),
    ("ref_transaction", &["base", "survey", "lock"]),
    ("undo", &["base", "survey", "lock", "ref_transaction"]),
    ("loose", &["base", "survey", "lock", "ref_transaction"]),
    ("visible", &["base", "survey", "trust", "ref_transaction"]),
    ("snapshot", &["base", "survey", "ref_transaction", "visible"]),
    ("vault", &["base", "lock", "snapshot"]),
    ("catalogue", &["base", "survey", "lock", "ref_transaction", "vault"]),
    ("record", &["base", "survey", "lock", "ref_transaction", "snapshot", "vault", "catalogue"]),
    ("plan", &["base", "survey", "lock", "trust", "ref_transaction", "visible", "snapshot", "record"]),
    ("commit", &["base", "survey", "lock", "trust", "ref_transaction", "visible", "snapshot", "plan"]),
];

/// A file that may do more than its room, and why.
pub(super) struct Exception {
    pub(super) file: &'static str,
    pub(super) rights: &'static [Right],
    pub(super) crates: &'static [&'static str],
    /// For the reader of this table.
    pub(super) reason: &'static str,
}

/// The exceptions; one that is not needed any more fails a test.
pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        file: "src/process/mod.rs",
        rights: &[OpenRaw],
        crates: &[],
        reason: "the pipes of a child are set not to wait; no file is opened",
    },
    Exception {
        file: "src/process/launcher.rs",
        rights: &[OpenRaw],
        crates: &[],
        reason: "opens the pipe to the process that started it, by its number in /proc",
    },
    Exception {
        file: "src/process/in_terminal.rs",
        rights: &[OpenRaw],
        crates: &[],
        reason: "opens a terminal to count what was typed there and not read",
    },
    Exception {
        file: "src/git/repository.rs",
        rights: &[LazyStatics],
        crates: &[],
        reason: "keeps one setting, for which git is asked when something is first created in a repository; no static",
    },
    Exception {
        file: "src/action/reply/loopback.rs",
        rights: &[Connect],
        crates: &[],
        reason: "a reply to an agent that has a server goes to it over loopback, to the very process that has \
                 the session; nothing else of closeout connects to anything",
    },
];

/// Outside crates that belong to some rooms only.
pub(super) const RESERVED_CRATES: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("crossterm", &["cli", "ui"]),
    ("git2", &["evidence", "action"]),
    ("notify", &["watch"]),
    ("ratatui", &["cli", "ui"]),
    ("rusqlite", &["agent", "store"]),
    ("tempfile", &["process", "git", "store", "action"]),
    ("toml", &["config", "judge", "agent", "present"]),
    ("tracing_appender", &["store"]),
    ("tracing_subscriber", &["store"]),
];

/// What it takes to use a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing.
    Nothing,
    /// This right.
    Of(Right),
    /// More than any room has.
    Refused,
}

/// What a path of the standard library or of a crate needs. The longest prefix that matches decides;
/// what no prefix matches needs nothing.
pub(super) const NEEDS: &[(&str, Need)] = &[
    ("std::fs", Need::Of(ReadFiles)),
    ("std::fs::write", Need::Of(WriteFiles)),
    ("std::fs::remove_file", Need::Of(WriteFiles)),
    ("std::fs::remove_dir", Need::Of(WriteFiles)),
    ("std::fs::remove_dir_all", Need::Of(WriteFiles)),
    ("std::fs::rename", Need::Of(WriteFiles)),
    ("std::fs::copy", Need::Of(WriteFiles)),
    ("std::fs::hard_link", Need::Of(WriteFiles)),
    ("std::fs::soft_link", Need::Of(WriteFiles)),
    ("std::fs::create_dir", Need::Of(WriteFiles)),
    ("std::fs::create_dir_all", Need::Of(WriteFiles)),
    ("std::fs::set_permissions", Need::Of(WriteFiles)),
    ("std::fs::DirBuilder", Need::Of(WriteFiles)),
    ("std::fs::File::create", Need::Of(WriteFiles)),
    ("std::fs::File::create_new", Need::Of(WriteFiles)),
    ("std::os", Need::Of(ReadFiles)),
    ("std::os::unix::fs::symlink", Need::Of(WriteFiles)),
    ("std::os::unix::fs::chown", Need::Of(WriteFiles)),
    ("std::os::unix::fs::lchown", Need::Of(WriteFiles)),
    ("std::os::unix::fs::fchown", Need::Of(WriteFiles)),
    ("std::os::unix::ffi", Need::Nothing),
    ("std::os::unix::net", Need::Refused),
    ("std::os::unix::process", Need::Of(Spawn)),
    ("std::net", Need::Refused),
    ("std::net::Ipv4Addr", Need::Nothing),
    ("std::net::SocketAddr", Need::Nothing),
    ("std::net::TcpStream", Need::Of(Connect)),
    ("std::process", Need::Of(Spawn)),
    ("std::process::ExitCode", Need::Of(Environment)),
    ("std::process::Termination", Need::Of(Environment)),
    ("std::process::id", Need::Of(Concurrency)),
    ("std::env", Need::Of(Environment)),
    ("std::env::temp_dir", Need::Of(WriteFiles)),
    ("std::env::split_paths", Need::Nothing),
    ("std::env::join_paths", Need::Nothing),
    ("std::io::stdin", Need::Of(Environment)),
    ("std::io::stdout", Need::Of(Environment)),
    ("std::io::stderr", Need::Of(Environment)),
    ("std::thread", Need::Of(Concurrency)),
    ("std::time", Need::Of(Concurrency)),
    ("std::time::Duration", Need::Nothing),
    ("std::sync", Need::Of(Concurrency)),
    ("std::sync::Arc", Need::Nothing),
    ("std::sync::Weak", Need::Nothing),
    ("std::sync::LazyLock", Need::Of(LazyStatics)),
    ("std::sync::OnceLock", Need::Of(LazyStatics)),
    ("std::cell", Need::Of(Concurrency)),
    ("jiff::Timestamp::now", Need::Of(Concurrency)),
    ("jiff::Zoned::now", Need::Of(Concurrency)),
    ("tokio", Need::Of(Concurrency)),
    ("tokio::fs", Need::Refused),
    ("tokio::net", Need::Refused),
    ("tokio::process", Need::Of(Spawn)),
    ("rustix", Need::Of(ReadFiles)),
    ("rustix::net", Need::Refused),
    ("rustix::process::kill_process", Need::Of(Spawn)),
    ("rustix::process::kill_process_group", Need::Of(Spawn)),
    ("rustix::process::pidfd_send_signal", Need::Of(Spawn)),
    ("rustix::process::setsid", Need::Of(Spawn)),
    ("rustix::process::setpgid", Need::Of(Spawn)),
    ("rustix::process::wait", Need::Of(Spawn)),
    ("rustix::process::waitid", Need::Of(Spawn)),
    ("rustix::process::waitpid", Need::Of(Spawn)),
    ("rustix::process::set_child_subreaper", Need::Of(Spawn)),
    ("rustix::stdio", Need::Of(Environment)),
    ("crate::disk::write", Need::Of(WriteFiles)),
    ("rustix::fs::OFlags", Need::Of(OpenRaw)),
    ("rustix::fs::ResolveFlags", Need::Of(OpenRaw)),
    ("rustix::fs::AtFlags", Need::Of(OpenRaw)),
    ("rustix::fs::open", Need::Of(OpenRaw)),
    ("rustix::fs::openat", Need::Of(OpenRaw)),
    ("rustix::fs::openat2", Need::Of(OpenRaw)),
    ("rustix::fs::unlink", Need::Of(WriteFiles)),
    ("rustix::fs::unlinkat", Need::Of(WriteFiles)),
    ("rustix::fs::rmdir", Need::Of(WriteFiles)),
    ("rustix::fs::rename", Need::Of(WriteFiles)),
    ("rustix::fs::renameat", Need::Of(WriteFiles)),
    ("rustix::fs::renameat_with", Need::Of(WriteFiles)),
    ("rustix::fs::mkdir", Need::Of(WriteFiles)),
    ("rustix::fs::mkdirat", Need::Of(WriteFiles)),
    ("rustix::fs::mkfifoat", Need::Of(WriteFiles)),
    ("rustix::fs::mknodat", Need::Of(WriteFiles)),
    ("rustix::fs::link", Need::Of(WriteFiles)),
    ("rustix::fs::linkat", Need::Of(WriteFiles)),
    ("rustix::fs::symlink", Need::Of(WriteFiles)),
    ("rustix::fs::symlinkat", Need::Of(WriteFiles)),
    ("rustix::fs::chmod", Need::Of(WriteFiles)),
    ("rustix::fs::chmodat", Need::Of(WriteFiles)),
    ("rustix::fs::fchmod", Need::Of(WriteFiles)),
    ("rustix::fs::chownat", Need::Of(WriteFiles)),
    ("rustix::fs::fchown", Need::Of(WriteFiles)),
    ("rustix::fs::ftruncate", Need::Of(WriteFiles)),
    ("rustix::fs::utimensat", Need::Of(WriteFiles)),
    ("rustix::fs::futimens", Need::Of(WriteFiles)),
    // The screen of a pure room is a buffer; the terminal belongs to the front.
    ("ratatui::Terminal", Need::Of(Environment)),
    ("ratatui::DefaultTerminal", Need::Of(Environment)),
    ("ratatui::backend", Need::Of(Environment)),
    ("ratatui::init", Need::Of(Environment)),
    ("ratatui::try_init", Need::Of(Environment)),
    ("ratatui::run", Need::Of(Environment)),
    ("ratatui::restore", Need::Of(Environment)),
    ("ratatui::try_restore", Need::Of(Environment)),
    ("crossterm", Need::Of(Environment)),
    ("crossterm::event::KeyCode", Need::Nothing),
    ("crossterm::event::KeyEvent", Need::Nothing),
    ("crossterm::event::KeyEventKind", Need::Nothing),
    ("crossterm::event::KeyModifiers", Need::Nothing),
    ("crossterm::event::MouseButton", Need::Nothing),
    ("crossterm::event::MouseEvent", Need::Nothing),
    ("crossterm::event::MouseEventKind", Need::Nothing),
];

/// Methods that open a file for writing when they are called with `true`.
pub(super) const WRITING_METHODS: &[&str] = &["write", "append", "create", "create_new", "truncate"];

/// Methods that change a file.
pub(super) const CHANGING_METHODS: &[&str] =
    &["set_len", "set_modified", "set_permissions", "set_times", "write_all_at", "write_at"];

/// The room of that name.
pub(super) fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}
