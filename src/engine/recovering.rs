//! At the start, completes any rescue, undo or deletion that a crash cut off, beside the loop.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::EngineConfig;
use super::actions::rescuer::{problem, rescuer_of};
use super::event::EngineEvent;
use crate::action::rescue::{Recovered, RescueError};
use crate::model::display_text;

/// Looks for interrupted operations, completes them and reports each. Requires the tokio runtime.
pub(super) fn start(config: Arc<EngineConfig>, sender: UnboundedSender<EngineEvent>) {
    spawn_blocking(move || {
        // Without git or a state folder, no rescue can have started.
        let Ok(rescuer) = rescuer_of(&config) else { return };
        rescuer.sweep();
        for top in rescuer.unfinished() {
            let shown = display_text::path(&top);
            let message = match rescuer.recover(&top) {
                // Another closeout was merely at work there, or still is.
                Ok(Recovered::Nothing) | Err(RescueError::Busy(_)) => continue,
                Ok(Recovered::Whole) => {
                    format!("an interrupted rescue or deletion in {shown} was completed or taken back")
                }
                Ok(Recovered::InPart) => format!(
                    "an interrupted rescue or deletion in {shown} is not complete yet; the next action there tries again"
                ),
                Err(error) => {
                    let message = display_text::line(&problem(&error).message).into_owned();
                    format!("an interrupted rescue or deletion in {shown} cannot be completed: {message}")
                }
            };
            // Sending fails only after the engine has ended.
            let _ = sender.send(EngineEvent::Notice(message));
        }
    });
}
