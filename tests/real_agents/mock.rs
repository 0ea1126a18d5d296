//! The scripted model server: started on a free port of the loopback, ended with its value.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

use crate::machine::folder;

/// A running server.
pub(crate) struct Mock {
    child: Child,
    log: PathBuf,
    /// Where it listens, like `http://127.0.0.1:40123`.
    pub(crate) url: String,
}

impl Mock {
    /// Starts one that writes its log into `scratch`.
    pub(crate) fn start(scratch: &Path) -> Result<Mock> {
        let log = scratch.join("mock.log");
        let mut child = Command::new("python3")
            .arg(folder().join("mock_model/mock_model.py"))
            .arg(folder().join("mock_model/script.json"))
            .args(["--idle-exit", "600", "--log"])
            .arg(&log)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("python3")?;
        let stdout = child.stdout.take().context("its output")?;
        let mut mock = Mock { child, log, url: String::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let told: serde_json::Value =
            serde_json::from_str(&line).with_context(|| format!("the mock model said {line:?}"))?;
        told["url"].as_str().context("no url")?.clone_into(&mut mock.url);
        Ok(mock)
    }

    /// How many requests came whose last prompt holds these words.
    pub(crate) fn n_requests(&self, words: &str) -> usize {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|request| request["prompt"].as_str().is_some_and(|prompt| prompt.contains(words)))
            .count()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
