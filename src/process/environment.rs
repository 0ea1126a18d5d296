//! The environment of an agent or a program of the person: made of what is allowed by name, so that
//! secrets, marks of the session that closeout runs in, and what would run or load something else
//! (`LD_PRELOAD`, `NODE_OPTIONS`, `BASH_ENV`, `GIT_DIR`) stay out.
//!
//! It must not read the environment of this process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::model::VariableNames;

/// What every program may have.
const COMMON: VariableNames = VariableNames {
    allowed: &[
        // Who, where and in which language.
        "HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "SHELL", "TMPDIR", "TZ", "USER",
        // Where its own files are, and the keyring.
        "DBUS_SESSION_BUS_ADDRESS", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS",
        "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        // How the network is reached, and whom to trust there.
        "ALL_PROXY", "CURL_CA_BUNDLE", "HTTPS_PROXY", "HTTP_PROXY", "NODE_EXTRA_CA_CERTS",
        "NODE_USE_SYSTEM_CA", "NO_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy",
        "http_proxy", "https_proxy", "no_proxy",
        // Without these no program starts on some systems (nix-ld), or its wrapper does not (Volta, asdf).
        "ASDF_DATA_DIR", "ASDF_DIR", "LOCALE_ARCHIVE", "NIX_LD", "NIX_LD_LIBRARY_PATH", "NIX_SSL_CERT_FILE",
        "VOLTA_HOME", // The person's wish.
        "DO_NOT_TRACK",
    ],
    except: &[],
};

/// The environment that a program gets of `given`, where `own` is what is meant for it beside what every
/// program needs. There is no terminal, and of `PATH` only folders that do not depend on where it is started.
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

/// The absolute folders of a search path; `None` when there are none.
fn search_path(path: &OsStr) -> Option<OsString> {
    let path =
        std::env::join_paths(std::env::split_paths(path).filter(|folder| folder.is_absolute())).ok()?;
    (!path.is_empty()).then_some(path)
}
