//! The loop of the screen: input first, then the world, then a frame if anything changed. Keys are
//! answered at once; the world is drawn at most thirty times a second; at rest nothing happens.

use std::io;
use std::time::Duration;

use crossterm::event::{self, Event};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::engine::{Engine, Launch, clock};
use crate::model::Timestamp;
use crate::ui::{self, Look, Size};

use super::front::Front;
use super::input::convert;
use super::terminal::Screen;

/// How the loop ended.
pub(super) enum End {
    /// The person left.
    Quit,
    /// A signal, by its number.
    Signal(u8),
}

/// Runs the screen until the person leaves or a signal comes.
pub(super) async fn run(launch: Launch, look: Look, notices: Vec<String>) -> io::Result<End> {
    let mut screen = Screen::take()?;
    let size = screen.terminal.size()?;
    let mut state = ui::State::new(Size { width: size.width, height: size.height }, look);
    state.notices = notices;
    let mut front = Front::new(state);
    // The first frame comes before anything is read.
    front.draw(&mut screen)?;
    let mut engine = Engine::start(launch);
    front.take_world(&mut engine);
    let mut inputs = listen();
    let mut signals = Signals::listen()?;
    loop {
        let frame_at = front.frame_at();
        tokio::select! {
            biased;
            signal = signals.next() => return Ok(End::Signal(signal)),
            input = inputs.recv() => match input {
                Some(Ok(event)) => {
                    let Some(input) = convert(event) else { continue };
                    if front.take_input(&mut engine, input) {
                        return Ok(End::Quit);
                    }
                    front.draw(&mut screen)?;
                }
                Some(Err(error)) => return Err(error),
                // The terminal is gone.
                None => return Ok(End::Signal(SIGHUP)),
            },
            () = engine.turn() => front.take_world(&mut engine),
            () = sleep_until(frame_at) => {}
        }
        front.draw_if_due(&mut screen)?;
    }
}

/// The terminal's events, read on a thread of its own that ends with the process: on a terminal that was
/// closed the library reads for ever, and the loop has to hear the signal that says so.
fn listen() -> mpsc::UnboundedReceiver<io::Result<Event>> {
    let (sender, inputs) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        loop {
            let input = event::read();
            let is_last = input.is_err();
            if sender.send(input).is_err() || is_last {
                break;
            }
        }
    });
    inputs
}

/// What the screen shows, and when it is drawn next.
struct Front {
    state: ui::State,
    views: Vec<WorkspaceView>,
    /// A person chose, or everything was judged once: the selection is theirs.
    is_settled: bool,
    drawn_at: Timestamp,
    frame_at: Option<Timestamp>,
}

impl Front {
    /// Takes one input in; true when the person leaves.
    fn take_input(&mut self, engine: &mut Engine, input: Input) -> bool {
        self.is_settled = true;
        let reaction = ui::update(&mut self.state, &self.views, input);
        pass_on(engine, reaction.intents);
        self.take_world(engine);
        reaction.is_quit
    }

    /// Takes over what the engine knows by now; true when that changed anything.
    fn take_world(&mut self, engine: &mut Engine) -> bool {
        let changes = engine.take_changes();
        let mut notices = notices(engine);
        notices.retain(|notice| !self.state.notices.contains(notice));
        if changes.views.is_empty()
            && changes.removed.is_empty()
            && notices.is_empty()
            && self.state.is_loaded == engine.is_discovered()
        {
            return false;
        }
        self.state.notices.extend(notices);
        for view in changes.views {
            match self.views.iter_mut().find(|known| known.id == view.id) {
                Some(known) => *known = view,
                None => self.views.push(view),
            }
        }
        self.views.retain(|view| !changes.removed.contains(&view.id));
        if engine.is_discovered() {
            ui::order(&mut self.views, &self.state);
            self.select(engine);
        }
        true
    }

    /// Keeps the selection where a person wants it. Before they chose, it goes with the most urgent
    /// workspace, and what it passes by in the order of the first answers was not looked at.
    fn select(&mut self, engine: &mut Engine) {
        if !self.is_settled {
            self.state.selected = None;
            self.state.looked = None;
            self.state.holds_place = false;
            self.is_settled = engine.is_all_judged();
        }
        let reaction = ui::views_changed(&mut self.state, &self.views);
        if self.is_settled {
            pass_on(engine, reaction.intents);
        }
    }

    /// A frame now, or when the last one is a frame's time ago.
    fn ask_for_frame(&mut self) {
        let due = self.drawn_at.plus_millis(FRAME_MS).max(clock::now());
        self.frame_at = Some(self.frame_at.map_or(due, |before| before.min(due)));
    }

    fn is_due(&self) -> bool {
        self.frame_at.is_some_and(|frame_at| frame_at <= clock::now())
    }

    fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let now = clock::now();
        screen.terminal.draw(|frame| ui::draw(frame, &self.state, &self.views, now))?;
        self.drawn_at = now;
        self.frame_at = ui::next_age_change(&self.state, &self.views, now);
        Ok(())
    }
}

fn pass_on(engine: &mut Engine, intents: Vec<Intent>) {
    for intent in intents {
        engine.want(intent);
    }
}

/// What went wrong beside the workspaces.
fn notices(engine: &mut Engine) -> Vec<String> {
    let refused: Vec<String> = engine
        .refused()
        .iter()
        .map(|(path, reason)| format!("{} {reason}", display_text::path(path)))
        .collect();
    engine.take_notices().into_iter().chain(refused).collect()
}

/// The signal that a terminal sends when it is closed.
pub(super) const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;

/// The signals that end the program.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.terminate.recv() => SIGTERM,
            _ = self.interrupt.recv() => SIGINT,
            _ = self.hang_up.recv() => SIGHUP,
        }
    }
}

/// Sleeps until a moment, or for ever.
async fn sleep_until(at: Option<Timestamp>) {
    match at {
        Some(at) => {
            let wait = at.millis_since(clock::now()).max(0);
            tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
        }
        None => std::future::pending().await,
    }
}
