//! Notices: why a person is told of a workspace, how, and when not.

use super::{Attention, RunStatus};

/// Why a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// A question waits.
    Question,
    /// A permission is waited for.
    Permission,
    /// Finished work is not committed.
    Rescue,
    /// The same reasons again and again.
    Stalled,
    /// Something failed.
    Error,
    /// A usage limit is reached, or a supervised run ended by one of its limits.
    Limit,
    /// Work is finished.
    Finished,
}

impl NoticeKind {
    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            NoticeKind::Question => "question",
            NoticeKind::Permission => "permission",
            NoticeKind::Rescue => "rescue",
            NoticeKind::Stalled => "stalled",
            NoticeKind::Error => "error",
            NoticeKind::Limit => "limit",
            NoticeKind::Finished => "finished",
        }
    }

    /// Why a person is told, behind the name of the workspace.
    pub fn label(self) -> &'static str {
        match self {
            NoticeKind::Question => "asks a question",
            NoticeKind::Permission => "needs a permission",
            NoticeKind::Rescue => "has finished work that is not committed",
            NoticeKind::Stalled => "is stalled",
            NoticeKind::Error => "failed",
            NoticeKind::Limit => "has reached a limit",
            NoticeKind::Finished => "is finished",
        }
    }

    /// What calls for a notice. An offer waits for nobody.
    pub fn of(attention: Attention) -> Option<NoticeKind> {
        match attention {
            Attention::Permission => Some(NoticeKind::Permission),
            Attention::Asks => Some(NoticeKind::Question),
            Attention::Rescue => Some(NoticeKind::Rescue),
            Attention::Stalled => Some(NoticeKind::Stalled),
            Attention::Error => Some(NoticeKind::Error),
            Attention::Finished => Some(NoticeKind::Finished),
            Attention::Offer => None,
        }
    }
}

impl RunStatus {
    /// What a person is told of a run that ended so; `None` where it is complete or they ended it.
    pub fn notice(self) -> Option<NoticeKind> {
        match self {
            RunStatus::Complete | RunStatus::Cancelled => None,
            RunStatus::MaxIterations | RunStatus::BreakerOpen | RunStatus::Budget | RunStatus::Deadline => {
                Some(NoticeKind::Limit)
            }
            RunStatus::Stalled => Some(NoticeKind::Stalled),
            RunStatus::Unanswered => Some(NoticeKind::Question),
            RunStatus::Unreadable | RunStatus::Failed => Some(NoticeKind::Error),
        }
    }
}

/// How a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeRoute {
    /// The bell of the terminal.
    Bell,
    /// The title of the window, with the number of workspaces that need the person.
    Title,
    /// A notification as of iTerm2, Ghostty, Windows Terminal.
    Osc9,
    /// A notification as of urxvt, foot.
    Osc777,
    /// A notification as of kitty.
    Osc99,
    /// The desktop's own, by `notify-send`.
    Desktop,
}

impl NoticeRoute {
    /// The way of this name in the configuration.
    pub fn from_name(name: &str) -> Option<NoticeRoute> {
        match name {
            "bell" => Some(NoticeRoute::Bell),
            "title" => Some(NoticeRoute::Title),
            "osc9" => Some(NoticeRoute::Osc9),
            "osc777" => Some(NoticeRoute::Osc777),
            "osc99" => Some(NoticeRoute::Osc99),
            "desktop" => Some(NoticeRoute::Desktop),
            _ => None,
        }
    }
}

/// A span of the day, in minutes since midnight, local time; it may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoursOfDay {
    from: u16,
    to: u16,
}

impl HoursOfDay {
    /// Reads a span like `22:00-07:30`.
    pub fn parse(text: &str) -> Option<HoursOfDay> {
        let minute = |text: &str| {
            let (hour, minute) = text.split_once(':')?;
            let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
            (hour < 24 && minute < 60).then_some(hour * 60 + minute)
        };
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from)?, minute(to)?);
        (from != to).then_some(HoursOfDay { from, to })
    }

    /// Whether a minute of the day lies in it.
    pub fn contains(self, minute: u16) -> bool {
        let HoursOfDay { from, to } = self;
        if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
    }
}

/// When and how a person is told of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoticeSettings {
    /// How.
    pub ways: Vec<NoticeRoute>,
    /// Of what, by [`NoticeKind::name`].
    pub about: Vec<String>,
    /// A program and its arguments, started for each notice; empty for none.
    pub command: Vec<String>,
    /// Nobody is told then; what came meanwhile is told after it.
    pub quiet_hours: Option<HoursOfDay>,
    /// Whether the agent's question may stand in it.
    pub shows_question: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let night = HoursOfDay::parse("22:00-07:00").unwrap();
        for (minute, is_quiet) in [(22 * 60, true), (0, true), (419, true), (420, false), (1319, false)] {
            assert_eq!(night.contains(minute), is_quiet, "{minute}");
        }
        let morning = HoursOfDay::parse("01:00-02:00").unwrap();
        assert!(morning.contains(60) && !morning.contains(120));
        for wrong in ["", "22-7", "24:00-01:00", "07:00-07:00", "7:60-8:00", "-", "a:b-c:d"] {
            assert_eq!(HoursOfDay::parse(wrong), None, "{wrong}");
        }
    }
}
