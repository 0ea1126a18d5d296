//! A tmux server of its own, ended with its value, also when a check panics.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::wait::until;

/// A server with one session, `work`.
pub(crate) struct Tmux {
    name: String,
    variables: Vec<(OsString, OsString)>,
}

/// One window with one pane, in which a program runs.
#[derive(Debug, Clone)]
pub(crate) struct Pane {
    /// Its id, like `%3`.
    pub(crate) id: String,
    /// The process that was started in it.
    pub(crate) pid: u32,
}

impl Tmux {
    /// Starts a server whose socket lies in `scratch`.
    pub(crate) fn start(scratch: &Path) -> Result<Tmux> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("closeout-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let variables = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
            ("TERM".into(), "xterm-256color".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("HOME".into(), scratch.join("home").into()),
            ("TMUX_TMPDIR".into(), scratch.into()),
        ];
        let tmux = Tmux { name, variables };
        tmux.run(&["new-session", "-d", "-s", "work", "-x", "200", "-y", "60", "sh"])?;
        tmux.run(&["set-option", "-g", "remain-on-exit", "on"])?;
        Ok(tmux)
    }

    fn output(&self, arguments: &[&str]) -> Result<Output> {
        Command::new("tmux")
            .args(["-L", &self.name, "-f", "/dev/null"])
            .args(arguments)
            .env_clear()
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::null())
            .output()
            .context("tmux")
    }

    fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = self.output(arguments)?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tmux {}: {complaint}", arguments.join(" "));
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// The value of `TMUX` in a pane of this server.
    pub(crate) fn variable(&self) -> Result<String> {
        self.run(&["display-message", "-p", "-t", "work", "#{socket_path},#{pid},0"])
    }

    /// Runs a program in a window of its own, without a shell around it.
    pub(crate) fn open(
        &self,
        here: &Path,
        size: (u16, u16),
        variables: &[(String, OsString)],
        command: &[String],
    ) -> Result<Pane> {
        let mut words: Vec<String> =
            ["new-window", "-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-t", "work:", "-c"]
                .map(str::to_owned)
                .into();
        words.push(here.display().to_string());
        // `env` runs in the pane, so that TMUX and TMUX_PANE, which tmux sets there, can be kept.
        words.extend(["sh", "-c"].map(str::to_owned));
        let set: Vec<String> =
            variables.iter().map(|(name, value)| quoted(&format!("{name}={}", value.display()))).collect();
        let command: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        words.push(format!(
            "stty cols {} rows {} 2>/dev/null; exec env -i TMUX=\"$TMUX\" TMUX_PANE=\"$TMUX_PANE\" {} {}",
            size.0,
            size.1,
            set.join(" "),
            command.join(" ")
        ));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let told = self.run(&words)?;
        let (id, pid) = told.split_once(' ').context("no pane")?;
        let pane = Pane { id: id.to_owned(), pid: pid.parse()? };
        self.run(&["resize-window", "-t", id, "-x", &size.0.to_string(), "-y", &size.1.to_string()])?;
        Ok(pane)
    }

    /// What a pane shows, without colours.
    pub(crate) fn screen(&self, pane: &Pane) -> String {
        self.run(&["capture-pane", "-p", "-t", &pane.id]).unwrap_or_else(|error| format!("{error:#}"))
    }

    /// Waits for what a pane shows.
    pub(crate) fn wait_for(
        &self,
        pane: &Pane,
        what: &str,
        limit: Duration,
        is_there: impl Fn(&str) -> bool,
    ) -> Result<()> {
        until(what, limit, || is_there(&self.screen(pane)).then_some(()))
            .map_err(|error| error.context(format!("the pane shows:\n{}", self.screen(pane))))
    }

    /// Presses one key, by tmux's name for it.
    pub(crate) fn press(&self, pane: &Pane, key: &str) -> Result<()> {
        self.run(&["send-keys", "-t", &pane.id, key]).map(drop)
    }

    /// Types a text, and does not press Enter.
    pub(crate) fn type_text(&self, pane: &Pane, text: &str) -> Result<()> {
        self.run(&["send-keys", "-l", "-t", &pane.id, "--", text]).map(drop)
    }

    /// Waits until the cursor stands in this column, counted from 0.
    pub(crate) fn wait_for_column(&self, pane: &Pane, column: usize, limit: Duration) -> Result<()> {
        let place =
            || self.run(&["display-message", "-p", "-t", &pane.id, "#{cursor_x}"]).unwrap_or_default();
        until("the cursor's column", limit, || (place() == column.to_string()).then_some(()))
            .map_err(|error| error.context(format!("it is in column {}\n{}", place(), self.screen(pane))))
    }

    /// Types a text until the screen contains `shown`. Some clients lose keys that come while they draw, so a text that
    /// does not appear is wiped by `wipe` and typed again.
    pub(crate) fn type_until_shown(
        &self,
        pane: &Pane,
        text: &str,
        shown: &str,
        wipe: impl Fn() -> Result<()>,
    ) -> Result<()> {
        for attempt in 1.. {
            self.type_text(pane, text)?;
            let limit = Duration::from_secs(8);
            match self.wait_for(pane, "the typed text", limit, |screen| screen.contains(shown)) {
                Ok(()) => break,
                Err(error) if attempt == 3 => return Err(error),
                Err(_) => wipe()?,
            }
        }
        Ok(())
    }

    /// Types a line and presses Enter until `is_taken`, again where the client lost the key; a line that was taken is not
    /// in the box any more, and an Enter there does nothing. A client that does not take a line after many of them is
    /// given it anew, once.
    pub(crate) fn submit(&self, pane: &Pane, text: &str, is_taken: impl Fn() -> bool) -> Result<()> {
        for _ in 0..2 {
            self.type_until_shown(pane, text, text, || self.press(pane, "C-u"))?;
            let end = Instant::now() + Duration::from_secs(20);
            while Instant::now() < end {
                self.press(pane, "Enter")?;
                if until("the prompt", Duration::from_millis(1500), || is_taken().then_some(())).is_ok() {
                    return Ok(());
                }
            }
            self.press(pane, "C-u")?;
        }
        bail!("the prompt {text:?} was not taken; the pane shows:\n{}", self.screen(pane))
    }

    /// Presses Enter until a prompt that the pane shows is gone: an Enter that comes while the prompt is
    /// being drawn is lost.
    pub(crate) fn accept(&self, pane: &Pane, is_shown: impl Fn(&str) -> bool) -> Result<()> {
        for _ in 0..10 {
            self.press(pane, "Enter")?;
            let is_gone = || (!is_shown(&self.screen(pane))).then_some(());
            if until("the end of the prompt", Duration::from_secs(2), is_gone).is_ok() {
                return Ok(());
            }
        }
        bail!("Enter does not end the prompt; the pane shows:\n{}", self.screen(pane))
    }

    /// Appends to `file` every byte that the program in a pane writes from now on.
    pub(crate) fn keep_bytes(&self, pane: &Pane, file: &Path) -> Result<()> {
        let append = format!("cat >> {}", quoted(&file.display().to_string()));
        self.run(&["pipe-pane", "-t", &pane.id, &append]).map(drop)
    }

    /// Ends what runs in a pane, and the pane.
    pub(crate) fn close(&self, pane: &Pane) {
        let _ = self.output(&["kill-pane", "-t", &pane.id]);
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.output(&["kill-server"]);
    }
}

/// A word for `sh`.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
