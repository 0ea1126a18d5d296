//! A person's own statements about a workspace, bound to what they saw (DESIGN.md 2.3, R8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{Baseline, TaskKind, Timestamp};

/// What a person says of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum MarkOrder {
    /// The work is done.
    Done,
    /// The work is not done.
    Open,
    /// No attention, until a prompt or a question comes.
    Quiet,
    /// An open point is not of this task.
    NotOfThisTask {
        /// The point, by its fingerprint or its words; `None` is every point that is open now. Untrusted text.
        point: Option<String>,
    },
    /// Work is counted from HEAD on.
    BaselineHere,
    /// The task is of this kind.
    #[strum(serialize = "kind")]
    TaskKind {
        /// The kind.
        task_kind: TaskKind,
    },
    /// What was said by this order is taken back.
    TakeBack {
        /// The order.
        order: Box<MarkOrder>,
    },
    /// Everything that was said before is taken back.
    Clear,
}

impl MarkOrder {
    /// The command line's word for the order.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// A verdict that a person gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkWord {
    /// Done.
    Done,
    /// Not done.
    Open,
}

/// What a workspace was like when a mark was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkSeen {
    /// Everything that spoke against the work: open points, questions, failures; sorted. Untrusted text.
    pub points: Vec<String>,
    /// The questions and permissions among them. Untrusted text.
    pub questions: Vec<String>,
    /// The last prompt of a person in any session.
    pub prompted_at: Option<Timestamp>,
    /// A name for HEAD and the uncommitted changes as they were looked at; `None` if they could not be read.
    pub content: Option<String>,
}

/// A mark with what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark<T> {
    /// What was said.
    pub word: T,
    /// Why, in the person's words.
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
    /// What they saw.
    pub seen: MarkSeen,
}

/// Why a mark has lapsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkLapse {
    /// A person prompted a session since.
    Prompt,
    /// A question or a permission came that it did not see.
    Question,
    /// An open point or a failure came that it did not see.
    Point,
    /// HEAD or the uncommitted changes are other than they were.
    Content,
}

/// Everything that a person said of one workspace and that holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marks {
    /// When anything of it was said or taken back last: always later than what it replaces, so that of two the newer
    /// one counts even if the clock was set back in between.
    pub changed_at: Option<Timestamp>,
    /// The verdict that they gave.
    pub word: Option<Box<Mark<MarkWord>>>,
    /// Their wish for quiet.
    pub quiet: Option<Box<Mark<()>>>,
    /// Points that are not of this task. Untrusted text.
    pub not_of_task: Vec<String>,
    /// The kind of the task.
    pub task_kind: Option<TaskKind>,
    /// From where work was counted before they said that it is counted from elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Box<Mark<Option<Baseline>>>>,
    /// Why their last mark has lapsed.
    pub lapsed: Option<MarkLapse>,
    /// That mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapsed_word: Option<Box<Mark<MarkWord>>>,
}

impl<T> Mark<T> {
    /// Why the mark does not hold for the state `now`, if it does not. Points that were closed since do not
    /// end it.
    pub fn lapse(&self, now: &MarkSeen) -> Option<MarkLapse> {
        let is_new = |points: &[String], seen: &[String]| points.iter().any(|point| !seen.contains(point));
        if now.prompted_at > self.seen.prompted_at {
            Some(MarkLapse::Prompt)
        } else if is_new(&now.questions, &self.seen.questions) {
            Some(MarkLapse::Question)
        } else if is_new(&now.points, &self.seen.points) {
            Some(MarkLapse::Point)
        } else {
            None
        }
    }
}

impl Marks {
    /// True if any statement holds.
    pub fn is_any(&self) -> bool {
        self.word.is_some()
            || self.quiet.is_some()
            || !self.not_of_task.is_empty()
            || self.task_kind.is_some()
            || self.baseline.is_some()
    }

    /// When they last said something that leaves no question open which they saw: that the work is done, or that they
    /// want quiet.
    pub fn questions_closed_at(&self) -> Option<Timestamp> {
        let done = self.word.as_ref().filter(|mark| mark.word == MarkWord::Done).map(|mark| mark.at);
        done.max(self.quiet.as_ref().map(|mark| mark.at))
    }

