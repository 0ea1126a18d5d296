//! One run of a check compared with others of its session: which are the same, and which are wider. Must not
//! decide what a run proves.

use super::narrowing::{packages, picks_packages};
use super::read::FoundRun;
use crate::judge::word_split::words_in;
use crate::judge::words;
use crate::model::{CheckKind, CheckRun, EditedAfter, RunOutcome, StepMoment, TextList};

/// A position between the steps: an edit in the same command can come before or after a run in it.
pub(super) type Place = (u64, u8);

/// Folders that hold one package each.
const PARENTS: [&str; 9] =
    ["packages", "apps", "services", "libs", "modules", "crates", "projects", "plugins", "workspaces"];

/// A run, with what is needed to compare it with others.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) facts: CheckRun,
    narrowed_by: Vec<String>,
    runs_others: bool,
    covers: TextList,
    /// Stands for all that it printed.
    print: Option<u64>,
}

impl Run {
    pub(super) fn of(found: FoundRun, moment: StepMoment) -> Run {
        let FoundRun { tool, command, folder, is_part, outcome, told_by, report, narrowed_by } = found;
        let failing = if outcome == RunOutcome::Failed { report.failing } else { Vec::new() };
        Run {
            facts: CheckRun {
                tool: tool.name.to_owned(),
                kind: tool.rules.kind,
                command,
                folder,
                outcome,
                told_by,
                is_part,
                moment,
                edited_after: EditedAfter::Nothing,
                is_beside: false,
                failing,
                summary: report.summary,
            },
            narrowed_by,
            runs_others: tool.rules.runs_others,
            covers: tool.rules.covers,
            print: report.print,
        }
    }

    /// What identifies the same run: the tool, the folder, and the words that restrict it.
    fn check(&self) -> (&str, Option<&str>, &[String]) {
        (&self.facts.tool, self.facts.folder.as_deref(), &self.narrowed_by)
    }

    pub(super) fn is_same_as(&self, other: &Run) -> bool {
        self.check() == other.check()
    }

    /// Whether it is a run of one of these files by itself.
    pub(super) fn is_of_any(&self, files: &[String]) -> bool {
        let is_removed = |script: &String| files.iter().any(|file| bare(file) == bare(script));
        self.facts.tool == "test file" && self.narrowed_by.iter().any(is_removed)
    }

    pub(super) fn place(&self) -> Place {
        (self.facts.moment.order, 1)
    }

    /// Whether files were changed after this run, given the last edit.
    pub(super) fn is_before(&self, edit: Option<Place>) -> bool {
        edit.is_some_and(|edit| edit > self.place())
    }

    /// Whether this run checks everything that `other` checked.
    pub(super) fn is_as_wide_as(&self, other: &Run) -> bool {
        if self.is_same_as(other) {
            return true;
        }
        let is_tool = self.facts.tool == other.facts.tool
            || self.covers.contains(&other.facts.tool)
            || self.runs_others && !other.runs_others && self.facts.kind == other.facts.kind;
        // All of the check for some packages is not all of it.
        let picks = self.runs_others && self.narrowed_by.iter().any(|word| picks_packages(word));
        is_tool
            && !self.facts.is_part
            && !picks
            && self.is_of_folders_of(other)
            && (!other.is_another_suite() || self.is_another_suite())
            && is_folder_above(self.facts.folder.as_deref(), other.facts.folder.as_deref())
    }

    /// Whether each folder that `other` names behind its call is one that this run names, or below one. A run that names
    /// none is of all.
    fn is_of_folders_of(&self, other: &Run) -> bool {
        let named = |run: &Run| !run.narrowed_by.is_empty() && !run.runs_others;
        let is_below = |path: &String| {
            self.narrowed_by.iter().any(|above| is_folder_above(Some(bare(above)), Some(bare(path))))
        };
        let is_folder = |word: &&String| !word.starts_with('-');
        !named(self) || !named(other) || other.narrowed_by.iter().filter(is_folder).all(is_below)
    }

    /// Whether it picks packages, and something was edited in the folder of another one.
    pub(super) fn picks_others<'f>(&self, mut edited_in: impl Iterator<Item = &'f str>) -> bool {
        let picked = if self.runs_others { packages(&self.facts.command) } else { Vec::new() };
        let is_other = |folder: &str| {
            let mut parts = folder.split('/').skip_while(|part| !PARENTS.contains(part)).skip(1);
            let name = parts.next().filter(|name| !name.is_empty());
            name.is_some_and(|name| !picked.iter().any(|it| it.contains(name) || name.contains(it)))
        };
        !picked.is_empty() && edited_in.any(is_other)
    }

    /// Whether the script that it runs is named for another suite than the plain tests, which those need not contain:
    /// `npm run test:e2e`, `make test-integration`.
    fn is_another_suite(&self) -> bool {
        let mut named = words_in(&self.facts.command, &[]);
        self.runs_others && named.any(|word| words::of("names_another_suite").contains(word))
    }

    /// Whether everything that fails here also failed in `before`, by name. Linters and compilers name nothing: theirs
    /// are the same if they print the same.
    pub(super) fn fails_no_more_than(&self, before: &Run) -> bool {
        let failing = &self.facts.failing;
        let has_names = !failing.is_empty() || !before.facts.failing.is_empty();
        let prints_the_same =
            self.facts.kind != CheckKind::Test && self.print.is_some() && self.print == before.print;
        if has_names {
            !failing.is_empty() && failing.iter().all(|name| before.facts.failing.contains(name))
        } else {
            prints_the_same
        }
    }
}

/// A path as it is named behind a call, without what only says that it is one: `./src/...` is `src`.
fn bare(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/')
}

/// Whether `above` is `below` or a folder above it; `None` is the session's own folder.
fn is_folder_above(above: Option<&str>, below: Option<&str>) -> bool {
    match (above, below) {
        (None, None) => true,
        (None, Some(below)) => !below.starts_with(['/', '~', '$']) && !below.starts_with(".."),
        (Some(_), None) => false,
        (Some(above), Some(below)) => {
            below.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
    }
}
