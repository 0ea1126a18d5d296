//! The monitor: scripts of events, with the whole list of effects that each gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use closeout::model::Response;
use closeout::model::{
    Action, ActivitySource, ActivityState, AskCost, AskPurpose, Attention, Baseline, BaselineOrigin, Changes,
    Claim, CollectProblem, CollectRequest, CommitCounts, Effect, Event, Evidence, EvidenceSummary, Fact,
    FoundWorkspace, GitFacts, GitReader, GivenBaseline, Head, Intent, JumpOutcome, JumpTarget, KeptReports,
    MarkOrder, MarkSeen, NamedBaseline, Names, OfferPolicy, Origin, Pane, Parts, Point, Policy, ProbeAttempt,
    ProbeReading, ProbeWord, ProcessId, Rejection, Rounds, Rule, RunPhase, RunView, Sample, SessionFacts,
    SessionName, SessionPlace, SmartOutcome, SmartReport, SmartStatus, Source, TaskKind, TaskMoment,
    Timestamp, VerdictState, WatchProblem, WatchSettings, WatchTarget, WorkspaceId, WorkspaceSettings,
    WorkspaceView,
};
use closeout::monitor::Monitor;

use crate::support::samples::commit_id;
use crate::support::screen::git_facts;
use crate::support::session_samples::session;

const POLICY: Policy =
    Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 };
const WATCH: WatchSettings = WatchSettings {
    reconcile_ms: 300_000,
    poll_ms: 10_000,
    collect_limit_ms: 10_000,
    fold_after_ms: 72 * 3_600_000,
};
const START: i64 = 1_000_000;

fn id() -> WorkspaceId {
    WorkspaceId::local("/work/a")
}

fn at(millis: i64) -> Timestamp {
    Timestamp(START + millis)
}

fn settings() -> WorkspaceSettings {
    WorkspaceSettings { task_kind: Some(TaskKind::Implementation), ..WorkspaceSettings::default() }
}

fn found() -> FoundWorkspace {
    FoundWorkspace {
        id: id(),
        settings: settings().into(),
        baseline: None,
        named: Vec::new(),
        sessions: Vec::new(),
        problem: None,
        history: Vec::new(),
        drafts: Vec::new(),
        held: Vec::new(),
        timeline: Vec::new(),
        reports: KeptReports::default(),
        run: None,
    }
}

fn discovered() -> Event {
    Event::Discovered { at: at(0), workspaces: vec![found()], refused: Vec::new(), n_older_sessions: 0 }
}

fn changed(millis: i64, parts: Parts) -> Event {
    Event::Changed { at: at(millis), workspace: id(), parts }
}

fn collected(millis: i64, generation: u64, sample: Sample) -> Event {
    Event::Collected {
        at: at(millis),
        workspace: id(),
        generation,
        took_ms: 1,
        outcome: Ok(Box::new(sample)),
    }
}

fn request(generation: u64, parts: Parts, not_before: i64) -> CollectRequest {
    CollectRequest {
        workspace: id(),
        generation,
        parts,
        settings: settings(),
        policy: POLICY,
        task_kind: TaskKind::Implementation,
        git_reader: None,
        baseline: None,
        named: None,
        task_at: None,
        sessions: Vec::new(),
        prompted_at: None,
        not_before: at(not_before),
    }
}

fn collect(request: CollectRequest) -> Effect {
    Effect::Collect(Box::new(request))
}

fn wake(millis: i64) -> Effect {
    Effect::Wake { at: at(millis) }
}

fn sample(millis: i64, parts: Parts) -> Sample {
    Sample {
        parts,
        taken_at: at(millis),
        evidence: Vec::new(),
        git: None,
        checklists: Vec::new(),
        session_facts: parts.contains(Parts::WORDS).then(SessionFacts::default),
        watch_targets: Vec::new(),
        processes: Vec::new(),
        new_baseline: None,
        named: None,
        recheck_at: None,
        in_force: None,
    }
}

fn clean() -> (Parts, Evidence) {
    (Parts::CHANGES, Evidence::abstain(Source::Changes, "git", Rejection::Vacuous, Origin::Git.as_read()))
}

fn commits() -> (Parts, Evidence) {
    (Parts::COMMITS, Evidence::claim(Source::Commits, "git", Claim::Yes, Origin::Git.as_read()))
}

fn decision() -> (Parts, Evidence) {
    (Parts::WORDS, Evidence::claim(Source::Decision, "decision.json", Claim::Yes, Origin::File.as_read()))
}

fn shared(evidence: impl IntoIterator<Item = (Parts, Evidence)>) -> Vec<(Parts, Arc<Evidence>)> {
    evidence.into_iter().map(|(part, evidence)| (part, Arc::new(evidence))).collect()
}

fn whole(millis: i64, evidence: Vec<(Parts, Evidence)>) -> Sample {
    // A session that was asked, so that there is a task.
    let asked =
        Evidence::abstain(Source::LiveSession, "claude", Rejection::Undecided, Origin::File.as_read());
    let evidence = shared(evidence.into_iter().chain([(Parts::WORDS, asked)]));
    Sample { evidence, ..sample(millis, Parts::all()) }
}

fn monitor() -> Monitor {
    Monitor::new(POLICY, WATCH)
}

/// A monitor whose one workspace was read once, at 5 ms, with this evidence.
fn judged(evidence: Vec<(Parts, Evidence)>) -> Monitor {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let _ = monitor.update(collected(5, 1, whole(5, evidence)));
    monitor
}

fn view(monitor: &mut Monitor) -> WorkspaceView {
    let mut views = monitor.take_changes().views;
    assert_eq!(views.len(), 1);
    views.remove(0)
}

#[test]
fn a_new_workspace_is_read_whole_at_once() {
    let mut monitor = monitor();
    let effects = monitor.update(discovered());
    assert_eq!(effects, [collect(request(1, Parts::all(), 0)), wake(300_000)]);
    assert!(!monitor.is_all_judged());
    assert_eq!(view(&mut monitor).verdict, None);
}

#[test]
fn a_sample_becomes_a_verdict_and_watches() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let target = WatchTarget::new("/work/a/.git", Names::these(["HEAD"]), Parts::COMMITS);
    let sample = Sample { watch_targets: vec![target.clone()], ..whole(5, vec![commits(), clean()]) };
    let effects = monitor.update(collected(5, 1, sample));
    assert_eq!(effects, [Effect::Watch { workspace: id(), targets: vec![target] }]);
    let view = view(&mut monitor);
    let verdict = view.verdict.unwrap();
    assert_eq!((verdict.state, verdict.rule()), (VerdictState::Complete, Rule::YesWithCommits));
    assert_eq!((view.attention, view.verdict_since), (Some(Attention::Finished), Some(at(5))));
    assert!(monitor.is_all_judged());
}

