//! Runs a kernel natively on the interpreter's memory, in a layout of the test's choice.

use warp_core::abi::{ArrayArg, Ctx, Entry, ErrorSlot, flag};
use warp_core::backend::cpu::arena::with_stacks;
use warp_core::backend::cpu::llvm::{self, OptLevel, Tuning};
use warp_core::dtype::Scalar;
use warp_core::interp::{self, Arg, Buffer, Memory, Num};
use warp_core::ir::{Func, read};
use warp_core::lower::{self, Options};

/// How arrays lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Row-major without gaps.
    Dense,
    /// Every dimension backwards, with gaps.
    Strided,
}

/// A kernel ready to run.
pub struct Kernel {
    /// As it was given.
    pub func: Func,
    /// As it was lowered.
    pub text: String,
    options: Options,
    loaded: llvm::Loaded,
}

impl Kernel {
    /// Of IR in its text form.
    pub fn new(text: &str) -> Kernel {
        Kernel::with(text, &Options::default())
    }

    /// As [`Kernel::new`], with options.
    pub fn with(text: &str, options: &Options) -> Kernel {
        Kernel::of(read(text).expect("the kernel reads"), options)
    }

    /// Of IR, which has to verify.
    pub fn of(func: Func, options: &Options) -> Kernel {
        let func = warp_core::verify::verify(func).expect("the kernel verifies");
        let lowered = lower::host::lower(&func, options).expect("lowers");
        let object = llvm::compile(&lowered.text, OptLevel::O2, Tuning::default());
        let object = object.unwrap_or_else(|e| panic!("{e}\n{}", lowered.text));
        let loaded = llvm::load(&object, &options.name).expect("links");
        Kernel {
            func: func.into_func(),
            text: lowered.text,
            options: options.clone(),
            loaded,
        }
    }

    /// Runs all threads, in calls that end at `cuts`.
    ///
    /// # Errors
    /// The first fault.
    pub fn run(
        &self,
        dims: &[i32],
        args: &[Arg],
        memory: &mut Memory,
        layout: Layout,
        cuts: &[i64],
    ) -> Result<(), ErrorSlot> {
        self.launch(dims, args, memory, layout, cuts, 0)
    }

    /// As [`Kernel::run`], with flags of the launch.
    ///
    /// # Errors
    /// The first fault.
    pub fn launch(
        &self,
        dims: &[i32],
        args: &[Arg],
        memory: &mut Memory,
        layout: Layout,
        cuts: &[i64],
        flags: u32,
    ) -> Result<(), ErrorSlot> {
        let mut bytes: Vec<Placed> = memory
            .buffers
            .iter()
            .map(|b| Placed::new(b, layout))
            .collect();
        let mut block = vec![0u64; lower::block_layout(&self.func).size / 8];
        let all = [dims, &[1, 1, 1, 1]].concat();
        put(&mut block, 0, all[..4].iter().flat_map(|d| d.to_le_bytes()));
        for ((arg, param), at) in args
            .iter()
            .zip(&self.func.params)
            .zip(lower::block_layout(&self.func).offsets)
        {
            match arg {
                Arg::Array(i) => put(&mut block, at, raw(&bytes[*i].arg())),
                Arg::Missing => put(&mut block, at, raw(&ArrayArg::MISSING)),
                Arg::Elem(nums) => {
                    let ty = param.ty.elem().scalar();
                    put(&mut block, at, nums.iter().flat_map(|n| encode(*n, ty)));
                }
            }
        }
        // SAFETY: lowering gives the entry point this type.
        let entry = unsafe { std::mem::transmute::<usize, Entry>(self.loaded.address()) };
        let total: i64 = dims.iter().map(|d| i64::from(*d)).product();
        let mut ctx = Ctx::new();
        ctx.flags = flags | flag::IN_ORDER;
        let mut from = 0;
        for cut in cuts.iter().copied().chain([total]) {
            // Little, so that loops run out of it at some round, and again with the next cut.
            ctx.fuel = 99;
            with_stacks(&mut ctx, |ctx| {
                // SAFETY: the block was laid out for the kernel, its arrays are alive.
                unsafe { entry(ctx, block.as_ptr().cast(), from, cut) };
            });
            from = cut;
        }
        for (buffer, placed) in memory.buffers.iter_mut().zip(&mut bytes) {
            placed.read(buffer);
        }
        if ctx.error.code == 0 {
            Ok(())
        } else {
            Err(ctx.error)
        }
    }
}

