//! The pure judges.

use std::fmt::Write as _;
use std::hint::black_box;

use anyhow::Result;
use closeout::evidence::{Memory, collect};
use closeout::judge::combine::table::{LastPrompt, UserMark};
use closeout::judge::combine::{Case, combine};
use closeout::judge::questions::{Context, classify};
use closeout::judge::weigh::{WeighContext, weigh};
use closeout::model::{Evidence, Proof, Rounds, TaskWork};

use super::Scope;
use super::collecting::{collect_context, request};
use super::fleet::Fleet;
use super::samples::{time, time_in_batches};
use super::table::Table;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    snapshot(scope, table)?;
    texts(scope, table);
    Ok(())
}

fn snapshot(scope: &Scope, table: &mut Table) -> Result<()> {
    let fleet = Fleet::new(1)?;
    std::fs::write(fleet.main().join("tasks.md"), "- [x] parser\n- [ ] tests\n- [ ] changelog\n")?;
    fleet.world.make_dirty(fleet.main(), 6)?;
    let request = request(fleet.main())?;
    let observations = collect(&request, &collect_context(&fleet.world), &mut Memory::default())?;
    let context = WeighContext::new(request.task_kind, &request.policy, &request.settings);
    let count = scope.pick(200, 50);
    let copied = time_in_batches(count, 50, || drop(black_box(observations.clone())));
    let weighed = time_in_batches(count, 50, || drop(black_box(weigh(observations.clone(), &context))));
    table.times(
        "weigh what was read (with a copy of it)",
        &weighed,
        Some(&super::table::Reference::new("the copy", &copied)),
        "≤ 100 µs",
    );
    let sample = weigh(observations.clone(), &context);
    let evidence: Vec<_> = sample.evidence.iter().map(|(_, evidence)| Evidence::clone(evidence)).collect();
    let rounds = Rounds::default();
    let case = Case {
        task_kind: request.task_kind,
        policy: &request.policy,
        rounds: &rounds,
        git: sample.git.as_deref(),
        chosen: &[],
        before: &[],
        prompted_at: sample.session_facts.as_ref().and_then(|facts| facts.prompted_at),
        work: &TaskWork::default(),
        sessions: &[],
        is_temporary: false,
        taken_at: closeout::model::Timestamp(0),
        mark: UserMark::None,
        lapsed: None,
        required: Proof::Said,
        prompt: LastPrompt::Work,
        acted_outside: false,
        passed_at: None,
        is_checked: false,
        is_unseen_in_ci: false,
        question: sample
            .session_facts
            .as_ref()
            .and_then(|facts| facts.last_words.as_ref()?.question.as_ref()),
    };
    let combined = time_in_batches(count, 200, || drop(black_box(combine(&evidence, &case))));
    table.times(&format!("combine {} pieces of evidence", evidence.len()), &combined, None, "≤ 20 µs");
    Ok(())
}

fn texts(scope: &Scope, table: &mut Table) {
    let judge = |text: &str| drop(black_box(classify(text, &Context::default())));
    let small = prose(1_000);
    let count = scope.pick(200, 50);
    table.times("classify 1 kB", &time_in_batches(count, 20, || judge(&small)), None, "≤ 20 µs");
    let middle = prose(100_000);
    table.times("classify 100 kB", &time(count / 2, || judge(&middle)), None, "≤ 2 ms");
    let hostile = [
        ("of \"which which …\"", "which ".repeat(16_667)),
        ("of question marks", "?".repeat(100_000)),
        ("of open brackets", "([{".repeat(33_333)),
        ("of one Japanese word", "どちら".repeat(11_111)),
    ];
    for (name, text) in &hostile {
        table.times(&format!("classify 100 kB {name}"), &time(count / 10, || judge(text)), None, "≤ 2 ms");
    }
    let large = prose(scope.pick(10_000_000, 2_000_000));
    let goal = scope.pick("≤ 200 ms", "≤ 40 ms");
    let name = format!("classify {} MB", large.len() / 1_000_000);
    table.times(&name, &time(scope.pick(7, 3), || judge(&large)), None, goal);
}

/// A report as agents write them, of about so many bytes.
fn prose(n_bytes: usize) -> String {
    let mut text = String::with_capacity(n_bytes + 300);
    let mut number = 0;
    while text.len() + 250 < n_bytes {
        number += 1;
        let _ = write!(
            text,
            "## Step {number}\n\nI changed `src/part{number}.rs` so that the reader keeps its place. The {number} \
             tests pass.\n\n- the parser no longer copies its input\n- errors name the line\n\n"
        );
    }
    text.push_str("The build is green. Which of the two names do you prefer, `Reader` or `Scanner`?\n");
    text
}
