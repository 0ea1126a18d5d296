//! The program that is measured: a private copy, so that a build beside the run changes nothing of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, anyhow};

static COPY: OnceLock<PathBuf> = OnceLock::new();

/// Makes the copy, of `other` where another build is to be measured, in a folder that the caller holds.
pub(crate) fn take_copy(other: Option<&str>) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("closeout");
    let from = other.unwrap_or(env!("CARGO_BIN_EXE_closeout"));
    fs::copy(from, &copy).with_context(|| format!("cannot copy {from}"))?;
    COPY.set(copy).map_err(|_| anyhow!("the program was copied already"))?;
    Ok(folder)
}

/// The copy.
pub(crate) fn closeout() -> &'static Path {
    COPY.get().map_or(Path::new(env!("CARGO_BIN_EXE_closeout")), PathBuf::as_path)
}
