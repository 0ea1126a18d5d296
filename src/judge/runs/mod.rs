//! Runs in the record: tests, builds, lints and type checks that an agent ran, how each ended, and whether
//! files were changed afterwards. Pure and total.
//!
//! A failed run stays red until the same or a wider run passes; any change to a file ends a green. Commands
//! that hide an exit code, and what a tool prints instead, are handled per command. Must not guess: what
//! cannot be determined is unknown. The tools are listed in `assets/checks.toml`.

mod acts;
mod called;
mod calls;
mod catalog;
mod checks;
mod clause;
mod command;
mod demanded;
mod demanded_acts;
mod demands;
mod edits;
mod exit_says;
mod fold;
mod joined_script;
mod learned_demand;
mod lines;
mod memory;
mod mention;
mod named_check;
mod narrowing;
mod outcome;
mod own_tools;
mod read;
mod run;
mod script;
mod tokens;
mod wrapper;

pub use called::last_run;
pub use catalog::Catalog;
pub(super) use clause::own_lines;
pub use demanded_acts::DemandedAct;
pub use demands::{Demands, demanded_acts};
pub use memory::Memory;
pub use named_check::{Demanded, Named};
pub use narrowing::packages;
pub(super) use script::joined as path_from;

use command::CommandRead;
use fold::Fold;

use crate::judge::words;
use crate::model::{BackgroundTask, CommandRun, Deed, RunsSummary, StepMoment, Task, TurnHistory};

/// Words of a task that is about its checks; the failures from before it are then its work.
const ABOUT_CHECKS: [&str; 26] = [
    "test", "fail", "red", "green", "build", "lint", "clippy", "ci", "pipeline", "error", "warning",
    "broken", "compile", "type check", "typecheck", "テスト", "失敗", "エラー", "ビルド", "测试", "失败",
    "错误", "테스트", "실패", "prueba", "fehl",
];

/// Whether all of these are servers and watchers, which never end, so that nothing waits for them (DESIGN.md
/// 2.2). A task whose command line is unknown may be anything.
pub fn never_end(tasks: &[BackgroundTask]) -> bool {
    let is_endless = |task: &BackgroundTask| {
        // A client that names no command line describes the task by it, if by nothing else.
        let line = task.command.as_deref().or(task.what.as_deref());
        line.is_some_and(|line| read::never_ends(line, Catalog::built_in()))
    };
    !tasks.is_empty() && tasks.iter().all(is_endless)
}

/// Whether a command line runs tests, builds, linters or type checks and nothing else.
pub fn are_only_checks(line: &str) -> bool {
    read::are_only_checks(line, Catalog::built_in())
}

/// Whether a command changed files, or may have.
pub(super) fn changes_files(run: &CommandRun) -> bool {
    read::read(run, None, Catalog::built_in()).is_edit
}

/// Whether a command line only reads: each of its commands is known to change nothing.
pub fn only_reads(line: &str) -> bool {
    read::only_reads(line, Catalog::built_in())
}

/// What the runs of a session mean for `task`, or for the whole session if there is no task, reusing what `memory` kept of
/// this session. Paths are compared with `home`, the session's folder.
pub fn summarize(
    history: &TurnHistory,
    task: Option<&Task>,
    home: Option<&str>,
    catalog: &Catalog,
    memory: &mut Memory,
) -> RunsSummary {
    let begin = task.map_or(0, |task| task.begin);
    if memory.home.as_deref() != home {
        *memory = Memory { home: home.map(str::to_owned), ..Memory::default() };
    }
    let can_go_on = match memory.steps.settled_mut() {
        Some(settled) => settled.begin == begin || settled.begin_task(begin),
        None => begin == 0,
    };
    if !can_go_on {
        memory.steps.refold(Fold::new(begin));
    }
    let n_known = memory.places.follow(&history.turns);
    let fold = memory.steps.fold(
        n_known,
        |at| memory.places.steps_from(at, &history.turns),
        &Fold::new(begin),
        |step, _| match &step.deed {
            Deed::Command(run) => {
                let moment = StepMoment { order: step.order, at: step.at };
                Some(CommandRead::of(read::read(run, home, catalog), moment))
            }
            Deed::Edit { .. } | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => None,
        },
        |fold, step, command| fold.take(step, command.as_ref(), home),
    );
    fold.summary(task.is_some_and(is_about_checks), home)
}

/// Whether the task is about its checks. "That test has been red for weeks, leave it alone" is not about it.
fn is_about_checks(task: &Task) -> bool {
    let texts = [&task.first_prompt, &task.last_prompt].map(|text| text.to_lowercase());
    let sentences = texts.iter().flat_map(|text| text.split(['\n', '.', ';', '。']));
    let mut about = sentences.filter(|sentence| !words::has(sentence, "leaves_alone"));
    about.any(|sentence| ABOUT_CHECKS.iter().any(|word| has_word(sentence, word)))
}

/// Whether a word begins with `begin`; in scripts without spaces, whether `begin` occurs anywhere.
fn has_word(text: &str, begin: &str) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + begin.len()..].chars().next();
        !begin.is_ascii()
            || !before.is_some_and(char::is_alphanumeric)
                && (begin.len() > 3 || !after.is_some_and(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn a_line_only_reads_if_each_of_its_commands_does() {
        for line in [
            "ls", "git status && git log --oneline | head -5", "bash -lc \"rg -n 'a;b' src\"",
            "sed -n '1,80p' a.rs", "cd src; for f in *.rs; do wc -l $f; done",
            "find . -name x | xargs grep y 2>/dev/null", "git branch -v", "cat a > /tmp/b",
            "if [ -f a ]; then cat a; fi", "LANG=C sort a",
        ] {
            assert!(only_reads(line), "{line}");
        }
        for line in [
            "", "ls > files", "sed -n -i p a", "find . -delete", "find . -exec rm {} +", "git branch new",
            "git commit -m x", "cat a | sh", "ls; touch b", "echo $(rm a)", "git diff --output=a", "make",
            "xargs rm < a", "cat <<X > a\nX", "git stash", "python -c 'print(1)'", "sort -o a a",
            "ls && ./build.sh",
        ] {
            assert!(!only_reads(line), "{line}");
        }
    }
}
