//! `wp.sin` and its like as Python objects. Called from Python they compute with the reference
//! interpreter, so that `wp.length(wp.vec3(1, 2, 2))` means outside of kernels what it means inside.

use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, also, error, raise_at};
use crate::object::message::describe;
use crate::object::package::{DECORATORS, PACKAGE};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple, PyType};
use warp_core::builtins::{self, Arg, Operand, Tree};
use warp_core::error::Error;
use warp_core::interp::{self, Arg as Given, Buffer, Memory, Num};
use warp_core::ir::{Builder, Comp, ParamType, Place};
use warp_core::library;
use warp_core::span::Span;
use warp_core::ty::{Compound, Elem};
use warp_dlpack::Lenient;

// A function of kernels: of the builtin table, or written in the language of kernels. (No docstring: it would hide those of
// the functions.)
#[pyclass(frozen, module = "warp", name = "Builtin")]
pub struct Builtin {
    known: Known,
}

enum Known {
    Row(&'static builtins::Row),
    /// The name of a function of a library.
    Library(&'static str),
}

impl Builtin {
    const fn name(&self) -> &'static str {
        match self.known {
            Known::Row(row) => row.name,
            Known::Library(name) => name,
        }
    }
}

/// The name in the builtin table, if `value` is one of its functions or the Python function that stands
/// for one (`min`, `abs`, `len`, `print`, `round`, ...).
pub fn name_of(value: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(builtin) = value.cast::<Builtin>() {
        return Some(builtin.get().name().into());
    }
    let name: String = value.getattr("__name__").or_note()?.extract().ok()?;
    if let Some(name) = of_numpy(value, &name) {
        return Some(name.into());
    }
    let module: String = value.getattr("__module__").or_note()?.extract().ok()?;
    let meant = match module.as_str() {
        "builtins" => PYTHON.contains(&name.as_str()),
        DECORATORS => matches!(name.as_str(), "static" | "grad" | "adjoint" | "address_of"),
        // In kernels one makes local arrays, the other arrays of what lies at an address.
        "warp" | "warp._warp" => matches!(name.as_str(), "zeros" | "array"),
        // In kernels they make values, too: `wp.types.vector(1.0, 2.0)`.
        "warp.types" => {
            matches!(name.as_str(), "vector" | "matrix") || Compound::made_by(&name).is_some()
        }
        // `math.sin`: the names that builtins have, too.
        "math" => builtins::find(&name).is_some(),
        _ => false,
    };
    meant.then_some(name)
}

/// The builtin that does for numbers what a function of NumPy's does for arrays.
fn of_numpy<'a>(value: &Bound<'_, PyAny>, name: &'a str) -> Option<&'a str> {
    let class = value.get_type();
    let known = class.module().or_note()?.to_str().or_note()? == "numpy";
    if !known
        || !matches!(
            class.name().or_note()?.to_str().or_note()?,
            "ufunc" | "_ArrayFunctionDispatcher"
        )
    {
        return None;
    }
    Some(match name {
        "absolute" | "fabs" => "abs",
        "arccos" => "acos",
        "arcsin" => "asin",
        "arctan" => "atan",
        "arctan2" => "atan2",
        "clip" => "clamp",
        "deg2rad" => "radians",
        "maximum" => "max",
        "minimum" => "min",
        "power" => "pow",
        "rad2deg" => "degrees",
        "cbrt" | "ceil" | "cos" | "cosh" | "cross" | "degrees" | "dot" | "exp" | "floor"
        | "isfinite" | "isinf" | "isnan" | "log" | "log10" | "log2" | "radians" | "rint"
        | "sin" | "sinh" | "sqrt" | "tan" | "tanh" | "trunc" | "where" => name,
        _ => return None,
    })
}

/// The function of which this is `wp.grad`.
pub fn gradient_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let class = PACKAGE.gradient.get(value.py());
    match value.is_instance(&class.or_note()?).or_note()? {
        true => value.getattr("func").or_note(),
        false => None,
    }
}

/// Python's own functions that mean something in kernels.
const PYTHON: &[&str] = &[
    "abs", "len", "max", "min", "pow", "print", "range", "reversed", "round", "type",
];

