//! A backward pass over what a tape has recorded: where it starts, and the adjoints from last to first.
//!
//! `grads=` is copied, so a pass never writes a caller's buffer. Which gradients a launch consumes, and which belong
//! to one pass, [`warp_core::tape::plan`] decides from memory ranges alone.

use super::adjoint::{self, Operand};
use super::entry::Entry;
use super::gradient::{gradient, may_be_seed, rebind_gradient};
use super::taped::TapedLaunch;
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::{describe, warn};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashSet;
use std::sync::Arc;
use warp_core::ir::ParamId;
use warp_core::module::Reverse;
use warp_core::tape::{BackwardPlan, Use, plan};

/// A pass that may be run.
pub struct Pass {
    uses: Vec<Vec<Use>>,
    plan: BackwardPlan,
}

impl Pass {
    /// Looks at what was recorded.
    ///
    /// # Errors
    /// What a gradient needs is lost, or an argument is no array any more.
    pub fn prepare(py: Python<'_>, entries: &[Entry]) -> PyResult<Pass> {
        for entry in entries {
            for value in entry.arrays() {
                if let Ok(array) = value.bind(py).cast::<Array>() {
                    rebind_gradient(array, true)?;
                }
            }
        }
        let each = entries.iter().map(|e| e.uses(py));
        let uses = each.collect::<PyResult<Vec<_>>>()?;
        for (entry, uses) in entries.iter().zip(&uses) {
            if let Entry::Launch(launch) = entry {
                launch.check_gradient(py, uses)?;
            }
        }
        check_kept(py, entries)?;
        let plan = plan(&uses);
        Ok(Pass { uses, plan })
    }

    /// Gradients of values that launches pass on belong to one pass: a second one starts them anew.
    ///
    /// # Errors
    /// A gradient cannot be written.
    pub fn clear_intermediates(&self, py: Python<'_>, entries: &[Entry]) -> PyResult<()> {
        for (entry, flags) in entries.iter().zip(&self.plan.intermediate) {
            for (value, intermediate) in entry.arrays().iter().zip(flags) {
                if *intermediate && let Some(gradient) = gradient(value.bind(py))? {
                    gradient.call_method0("zero_")?;
                }
            }
        }
        Ok(())
    }

    /// Sets the gradients that the pass starts from.
    ///
    /// # Errors
    /// There are none, or `loss` or `grads` is not what it should be.
    pub fn seed(
        &self,
        py: Python<'_>,
        entries: &mut [Entry],
        loss: Option<&Bound<'_, PyAny>>,
        grads: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if loss.is_none() && grads.is_none_or(|grads| grads.is_empty()) {
            look_for_seed(py, entries, &self.uses)?;
        }
        if let Some(loss) = loss {
            seed_loss(py, loss)?;
        }
        if let Some(grads) = grads {
            seed_all(py, grads)?;
            // Seeds may have given an array its gradient.
            entries.iter_mut().try_for_each(|e| e.take_parts(py))?;
        }
        Ok(())
    }