    /// True if the statement of this order was made and holds, so that the same key takes it back.
    pub fn holds(&self, order: &MarkOrder) -> bool {
        let word = self.word.as_ref().map(|mark| mark.word);
        match order {
            MarkOrder::Done => word == Some(MarkWord::Done),
            MarkOrder::Open => word == Some(MarkWord::Open),
            MarkOrder::Quiet => self.quiet.is_some(),
            MarkOrder::NotOfThisTask { point: Some(point) } => self.not_of_task.contains(point),
            MarkOrder::NotOfThisTask { point: None } => !self.not_of_task.is_empty(),
            MarkOrder::BaselineHere => self.baseline.is_some(),
            MarkOrder::TaskKind { task_kind } => self.task_kind == Some(*task_kind),
            MarkOrder::TakeBack { .. } | MarkOrder::Clear => false,
        }
    }

    fn take_back(&mut self, order: &MarkOrder) {
        match order {
            MarkOrder::Done | MarkOrder::Open => self.word = None,
            MarkOrder::Quiet => self.quiet = None,
            MarkOrder::NotOfThisTask { point: Some(point) } => {
                self.not_of_task.retain(|known| known != point);
            }
            MarkOrder::NotOfThisTask { point: None } => self.not_of_task.clear(),
            MarkOrder::BaselineHere => self.baseline = None,
            MarkOrder::TaskKind { .. } => self.task_kind = None,
            MarkOrder::TakeBack { .. } | MarkOrder::Clear => {}
        }
    }

    /// Applies a person's order. `seen` is what the person saw.
    pub fn take(&mut self, order: &MarkOrder, reason: Option<&str>, at: Timestamp, seen: &MarkSeen) {
        let changed_at = at.newer_than(self.changed_at);
        self.changed_at = Some(changed_at);
        let reason = reason.map(str::to_owned);
        match order {
            MarkOrder::Done | MarkOrder::Open => {
                let word = if *order == MarkOrder::Done { MarkWord::Done } else { MarkWord::Open };
                self.word = Some(Box::new(Mark { word, reason, at, seen: seen.clone() }));
                (self.lapsed, self.lapsed_word) = (None, None);
            }
            MarkOrder::Quiet => {
                self.quiet = Some(Box::new(Mark { word: (), reason, at, seen: seen.clone() }));
            }
            MarkOrder::NotOfThisTask { point: Some(point) } => self.not_of_task.push(point.clone()),
            MarkOrder::NotOfThisTask { point: None } => self.not_of_task.extend(seen.points.iter().cloned()),
            MarkOrder::TaskKind { task_kind } => self.task_kind = Some(*task_kind),
            MarkOrder::BaselineHere => {}
            MarkOrder::TakeBack { order } => {
                if self.holds(order) {
                    self.take_back(order);
                }
            }
            MarkOrder::Clear => *self = Marks { changed_at: Some(changed_at), ..Marks::default() },
        }
        self.not_of_task.sort();
        self.not_of_task.dedup();
    }

    /// What is kept, `self`, after somebody who may not have seen all of it changed `before` to `after`: what the change
    /// did not touch stays, and so does what was said anew of what it only took back.
    #[must_use]
    pub fn with_change(&self, before: &Marks, after: &Marks) -> Marks {
        let added = after.not_of_task.iter().filter(|point| !before.not_of_task.contains(point));
        let is_taken_back =
            |point: &&String| before.not_of_task.contains(point) && !after.not_of_task.contains(point);
        let mut points: Vec<String> =
            self.not_of_task.iter().filter(|point| !is_taken_back(point)).chain(added).cloned().collect();
        points.sort();
        points.dedup();
        let mut marks = Marks {
            changed_at: self.changed_at,
            word: changed(&self.word, &before.word, &after.word),
            quiet: changed(&self.quiet, &before.quiet, &after.quiet),
            not_of_task: points,
            task_kind: changed(&self.task_kind, &before.task_kind, &after.task_kind),
            baseline: changed(&self.baseline, &before.baseline, &after.baseline),
            lapsed: self.lapsed,
            lapsed_word: self.lapsed_word.clone(),
        };
        if marks.word == after.word && (&before.word, before.lapsed) != (&after.word, after.lapsed) {
            marks.lapsed = after.lapsed;
            marks.lapsed_word.clone_from(&after.lapsed_word);
        }
        if marks != *self {
            // Whoever made the change has to see what else is kept.
            let is_all = Marks { changed_at: self.changed_at, ..after.clone() } == marks;
            let known = if is_all { self.changed_at } else { self.changed_at.max(after.changed_at) };
            marks.changed_at = after.changed_at.or(known).map(|at| at.newer_than(known));
        }
        marks
    }

