//! Runs the program under `strace` and reads what it did: which files it opened for writing or changed, which
//! programs it started, and whether it spoke to the network. Shares no code with what it watches.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use closeout::process::{self, End, Spec};
use regex::Regex;

use super::{BUDGET, SECRET};
use crate::support::pty::Terminal;
use crate::support::repo::git_program;
use crate::support::test_env::TestEnv;

/// The command line that stands for the screen.
pub(super) const SCREEN: &str = "(screen)";
/// Every call that changes a file system, starts a program or connects.
const CALLS: &str = "trace=openat,?open,?creat,?rename,renameat,renameat2,?link,linkat,?symlink,symlinkat,?unlink,\
                     unlinkat,?mkdir,mkdirat,?rmdir,truncate,ftruncate,?chmod,fchmod,fchmodat,?chown,fchown,\
                     fchownat,?lchown,utimensat,?mknod,mknodat,setxattr,lsetxattr,fsetxattr,execve,execveat,connect";

/// What one command did.
pub(super) struct Traced {
    pub(super) words: String,
    pub(super) took: Duration,
    /// How it ended, in words.
    pub(super) end: String,
    said: String,
    calls: Vec<String>,
    here: PathBuf,
}

/// Runs a command line of the program in the folder `here`.
pub(super) fn run(env: &TestEnv, here: &Path, words: &str) -> Traced {
    let folder = env.at("trace");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let to = folder.join("of").display().to_string();
    let mut args: Vec<String> =
        ["-ff", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", "signal=none", "-e"]
            .iter()
            .chain(&[CALLS, "-o", &to, env!("CARGO_BIN_EXE_closeout")])
            .map(|&it| it.to_owned())
            .collect();
    #[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
    let began = Instant::now();
    let (end, said) = if words == SCREEN {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut terminal = Terminal::start_program(&strace(), env, here, &args, (120, 40));
        terminal
            .wait_for("the screen", |shown| shown.is_alternate && shown.rows.iter().any(|row| row.len() > 9));
        terminal.wait_at_most(Duration::from_secs(2), super::is_judged);
        for key in ["\r", "2", "3", "4", "5", "6", "r", "\x1b"] {
            terminal.press(key);
        }
        terminal.wait_at_most(Duration::from_millis(300), |_| false);
        terminal.press("q");
        terminal.wait_at_most(Duration::from_millis(300), |_| false);
        terminal.press("q");
        let code = terminal.wait_for_end();
        (format!("exit {code}"), String::from_utf8_lossy(&terminal.bytes()).into_owned())
    } else {
        args.extend(words.split(' ').map(str::to_owned));
        let mut spec = Spec::new(strace(), here).args(args);
        spec.env = env.variables();
        spec.time_limit = BUDGET * 3;
        let output = process::run(&spec).unwrap();
        let end = if let End::Code(code) = output.end {
            format!("exit {code}")
        } else {
            format!("{:?}", output.end)
        };
        let text = [output.stdout, output.stderr].concat();
        (end, String::from_utf8_lossy(&text).into_owned())
    };
    let took = began.elapsed();
    let files =
        fs::read_dir(&folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let calls = files.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    Traced { words: words.to_owned(), took, end, said, calls, here: here.to_owned() }
}

/// The exit code of a command, and every path that it named to the system.
pub(super) fn look(env: &TestEnv, here: &Path, words: &str) -> (i32, BTreeSet<PathBuf>) {
    let trace = env.at("trace-of-places");
    let to = trace.display().to_string();
    let args = [
        "-f", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", "signal=none", "-e", "trace=%file", "-o", &to,
    ];
    let mut spec =
        Spec::new(strace(), here).args(args).args([env!("CARGO_BIN_EXE_closeout")]).args(words.split(' '));
    spec.env = env.variables();
    spec.time_limit = BUDGET * 3;
    let output = process::run(&spec).unwrap();
    let End::Code(code) = output.end else { panic!("{words}: {:?}", output.end) };
    let text = String::from_utf8_lossy(&fs::read(&trace).unwrap()).into_owned();
    // The arguments of a program that is started are no paths.
    let calls = text.lines().filter(|line| !line.contains("execve(")).filter_map(|line| {
        let (_, rest) = line.split_once('(')?;
        rest.rsplit_once(") = ")
    });
    (code, calls.flat_map(|(args, result)| [paths(args, here), paths(result, here)].concat()).collect())
}

fn strace() -> String {
    process::find_program("strace", std::env::var_os("PATH").as_deref()).unwrap().display().to_string()
}

/// Whether the system allows tracing; if not, why.
pub(super) fn is_missing() -> Option<String> {
    let Some(program) = process::find_program("strace", std::env::var_os("PATH").as_deref()) else {
        return Some("strace is not there".to_owned());
    };
    let spec = Spec::new(program, "/")
        .args(["-qq", "--seccomp-bpf", "-f", "-e", CALLS, "-o", "/dev/null", "/bin/true"]);
    let output = process::run(&spec).unwrap();
    (!output.is_success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

impl Traced {
    /// The command's name, its end and its seconds.
    pub(super) fn summary(&self) -> String {
        let name = self.words.split(' ').next().unwrap_or_default();
        format!("{name} {} {:.1}", self.end, self.took.as_secs_f32())
    }

    /// Everything that a command must not have done. It may change what is below `may_write`.
    pub(super) fn complaints(&self, may_write: &[PathBuf]) -> Vec<String> {
        let mut all = Vec::new();
        if self.took > BUDGET {
            all.push(format!("took {:?}", self.took));
        }
        if !self.end.starts_with("exit ") || self.end == "exit 101" || self.said.contains("panicked") {
            all.push(format!("ended by {}: {}", self.end, self.said));
        }
        if self.said.contains(SECRET) {
            all.push(format!("showed a file outside: {}", self.said));
        }
        let is_plain = |sign: char| !sign.is_control() || matches!(sign, '\n' | '\t');
        if self.words != SCREEN && !self.said.chars().all(is_plain) {
            all.push(format!("printed a control character: {:?}", self.said));
        }
        for call in &self.calls {
            all.extend(self.complaint(call, may_write));
        }
        all.sort();
        all.dedup();
        all
    }

    fn complaint(&self, call: &str, may_write: &[PathBuf]) -> Option<String> {
        let (name, rest) = call.split_once('(')?;
        let (args, result) = rest.rsplit_once(") = ")?;
        if result.starts_with('-') {
            return None;
        }
        match name {
            "connect" => (!args.contains("AF_UNIX")).then(|| format!("connected: {call}")),
            "execve" | "execveat" => {
                let program = paths(args, &self.here).into_iter().next()?;
                (!is_own(&program)).then(|| format!("ran {}", program.display()))
            }
            "open" | "openat" | "creat" => {
                let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"];
                let path = paths(result, &self.here).into_iter().next()?;
                let is_write = name == "creat" || writes.iter().any(|flag| args.contains(flag));
                (is_write && !is_below(&path, may_write))
                    .then(|| format!("opened for writing {}", path.display()))
            }
            _ => {
                let mut changed = paths(args, &self.here);
                if name.starts_with("symlink") {
                    changed.drain(..changed.len().saturating_sub(1));
                }
                let bad = changed.into_iter().find(|path| !is_below(&resolved(path), may_write))?;
                Some(format!("{name} of {}", bad.display()))
            }
        }
    }
}

/// Programs that closeout may start: itself, git and its parts.
fn is_own(program: &Path) -> bool {
    let git = git_program();
    program == Path::new(env!("CARGO_BIN_EXE_closeout"))
        || program == git
        || program.starts_with(git.parent().unwrap().join("../libexec/git-core"))
        || program.components().any(|part| part.as_os_str() == "git-core")
        || ["/usr/bin/tmux", "/usr/bin/strace"].iter().any(|it| program == Path::new(it))
}

fn is_below(path: &Path, folders: &[PathBuf]) -> bool {
    let devices = ["/dev/null", "/dev/tty", "/dev/ptmx", "/dev/pts"];
    folders.iter().any(|folder| path.starts_with(folder)) || devices.iter().any(|it| path.starts_with(it))
}

/// The path with the links on the way to its last component followed.
fn resolved(path: &Path) -> PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    match folder.canonicalize() {
        Ok(folder) => folder.join(name),
        Err(_) => resolved(folder).join(name),
    }
}

/// The paths in the arguments of a call: a text belongs to the folder of the descriptor before it, and a
/// descriptor without a text stands for itself.
fn paths(args: &str, here: &Path) -> Vec<PathBuf> {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:AT_FDCWD|[0-9]+)<((?:[^>\\]|\\.)*)>|"((?:[^"\\]|\\.)*)""#).unwrap()
    });
    let mut found = Vec::new();
    let mut folder: Option<PathBuf> = None;
    for part in PART.captures_iter(args) {
        if let Some(descriptor) = part.get(1) {
            found.extend(folder.take());
            folder = Some(PathBuf::from(unescaped(descriptor.as_str())));
        } else {
            let text = PathBuf::from(unescaped(&part[2]));
            found.push(folder.take().unwrap_or_else(|| here.to_owned()).join(text));
        }
    }
    found.extend(folder);
    found
}