#[test]
fn the_first_hint_acts_at_once_and_a_storm_costs_one_more_pass() {
    let mut monitor = judged(vec![commits(), clean()]);
    let first = monitor.update(changed(2_000, Parts::WORDS));
    let parts = Parts::WORDS | Parts::CHANGES | Parts::COMMITS;
    assert_eq!(first, [collect(request(2, parts, 2_000))]);
    for millis in 2_001..2_500 {
        assert_eq!(monitor.update(changed(millis, Parts::WORDS)), []);
    }
    let after = monitor.update(collected(2_500, 2, sample(2_000, parts)));
    assert_eq!(after, [collect(request(3, Parts::WORDS, 2_500))]);
    // The hints that came during the look at the tree ask for one more look, after a pause.
    assert_eq!(monitor.update(collected(2_501, 3, sample(2_500, Parts::WORDS))), [wake(3_500)]);
}

/// How long apart the readings of one of `n` workspaces begin, to whose records a line comes every 100 ms; and the monitor.
fn gaps_of_a_rush(n: usize) -> (Vec<i64>, Monitor, u64) {
    let name = |number: usize| WorkspaceId::local(format!("/work/{number}"));
    let workspaces = (0..n).map(|number| FoundWorkspace { id: name(number), ..found() }).collect();
    let mut monitor = monitor();
    let event = Event::Discovered { at: at(-10_000), workspaces, refused: Vec::new(), n_older_sessions: 0 };
    let mut due = monitor.update(event);
    let (mut read_at, mut last) = (Vec::new(), 0);
    for millis in (0..6_000).step_by(100) {
        let now = at(millis);
        let lines =
            (0..n).map(|number| Event::Changed { at: now, workspace: name(number), parts: Parts::WORDS });
        for event in lines.chain([Event::Woke { at: now }]) {
            due.extend(monitor.update(event));
        }
        while let Some(effect) = due.pop() {
            let Effect::Collect(request) = effect else { continue };
            last = last.max(request.generation);
            if request.workspace == name(0) && millis > 0 {
                read_at.push(millis);
            }
            let workspace = request.workspace.clone();
            let outcome = Ok(Box::new(sample(millis, request.parts)));
            let answer =
                Event::Collected { at: now, workspace, generation: request.generation, took_ms: 1, outcome };
            due.extend(monitor.update(answer));
        }
    }
    (read_at.windows(2).map(|pair| pair[1] - pair[0]).collect(), monitor, last)
}

#[test]
fn a_single_agent_is_read_at_each_line() {
    let (gaps, ..) = gaps_of_a_rush(1);
    assert!(gaps.iter().all(|gap| *gap == 100), "{gaps:?}");
}

#[test]
fn a_rush_of_many_agents_is_read_less_often_and_holds_up_nothing_else() {
    let (gaps, mut monitor, last) = gaps_of_a_rush(20);
    let begin = gaps.iter().position(|gap| *gap > 100).expect("it waits");
    assert!((3..15).contains(&begin), "{gaps:?}");
    assert!(gaps[begin..].iter().all(|gap| (200..=300).contains(gap)), "{gaps:?}");
    let workspace = WorkspaceId::local("/work/0");
    let decided =
        monitor.update(Event::Changed { at: at(5_950), workspace: workspace.clone(), parts: Parts::CHECKS });
    let is_check =
        |effect: &Effect| matches!(effect, Effect::Collect(request) if request.parts.contains(Parts::CHECKS));
    assert!(decided.iter().any(is_check), "{decided:?}");
    let outcome = Ok(Box::new(sample(5_950, Parts::WORDS | Parts::CHECKS)));
    let _ = monitor.update(Event::Collected {
        at: at(5_960),
        workspace: workspace.clone(),
        generation: last + 1,
        took_ms: 1,
        outcome,
    });
    // The rush is over, so the next line is read at once.
    let effects = monitor.update(Event::Changed { at: at(9_000), workspace, parts: Parts::WORDS });
    assert!(matches!(&effects[..], [Effect::Collect(request), ..] if request.not_before == at(9_000)));
}

#[test]
fn followers_wait_for_one_frame() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.update(changed(2_000, Parts::CHECKS));
    let _ = monitor.update(changed(2_001, Parts::CHECKS));
    let parts = Parts::CHECKS | Parts::CHANGES | Parts::COMMITS;
    let effects = monitor.update(collected(2_002, 2, sample(2_000, parts)));
    assert_eq!(effects[0], collect(request(3, Parts::CHECKS, 2_033)));
}

#[test]
fn an_answer_with_an_old_number_is_dropped() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.take_changes();
    assert_eq!(monitor.update(collected(50, 0, whole(1, Vec::new()))), []);
    assert_eq!(view(&mut monitor).verdict.unwrap().state, VerdictState::Complete);
}

#[test]
fn lost_events_make_everything_be_read_again_once() {
    let mut monitor = judged(vec![commits(), clean()]);
    let effects = monitor.update(Event::EventsLost { at: at(2_000) });
    assert_eq!(effects, [collect(request(2, Parts::all(), 2_000))]);
}

#[test]
fn the_slow_pass_reads_everything_again_and_asks_for_the_next() {
    let mut monitor = judged(vec![commits(), clean()]);
    let effects = monitor.update(Event::Woke { at: at(300_000) });
    let expected = [Effect::RecheckWatches, collect(request(2, Parts::all(), 300_000)), wake(600_000)];
    assert_eq!(effects, expected);
}

#[test]
fn a_half_written_file_is_looked_at_again_though_nothing_is_heard() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let sample = Sample { recheck_at: Some(at(2_005)), ..whole(5, vec![clean()]) };
    assert_eq!(monitor.update(collected(5, 1, sample)), [wake(2_005)]);
    let effects = monitor.update(Event::Woke { at: at(2_005) });
    let parts = Parts::WORDS | Parts::CHECKS | Parts::CHANGES | Parts::COMMITS;
    assert_eq!(effects[0], collect(request(2, parts, 2_005)));
}

#[test]
fn done_is_not_complete_before_the_tree_was_looked_at_again() {
    // The tree was clean. Then "done" is said; the tree's next look is put off.
    let mut monitor = judged(vec![clean()]);
    let _ = monitor.update(changed(100, Parts::WORDS));
    let words = Sample { evidence: shared(vec![decision()]), ..sample(100, Parts::WORDS) };
    let effects = monitor.update(collected(101, 2, words));
    let parts = Parts::CHANGES | Parts::COMMITS;
    assert_eq!(effects[0], collect(request(3, parts, 133)));
    let before = view(&mut monitor);
    assert!(before.is_found_state && before.verdict_since == Some(at(5)));
    let dirty =
        (Parts::CHANGES, Evidence::claim(Source::Changes, "git", Claim::Dirty, Origin::Git.as_read()));
    let _ = monitor.update(collected(140, 3, Sample { evidence: shared(vec![dirty]), ..sample(133, parts) }));
    let after = view(&mut monitor);
    assert_eq!(after.verdict.unwrap().state, VerdictState::RescueNeeded);
    // It came under the eyes of the person.
    assert_eq!((after.is_found_state, after.verdict_since), (false, Some(at(140))));
}

