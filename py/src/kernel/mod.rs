//! Level 3: kernels, functions and builtins: decorated Python functions, what their names mean, and what they compile to.

mod annotation;
mod builtin;
mod compile;
mod definition;
mod derived;
pub mod facts;
pub mod fault;
mod function;
mod generic;
mod names;
mod overload;
mod param;
mod refuse;
mod report;
mod result;
mod scope;
mod successor;

pub use generic::Generic;
pub use param::{Argument, KernelParam};

use crate::dtype;
use crate::object::error::{Code, error};
use crate::object::package::{PACKAGE, own};
use definition::{Definition, Written, name_in_text};
use generic::Types;
use names::Names;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use scope::PyScope;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use warp_core::front::SourceText;
use warp_core::interruptible_lock::InterruptibleLock;
use warp_core::module::{Compiled, Reverse};
use warp_core::tape::adjoint;
use warp_core::ty::{Pattern, Type};

/// A kernel whose text was read, and where its arguments go. Code is made of it when a device first launches it.
pub struct Ready {
    /// The IR and its text.
    pub compiled: Compiled,
    /// Whether the kernel writes each parameter.
    pub writes: Vec<bool>,
    /// Whether it stores array descriptors.
    pub stores_arrays: bool,
    /// How long it took to read the text.
    front: Duration,
    /// What the text's names meant.
    names: Names,
}

/// A kernel: a Python function that is compiled at its first launch.
#[pyclass(frozen, extends = Definition, module = "warp", name = "Kernel")]
pub struct Kernel {
    written: Py<Written>,
    enable_backward: Option<bool>,
    check_bounds: Option<bool>,
    /// Parameters in order; those that are structs, or arrays of them, as their leaves.
    pub params: Vec<KernelParam>,
    /// Parameters as they are written, where some are structs or arrays of them.
    pub arguments: Option<Box<[Argument]>>,
    /// How many arguments a launch takes.
    pub arity: usize,
    derivation: Derivation,
    /// Of a kernel that leaves types of its parameters open. Such a one is never compiled itself, and never current.
    generic: Option<Box<Generic>>,
    /// The types of the parameters of one that was made of a generic kernel.
    types: Option<Types>,
    ready: OnceLock<Ready>,
    building: InterruptibleLock,
    /// When the names were last found to mean what they meant when this was compiled: `names::generation()`; 0 before it is.
    looked: AtomicU64,
    /// The kernel of the same text with what the names mean by now, where that is something else.
    successor: Mutex<Option<Py<Kernel>>>,
}

/// How a kernel came about.
enum Derivation {
    /// The text that the author wrote.
    Text,
    /// The adjoint of a kernel.
    Adjoint(Py<Kernel>, Reverse),
    /// A kernel for every item of a batch; says which arrays have items.
    Batch(Py<Kernel>, Vec<bool>),
    /// A kernel with values as arrays of one element; says which.
    Lift(Py<Kernel>, Vec<bool>),
    /// A kernel with parameters that are one array; says which stands for each.
    Merge(Py<Kernel>, Vec<u32>),
}

impl Derivation {
    /// The kernel that it was made of.
    fn of(&self) -> Option<&Py<Kernel>> {
        match self {
            Derivation::Text => None,
            Derivation::Adjoint(of, _)
            | Derivation::Batch(of, _)
            | Derivation::Lift(of, _)
            | Derivation::Merge(of, _) => Some(of),
        }
    }
}

