//! Signs in Unicode or ASCII, and styles with or without colour.
//!
//! Panels name meanings ([`TextStyle`], [`Sign`]); only this file knows colours and signs. It uses the sixteen
//! colours of the terminal's own palette, and never a background, so that dark and light themes both work. A
//! style is never the only mark of anything: a word or a sign accompanies it.

use ratatui::style::{Color, Modifier, Style};

use crate::model::Proof;
use crate::present::Urgency;

/// How the screen looks; by default without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Whether colours are used (`NO_COLOR` turns them off); bold, faint and reversed remain.
    pub has_colour: bool,
    /// Which signs are used.
    pub signs: SignSet,
}

/// The set of signs used beside words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignSet {
    /// Signs like `✔` and `…`.
    #[default]
    Unicode,
    /// ASCII only, for terminals that draw Unicode signs two cells wide or not at all.
    Ascii,
}

impl Look {
    /// Colours and Unicode signs.
    pub const fn colour() -> Look {
        Look { has_colour: true, signs: SignSet::Unicode }
    }

    /// Unicode signs without colour.
    pub const fn plain() -> Look {
        Look { has_colour: false, signs: SignSet::Unicode }
    }

    /// ASCII signs without colour.
    pub const fn ascii() -> Look {
        Look { has_colour: false, signs: SignSet::Ascii }
    }

    pub(super) fn style(self, style: TextStyle) -> Style {
        let plain = Style::new().add_modifier(style.modifier());
        match style.colour() {
            Some(colour) if self.has_colour => plain.fg(colour),
            Some(_) | None => plain,
        }
    }

    pub(super) fn sign(self, sign: Sign) -> &'static str {
        let (unicode, ascii) = sign.forms();
        match self.signs {
            SignSet::Unicode => unicode,
            SignSet::Ascii => ascii,
        }
    }

    /// Spells the screen's own words with this look's ellipsis and quotation marks.
    pub(super) fn spelled(self, words: &str) -> String {
        match self.signs {
            SignSet::Unicode => words.to_owned(),
            SignSet::Ascii => words.replace('…', self.sign(Sign::Ellipsis)).replace(['“', '”'], "\""),
        }
    }

    /// The separator between facts in a row, with its spaces.
    pub(super) fn dot(self) -> &'static str {
        match self.signs {
            SignSet::Unicode => " · ",
            SignSet::Ascii => " - ",
        }
    }
}

/// The meaning of a piece of text, for its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextStyle {
    Plain,
    /// Secondary text: labels, ages, rules.
    Faint,
    /// The main thing.
    Strong,
    /// A question to the person.
    Asks,
    /// Failures, and work or a verdict at risk.
    Bad,
    /// Not done yet.
    Open,
    /// Done.
    Good,
    /// In progress.
    Busy,
    /// Emphasised by an agent.
    Emphasis,
    /// Struck through by an agent.
    Struck,
    /// Code in an agent's words.
    Code,
    Selected,
    /// The selected row while the keys act elsewhere.
    Resting,
}

impl TextStyle {
    /// The style for the sign and state of a workspace of this urgency.
    pub(super) fn of(urgency: Urgency) -> TextStyle {
        match urgency {
            Urgency::Permission | Urgency::Asks => TextStyle::Asks,
            Urgency::Rescue | Urgency::Error | Urgency::Stalled => TextStyle::Bad,
            Urgency::Incomplete | Urgency::ToCommit => TextStyle::Open,
            Urgency::Offer | Urgency::Unseen => TextStyle::Good,
            Urgency::Waiting | Urgency::Working => TextStyle::Busy,
            Urgency::Unjudged | Urgency::Seen | Urgency::Quiet => TextStyle::Faint,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other styles keep the colour of the terminal")]
    fn colour(self) -> Option<Color> {
        match self {
            TextStyle::Asks => Some(Color::Magenta),
            TextStyle::Bad => Some(Color::Red),
            TextStyle::Open => Some(Color::Yellow),
            TextStyle::Good => Some(Color::Green),
            TextStyle::Busy | TextStyle::Code => Some(Color::Cyan),
            _ => None,
        }
    }

    fn modifier(self) -> Modifier {
        match self {
            TextStyle::Plain | TextStyle::Open | TextStyle::Good | TextStyle::Busy | TextStyle::Code => {
                Modifier::empty()
            }
            TextStyle::Faint => Modifier::DIM,
            TextStyle::Strong | TextStyle::Asks | TextStyle::Bad | TextStyle::Resting => Modifier::BOLD,
            TextStyle::Emphasis => Modifier::ITALIC,
            TextStyle::Struck => Modifier::CROSSED_OUT,
            TextStyle::Selected => Modifier::REVERSED.union(Modifier::BOLD),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Urgency(Urgency),
    /// How well a COMPLETE is proven.
    Proof(Proof),
    /// A question to the person.
    Question,
    /// New commits.
    Commits,
    /// Uncommitted files.
    Files,
    Ellipsis,
    Arrow,
    Versus,
    Rule,
    Bar,
    Tee,
    Marker,
    Done,
    Active,
    Open,
    Warning,
    Bullet,
    Replacement,
}

impl Sign {
    fn forms(self) -> (&'static str, &'static str) {
        match self {
            Sign::Urgency(Urgency::Permission) | Sign::Warning => ("!", "!"),
            Sign::Urgency(Urgency::Asks) | Sign::Question => ("?", "?"),
            Sign::Urgency(Urgency::Rescue) => ("▲", "^"),
            Sign::Urgency(Urgency::Error) => ("✗", "x"),
            Sign::Urgency(Urgency::Stalled) => ("■", "#"),
            Sign::Urgency(Urgency::Incomplete) => ("○", "o"),
            Sign::Urgency(Urgency::ToCommit) => ("△", "%"),
            Sign::Urgency(Urgency::Offer) => ("◇", "+"),
            Sign::Urgency(Urgency::Unseen) => ("✔", "V"),
            Sign::Urgency(Urgency::Waiting) => ("◌", "~"),
            Sign::Urgency(Urgency::Working) => ("●", "*"),
            Sign::Urgency(Urgency::Unjudged) => ("·", "."),
            Sign::Urgency(Urgency::Seen) => ("✓", "v"),
            Sign::Urgency(Urgency::Quiet) => ("–", "-"),
            Sign::Proof(Proof::Checked) => ("★", "T"),
            Sign::Proof(Proof::Committed) => ("◆", "="),
            Sign::Proof(Proof::Said) => ("“", "\""),
            Sign::Proof(Proof::ByYou) => ("@", "@"),
            Sign::Commits => ("↑", "^"),
            Sign::Files => ("±", "~"),
            Sign::Ellipsis => ("…", ".."),
            Sign::Arrow => ("→", "->"),
            Sign::Versus => ("≠", "!="),
            Sign::Rule => ("─", "-"),
            Sign::Bar => ("│", "|"),
            Sign::Tee => ("┬", "+"),
            Sign::Marker => ("▌", ">"),
            Sign::Done => ("✔", "[x]"),
            Sign::Active => ("▸", "[>]"),
            Sign::Open => ("○", "[ ]"),
            Sign::Bullet => ("•", "*"),
            Sign::Replacement => ("\u{FFFD}", "?"),
        }
    }
}