#[test]
fn a_costly_look_at_the_tree_never_delays_the_rest() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let slow = Event::Collected {
        at: at(300),
        workspace: id(),
        generation: 1,
        took_ms: 300,
        outcome: Ok(Box::new(whole(5, vec![commits(), clean()]))),
    };
    let _ = monitor.update(slow);
    // Ten times its cost has not passed: the words are read alone, the tree later.
    let effects = monitor.update(changed(1_000, Parts::WORDS));
    assert_eq!(effects, [collect(request(2, Parts::WORDS, 1_000))]);
    let effects = monitor.update(collected(1_001, 2, sample(1_000, Parts::WORDS)));
    assert_eq!(effects, [wake(3_300)]);
    let effects = monitor.update(Event::Woke { at: at(3_300) });
    assert_eq!(effects[0], collect(request(3, Parts::CHANGES | Parts::COMMITS, 3_300)));
}

#[test]
fn a_collection_that_hangs_is_an_error_and_goes_by_the_program_next() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.update(changed(2_000, Parts::COMMITS));
    let effects = monitor.update(Event::Collected {
        at: at(12_000),
        workspace: id(),
        generation: 2,
        took_ms: 10_000,
        outcome: Err(CollectProblem::TimedOut),
    });
    let next = CollectRequest {
        git_reader: Some(GitReader::Program),
        ..request(3, Parts::WORDS | Parts::CHECKS | Parts::COMMITS, 12_000)
    };
    assert_eq!(effects[0], collect(next));
    let view = view(&mut monitor);
    assert_eq!(view.verdict.unwrap().state, VerdictState::Error);
    assert_eq!(view.reading.problems.reading, Some(CollectProblem::TimedOut));
}

/// What was read before a workspace left is no answer to what is asked since it returned.
#[test]
fn a_late_answer_of_before_a_workspace_left_is_dropped() {
    let mut monitor = Monitor::new(POLICY, WATCH);
    let _ = monitor.update(discovered());
    let none =
        Event::Discovered { at: at(10), workspaces: Vec::new(), refused: Vec::new(), n_older_sessions: 0 };
    let _ = monitor.update(none);
    let effects = monitor.update(discovered());
    assert!(effects.contains(&collect(request(2, Parts::all(), 0))), "{effects:?}");
    let late = Event::Collected {
        at: at(20),
        workspace: id(),
        generation: 1,
        took_ms: 10,
        outcome: Err(CollectProblem::TimedOut),
    };
    assert_eq!(monitor.update(late), []);
    let reading = view(&mut monitor).reading;
    assert_eq!((reading.problems.reading, reading.is_running), (None, true));
    let _ = monitor.update(collected(30, 2, sample(25, Parts::all())));
    assert!(!view(&mut monitor).reading.is_running);
}

#[test]
fn a_directory_that_is_gone_is_an_error_and_comes_back_by_itself() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.update(changed(2_000, Parts::COMMITS));
    let gone = Event::Collected {
        at: at(2_001),
        workspace: id(),
        generation: 2,
        took_ms: 0,
        outcome: Err(CollectProblem::Gone),
    };
    let _ = monitor.update(gone);
    let gone = view(&mut monitor);
    assert_eq!(gone.verdict.unwrap().state, VerdictState::Error);
    assert_eq!(gone.reading.problems.reading, Some(CollectProblem::Gone));
    let _ = monitor.update(changed(9_000, Parts::all()));
    let _ = monitor.update(collected(9_001, 3, whole(9_000, vec![commits(), clean()])));
    let back = view(&mut monitor);
    assert_eq!((back.verdict.unwrap().state, back.reading.problems.reading), (VerdictState::Complete, None));
}

// W02
#[test]
fn a_workspace_that_cannot_be_watched_is_polled_and_says_so() {
    let mut monitor = judged(vec![commits(), clean()]);
    let limit = |millis, problem| Event::WatchChanged { at: at(millis), workspace: id(), problem };
    assert_eq!(monitor.update(limit(100, Some(WatchProblem::LimitReached))), [wake(100)]);
    let effects = monitor.update(Event::Woke { at: at(100) });
    assert_eq!(effects, [collect(request(2, Parts::all(), 100)), wake(10_100)]);
    assert_eq!(view(&mut monitor).reading.problems.watching, Some(WatchProblem::LimitReached));
    let _ = monitor.update(collected(101, 2, sample(100, Parts::all())));
    let _ = monitor.update(limit(200, None));
    assert!(view(&mut monitor).reading.problems.is_empty());
}

#[test]
fn looking_at_a_finished_workspace_marks_it_as_seen() {
    let mut monitor = judged(vec![commits(), clean()]);
    assert_eq!(view(&mut monitor).attention, Some(Attention::Finished));
    let look = Event::Wanted { at: at(2_000), intent: Intent::Look { workspace: id() } };
    let mut effects = monitor.update(look);
    let Effect::KeepReports { reports, .. } = effects.remove(0) else { panic!("{effects:?}") };
    assert_eq!(effects, [collect(request(2, Parts::CHANGES | Parts::COMMITS, 2_000))]);
    let seen = view(&mut monitor);
    assert_eq!((seen.attention, seen.is_seen), (None, true));
    // The next run knows it, and since when it is so; another state was not seen.
    for (evidence, is_seen) in [(vec![commits(), clean()], true), (vec![clean()], false)] {
        let mut next = Monitor::new(POLICY, WATCH);
        let workspaces = vec![FoundWorkspace { reports: (*reports).clone(), ..found() }];
        let event = Event::Discovered { at: at(9_000), workspaces, refused: Vec::new(), n_older_sessions: 0 };
        let _ = next.update(event);
        let _ = next.update(collected(9_005, 1, whole(9_005, evidence)));
        let view = view(&mut next);
        assert_eq!((view.is_seen, view.verdict_since == seen.verdict_since), (is_seen, is_seen));
    }
}

