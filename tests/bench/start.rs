//! From the start of the program to its first frame, and until all workspaces are judged.

use std::time::Duration;

use anyhow::Result;

use super::fleet::Fleet;
use super::samples::Samples;
use super::screen::Screen;

/// Starts the program and waits until all workspaces are judged. Gives the screen and how long the
/// first frame and all verdicts took.
pub(crate) fn started(fleet: &Fleet) -> Result<(Screen, Duration, Duration)> {
    let mut screen = Screen::start(&fleet.world, fleet.main())?;
    let first = screen.wait_for(|text| text.contains("closeout"))? - screen.started();
    let word = format!("{} left to do", fleet.tops.len());
    let judged = screen.wait_for(|text| text.contains(&word))? - screen.started();
    Ok((screen, first, judged))
}

/// First frame and all judged, `count` times, with nothing remembered from before.
pub(crate) fn cold_starts(fleet: &Fleet, count: usize) -> Result<(Samples, Samples)> {
    let (mut firsts, mut judged) = (Samples::default(), Samples::default());
    for _ in 0..count {
        fleet.set_state_aside()?;
        let (_screen, first, all) = started(fleet)?;
        firsts.push(first);
        judged.push(all);
    }
    Ok((firsts, judged))
}
