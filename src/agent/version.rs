//! Versions of clients: three numbers that can be compared. Which of them were tried is a fact of each agent.

/// A version as the clients write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads a version; what follows the third number after a `-` or a `+` is left out.
    pub fn parse(text: &str) -> Option<Version> {
        let plain = text.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse().ok());
        let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}
