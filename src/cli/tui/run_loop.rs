//! The loop of the screen: input first, then the world, then a frame if anything changed. Keys are answered
//! at once; the world is drawn thirty times a second at most, a change of state sooner. At rest it must do
//! nothing.

use std::io;
use std::time::Duration;

use crossterm::event::{self, Event};
use crossterm::terminal::size;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::engine::{Engine, EngineConfig, FrontKind, clock};
use crate::process;
use crate::ui::{Edited, Input, Size};

use super::editor::Editor;
use super::front::{Front, Taken};
use super::terminal::{Screen, convert, is_suspend};

/// How long running actions are waited for at the end: long enough for git to finish a move, short enough for
/// whoever ends a session.
const FINISHING: Duration = Duration::from_secs(15);

/// How the loop ended, and the messages for the restored terminal.
pub(super) struct Ended {
    /// The reason, or an error of the terminal.
    pub(super) end: io::Result<End>,
    /// Sentences that the person has not read yet. Untrusted.
    pub(super) messages: Vec<String>,
}

pub(super) enum End {
    Quit,
    Signal(u8),
}

/// Runs the screen until the person leaves or a signal arrives, then completes or undoes the actions still
/// running.
pub(super) async fn run(config: EngineConfig, editor: Editor, mut front: Front, has_mouse: bool) -> Ended {
    let mut engine = None;
    let end = show(config, &editor, has_mouse, &mut front, &mut engine).await;
    let Some(engine) = &mut engine else { return Ended { end, messages: Vec::new() } };
    let left = engine.finish(FINISHING).await;
    let mut messages = front.unread(engine);
    messages
        .extend(left.iter().map(|action| format!("{action} did not finish; the next start completes it")));
    Ended { end, messages }
}

/// Shows the screen until it ends, and restores the terminal.
async fn show(
    config: EngineConfig,
    editor: &Editor,
    has_mouse: bool,
    front: &mut Front,
    engine: &mut Option<Engine>,
) -> io::Result<End> {
    let mut screen = Screen::take(has_mouse)?;
    let size = screen.terminal.size()?;
    front.begin(Size { width: size.width, height: size.height });
    // The first frame precedes all reading.
    front.draw(&mut screen)?;
    let engine = engine.insert(Engine::start(config, FrontKind::Attended));
    front.take_world(engine);
    let end = run_until_end(editor, front, engine, &mut screen).await;
    front.restore_title()?;
    end
}

async fn run_until_end(
    editor: &Editor,
    front: &mut Front,
    engine: &mut Engine,
    screen: &mut Screen,
) -> io::Result<End> {
    let mut inputs = Inputs::listen()?;
    let mut signals = Signals::listen()?;
    let mut is_expecting_continue = false;
    loop {
        let wake_at = front.frame_at().into_iter().chain(front.notice_at()).min();
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Heard::End(signal) => return Ok(End::Signal(signal)),
                Heard::Stop => {
                    Screen::give_back();
                    is_expecting_continue = process::stop_this_program();
                    resume(front, engine, screen)?;
                }
                // After a stop that closeout made itself, the program has continued already.
                Heard::Continue if std::mem::take(&mut is_expecting_continue) => {}
                Heard::Continue => resume(front, engine, screen)?,
            },
            input = inputs.next() => match input {
                Some(Ok(event)) if is_suspend(&event) => process::ask_job_to_stop(),
                Some(Ok(Event::Resize(width, height))) if !screen.resized(width, height) => {}
                Some(Ok(event)) => {
                    if let Event::FocusGained | Event::FocusLost = event {
                        front.focus(event == Event::FocusGained);
                    }
                    let Some(input) = convert(event) else { continue };
                    match front.take_input(engine, input) {
                        Taken::Stay => front.draw(screen)?,
                        Taken::Quit => return Ok(End::Quit),
                        Taken::Edit(text) => {
                            Screen::give_back();
                            let edited = edit(editor, text, front, engine, &mut signals).await;
                            let edited = match edited {
                                Ok(edited) => edited,
                                Err(signal) => return Ok(End::Signal(signal)),
                            };
                            resume(front, engine, screen)?;
                            front.take_input(engine, Input::Edited(edited));
                            front.draw(screen)?;
                        }
                    }
                }
                Some(Err(error)) => return Err(error),
                // The terminal is gone.
                None => return Ok(End::Signal(SIGHUP)),
            },
            delivery = front.next_delivery() => front.tell(delivery)?,
            () = engine.turn() => front.take_world(engine),
            () = clock::sleep_until(wake_at) => {}
        }
        front.tell_due()?;
        front.draw_if_due(engine, screen)?;
        if front.is_leaving() {
            return Ok(End::Quit);
        }
    }
}