#[pymethods]
impl Builtin {
    #[getter(__name__)]
    fn title(&self) -> &'static str {
        self.name()
    }

    /// Each way to call it, as `name(parameter: type, ...) -> type`.
    #[getter]
    fn _signatures(&self) -> Vec<String> {
        match self.known {
            Known::Row(row) => row.signatures().collect(),
            Known::Library(name) => library::signatures(name),
        }
    }

    #[getter(__doc__)]
    fn doc(&self) -> String {
        let mut parts = match self.known {
            Known::Row(row) => vec![row.accepted(), row.doc.to_string()],
            Known::Library(name) => vec![library::signatures(name).join("\n"), library::doc(name)],
        };
        if let Known::Row(row) = self.known {
            parts.extend(builtins::derivative(row));
        }
        parts.extend(builtins::example(self.name()));
        parts.join("\n\n")
    }

    fn __repr__(&self) -> String {
        format!("<warp builtin '{}'>", self.name())
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Known::Row(row) = self.known else {
            let text = format!(
                "{}: only kernels and functions with @wp.func can call it",
                self.name()
            );
            return Err(error(Code::Argument, text));
        };
        if row.name == "tid" {
            let text = "tid: there are no threads outside of kernels; is @wp.kernel missing above the function that \
                        calls it?";
            return Err(error(Code::Argument, text));
        }
        let mut b = Builder::new(row.name);
        let mut given = Vec::new();
        let mut names = Vec::new();
        let mut values: Vec<Bound<'py, PyAny>> = args.iter().collect();
        for value in &values {
            given.push((None, self.argument(&mut b, value)?));
        }
        for (name, value) in kwargs.into_iter().flatten() {
            names.push(name.extract::<String>()?);
            given.push((Some(names.len() - 1), self.argument(&mut b, &value)?));
            values.push(value);
        }
        let args: Vec<Arg<'_>> = given
            .into_iter()
            .map(|(name, tree)| Arg {
                name: name.map(|i| names[i].as_str()),
                tree,
                span: Span::default(),
            })
            .collect();
        let outcome = row
            .call(&mut b, &args, Span::default())
            .map_err(|e| self.refused(py, e))?;
        // Numbers of Python never change: what a draw makes of its state is dropped. Vectors and their like do.
        let changes = |(n, now): &(usize, Tree)| match now {
            Tree::Elem(x) if x.as_scalar().is_none() => Some((values[*n].clone(), now.clone())),
            _ => None,
        };
        let (changed, now): (Vec<Bound<'py, PyAny>>, Vec<Tree>) =
            outcome.updates.iter().filter_map(changes).unzip();
        if changed.is_empty() {
            return evaluate(py, b, &outcome.result);
        }
        let all = now.into_iter().chain([outcome.result]);
        let all = all.filter(|tree| !matches!(tree, Tree::None));
        let mut found = evaluate(py, b, &Tree::Tuple(all.collect()))?.try_iter()?;
        for target in changed {
            if let Some(value) = found.next() {
                target.set_item(PySlice::full(py), value?)?;
            }
        }
        found.next().unwrap_or_else(|| Ok(py.None().into_bound(py)))
    }
}

impl Builtin {
    /// What does not go together in a call: of whatever kind, it is about the arguments.
    #[cold]
    fn refused(&self, py: Python<'_>, e: Error) -> PyErr {
        also(py, raise_at(&e), |code| match code {
            Code::Type => Code::Argument,
            other => other.of_array(),
        })
    }

    fn argument(&self, b: &mut Builder, value: &Bound<'_, PyAny>) -> PyResult<Tree> {
        if (value.is_instance_of::<PyType>())
            && let Some(ty) = dtype::annotation(value)
        {
            return Ok(Tree::Type(ty));
        }
        let constant = dtype::host_constant(value).ok_or_else(|| {
            let found = describe(value);
            let name = self.name();
            let changes = name.starts_with("atomic_") || name.starts_with("tile_");
            let hint = match value.is_instance_of::<Array>()
                || value.hasattr("__array_interface__").or_note() == Some(true)
            {
                true if changes => "only kernels do that with an array".to_string(),
                true => format!("wp.map(wp.{name}, ...) calls it for each element"),
                false => "pass numbers, vectors, matrices or quaternions".to_string(),
            };
            error(
                Code::Argument,
                format!("{name}: {found} cannot be an argument outside of kernels; {hint}"),
            )
        })?;
        let scalar = constant.elem.scalar();
        let parts = constant
            .parts
            .iter()
            .map(|c| b.constant(scalar, *c))
            .collect();
        Ok(Tree::Elem(Operand {
            elem: constant.elem,
            parts,
        }))
    }
}