#[pymethods]
impl Kernel {
    /// A kernel of a Python function, as `@wp.kernel` makes it.
    ///
    /// Args:
    ///     func: The function.
    ///     key: What the kernel is called in its module; by default the function's qualified name, as one word.
    ///     module: A `wp.Module` or the name of one; by default that of the function.
    ///     options: What differs from the module's options: `enable_backward`, `check_bounds`, `mode`, `max_unroll`,
    ///         `optimization_level`.
    ///     code_transformers: Only None or an empty list.
    ///     source: The text of the function, where Python cannot find it.
    ///
    /// Raises:
    ///     TypeError: A parameter has no annotation, or one that is not a kernel type.
    ///     OSError: The text of the function cannot be found.
    #[new]
    #[pyo3(signature = (func, key=None, module=None, options=None, code_transformers=None, source=None))]
    fn construct<'py>(
        func: &Bound<'py, PyAny>,
        key: Option<&Bound<'py, PyAny>>,
        module: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyAny>>,
        code_transformers: Option<&Bound<'py, PyAny>>,
        source: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let args = (func, key, module, options, code_transformers, source);
        PACKAGE.construct_kernel.call(func.py(), args)
    }

    /// A kernel of a text that was read; `about` has its key, module and options, if it belongs to a module.
    #[staticmethod]
    #[pyo3(signature = (function, source, annotations, enable_backward, check_bounds, about=None))]
    fn _of(
        py: Python<'_>,
        function: Py<PyAny>,
        source: (String, u32, String),
        annotations: Vec<(String, Py<PyAny>)>,
        enable_backward: Option<bool>,
        check_bounds: Option<bool>,
        about: Option<Py<PyAny>>,
    ) -> PyResult<Py<Kernel>> {
        let (file, first_line, text) = source;
        let name = name_in_text(function.bind(py), &text)?;
        let patterns = param::patterns(py, &name, &annotations)?;
        let names = annotations.iter().map(|(name, _)| name.as_str());
        let types = (names.clone().zip(&patterns)).filter_map(|(n, p)| Some((n, p.exact()?)));
        let (params, arguments) = param::of_types(types);
        let arity = annotations.len();
        let generic = Generic::of(names.map(str::to_string).zip(patterns).collect());
        let spread = arguments.iter().any(Argument::is_spread);
        let arguments = spread.then(|| arguments.into_boxed_slice());
        let source = SourceText {
            name,
            file,
            first_line,
            text,
        };
        let written = Written {
            callable: None,
            types: Vec::new(),
            overloads: Vec::new(),
            rules: Default::default(),
            about,
            function,
            source,
            annotations: annotations.into_iter().collect(),
        };
        let written = Py::new(py, written)?;
        let base = Definition::of(py, &written);
        let made = base.add_subclass(Kernel {
            written,
            enable_backward,
            check_bounds,
            params,
            arguments,
            arity,
            derivation: Derivation::Text,
            generic,
            types: None,
            ready: OnceLock::new(),
            building: InterruptibleLock::new(),
            looked: AtomicU64::new(0),
            successor: Mutex::new(None),
        });
        Py::new(py, made)
    }

    /// A digest of what the kernel does, as bytes. It is compiled for that, but not to native code.
    #[getter]
    fn hash<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PACKAGE.kernel_hash.call(this.py(), (this,))
    }

    /// Nothing: kernels are distinguished by their text and what its names mean.
    #[getter]
    fn sig(&self) -> &'static str {
        ""
    }

    // The lock is not waited for: who holds it is reachable.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.written)?;
        if let Some(of) = self.derivation.of() {
            visit.call(of)?;
        }
        if let Some(generic) = &self.generic {
            generic.traverse(&visit)?;
        }
        match self.successor.try_lock() {
            Ok(successor) => successor.iter().try_for_each(|k| visit.call(k)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let old = self.successor().take();
        drop(old);
        if let Some(generic) = &self.generic {
            generic.clear();
        }
    }

    /// Whether types of parameters are left open: the arguments of a launch decide.
    #[getter]
    fn is_generic(&self) -> bool {
        self.generic.is_some()
    }

    /// The kernels that were made of a generic one, by a text of their types.
    #[getter]
    fn overloads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        generic::overloads(py, self.generic.as_deref())
    }

    /// The kernel with these types of its parameters: of a generic one, made if there is none yet.
    ///
    /// Args:
    ///     arg_types: A list of types, or a dictionary by names of parameters.
    ///
    /// Raises:
    ///     TypeError: The kernel is not generic, or a type does not fit its parameter; the message names it.
    fn add_overload<'py>(
        this: &Bound<'py, Kernel>,
        arg_types: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let kernel = this.get();
        let Some(generic) = &kernel.generic else {
            return Err(error(
                Code::Launch,
                format!(
                    "overload: kernel '{}' is not generic: the types of its parameters are all given",
                    kernel.title()
                ),
            ));
        };
        let open = generic::types_given(kernel.title(), generic, arg_types)?;
        Kernel::instance(this, generic, &open)
    }

    /// The kernel with these types of its parameters, if there is one.
    ///
    /// Raises:
    ///     TypeError: A type does not fit its parameter; the message names it.
    fn get_overload<'py>(
        this: &Bound<'py, Kernel>,
        arg_types: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, Kernel>>> {
        match &this.get().generic {
            Some(generic) => {
                let open = generic::types_given(this.get().title(), generic, arg_types)?;
                Kernel::made_before(this, generic, |types| types == open)
            }
            None => {
                let own = this.get().declared().into_iter().map(Pattern::Exact);
                let own: Vec<Option<Pattern>> = own.map(Some).collect();
                let given = arg_types.try_iter()?.map(|ty| Ok(dtype::pattern(&ty?)));
                let given: Vec<Option<Pattern>> = given.collect::<PyResult<_>>()?;
                Ok(Some(this.clone()).filter(|_| own == given))
            }
        }
    }

    /// The types of arguments for a launch, as annotations name them.
    ///
    /// Raises:
    ///     TypeError: An argument has no type that its parameter admits; the message names it.
    fn infer_argument_types<'py>(
        this: &Bound<'py, Kernel>,
        args: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        own(this.py(), "_infer")?.call1((this, args))
    }

    /// What the kernel becomes on the CPU: for each body of its code whether it is vectorised across threads and why, what costs
    /// time there (gathers, scatters, serialised lanes, recorded values, divergent loops), with lines, and the number of register
    /// spills. Compiles the kernel once more.
    ///
    /// Args:
    ///     adjoint: Say it of the kernel's adjoint.
    ///
    /// Returns:
    ///     Text, to be printed.
    ///
    /// Raises:
    ///     TypeError: The kernel is generic: ask one of its overloads.
    ///     RuntimeError: The kernel has no gradient.
    #[pyo3(signature = (adjoint=false))]
    fn report(this: &Bound<'_, Kernel>, adjoint: bool) -> PyResult<String> {
        let current = Kernel::current(this)?;
        current.get().described(this.py(), adjoint)
    }

    /// The kernel on its way to machine code. Compiles it once more.
    ///
    /// Args:
    ///     form: ``"ir"``: the intermediate representation of this library; ``"llvm"``: that of LLVM, after optimisation for
    ///         this CPU; ``"asm"``: the CPU's instructions; ``"ptx"``: a GPU's, for the compute capability of
    ///         ``wp.config.ptx_target_arch``, or the latest that is known. No GPU is needed for it.
    ///     adjoint: Show the kernel's adjoint.
    ///
    /// Returns:
    ///     Text, to be printed.
    ///
    /// Raises:
    ///     TypeError: The kernel is generic: ask one of its overloads.
    ///     ValueError: There is no such form.
    ///     RuntimeError: The kernel has no gradient.
    #[pyo3(signature = (form="ir", adjoint=false))]
    fn inspect(this: &Bound<'_, Kernel>, form: &str, adjoint: bool) -> PyResult<String> {
        let current = Kernel::current(this)?;
        current.get().shown(this.py(), form, adjoint)
    }

    /// By name, as functions are pickled; one that was made of a generic kernel with its types.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let written = self.written.get();
        let name = written.attribute(py, "__qualname__")?;
        let Some(types) = &self.types else {
            return Ok(name);
        };
        let types = types
            .iter()
            .map(|(_, ty)| dtype::object_of(py, &ty.clone().into()));
        let types = PyTuple::new(py, types.collect::<PyResult<Vec<_>>>()?)?;
        let restore = PACKAGE.restore_overload.get(py)?;
        let module = written.attribute(py, "__module__")?;
        let made = (restore, (module, name, types)).into_pyobject(py)?;
        Ok(made.into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!("<warp kernel '{}'>", self.written.get().source.name)
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __call__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(error(
            Code::Call,
            format!(
                "kernel '{0}' cannot be called; launch it with wp.launch({0}, dim=..., inputs=[...])",
                self.written.get().source.name
            ),
        ))
    }

    fn __getitem__(&self, _grid: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = format!(
            "kernel '{0}' takes no grid in brackets; launch it with wp.launch({0}, dim=..., inputs=[...])",
            self.written.get().source.name
        );
        Err(error(Code::Call, text))
    }
}

