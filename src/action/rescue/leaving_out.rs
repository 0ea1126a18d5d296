//! Which paths a visible commit leaves out unless they are asked for. Everything here is by name and
//! size; the record holds them all the same.

use crate::model::LeftOut;

/// From this size on, in bytes, a file is large.
const LARGE: u64 = 10_000_000;
/// Folders of build products and dependencies.
const JUNK: [&str; 14] = [
    "node_modules",
    "target",
    "dist",
    "build",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".mypy_cache",
    ".pytest_cache",
    ".gradle",
    ".next",
    "coverage",
    ".cache",
];
/// Names of files with keys or passwords.
const SECRETS: [&str; 9] = [
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "credentials",
    "credentials.json",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
];
/// Ends of names of such files.
const SECRET_ENDS: [&str; 6] = [".pem", ".key", ".p12", ".pfx", ".keystore", ".kdbx"];

/// Why a file that is new to git is left out.
pub(super) fn of_new(path: &[u8], size: u64) -> Option<LeftOut> {
    let text = String::from_utf8_lossy(path).to_lowercase();
    let (folders, name) = text.rsplit_once('/').unwrap_or(("", &text));
    if SECRETS.contains(&name)
        || name.starts_with(".env.")
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
    {
        return Some(LeftOut::Secret);
    }
    if folders.split('/').any(|folder| JUNK.contains(&folder)) {
        return Some(LeftOut::Junk);
    }
    (size > LARGE).then_some(LeftOut::Large)
}
