//! How things look: signs in Unicode or ASCII, and styles with or without colour.
//!
//! Panels name what a thing means ([`Tone`], [`Sign`]); only this file knows colours and signs. The
//! sixteen colours of the terminal's own palette are used, never a background, so that dark and
//! light both work. A tone is never the only mark of anything: a word or a sign stands beside it.

use ratatui::style::{Color, Modifier, Style};

/// How the screen looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Whether colours are used (`NO_COLOR` says no); bold, faint and reversed stay.
    pub has_colour: bool,
    /// Which signs are used.
    pub signs: SignSet,
}

/// Which signs are used beside words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignSet {
    /// Signs like `✔` and `…`.
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

    /// The style of a tone.
    pub(super) fn style(self, tone: Tone) -> Style {
        let style = Style::new().add_modifier(tone.modifier());
        match tone.colour() {
            Some(colour) if self.has_colour => style.fg(colour),
            Some(_) | None => style,
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

    /// Words of the screen's own with the ellipsis of this look.
    pub(super) fn spelled(self, words: &str) -> String {
        words.replace('…', self.sign(Sign::Ellipsis))
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
pub(super) enum Tone {
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

impl Tone {
    fn colour(self) -> Option<Color> {
        match self {
            Tone::Asks => Some(Color::Magenta),
            Tone::Bad => Some(Color::Red),
            Tone::Open => Some(Color::Yellow),
            Tone::Good => Some(Color::Green),
            Tone::Busy | Tone::Code => Some(Color::Cyan),
            Tone::Plain
            | Tone::Faint
            | Tone::Strong
            | Tone::Emphasis
            | Tone::Struck
            | Tone::Selected
            | Tone::Resting => None,
        }
    }

    fn modifier(self) -> Modifier {
        match self {
            Tone::Plain | Tone::Open | Tone::Good | Tone::Busy | Tone::Code => Modifier::empty(),
            Tone::Faint => Modifier::DIM,
            Tone::Strong | Tone::Asks | Tone::Bad | Tone::Resting => Modifier::BOLD,
            Tone::Emphasis => Modifier::ITALIC,
            Tone::Struck => Modifier::CROSSED_OUT,
            Tone::Selected => Modifier::REVERSED.union(Modifier::BOLD),
        }
    }
}

/// A sign, by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Permission,
    Asks,
    Rescue,
    Error,
    Stalled,
    Incomplete,
    Offer,
    Unseen,
    Waiting,
    Working,
    Unjudged,
    Seen,
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
            Sign::Permission | Sign::Warning => ("!", "!"),
            Sign::Asks => ("?", "?"),
            Sign::Rescue => ("▲", "^"),
            Sign::Error => ("✗", "x"),
            Sign::Stalled => ("■", "#"),
            Sign::Incomplete => ("○", "o"),
            Sign::Offer => ("◇", "+"),
            Sign::Unseen => ("✔", "V"),
            Sign::Waiting => ("◌", "~"),
            Sign::Working => ("●", "*"),
            Sign::Unjudged => ("·", "."),
            Sign::Seen => ("✓", "v"),
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
