//! Rescue, undo and redo.

use crate::model::{ActRequest, RescuePlan, UndoPlan, UndoWay};

use super::{Acted, Tools, not_yet};

pub(super) fn plan(_: &ActRequest, _: Option<&str>, _: bool, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn record(_: &ActRequest, _: bool, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn commit(_: &ActRequest, _: &RescuePlan, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn plan_undo(_: &ActRequest, _: UndoWay, _: &Tools<'_>) -> Acted {
    not_yet()
}

pub(super) fn undo(_: &ActRequest, _: &UndoPlan, _: &Tools<'_>) -> Acted {
    not_yet()
}
