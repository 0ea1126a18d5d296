//! How the files of a repository are shared among users: `core.sharedRepository`, read as git reads it.

use rustix::fs::RawMode;

use super::call_error::GitError;
use super::config::config_entries;
use super::format::is_true;
use super::runner::Git;
use crate::disk::write::Sharing;

const GROUP: Sharing = Sharing::Added(0o660);
const EVERYBODY: Sharing = Sharing::Added(0o664);

impl Git<'_> {
    /// Who may use the files that are created in the repository. Git is asked once.
    ///
    /// # Errors
    /// Git did not respond, or cannot read a file of settings.
    pub fn sharing(&self) -> Result<Sharing, GitError> {
        if let Some(known) = self.repo.sharing.get() {
            return Ok(*known);
        }
        let entries = config_entries(self)?;
        let set = entries.iter().rev().find(|entry| entry.key == "core.sharedrepository");
        Ok(*self.repo.sharing.get_or_init(|| set.map(|entry| of(&entry.value)).unwrap_or_default()))
    }
}

/// What the value of the setting means. With one that git refuses, it writes nothing, and nothing is shared here.
fn of(value: &str) -> Sharing {
    match value {
        "umask" => return Sharing::Masked,
        "group" => return GROUP,
        "all" | "world" | "everybody" => return EVERYBODY,
        _ => {}
    }
    let octal = value.trim_ascii_start();
    if octal.is_empty() {
        return Sharing::Masked;
    }
    match RawMode::from_str_radix(octal, 8) {
        // These numbers are older than modes are.
        Ok(1) => GROUP,
        Ok(2) => EVERYBODY,
        Ok(mode) if mode & 0o600 == 0o600 => Sharing::Exactly(mode & 0o666),
        Err(_) if is_true(value) => GROUP,
        Ok(_) | Err(_) => Sharing::Masked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_value_is_known() {
        for (value, expected) in [
            ("umask", Sharing::Masked),
            ("false", Sharing::Masked),
            ("0", Sharing::Masked),
            ("", Sharing::Masked),
            ("no", Sharing::Masked),
            ("group", GROUP),
            ("true", GROUP),
            ("yes", GROUP),
            ("1", GROUP),
            ("01", GROUP),
            ("all", EVERYBODY),
            ("world", EVERYBODY),
            ("everybody", EVERYBODY),
            ("2", EVERYBODY),
            ("0640", Sharing::Exactly(0o640)),
            ("0777", Sharing::Exactly(0o666)),
            ("600", Sharing::Exactly(0o600)),
            ("0460", Sharing::Masked),
            ("Group", Sharing::Masked),
        ] {
            assert_eq!(of(value), expected, "{value}");
        }
    }
}
