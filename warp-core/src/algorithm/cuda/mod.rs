//! The same algorithms on NVIDIA GPUs, by kernels of this library in PTX.
//!
//! Each is a few launches in the order of the current stream, with memory from the driver's pool; nothing waits, and no block waits
//! for another one. How work is cut depends on sizes alone, and floats are added in an order that does, so that results have the
//! same bits in every run.

mod element;
mod moves;
mod runs;
mod scan;
mod segments;
mod sort;
mod sum;
mod text;

pub use runs::runs;
pub use scan::scan;
pub use segments::sort_segments;
pub use sort::sort_pairs;
pub use sum::sum;

use crate::backend::cuda::own::{Own, Queue, only_loading};
use crate::device::Device;
use crate::device::current_stream;
use crate::dtype::{Class, Scalar, TABLE};
use crate::error::Result;
use element::{Source, Wide};
use sort::Key;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The kernels, with what their texts depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kernel {
    /// Sums of tiles of rows, as another scalar.
    SumTiles(Source, Scalar),
    /// Sums of few rows.
    SumFew(Source, Scalar),
    /// Running sums of tiles; whether they include the element of their own index.
    Scan(Source, Scalar, bool),
    /// How often each digit occurs in each tile of keys.
    CountDigits(Key),
    /// Moves keys, and values of so many bytes, to where their digits belong.
    MoveByDigit(Key, usize),
    /// The numbers from 0 on.
    Iota,
    /// Elements by their numbers, in units of so many bytes.
    Gather(usize),
    /// Where segments begin and end.
    MarkSegments,
    /// Where an element is in no segment.
    MarkRest,
    /// Where runs of elements of so many bytes begin.
    RunStarts(usize),
    /// How long runs are.
    RunLengths,
}

impl Kernel {
    /// The name in the text, as profilers show it.
    fn name(self) -> String {
        let spelled = format!("{self:?}").to_lowercase();
        let words = spelled.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        format!("warp_{}", words.join("_"))
    }

    fn text(self) -> String {
        let name = &self.name();
        match self {
            Kernel::SumTiles(from, to) => sum::tiles(name, from, to),
            Kernel::SumFew(from, to) => sum::few(name, from, to),
            Kernel::Scan(from, to, inclusive) => scan::text(name, from, to, inclusive),
            Kernel::CountDigits(key) => sort::count(name, key),
            Kernel::MoveByDigit(key, width) => sort::place(name, key, width),
            Kernel::Iota => moves::iota_text(name),
            Kernel::Gather(unit) => moves::gather_text(name, unit),
            Kernel::MarkSegments => segments::mark(name),
            Kernel::MarkRest => segments::rest(name),
            Kernel::RunStarts(size) => runs::starts(name, size),
            Kernel::RunLengths => runs::lengths(name),
        }
    }

    /// Every kernel that there is.
    fn all() -> Vec<Kernel> {
        use Kernel::*;
        let mut all = vec![Iota, MarkSegments, MarkRest, RunLengths];
        let numbers = TABLE.iter().map(|row| row.scalar);
        for scalar in numbers.filter(|s| *s != Scalar::Bool) {
            let wide = Wide::of(scalar).scalar();
            let (elements, products) = (Source::Elements(scalar), Source::Products(scalar));
            for (from, to) in [
                (elements, scalar),
                (elements, wide),
                (products, scalar),
                (products, wide),
            ] {
                all.extend([SumTiles(from, to), SumFew(from, to)]);
            }
            let partial = Source::Elements(wide);
            all.extend([SumTiles(partial, scalar), SumFew(partial, scalar)]);
            all.extend([Scan(elements, scalar, true), Scan(elements, scalar, false)]);
            let begins = Source::Begins(scalar);
            all.extend([
                SumTiles(begins, Scalar::U32),
                Scan(begins, Scalar::U32, true),
            ]);
            let key = Key::of(scalar);
            all.extend([CountDigits(key), MoveByDigit(key, 4), MoveByDigit(key, 8)]);
        }
        all.extend([1, 2, 4, 8].map(Gather));
        all.extend([1, 2, 4, 8].map(RunStarts));
        let mut found = std::collections::HashSet::new();
        all.retain(|kernel| found.insert(*kernel));
        all
    }
}

/// The text of every kernel and the name of its entry, for tests without a GPU.
pub fn texts() -> Vec<(String, String)> {
    let all = Kernel::all();
    all.into_iter()
        .map(|kernel| (kernel.name(), kernel.text()))
        .collect()
}

/// Calls functions of [`crate::algorithm`] that do nothing on a GPU but load the kernels that they need there, so that a graph that is
/// recorded later finds them.
///
/// # Errors
/// What the driver says.
pub fn load(what: impl FnOnce() -> Result<()>) -> Result<()> {
    only_loading(what)
}

/// Kernels that have been loaded, by GPU.
static LOADED: Mutex<Option<HashMap<(u16, Kernel), Own>>> = Mutex::new(None);

/// Where the algorithms of one call run.
struct Run(Queue);

impl Run {
    /// On the current stream of a GPU.
    fn on(device: Device) -> Result<Run> {
        Ok(Run(Queue::new(current_stream(device)?)?))
    }

    /// Launches a kernel in blocks of 256 threads.
    ///
    /// # Safety
    /// The kernel takes so many parameters, and what they point to is alive until the stream is done.
    unsafe fn launch(&self, kernel: Kernel, blocks: u64, params: &[u64]) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { self.0.launch(&self.loaded(kernel)?, blocks, params) }
    }

    fn loaded(&self, kernel: Kernel) -> Result<Own> {
        let key = (self.0.ordinal(), kernel);
        let lock = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = lock().get_or_insert_default().get(&key) {
            return Ok(own.clone());
        }
        // Outside the lock: the driver compiles.
        let own = self.0.load(kernel.text(), &kernel.name())?;
        Ok(lock()
            .get_or_insert_default()
            .entry(key)
            .or_insert(own)
            .clone())
    }
}

/// How the order of keys is that of their bits.
fn order_of(scalar: Scalar) -> Class {
    match scalar.class() {
        Class::Bool | Class::UInt => Class::UInt,
        Class::Int => Class::Int,
        Class::Float | Class::BFloat => Class::Float,
    }
}
