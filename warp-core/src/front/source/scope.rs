//! What the front asks about names that stand outside the function. `py` answers from the
//! function's closure and globals; [`StaticScope`](crate::front::StaticScope) answers in pure Rust.

use crate::dtype::Scalar;
use crate::ir::Const;
use crate::ty::{Elem, Pattern, Struct, Type};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// The text of one function as its author wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    /// Name of the function: what stands behind `def`.
    pub name: String,
    /// File as the user knows it.
    pub file: String,
    /// Line in that file, from 1, of the text's first line.
    pub first_line: u32,
    /// What `inspect.getsource` gives: decorators included, indented as in the file.
    pub text: String,
}

/// A typed value that is known when compiling.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// Its type.
    pub elem: Elem,
    /// One constant per component, row-major; floats are rounded to the type by the front.
    pub parts: SmallVec<[Const; 4]>,
}

impl Constant {
    /// A scalar constant.
    pub fn scalar(ty: Scalar, value: Const) -> Constant {
        Constant {
            elem: Elem::Scalar(ty),
            parts: smallvec::smallvec![value],
        }
    }
}

/// A function that kernels may call (`@wp.func`); it is inlined.
#[derive(Clone)]
pub struct FuncRef {
    /// The same for the same function object, different for different ones.
    pub id: u64,
    /// Its text.
    pub source: SourceText,
    /// Answers for the names inside it.
    pub scope: Arc<dyn Scope>,
    /// Functions of the same name that were defined before it for other types.
    pub overloads: Vec<FuncRef>,
    /// What `@wp.func_grad` made of it: takes its parameters and the adjoint of each result.
    pub gradient: Option<Box<FuncRef>>,
    /// What `@wp.func_replay` made of it: takes its parameters.
    pub replay: Option<Box<FuncRef>>,
}

impl FuncRef {
    /// What says how it and its overloads are differentiated.
    pub fn rules(&self) -> impl Iterator<Item = &FuncRef> {
        let each = self.overloads.iter().chain([self]);
        each.flat_map(|f| f.gradient.iter().chain(&f.replay))
            .map(|rule| &**rule)
    }
}

impl fmt::Debug for FuncRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FuncRef({}, {}", self.id, self.source.name)?;
        for rule in self.rules() {
            write!(f, ", {rule:?}")?;
        }
        f.write_str(")")
    }
}

/// What a name outside the function stands for.
#[derive(Clone, Debug)]
pub enum External {
    /// A Python `bool`.
    Bool(bool),
    /// A Python `int`: int32 in a kernel, or what the place asks for (`wp.int64(N)`). One that
    /// does not fit 128 bits is `Unsupported`.
    Int(i128),
    /// A Python `float`: float32 in a kernel, or what the place asks for.
    Float(f64),
    /// A string, for `print`.
    Str(Arc<str>),
    /// A value that has a type: `wp.float64(2.0)`, `wp.vec3(...)`, a NumPy scalar.
    Constant(Constant),
    /// A tuple or list of values.
    Tuple(Vec<External>),
    /// An instance of a struct: a value for each field.
    Struct(Struct, Vec<External>),
    /// A function of the builtin table, by its name there (`wp.sin` is `sin`).
    Builtin(String),
    /// A type: `wp.float64`, `float`, `wp.vec3`, `wp.array(dtype=float)`.
    Type(Type),
    /// A function to inline.
    Func(FuncRef),
    /// The partial derivatives of a function: `wp.grad(f)`.
    Gradient(Box<External>),
    /// A module, by its name: only its members mean something.
    Module(String),
    /// Something that is not supported, and what to do instead: `wp.tile_load`.
    Absent(String),
    /// Something kernels cannot use, described for the message: "a list", "a NumPy array".
    Unsupported(String),
}

/// Answers for names outside the function. Answers must not change while a function is built.
pub trait Scope: Send + Sync {
    /// What a dotted name stands for (`wp.sin` is `["wp", "sin"]`); None if it is not defined.
    /// A prefix that is defined is asked for alone when the whole is not.
    fn resolve(&self, path: &[&str]) -> Option<External>;

    /// The value of the expression in `wp.static(...)`; the error says why there is none. `known` are variables whose value is
    /// known here: those of loops that are written out, and those that hold a constant.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn eval_static(&self, expr: &str, known: &[(&str, Const)]) -> Result<External, String>;

    /// The types that an annotation admits.
    ///
    /// # Errors
    /// What is wrong with the annotation, in words.
    fn annotation(&self, expr: &str) -> Result<Pattern, String>;

    /// The types that a parameter of this function admits, or its result (`name` is `return`). `expr` is the annotation's
    /// text; who has the annotation as an object uses that, and who knows the types of a generic kernel gives these.
    ///
    /// # Errors
    /// As [`Scope::annotation`].
    fn parameter(&self, name: &str, expr: &str) -> Result<Pattern, String> {
        let _ = name;
        self.annotation(expr)
    }

    /// What the class of a struct has beside its fields: a function or a constant.
    fn of_class(&self, s: Struct, name: &str) -> Option<External> {
        let _ = (s, name);
        None
    }

    /// The default value of a parameter of this function; None: the text is evaluated instead.
    fn default(&self, name: &str) -> Option<External> {
        let _ = name;
        None
    }
}
