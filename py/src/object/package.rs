//! What the extension uses of the Python package beside it: a hook for each function, class or module.
//!
//! `warp/_hooks.py` registers where each one is. A hook is imported when it is first used, and kept. No other file names a
//! module of the package to import it; `tests/rust/arrows` fails on one that does.

use super::error::{Code, error};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The `__module__` of `wp.static`, `wp.grad`, `wp.adjoint` and `wp.address_of`, by which kernels recognise them.
pub const DECORATORS: &str = "warp._language.decorators";

/// A function, class or module of the package.
pub struct Hook {
    name: &'static str,
    state: Mutex<State>,
}

enum State {
    Unregistered,
    /// `module:attribute`, or a module.
    Registered(String),
    Imported(Py<PyAny>),
}

impl Hook {
    const fn new(name: &'static str) -> Hook {
        Hook {
            name,
            state: Mutex::new(State::Unregistered),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: State) {
        // What goes may run Python code: not while the lock is held.
        let old = std::mem::replace(&mut *self.state(), state);
        drop(old);
    }

    /// The object; the first use imports it.
    ///
    /// # Errors
    /// The package has not registered its hooks, which is a bug; or what the import raises.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let place = match &*self.state() {
            State::Imported(object) => return Ok(object.bind(py).clone()),
            State::Registered(place) => place.clone(),
            State::Unregistered => {
                let name = self.name;
                let text = format!("hook '{name}' is used before warp/_hooks.py registered it");
                return Err(error(Code::Bug, text));
            }
        };
        // An import lets other threads run, so that the lock is not held.
        let found = match place.split_once(':') {
            Some((module, attribute)) => py.import(module)?.getattr(attribute)?,
            None => py.import(&place)?.into_any(),
        };
        self.set(State::Imported(found.clone().unbind()));
        Ok(found)
    }

    /// Calls it.
    ///
    /// # Errors
    /// As [`Hook::get`], and what the call raises.
    pub fn call<'py>(
        &self,
        py: Python<'py>,
        args: impl PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.get(py)?.call1(args)
    }
}