/// Text as `strace` wrote it: octal numbers and the usual signs after a backslash.
fn unescaped(text: &str) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt as _;
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let digits = after.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        match (first, after.first()) {
            (b'\\', Some(_)) if digits > 0 => {
                let number = after[..digits].iter().fold(0u32, |sum, byte| sum * 8 + u32::from(byte - b'0'));
                bytes.push(u8::try_from(number).unwrap());
                rest = &after[digits..];
            }
            (b'\\', Some(sign)) => {
                bytes.push(match sign {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'v' => 11,
                    b'f' => 12,
                    other => *other,
                });
                rest = &after[1..];
            }
            (byte, _) => bytes.push(*byte),
        }
    }
    std::ffi::OsString::from_vec(bytes)
}

/// Which contents of these objects hold the secret, if any.
pub(super) fn secret_objects(env: &TestEnv, objects: &Path) -> Option<String> {
    let mut spec = Spec::new(git_program(), env.at("."))
        .args(["cat-file", "--batch-all-objects", "--batch", "--buffer"])
        .env("GIT_DIR", env.at("outside/other/.git"))
        .env("GIT_OBJECT_DIRECTORY", objects);
    spec.stdout_cap = 512 << 20;
    let output = process::run(&spec).unwrap();
    let is_there = output.stdout.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    is_there.then(|| "a file outside is in the repository".to_owned())
}
