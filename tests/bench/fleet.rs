//! Workspaces with agents' records in them: a repository with linked worktrees, each with a decision
//! file and a transcript.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::world::World;

/// Files in each worktree.
const N_FILES: usize = 50;

/// One repository with its worktrees.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) world: World,
    /// The main worktree first.
    pub(crate) tops: Vec<PathBuf>,
}

impl Fleet {
    /// `count` worktrees of one repository, the main one among them. All say that they are not finished.
    pub(crate) fn new(count: usize) -> Result<Fleet> {
        let world = World::new()?;
        let main = world.repository("main", N_FILES)?;
        let mut tops = vec![main.clone()];
        tops.extend(world.worktrees(&main, count - 1)?);
        for top in &tops {
            decide(top, "first")?;
            let transcript = world.transcript(top);
            fs::create_dir_all(transcript.parent().context("no parent")?)?;
            fs::write(transcript, said(top, "The parser is half written. I go on with the tests."))?;
        }
        // In the same second as their files the indexes would be trusted by nobody.
        std::thread::sleep(std::time::Duration::from_millis(1100));
        for top in &tops {
            world.refresh_index(top)?;
        }
        Ok(Fleet { world, tops })
    }

    /// The main worktree, where closeout is started.
    pub(crate) fn main(&self) -> &Path {
        &self.tops[0]
    }

    /// What closeout remembers, set aside: after thousands of files were deleted, a file system takes much longer to make new
    /// ones.
    pub(crate) fn set_state_aside(&self) -> Result<()> {
        let state = self.world.home().join(".local");
        if state.exists() {
            let aside = tempfile::Builder::new().prefix("former-").tempdir_in(self.world.home())?.keep();
            fs::rename(state, aside.join("state"))?;
        }
        Ok(())
    }
}

/// Puts a decision file in place as a careful writer does: written beside, then renamed.
pub(crate) fn decide(top: &Path, reason: &str) -> Result<()> {
    let folder = top.join(".closeout");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("new"), decision(reason))?;
    fs::rename(folder.join("new"), folder.join("decision.json")).map_err(Into::into)
}

/// The content of a decision file that says no.
pub(crate) fn decision(reason: &str) -> String {
    format!("{{\"decision\":\"incomplete\",\"reasons\":[\"{reason}\"]}}\n")
}

/// A prompt and an answer, as lines of a transcript. Lines with the same id are pieces of one message.
pub(crate) fn said(top: &Path, text: &str) -> String {
    prompt(top, LONG_AGO) + &answer(top, LONG_AGO, text)
}

/// The prompt of a turn that begins now and stays open: what is committed from here on is the session's work.
pub(crate) fn turn_begins(top: &Path) -> String {
    prompt(top, &now())
}

/// The end of the turn.
pub(crate) fn turn_ends(top: &Path, text: &str) -> String {
    answer(top, &now(), text)
}

/// A command that the session runs now.
pub(crate) fn runs(top: &Path, number: usize, command: &str) -> String {
    format!(
        "{},\"message\":{{\"id\":\"m{number}\",\"role\":\"assistant\",\"model\":\"bench-model\",\
         \"stop_reason\":\"tool_use\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{number}\",\"name\":\"Bash\",\
         \"input\":{{\"command\":\"{command}\"}}}}]}}}}\n",
        begin(top, "assistant", &now()),
    )
}

/// When the sessions of a fleet were at work.
const LONG_AGO: &str = "2026-01-02T03:04:05.000Z";

fn now() -> String {
    jiff::Timestamp::now().to_string()
}

fn answer(top: &Path, at: &str, text: &str) -> String {
    format!(
        "{},\"message\":{{\"id\":\"{text}\",\"role\":\"assistant\",\"model\":\"bench-model\",\
         \"stop_reason\":\"end_turn\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n",
        begin(top, "assistant", at),
    )
}

fn prompt(top: &Path, at: &str) -> String {
    format!(
        "{},\"promptSource\":\"typed\",\"origin\":{{\"kind\":\"human\"}},\
         \"message\":{{\"role\":\"user\",\"content\":\"Write the parser\"}}}}\n",
        begin(top, "user", at),
    )
}

/// What all lines begin with; the object stays open.
fn begin(top: &Path, kind: &str, at: &str) -> String {
    format!(
        "{{\"type\":\"{kind}\",\"uuid\":\"{kind}\",\"parentUuid\":null,\"isSidechain\":false,\
         \"sessionId\":\"session\",\"cwd\":\"{}\",\"version\":\"2.1.330\",\"timestamp\":\"{at}\"",
        top.display()
    )
}

/// A transcript of `size` bytes: a hole, then real lines at its end.
pub(crate) fn long_transcript(path: &Path, size: u64, top: &Path) -> Result<()> {
    let mut file = File::create(path)?;
    file.set_len(size)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(b"\n")?;
    for number in 0..100 {
        file.write_all(said(top, &format!("Step {number} is done, more to do.")).as_bytes())?;
    }
    Ok(())
}
