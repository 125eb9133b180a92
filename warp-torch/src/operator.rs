//! Kernels as implementations of torch operators, called by torch's dispatcher without Python and without its lock.
//!
//! What an operator is, and how its parameters are filled, is said in `warp/_operator/`; this does the same.

use crate::stable::{BoxedKernel, OperatorFailure, Stable, Tensor, stable};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};
use warp_core::abi::{ArrayArg, ErrorSlot};
use warp_core::array::Number;
use warp_core::device::{Device, Stream};
use warp_core::dtype::{Class, Scalar};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::launch::{Block, Buffers, Job, Policy, run};
use warp_core::module::Program;
use warp_core::ty::{Elem, MAX_NDIM};

/// Where an extent comes from: a parameter and one of its dimensions.
pub type Extent = (usize, usize);

/// What a parameter gets: see `Fill` in `warp/_operator/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "documented there")]
pub enum Fill {
    Value,
    Read,
    InOut,
    Work,
    Clear,
    Out,
    Zeros,
    Stand,
    Absent,
}

impl Fill {
    /// By its name in Python.
    pub fn named(name: &str) -> Option<Fill> {
        Some(match name {
            "VALUE" => Fill::Value,
            "READ" => Fill::Read,
            "INOUT" => Fill::InOut,
            "WORK" => Fill::Work,
            "CLEAR" => Fill::Clear,
            "OUT" => Fill::Out,
            "ZEROS" => Fill::Zeros,
            "STAND" => Fill::Stand,
            "ABSENT" => Fill::Absent,
            _ => return None,
        })
    }
    fn is_argument(self) -> bool {
        !matches!(self, Fill::Out | Fill::Zeros | Fill::Stand | Fill::Absent)
    }
    fn is_result(self) -> bool {
        matches!(self, Fill::InOut | Fill::Out)
    }
}

/// A parameter of a kernel and how it is filled.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "as in `warp/_operator/`")]
pub struct OperatorParam {
    pub name: String,
    pub elem: Elem,
    pub ndim: usize,
    pub fill: Fill,
    pub like: Option<usize>,
    pub front: Vec<Extent>,
    pub item: Option<Vec<Extent>>,
    /// ABSENT: whose gradient it would be.
    pub gradient_of: Option<usize>,
    /// A launch over exactly its extents writes all of it, and nothing looks at what was there.
    pub covered: bool,
}

/// What the host does for a launch.
pub struct Hooks {
    /// Whether results must not depend on the number of threads.
    pub deterministic: fn() -> bool,
    /// Whether the user wants a long launch to end.
    pub interrupted: fn() -> bool,
    /// The text of a fault.
    pub fault: Box<dyn Fn(&ErrorSlot) -> String + Send + Sync>,
}

/// A kernel as an operator.
pub struct OperatorPlan {
    /// How messages name it.
    pub title: String,
    /// All parameters of the kernel, in order.
    pub parameters: Vec<OperatorParam>,
    /// Launch dimensions in front.
    pub front: Vec<Extent>,
    /// The others, unless the caller gives them.
    pub item: Option<Vec<Extent>>,
    /// The kernel.
    pub program: &'static Program,
    /// What the host does.
    pub hooks: Hooks,
}

type Shape = SmallVec<[i64; MAX_NDIM]>;

/// One parameter of a call.
#[derive(Default)]
struct FilledParam {
    tensor: Option<Tensor>,
    /// Numbers, as torch passes them.
    words: SmallVec<[u64; 1]>,
    /// Extents of an array, known once an argument was read or memory was made.
    shape: Option<Shape>,
    arg: Option<ArrayArg>,
}