macro_rules! package {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// The hooks, by name. Functions say what they are called with and what they return.
        pub struct Package {
            $($(#[$doc])* pub $name: Hook,)*
        }

        /// The package of this process.
        pub static PACKAGE: Package = Package {
            $($name: Hook::new(stringify!($name)),)*
        };

        impl Package {
            fn hooks(&self) -> impl Iterator<Item = &Hook> {
                [$(&self.$name),*].into_iter()
            }
        }
    };
}

package! {
    // The namespace, and settings.

    /// The module `warp`, for the public names of objects.
    namespace;
    /// The module `warp.config`, whose attributes are the settings.
    config;
    /// The class of what stands in a namespace for a function or class until its first use; `_found()` imports that.
    lazy_name;
    /// `(value) -> str | None`: what to use instead of a name of NVIDIA's Warp that is not supported.
    instead_of;

    // Types and values.

    /// `(kind, scalar, rows, cols) -> type`: the class of a type of values, made once.
    make_type;
    /// The type variable `wp.Float`.
    any_float;
    /// The type variable `wp.Int`.
    any_int;
    /// The type variable `wp.Scalar`.
    any_scalar;
    /// The class `wp.fixedarray`.
    fixed_array;
    /// The class `wp.ref`.
    reference;
    /// `(value, annotation) -> value`: what a ctypes object holds for a parameter; anything else as it is.
    ctypes_argument;

    // Kernels and functions.

    /// `(function, key, module, options, code_transformers, source) -> Kernel`: what `wp.Kernel(...)` gives.
    construct_kernel;
    /// `(function, key, module, source, code_transformers) -> Function`: what `wp.Function(...)` gives.
    construct_function;
    /// `(kernel) -> bytes`: a digest of what the kernel does.
    kernel_hash;
    /// `(module, name, types) -> Kernel`: the kernel of a pickle that names a generic kernel and types.
    restore_overload;
    /// `(function, text, known=None) -> value`: an expression in the scope of a function.
    evaluate;
    /// The class `wp.grad`.
    gradient;
    /// `(level, message)`: tells the logger.
    log;
    /// `(message)`: tells who waits what took long.
    long_wait;

    // Arrays.

    /// The class `wp.indexedarray`.
    indexed_array;
    /// `(array, key) -> array | indexedarray`: `array[key]` where lists or arrays are among the indices.
    select;
    /// `(array, key, value)`: `array[key] = value`, likewise.
    assign_selected;
    /// The enumeration `wp.MemoryKind`.
    memory_kind;
    /// `(array) -> str`: what `repr` says of an array.
    array_shown;
    /// `(array) -> ctypes.Structure`: the array for functions written in C.
    array_structure;
    /// `(array) -> pointer`: a pointer of ctypes to the first number.
    array_pointer;
    /// The class of what keeps memory and calls the program's deleter: `(call, ptr, capacity)`.
    deleter;
    /// `(dest, src)`: a copy that tapes record.
    record_copy;
    /// `(src, dest, count)`: a cast that tapes record.
    record_cast;
    /// `(array, memo) -> array`: a deep copy of an array of structs with arrays.
    copy_elements;
    /// `(struct, shape, elements) -> array`: an unpickled array of structs with arrays.
    restore_elements;

    // `wp.map` and operators.

    /// `(function) -> object | None`: what stands for a function and its variables in a key of plans.
    map_key;
    /// `(symbol, array) -> array`: an operator of one operand.
    map_unary;
    /// `(symbol, left, right) -> array`: an operator of two operands of kernels.
    map_binary;
    /// `(symbol, array, other)`: an operator that assigns to the array.
    map_in_place;
    /// `(symbol, array, other, reflected) -> value`: an operator beside an operand of another library.
    map_foreign;

    // Devices, launches and tapes.

    /// `(device) -> Stream`: the current stream.
    current_stream;
    /// `(device) -> Stream | None`: CUDA's default stream.
    null_stream;
    /// `() -> str`: the line of the program that runs now, outside the package.
    caller_line;
    /// `(kernel, dim, inputs, outputs, device)`: prints a launch, for `wp.config.print_launches`.
    print_launch;
    /// `(kernel, inputs, outputs)`: reports numbers that are not finite, for `wp.config.verify_fp`.
    verify_finite;
    /// `(tape, filename, **options) -> value`: a picture of a tape.
    visualize_tape;
}

/// Registers the hooks: for each its name, and `module:attribute` or a module.
///
/// # Errors
/// They are not those of [`Package`], which is a bug.
#[pyfunction]
fn _register_hooks(mut places: BTreeMap<String, String>) -> PyResult<()> {
    for hook in PACKAGE.hooks() {
        let Some(place) = places.remove(hook.name) else {
            let text = format!("warp/_hooks.py does not register the hook '{}'", hook.name);
            return Err(error(Code::Bug, text));
        };
        hook.set(State::Registered(place));
    }
    match places.keys().next() {
        None => Ok(()),
        Some(name) => {
            let text = format!("warp/_hooks.py registers '{name}', which is no hook");
            Err(error(Code::Bug, text))
        }
    }
}

static EXTENSION: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// An object of this extension, by its name: one that a higher level defines, or that pickles name.
///
/// # Errors
/// There is none of that name.
pub fn own<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let module = EXTENSION.get(py);
    let module = module.ok_or_else(|| error(Code::Bug, "the extension is not registered"))?;
    module.bind(py).getattr(name)
}

/// Adds the function to the module, and remembers the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    // A module that is initialised twice is the same one.
    let _ = EXTENSION.set(m.py(), m.clone().unbind());
    m.add_function(wrap_pyfunction!(_register_hooks, m)?)
}
