//! Notices: why the user is notified about a workspace, how, and when not.

use super::{Attention, RunStatus};

/// The reason for a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// A question waits for an answer.
    Question,
    /// A session waits for permission.
    Permission,
    /// Finished work is not committed.
    Rescue,
    /// The same reasons keep coming back.
    Stalled,
    /// Something failed.
    Error,
    /// A usage limit is reached, or a supervised run ended by one of its limits.
    Limit,
    /// Work is finished.
    Finished,
}

impl NoticeKind {
    /// The name used in the configuration.
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

    /// The notice for an attention. An offer has none, because nobody waits for an answer.
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
    /// The notice for a run that ended with this status; `None` if the work is complete or the user ended
    /// it.
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

/// The way in which the user is notified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeRoute {
    /// The terminal bell.
    Bell,
    /// The window title, with the number of workspaces that need the user.
    Title,
    /// An OSC 9 notification (iTerm2, Ghostty, Windows Terminal).
    Osc9,
    /// An OSC 777 notification (urxvt, foot).
    Osc777,
    /// An OSC 99 notification (kitty).
    Osc99,
    /// A desktop notification through `notify-send`.
    Desktop,
}

impl NoticeRoute {
    /// The route with this name in the configuration.
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

/// A daily time span in minutes since midnight, local time, without its end; it may cross midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoursOfDay {
    from: u16,
    to: u16,
}

impl HoursOfDay {
    /// Parses a span like `22:00-07:30`; `None` if it is malformed or empty.
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

    /// True if a minute of the day (0 to 1439) lies in the span.
    pub fn contains(self, minute: u16) -> bool {
        let HoursOfDay { from, to } = self;
        if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
    }
}

/// When and how the user is notified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoticeSettings {
    /// The routes to use.
    pub ways: Vec<NoticeRoute>,
    /// The reasons to notify about, by [`NoticeKind::name`].
    pub about: Vec<String>,
    /// A program with its arguments, started for each notice; empty for none.
    pub command: Vec<String>,
    /// The hours without notices; what happened in them is reported afterwards.
    pub quiet_hours: Option<HoursOfDay>,
    /// True if a notice may contain the agent's question.
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
