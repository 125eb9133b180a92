//! One call: tensors off torch's stack, a launch, results onto it.

use super::implementation::TorchOperator;
use crate::stable::{OperatorFailure, Stable, Tensor, TensorFacts};
use smallvec::SmallVec;
use warp_core::abi::{ArrayArg, fault};
use warp_core::array::Number;
use warp_core::device::{Device, Stream};
use warp_core::dtype::{Class, Scalar};
use warp_core::error::Error;
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::launch::{Block, Buffers, Job, Policy, run};
use warp_core::operator::{Callee, Caller, Dims, Extents, OperatorParam, Take};

/// What one parameter gets in a call.
#[derive(Default)]
struct Filled {
    tensor: Option<Tensor>,
    /// Numbers, as torch passes them.
    words: SmallVec<[u64; 1]>,
}

/// A call of an operator.
struct Call<'a> {
    on: &'a TorchOperator,
    stable: &'a Stable,
    /// For each parameter of the kernel.
    filled: SmallVec<[Filled; 8]>,
    /// The launch dimensions of an item, where the caller gives them.
    launch: Option<Extents>,
    /// The output dimensions, where the caller gives them.
    outputs: Option<Extents>,
}

/// Runs an operator: takes its arguments off the stack and puts its results there.
///
/// # Safety
/// `stack` holds the arguments of a call by torch, and has room for the results.
///
/// # Errors
/// What does not fit, and faults of the kernel.
pub(super) unsafe fn call(
    on: &TorchOperator,
    stable: &Stable,
    stack: *mut u64,
) -> Result<(), OperatorFailure> {
    let mut call = Call {
        on,
        stable,
        filled: SmallVec::new(),
        launch: None,
        outputs: None,
    };
    // SAFETY: the caller's promise.
    unsafe { call.take(stack) }?;
    call.run()?;
    let mut at = stack;
    for result in on.operator.results() {
        let tensor = call.filled[result].tensor.take();
        let tensor = tensor.ok_or_else(|| on.bug("a result is not there"))?;
        // SAFETY: the stack has a word for each result.
        unsafe {
            *at = tensor.give();
            at = at.add(1);
        }
    }
    Ok(())
}