    /// Runs the adjoints.
    ///
    /// # Errors
    /// A kernel cannot be differentiated, or what a function of the user's raises.
    pub fn run(&self, py: Python<'_>, entries: &[Entry]) -> PyResult<()> {
        for (entry, consume) in entries.iter().zip(&self.plan.consume).rev() {
            match entry {
                Entry::Call { backward, .. } => {
                    backward.call0(py)?;
                }
                Entry::Launch(launch) if launch.kernel.get().backward_enabled() => {
                    if launch.has_adjoint() {
                        run_adjoint(py, launch, consume)?;
                    }
                }
                Entry::Launch(launch) => warn_of(py, launch)?,
                Entry::Fill([array]) => {
                    if consume[0]
                        && let Some(gradient) = gradient(array.bind(py))?
                    {
                        gradient.call_method0("zero_")?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Says that no gradient goes through a kernel, if its arrays have some.
fn warn_of(py: Python<'_>, launch: &TapedLaunch) -> PyResult<()> {
    let mut arrays = launch
        .args
        .iter()
        .filter_map(|a| a.bind(py).cast::<Array>().ok());
    if !arrays.any(|array| array.get().has_gradient()) {
        return Ok(());
    }
    let text = format!(
        "Tape.backward: no gradient goes through kernel '{}', which was defined with enable_backward=False; what it has \
         written counts as constant",
        launch.kernel.get().title()
    );
    warn::<PyUserWarning>(py, &text)
}

/// Refuses a pass that needs lost content: another library changed memory unnoticed.
fn check_kept(py: Python<'_>, entries: &[Entry]) -> PyResult<()> {
    let mut seen = HashSet::new();
    for entry in entries {
        let Entry::Launch(r) = entry else { continue };
        for (param, need) in entry.needs() {
            if let Some(snapshot) = &need.snapshot
                && seen.insert(Arc::as_ptr(snapshot))
                && snapshot.is_lost(py)?
            {
                let kernel = r.kernel.get();
                return Err(error(
                    Code::Runtime,
                    format!(
                        "Tape.backward: the gradient of kernel '{}' needs what {} held when the launch was recorded, \
                         but that was changed since by another library; change it after the backward pass, or call \
                         tape.zero() to take the gradient at the present content of arrays",
                        kernel.title(),
                        name_of(kernel, param)
                    ),
                ));
            }
            // What lies described in memory is read where it lies, so that a copy elsewhere is of no use.
            let reached = param.0 as usize >= r.kernel.get().params.len();
            if reached && need.kept().is_some() {
                let kernel = r.kernel.get();
                return Err(error(
                    Code::Runtime,
                    format!(
                        "Tape.backward: the gradient of kernel '{}' needs what {} held when the launch was recorded, \
                         but that was overwritten since; pass the array to the kernel by itself, so that the tape keeps its \
                         content, or write to another one",
                        kernel.title(),
                        name_of(kernel, param)
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// The name of an argument of a launch in messages, or of an array after those.
fn name_of(kernel: &Kernel, param: ParamId) -> String {
    match kernel.params.get(param.0 as usize) {
        Some(param) => format!("'{}'", param.name),
        None => "an array in an array of structs".to_string(),
    }
}

/// Warns of a backward pass whose gradients are all zero because it has no seed.
fn look_for_seed(py: Python<'_>, entries: &[Entry], uses: &[Vec<Use>]) -> PyResult<()> {
    for (entry, uses) in entries.iter().zip(uses).rev() {
        if let Entry::Call { .. } = entry {
            return Ok(());
        }
        for (value, _) in entry.arrays().iter().zip(uses).filter(|(_, u)| u.writes) {
            if let Some(gradient) = gradient(value.bind(py))?
                && let Ok(gradient) = gradient.cast::<Array>()
                && may_be_seed(py, gradient.get())?
            {
                return Ok(());
            }
        }
    }
    warn::<PyUserWarning>(
        py,
        "Tape.backward: there is no gradient to start from: all are zero, and so is the result; pass loss=, an array of \
         one element, or grads={array: gradient}",
    )
}

fn seed_loss(py: Python<'_>, loss: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(array) = loss.cast::<Array>() else {
        return Err(error(
            Code::Type,
            format!(
                "Tape.backward: loss is {}, expected a Warp array with one element",
                describe(loss)
            ),
        ));
    };
    let size: i64 = array.getattr("size")?.extract()?;
    if size != 1 {
        return Err(error(
            Code::ArrayValue,
            format!(
                "Tape.backward: loss has {size} elements, expected 1; for others pass grads={{array: gradient}}"
            ),
        ));
    }
    match array.get().gradient(py) {
        Some(gradient) => gradient.call_method1("fill_", (1.0,)).map(|_| ()),
        None => Err(error(
            Code::Runtime,
            "Tape.backward: loss has no gradient; create it with requires_grad=True",
        )),
    }
}

fn seed_all(py: Python<'_>, grads: &Bound<'_, PyDict>) -> PyResult<()> {
    for (array, gradient) in grads.iter() {
        let Ok(array) = array.cast::<Array>() else {
            return Err(error(
                Code::Type,
                format!(
                    "Tape.backward: a key of grads is {}, expected a Warp array",
                    describe(&array)
                ),
            ));
        };
        if array.get().gradient(py).is_none() {
            array.setattr("requires_grad", true)?;
        }
        let Some(own) = array.get().gradient(py) else {
            return Err(error(
                Code::Type,
                "Tape.backward: a key of grads holds no floats, so it has no gradient",
            ));
        };
        // The caller's buffer is copied, so that it is unchanged whatever the pass consumes.
        if !gradient.is(&own) {
            own.call_method1("assign", (gradient,))?;
        }
    }
    Ok(())
}

fn run_adjoint(py: Python<'_>, r: &TapedLaunch, consume: &[bool]) -> PyResult<()> {
    let mut operands = Vec::with_capacity(r.args.len());
    // The arrays behind the arguments are no operands.
    for ((at, value), packed) in r.args.iter().enumerate().zip(r.values()) {
        let need = r.needs.get(at).and_then(Option::as_ref);
        let kept = need.and_then(|need| need.kept());
        let copy = kept.map(|kept| Array::new(kept.copy.clone()).object(py));
        operands.push(Operand {
            value: value.bind(py).clone(),
            packed,
            kept: copy.transpose()?.map(Bound::into_any),
            gradient: gradient(value.bind(py))?,
        });
    }
    let passed = r.kernel.get().params.len();
    let (own, reached) = consume.split_at(passed.min(consume.len()));
    let own = (0u32..).zip(own).filter(|(_, c)| **c).map(|(i, _)| i);
    let mut consume: Vec<u32> = own.collect();
    if reached.contains(&true) {
        // Which parameter stands for them is not known here.
        let all = r.kernel.get().ready(py)?.compiled.access.len();
        consume.extend(passed as u32..all as u32);
    }
    let reverse = Reverse {
        aliases: r.aliases.clone(),
        consume,
    };
    adjoint::run(r.kernel.bind(py), r.stream, r.dims, &operands, &reverse)
}