impl Kernel {
    /// What the names in the text mean.
    fn scope(&self, py: Python<'_>) -> PyScope {
        PyScope::new(self.written.clone_ref(py), self.types.clone())
    }

    /// What makes the kernel generic, if it is.
    pub fn generic(&self) -> Option<&Generic> {
        self.generic.as_deref()
    }

    /// Names of the parameters as they are written.
    pub fn names(&self) -> Vec<&str> {
        if let Some(generic) = &self.generic {
            return generic
                .params
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
        }
        match &self.arguments {
            Some(arguments) => arguments.iter().map(|a| a.name.as_str()).collect(),
            None => self.params.iter().map(|p| p.name.as_str()).collect(),
        }
    }

    /// Types of the parameters as they are written; none of a generic kernel.
    pub fn declared(&self) -> Vec<Type> {
        match &self.arguments {
            Some(arguments) => arguments.iter().map(|a| a.ty.clone()).collect(),
            None => {
                let params = self.params.iter();
                params
                    .map(|p| match (p.elem, p.ndim) {
                        (elem, 0) => Type::of(elem),
                        (elem, ndim) => Type::Array { elem, ndim },
                    })
                    .collect()
            }
        }
    }

    /// The kernel for the core, of what it compiled to.
    pub fn of<'a>(&'a self, ready: &'a Ready) -> adjoint::Kernel<'a> {
        adjoint::Kernel {
            title: self.title(),
            compiled: &ready.compiled,
        }
    }

    /// Name of the kernel.
    pub fn title(&self) -> &str {
        &self.written.get().source.name
    }
}

/// Adds the classes to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    definition::register(m)?;
    names::register(m)?;
    definition::add::<Kernel>(m)?;
    result::register(m)?;
    function::register(m)
}

/// Adds every builtin that has no function of its name in the module yet.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register_builtins(m: &Bound<'_, PyModule>) -> PyResult<()> {
    builtin::register(m)
}