/// Runs a kernel by the interpreter and natively, dense and strided, whole and in pieces, and
/// compares all of the memory.
#[track_caller]
pub fn agree(text: &str, dims: &[i32], args: &[Arg], memory: &Memory) {
    let kernel = Kernel::new(text);
    agree_on(&kernel, dims, args, memory);
}

/// As [`agree`], for kernels that take for granted that elements follow each other.
#[track_caller]
pub fn agree_dense(text: &str, dims: &[i32], args: &[Arg], memory: &Memory) {
    agree_in(&[Layout::Dense], &Kernel::new(text), dims, args, memory);
}

/// As [`agree`], for a kernel that is compiled already.
#[track_caller]
pub fn agree_on(kernel: &Kernel, dims: &[i32], args: &[Arg], memory: &Memory) {
    agree_in(
        &[Layout::Dense, Layout::Strided],
        kernel,
        dims,
        args,
        memory,
    );
}

/// As it is, and in groups of threads: the few threads of a test fill some.
#[track_caller]
fn agree_in(layouts: &[Layout], kernel: &Kernel, dims: &[i32], args: &[Arg], memory: &Memory) {
    agree_as_is(layouts, kernel, dims, args, memory);
    for lanes in [2, 4] {
        let options = Options {
            lanes: lower::Lanes::Groups(lanes),
            ..kernel.options.clone()
        };
        let grouped = Kernel::of(kernel.func.clone(), &options);
        agree_as_is(layouts, &grouped, dims, args, memory);
    }
}

#[track_caller]
fn agree_as_is(layouts: &[Layout], kernel: &Kernel, dims: &[i32], args: &[Arg], memory: &Memory) {
    let mut wanted = memory.clone();
    interp::run(&kernel.func, dims, args, &mut wanted).expect("the interpreter runs it");
    let total: i64 = dims.iter().map(|d| i64::from(*d)).product();
    for layout in layouts.iter().copied() {
        for cuts in [vec![], vec![1, total / 3, total / 2 + 1]] {
            let mut cuts: Vec<i64> = cuts.into_iter().filter(|c| *c <= total).collect();
            cuts.sort_unstable();
            let mut found = memory.clone();
            kernel
                .run(dims, args, &mut found, layout, &cuts)
                .expect("no fault");
            compare(
                &wanted,
                &found,
                &format!("{layout:?}, cuts {cuts:?}"),
                kernel,
            );
        }
    }
}

/// Bitwise, NaN being one value.
#[track_caller]
fn compare(wanted: &Memory, found: &Memory, how: &str, kernel: &Kernel) {
    for (b, (w, f)) in wanted.buffers.iter().zip(&found.buffers).enumerate() {
        for (i, (w, f)) in w.data.iter().zip(&f.data).enumerate() {
            let same = match (w, f) {
                (Num::Float(w), Num::Float(f)) => {
                    w.to_bits() == f.to_bits() || (w.is_nan() && f.is_nan())
                }
                (w, f) => w.int() == f.int(),
            };
            if !same {
                let inputs: Vec<Num> = wanted
                    .buffers
                    .iter()
                    .map(|b| b.data[i % b.data.len()])
                    .collect();
                panic!(
                    "{how}: buffer {b}, element {i}: wanted {w:?}, found {f:?}; row {inputs:?}\n{}",
                    kernel.func
                );
            }
        }
    }
}

fn put(block: &mut [u64], at: usize, bytes: impl IntoIterator<Item = u8>) {
    for (k, byte) in bytes.into_iter().enumerate() {
        let bit = 8 * ((at + k) % 8);
        block[(at + k) / 8] |= u64::from(byte) << bit;
    }
}

