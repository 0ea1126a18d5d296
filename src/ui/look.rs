//! How things look: signs in Unicode or ASCII, and styles with or without colour.
//!
//! Panels name what a thing means ([`TextStyle`], [`Sign`]); only this file knows colours and signs. The
//! sixteen colours of the terminal's own palette are used, never a background, so that dark and
//! light both work. A style is never the only mark of anything: a word or a sign stands beside it.

use ratatui::style::{Color, Modifier, Style};

use crate::model::Proof;
use crate::present::Urgency;

/// How the screen looks; by default without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Whether colours are used (`NO_COLOR` says no); bold, faint and reversed stay.
    pub has_colour: bool,
    /// Which signs are used.
    pub signs: SignSet,
}

/// Which signs are used beside words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignSet {
    /// Signs like `✔` and `…`.
    #[default]
    Unicode,
    /// ASCII only, for terminals that draw those two cells wide or not at all.
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

    /// The colours and modifiers of a style.
    pub(super) fn style(self, style: TextStyle) -> Style {
        let plain = Style::new().add_modifier(style.modifier());
        match style.colour() {
            Some(colour) if self.has_colour => plain.fg(colour),
            Some(_) | None => plain,
        }
    }

    /// A sign as text.
    pub(super) fn sign(self, sign: Sign) -> &'static str {
        let (unicode, ascii) = sign.forms();
        match self.signs {
            SignSet::Unicode => unicode,
            SignSet::Ascii => ascii,
        }
    }

    /// Words of the screen's own with the ellipsis and the quotation marks of this look.
    pub(super) fn spelled(self, words: &str) -> String {
        match self.signs {
            SignSet::Unicode => words.to_owned(),
            SignSet::Ascii => words.replace('…', self.sign(Sign::Ellipsis)).replace(['“', '”'], "\""),
        }
    }

    /// The separator between facts in a row, with its blanks.
    pub(super) fn dot(self) -> &'static str {
        match self.signs {
            SignSet::Unicode => " · ",
            SignSet::Ascii => " - ",
        }
    }
}

/// What a piece of text means to the eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextStyle {
    Plain,
    /// Beside the point: labels, ages, rules.
    Faint,
    /// The thing itself.
    Strong,
    /// A person is asked.
    Asks,
    /// Work or a verdict at risk, and failures.
    Bad,
    /// Not done yet.
    Open,
    /// Done.
    Good,
    /// In progress.
    Busy,
    /// Emphasis in an agent's words.
    Emphasis,
    /// What an agent struck through.
    Struck,
    /// Code in an agent's words.
    Code,
    /// The selected row.
    Selected,
    /// The selected row while the keys go elsewhere.
    Resting,
}

impl TextStyle {
    /// How the sign and the state of a workspace look that is so urgent.
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

    fn colour(self) -> Option<Color> {
        match self {
            TextStyle::Asks => Some(Color::Magenta),
            TextStyle::Bad => Some(Color::Red),
            TextStyle::Open => Some(Color::Yellow),
            TextStyle::Good => Some(Color::Green),
            TextStyle::Busy | TextStyle::Code => Some(Color::Cyan),
            TextStyle::Plain
            | TextStyle::Faint
            | TextStyle::Strong
            | TextStyle::Emphasis
            | TextStyle::Struck
            | TextStyle::Selected
            | TextStyle::Resting => None,
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

/// A sign, by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The sign of a workspace that is so urgent.
    Urgency(Urgency),
    /// How well a COMPLETE is proven.
    Proof(Proof),
    /// A person is asked.
    Question,
    /// New commits.
    Commits,
    /// Files that are not committed.
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
            Sign::Urgency(Urgency::Unseen) | Sign::Proof(Proof::Checked) => ("✔", "V"),
            Sign::Urgency(Urgency::Waiting) => ("◌", "~"),
            Sign::Urgency(Urgency::Working) => ("●", "*"),
            Sign::Urgency(Urgency::Unjudged) => ("·", "."),
            Sign::Urgency(Urgency::Seen) => ("✓", "v"),
            Sign::Urgency(Urgency::Quiet) => ("–", "-"),
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
