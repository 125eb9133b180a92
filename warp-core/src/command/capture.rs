//! Captures: a thread's commands become those of a graph. Other threads go on as ever.
//!
//! What commands write holds nothing new until the graph runs, so that looking at such memory is refused on this thread. Memory that
//! is made during a capture begins each run as it began: what sets it back is a command of its own, where one writes it.

use super::data::{Command, Shared};
use super::recorder::{self, Recorder, Start};
use super::transfer::{Copy, Fill};
use crate::array::{Array, View};
use crate::error::{Code, Error, Result};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many captures there are, on all threads.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The capture of a thread.
pub struct Capture {
    number: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The commands, and those of bodies that are being captured, the innermost last.
    frames: Vec<Vec<Entry>>,
    /// The bytes that commands write.
    written: HashSet<Range<usize>>,
    /// Memory that was made meanwhile, and that no command has written yet.
    made: Vec<(Range<usize>, Arc<Made>)>,
    /// Called at the end.
    ends: Vec<Box<dyn FnOnce() + Send>>,
}

#[allow(clippy::large_enum_variant, reason = "nearly all are commands")]
enum Entry {
    Command(Command),
    /// Here memory was made.
    Made(Arc<Made>),
}

/// Memory that was made during a capture.
struct Made {
    whole: Array,
    start: Start,
    /// A command writes it.
    needed: AtomicBool,
    /// A copy of what is in it at first, where that is not zeros.
    content: OnceLock<Array>,
}

impl Made {
    /// Says that a command writes it.
    fn need(&self) -> Result<()> {
        if self.start == Start::Content {
            // SAFETY: the owner keeps the memory, which no command has written.
            let copy = unsafe { self.whole.copy_to(self.whole.view.device) };
            let copy = copy.map_err(|e| e.within("a capture").of_array())?;
            let _ = self.content.set(copy);
        }
        self.needed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// What sets the memory back to what it held when it was made, where a command writes it.
    fn restore(&self) -> Option<Command> {
        if !self.needed.load(Ordering::Relaxed) {
            return None;
        }
        let (to, name) = (self.whole.clone(), "restore");
        Some(match self.content.get() {
            Some(content) => Command::Copy(Copy {
                to,
                from: content.clone(),
                name,
            }),
            None => Command::Fill(Fill {
                element: SmallVec::from_elem(0, to.view.elem.size()),
                to,
                name,
            }),
        })
    }
}

impl Capture {
    /// Begins to capture; None if this thread captures already.
    pub fn begin() -> Option<Arc<Capture>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if recorder::has::<Capture>() {
            return None;
        }
        let state = State {
            frames: vec![Vec::new()],
            ..State::default()
        };
        let capture = Arc::new(Capture {
            number: NUMBER.fetch_add(1, Ordering::Relaxed) + 1,
            state: Mutex::new(state),
        });
        COUNT.fetch_add(1, Ordering::Relaxed);
        recorder::push(capture.clone());
        Some(capture)
    }

    /// The capture of this thread.
    #[inline]
    pub fn current() -> Option<Arc<Capture>> {
        match COUNT.load(Ordering::Relaxed) {
            0 => None,
            _ => recorder::find(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the capture, which must be of this thread, and returns its commands.
    pub fn end(&self) -> Vec<Command> {
        recorder::remove(self);
        let State { frames, ends, .. } = std::mem::take(&mut *self.state());
        ends.into_iter().for_each(|end| end());
        finished(frames.into_iter().flatten())
    }

    /// The commands that a function gives are those of a body. None if the capture ends meanwhile.
    pub fn body<T>(&self, function: impl FnOnce() -> T) -> (T, Option<Shared>) {
        self.state().frames.push(Vec::new());
        let outcome = function();
        let mut state = self.state();
        let frame = match state.frames.len() {
            0 | 1 => None,
            _ => state.frames.pop(),
        };
        drop(state);
        (outcome, frame.map(|frame| finished(frame).into()))
    }

    /// Whether a body is being captured.
    pub fn is_in_body(&self) -> bool {
        self.state().frames.len() > 1
    }

    /// Calls a function when the capture ends.
    pub fn at_end(&self, end: Box<dyn FnOnce() + Send>) {
        self.state().ends.push(end);
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The number of this thread's capture, which no other one has; 0 if there is none.
pub fn number() -> u64 {
    Capture::current().map_or(0, |capture| capture.number)
}

/// Whether this thread captures.
#[inline(always)]
pub fn capturing() -> bool {
    COUNT.load(Ordering::Relaxed) != 0 && recorder::has::<Capture>()
}

/// What a frame comes to at its end.
fn finished(entries: impl IntoIterator<Item = Entry>) -> Vec<Command> {
    let entries = entries.into_iter();
    entries
        .filter_map(|entry| match entry {
            Entry::Command(command) => Some(command),
            Entry::Made(memory) => memory.restore(),
        })
        .collect()
}

impl Recorder for Capture {
    fn defers(&self) -> bool {
        true
    }

    fn take(&self, command: Command) -> Result<()> {
        let mut bytes: Vec<Range<usize>> = Vec::new();
        command.writes(&mut |written| bytes.push(written.bytes()));
        let mut needed = Vec::new();
        let mut state = self.state();
        for range in bytes.into_iter().filter(|r| !r.is_empty()) {
            let made = &mut state.made;
            let taken = made.extract_if(.., |(m, _)| m.start < range.end && range.start < m.end);
            needed.extend(taken.map(|(_, memory)| memory));
            state.written.insert(range);
        }
        drop(state);
        // Outside: copying may run code of others.
        needed.iter().try_for_each(|memory| memory.need())?;
        if let Some(last) = self.state().frames.last_mut() {
            last.push(Entry::Command(command));
        }
        Ok(())
    }

    fn made(&self, array: &Array, start: Start) -> bool {
        if start == Start::Any || array.view.layout().is_empty() {
            return true;
        }
        let memory = Arc::new(Made {
            whole: array.clone(),
            start,
            needed: AtomicBool::new(false),
            content: OnceLock::new(),
        });
        let mut state = self.state();
        state.made.push((array.view.addresses(), memory.clone()));
        if let Some(last) = state.frames.last_mut() {
            last.push(Entry::Made(memory));
        }
        true
    }

    fn look(&self, view: &View, what: &str) -> Result<()> {
        let bytes = view.addresses();
        let state = self.state();
        let mut written = state.written.iter();
        let pending = written.any(|w| w.start < bytes.end && bytes.start < w.end);
        if !pending || view.layout().is_empty() {
            return Ok(());
        }
        let text = format!(
            "{what}: the capture on this thread writes this array, whose content exists only after wp.capture_launch; read it \
             then, or before the capture"
        );
        Err(Error::new(Code::Runtime, text))
    }
}
