//! One call: tensors off torch's stack, a launch, results onto it.

use super::implementation::TorchOperator;
use crate::stable::{OperatorFailure, Stable, Tensor, TensorFacts};
use smallvec::SmallVec;
use warp_core::abi::{ArrayArg, fault};
use warp_core::array::Number;
use warp_core::device::{Device, Stream};
use warp_core::dtype::{Class, Scalar};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::launch::{Block, Buffers, Job, Policy, run};
use warp_core::operator::{OperatorParam, Resolved, Source, Supply, needs_clearing};
use warp_core::ty::MAX_NDIM;

type Extents = SmallVec<[i64; MAX_NDIM]>;

/// What one parameter gets in a call.
#[derive(Default)]
struct Filled {
    tensor: Option<Tensor>,
    /// Numbers, as torch passes them.
    words: SmallVec<[u64; 1]>,
    /// Extents of an argument, those of elements left out.
    extents: Extents,
    /// The array that the kernel gets.
    arg: Option<ArrayArg>,
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
                if p.fill.is_argument() {
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
        let count = |list: &Option<Extents>| list.as_ref().map(SmallVec::len);
        let resolved = on.resolved((count(&self.launch), count(&self.outputs)))?;
        for (i, p) in on.operator.parameters.iter().enumerate() {
            if p.ndim > 0 && p.fill.is_argument() {
                self.read(i, &resolved.supplies[i])?;
            }
        }
        let dims = self.extents(&resolved.launch)?;
        let dims = on.operator.check_launch(&dims)?;
        for (i, supply) in resolved.supplies.iter().enumerate() {
            if let Supply::New(sources) = supply {
                let extents = self.extents(sources)?;
                self.make(i, &extents, dims)?;
            }
        }
        let mut block = Block::default();
        self.pack(&resolved, dims, &mut block)?;
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

    /// The numbers that extents are.
    fn extents(&self, sources: &[Source]) -> Result<Extents, OperatorFailure> {
        let one = |source: &Source| {
            let (list, at) = match source {
                Source::Of(extent) => (Some(&self.filled[extent.param].extents), extent.dim),
                Source::Launch(at) => (self.launch.as_ref(), *at),
                Source::Output(at) => (self.outputs.as_ref(), *at),
            };
            let number = list.and_then(|list| list.get(at).copied());
            number.ok_or_else(|| self.on.bug("an extent is not known"))
        };
        sources.iter().map(one).collect()
    }

    /// Looks at an array argument, and copies it where that is asked for.
    fn read(&mut self, i: usize, supply: &Supply) -> Result<(), OperatorFailure> {
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
        one.extents = facts.shape[..p.ndim].into();
        if !matches!(supply, Supply::New(_)) {
            tensor
                .check_storage(stable, &facts, p.elem.scalar().size())
                .map_err(|e| on.wrong(p, e.into_text()))?;
        }
        match supply {
            Supply::New(_) => return Ok(()),
            Supply::Argument => match on.view(p, &facts) {
                Ok(arg) => {
                    one.arg = Some(arg);
                    one.tensor = Some(tensor);
                    return Ok(());
                }
                // Components that are not side by side; anything else fails again.
                Err(_) if !p.elem.inner_shape().is_empty() => {}
                Err(e) => return Err(e),
            },
            _ => {}
        }
        let copy = tensor.copied(stable, &facts)?;
        one.arg = Some(on.view(p, &copy.facts(stable)?)?);
        one.tensor = Some(copy);
        Ok(())
    }

    /// Makes the array of a parameter, zero at first unless a launch over `dims` writes all of it.
    fn make(
        &mut self,
        i: usize,
        extents: &[i64],
        dims: [i32; MAX_NDIM],
    ) -> Result<(), OperatorFailure> {
        let (on, p) = (self.on, &self.on.operator.parameters[i]);
        on.operator.check_extents(i, extents)?;
        let mut shape: SmallVec<[i64; 6]> = extents.into();
        shape.extend(p.elem.inner_shape().iter().map(|n| *n as i64));
        let dtype = self.stable.types[p.elem.scalar() as usize];
        let tensor = Tensor::empty(self.stable, &shape, dtype)?;
        let arg = on.view(p, &tensor.facts(self.stable)?)?;
        let extents = &arg.shape[..p.ndim];
        if needs_clearing(on.covered[i], extents, &dims) {
            let count: usize = extents.iter().map(|n| *n as usize).product();
            let bytes = count * p.elem.size();
            if bytes > 0 {
                // SAFETY: a dense tensor of so many bytes, which nobody else has seen.
                unsafe { arg.data.write_bytes(0, bytes) };
            }
        }
        let one = &mut self.filled[i];
        (one.arg, one.tensor) = (Some(arg), Some(tensor));
        Ok(())
    }

    /// Packs the arguments of the kernel into an empty block.
    fn pack(
        &self,
        resolved: &Resolved,
        dims: [i32; MAX_NDIM],
        block: &mut Block,
    ) -> Result<(), OperatorFailure> {
        let on = self.on;
        let layout = &on.program.layout;
        block.begin(layout.size, &dims);
        for (i, supply) in resolved.supplies.iter().enumerate() {
            let offset = layout.offsets[i];
            let array = |of: usize| {
                let arg = self.filled[of].arg;
                arg.ok_or_else(|| on.bug("an array is not there"))
            };
            let arg = match supply {
                Supply::Value => {
                    let p = &on.operator.parameters[i];
                    block.write(offset, &on.value(p, &self.filled[i].words)?);
                    continue;
                }
                Supply::Argument | Supply::Copy | Supply::New(_) => array(i)?,
                Supply::Same(of) => array(*of)?,
                Supply::Missing(of) => ArrayArg {
                    shape: array(*of)?.shape,
                    ..ArrayArg::MISSING
                },
            };
            block.write_array(offset, &arg);
        }
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