impl OperatorPlan {
    /// # Safety
    /// `stack` holds the arguments of a call by torch, and has room for the results.
    unsafe fn call(&self, stable: &Stable, stack: *mut u64) -> Result<(), OperatorFailure> {
        let mut filled: SmallVec<[FilledParam; 8]> = SmallVec::new();
        let mut at = stack;
        // Everything on the stack is ours from here on, so all of it is taken before anything can fail.
        let mut failure = None;
        let mut lists: [Option<Shape>; 2] = [None, None];
        // SAFETY: torch passes one word per argument of the schema: those of the kernel, then two optional lists.
        unsafe {
            for p in &self.parameters {
                let mut one = FilledParam::default();
                if p.fill.is_argument() {
                    let word = *at;
                    at = at.add(1);
                    if p.ndim > 0 {
                        one.tensor = Some(Tensor::take(word));
                    } else if p.elem.inner_shape().is_empty() {
                        one.words.push(word);
                    } else {
                        match stable.list(word) {
                            Ok(items) => one.words.extend(items),
                            Err(e) => failure = Some(e),
                        }
                    }
                }
                filled.push(one);
            }
            for list in &mut lists {
                if let Some(inner) = stable.optional(*at) {
                    match stable.list(inner) {
                        Ok(items) => *list = Some(items.iter().map(|w| *w as i64).collect()),
                        Err(e) => failure = Some(e),
                    }
                }
                at = at.add(1);
            }
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        let [launch, outputs] = lists;
        self.run(stable, &mut filled, launch.as_deref(), outputs.as_deref())?;
        let mut at = stack;
        for (p, one) in self.parameters.iter().zip(filled) {
            if p.fill.is_result()
                && let Some(tensor) = one.tensor
            {
                // SAFETY: the stack has a word for each result.
                unsafe {
                    *at = tensor.give();
                    at = at.add(1);
                }
            }
        }
        Ok(())
    }

    fn run(
        &self,
        stable: &Stable,
        filled: &mut [FilledParam],
        launch: Option<&[i64]>,
        outputs: Option<&[i64]>,
    ) -> Result<(), OperatorFailure> {
        for (p, one) in self.parameters.iter().zip(filled.iter_mut()) {
            if p.ndim > 0 && p.fill.is_argument() {
                self.read(stable, p, one)?;
            }
        }
        let dims = self.make(stable, filled, launch, outputs)?;
        let layout = &self.program.layout;
        let mut block = Block::new(layout.size, dims);
        for (i, p) in self.parameters.iter().enumerate() {
            let offset = layout.offsets[i];
            if p.ndim == 0 {
                block.write(offset, &self.value(p, &filled[i].words)?);
                continue;
            }
            let arg = match p.fill {
                Fill::Stand => p.like.and_then(|like| filled[like].arg),
                Fill::Absent => {
                    let of = p.gradient_of.and_then(|of| filled[of].arg);
                    let shape = of.map_or([1; MAX_NDIM], |arg| arg.shape);
                    Some(ArrayArg {
                        shape,
                        ..ArrayArg::MISSING
                    })
                }
                _ => filled[i].arg,
            };
            let arg = arg.ok_or_else(|| self.bug("an array is not there"))?;
            block.write_array(offset, &arg);
        }
        let policy = Policy {
            deterministic: (self.hooks.deterministic)(),
            // What the kernel writes was made here, so that no two of its arrays overlap.
            buffers: Buffers::Apart,
        };
        let stream = Stream::default_of(Device::Cpu);
        let job = Job::new(self.program, stream, block.as_ptr(), dims, policy);
        let job = job.map_err(|e| OperatorFailure(e.to_string()))?;
        let interrupted: Option<&dyn Fn() -> bool> = if job.is_short() {
            None
        } else {
            Some(&self.hooks.interrupted)
        };
        // SAFETY: the block was packed for this kernel, and `filled` keeps its arrays alive.
        unsafe { run(&job, interrupted) }.map_err(|slot| OperatorFailure((self.hooks.fault)(&slot)))
    }

    fn bug(&self, what: &str) -> OperatorFailure {
        OperatorFailure(format!("{}: {what}; please report", self.title))
    }

    fn wrong(&self, p: &OperatorParam, what: impl std::fmt::Display) -> OperatorFailure {
        OperatorFailure(format!("{}: argument '{}' {what}", self.title, p.name))
    }

    /// Looks at an array argument, and copies it where that is asked for.
    fn read(
        &self,
        stable: &Stable,
        p: &OperatorParam,
        one: &mut FilledParam,
    ) -> Result<(), OperatorFailure> {
        let tensor = one
            .tensor
            .take()
            .ok_or_else(|| self.bug("an argument is not there"))?;
        let facts = tensor.facts(stable).map_err(|e| self.wrong(p, e.0))?;
        let want = stable.types[p.elem.scalar() as usize];
        if facts.dtype != want {
            let found = stable.types.iter().position(|t| *t == facts.dtype);
            let found = found.map_or("another type".into(), |i| {
                format!("torch.{}", warp_core::dtype::TABLE[i].name)
            });
            let scalar = p.elem.scalar();
            return Err(self.wrong(p, format!("holds {found}, expected torch.{scalar}")));
        }
        let inner = p.elem.inner_shape();
        let matches = facts.shape.len() == p.ndim + inner.len()
            && facts.shape[p.ndim..]
                .iter()
                .zip(&inner)
                .all(|(a, b)| *a == *b as i64);
        if !matches {
            let mut dims = vec!["n".to_string(); p.ndim];
            dims.extend(inner.iter().map(ToString::to_string));
            return Err(self.wrong(
                p,
                format!(
                    "has shape {:?}, expected {} dimensions ({}) for an array of {}",
                    facts.shape,
                    dims.len(),
                    dims.join(", "),
                    p.elem
                ),
            ));
        }
        one.shape = Some(facts.shape[..p.ndim].into());
        match p.fill {
            Fill::Clear => return Ok(()),
            Fill::Read => match self.view(p, &facts) {
                Ok(arg) => {
                    one.arg = Some(arg);
                    one.tensor = Some(tensor);
                    return Ok(());
                }
                // Components that are not side by side; anything else fails again.
                Err(_) if !inner.is_empty() => {}
                Err(e) => return Err(e),
            },
            _ => {}
        }
        let copy = tensor.copied(stable, &facts)?;
        one.arg = Some(self.view(p, &copy.facts(stable)?)?);
        one.tensor = Some(copy);
        Ok(())
    }

    fn view(
        &self,
        p: &OperatorParam,
        facts: &crate::stable::TensorFacts<'_>,
    ) -> Result<ArrayArg, OperatorFailure> {
        let scalar = p.elem.scalar();
        let mut desc = Desc {
            data: facts.data,
            ndim: facts.shape.len().min(MAX_FOREIGN_NDIM),
            scalar,
            device: Device::Cpu,
            ..Desc::EMPTY
        };
        for d in 0..desc.ndim {
            desc.shape[d] = facts.shape[d];
            desc.strides[d] = facts.strides[d] * scalar.size() as i64;
        }
        match desc.view(Some(p.elem)) {
            Ok(view) => Ok(view.arg),
            Err(e) => Err(self.wrong(p, format!("cannot be used: {e}"))),
        }
    }

    /// Makes the arrays that no argument gives. Returns the launch dimensions.
    fn make(
        &self,
        stable: &Stable,
        filled: &mut [FilledParam],
        launch: Option<&[i64]>,
        outputs: Option<&[i64]>,
    ) -> Result<[i32; MAX_NDIM], OperatorFailure> {
        let mut rest = outputs;
        let mut uncleared: SmallVec<[usize; 4]> = SmallVec::new();
        for (i, p) in self.parameters.iter().enumerate() {
            let shape = match p.fill {
                Fill::Clear => filled[i].shape.clone().unwrap_or_default(),
                Fill::Out | Fill::Zeros => {
                    let mut shape = self.extents(filled, &p.front)?;
                    match (&p.item, &mut rest) {
                        (Some(item), _) => shape.extend(self.extents(filled, item)?),
                        (None, Some(rest)) => {
                            let count = p.ndim.saturating_sub(shape.len()).min(rest.len());
                            let (own, others) = rest.split_at(count);
                            shape.extend_from_slice(own);
                            *rest = others;
                        }
                        (None, None) => shape.extend(self.item_dims(filled, launch)?),
                    }
                    shape
                }
                _ => continue,
            };
            if shape.len() != p.ndim {
                let front = p.front.len();
                return Err(OperatorFailure(format!(
                    "{}: output '{}' has {} dimensions and the launch {} {:?}; give output_dims",
                    self.title,
                    p.name,
                    p.ndim - front.min(p.ndim),
                    shape.len() - front.min(shape.len()),
                    &shape[front.min(shape.len())..]
                )));
            }
            if let Some(n) = shape
                .iter()
                .find(|n| i32::try_from(**n).map_or(true, |n| n < 0))
            {
                return Err(OperatorFailure(format!(
                    "{}: output '{}' has an extent of {n}, expected 0 to 2147483647",
                    self.title, p.name
                )));
            }
            let mut full = shape.clone();
            full.extend(p.elem.inner_shape().iter().map(|n| *n as i64));
            let tensor = Tensor::empty(stable, &full, stable.types[p.elem.scalar() as usize])?;
            let facts = tensor.facts(stable)?;
            uncleared.push(i);
            let arg = self.view(p, &facts)?;
            filled[i] = FilledParam {
                tensor: Some(tensor),
                shape: Some(shape),
                arg: Some(arg),
                ..FilledParam::default()
            };
        }
        let dims = self.dims(filled, launch)?;
        for i in uncleared {
            let p = &self.parameters[i];
            let Some(arg) = filled[i].arg else { continue };
            let (own, rest) = dims.split_at(p.ndim);
            if p.covered && arg.shape[..p.ndim] == *own && !rest.contains(&0) {
                continue;
            }
            let extents = arg.shape[..p.ndim].iter().map(|n| *n as usize);
            let bytes = extents.product::<usize>() * p.elem.size();
            if bytes > 0 {
                // SAFETY: a dense tensor of so many bytes, which nobody else has seen.
                unsafe { arg.data.write_bytes(0, bytes) };
            }
        }
        Ok(dims)
    }

    fn extents(
        &self,
        filled: &[FilledParam],
        extents: &[Extent],
    ) -> Result<Shape, OperatorFailure> {
        let one = |(i, d): &Extent| {
            let i = match self.parameters[*i].fill {
                Fill::Stand => self.parameters[*i].like.unwrap_or(*i),
                _ => *i,
            };
            let extent = filled[i].shape.as_ref().and_then(|s| s.get(*d).copied());
            extent.ok_or_else(|| self.bug("an extent is not known"))
        };
        extents.iter().map(one).collect()
    }

    fn item_dims(
        &self,
        filled: &[FilledParam],
        launch: Option<&[i64]>,
    ) -> Result<Shape, OperatorFailure> {
        match (launch, &self.item) {
            (Some(launch), _) => Ok(launch.into()),
            (None, Some(item)) => self.extents(filled, item),
            (None, None) => Err(OperatorFailure(format!(
                "{}: no input array says how many threads to launch; give launch_dims",
                self.title
            ))),
        }
    }

    fn dims(
        &self,
        filled: &[FilledParam],
        launch: Option<&[i64]>,
    ) -> Result<[i32; MAX_NDIM], OperatorFailure> {
        let mut all = self.extents(filled, &self.front)?;
        all.extend(self.item_dims(filled, launch)?);
        let wrong = |what: &str| {
            OperatorFailure(format!(
                "{}: launch dimensions {:?} {what}",
                self.title,
                all.as_slice()
            ))
        };
        if !(1..=MAX_NDIM).contains(&all.len()) {
            return Err(wrong("are not one to four"));
        }
        let (mut dims, mut total) = ([1; MAX_NDIM], 1i64);
        for (dim, n) in dims.iter_mut().zip(&all) {
            *dim = i32::try_from(*n)
                .ok()
                .filter(|n| *n >= 0)
                .ok_or_else(|| wrong("are out of range: each is 0 to 2147483647"))?;
            total = total
                .checked_mul(*n)
                .ok_or_else(|| wrong("have more than 2**63 threads"))?;
        }
        Ok(dims)
    }

    /// The bytes of a value.
    fn value(
        &self,
        p: &OperatorParam,
        words: &[u64],
    ) -> Result<SmallVec<[u8; 64]>, OperatorFailure> {
        let scalar = p.elem.scalar();
        if words.len() != p.elem.count() {
            let (want, found) = (p.elem.count(), words.len());
            return Err(self.wrong(p, format!("has {found} components, {} has {want}", p.elem)));
        }
        let mut bytes = SmallVec::new();
        for word in words {
            // As torch packs them: doubles, 64-bit integers, one byte for a truth value.
            let number = match scalar.class() {
                Class::Float | Class::BFloat => Number::Float(f64::from_bits(*word)),
                Class::Bool => Number::Bool(*word as u8 != 0),
                Class::Int | Class::UInt => Number::Int((*word as i64).into()),
            };
            if scalar == Scalar::F32
                && let Number::Float(number) = number
            {
                bytes.extend_from_slice(&(number as f32).to_ne_bytes());
                continue;
            }
            number
                .write(scalar, &mut bytes)
                .map_err(|e| self.wrong(p, format!("is wrong: {e}")))?;
        }
        Ok(bytes)
    }
}

// torch calls an implementation without saying for which operator: each needs a function of its own.

const ROW: usize = 32;
static PLANS: [AtomicPtr<OperatorPlan>; ROW * ROW] =
    [const { AtomicPtr::new(null_mut()) }; ROW * ROW];
static USED: Mutex<usize> = Mutex::new(0);

/// # Safety
/// torch calls it for the operator that it was registered for.
unsafe extern "C-unwind" fn entry<const A: usize, const B: usize>(stack: *mut u64, _: u64, _: u64) {
    // SAFETY: the caller's promise.
    if let Err(failure) = unsafe { enter(A * ROW + B, stack) } {
        let stable = stable().expect("it has registered this");
        // SAFETY: nothing here has to be dropped.
        unsafe { stable.throw(failure) }
    }
}

/// # Safety
/// As for `entry`.
unsafe fn enter(index: usize, stack: *mut u64) -> Result<(), OperatorFailure> {
    // SAFETY: the plan was stored before torch knew the function, and stays for good.
    let plan = unsafe { &*PLANS[index].load(Ordering::Acquire) };
    let stable = stable().expect("it has registered this");
    // SAFETY: the caller's promise.
    let call = AssertUnwindSafe(|| unsafe { plan.call(stable, stack) });
    catch_unwind(call).unwrap_or_else(|_| Err(plan.bug("a panic, printed above")))
}

macro_rules! row {
    ($($b:literal)*) => {
        const fn row<const A: usize>() -> [BoxedKernel; ROW] {
            [$(entry::<A, $b>),*]
        }
        static ENTRIES: [[BoxedKernel; ROW]; ROW] = [$(row::<$b>()),*];
    };
}
row!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// Makes a plan the CPU implementation of the operator `namespace::name`, which torch knows already.
///
/// False if that is not possible: torch is too old, or 1024 operators are registered.
///
/// # Errors
/// What torch says.
pub fn implement(namespace: &str, name: &str, plan: OperatorPlan) -> Result<bool, String> {
    let Some(stable) = stable() else {
        return Ok(false);
    };
    let mut used = USED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if *used == ROW * ROW {
        return Ok(false);
    }
    let index = *used;
    PLANS[index].store(Box::into_raw(Box::new(plan)), Ordering::Release);
    let function = ENTRIES[index / ROW][index % ROW];
    *used += 1;
    match stable.implement(namespace, name, function) {
        Ok(()) => Ok(true),
        Err(OperatorFailure(text)) => Err(text),
    }
}
