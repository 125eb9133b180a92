//! `wp.map` and operators of arrays, once `warp._arrays.map` has made a kernel for the function and the types: plans are looked up
//! by what all inputs have in common, results are made, and the kernel is launched.
//!
//! Other calls take the slow path, which handles all cases: shapes that are repeated, other devices, arrays that
//! overlap, indexed arrays, and errors.

use super::call::launch;
use crate::array::fill::uninitialised;
use crate::array::operators::{Meeting, meeting};
use crate::dtype;
use crate::object::Array;
use crate::object::package::PACKAGE;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use smallvec::SmallVec;
use warp_core::array::Layout;
use warp_core::ty::Elem;

type Key = SmallVec<[u8; 128]>;

/// What inputs of one shape have in common, with the arrays that they are written to.
struct Alike<'py> {
    /// What stands for the function, the types, the number of dimensions, and which inputs are written.
    key: Bound<'py, PyAny>,
    layout: Layout,
    /// Whether an input requires a gradient.
    grad: bool,
    inputs: Bound<'py, PyList>,
    /// The results that are parameters of their own: one that is an input is that parameter.
    others: Bound<'py, PyList>,
}

/// The plans of `warp._arrays.map`, by key.
fn plans(py: Python<'_>) -> &Bound<'_, PyDict> {
    static PLANS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    PLANS.get_or_init(py, || PyDict::new(py).unbind()).bind(py)
}

/// What stands for a function: itself where it is a builtin, a `wp.func` or a type; else its code and variables, in the key or
/// as a tuple. None for what cannot be called.
fn function_key<'py>(
    func: &Bound<'py, PyAny>,
    key: &mut Key,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static FUNCTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = func.py();
    let function = FUNCTION.import(py, "types", "FunctionType")?;
    let mut push = |tag: u8, object: &Bound<'_, PyAny>| {
        key.push(tag);
        key.extend_from_slice(&(object.as_ptr() as usize).to_ne_bytes());
    };
    if !func.get_type().is(function) {
        push(1, func);
        return Ok(None);
    }
    let [closure, defaults, named] = [
        func.getattr(pyo3::intern!(py, "__closure__"))?,
        func.getattr(pyo3::intern!(py, "__defaults__"))?,
        func.getattr(pyo3::intern!(py, "__kwdefaults__"))?,
    ];
    if closure.is_none() && defaults.is_none() && named.is_none() {
        push(2, &func.getattr(pyo3::intern!(py, "__code__"))?);
        push(2, &func.getattr(pyo3::intern!(py, "__globals__"))?);
        return Ok(None);
    }
    key.push(3);
    PACKAGE.map_key.call(py, (func,)).map(Some)
}

/// What stands for the type of an array's elements.
fn elem_key(elem: Elem, key: &mut Key) {
    let (tag, rows, cols) = match elem {
        Elem::Scalar(_) => (1, 0, 0),
        Elem::Vec { len, .. } => (2, len as usize, 0),
        Elem::Mat { rows, cols, .. } => (3, rows as usize, cols),
        Elem::Compound(compound, _) => (4, compound as usize, 0),
        // Types of structs live for ever.
        Elem::Struct(s) => (6, s.fields().as_ptr() as usize, 0),
    };
    key.extend_from_slice(&[tag, elem.scalar() as u8]);
    key.extend_from_slice(&rows.to_ne_bytes());
    key.extend_from_slice(&cols.to_ne_bytes());
}

/// The arrays that a call is to write.
fn outs<'py>(out: &Bound<'py, PyAny>) -> Option<SmallVec<[Bound<'py, Array>; 1]>> {
    let exact = |o: &Bound<'py, PyAny>| o.cast::<Array>().ok().cloned();
    match out.cast::<PyList>() {
        Ok(list) => list.iter().map(|o| exact(&o)).collect(),
        Err(_) => exact(out).map(|o| SmallVec::from_iter([o])),
    }
}

