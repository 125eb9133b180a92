//! What a capture of this thread has recorded: steps, which a graph runs later (`launch/graph.rs`), and which memory they write.
//!
//! Launches, fills and copies of a thread that captures become steps. What they write holds nothing new until a graph runs, so
//! reading such memory on this thread is refused ([`check_view`]). Memory that is made during a capture begins each run
//! as it began: what sets it back ([`Restore`]) is needed only where a step writes it. Other threads go on as ever.
//!
//! While no thread captures, all this is one load, shared with traces (`active.rs`).

use super::active::{active, enter, leave};
use super::error::{Code, error, refuse};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use warp_core::abi::Strided;
use warp_core::array::{Array as Core, View, copy as elements};
use warp_core::device::Device;

/// One thing that a graph does.
pub trait Step: Send + Sync {
    /// Shows Python's collector every object that this holds.
    ///
    /// # Errors
    /// The collector wants to see no more.
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError>;

    /// What it writes.
    fn writes(&self, each: &mut dyn FnMut(&Strided));

    /// Asked before the graph runs, while Python's lock is held: whether all memory is what it was.
    ///
    /// # Errors
    /// Memory has been replaced.
    fn check(&self) -> PyResult<()>;

    /// Whether it is expected to be so quick that Python's lock need not be given up for it.
    fn is_short(&self) -> bool;

    /// Does it, with or without Python's lock. `interrupted` is asked now and then; true ends the work.
    ///
    /// # Errors
    /// What a kernel or a device says.
    fn run(&self, interrupted: &dyn Fn() -> bool) -> PyResult<()>;

    /// What it is, in a line.
    fn name(&self) -> String;

    /// Where it is done.
    fn place(&self) -> Place {
        Place::Host
    }

    /// What it decides, where it does nothing but run others.
    fn control(&self) -> Option<Control<'_>> {
        None
    }

    /// Steps that it may run, by name: branches and bodies.
    fn parts(&self) -> Vec<Part> {
        Vec::new()
    }

    /// Whether nothing would be missed.
    fn is_idle(&self) -> bool {
        false
    }
}

/// Where a step is done, which says what graphs it can be part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The host has to do something each time.
    Host,
    /// A GPU does it alone, given what it is to do once.
    Gpu(Device),
    /// As `Gpu`, but not in branches and loops that the GPU decides by itself.
    GpuOutside(Device),
}

/// What a step decides that runs others.
pub enum Control<'a> {
    /// One of two, by an int32.
    If(&'a Core, &'a Shared, &'a Shared),
    /// A loop, by an int32.
    While(&'a Core, &'a Shared),
    /// Nothing.
    All(Shared),
}

/// Steps that several hold.
pub type Shared = Arc<[Box<dyn Step>]>;

/// Steps that a step may run, and what they are called.
pub type Part = (&'static str, Shared);

/// Steps in order.
pub type Steps = Vec<Box<dyn Step>>;

/// What memory held when it was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Nothing that matters.
    Any,
    /// Zeros.
    Zeros,
    /// What is in it.
    Content,
}

/// A capture of this thread.
struct Capture {
    number: u64,
    /// The steps, and those of bodies that are being captured, the innermost last.
    frames: Vec<Steps>,
    /// The bytes that steps write.
    written: HashSet<Range<usize>>,
    /// Memory that was made meanwhile, and that no step has written yet.
    made: Vec<(Range<usize>, Arc<Memory>)>,
    /// Called at the end.
    ends: Vec<Box<dyn FnOnce()>>,
    _active: Active,
}

/// Counts among traces and captures while it is there, on a thread that ends, too.
struct Active;

