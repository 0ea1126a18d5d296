//! Asking agents: the smart check with its probes, and the closer.

use crate::model::{ActRequest, AskPlan, AskPurpose, SessionName};

use super::{Acted, Tools, not_yet};

pub(super) fn plan(_: &ActRequest, _: AskPurpose, _: Option<&SessionName>, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn smart_check(_: &ActRequest, _: &AskPlan, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn verify(_: &ActRequest, _: &AskPlan, _: &Tools<'_>) -> Acted {
    not_yet()
}