impl<'py> Alike<'py> {
    /// None for what takes the slow path.
    fn of(
        func: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Alike<'py>>> {
        let py = inputs.py();
        let device = device::current();
        // With the numbers of inputs and results, no two lists have one key.
        let outs = match out.map(outs) {
            Some(None) => return Ok(None),
            Some(Some(outs)) => outs,
            None => SmallVec::new(),
        };
        let mut key = Key::from_slice(&[inputs.len() as u8, outs.len() as u8]);
        let mut first: Option<Layout> = None;
        let mut grad = false;
        if inputs.len() >= usize::from(u8::MAX) {
            return Ok(None);
        }
        for input in inputs.iter() {
            let Ok(array) = input.cast::<Array>() else {
                if dtype::elem_of(input.get_type().as_any()).is_none() {
                    return Ok(None);
                }
                key.push(0);
                key.extend_from_slice(&(input.get_type().as_ptr() as usize).to_ne_bytes());
                continue;
            };
            let (array, view) = (array.get(), array.get().view());
            let layout = view.layout();
            let other_shape = first.is_some_and(|first| first.shape() != layout.shape());
            if view.device != device || other_shape || array.is_annotation() {
                return Ok(None);
            }
            first = Some(layout);
            grad = grad || array.has_gradient();
            key.push(view.ndim);
            elem_key(view.elem, &mut key);
        }
        let Some(layout) = first else { return Ok(None) };
        let others = PyList::empty(py);
        let given = inputs.to_list();
        for out in &outs {
            let view = out.get().view();
            if view.device != device || view.layout().shape() != layout.shape() {
                return Ok(None);
            }
            let mut same = u8::MAX;
            for (at, input) in given.iter().enumerate() {
                let Ok(input) = input.cast::<Array>() else {
                    continue;
                };
                match meeting(view, input.get().view()) {
                    Meeting::Apart => {}
                    Meeting::Overlap => return Ok(None),
                    Meeting::Same => {
                        // The gradient is that of the array which is written.
                        given.set_item(at, out)?;
                        same = same.min(at as u8);
                    }
                }
            }
            if same == u8::MAX {
                others.append(out)?;
            }
            key.push(same);
            elem_key(view.elem, &mut key);
        }
        // Last, because it may run code of the user's.
        let long = match func.cast_exact::<PyString>() {
            Ok(symbol) => {
                key.push(0);
                key.extend_from_slice(symbol.to_cow()?.as_bytes());
                None
            }
            Err(_) => function_key(func, &mut key)?,
        };
        let key = PyBytes::new(py, &key);
        let key = match long {
            None => key.into_any(),
            Some(long) => PyTuple::new(py, [long, key.into_any()])?.into_any(),
        };
        Ok(Some(Alike {
            key,
            layout,
            grad,
            inputs: given,
            others,
        }))
    }

    /// Launches the plan's kernel, if there is one; gives what the caller of `wp.map` gets.
    fn launch(self, out: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.key.py();
        let Some(plan) = plans(py).get_item(&self.key)? else {
            return Ok(None);
        };
        let plan = plan.cast::<PyTuple>()?;
        let kernel = plan.get_item(0)?;
        if out.is_none() {
            let dims: SmallVec<[i64; 4]> =
                self.layout.shape().iter().map(|n| i64::from(*n)).collect();
            for result in plan.get_item(1)?.cast::<PyList>()?.iter() {
                let (dtype, floats): (Bound<'py, PyAny>, bool) = result.extract()?;
                let elem = dtype::require_elem(&dtype)?;
                let made = uninitialised(py, elem, &dims, self.grad && floats)?;
                self.others.append(made)?;
            }
        }
        let dim = PyTuple::new(py, self.layout.shape())?;
        let (inputs, outputs) = (self.inputs.as_any(), self.others.as_any());
        launch(
            &kernel,
            dim.as_any(),
            Some(inputs),
            Some(outputs),
            None,
            None,
            None,
            None,
            false,
            true,
            false,
            0,
            None,
        )?;
        let results = match out {
            None if self.others.len() == 1 => self.others.get_item(0)?,
            None => self.others.into_any(),
            Some(out) => out.clone(),
        };
        Ok(Some(results))
    }
}

/// `wp.map`, or an operator where `func` is its symbol, for functions and types that had a call before; None for others.
#[pyfunction]
#[pyo3(signature = (func, inputs, out, /))]
fn _mapped<'py>(
    func: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyTuple>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match Alike::of(func, inputs, out)? {
        Some(alike) => alike.launch(out),
        None => Ok(None),
    }
}

/// The key under which `_mapped` looks for a plan; None where it does not.
#[pyfunction]
#[pyo3(signature = (func, inputs, out, /))]
fn _map_key<'py>(
    func: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyTuple>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Alike::of(func, inputs, out)?.map(|alike| alike.key))
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("_map_plans", plans(m.py()))?;
    m.add_function(wrap_pyfunction!(_mapped, m)?)?;
    m.add_function(wrap_pyfunction!(_map_key, m)?)
}
