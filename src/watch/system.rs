//! The system's watcher, through the crate `notify`: inotify on Linux.
//!
//! It asks the kernel only for changes (`EventKindMask::CORE`): opening and reading cause no event, so
//! closeout's own reads never come back to it. It does not decide what an event means.

use std::path::Path;

use notify::event::{CreateKind, ModifyKind, RenameMode};
use notify::{
    Config, ErrorKind, Event, EventKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher,
};

use super::{Backend, Hint, OnHint, WatchError, WatchRefusal};

/// The system's watcher and its one thread, which ends when this is dropped.
pub(super) struct System(RecommendedWatcher);

impl System {
    pub(super) fn start(on_hint: OnHint) -> Result<System, WatchError> {
        let tell = move |event: notify::Result<Event>| hints_of(&event, &on_hint);
        let config = Config::default().with_event_kinds(EventKindMask::CORE);
        let watcher = RecommendedWatcher::new(tell, config).map_err(|error| WatchError(error.to_string()))?;
        // The crate does not report that its thread could not be started, and then panics on drop. A query that
        // only the thread can answer reveals it.
        match watcher.watched_paths() {
            Ok(_) => Ok(System(watcher)),
            Err(error) => {
                std::mem::forget(watcher);
                Err(WatchError(error.to_string()))
            }
        }
    }
}

impl Backend for System {
    fn watch(&mut self, place: &Path) -> Result<(), WatchRefusal> {
        self.0.watch(place, RecursiveMode::NonRecursive).map_err(|error| match error.kind {
            ErrorKind::MaxFilesWatch => WatchRefusal::LimitReached,
            ErrorKind::PathNotFound => WatchRefusal::Missing,
            ErrorKind::Io(error) => WatchRefusal::Failed(error.to_string()),
            ErrorKind::Generic(words) => WatchRefusal::Failed(words),
            ErrorKind::WatchNotFound | ErrorKind::InvalidConfig(_) => WatchRefusal::Failed(error.to_string()),
        })
    }

    fn unwatch(&mut self, place: &Path) {
        // The only possible failure: the system has already ended the watch.
        drop(self.0.unwatch(place));
    }
}

/// Converts an event of `notify` to hints. Lost events are checked first, since such an event has no path and
/// no kind of its own.
pub fn hints_of(event: &notify::Result<Event>, tell: &dyn Fn(Hint<'_>)) {
    let event = match event {
        Ok(event) if !event.need_rescan() => event,
        Ok(_) | Err(_) => return tell(Hint::Lost),
    };
    let hint: fn(&Path) -> Hint<'_> = match event.kind {
        // `Both` repeats a `From` and a `To` that were already reported; it would only cause a second read.
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)) => {
            |path| Hint::Gone(path)
        }
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(RenameMode::To)) => {
            |path| Hint::Arrived(path)
        }
        EventKind::Any | EventKind::Modify(_) | EventKind::Other => |path| Hint::Changed(path),
    };
    for path in &event.paths {
        if !is_lock_being_made(event.kind, path) {
            tell(hint(path));
        }
    }
}

/// Whether a lock file was created or written. It announces a change; its removal reports the change. A read at
/// its creation would return what is about to be outdated.
fn is_lock_being_made(kind: EventKind, path: &Path) -> bool {
    let is_made_or_written = matches!(
        kind,
        EventKind::Create(CreateKind::File) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any)
    );
    is_made_or_written && path.extension().is_some_and(|extension| extension == "lock")
}