impl Drop for Active {
    fn drop(&mut self) {
        leave();
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Whether this thread captures. Asked after [`active`].
pub fn capturing() -> bool {
    active() && CURRENT.with_borrow(Option::is_some)
}

/// The number of this thread's capture, which no other one has; 0 if there is none.
pub fn number() -> u64 {
    if !active() {
        return 0;
    }
    CURRENT.with_borrow(|c| c.as_ref().map_or(0, |c| c.number))
}

/// Begins a capture; false if this thread captures already.
pub fn begin() -> bool {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    CURRENT.with_borrow_mut(|current| {
        if current.is_some() {
            return false;
        }
        *current = Some(Capture {
            number: NUMBER.fetch_add(1, Ordering::Relaxed) + 1,
            frames: vec![Steps::new()],
            written: HashSet::new(),
            made: Vec::new(),
            ends: Vec::new(),
            _active: Active,
        });
        enter();
        true
    })
}

/// Ends the capture and returns its steps; None if this thread captures nothing.
pub fn end() -> Option<Steps> {
    let Capture { frames, ends, .. } = CURRENT.take()?;
    ends.into_iter().for_each(|end| end());
    let steps = frames.into_iter().flatten();
    Some(steps.filter(|step| !step.is_idle()).collect())
}

/// Steps are those of a body from now on, until [`leave_body`].
pub fn enter_body() {
    CURRENT.with_borrow_mut(|c| {
        if let Some(capture) = c {
            capture.frames.push(Steps::new());
        }
    });
}

/// The steps of the body that was entered last. None if the capture has ended meanwhile.
pub fn leave_body() -> Option<Steps> {
    CURRENT.with_borrow_mut(|c| {
        let capture = c.as_mut().filter(|c| c.frames.len() > 1)?;
        capture.frames.pop()
    })
}

/// Whether a body is being captured.
pub fn in_body() -> bool {
    CURRENT.with_borrow(|c| c.as_ref().is_some_and(|c| c.frames.len() > 1))
}

/// Adds a step.
///
/// # Errors
/// There is no memory for what memory held that it writes first.
pub fn add(step: Box<dyn Step>) -> PyResult<()> {
    let mut bytes: Vec<Range<usize>> = Vec::new();
    step.writes(&mut |written| bytes.push(written.bytes()));
    let needed = CURRENT.with_borrow_mut(|c| {
        let Some(capture) = c else { return Vec::new() };
        let mut needed = Vec::new();
        for range in bytes.into_iter().filter(|r| !r.is_empty()) {
            let made = &mut capture.made;
            let taken = made.extract_if(.., |(m, _)| m.start < range.end && range.start < m.end);
            needed.extend(taken.map(|(_, memory)| memory));
            capture.written.insert(range);
        }
        needed
    });
    // Outside: copying may run code of others.
    for memory in needed {
        memory.need()?;
    }
    CURRENT.with_borrow_mut(|c| {
        if let Some(last) = c.as_mut().and_then(|c| c.frames.last_mut()) {
            last.push(step);
        }
    });
    Ok(())
}

/// Says that memory is new: each run begins with what it holds now.
#[cold]
pub fn made(core: &Core, start: Start) {
    if start == Start::Any || core.view.layout().is_empty() {
        return;
    }
    CURRENT.with_borrow_mut(|c| {
        let Some(capture) = c else { return };
        let memory = Arc::new(Memory {
            whole: core.clone(),
            start,
            needed: AtomicBool::new(false),
            content: OnceLock::new(),
        });
        capture.made.push((core.view.addresses(), memory.clone()));
        if let Some(last) = capture.frames.last_mut() {
            last.push(Box::new(Restore(memory)));
        }
    });
}

/// Calls a function when the capture of this thread ends.
pub fn at_end(end: Box<dyn FnOnce()>) {
    CURRENT.with_borrow_mut(|c| {
        if let Some(capture) = c {
            capture.ends.push(end);
        }
    });
}

/// Refuses to look at memory that steps of this thread's capture write.
///
/// # Errors
/// It is.
pub fn check_view(view: &View, what: &str) -> PyResult<()> {
    let bytes = view.addresses();
    let pending = CURRENT.with_borrow(|c| {
        let Some(capture) = c else { return false };
        let mut written = capture.written.iter();
        written.any(|w| w.start < bytes.end && bytes.start < w.end)
    });
    if !pending || view.layout().is_empty() {
        return Ok(());
    }
    Err(error(
        Code::Runtime,
        format!(
            "{what}: the capture on this thread writes this array, whose content exists only after wp.capture_launch; read it \
             then, or before the capture"
        ),
    ))
}

/// Refuses what a capture cannot record.
///
/// # Errors
/// This thread captures.
#[inline(always)]
pub fn check_outside(what: &str) -> PyResult<()> {
    if active() && capturing() {
        return Err(error(
            Code::Runtime,
            format!(
                "{what} cannot be captured: end the capture of this thread first (wp.capture_end)"
            ),
        ));
    }
    Ok(())
}

/// Memory that was made during a capture.
struct Memory {
    whole: Core,
    start: Start,
    needed: AtomicBool,
    /// A copy of what is in it at first, where that is not zeros.
    content: OnceLock<Core>,
}

impl Memory {
    /// Says that a step writes it.
    fn need(&self) -> PyResult<()> {
        if self.start == Start::Content {
            // SAFETY: the owner keeps the memory, which no step has written; Python's lock keeps others from writing.
            let copy = unsafe { self.whole.copy_to(self.whole.view.device) };
            let copy = copy.map_err(|e| Python::attach(|py| refuse(py, "a capture")(e)))?;
            let _ = self.content.set(copy);
        }
        self.needed.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Sets memory back to what it held when it was made.
struct Restore(Arc<Memory>);

impl Step for Restore {
    fn visit(&self, _: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Memory of ours holds no objects.
        Ok(())
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        each(&self.0.whole.view.strided());
    }
    fn check(&self) -> PyResult<()> {
        Ok(())
    }
    fn is_short(&self) -> bool {
        is_short(&self.0.whole.view)
    }
    fn run(&self, _: &dyn Fn() -> bool) -> PyResult<()> {
        let view = &self.0.whole.view;
        let outcome = match self.0.content.get() {
            // SAFETY: both are memory of ours that this holds, of one shape and element; who runs a graph says who else
            // uses it.
            Some(content) => unsafe { elements::copy(view, &content.view) },
            // SAFETY: as above; the element has the size of one.
            None => unsafe { elements::fill(view, &vec![0; view.elem.size()]) },
        };
        outcome.map_err(|e| Python::attach(|py| refuse(py, "a graph")(e)))
    }
    fn name(&self) -> String {
        format!("restore {}", shown(&self.0.whole.view))
    }
    fn place(&self) -> Place {
        on(&self.0.whole.view)
    }
    fn is_idle(&self) -> bool {
        !self.0.needed.load(Ordering::Relaxed)
    }
}

/// Whether a fill or a copy of an array is quick.
pub fn is_short(view: &View) -> bool {
    view.layout().len() * view.elem.size() <= 1 << 16
}

/// Where an array is filled, or copied within its device.
pub fn on(view: &View) -> Place {
    match view.device {
        Device::Cpu => Place::Host,
        device => Place::Gpu(device),
    }
}

/// An array in a name: its type and shape.
pub fn shown(view: &View) -> String {
    format!("{}{:?}", view.elem, view.layout().shape())
}