fn raw(arg: &ArrayArg) -> Vec<u8> {
    let mut out = (arg.data as u64).to_le_bytes().to_vec();
    out.extend(arg.shape.iter().flat_map(|n| n.to_le_bytes()));
    out.extend(arg.strides.iter().flat_map(|n| n.to_le_bytes()));
    out
}

/// A number as it lies in memory.
pub fn encode(num: Num, ty: Scalar) -> Vec<u8> {
    match ty {
        Scalar::F16 => half::f16::from_f64(num.float()).to_le_bytes().to_vec(),
        Scalar::BF16 => half::bf16::from_f64(num.float()).to_le_bytes().to_vec(),
        Scalar::F32 => (num.float() as f32).to_le_bytes().to_vec(),
        Scalar::F64 => num.float().to_le_bytes().to_vec(),
        _ => num.int().to_le_bytes()[..ty.size()].to_vec(),
    }
}

fn decode(bytes: &[u8], ty: Scalar) -> Num {
    let mut all = [0u8; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(all);
    match ty {
        Scalar::F16 => Num::Float(half::f16::from_bits(bits as u16).to_f64()),
        Scalar::BF16 => Num::Float(half::bf16::from_bits(bits as u16).to_f64()),
        Scalar::F32 => Num::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => Num::Float(f64::from_bits(bits)),
        _ if ty.is_signed() => {
            let shift = 64 - ty.bits();
            Num::Int((bits as i64) << shift >> shift)
        }
        _ => Num::Int(bits as i64),
    }
}

/// A buffer as bytes in some layout.
struct Placed {
    bytes: Vec<u64>,
    offset: usize,
    shape: [i32; 4],
    strides: [i64; 4],
}

impl Placed {
    fn new(buffer: &Buffer, layout: Layout) -> Placed {
        let ndim = buffer.shape.len();
        let mut placed = Placed {
            bytes: Vec::new(),
            offset: 0,
            shape: [1; 4],
            strides: [0; 4],
        };
        let mut stride = buffer.elem.size() as i64;
        for d in (0..ndim).rev() {
            let n = i64::from(buffer.shape[d]);
            placed.shape[d] = buffer.shape[d];
            if layout == Layout::Strided {
                stride *= 2;
                placed.strides[d] = -stride;
                placed.offset += (stride * (n - 1).max(0)) as usize;
            } else {
                placed.strides[d] = stride;
            }
            stride *= n;
        }
        placed.bytes = vec![0; (stride as usize).div_ceil(8) + 2];
        let ty = buffer.elem.scalar();
        for (at, num) in placed.addresses(buffer).into_iter().zip(&buffer.data) {
            put(&mut placed.bytes, at, encode(*num, ty));
        }
        placed
    }

    /// Byte offset of every component, row-major.
    fn addresses(&self, buffer: &Buffer) -> Vec<usize> {
        let (count, size) = (buffer.elem.count(), buffer.elem.scalar().size());
        (0..buffer.data.len())
            .map(|k| {
                let mut element = k / count;
                let mut at = self.offset as i64;
                for d in (0..buffer.shape.len()).rev() {
                    let n = buffer.shape[d] as usize;
                    at += (element % n) as i64 * self.strides[d];
                    element /= n;
                }
                at as usize + k % count * size
            })
            .collect()
    }

    fn arg(&mut self) -> ArrayArg {
        ArrayArg {
            data: self
                .bytes
                .as_mut_ptr()
                .cast::<u8>()
                .wrapping_add(self.offset),
            shape: self.shape,
            strides: self.strides,
        }
    }

    fn read(&self, buffer: &mut Buffer) {
        let ty = buffer.elem.scalar();
        let bytes: Vec<u8> = self.bytes.iter().flat_map(|w| w.to_le_bytes()).collect();
        for (at, num) in self.addresses(buffer).into_iter().zip(&mut buffer.data) {
            *num = decode(&bytes[at..at + ty.size()], ty);
        }
    }
}
