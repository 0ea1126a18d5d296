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

    /// What closeout remembers, forgotten.
    pub(crate) fn forget(&self) -> Result<()> {
        let state = self.world.home().join(".local");
        if state.exists() {
            fs::remove_dir_all(state)?;
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
    let common = |own: &str, uuid: &str| {
        format!(
            "{{\"type\":\"{own}\",\"uuid\":\"{uuid}\",\"parentUuid\":null,\"isSidechain\":false,\
             \"sessionId\":\"session\",\"cwd\":\"{}\",\"version\":\"2.1.330\",\
             \"timestamp\":\"2026-01-02T03:04:05.000Z\"",
            top.display()
        )
    };
    format!(
        "{},\"promptSource\":\"typed\",\"origin\":{{\"kind\":\"human\"}},\
         \"message\":{{\"role\":\"user\",\"content\":\"Write the parser\"}}}}\n\
         {},\"message\":{{\"id\":\"{text}\",\"role\":\"assistant\",\"model\":\"bench-model\",\
         \"stop_reason\":\"end_turn\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n",
        common("user", "u"),
        common("assistant", "a"),
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
