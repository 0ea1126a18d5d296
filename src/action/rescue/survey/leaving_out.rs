//! Decides which paths a visible commit leaves out unless a person includes them: by name, by size, and new
//! files whose content looks like a key. It must not leave anything out of the record, which holds them all.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::{Survey, key_like};
use crate::disk::PathPatterns;
use crate::model::{LeftOut, PlannedChange, PlannedPath};

/// The largest file that is searched for keys, in bytes.
const LOOKED_INTO: u64 = 1 << 20;

/// The size from which a file counts as large, in bytes.
const LARGE: u64 = 10_000_000;
/// Folders of build products and dependencies.
const JUNK: [&str; 14] = [
    "node_modules", "target", "dist", "build", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache",
    ".pytest_cache", ".gradle", ".next", "coverage", ".cache",
];
/// Names of files that hold keys or passwords.
const SECRETS: [&str; 16] = [
    ".dockercfg", ".envrc", ".git-credentials", ".htpasswd", ".my.cnf", ".netrc", ".npmrc", ".pgpass",
    ".pypirc", ".terraformrc", ".vault-token", "_netrc", "credentials", "kubeconfig", "pgpass.conf",
    "secrets",
];
/// Prefixes of such names.
const SECRET_STARTS: [&str; 2] = [".env.", "secrets."];
/// Suffixes of such names.
const SECRET_ENDS: [&str; 16] = [
    ".env", ".jks", ".kdbx", ".key", ".keystore", ".kubeconfig", ".p12", ".p8", ".pem", ".pfx", ".pkcs12",
    ".ppk", ".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json",
];
/// Private keys, whatever follows in their names but `.pub`.
const KEYS: [&str; 4] = ["id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];
/// What names data files with keys or passwords, as one of the words that `.`, `-` and `_` divide.
const SECRET_WORDS: [&str; 4] = ["secret", "secrets", "kubeconfig", "credentials"];
/// The name of a service's account, in one word.
const SERVICE_ACCOUNT: &str = "serviceaccount";
/// Extensions of data files. A program may be called what it reads, and a text what it tells of.
const DATA: [&str; 9] = ["cfg", "conf", "ini", "json", "properties", "toml", "xml", "yaml", "yml"];
/// What an editor, a copy or a merge puts behind the name of a file.
const COPIES: [&str; 7] = ["~", ".bak", ".backup", ".copy", ".old", ".orig", ".save"];
/// Path suffixes of such files whose names alone are too common.
const SECRET_PLACES: [&str; 3] = [".kube/config", ".docker/config.json", ".config/gh/hosts.yml"];

/// Why a file that is new to git is left out, if it is.
pub(crate) fn of_new(path: &[u8], size: u64) -> Option<LeftOut> {
    let text = String::from_utf8_lossy(path).to_lowercase();
    let (folders, name) = text.rsplit_once('/').unwrap_or(("", &text));
    let is_in_place = SECRET_PLACES
        .iter()
        .any(|end| text.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')));
    let original = COPIES.iter().find_map(|end| name.trim_end().strip_suffix(end)).unwrap_or(name).trim_end();
    if is_in_place || is_secret(name) || is_secret(original) {
        return Some(LeftOut::Secret);
    }
    if folders.split('/').any(|folder| JUNK.contains(&folder)) {
        return Some(LeftOut::Junk);
    }
    (size > LARGE).then_some(LeftOut::Large)
}

/// Whether a file of this name, in lower case, holds keys or passwords.
fn is_secret(name: &str) -> bool {
    let is_data = |(stem, end): (&str, &str)| {
        let mut words = stem.split(['.', '-', '_']);
        DATA.contains(&end)
            && (words.any(|word| SECRET_WORDS.contains(&word))
                || stem.replace(['.', '-', '_'], "").contains(SERVICE_ACCOUNT))
    };
    SECRETS.contains(&name)
        || SECRET_STARTS.iter().any(|start| name.starts_with(start))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || KEYS.iter().any(|start| name.starts_with(start)) && name.rsplit('.').next() != Some("pub")
        || name.rsplit_once('.').is_some_and(is_data)
}

/// Leaves out what is no work: closeout's own folder, the evidence of these names, and what matches the patterns of noise.
pub(crate) fn exclude_no_work(paths: &mut [PlannedPath], evidence: &[String], noise: &[String]) {
    // What cannot be parsed leaves nothing out.
    let noise = PathPatterns::parse(noise).unwrap_or_default();
    for path in paths.iter_mut().filter(|path| path.left_out.is_none()) {
        let is_evidence = |name: &String| is_named(name, &path.path);
        if path.path.starts_with(b".closeout/") || evidence.iter().any(is_evidence) {
            path.left_out = Some(LeftOut::Evidence);
        } else if noise.matches(&path.path) {
            path.left_out = Some(LeftOut::Noise);
        }
    }
}

/// Whether a name from the settings, which is no pattern, is that of the path. An agent can write some of the settings, and
/// a pattern could name all of the work.
fn is_named(name: &str, path: &[u8]) -> bool {
    let parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.map(str::as_bytes).eq(path.split(|byte| *byte == b'/'))
}

/// Leaves out new files that seem to contain a key. Contents are read from `stream`, from which the record was made.
///
/// # Errors
/// [`RescueError::Damage`] if a content is not there any more.
pub(crate) fn leave_keys_out(
    survey: &Survey,
    stream: &Path,
    paths: &mut [PlannedPath],
) -> Result<(), RescueError> {
    let is_looked_into = |path: &PlannedPath| {
        path.change == PlannedChange::Added
            && path.left_out.is_none()
            && path.size > 0
            && path.size <= LOOKED_INTO
    };
    let mut file = None;
    for path in paths.iter_mut().filter(|path| is_looked_into(path)) {
        let Some(blob) = survey.blobs.get(&path.path) else { continue };
        if blob.stamp.git_mode() == "120000" {
            continue;
        }
        let mut content = vec![0; usize::try_from(blob.size).unwrap_or(0)];
        let opened = file.take().map_or_else(|| File::open(stream), Ok);
        let read = opened.and_then(|opened| {
            opened.read_exact_at(&mut content, blob.place.start)?;
            Ok(opened)
        });
        let gone = |_| RescueError::Damage("a content of the record cannot be read again".to_owned());
        file = Some(read.map_err(gone)?);
        if key_like::is_in(&content) {
            path.left_out = Some(LeftOut::Secret);
        }
    }
    Ok(())
}
