//! Kernels that are made of kernels: adjoints, batches, lifts, merges, and instances of generic ones.

use super::definition::Definition;
use super::generic::{Generic, Types};
use super::param::{Argument, KernelParam};
use super::{Derivation, Kernel, param};
use pyo3::prelude::*;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, OnceLock};
use warp_core::interruptible_lock::InterruptibleLock;
use warp_core::module::Reverse;
use warp_core::ty::Type;

impl Kernel {
    /// The adjoint of a kernel as a kernel of its own: its parameters are those of `of`, then a gradient
    /// `adj_NAME` for each array of floats.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn adjoint_of<'py>(
        of: &Bound<'py, Kernel>,
        reverse: Reverse,
    ) -> PyResult<Bound<'py, Kernel>> {
        let py = of.py();
        let slot = of.get().reversed(py, &reverse)?;
        let mut params = of.get().params.clone();
        for array in slot.reversed.report.arrays.iter() {
            if array.grad.is_some() {
                let at = array.param.0 as usize;
                let mut param = params[at].clone();
                param.name = format!("adj_{}", param.name);
                params.push(param);
            }
        }
        let derivation = Derivation::Adjoint(of.clone().unbind(), reverse);
        // Operators, which derive kernels, refuse structs.
        of.get().derived(py, params, None, derivation)
    }

    /// A kernel for every item of a batch: the launch, and the arrays that `arrays` marks, have a dimension
    /// more in front. None if there are too many dimensions already.
    ///
    /// # Errors
    /// The kernel does not compile.
    pub fn batch_of<'py>(
        of: &Bound<'py, Kernel>,
        arrays: Vec<bool>,
    ) -> PyResult<Option<Bound<'py, Kernel>>> {
        let py = of.py();
        let ready = of.get().ready(py)?;
        if warp_core::pass::batch::batch(&ready.compiled.program.func, &arrays).is_none() {
            return Ok(None);
        }
        let mut params = of.get().params.clone();
        for (param, batched) in params.iter_mut().zip(&arrays) {
            param.ndim += u8::from(param.ndim > 0 && *batched);
        }
        let derivation = Derivation::Batch(of.clone().unbind(), arrays);
        of.get().derived(py, params, None, derivation).map(Some)
    }

    /// The kernel with the values that `values` marks as arrays of one element.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn lift_of<'py>(
        of: &Bound<'py, Kernel>,
        values: Vec<bool>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let mut params = of.get().params.clone();
        for (param, lifted) in params.iter_mut().zip(&values) {
            if param.ndim == 0 && *lifted {
                param.ndim = 1;
            }
        }
        let derivation = Derivation::Lift(of.clone().unbind(), values);
        of.get().derived(of.py(), params, None, derivation)
    }

    /// The kernel where every access to parameter `i` is one to parameter `stands[i]`, which is given the same array.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn merge_of<'py>(
        of: &Bound<'py, Kernel>,
        stands: Vec<u32>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let params = of.get().params.clone();
        let derivation = Derivation::Merge(of.clone().unbind(), stands);
        of.get().derived(of.py(), params, None, derivation)
    }

    /// The instance of a generic kernel whose open parameters have types, in order, that `fit`, if there is one.
    ///
    /// # Errors
    /// A bug: it is no kernel.
    #[inline]
    pub fn made_before<'py>(
        of: &Bound<'py, Kernel>,
        generic: &Generic,
        fit: impl Fn(&[Type]) -> bool,
    ) -> PyResult<Option<Bound<'py, Kernel>>> {
        let found = generic.find(of.py(), fit);
        found.map(|kernel| Ok(kernel.cast_into()?)).transpose()
    }

    /// The instance of a generic kernel with these types of its open parameters, in order, which these admit. It is made if
    /// there is none yet.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn instance<'py>(
        of: &Bound<'py, Kernel>,
        generic: &Generic,
        open: &[Type],
    ) -> PyResult<Bound<'py, Kernel>> {
        // As in `Kernel::current`.
        Python::attach(|_| {
            let known = |types: &[Type]| types == open;
            if let Some(found) = Kernel::made_before(of, generic, known)? {
                return Ok(found);
            }
            let types = generic.types(open);
            let made = Kernel::of_types(of, types.clone())?;
            // Another thread may have made one meanwhile.
            if let Some(found) = Kernel::made_before(of, generic, known)? {
                return Ok(found);
            }
            generic.add(open, types, made.clone().into_any().unbind());
            Ok(made)
        })
    }

    /// The kernel that a generic one is for these types of all parameters, which it admits.
    ///
    /// # Errors
    /// Python has no memory.
    fn of_types<'py>(of: &Bound<'py, Kernel>, types: Types) -> PyResult<Bound<'py, Kernel>> {
        let (params, arguments) = param::of_types(types.iter().map(|(n, ty)| (n.as_str(), ty)));
        let spread = arguments.iter().any(Argument::is_spread);
        let arguments = spread.then(|| arguments.into_boxed_slice());
        let derivation = Derivation::Text;
        of.get()
            .made(of.py(), params, arguments, derivation, Some(types))
    }

    pub(super) fn derived<'py>(
        &self,
        py: Python<'py>,
        params: Vec<KernelParam>,
        arguments: Option<Box<[Argument]>>,
        derivation: Derivation,
    ) -> PyResult<Bound<'py, Kernel>> {
        self.made(py, params, arguments, derivation, self.types.clone())
    }

    fn made<'py>(
        &self,
        py: Python<'py>,
        params: Vec<KernelParam>,
        arguments: Option<Box<[Argument]>>,
        derivation: Derivation,
        types: Option<Types>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let kernel = Kernel {
            written: self.written.clone_ref(py),
            enable_backward: self.enable_backward,
            check_bounds: self.check_bounds,
            arity: arguments.as_ref().map_or(params.len(), |a| a.len()),
            params,
            arguments,
            derivation,
            generic: None,
            types,
            ready: OnceLock::new(),
            building: InterruptibleLock::new(),
            looked: AtomicU64::new(0),
            successor: Mutex::new(None),
        };
        Bound::new(py, Definition::of(py, &self.written).add_subclass(kernel))
    }
}