/// Takes over the terminal again after the program was stopped; its size may have changed.
fn resume(front: &mut Front, engine: &mut Engine, screen: &mut Screen) -> io::Result<()> {
    screen.take_again()?;
    let size = screen.terminal.size()?;
    front.take_input(engine, Input::Resize(Size { width: size.width, height: size.height }));
    front.draw(screen)
}

/// Gives the terminal to the person's editor until that ends. The world is followed meanwhile, but nothing is
/// drawn. The error is the number of a signal that ends the program instead.
async fn edit(
    editor: &Editor,
    text: String,
    front: &mut Front,
    engine: &mut Engine,
    signals: &mut Signals,
) -> Result<Edited, u8> {
    let editing = match editor.open(text) {
        Ok(editing) => editing,
        Err(messages) => return Ok(Edited::Failed(messages)),
    };
    let ending = editing.program.ending();
    let mut ended = tokio::task::spawn_blocking(move || ending.wait());
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                // The terminal sends its interrupt to both programs; it is meant for the editor. After a stop
                // the editor continues by itself.
                Heard::End(SIGINT) | Heard::Continue => {}
                Heard::End(signal) => {
                    editing.program.hang_up();
                    return Err(signal);
                }
                Heard::Stop => drop(process::stop_this_program()),
            },
            _ = &mut ended => return Ok(editing.finish()),
            () = engine.turn() => front.take_world(engine),
        }
    }
}

/// The terminal's events. Nothing is read ahead: the next event is requested only after this one was handled,
/// so that another program can use the terminal in between.
struct Inputs {
    events: mpsc::UnboundedReceiver<io::Result<Event>>,
    asks: std::sync::mpsc::Sender<()>,
    /// Whether an event was requested that has not arrived.
    is_asked: bool,
}

impl Inputs {
    /// Starts a reader thread that ends with the process: on a closed terminal the library's read never
    /// returns, and the loop must still receive the signal that reports it. The first event is the terminal's size:
    /// until it listened, it was told of no other.
    fn listen() -> io::Result<Inputs> {
        let (sender, events) = mpsc::unbounded_channel();
        let (asks, asked) = std::sync::mpsc::channel();
        std::thread::Builder::new().spawn(move || {
            let mut is_listening = false;
            while asked.recv().is_ok() {
                let input = if std::mem::replace(&mut is_listening, true) { event::read() } else { begin() };
                let is_last = input.is_err();
                if sender.send(input).is_err() || is_last {
                    break;
                }
            }
        })?;
        Ok(Inputs { events, asks, is_asked: false })
    }

    /// The next event; `None` once the terminal is gone. Cancel-safe.
    async fn next(&mut self) -> Option<io::Result<Event>> {
        if !self.is_asked {
            // If the thread has ended, so has the channel of events.
            let _ = self.asks.send(());
            self.is_asked = true;
        }
        let event = self.events.recv().await;
        self.is_asked = false;
        event
    }
}

/// Makes the library listen for resizes, then measures the terminal.
fn begin() -> io::Result<Event> {
    event::poll(Duration::ZERO)?;
    let (width, height) = size()?;
    Ok(Event::Resize(width, height))
}

/// The signal that a terminal sends when it is closed.
pub(super) const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;
const SIGTSTP: i32 = rustix::process::Signal::TSTP.as_raw();
const SIGCONT: i32 = rustix::process::Signal::CONT.as_raw();

enum Heard {
    /// One that ends the program, by its number.
    End(u8),
    /// The program is to stop until it is continued.
    Stop,
    /// The program was stopped and continues.
    Continue,
}

/// The signals that end, stop and continue the program.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    stop: Signal,
    resume: Signal,
}

impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(SIGTSTP))?,
            resume: signal(SignalKind::from_raw(SIGCONT))?,
        })
    }

    async fn next(&mut self) -> Heard {
        tokio::select! {
            _ = self.terminate.recv() => Heard::End(SIGTERM),
            _ = self.interrupt.recv() => Heard::End(SIGINT),
            _ = self.hang_up.recv() => Heard::End(SIGHUP),
            _ = self.stop.recv() => Heard::Stop,
            _ = self.resume.recv() => Heard::Continue,
        }
    }
}
