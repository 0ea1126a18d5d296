//! Decision files.

use crate::model::ActRequest;

use super::{Acted, Tools, not_yet};

pub(super) fn decide(_: &ActRequest, _: bool, _: Option<&str>, _: &Tools<'_>) -> Acted {
    not_yet()
}
