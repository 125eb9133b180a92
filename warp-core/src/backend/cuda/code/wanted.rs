//! Which compute capability kernels are compiled for.

use std::sync::atomic::{AtomicU32, Ordering};

/// The compute capabilities that there is text for. LLVM 19 knows no later ones; drivers compile forward.
pub const KNOWN: [u32; 5] = [75, 80, 86, 89, 90];

/// The latest one that the user wants; 0 if he has not said.
static WANTED: AtomicU32 = AtomicU32::new(0);

/// Says which compute capability kernels are compiled for at most; None: that of the device.
pub fn want_arch(arch: Option<u32>) {
    WANTED.store(arch.unwrap_or(0), Ordering::Relaxed);
}

/// The compute capability, 10 * major + minor, to compile for on a device of this one, unless the user wants an earlier one; None for
/// a device that is too old.
pub fn compiled_for(capability: u32) -> Option<u32> {
    supported(match WANTED.load(Ordering::Relaxed) {
        0 => capability,
        wanted => capability.min(wanted),
    })
}

/// The compute capability to compile for on a device of this one; None for one that is too old.
pub fn supported(capability: u32) -> Option<u32> {
    KNOWN.into_iter().rev().find(|known| *known <= capability)
}

#[cfg(test)]
mod tests {
    use super::supported;

    #[test]
    fn later_devices_get_what_the_compiler_knows() {
        let known = [70, 75, 80, 87, 90, 100, 121].map(supported);
        assert_eq!(
            known,
            [
                None,
                Some(75),
                Some(80),
                Some(86),
                Some(90),
                Some(90),
                Some(90)
            ]
        );
    }
}
