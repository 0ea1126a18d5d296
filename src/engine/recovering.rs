//! At the start: brings to an end what a crash has cut off in a rescue or an undo, beside the loop.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::EngineConfig;
use super::actions::rescuer::{problem, rescuer_of};
use super::event::EngineEvent;
use crate::model::display_text;

/// Looks for it and ends it; what was found is told. Needs the runtime.
pub(super) fn start(config: Arc<EngineConfig>, sender: UnboundedSender<EngineEvent>) {
    spawn_blocking(move || {
        // Without git or a state folder there was no rescue either.
        let Ok(rescuer) = rescuer_of(&config) else { return };
        rescuer.sweep();
        for top in rescuer.unfinished() {
            let shown = display_text::path(&top);
            let words = match rescuer.recover(&top) {
                Ok(()) => format!("a rescue in {shown} that had been cut off was brought to an end"),
                Err(error) => {
                    let words = display_text::line(&problem(&error).message).into_owned();
                    format!("a rescue in {shown} was cut off and cannot be brought to an end: {words}")
                }
            };
            // When nobody receives, the engine has ended.
            let _ = sender.send(EngineEvent::Notice(words));
        }
    });
}