#[test]
fn a_glance_is_one_look_at_the_tree_and_marks_nothing_as_seen() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.take_changes();
    let glance = |millis| Event::Wanted { at: at(millis), intent: Intent::Glance { workspace: id() } };
    let tree = Parts::CHANGES | Parts::COMMITS;
    // The tree was read a moment ago: the look is put off, and asked for only once.
    assert_eq!(monitor.update(glance(500)), [wake(1_005)]);
    assert_eq!(monitor.update(glance(900)), []);
    let effects = monitor.update(Event::Woke { at: at(1_005) });
    assert_eq!(effects, [collect(request(2, tree, 1_005)), wake(300_000)]);
    let same = |millis| Sample { evidence: shared(vec![commits(), clean()]), ..sample(millis, tree) };
    assert_eq!(monitor.update(collected(1_010, 2, same(1_005))), []);
    assert_eq!(monitor.update(glance(9_000)), [collect(request(3, tree, 9_000))]);
    let view = view(&mut monitor);
    assert_eq!((view.attention, view.is_seen), (Some(Attention::Finished), false));
}

/// What was written after a look had passed it is told by nothing but the next look.
#[test]
fn a_glance_while_the_tree_is_being_looked_at_is_followed_by_another_look() {
    let evidence =
        vec![(Parts::CHANGES, Evidence::claim(Source::Changes, "git", Claim::Dirty, Origin::Git.as_read()))];
    let mut monitor = judged(evidence.clone());
    let tree = Parts::CHANGES | Parts::COMMITS;
    let glance = |millis| Event::Wanted { at: at(millis), intent: Intent::Glance { workspace: id() } };
    assert_eq!(monitor.update(glance(2_000)), [collect(request(2, tree, 2_000))]);
    assert_eq!(monitor.update(glance(2_002)), [], "it is being looked at");
    let seen = Sample { evidence: shared(evidence), ..sample(2_000, tree) };
    assert_eq!(monitor.update(collected(2_010, 2, seen)), [wake(3_010)]);
    assert_eq!(monitor.update(Event::Woke { at: at(3_010) })[0], collect(request(3, tree, 3_010)));
}

#[test]
fn a_glance_at_a_huge_tree_waits_until_ten_times_its_cost_has_passed() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let slow = Event::Collected {
        at: at(600),
        workspace: id(),
        generation: 1,
        took_ms: 600,
        outcome: Ok(Box::new(whole(0, vec![commits(), clean()]))),
    };
    let _ = monitor.update(slow);
    let glance = Event::Wanted { at: at(4_000), intent: Intent::Glance { workspace: id() } };
    assert_eq!(monitor.update(glance), [wake(6_600)]);
}

#[test]
fn something_new_at_the_top_of_the_tree_is_looked_at_but_not_for_each_of_many() {
    let mut monitor = judged(vec![commits(), clean()]);
    let tree = Parts::CHANGES | Parts::COMMITS;
    assert_eq!(monitor.update(changed(2_000, Parts::empty())), [collect(request(2, tree, 2_000))]);
    assert_eq!(monitor.update(changed(2_001, Parts::empty())), []);
    assert_eq!(monitor.update(collected(2_002, 2, sample(2_000, tree))), [wake(3_002)]);
    assert_eq!(monitor.update(changed(2_003, Parts::empty())), []);
}

/// A record that grows all the time says nothing of the work tree: while looks find it as it was, they become rarer.
#[test]
fn looks_that_find_the_tree_as_it_was_become_rarer_until_anything_tells_of_another() {
    let mut monitor = judged(vec![commits(), clean()]);
    let tree = Parts::CHANGES | Parts::COMMITS;
    let (mut now, mut generation) = (2_000, 2);
    let mut look = |monitor: &mut Monitor, hint: Parts| {
        let effects = monitor.update(changed(now, hint));
        assert_eq!(effects[0], collect(request(generation, hint | tree, now)));
        let answer = monitor.update(collected(now + 1, generation, sample(now, hint | tree)));
        assert!(!answer.iter().any(|effect| matches!(effect, Effect::Collect(_))), "{answer:?}");
        // The next hint comes while the next look is still put off.
        let effects = monitor.update(changed(now + 100, Parts::WORDS));
        assert_eq!(effects[0], collect(request(generation + 1, Parts::WORDS, now + 100)));
        let effects = monitor.update(collected(now + 101, generation + 1, sample(now + 100, Parts::WORDS)));
        let [Effect::Wake { at: due }] = effects[..] else { panic!("{effects:?}") };
        let pause = due.millis_since(at(now + 1));
        (now, generation) = (now + 20_000, generation + 2);
        pause
    };
    let pauses: Vec<i64> = (0..5).map(|_| look(&mut monitor, Parts::WORDS)).collect();
    assert_eq!(pauses, [1_000, 2_000, 2_000, 2_000, 2_000]);
    assert_eq!(look(&mut monitor, Parts::COMMITS), 1_000, "git's own files tell of another tree");
}

/// Whatever the pause: the count of changes beside a turn that has ended is not older than its end.
#[test]
fn a_turn_that_begins_or_ends_is_followed_by_a_look_at_the_tree_within_a_frame() {
    let doing = |state| SessionFacts {
        sessions: vec![session("claude", state, ActivitySource::Transcript, 1, "").into()],
        ..SessionFacts::default()
    };
    let said = |millis, parts, state| Sample { session_facts: Some(doing(state)), ..sample(millis, parts) };
    let mut monitor = judged(vec![commits(), clean()]);
    let tree = Parts::CHANGES | Parts::COMMITS;
    let both = Parts::WORDS | tree;
    let _ = monitor.update(changed(2_000, Parts::WORDS));
    let _ = monitor.update(collected(2_005, 2, said(2_000, both, ActivityState::Working)));
    for (n, state) in [(0_i64, ActivityState::Working), (1, ActivityState::Idle), (2, ActivityState::Working)]
    {
        let (now, generation) = (2_100 + n * 100, 3 + 2 * n.unsigned_abs());
        let effects = monitor.update(changed(now, Parts::WORDS));
        assert_eq!(effects[0], collect(request(generation, Parts::WORDS, now)), "{state:?}");
        let effects = monitor.update(collected(now + 1, generation, said(now, Parts::WORDS, state)));
        if n == 0 {
            assert_eq!(effects, [wake(3_005)], "the turn goes on");
            // So that the generations of the next rounds are the same.
            let _ = monitor.update(changed(now + 40, Parts::CHECKS));
            let _ = monitor.update(collected(now + 41, 4, sample(now + 40, Parts::CHECKS)));
            continue;
        }
        assert_eq!(effects[0], collect(request(generation + 1, tree, now + 33)), "{state:?}");
        let _ = monitor.update(collected(now + 35, generation + 1, sample(now + 33, tree)));
    }
}

