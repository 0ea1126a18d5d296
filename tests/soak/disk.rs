//! Power cuts. The repository lies on a file system in a file. At a random moment all processes of the action
//! are stopped and that file is copied; what has not been written to it by then is lost. Then the copy is
//! mounted, which replays the file system's journal as a restarted machine would.
//!
//! The mounts belong to a mount namespace of their own and disappear with its process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

/// The first argument of the process that owns the mounts.
pub(crate) const WORD: &str = "--power-inside";
/// Ordered data, and a journal commit every second, so that at most moments part of an action is on disk.
const OPTIONS: &str = "loop,commit=1";
/// How long the file must stay unwritten before it is copied. File systems' clocks tick every 4 ms.
const STILL: Duration = Duration::from_millis(12);
/// How long to wait until the file system is at rest, or can be unmounted.
const PATIENCE: Duration = Duration::from_mins(2);

/// Why power cuts cannot be tested here; `None` if they can.
pub(crate) fn is_missing() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("only root can mount a file system in a file".to_owned());
    }
    let checks: [(&str, &[&str]); 3] =
        [("mkfs.ext4", &["-V"]), ("losetup", &["-f"]), ("unshare", &["--mount", "true"])];
    checks.into_iter().find_map(|(program, args)| run(program, args).err().map(|error| format!("{error:#}")))
}

/// Runs this program with `arguments` in a process whose temporary folder is a file system in a file.
pub(crate) fn inside(arguments: &[String]) -> Result<ExitStatus> {
    let place = tempfile::tempdir()?;
    let script =
        "mount -t tmpfs -o size=300m tmpfs \"$1\" && cd \"$1\" && mkdir mounted && truncate -s 64M disk \
                  && mkfs.ext4 -q -F disk && mount -o \"$2\" disk mounted || exit
                  export TMPDIR=\"$1/mounted\"; shift 2; exec \"$@\"";
    let status = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"])
        .arg(place.path())
        .arg(OPTIONS)
        .arg(std::env::current_exe()?)
        .arg(WORD)
        .args(arguments)
        .stdin(Stdio::null())
        .status()?;
    Ok(status)
}

/// A file system in a file.
pub(crate) struct Disk {
    mounted: PathBuf,
    file: PathBuf,
    copy: PathBuf,
}

impl Disk {
    /// The file system that holds the temporary folder.
    pub(crate) fn here() -> Result<Disk> {
        let mounted = std::env::temp_dir();
        let beside = mounted.parent().context("no folder beside")?;
        Ok(Disk { file: beside.join("disk"), copy: beside.join("copy"), mounted })
    }

    /// Syncs everything that was written so far.
    pub(crate) fn sync(&self) -> Result<()> {
        run("sync", &["-f", text(&self.mounted)?])
    }

    /// Copies the file. No process may write to the file system meanwhile; pending writes of the kernel are
    /// waited for.
    pub(crate) fn copy(&self) -> Result<()> {
        let changed = || -> Result<_> { Ok(fs::metadata(&self.file)?.modified()?) };
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let before = changed()?;
            std::thread::sleep(STILL);
            if changed()? == before {
                // Most of it are holes. On a busy machine only a copy that leaves them out is made between two writes.
                run("cp", &["--sparse=auto", text(&self.file)?, text(&self.copy)?])?;
                if changed()? == before {
                    return Ok(());
                }
            }
        }
        bail!("the file system does not come to rest")
    }

    /// Continues with the copy in place of the file.
    pub(crate) fn restart(&self) -> Result<()> {
        let begun = Instant::now();
        let mounted = text(&self.mounted)?;
        while let Err(error) = run("umount", &[mounted]) {
            ensure!(begun.elapsed() < PATIENCE, "{error:#}");
            std::thread::sleep(Duration::from_millis(5));
        }
        fs::rename(&self.copy, &self.file)?;
        run("mount", &["-o", OPTIONS, text(&self.file)?, mounted])
    }

    /// Keeps the file for inspection; returns its path.
    pub(crate) fn keep(&self) -> Result<PathBuf> {
        let kept = Path::new("/tmp").join(format!("closeout-power-{}.img", std::process::id()));
        self.sync()?;
        fs::copy(&self.file, &kept)?;
        Ok(kept)
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is no text")
}

fn run(program: &str, args: &[&str]) -> Result<()> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("{program} is missing"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {args:?}: {}", words.trim());
    Ok(())
}
