//! Where a backward pass of a tape starts: the gradients of `loss=` and `grads=`, or those that arrays hold.
//!
//! `grads=` is copied, so a pass never writes a caller's buffer.

use super::gradient::{gradient, may_be_seed};
use super::host::OfPython;
use crate::object::Array;
use crate::object::error::{Code, error, within};
use crate::object::message::{describe, warn};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warp_core::tape::{Pass, Use};

/// Sets the gradients that a pass starts from.
///
/// # Errors
/// There are none, or `loss` or `grads` is not what it should be.
pub fn seed(
    py: Python<'_>,
    pass: &mut Pass<OfPython>,
    loss: Option<&Bound<'_, PyAny>>,
    grads: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let alone = loss.is_none() && grads.is_none_or(|grads| grads.is_empty());
    if alone && !pass.is_empty() {
        look_for_seed(py, pass)?;
    }
    if let Some(loss) = loss {
        seed_loss(py, loss)?;
        look_for_loss(pass, loss)?;
    }
    if let Some(grads) = grads {
        seed_all(py, grads)?;
        // Seeds may have given an array its gradient.
        pass.take_parts(py)?;
    }
    // A seed of an array may be all that is wanted.
    if pass.is_empty() && grads.is_none_or(|grads| grads.is_empty()) {
        warn::<PyUserWarning>(
            py,
            "Tape.backward: the tape has recorded nothing, so that no gradient changes; it records what is launched within \
             `with tape:`, until tape.reset()",
        )?;
    }
    Ok(())
}

/// Warns of a loss that nothing has written which was recorded.
fn look_for_loss(pass: &Pass<OfPython>, loss: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(array) = loss.cast::<Array>() else {
        return Ok(());
    };
    let bytes = Use::of(array.get().view().strided(), &Use::NOTHING).bytes;
    if pass.is_empty() || pass.may_write(&bytes) {
        return Ok(());
    }
    warn::<PyUserWarning>(
        loss.py(),
        "Tape.backward: loss is none of the arrays that recorded launches write, so that no gradient changes; write it within \
         `with tape:`",
    )
}

/// Warns of a backward pass whose gradients are all zero because it has no seed.
fn look_for_seed(py: Python<'_>, pass: &Pass<OfPython>) -> PyResult<()> {
    for value in pass.written() {
        // What a function may add is not known.
        let Some(value) = value else {
            return Ok(());
        };
        if let Some(gradient) = gradient(value.bind(py))?
            && let Ok(gradient) = gradient.cast::<Array>()
            && may_be_seed(py, gradient.get())?
        {
            return Ok(());
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
            own.call_method1("assign", (gradient,))
                .map_err(|e| within(py, "Tape.backward: a gradient in grads", &e))?;
        }
    }
    Ok(())
}
