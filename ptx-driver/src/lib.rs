//! A CUDA driver for tests: a library that is loaded as `libcuda.so.1` and runs PTX on the CPU.
//!
//! It is no emulator of a GPU: it knows nothing of time, occupancy or weak memory order. It is strict where a GPU is lenient,
//! so that what works here by luck fails: streams advance only as far as somebody waits, memory is poisoned and guarded, threads run
//! in orders drawn by chance, and unknown instructions are refused. Its meaning comes from NVIDIA's documentation.
//!
//! - `ptx`: text to instructions.
//! - `machine`: runs a grid of threads over memory.
//! - `driver`: what `cu...` functions do; `exports` gives them their C names.
//!
//! Settings are environment variables, read by `cuInit`; an unknown one is refused. `ptx_driver_configure` changes them inside a process.
//!
//! | `PTX_DRIVER_` | default | meaning |
//! |---|---|---|
//! | `ORDER` | `lazy` | `lazy`: work runs when somebody waits for it; `eager`: when it is enqueued; `random`: by chance |
//! | `SEED` | 1 | of orders drawn by chance: streams, nodes of graphs, threads |
//! | `PAGEABLE` | `late` | asynchronous copies to pageable memory: `late` like those to pinned memory, `wait` as documented |
//! | `SWITCH` | none | threads of a block are switched after so many instructions, on average |
//! | `RACES` | 0 | 1: unordered accesses of threads are faults |
//! | `LIMIT` | none | instructions that one launch may execute |
//! | `DEVICES` | 1 | how many, up to 64 |
//! | `SM` | 90 | their compute capability |
//! | `MULTIPROCESSORS` | 4 | how many each has |
//! | `MEMORY` | 4 GiB | bytes of each |
//! | `PEER` | 1 | 0: no device reaches another one's memory |
//! | `VERSION` | 12040 | of the driver |
//! | `PTX` | 84 | the newest PTX that is taken |
//! | `LOG` | 0 | 1: each call and its code go to stderr |
//!
//! Host functions run on the thread that waits; one that only enqueues never runs them. The handle of a conditional node is the address
//! of a 32-bit variable on the device: `cudaGraphSetConditional(handle, value)` in a kernel is a store of `value` to it.

mod driver;
pub mod exports;
pub mod machine;
pub mod ptx;

pub use driver::inspect::Counts;
