//! Launching a kernel on a GPU.

use crate::abi::grid::{GridLaunch, GridStack, Quotient};
use crate::abi::{ErrorSlot, flag};
use crate::backend::cuda::code::executable::Executable;
use crate::backend::cuda::launch::fault::refused;
use crate::backend::cuda::launch::printing::Printing;
use crate::backend::cuda::launch::state::State;
use crate::backend::job::{Grid, Job};
use crate::device::cuda::{self, Gpu};
use crate::error::Result;
use cudarc::driver::sys::CUstream;

/// Blocks of a launch whose threads reduce sums in registers, in multiples of the blocks that a GPU runs at once.
const WAVES: u32 = 4;

/// Gives a stream a launch.
///
/// # Safety
/// The argument block was packed for the executable, and its arrays are alive until the stream is done.
///
/// # Errors
/// What the driver says; faults are reported at the next synchronisation of the device.
pub unsafe fn launch(
    gpu: &'static Gpu,
    executable: &Executable,
    job: &Job<'_>,
) -> std::result::Result<(), ErrorSlot> {
    let total = job.total();
    if total == 0 {
        return Ok(());
    }
    let state = State::of(gpu).map_err(refused)?;
    let mut flags = if job.overlap { flag::OVERLAP } else { 0 };
    // SAFETY: promised by the caller.
    if i32::try_from(total).is_ok() && unsafe { executable.dense.hold(job.block, flags) } {
        flags |= flag::DENSE;
    }
    let mut launch = GridLaunch {
        error: state.board.address(),
        total,
        flags,
        kernel: executable.number,
        print: std::ptr::null_mut(),
        stacks: [GridStack {
            base: std::ptr::null_mut(),
            room: 0,
        }; _],
        overflow: std::ptr::null_mut(),
        spare: std::ptr::null_mut(),
        spare_size: 0,
        block_dim: job.grid.block_dim,
        reserved: 0,
        quotients: std::array::from_fn(|d| Quotient::by(job.dims[d + 1].max(1) as u32)),
        objects: match executable.queries {
            true => state.objects(gpu).map_err(refused)?.address(),
            false => std::ptr::null(),
        },
    };
    let printing = match executable.prints.is_empty() {
        true => None,
        false => Some(printing(gpu, executable, job).map_err(refused)?),
    };
    if let Some(printing) = &printing {
        launch.print = printing.address();
    }
    let (mut blocks, threads) = match executable.threads {
        // The dimensions say how many there are, and the compiler has seen to it that so many threads are possible.
        Some(threads) => ((total / i64::from(threads)) as u32, threads),
        None => grid(
            total,
            job.grid,
            job.in_order,
            executable.loaded.most_threads(),
        ),
    };
    if executable.reduces {
        // Each warp changes memory once: more of them than are kept busy would only queue at the same element.
        let resident = executable.loaded.resident_blocks(threads);
        blocks = blocks.min(WAVES.saturating_mul(resident.map_err(refused)?));
    }
    let room = match &executable.stacks {
        None => None,
        Some(stacks) => {
            // Threads that do not run yet would only take memory.
            let resident = executable
                .loaded
                .resident_blocks(threads)
                .map_err(refused)?;
            blocks = blocks.min(resident).min(stacks.most_blocks(threads));
            let room = stacks.prepare(&mut launch, blocks, threads, job.stream);
            Some(room.map_err(refused)?)
        }
    };
    let mut params = [job.block.cast_mut().cast(), (&raw mut launch).cast()];
    let stream = job.stream.handle as CUstream;
    // SAFETY: promised by the caller; the driver has read both blocks when it returns.
    unsafe {
        executable
            .loaded
            .launch(blocks, threads, stream, &mut params)
    }
    .map_err(refused)?;
    if let Some(room) = &room {
        room.note().map_err(refused)?;
    }
    match printing {
        None => Ok(()),
        // SAFETY: the launch was just given to the stream.
        Some(printing) => unsafe { printing.enqueue(gpu, stream) }.map_err(refused),
    }
}

#[cold]
fn printing(gpu: &Gpu, executable: &Executable, job: &Job<'_>) -> Result<Box<Printing>> {
    let again = cuda::stream_is_capturing(job.stream)?;
    Printing::new(gpu, &executable.prints, again)
}

/// Blocks and threads of a block, `possible` at most. Threads take further elements where the grid is smaller than the launch.
fn grid(total: i64, wanted: Grid, in_order: bool, possible: u32) -> (u32, u32) {
    if in_order {
        return (1, 1);
    }
    let threads = i64::from(wanted.block_dim.clamp(1, possible));
    let most = match wanted.max_blocks {
        0 => i64::from(i32::MAX),
        most => i64::from(most.min(i32::MAX as u32)),
    };
    let blocks = (total + threads - 1) / threads;
    (blocks.clamp(1, most) as u32, threads as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_cover_launches() {
        let of = |block_dim, max_blocks| Grid {
            block_dim,
            max_blocks,
        };
        assert_eq!(grid(1, of(256, 0), false, 1024), (1, 256));
        assert_eq!(grid(257, of(256, 0), false, 1024), (2, 256));
        assert_eq!(grid(1 << 20, of(128, 10), false, 1024), (10, 128));
        assert_eq!(
            grid(i64::MAX / 2, of(256, 0), false, 1024),
            (i32::MAX as u32, 256)
        );
        assert_eq!(grid(1000, of(256, 0), true, 1024), (1, 1));
        assert_eq!(
            grid(1000, of(256, 0), false, 128),
            (8, 128),
            "many registers"
        );
    }
}
