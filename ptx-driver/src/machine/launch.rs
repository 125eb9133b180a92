//! What all blocks of a grid share.

use super::fault::{Fault, FaultKind};
use super::grid::{Grid, Memory, Settings};
use super::race::Races;
use super::random::Random;
use super::thread::{Template, Thread};
use super::tlb::Tlb;
use crate::ptx::code::Function;
use crate::ptx::{Entry, Module};

/// A grid that runs.
pub(super) struct Launch<'a> {
    pub module: &'a Module,
    pub kernel: usize,
    pub grid: Grid,
    pub params: Vec<u8>,
    pub settings: Settings,
    /// Of each function: what its frames begin with.
    pub templates: Vec<Template>,
    pub executed: u64,
    /// How many instructions may be executed.
    pub limit: u64,
    pub random: Random,
    pub tlb: Tlb<'a>,
    pub races: Option<Races>,
    /// Threads of a block.
    pub threads: u32,
    pub shared_bytes: u64,
    /// Threads of the last block, whose memory is used again.
    pub pool: Vec<Thread>,
}

impl<'a> Launch<'a> {
    pub fn new(
        module: &'a Module,
        kernel: usize,
        globals: &[u64],
        grid: &Grid,
        params: &[u8],
        memory: &'a dyn Memory,
        settings: &Settings,
    ) -> Launch<'a> {
        let entry = &module.entries[kernel];
        let functions = module.functions.iter();
        let template = |f: &Function| Template::new(f, globals, &entry.shared);
        let threads = grid.block.iter().product();
        Launch {
            module,
            kernel,
            grid: *grid,
            params: params.to_vec(),
            settings: *settings,
            templates: functions.map(template).collect(),
            executed: 0,
            limit: settings.instruction_limit.unwrap_or(u64::MAX),
            random: Random::new(settings.seed),
            tlb: Tlb::new(memory),
            races: settings.races.then(|| Races::new(threads, entry.fences)),
            threads,
            shared_bytes: module.kernels[kernel].shared_bytes + u64::from(grid.dynamic_shared),
            pool: Vec::new(),
        }
    }

    pub fn entry(&self) -> &'a Entry {
        &self.module.entries[self.kernel]
    }

    /// Coordinates of a block.
    pub fn place_of_block(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.grid.map(u64::from);
        [number % x, number / x % y, number / x / y].map(|n| n as u32)
    }

    /// Coordinates of a thread in its block.
    pub fn place_of_thread(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.grid.block;
        [index % x, index / x % y, index / x / y]
    }

    /// A fault of a thread at an instruction.
    pub fn fault(
        &self,
        kind: FaultKind,
        what: &str,
        block: u64,
        thread: &Thread,
        at: (usize, usize),
    ) -> Box<Fault> {
        let (function, pc) = at;
        let function = &self.module.functions[function];
        let line = function.lines[pc] as usize;
        let kernel = self.module.kernels[self.kernel].name.clone();
        let block = self.place_of_block(block);
        let thread = self.place_of_thread(thread.index);
        let called = if function.name == kernel {
            String::new()
        } else {
            format!(" (in {})", function.name)
        };
        let text = format!(
            "{what}: kernel {kernel}{called}, block {block:?}, thread {thread:?}, PTX line {line}: {}",
            self.module.line(line)
        );
        Box::new(Fault {
            kind,
            kernel,
            block,
            thread,
            line,
            text,
        })
    }
}