#[test]
fn the_moment_of_the_look_at_the_tree_is_told_apart_from_the_rest() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let git = |changes| Some(Arc::new(GitFacts { changes, ..git_facts("main") }));
    let first = Sample { git: git(Some(Changes::default())), ..whole(5, vec![commits(), clean()]) };
    let _ = monitor.update(collected(6, 1, first));
    let moments = |monitor: &mut Monitor| {
        let view = view(monitor);
        (view.reading.taken_at, view.reading.tree_at)
    };
    assert_eq!(moments(&mut monitor), (Some(at(5)), Some(at(5))));
    let _ = monitor.update(changed(500, Parts::COMMITS));
    let alone = Sample { git: git(None), evidence: shared(vec![commits()]), ..sample(500, Parts::COMMITS) };
    let _ = monitor.update(collected(501, 2, alone));
    assert_eq!(moments(&mut monitor), (Some(at(500)), Some(at(5))));
    let _ = monitor.update(changed(800, Parts::COMMITS));
    let _ = monitor.update(Event::Collected {
        at: at(900),
        workspace: id(),
        generation: 3,
        took_ms: 1,
        outcome: Err(CollectProblem::Gone),
    });
    assert_eq!(moments(&mut monitor).1, None);
}

#[test]
fn a_new_baseline_is_remembered_and_used() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let baseline = Baseline {
        commit: Some(commit_id("1")),
        origin: BaselineOrigin::FirstSeen,
        set_at: at(1),
        commit_time: None,
    };
    let git = GitFacts {
        head: Head::Unborn { name: "main".to_owned() },
        tree: None,
        content: None,
        saved_on: None,
        rescued_to: None,
        baseline: baseline.clone(),
        commits: CommitCounts::default(),
        operation: None,
        upstream: None,
        n_stashed: 0,
        stashed_here: Vec::new(),
        changes: Some(Changes::default()),
        reader: GitReader::InProcess,
        notes: Vec::new(),
    };
    let sample =
        Sample { git: Some(git.into()), new_baseline: Some(baseline.clone()), ..whole(5, vec![clean()]) };
    let effects = monitor.update(collected(5, 1, sample));
    assert_eq!(effects, [Effect::RememberBaseline { workspace: id(), baseline: baseline.clone() }]);
    let effects = monitor.update(changed(2_000, Parts::COMMITS));
    let expected =
        CollectRequest { baseline: Some(baseline), ..request(2, Parts::COMMITS | Parts::CHANGES, 2_000) };
    assert_eq!(effects, [collect(expected)]);
}

#[test]
fn what_a_given_name_meant_is_remembered_once_and_used() {
    let mut monitor = monitor();
    let given = GivenBaseline { rev: "origin/main".to_owned(), origin: BaselineOrigin::Configuration };
    let settings = WorkspaceSettings { baseline: Some(given), ..settings() };
    let workspaces = vec![FoundWorkspace { settings: settings.clone().into(), ..found() }];
    let discovered = Event::Discovered { at: at(0), workspaces, refused: Vec::new(), n_older_sessions: 0 };
    let _ = monitor.update(discovered);
    let baseline = Baseline {
        commit: Some(commit_id("1")),
        origin: BaselineOrigin::Configuration,
        set_at: at(1),
        commit_time: None,
    };
    let named = NamedBaseline { rev: "origin/main".to_owned(), task_at: at(0), baseline };
    let sample = Sample { named: Some(named.clone()), ..whole(5, vec![clean()]) };
    let effects = monitor.update(collected(5, 1, sample.clone()));
    assert_eq!(effects, [Effect::RememberNamed { workspace: id(), named: named.clone() }]);
    let effects = monitor.update(changed(2_000, Parts::COMMITS));
    let parts = Parts::COMMITS | Parts::CHANGES;
    let expected = CollectRequest { settings, named: Some(named.clone()), ..request(2, parts, 2_000) };
    assert_eq!(effects, [collect(expected)]);
    assert_eq!(monitor.update(collected(2_005, 2, sample)), []);
    // The next task has its own.
    let next = NamedBaseline { task_at: at(9), ..named };
    let _ = monitor.update(changed(4_000, Parts::COMMITS));
    let sample = Sample { named: Some(next.clone()), ..whole(4_005, vec![clean()]) };
    let effects = monitor.update(collected(4_005, 3, sample));
    assert_eq!(effects, [Effect::RememberNamed { workspace: id(), named: next }]);
}

#[test]
fn the_same_no_in_three_rounds_stalls() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let no = Evidence::claim(Source::Tests, "junit.xml", Claim::No, Origin::File.as_read())
        .because("2 tests fail".to_owned());
    let round = |mark: &str| SessionFacts { round_mark: Some(mark.to_owned()), ..SessionFacts::default() };
    let rounds =
        [("1/", VerdictState::Incomplete), ("2/", VerdictState::Incomplete), ("3/", VerdictState::Stalled)];
    for (generation, (mark, state)) in (1..).zip(rounds) {
        let sample = Sample {
            session_facts: Some(round(mark)),
            ..whole(5, vec![(Parts::CHECKS, no.clone()), clean()])
        };
        let millis = i64::try_from(generation).unwrap() * 2_000;
        let _ = monitor.update(collected(millis, generation, sample));
        assert_eq!(view(&mut monitor).verdict.unwrap().state, state, "round {mark}");
        let _ = monitor.update(changed(millis + 1_500, Parts::all()));
    }
}

// W06
#[test]
fn a_clock_that_is_set_back_delays_nothing() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.update(changed(3_600_000, Parts::COMMITS));
    let _ = monitor.update(collected(3_600_005, 2, whole(5, vec![commits(), clean()])));
    // An hour earlier, by the clock.
    let effects = monitor.update(changed(20, Parts::COMMITS));
    let begins = effects.iter().find_map(|effect| {
        if let Effect::Collect(request) = effect { Some(request.not_before) } else { None }
    });
    assert_eq!(begins, Some(at(20)), "{effects:?}");
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::Wake { at: due } if *due == at(20))),
        "{effects:?}"
    );
}

#[test]
fn a_workspace_that_discovery_finds_no_more_goes_away() {
    let mut monitor = judged(vec![commits(), clean()]);
    let _ = monitor.take_changes();
    let effects = monitor.update(Event::Discovered {
        at: at(50),
        workspaces: Vec::new(),
        refused: Vec::new(),
        n_older_sessions: 0,
    });
    assert_eq!(effects[0], Effect::Watch { workspace: id(), targets: Vec::new() });
    assert_eq!(monitor.take_changes().removed, [id()]);
}

#[test]
fn a_known_directory_that_discovery_cannot_find_keeps_its_row() {
    let mut monitor = judged(vec![commits(), clean()]);
    let refused = vec![(id().path().to_owned(), "does not exist".to_owned())];
    let effects = monitor.update(Event::Discovered {
        at: at(2_000),
        workspaces: Vec::new(),
        refused,
        n_older_sessions: 0,
    });
    assert_eq!(effects, [collect(request(2, Parts::all(), 2_000))]);
    assert_eq!(monitor.take_changes().removed, []);
    assert_eq!(monitor.refused(), []);
}

