//! Finds ignore rules that git would wait for, before it does. It must not open them.

use std::ffi::OsStr;
use std::path::Path;

use super::call_error::{GitError, succeeded};
use super::obstacle::says_no_file;
use super::runner::{Git, Stdin};
use super::shadow::Shadow;
use crate::process::End;

impl Git<'_> {
    /// The first file of ignore rules that git would wait for when it lists what is untracked, in words. One that git passes
    /// over is not in its way.
    ///
    /// # Errors
    /// Git did not respond, or cannot tell what it passes over.
    pub fn hanging_rules(&self, shadow: &Shadow) -> Result<Option<String>, GitError> {
        // The outermost comes first: none above another folder hangs when git is asked about that folder.
        for folder in self.repo.folders_with_hanging_rules() {
            if !self.passes_over(shadow, &folder)? {
                return Ok(Some(says_no_file(&self.repo.top.join(folder).join(".gitignore"))));
            }
        }
        Ok(None)
    }

    /// Whether ignore rules match a folder, by those of the folders above only.
    fn passes_over(&self, shadow: &Shadow, folder: &Path) -> Result<bool, GitError> {
        if folder.as_os_str().is_empty() {
            return Ok(false);
        }
        // The command refuses paths that are to be taken literally, and takes one that begins so as it is.
        let path = Path::new("./").join(folder);
        let args = ["--no-literal-pathspecs", "check-ignore", "-q", "--no-index", "--"].map(OsStr::new);
        let output = self.shadowed(shadow, args.into_iter().chain([path.as_os_str()]), Stdin::Lock)?;
        // It fails with another code.
        if output.end == End::Code(1) { Ok(false) } else { succeeded("check-ignore", output).map(|_| true) }
    }
}
