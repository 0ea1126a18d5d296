//! A panic that a test plants in a frame (K06 of the faults: what a defect in a view does to the terminal and
//! to a running rescue). It must not exist in a release: it is compiled with debug assertions only.

use crate::cli::environment::Environment;

/// The variable that names a file; while that file exists, the next frame panics.
#[cfg(debug_assertions)]
const VARIABLE: &str = "CLOSEOUT_TEST_PANIC";

/// What a test planted; empty in a release.
#[derive(Debug, Default)]
pub(super) struct Planted {
    #[cfg(debug_assertions)]
    file: Option<std::path::PathBuf>,
}

impl Planted {
    #[cfg(debug_assertions)]
    pub(super) fn of(environment: &Environment) -> Planted {
        Planted { file: environment.variable(VARIABLE).map(Into::into) }
    }

    #[cfg(not(debug_assertions))]
    pub(super) fn of(_: &Environment) -> Planted {
        Planted::default()
    }

    /// Panics if a test asked for it.
    #[cfg_attr(
        not(debug_assertions),
        expect(clippy::unused_self, reason = "nothing is planted in a release")
    )]
    pub(super) fn strike(&self) {
        #[cfg(debug_assertions)]
        assert!(!self.file.as_ref().is_some_and(|file| file.exists()), "a planted panic");
    }
}
