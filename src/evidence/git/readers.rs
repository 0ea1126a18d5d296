//! Chooses who reads a repository: libgit2 where it can, the git program where it must or does better.

use std::cell::OnceCell;
use std::path::Path;

use super::GitAsk;
use super::handle::{Handle, Sibling};
use super::in_process::InProcess;
use super::libgit2::{is_unsupported, libgit2_trouble};
use super::program::Program;
use super::reader::Repo;
use crate::git::{self, ObjectFormat, Read, Repository, has_more_entries, trouble};
use crate::model::{GitReader, ReadProblem};

/// With more index entries, the git program takes less CPU than libgit2 (`cargo bench -- collecting`).
const LARGE_INDEX: u32 = 3_000;

/// How many bytes of an attributes file are searched.
const ATTRIBUTES_CAP: u64 = 64 << 10;

/// What a repository is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Everything except the work tree.
    Facts,
    Changes,
}

enum Chosen<'r, 'a> {
    InProcess(&'r InProcess<'a>),
    Program(Program<'a>),
}

/// The readers of one observation; each is opened when it is first needed.
pub(super) struct Readers<'a> {
    repository: &'a Repository,
    ask: &'a GitAsk<'a>,
    in_process: Option<InProcess<'a>>,
    sibling: Option<&'a Sibling>,
    /// The home whose settings libgit2 reads, once it was looked at.
    home: OnceCell<Option<&'a Path>>,
}

impl<'a> Readers<'a> {
    /// Nothing opened yet. `sibling` helps to open a worktree of the same repository.
    pub(super) fn new(
        repository: &'a Repository,
        ask: &'a GitAsk<'a>,
        sibling: Option<&'a Sibling>,
    ) -> Readers<'a> {
        Readers { repository, ask, in_process: None, sibling, home: OnceCell::new() }
    }

    /// Reuses the handle opened earlier in this collection.
    pub(super) fn over(
        repository: &'a Repository,
        ask: &'a GitAsk<'a>,
        handle: Option<Handle>,
    ) -> Readers<'a> {
        let in_process = handle.map(|handle| InProcess::over(repository, handle));
        Readers { in_process, ..Readers::new(repository, ask, None) }
    }

    /// The user's home, unless a file of git's in it would hang libgit2: then the user's settings do not count.
    fn home(&self) -> Option<&'a Path> {
        let is_usable = |home: &&Path| git::user_file_in_the_way(home).is_none();
        *self.home.get_or_init(|| self.ask.home.filter(is_usable))
    }

    /// The libgit2 handle, if opened, for reuse in the same collection.
    pub(super) fn into_handle(self) -> Option<Handle> {
        self.in_process.map(InProcess::into_handle)
    }

    /// Runs `read` with the chosen reader; returns the result and who read it.
    pub(super) fn read<T>(
        &mut self,
        purpose: Purpose,
        read: &mut dyn FnMut(&dyn Repo) -> Read<T>,
    ) -> Read<(T, GitReader)> {
        let ask = self.ask;
        let refused = match self.repo(purpose)? {
            Chosen::Program(repo) => return Ok((read(&repo)?, GitReader::Program)),
            Chosen::InProcess(repo) => match read(repo) {
                Ok(found) => return Ok((found, GitReader::InProcess)),
                Err(unreadable) => unreadable,
            },
        };
        // A split or sparse index shows only now. Any other failure would fail in git too.
        let is_for_program = purpose == Purpose::Changes && refused.problem == ReadProblem::Unsupported;
        if !is_for_program || ask.reader.is_some() || ask.program.is_none() {
            return Err(refused);
        }
        Ok((read(&self.program(&refused.detail)?)?, GitReader::Program))
    }

    fn repo(&mut self, purpose: Purpose) -> Read<Chosen<'_, 'a>> {
        if self.wants_program(purpose) {
            return self.program("this repository").map(Chosen::Program);
        }
        if self.in_process.is_none() {
            match InProcess::open(self.repository, self.home(), self.sibling) {
                Ok(repo) => self.in_process = Some(repo),
                Err(error) if is_for_program(&error) && self.ask.reader.is_none() => {
                    return self.program(error.message()).map(Chosen::Program);
                }
                Err(error) => return Err(libgit2_trouble(self.repository, &error)),
            }
        }
        match &self.in_process {
            Some(repo) => Ok(Chosen::InProcess(repo)),
            None => Err(trouble(ReadProblem::Io, "the repository could not be opened")),
        }
    }

    /// Whether the git program must read, or reads better.
    fn wants_program(&self, purpose: Purpose) -> bool {
        match self.ask.reader {
            Some(GitReader::Program) => true,
            Some(GitReader::InProcess) => false,
            None if !self.repository.has_ref_files() || self.repository.format == ObjectFormat::Sha256 => {
                true
            }
            None => {
                purpose == Purpose::Changes
                    && self.ask.program.is_some()
                    && (has_more_entries(self.repository, LARGE_INDEX)
                        || has_filters(self.repository)
                        || self.ask.home != self.home())
            }
        }
    }

    /// The git program, which `what` needs; an error if there is none.
    pub(super) fn program(&self, what: &str) -> Read<Program<'a>> {
        let program = Program::new(self.repository, self.ask).ok_or_else(|| {
            let detail = format!("{what} can only be read by the git program, which was not found");
            trouble(ReadProblem::Unsupported, detail)
        })?;
        if self.repository.is_extended {
            program.check_known()?;
        }
        Ok(program)
    }
}

/// Whether the user allowed a repository of another user, by git's own rule (`safe.directory`).
pub(super) fn is_allowed(repository: &Repository, ask: &GitAsk<'_>) -> Read<bool> {
    match Program::new(repository, ask) {
        Some(program) => program.is_allowed(),
        None => Ok(!Handle::open_whole(repository, ask.home)
            .is_err_and(|error| error.code() == git2::ErrorCode::Owner)),
    }
}

/// Whether the git program may read what libgit2 refused to open. A repository of another user was allowed
/// before either reader was asked.
fn is_for_program(error: &git2::Error) -> bool {
    is_unsupported(error) || error.code() == git2::ErrorCode::Owner
}

/// Whether attributes request a conversion that libgit2 does not make (a user's filter such as LFS, an
/// encoding), so that converted files would look changed.
fn has_filters(repository: &Repository) -> bool {
    let places = [(&repository.top, ".gitattributes"), (&repository.common_dir, "info/attributes")];
    places.into_iter().any(|(folder, name)| {
        let text = git::read_start(folder, name, ATTRIBUTES_CAP).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.contains("filter=") || text.contains("working-tree-encoding")
    })
}
