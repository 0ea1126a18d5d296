//! The programs that could take part in the commit of a rescue. Nothing here runs them.

use schemars::JsonSchema;
use serde::Serialize;

/// Programs that could have a part in a commit. None runs unless it is trusted, and those that are wanted
/// only because the user said so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedPrograms {
    /// Names the exact programs and settings for the question of trust.
    pub digest: String,
    /// True when the user trusts exactly these.
    pub is_trusted: bool,
    /// The filters with a program that paths of the plan go through, by their names: if they are trusted. Else
    /// those paths are left out. Untrusted text.
    pub filters: Vec<String>,
    /// The hooks that a commit by git would run, by their names. Untrusted text.
    pub hooks: Vec<String>,
    /// The user's own rescue program, which can take the place of the commit.
    pub own: Option<OwnProgram>,
    /// What of it the user wants to run; nothing unless they say so.
    pub wanted: Option<WantedProgram>,
    /// What the work is about, for the user's own program: the name of a task or a specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
}

/// A rescue program of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OwnProgram {
    /// The program and its arguments. Untrusted text.
    pub words: Vec<String>,
    /// True when it is trusted: with all the others, or because the user's own configuration names it and it
    /// lies outside the workspace.
    pub is_trusted: bool,
}

/// A part in a commit that a program can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WantedProgram {
    /// The hooks run as they would at a commit by git.
    Hooks,
    /// The own rescue program takes the place of the commit.
    Own,
}

impl PlannedPrograms {
    /// Lets the user's own program make the commit if they trusted it, and returns its command line. For an
    /// unattended rescue; the user who is present is asked.
    pub fn want_trusted(&mut self) -> Option<String> {
        let own = self.own.as_ref().filter(|own| own.is_trusted)?;
        self.wanted = Some(WantedProgram::Own);
        Some(own.words.join(" "))
    }
}
