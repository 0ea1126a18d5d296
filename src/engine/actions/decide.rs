//! Writes decision files at a person's request: with the check id, at the path that the settings name. It
//! must not decide.

use std::ffi::OsString;

use crate::action::decision::{self, DecisionText};
use crate::model::{ActionClass, ActionProblem, ActionRequest, DecidedFile};

use super::tools::{Tools, cancelled};

pub(super) fn decide(
    request: &ActionRequest,
    is_complete: bool,
    reason: Option<&str>,
    tools: &Tools<'_>,
) -> Result<DecidedFile, ActionProblem> {
    // From here on it cannot be cancelled: the file is written as a whole.
    let Some(_held) = tools.cancel.hold() else { return Err(cancelled()) };
    let Some(name) = &request.settings.decision_file else {
        let problem =
            ActionProblem::new(ActionClass::Refused, "no decision file is configured for this workspace");
        return Err(problem.with_next("set evidence.decision_file"));
    };
    let check_id = request.settings.check_id.as_deref();
    let text = DecisionText { is_complete, reason, check_id };
    let (path, digest) = decision::write(request.workspace.path(), name, &text)
        .map_err(|error| ActionProblem::new(error.class(), error.to_string()))?;
    Ok(DecidedFile { path, is_complete, check_id: check_id.map(str::to_owned), digest })
}

/// The environment variables that tell a program started for a workspace where its decision file goes, and
/// which id it must carry.
pub(super) fn variables(request: &ActionRequest) -> Vec<(OsString, OsString)> {
    let settings = &request.settings;
    decision::variables(
        request.workspace.path(),
        settings.decision_file.as_deref(),
        settings.check_id.as_deref(),
    )
}
