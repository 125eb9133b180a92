//! The text of each kernel.

use super::kernel::Kernel;
use super::{moves, runs, scan, segments, sort, sum};

/// The text of a kernel.
pub fn text(kernel: Kernel) -> String {
    let name = &kernel.name();
    match kernel {
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

/// The name of every kernel's entry, and its text.
pub fn texts() -> Vec<(String, String)> {
    let all = Kernel::all();
    all.into_iter()
        .map(|kernel| (kernel.name(), text(kernel)))
        .collect()
}
