//! The name of a reference, so that a full one and a short one cannot be taken for each other. Must not know what a
//! reference points to.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where branches are.
const BRANCHES: &str = "refs/heads/";

/// The full name of a reference, like `refs/heads/main`; never empty. As JSON the name alone. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub struct RefName(String);

impl RefName {
    /// The reference called `full`; `None` if that is no full name.
    pub fn new(full: impl Into<String>) -> Option<RefName> {
        let full = full.into();
        full.strip_prefix("refs/").is_some_and(|rest| !rest.is_empty()).then_some(RefName(full))
    }

    /// The branch with this short name.
    pub fn of_branch(short: &str) -> RefName {
        RefName(format!("{BRANCHES}{short}"))
    }

    /// The full name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the branch, like `main`; `None` if this is another kind of reference.
    pub fn branch(&self) -> Option<&str> {
        self.0.strip_prefix(BRANCHES).filter(|name| !name.is_empty())
    }

    /// The name as a person writes it: that of the branch, else the full one.
    pub fn short(&self) -> &str {
        self.branch().unwrap_or(&self.0)
    }
}

impl TryFrom<String> for RefName {
    type Error = &'static str;

    fn try_from(full: String) -> Result<RefName, &'static str> {
        RefName::new(full).ok_or("not the full name of a reference")
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_name_is_one() {
        for (full, branch, short) in [
            ("refs/heads/main", Some("main"), "main"),
            ("refs/heads/fix/a", Some("fix/a"), "fix/a"),
            ("refs/tags/v1", None, "refs/tags/v1"),
        ] {
            let name = RefName::new(full).unwrap();
            assert_eq!((name.as_str(), name.branch(), name.short()), (full, branch, short));
            assert!(branch.is_none_or(|branch| RefName::of_branch(branch) == name));
            assert_eq!(serde_json::to_value(&name).unwrap(), serde_json::json!(full));
            assert_eq!(serde_json::from_value::<RefName>(serde_json::json!(full)).unwrap(), name);
        }
        for other in ["", "main", "HEAD", "refs/", "heads/main"] {
            assert_eq!(RefName::new(other), None, "{other}");
            assert!(serde_json::from_value::<RefName>(serde_json::json!(other)).is_err(), "{other}");
        }
    }
}