fn place(session_id: &str) -> SessionPlace {
    SessionPlace {
        agent: "claude".to_owned(),
        session_id: session_id.into(),
        folder: "/work/a".into(),
        record: format!("/records/{session_id}.jsonl").into(),
    }
}

#[test]
fn a_session_that_discovery_finds_is_read_and_the_same_ones_again_are_not() {
    let mut monitor = judged(vec![commits(), clean()]);
    let with = |sessions: Vec<SessionPlace>| Event::Discovered {
        at: at(5_000),
        workspaces: vec![FoundWorkspace { sessions, ..found() }],
        refused: Vec::new(),
        n_older_sessions: 3,
    };
    let effects = monitor.update(with(vec![place("one")]));
    let Some(Effect::Collect(request)) = effects.first() else { panic!("{effects:?}") };
    assert!(request.parts.contains(Parts::WORDS));
    assert_eq!(request.sessions, [place("one")]);
    assert_eq!(monitor.n_older_sessions(), 3);
    let generation = request.generation;
    let _ = monitor.update(collected(5_001, generation, sample(5_001, request.parts)));
    let effects = monitor.update(with(vec![place("one")]));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Collect(_))), "{effects:?}");
}

#[test]
fn the_processes_of_the_sessions_are_watched_when_they_change() {
    let mut monitor = judged(vec![commits(), clean()]);
    let process = ProcessId { pid: 7, started_at: 70 };
    let mut read = |generation: u64, parts: Parts, processes: Vec<ProcessId>| {
        let start = i64::try_from(generation).unwrap() * 1_000;
        let _ = monitor.update(changed(start, parts));
        let effects =
            monitor.update(collected(start + 1, generation, Sample { processes, ..sample(start, parts) }));
        effects
            .into_iter()
            .filter(|effect| matches!(effect, Effect::WatchProcesses { .. }))
            .collect::<Vec<_>>()
    };
    let watch = |processes: Vec<ProcessId>| [Effect::WatchProcesses { workspace: id(), processes }];
    assert_eq!(read(2, Parts::WORDS, vec![process]), watch(vec![process]));
    assert_eq!(read(3, Parts::WORDS, vec![process]), []);
    assert_eq!(read(4, Parts::CHECKS, Vec::new()), []);
    assert_eq!(read(5, Parts::WORDS, Vec::new()), watch(Vec::new()));
}

#[test]
fn a_look_at_git_alone_keeps_what_the_words_asked_for() {
    let mut monitor = monitor();
    let _ = monitor.update(discovered());
    let words = Sample { recheck_at: Some(at(2_005)), ..whole(5, vec![commits(), clean()]) };
    let _ = monitor.update(collected(5, 1, words));
    let _ = monitor.update(changed(100, Parts::COMMITS));
    let _ = monitor.update(collected(110, 2, sample(100, Parts::COMMITS | Parts::CHANGES)));
    let effects = monitor.update(Event::Woke { at: at(2_005) });
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Collect(asked) if asked.parts.contains(Parts::WORDS))),
        "{effects:?}"
    );
}

#[test]
fn a_jump_to_a_session_is_asked_of_the_engine_and_its_answer_told_once() {
    let mut monitor = judged(vec![commits(), clean()]);
    let pane = Pane { socket: None, id: "%3".to_owned() };
    let process = ProcessId { pid: 7, started_at: 70 };
    let mut shown = session("claude", ActivityState::Idle, ActivitySource::Registry, 1, "");
    shown.pane = Some(pane.clone());
    shown.process = Some(process);
    let words = SessionFacts { sessions: vec![shown.clone().into()], ..SessionFacts::default() };
    let _ = monitor.update(changed(1_000, Parts::WORDS));
    let _ = monitor.update(collected(
        1_001,
        2,
        Sample { session_facts: Some(words), ..sample(1_000, Parts::WORDS) },
    ));
    let mut want = |session_id: &str| {
        let session = SessionName::new(&shown.agent, session_id);
        let intent = Intent::JumpToPane { workspace: id(), session };
        let effects = monitor.update(Event::Wanted { at: at(2_000), intent });
        let jumps = effects.into_iter().filter(|effect| matches!(effect, Effect::JumpToPane { .. }));
        (jumps.collect::<Vec<_>>(), monitor.take_changes().responses)
    };
    let target = JumpTarget { agent: shown.agent.clone(), pane: Some(pane), process: Some(process) };
    let wanted = Effect::JumpToPane { workspace: id(), session: target };
    assert_eq!(want(&shown.session_id), (vec![wanted], vec![]));
    let reason = "the session is no longer known".to_owned();
    let refused = Response::Jump { workspace: id(), outcome: JumpOutcome::Refused { reason } };
    assert_eq!(want("another"), (vec![], vec![refused]));
    let done = Event::Jumped { at: at(2_100), workspace: id(), outcome: JumpOutcome::Done };
    let _ = monitor.update(done);
    let told = Response::Jump { workspace: id(), outcome: JumpOutcome::Done };
    assert_eq!(monitor.take_changes().responses, [told]);
    assert_eq!(monitor.take_changes().responses, []);
}

/// A smart check whose only probe was answered with "complete".
fn answered_complete(name: &SessionName) -> SmartReport {
    let attempt = ProbeAttempt {
        said: None,
        number: 1,
        began_at: at(0),
        took_ms: Some(1),
        answer: None,
        reading: Some(ProbeReading::Answered(ProbeWord::Complete)),
        detail: None,
        cost: AskCost::default(),
    };
    let outcome = SmartOutcome {
        status: SmartStatus::NothingToDo,
        complete: true,
        probes_used: 1,
        waits: 0,
        rescued: false,
        verdict: VerdictState::Complete,
        changes_left: Some(false),
    };
    SmartReport {
        session: Some(name.clone()),
        at: at(1),
        outcome,
        attempts: vec![attempt],
        record: None,
        notes: Vec::new(),
        is_single: false,
    }
}