    /// Drops the verdict and the quiet mark if they do not hold for the state `now`. True if one was dropped.
    pub fn expire(&mut self, now: &MarkSeen) -> bool {
        let lapse = self.word.as_ref().and_then(|mark| {
            let is_other = mark.word == MarkWord::Done
                && now.content.is_some()
                && mark.seen.content.is_some()
                && now.content != mark.seen.content;
            mark.lapse(now).or(is_other.then_some(MarkLapse::Content))
        });
        if lapse.is_some() {
            self.lapsed_word = self.word.take();
            self.lapsed = lapse;
        }
        let is_loud = self
            .quiet
            .as_ref()
            .is_some_and(|mark| matches!(mark.lapse(now), Some(MarkLapse::Prompt | MarkLapse::Question)));
        if is_loud {
            self.quiet = None;
        }
        lapse.is_some() || is_loud
    }
}

/// What is kept of one statement after somebody changed it from `before` to `after`.
fn changed<T: Clone + Default + PartialEq>(kept: &T, before: &T, after: &T) -> T {
    let is_taken_back = *after == T::default();
    let is_touched = before != after && (!is_taken_back || kept == before);
    if is_touched { after.clone() } else { kept.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(points: &[&str], content: &str) -> MarkSeen {
        let points = points.iter().map(|point| (*point).to_owned()).collect();
        MarkSeen { points, content: Some(content.to_owned()), ..MarkSeen::default() }
    }

    fn done(saw: &MarkSeen) -> Marks {
        let mut marks = Marks::default();
        marks.take(&MarkOrder::Done, Some("good enough"), Timestamp(5), saw);
        marks
    }

    #[test]
    fn done_holds_while_nothing_comes_that_it_did_not_see() {
        let saw = seen(&["a", "b"], "x");
        let mut marks = done(&saw);
        assert!(!marks.expire(&seen(&["b"], "x")), "a point that was closed takes nothing away");
        assert!(marks.word.is_some());
        for (now, lapse) in [
            (seen(&["b", "c"], "x"), MarkLapse::Point),
            (seen(&["b"], "y"), MarkLapse::Content),
            (MarkSeen { questions: vec!["Which?".to_owned()], ..saw.clone() }, MarkLapse::Question),
            (MarkSeen { prompted_at: Some(Timestamp(9)), ..saw.clone() }, MarkLapse::Prompt),
        ] {
            let mut marks = done(&saw);
            assert!(marks.expire(&now));
            assert_eq!((marks.word, marks.lapsed), (None, Some(lapse)));
        }
    }

    #[test]
    fn a_tree_that_nobody_could_look_at_lapses_nothing() {
        let mut marks = done(&seen(&[], "x"));
        assert!(!marks.expire(&MarkSeen::default()));
    }

    #[test]
    fn quiet_ends_with_a_question_and_not_with_an_open_point() {
        let mut marks = Marks::default();
        marks.take(&MarkOrder::Quiet, None, Timestamp(5), &MarkSeen::default());
        assert!(!marks.expire(&seen(&["a"], "y")));
        assert!(marks.expire(&MarkSeen { questions: vec!["Which?".to_owned()], ..MarkSeen::default() }));
        assert_eq!(marks.quiet, None);
    }

    #[test]
    fn each_word_is_taken_back_alone() {
        let saw = seen(&["a", "b"], "x");
        let kind = MarkOrder::TaskKind { task_kind: TaskKind::Report };
        let point = |point: &str| MarkOrder::NotOfThisTask { point: Some(point.to_owned()) };
        for order in [MarkOrder::Done, MarkOrder::Open, MarkOrder::Quiet, kind, point("a")] {
            let mut marks = Marks::default();
            marks.take(&point("z"), None, Timestamp(5), &saw);
            let before = marks.clone();
            assert!(!marks.holds(&order));
            marks.take(&order, Some("why"), Timestamp(6), &saw);
            assert!(marks.holds(&order) && marks.is_any());
            let back = MarkOrder::TakeBack { order: Box::new(order.clone()) };
            marks.take(&back, None, Timestamp(7), &saw);
            assert_eq!(marks, Marks { changed_at: Some(Timestamp(7)), ..before }, "{order:?}");
        }
        // An order whose statement does not hold takes nothing back.
        let mut marks = done(&saw);
        let back = MarkOrder::TakeBack { order: Box::new(MarkOrder::Open) };
        marks.take(&back, None, Timestamp(7), &saw);
        assert!(marks.holds(&MarkOrder::Done));
    }

    #[test]
    fn a_word_is_newer_than_what_it_replaces_whatever_the_clock_says() {
        let mut marks = done(&MarkSeen::default());
        marks.take(&MarkOrder::Open, None, Timestamp(-3_600_000), &MarkSeen::default());
        assert_eq!(marks.changed_at, Some(Timestamp(6)));
        marks.take(&MarkOrder::Clear, None, Timestamp(2), &MarkSeen::default());
        assert_eq!(marks.changed_at, Some(Timestamp(7)));
    }

    /// What is kept after `orders` that each saw only `before`.
    fn kept(before: &Marks, orders: &[MarkOrder]) -> Marks {
        orders.iter().zip(6..).fold(before.clone(), |kept, (order, at)| {
            let mut after = before.clone();
            after.take(order, None, Timestamp(at), &seen(&["a", "b"], "x"));
            kept.with_change(before, &after)
        })
    }

    #[test]
    fn who_did_not_see_a_mark_takes_nothing_of_it_away() {
        let point = |point: &str| MarkOrder::NotOfThisTask { point: Some(point.to_owned()) };
        let back = |order: MarkOrder| MarkOrder::TakeBack { order: Box::new(order) };
        let kind = MarkOrder::TaskKind { task_kind: TaskKind::Report };
        let orders = [MarkOrder::Done, MarkOrder::Quiet, point("a"), point("b"), kind];
        let all = kept(&Marks::default(), &orders);
        assert!(orders.iter().all(|order| all.holds(order)), "{all:?}");
        // Whoever gave the last order has not seen the others yet, and is told.
        assert!(all.changed_at > Some(Timestamp(10)), "{all:?}");

        // Of the same kind, the later one counts.
        let last = kept(&Marks::default(), &[MarkOrder::Done, MarkOrder::Open]);
        assert_eq!(last.word.as_ref().map(|mark| mark.word), Some(MarkWord::Open));

        // What is taken back is what was seen.
        let left = kept(&all, &[back(MarkOrder::Quiet), back(point("a"))]);
        assert_eq!((left.quiet.as_deref(), left.not_of_task.as_slice()), (None, &["b".to_owned()][..]));
        assert!(left.word.is_some());
        let anew = kept(&all, &[MarkOrder::Open, MarkOrder::Clear]);
        assert_eq!(anew.word.as_ref().map(|mark| mark.word), Some(MarkWord::Open));
        assert_eq!((anew.quiet, anew.not_of_task), (None, Vec::new()));
    }

    #[test]
    fn a_mark_that_lapses_takes_no_newer_one_along() {
        let before = done(&seen(&["a"], "x"));
        let mut lapsed = before.clone();
        assert!(lapsed.expire(&seen(&["b"], "x")));
        let kept = before.with_change(&before, &lapsed);
        assert_eq!((&kept.word, kept.lapsed), (&None, Some(MarkLapse::Point)));
        assert!(kept.changed_at > before.changed_at, "other closeouts are told");
        assert_eq!(kept.with_change(&before, &lapsed), kept, "who finds the same changes nothing");
        let mut again = before.clone();
        again.take(&MarkOrder::Done, None, Timestamp(9), &seen(&["b"], "x"));
        assert_eq!(again.with_change(&before, &lapsed), again);
    }

    #[test]
    fn all_is_taken_back_at_once() {
        let mut marks = done(&seen(&["a"], "x"));
        marks.take(&MarkOrder::NotOfThisTask { point: None }, None, Timestamp(6), &seen(&["a"], "x"));
        assert_eq!(marks.not_of_task, ["a"]);
        marks.take(&MarkOrder::Clear, None, Timestamp(7), &MarkSeen::default());
        assert_eq!(marks, Marks { changed_at: Some(Timestamp(7)), ..Marks::default() });
    }
}
