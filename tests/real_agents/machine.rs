//! What this machine must have, and the clients, installed once into a cache folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::outcome::skip;
use crate::wait::until;

/// How long npm may take to install the clients: some 350 MB over the network.
const INSTALL: Duration = Duration::from_mins(3);

/// The folder of this suite.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_agents")
}

/// What is needed beside Rust and git, and how to get it.
const NEEDED: [(&str, &str); 4] = [
    ("tmux", "install the package tmux"),
    ("python3", "the mock model runs on it; install the package python3"),
    ("node", "install Node 20 or newer from https://nodejs.org"),
    ("npm", "it comes with Node from https://nodejs.org, or as the package npm"),
];

/// Fails as skipped if something is missing.
pub(crate) fn has_what_is_needed() -> Result<()> {
    if !Path::new("/proc/self/stat").exists() {
        return Err(skip("processes are found and ended by way of /proc, which is not here"));
    }
    for (program, advice) in NEEDED {
        if find(program).is_none() {
            return Err(skip(format!("{program} is missing: {advice}")));
        }
    }
    Ok(())
}

fn find(program: &str) -> Option<PathBuf> {
    closeout::process::find_program(program, std::env::var_os("PATH").as_deref())
}

/// The folder with the clients' programs, which are installed if they are not there at the pinned versions.
pub(crate) fn install() -> Result<PathBuf> {
    let cache = std::env::var_os("CLOSEOUT_TEST_CACHE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real-agents"), PathBuf::from);
    fs::create_dir_all(&cache).with_context(|| cache.display().to_string())?;
    // Two runs that share the folder take turns.
    let turn = File::create(cache.join("lock"))?;
    turn.lock()?;
    let pinned = fs::read(folder().join("clients/package-lock.json"))?;
    let done = cache.join("installed.json");
    let programs = cache.join("node_modules/.bin");
    if fs::read(&done).is_ok_and(|installed| installed == pinned) {
        return Ok(programs);
    }
    println!("installing the clients into {} (1.2 GB, once)", cache.display());
    let _ = fs::remove_file(&done);
    for name in ["package.json", "package-lock.json", ".npmrc"] {
        fs::copy(folder().join("clients").join(name), cache.join(name))?;
    }
    let begun = Instant::now();
    run_npm(&cache).map_err(|error| skip(format!("the clients were not installed: {error:#}")))?;
    println!("installed in {:.0} s", begun.elapsed().as_secs_f32());
    fs::write(&done, pinned)?;
    Ok(programs)
}

/// `npm install` and not `npm ci`: the lock file names the packages of the platforms that the registry had
/// when it was made, and `ci` refuses a lock file without the others. It changes no version.
fn run_npm(cache: &Path) -> Result<()> {
    let log = cache.join("npm.log");
    let mut npm = Command::new("npm")
        .args(["install", "--no-save", "--prefer-offline", "--no-progress", "--loglevel=error"])
        .current_dir(cache)
        .stdin(Stdio::null())
        .stdout(File::create(&log)?)
        .stderr(File::options().append(true).open(&log)?)
        .spawn()
        .context("npm")?;
    let ended = until("the end of npm", INSTALL, || npm.try_wait().ok().flatten());
    let Ok(status) = ended else {
        let _ = npm.kill();
        let _ = npm.wait();
        bail!("npm took longer than {} s", INSTALL.as_secs());
    };
    let said = fs::read_to_string(&log).unwrap_or_default();
    let last: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(6).collect();
    ensure!(status.success(), "npm ended with {status}: {}", last.join("; "));
    Ok(())
}

/// The version that an installed client tells.
pub(crate) fn version(programs: &Path, program: &str) -> Result<String> {
    let home = tempfile::tempdir()?;
    let output = Command::new(programs.join(program))
        .arg("--version")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .with_context(|| program.to_owned())?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{program} --version ended with {}: {said}", output.status);
    Ok(said.trim().to_owned())
}
