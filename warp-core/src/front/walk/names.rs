//! Names: local variables first, then what the scope answers.

use crate::builtins::{self, Operand, Parts, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::instead;
use crate::front::data::index::Node;
use crate::front::source::library;
use crate::front::source::scope::{Constant, External};
use crate::front::walk::{Walk, boolean};
use crate::ir::Const;
use crate::span::Span;
use crate::ty::{Elem, Struct, Type};
use ruff_python_ast::Expr;
use smallvec::SmallVec;

/// A dotted name.
pub(in crate::front) type Path<'a> = SmallVec<[&'a str; 4]>;

/// Python's own functions and types that kernels know under their plain names.
const PYTHON: &[&str] = &[
    "abs", "len", "max", "min", "pow", "print", "range", "reversed", "round", "type",
];

/// The builtin that `wp.adjoint` is.
pub(in crate::front) const ADJOINT: &str = "adjoint";

/// `wp.adjoint` where it means nothing.
pub(in crate::front) fn misplaced(at: Span) -> Error {
    let what = "`wp.adjoint` has a meaning in functions with `@wp.func_grad` only, with a parameter of the differentiated function in brackets";
    Error::at(Code::Name, at, what)
        .hint("wp.adjoint[x] += ... adds to the adjoint of the parameter `x`")
}

