//! A panic that a test plants in a frame (K06 of the faults: what a defect in a view does to the terminal and
//! to a rescue that runs). There is no such switch in a release: it is compiled with debug assertions only.

use crate::cli::environment::Environment;

/// Names a file: while it is there, the next frame panics.
#[cfg(debug_assertions)]
const VARIABLE: &str = "CLOSEOUT_TEST_PANIC";

/// What a test planted; in a release nothing.
#[derive(Debug, Default)]
pub(super) struct Planted {
    #[cfg(debug_assertions)]
    file: Option<std::path::PathBuf>,
}

impl Planted {
    /// What the environment asks for.
    #[cfg(debug_assertions)]
    pub(super) fn of(environment: &Environment) -> Planted {
        Planted { file: environment.variable(VARIABLE).map(Into::into) }
    }

    /// Nothing.
    #[cfg(not(debug_assertions))]
    pub(super) fn of(_: &Environment) -> Planted {
        Planted::default()
    }

    /// Panics if that was asked for.
    #[cfg_attr(
        not(debug_assertions),
        expect(clippy::unused_self, reason = "nothing is planted in a release")
    )]
    pub(super) fn strike(&self) {
        #[cfg(debug_assertions)]
        assert!(!self.file.as_ref().is_some_and(|file| file.exists()), "a planted panic");
    }
}
