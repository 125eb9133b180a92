//! Memory and kernels for tests.

use ptx_driver::machine::{Fault, Grid, Memory, Report, Settings, run};
use ptx_driver::ptx::Module;
use std::cell::UnsafeCell;
use std::ptr::NonNull;

/// Where the first allocation lies.
const BASE: u64 = 0x7000_0000_0000;
/// From one allocation to the next.
const APART: u64 = 1 << 24;

/// Memory of a device: allocations far apart.
#[derive(Default)]
pub struct Device(Vec<UnsafeCell<Vec<u8>>>);

// SAFETY: a test uses its device on one thread.
unsafe impl Sync for Device {}

impl Memory for Device {
    fn at(&self, address: u64, bytes: u64) -> Option<NonNull<u8>> {
        let number = address.checked_sub(BASE)? / APART;
        let cell = self.0.get(number as usize)?;
        // SAFETY: nobody holds a reference to the bytes while a kernel runs.
        let block = unsafe { &mut *cell.get() };
        let at = (address % APART) as usize;
        let room = block.get_mut(at..at + bytes as usize)?;
        NonNull::new(room.as_mut_ptr())
    }
}

impl Device {
    /// A new allocation with these words.
    pub fn words(&mut self, words: &[u32]) -> u64 {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(bytes)
    }

    pub fn bytes(&mut self, bytes: Vec<u8>) -> u64 {
        self.0.push(UnsafeCell::new(bytes));
        BASE + (self.0.len() as u64 - 1) * APART
    }

    pub fn read(&self, address: u64) -> Vec<u32> {
        let cell = &self.0[((address - BASE) / APART) as usize];
        // SAFETY: no kernel runs.
        let bytes = unsafe { &*cell.get() };
        let words = bytes.chunks_exact(4);
        words
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
            .collect()
    }

    /// Runs the first kernel of a module whose parameters are 64-bit numbers.
    pub fn launch(
        &mut self,
        text: &str,
        threads: [u32; 2],
        params: &[u64],
        settings: Settings,
    ) -> Result<Report, Fault> {
        let module = Module::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let globals = self.globals(&module);
        let params: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let grid = Grid {
            grid: [threads[0], 1, 1],
            block: [threads[1], 1, 1],
            dynamic_shared: 64,
        };
        let limited = Settings {
            instruction_limit: settings.instruction_limit.or(Some(50_000_000)),
            ..settings
        };
        run(&module, 0, &globals, &grid, &params, self, &limited)
    }

    /// Places a module's variables.
    pub fn globals(&mut self, module: &Module) -> Vec<u64> {
        let globals = module.globals.iter();
        let addresses: Vec<u64> = globals.map(|g| self.bytes(g.init.clone())).collect();
        for (global, address) in module.globals.iter().zip(&addresses) {
            for (at, to, offset) in &global.links {
                let value = addresses[*to].wrapping_add_signed(*offset).to_le_bytes();
                let place = Memory::at(self, address + *at as u64, 8).expect("it is there");
                // SAFETY: eight bytes are there.
                unsafe { place.cast::<[u8; 8]>().write_unaligned(value) };
            }
        }
        addresses
    }
}

/// A module with one kernel `k` of these parameters: 64-bit numbers `p0`, `p1`...
pub fn kernel(params: usize, body: &str) -> String {
    let params: Vec<_> = (0..params).map(|n| format!(".param .u64 p{n}")).collect();
    format!(
        "{}\n.visible .entry k({})\n{{\n{REGISTERS}\n{body}\nret;\n}}\n",
        HEAD,
        params.join(", ")
    )
}

pub const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
pub const REGISTERS: &str = ".reg .pred %p<16>; .reg .b16 %rs<16>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<16>; .reg .f64 %fd<16>;";

/// Runs one warp that stores a word for each lane: `%r1` is the lane, the body leaves its word in `%r0`.
pub fn warp(body: &str, threads: [u32; 2], settings: Settings) -> Result<Vec<u32>, Fault> {
    let mut device = Device::default();
    let total = threads[0] * threads[1];
    let out = device.words(&vec![0; total as usize]);
    let text = kernel(
        1,
        &format!(
            "mov.u32 %r1, %tid.x; mov.u32 %r30, %ctaid.x; mov.u32 %r31, %ntid.x; mad.lo.u32 %r30, %r30, %r31, %r1;
            {body}
            ld.param.u64 %rd30, [p0]; mul.wide.u32 %rd31, %r30, 4; add.u64 %rd30, %rd30, %rd31; st.global.u32 [%rd30], %r0;"
        ),
    );
    device.launch(&text, threads, &[out], settings)?;
    Ok(device.read(out))
}