impl Walk<'_> {
    /// The dotted name that an expression is, if it does not begin with a local variable.
    pub fn path<'a>(&self, expr: &'a Expr) -> Option<Path<'a>> {
        let mut path = Path::new();
        let mut at = expr;
        loop {
            match at {
                Expr::Attribute(it) => {
                    path.push(it.attr.as_str());
                    at = &it.value;
                }
                Expr::Name(it) if self.local(it.id.as_str()).is_none() => {
                    path.push(it.id.as_str());
                    path.reverse();
                    return Some(path);
                }
                _ => return None,
            }
        }
    }

    /// Whether an expression is a dotted name that begins outside the function.
    pub fn is_outside(&self, expr: &Expr) -> bool {
        self.path(expr).is_some()
    }

    /// What a dotted name stands for.
    pub fn lookup(&self, path: &[&str]) -> Option<External> {
        let found = self.frame.scope.get().resolve(path);
        match (found, path) {
            // What is written in the language of kernels is a function like others.
            (Some(External::Builtin(name)), _) => {
                library::find(&name).or(Some(External::Builtin(name)))
            }
            (Some(found), _) => Some(found),
            (None, [name]) if PYTHON.contains(name) => Some(External::Builtin((*name).to_string())),
            (None, ["int"]) => Some(External::Type(Type::scalar(Scalar::I32))),
            (None, ["float"]) => Some(External::Type(Type::scalar(Scalar::F32))),
            (None, ["bool"]) => Some(External::Type(Type::scalar(Scalar::Bool))),
            // Without the module, where the name means nothing else.
            (None, [name]) if builtins::find(name).is_some() => {
                Some(External::Builtin((*name).to_string()))
            }
            _ => None,
        }
    }

    /// Whether an expression names this builtin.
    pub fn is_builtin(&self, expr: &Expr, name: &str) -> bool {
        let path = self.path(expr);
        let found = path.and_then(|path| self.lookup(&path));
        matches!(found, Some(External::Builtin(found)) if found == name)
    }

    /// A variable, or a dotted name outside the function.
    pub fn name_or_path(&mut self, expr: &Expr, want: Option<Scalar>, at: Span) -> Result<Node> {
        if let Expr::Name(it) = expr
            && let Some(slot) = self.local(it.id.as_str())
        {
            return self.read(slot, at).map(Node::Tree);
        }
        let Some(path) = self.path(expr) else {
            return Err(Error::at(Code::Name, at, "this is no name"));
        };
        self.b.span = at;
        if let Some(found) = self.lookup(&path) {
            return self
                .constant(found, &path.join("."), want, at)
                .map(Node::Tree);
        }
        for len in (1..path.len()).rev() {
            let Some(found) = self.lookup(&path[..len]) else {
                continue;
            };
            let name = path[..len].join(".");
            if matches!(
                found,
                External::Module(_) | External::Builtin(_) | External::Func(_)
            ) {
                return Err(self.no_member(&name, path[len], &found, at));
            }
            let mut node = Node::Tree(self.constant(found, &name, None, at)?);
            for member in &path[len..] {
                node = self.member(node, member, at)?;
            }
            return Ok(node);
        }
        Err(self.undefined(path[0], at))
    }

    /// An outside value as a constant.
    pub fn constant(
        &mut self,
        found: External,
        name: &str,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Tree> {
        self.b.span = at;
        match found {
            External::Builtin(builtin) if builtin == ADJOINT => Err(misplaced(at)),
            External::Bool(value) => Ok(boolean(self.b.bool(value))),
            External::Int(value) => self.int(value, want, at),
            External::Float(value) => self.float(value, want, at),
            External::Str(text) => Ok(Tree::Str(text)),
            External::Constant(constant) => self.typed(&constant, name, at),
            External::Tuple(items) => {
                let items = items
                    .into_iter()
                    .map(|item| self.constant(item, name, None, at));
                items
                    .collect::<Result<Vec<Tree>>>()
                    .map(|items| Tree::Tuple(items.into()))
            }
            External::Struct(s, values) => self.instance(s, values, name, at),
            External::Type(ty) => Ok(Tree::Type(ty)),
            function @ (External::Builtin(_) | External::Func(_) | External::Gradient(_)) => {
                Ok(Tree::Function(self.function(function)))
            }
            External::Module(_) => {
                let what = format!("`{name}` is a module: it is no value in kernels");
                Err(Error::at(Code::Type, at, what))
            }
            External::Absent(instead) => Err(not_supported(name, instead, at)),
            External::Unsupported(found) => {
                let what = format!("`{name}` is {found}, which kernels cannot use");
                let error = Error::at(Code::Type, at, what);
                Err(match found.contains(" with shape ") {
                    true => error.hint(format!(
                        "pass it: add a parameter of the kernel, such as `{}: wp.array[float]`, and the array to `inputs`",
                        name.rsplit('.').next().unwrap_or(name)
                    )),
                    false => error.hint(
                        "numbers, vectors, matrices, types and `@wp.func`s can stand outside; arrays are passed as parameters, \
                         and named numbers as a `@wp.struct`",
                    ),
                })
            }
        }
    }

    /// An instance of a struct as a constant.
    fn instance(&mut self, s: Struct, values: Vec<External>, name: &str, at: Span) -> Result<Tree> {
        let fields = s.fields().iter().zip(values).map(|(field, value)| {
            let name = format!("{name}.{}", field.name);
            let (want, scalar) = match field.ty {
                Type::Elem(elem) => (Some(elem.scalar()), matches!(elem, Elem::Scalar(_))),
                _ => (None, false),
            };
            let tree = self.constant(value, &name, want, at)?;
            match (tree, want) {
                // A number of Python's, whatever the field's type.
                (Tree::Elem(x), Some(to)) if scalar => {
                    Ok(Tree::Elem(builtins::cast(&mut self.b, &x, to)))
                }
                (tree, _) => Ok(tree),
            }
        });
        Ok(Tree::Struct(
            s,
            fields.collect::<Result<Vec<Tree>>>()?.into(),
        ))
    }

    /// The number of a function that stands for itself: one number for one function.
    pub fn function(&mut self, function: External) -> u32 {
        let known = self.functions.iter().position(|f| is_same(f, &function));
        let at = known.unwrap_or_else(|| {
            self.functions.push(function);
            self.functions.len() - 1
        });
        at as u32
    }

    fn typed(&mut self, constant: &Constant, name: &str, at: Span) -> Result<Tree> {
        let elem = constant.elem;
        if elem.count() != constant.parts.len() {
            let what = format!(
                "`{name}` is {elem} with {} components",
                constant.parts.len()
            );
            return Err(Error::at(Code::Value, at, what));
        }
        let scalar = elem.scalar();
        let parts: Parts = constant
            .parts
            .iter()
            .map(|part| match *part {
                Const::Float(x) => self.b.number(scalar, x),
                Const::Int(n) if scalar.is_float() => self.b.number(scalar, n as f64),
                Const::Int(n) if scalar == Scalar::Bool => self.b.bool(n != 0),
                Const::Bool(v) if scalar != Scalar::Bool => {
                    self.b.number(scalar, f64::from(u8::from(v)))
                }
                other => self.b.constant(scalar, other),
            })
            .collect();
        Ok(Tree::Elem(Operand { elem, parts }))
    }

    /// The error for a name that stands for nothing.
    pub fn undefined(&self, name: &str, at: Span) -> Error {
        let error = Error::at(Code::Name, at, format!("name `{name}` is not defined"));
        let locals = self.frame.routine.names.iter().map(String::as_str);
        let python = PYTHON.iter().copied().chain(["int", "float", "bool"]);
        if let Some(like) = nearest(name, locals.chain(python)) {
            return error.hint(format!("did you mean `{like}`?"));
        }
        error.hint("it is neither a variable here nor a name outside the function")
    }

    /// The error for `name.member` where `name` is found and has no such member.
    pub fn no_member(&self, name: &str, member: &str, found: &External, at: Span) -> Error {
        let what = match found {
            External::Module(_) => format!("module `{name}` has no `{member}`"),
            External::Func(_) | External::Builtin(_) => {
                format!("function `{name}` has no attribute `{member}`")
            }
            _ => format!("`{name}` has no attribute `{member}`"),
        };
        let error = Error::at(Code::Attribute, at, what);
        if let (External::Module(_), Some(instead)) = (found, instead::known(member)) {
            return error.hint(instead);
        }
        let rows = builtins::rows().map(|row| row.name);
        match nearest(member, rows.chain(["static", "tid"])) {
            Some(like) if matches!(found, External::Module(_)) => {
                error.hint(format!("did you mean `{name}.{like}`?"))
            }
            _ => error,
        }
    }
}

/// The error for a name of NVIDIA's Warp that this library does not have.
#[cold]
pub(in crate::front) fn not_supported(name: &str, instead: String, at: Span) -> Error {
    Error::at(Code::Type, at, format!("`{name}` is not supported")).hint(instead)
}

fn is_same(a: &External, b: &External) -> bool {
    match (a, b) {
        (External::Builtin(a), External::Builtin(b)) => a == b,
        (External::Func(a), External::Func(b)) => a.id == b.id,
        (External::Gradient(a), External::Gradient(b)) => is_same(a, b),
        _ => false,
    }
}

/// The name that a misspelt one most likely stands for.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = match name.len() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    known
        .filter(|k| k.len().abs_diff(name.len()) <= most && *k != name)
        .map(|k| (distance(name, k), k))
        .filter(|(d, _)| *d <= most)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// Letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut best = last[j] + usize::from(a[i] != b[j]);
            best = best.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