/// R3: silence tells nothing, so the agent is asked; once it answered, it is silent no more.
#[test]
fn a_session_that_shows_no_work_is_asked_and_its_answer_takes_the_place_of_its_silence() {
    let name = SessionName::new("mine", "mine-0b1c2d3e");
    let own = Origin::Session(name.clone().into()).at(None);
    let said = Evidence::claim(Source::LastWords, "mine", Claim::No, own);
    let silent = said.clone().because(Fact::NoneOfItsWork);
    let standing = |evidence: Evidence| {
        let mut monitor = judged(vec![commits(), clean(), (Parts::WORDS, evidence)]);
        assert_eq!(view(&mut monitor).verdict.unwrap().state, VerdictState::Incomplete);
        let action = Action::PlanAsk { purpose: AskPurpose::Probe, session: None, options: Box::default() };
        let intent = Intent::Action { workspace: id(), action: Box::new(action) };
        let effects = monitor.update(Event::Wanted { at: at(11), intent });
        effects.into_iter().find_map(|effect| {
            let Effect::Action(request) = effect else { return None };
            Some(request.standing)
        })
    };
    assert_eq!(standing(silent.clone()), Some(EvidenceSummary::default()));
    let told = EvidenceSummary { no: vec!["last words (mine)".to_owned()], ..EvidenceSummary::default() };
    assert_eq!(standing(said.clone()), Some(told));

    let then = TaskMoment { prompted_at: None, turns: vec![(name.clone(), Some(at(-10)))] };
    let reports =
        KeptReports { smart_check: Some((answered_complete(&name).into(), then)), ..KeptReports::default() };
    let answered = |evidence: Evidence| {
        let mut monitor = monitor();
        let workspaces = vec![FoundWorkspace { reports: reports.clone(), ..found() }];
        let event = Event::Discovered { at: at(0), workspaces, refused: Vec::new(), n_older_sessions: 0 };
        let _ = monitor.update(event);
        let mut shown = session("mine", ActivityState::Idle, ActivitySource::Registry, 1, "");
        (shown.ended_at, shown.moved_at) = (None, Some(at(-10)));
        let words = SessionFacts { sessions: vec![shown.into()], ..SessionFacts::default() };
        let evidence = vec![commits(), clean(), (Parts::WORDS, evidence)];
        let sample = Sample { session_facts: Some(words), ..whole(5, evidence) };
        let _ = monitor.update(collected(5, 1, sample));
        view(&mut monitor).verdict.unwrap().state
    };
    let other = SessionName { session_id: "mine-9a8b7c6d".into(), ..name };
    let other = Origin::Session(other.into()).at(None);
    assert_eq!(answered(silent.clone()), VerdictState::Complete);
    assert_eq!(answered(Evidence { provenance: other, ..silent }), VerdictState::Incomplete);
    assert_eq!(answered(said), VerdictState::Incomplete);
}

/// A monitor that knows of a session without an end of its turn, and of its answer to a probe.
fn monitor_of_answer(word: ProbeWord) -> Monitor {
    let name = SessionName::new("mine", "mine-0b1c2d3e");
    let mut report = answered_complete(&name);
    report.attempts[0].reading = Some(ProbeReading::Answered(word));
    let then = TaskMoment { prompted_at: None, turns: vec![(name, Some(at(-10)))] };
    let reports = KeptReports { smart_check: Some((report.into(), then)), ..KeptReports::default() };
    let mut monitor = monitor();
    let workspaces = vec![FoundWorkspace { reports, ..found() }];
    let event = Event::Discovered { at: at(0), workspaces, refused: Vec::new(), n_older_sessions: 0 };
    let _ = monitor.update(event);
    monitor
}

/// A false COMPLETE otherwise: the answer would outlive the moment in which it was given.
#[test]
fn what_an_agent_said_is_old_once_its_record_has_grown_where_no_end_of_a_turn_is_known() {
    let mut monitor = monitor_of_answer(ProbeWord::Complete);
    let mut state = |millis: i64, generation: u64, moved: i64| {
        let mut shown = session("mine", ActivityState::Idle, ActivitySource::Registry, 1, "");
        (shown.ended_at, shown.moved_at) = (None, Some(at(moved)));
        let words = SessionFacts { sessions: vec![shown.into()], ..SessionFacts::default() };
        let _ = monitor.update(changed(millis - 1, Parts::WORDS));
        let sample = Sample { session_facts: Some(words), ..whole(millis, vec![clean()]) };
        let _ = monitor.update(collected(millis, generation, sample));
        view(&mut monitor).verdict.unwrap().state
    };
    assert_eq!(state(5, 1, -10), VerdictState::Complete);
    assert_eq!(state(5_000, 2, 4_000), VerdictState::Incomplete);
}

#[test]
fn that_an_agent_waits_ends_on_its_own_after_a_while() {
    let mut monitor = monitor_of_answer(ProbeWord::Waiting);
    let mut look = |millis: i64, generation: u64| {
        let mut shown = session("mine", ActivityState::Idle, ActivitySource::Registry, 1, "");
        (shown.ended_at, shown.moved_at) = (None, Some(at(-10)));
        let words = SessionFacts { sessions: vec![shown.into()], ..SessionFacts::default() };
        let mut effects = monitor.update(Event::Woke { at: at(millis) });
        let sample = Sample { session_facts: Some(words), ..whole(millis, vec![clean()]) };
        effects.extend(monitor.update(collected(millis, generation, sample)));
        (view(&mut monitor).verdict.unwrap().state, effects.contains(&wake(600_001)))
    };
    assert_eq!(look(5, 1).0, VerdictState::Waiting);
    assert_eq!(
        look(400_000, 2),
        (VerdictState::Waiting, true),
        "it is looked at again when the time is over"
    );
    assert_eq!(look(600_001, 3), (VerdictState::Incomplete, false));
}

#[test]
fn a_run_makes_its_workspace_working_and_its_begin_and_end_are_read_whole() {
    let mut monitor = judged(vec![commits(), clean()]);
    let run = |iteration| RunView {
        id: "r".to_owned(),
        agent: None,
        phase: RunPhase::Running,
        iteration,
        max_iterations: 10,
        since: at(0),
        verdict: None,
        open_points: Vec::new(),
        question: None,
        process: None,
    };
    let found = |millis, run: Option<RunView>| Event::RunsFound {
        at: at(millis),
        runs: run.into_iter().map(|run| (id(), run)).collect(),
        ended: BTreeMap::new(),
    };
    let mut after = |event| {
        let effects = monitor.update(event);
        (effects, view(&mut monitor).verdict.unwrap().state)
    };
    let whole_read = |generation, millis| vec![collect(request(generation, Parts::all(), millis))];
    assert_eq!(after(found(2_000, Some(run(1)))), (whole_read(2, 2_000), VerdictState::Working));
    // The next iteration is shown, and read when its files change.
    assert_eq!(after(found(3_000, Some(run(2)))), (Vec::new(), VerdictState::Working));
    let _ = after(collected(4_000, 2, whole(3_000, vec![commits(), clean()])));
    // The end alone makes nothing COMPLETE: the tree has to be read after it.
    assert_eq!(after(found(6_000, None)), (whole_read(3, 6_000), VerdictState::Working));
    let (_, state) = after(collected(7_000, 3, whole(6_000, vec![commits(), clean()])));
    assert_eq!(state, VerdictState::Complete);
}