/// Runs the built operations once and makes Python values of what they give.
fn evaluate<'py>(py: Python<'py>, mut b: Builder, tree: &Tree) -> PyResult<Bound<'py, PyAny>> {
    match tree {
        Tree::None => {
            let printed = interp::run(&b.finish(), &[1], &[], &mut Memory::default());
            let text = printed.map_err(|fault| error(Code::Type, fault.to_string()))?;
            py.import("builtins")?
                .getattr("print")?
                .call((text,), Some(&no_newline(py)?))?;
            Ok(py.None().into_bound(py))
        }
        Tree::Elem(operand) => {
            let nums = run_for(&mut b, std::slice::from_ref(operand))?;
            dtype::to_python(py, operand.elem, &nums[0])
        }
        Tree::Tuple(items) => {
            let operands: Option<Vec<Operand>> = items
                .iter()
                .map(|t| {
                    if let Tree::Elem(o) = t {
                        Some(o.clone())
                    } else {
                        None
                    }
                })
                .collect();
            let operands = operands.ok_or_else(|| error(Code::Type, "nested result"))?;
            let nums = run_for(&mut b, &operands)?;
            let pairs = operands.iter().zip(&nums);
            let values: PyResult<Vec<_>> = pairs
                .map(|(o, n)| dtype::to_python(py, o.elem, n))
                .collect();
            Ok(PyTuple::new(py, values?)?.into_any())
        }
        other => Err(error(
            Code::Type,
            format!("{} outside of kernels", other.ty()),
        )),
    }
}

fn no_newline(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let options = PyDict::new(py);
    options.set_item("end", "")?;
    Ok(options)
}

/// Stores each operand to an array of its own and runs the function.
fn run_for(b: &mut Builder, operands: &[Operand]) -> PyResult<Vec<Vec<Num>>> {
    let mut memory = Memory::default();
    let mut args: Vec<Given> = Vec::new();
    for (i, operand) in operands.iter().enumerate() {
        let elem = operand.elem;
        let array = b.param(format!("result{i}"), ParamType::Array { elem, ndim: 1 });
        let zero = b.i32(0);
        for (comp, part) in operand.parts.iter().enumerate() {
            let place = Place {
                array,
                index: smallvec::smallvec![zero],
                comp: Comp::Fixed(comp as u32),
            };
            b.store(place, *part);
        }
        memory.buffers.push(Buffer {
            elem,
            shape: vec![1],
            data: vec![zero_of(elem); elem.count()],
        });
        args.push(Given::Array(i));
    }
    let done = std::mem::replace(b, Builder::new("done"));
    interp::run(&done.finish(), &[1], &args, &mut memory)
        .map_err(|fault| error(Code::Type, fault.to_string()))?;
    Ok(memory
        .buffers
        .into_iter()
        .map(|buffer| buffer.data)
        .collect())
}

fn zero_of(elem: Elem) -> Num {
    if elem.scalar().is_float() {
        Num::Float(0.0)
    } else {
        Num::Int(0)
    }
}

/// Adds every builtin that has no Python function of its name to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    // The module's dictionary: `add` would list each name in `__all__`, too, and several hundred take a millisecond.
    let names = m.dict();
    for row in builtins::rows() {
        if !names.contains(row.name)? {
            names.set_item(
                row.name,
                Builtin {
                    known: Known::Row(row),
                },
            )?;
        }
    }
    for name in library::functions() {
        let known = Known::Library(name);
        names.set_item(name, Builtin { known })?;
    }
    let constants = PyDict::new(m.py());
    for (name, value) in builtins::CONSTANTS {
        constants.set_item(name, value)?;
        constants.set_item(name.to_ascii_lowercase(), value)?;
    }
    m.add("CONSTANTS", constants)?;
    m.add_class::<Builtin>()
}
