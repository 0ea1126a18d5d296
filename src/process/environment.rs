//! The environment of an agent or a user's program. It is built from a list of allowed names, so that
//! secrets, the marks of a session that closeout itself runs in, and variables that run or load something
//! else (`LD_PRELOAD`, `NODE_OPTIONS`, `BASH_ENV`, `GIT_DIR`) stay out.
//!
//! It also finds programs on a search path. It must not read the environment of this process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::model::VariableNames;

/// The variables that every program may have.
const COMMON: VariableNames = VariableNames {
    allowed: &[
        // User, location and language.
        "HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "SHELL", "TMPDIR", "TZ", "USER",
        // The program's own files, and the keyring.
        "DBUS_SESSION_BUS_ADDRESS", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS",
        "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        // How to reach the network, and whom to trust there.
        "ALL_PROXY", "CURL_CA_BUNDLE", "HTTPS_PROXY", "HTTP_PROXY", "NODE_EXTRA_CA_CERTS",
        "NODE_USE_SYSTEM_CA", "NO_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy",
        "http_proxy", "https_proxy", "no_proxy",
        // Without these, programs do not start on some systems (nix-ld), or wrappers do not work (Volta,
        // asdf).
        "ASDF_DATA_DIR", "ASDF_DIR", "LOCALE_ARCHIVE", "NIX_LD", "NIX_LD_LIBRARY_PATH", "NIX_SSL_CERT_FILE",
        "VOLTA_HOME", // The user's preference.
        "DO_NOT_TRACK",
    ],
    except: &[],
};

/// The environment for a program, taken from `given`: the common variables and those in `own`. `TERM` is
/// `dumb`, and `PATH` keeps only absolute folders, so that lookup does not depend on the working directory.
pub fn environment(given: &BTreeMap<OsString, OsString>, own: &VariableNames) -> Vec<(OsString, OsString)> {
    let is_allowed =
        |name: &OsStr| name.to_str().is_some_and(|name| COMMON.contains(name) || own.contains(name));
    let mut made: Vec<(OsString, OsString)> = given
        .iter()
        .filter(|(name, _)| is_allowed(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    made.push(("TERM".into(), "dumb".into()));
    made.extend(
        given.get(OsStr::new("PATH")).and_then(|path| search_path(path)).map(|path| ("PATH".into(), path)),
    );
    made
}

/// The absolute folders of a search path; `None` if there are none.
fn search_path(path: &OsStr) -> Option<OsString> {
    let path =
        std::env::join_paths(std::env::split_paths(path).filter(|folder| folder.is_absolute())).ok()?;
    (!path.is_empty()).then_some(path)
}

/// The absolute path of the program called `name` on the search path `path_var` (the value of `PATH`). Relative and empty
/// entries of it are ignored, because they would find a program of that name in a repository (`SECURITY.md` 1.2).
pub fn find_program(name: &str, path_var: Option<&OsStr>) -> Option<PathBuf> {
    if name.is_empty() || name.contains('/') {
        return None;
    }
    std::env::split_paths(path_var?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|candidate| {
            std::fs::metadata(candidate)
                .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
        })
}
