//! Replies to agents.

use crate::model::{ActRequest, ReplyBody, ReplyPlan, SessionName};

use super::{Acted, Tools, not_yet};

pub(super) fn plan(_: &ActRequest, _: &SessionName, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn send(_: &ActRequest, _: &ReplyPlan, _: &ReplyBody, _: &Tools<'_>) -> Acted {
    not_yet()
}
