//! The modes of what several users share. They are those that git gives (`core.sharedRepository`).

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{FileType, Mode, RawMode};

/// Who may use what is created, besides those whom the process's mask leaves in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Nobody.
    #[default]
    Masked,
    /// Whoever has these bits of a mode, too.
    Added(RawMode),
    /// Whoever has these bits of a mode, and nobody else.
    Exactly(RawMode),
}

impl Sharing {
    /// Gives the file or folder, which was just created, its mode.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn share(self, created: impl AsFd) -> io::Result<()> {
        let before = rustix::fs::fstat(&created)?.st_mode;
        let after = self.mode_of(before);
        if after != before {
            rustix::fs::fchmod(&created, Mode::from_raw_mode(after))?;
        }
        Ok(())
    }

    /// The mode of what was created with `mode`, type bits included.
    fn mode_of(self, mode: RawMode) -> RawMode {
        let (Sharing::Added(mut bits) | Sharing::Exactly(mut bits)) = self else { return mode };
        // Who may read may also run, or enter a folder, if the owner may.
        let runnable = |mode: RawMode| (mode & 0o444) >> 2;
        if mode & 0o200 == 0 {
            bits &= !0o222;
        }
        if mode & 0o100 != 0 {
            bits |= runnable(bits);
        }
        let base = if matches!(self, Sharing::Exactly(_)) { mode & !0o777 } else { mode };
        let mut shared = base | bits;
        if FileType::from_raw_mode(mode) == FileType::Directory {
            shared |= runnable(shared);
            if cfg!(target_os = "linux") && shared & 0o060 != 0 {
                // What is created there belongs to the group of the folder; elsewhere it always does.
                shared |= 0o2000;
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_that_git_gives() {
        let (folder, file) = (0o040_000, 0o100_000);
        let group = Sharing::Added(0o660);
        for (sharing, mode, expected) in [
            (Sharing::Masked, folder | 0o700, folder | 0o700),
            (group, folder | 0o755, folder | 0o2775),
            (group, folder | 0o700, folder | 0o2770),
            (group, file | 0o644, file | 0o664),
            (group, file | 0o400, file | 0o440),
            (Sharing::Added(0o664), file | 0o600, file | 0o664),
            (Sharing::Exactly(0o640), file | 0o644, file | 0o640),
            (Sharing::Exactly(0o640), file | 0o444, file | 0o440),
            (Sharing::Exactly(0o600), folder | 0o755, folder | 0o700),
        ] {
            assert_eq!(sharing.mode_of(mode), expected, "{sharing:?} {mode:o}");
        }
    }
}