#[test]
fn what_another_closeout_kept_counts_here_once() {
    let mut monitor = judged(vec![commits(), clean()]);
    let mut kept = KeptReports::default();
    kept.marks.take(&MarkOrder::Open, None, at(1_000), &MarkSeen::default());
    let reported = |millis| Event::Reported { at: at(millis), reports: vec![(id(), kept.clone())] };
    let parts = Parts::WORDS | Parts::CHANGES | Parts::COMMITS;
    assert_eq!(monitor.update(reported(2_000)), [collect(request(2, parts, 2_000))]);
    let _ = monitor.update(collected(2_001, 2, sample(2_000, parts)));
    let marked = view(&mut monitor).verdict.unwrap();
    assert_eq!((marked.state, marked.rule()), (VerdictState::Incomplete, Rule::ByYou));
    assert_eq!(monitor.update(reported(5_000)), []);
}

/// A loop in a shell counts beside an open screen.
#[test]
fn rounds_that_another_closeout_counted_are_taken_over() {
    let mut monitor = judged(vec![commits(), clean()]);
    let rounds = |stage, millis| Rounds { stage, changed_at: Some(at(millis)), ..Rounds::default() };
    let reported = |millis, check_id: &str, rounds| {
        let rounds = BTreeMap::from([(check_id.to_owned(), rounds)]);
        Event::Reported {
            at: at(millis),
            reports: vec![(id(), KeptReports { rounds, ..KeptReports::default() })],
        }
    };
    // Those of another check id are kept and not judged by.
    assert_eq!(monitor.update(reported(2_000, "loop", rounds(1, 1_900))), []);
    assert_eq!(monitor.update(reported(2_001, "loop", rounds(2, 2_000))), []);
    assert_eq!(monitor.update(reported(2_002, "loop", rounds(1, 1_900))), []);
    let parts = Parts::WORDS | Parts::CHANGES | Parts::COMMITS;
    let effects = monitor.update(reported(2_003, "", rounds(1, 2_000)));
    assert_eq!(effects, [collect(request(2, parts, 2_003))]);
    let look = Event::Wanted { at: at(9_000), intent: Intent::Look { workspace: id() } };
    let kept = monitor.update(look).into_iter().find_map(|effect| {
        if let Effect::KeepReports { reports, .. } = effect { Some(reports.rounds) } else { None }
    });
    let stages: Vec<_> = kept.unwrap().into_iter().map(|(id, rounds)| (id, rounds.stage)).collect();
    assert!(stages.contains(&("loop".to_owned(), 2)), "{stages:?}");
}

/// A false "done" otherwise: nobody ticked it off.
#[test]
fn what_is_open_stays_open_while_nothing_can_be_read() {
    let plan = || {
        let no = Evidence::claim(Source::Plan, "PLAN.md", Claim::No, Origin::File.as_read());
        (Parts::CHECKS, Evidence { points: vec![Point::Step("Write it".to_owned())], ..no })
    };
    let files = || {
        (
            Parts::CHECKS,
            Evidence::abstain(Source::Closer, "closer", Rejection::NotConfigured, Origin::File.as_read()),
        )
    };
    let mut monitor = judged(vec![plan(), files(), clean()]);
    let points = |monitor: &mut Monitor| {
        let verdict = view(monitor).verdict.unwrap();
        let points = verdict.left_to_do.points.iter().filter(|point| point.source == Source::Plan);
        points.map(|point| (point.is_open(), point.weighs, point.since)).collect::<Vec<_>>()
    };
    let _ = monitor.update(changed(1_500, Parts::COMMITS));
    let _ = monitor.update(Event::Collected {
        at: at(12_000),
        workspace: id(),
        generation: 2,
        took_ms: 10_000,
        outcome: Err(CollectProblem::TimedOut),
    });
    assert_eq!(points(&mut monitor), [(true, false, at(5))]);
    let _ = monitor.update(collected(12_100, 3, whole(12_000, vec![plan(), files(), clean()])));
    assert_eq!(points(&mut monitor), [(true, true, at(5))]);
    // The plan is deleted: nobody did it, and nobody asks for it any more.
    let _ = monitor.update(changed(15_000, Parts::CHECKS));
    let gone = Sample { evidence: shared(vec![files()]), ..sample(15_000, Parts::CHECKS) };
    let _ = monitor.update(collected(15_001, 4, gone));
    assert_eq!(points(&mut monitor), []);
}

#[test]
fn what_is_left_of_a_session_goes_when_its_record_is_gone() {
    let place = SessionPlace {
        agent: "claude".to_owned(),
        session_id: "s".into(),
        folder: "/work/a".into(),
        record: "/records/s.jsonl".into(),
    };
    let provenance = Origin::Session(Box::new(place.session_name())).as_read();
    let todos = Evidence::claim(Source::Plan, "todos", Claim::No, provenance);
    let todos = Evidence { points: vec![Point::Step("Write it".to_owned())], ..todos };
    let mut monitor = monitor();
    let found = |millis, sessions| Event::Discovered {
        at: at(millis),
        workspaces: vec![FoundWorkspace { sessions, ..found() }],
        refused: Vec::new(),
        n_older_sessions: 0,
    };
    let _ = monitor.update(found(0, vec![place]));
    let left = |monitor: &mut Monitor| {
        let points = view(monitor).verdict.unwrap().left_to_do.points.clone();
        points.iter().map(|point| (point.is_open(), point.weighs)).collect::<Vec<_>>()
    };
    let _ = monitor.update(collected(5, 1, whole(5, vec![(Parts::WORDS, todos), clean()])));
    assert_eq!(left(&mut monitor), [(true, true)]);
    // It cannot be read for once.
    let _ = monitor.update(changed(2_000, Parts::WORDS));
    let _ = monitor.update(collected(2_001, 2, whole(2_000, vec![clean()])));
    assert_eq!(left(&mut monitor), [(true, false)]);
    let _ = monitor.update(found(5_000, Vec::new()));
    let _ = monitor.update(collected(5_001, 3, whole(5_000, vec![clean()])));
    assert_eq!(left(&mut monitor), []);
}

/// Each event has a script, here or in `actions.rs`.
#[test]
fn every_event_has_a_script() {
    let read = |path: &str| {
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
    };
    let scripts = read("tests/monitor.rs") + &read("tests/actions.rs");
    let events = read("src/model/event.rs");
    let (_, events) = events.split_once("pub enum Event {\n").unwrap();
    let variants = events.lines().take_while(|line| *line != "}").filter_map(|line| {
        let name = line.strip_prefix("    ")?.split([' ', '(', ',']).next()?;
        name.starts_with(|sign: char| sign.is_ascii_uppercase()).then_some(name)
    });
    let missing: Vec<&str> = variants.filter(|name| !scripts.contains(&format!("Event::{name}"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