impl Call<'_> {
    /// Takes the arguments off the stack: from here on they are ours.
    ///
    /// # Safety
    /// `stack` holds the arguments of a call by torch.
    unsafe fn take(&mut self, stack: *mut u64) -> Result<(), OperatorFailure> {
        let mut at = stack;
        // All of the stack is taken before anything can fail.
        let mut failure = None;
        // SAFETY: torch passes one word per argument of the schema: those of the kernel, then two optional lists.
        unsafe {
            for p in &self.on.operator.parameters {
                let mut one = Filled::default();
                if p.binding.is_argument() {
                    let word = *at;
                    at = at.add(1);
                    if p.ndim > 0 {
                        one.tensor = Some(Tensor::take(word));
                    } else if p.elem.inner_shape().is_empty() {
                        one.words.push(word);
                    } else {
                        match self.stable.list(word) {
                            Ok(items) => one.words.extend(items),
                            Err(e) => failure = Some(e),
                        }
                    }
                }
                self.filled.push(one);
            }
            for list in [&mut self.launch, &mut self.outputs] {
                if let Some(inner) = self.stable.optional(*at) {
                    match self.stable.list(inner) {
                        Ok(items) => *list = Some(items.iter().map(|w| *w as i64).collect()),
                        Err(e) => failure = Some(e),
                    }
                }
                at = at.add(1);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn run(&mut self) -> Result<(), OperatorFailure> {
        let on = self.on;
        let (launch, outputs) = (self.launch.take(), self.outputs.take());
        let count = |list: &Option<Extents>| list.as_ref().map(SmallVec::len);
        let resolved = on.resolved((count(&launch), count(&outputs)))?;
        let callee = Callee {
            operator: &on.operator,
            resolved: &resolved,
            layout: &on.program.layout,
            covered: &on.covered,
        };
        let given = Dims {
            launch: launch.as_deref(),
            outputs: outputs.as_deref(),
        };
        let mut block = Block::default();
        let dims = callee.pack(self, given, &mut block)?;
        let policy = Policy {
            deterministic: (on.hooks.deterministic)(),
            // What the kernel writes was made here, so that no two of its arrays overlap.
            buffers: Buffers::Apart,
        };
        let stream = Stream::default_of(Device::Cpu);
        let job = Job::new(
            on.program,
            on.program.code(stream.device)?,
            stream,
            block.as_ptr(),
            dims.into(),
            policy,
        );
        // SAFETY: the block was packed for this kernel, and `filled` keeps its arrays alive.
        unsafe { run(&job, Some(&on.hooks.interrupted)) }.map_err(|slot| {
            match (slot.code, (on.hooks.fault)(&slot)) {
                (fault::INDEX, text) => OperatorFailure::out_of_range(text),
                (_, text) => OperatorFailure::new(text),
            }
        })
    }
}

impl Caller for Call<'_> {
    type Error = OperatorFailure;

    fn error(&self, error: Error) -> OperatorFailure {
        error.into()
    }

    fn given(
        &mut self,
        i: usize,
        take: Take,
    ) -> Result<(Extents, Option<ArrayArg>), OperatorFailure> {
        let (on, stable, p) = (self.on, self.stable, &self.on.operator.parameters[i]);
        let one = &mut self.filled[i];
        let tensor = one.tensor.take();
        let tensor = tensor.ok_or_else(|| on.bug("an argument is not there"))?;
        let facts = tensor
            .facts(stable)
            .map_err(|e| on.wrong(p, e.into_text()))?;
        let want = stable.types[p.elem.scalar() as usize];
        if facts.dtype != want {
            let found = stable.types.iter().position(|t| *t == facts.dtype);
            let found = found.map_or("another type".into(), |i| {
                format!("torch.{}", warp_core::dtype::TABLE[i].name)
            });
            let scalar = p.elem.scalar();
            return Err(on.wrong(p, format!("holds {found}, expected torch.{scalar}")));
        }
        on.operator.check_shape(i, facts.shape)?;
        let extents: Extents = facts.shape[..p.ndim].into();
        if take == Take::Extents {
            return Ok((extents, None));
        }
        tensor
            .check_storage(stable, &facts, p.elem.scalar().size())
            .map_err(|e| on.wrong(p, e.into_text()))?;
        if take == Take::Array {
            match on.view(p, &facts) {
                Ok(arg) => {
                    one.tensor = Some(tensor);
                    return Ok((extents, Some(arg)));
                }
                // Components that are not side by side; anything else fails again.
                Err(_) if !p.elem.inner_shape().is_empty() => {}
                Err(e) => return Err(e),
            }
        }
        let copy = tensor.copied(stable, &facts)?;
        let arg = on.view(p, &copy.facts(stable)?)?;
        one.tensor = Some(copy);
        Ok((extents, Some(arg)))
    }

    fn make(&mut self, i: usize, extents: &[i64], zero: bool) -> Result<ArrayArg, OperatorFailure> {
        let (on, p) = (self.on, &self.on.operator.parameters[i]);
        let mut shape: SmallVec<[i64; 6]> = extents.into();
        shape.extend(p.elem.inner_shape().iter().map(|n| *n as i64));
        let dtype = self.stable.types[p.elem.scalar() as usize];
        let tensor = Tensor::empty(self.stable, &shape, dtype)?;
        let arg = on.view(p, &tensor.facts(self.stable)?)?;
        let bytes = extents.iter().product::<i64>() as usize * p.elem.size();
        if zero && bytes > 0 {
            // SAFETY: a dense tensor of so many bytes, which nobody else has seen.
            unsafe { arg.data.write_bytes(0, bytes) };
        }
        self.filled[i].tensor = Some(tensor);
        Ok(arg)
    }

    fn value(&mut self, i: usize, block: &mut Block, offset: usize) -> Result<(), OperatorFailure> {
        let p = &self.on.operator.parameters[i];
        block.write(offset, &self.on.value(p, &self.filled[i].words)?);
        Ok(())
    }
}

impl TorchOperator {
    pub(super) fn bug(&self, what: &str) -> OperatorFailure {
        OperatorFailure::new(format!("{}: {what}; please report", self.operator.title))
    }

    fn wrong(&self, p: &OperatorParam, what: impl std::fmt::Display) -> OperatorFailure {
        let title = &self.operator.title;
        OperatorFailure::new(format!("{title}: argument '{}' {what}", p.name))
    }

    /// A tensor as an array of the parameter's elements.
    fn view(
        &self,
        p: &OperatorParam,
        facts: &TensorFacts<'_>,
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
                _ if scalar.is_float() => Number::Float(f64::from_bits(*word)),
                Class::Bool => Number::Bool(*word as u8 != 0),
                _ => Number::Int((*word as i64).into()),
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
