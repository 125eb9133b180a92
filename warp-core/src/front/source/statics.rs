//! A scope in pure Rust: the names of `wp` and `math`, and what a caller adds. For tests and for programs
//! without Python.

use crate::builtins;
use crate::dtype::{Scalar, TABLE};
use crate::front::source::scope::{External, FuncRef, Scope, SourceText};
use crate::ir::Const;
use crate::library;
use crate::ty::{COMPOUNDS, Compound, Elem, MAX_NDIM, Pattern, Scalars, Type};
use ruff_python_ast::{Arguments, Expr, Number, Operator, UnaryOp};
use std::collections::HashMap;
use std::sync::Arc;

/// Answers from a table.
#[derive(Clone, Debug, Default)]
pub struct StaticScope {
    names: HashMap<String, External>,
}

impl StaticScope {
    /// A scope that knows `wp` (also as `warp`) and `math`.
    pub fn new() -> StaticScope {
        StaticScope {
            names: HashMap::new(),
        }
    }

    /// Adds a name, dotted or plain.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: External) -> StaticScope {
        self.names.insert(name.into(), value);
        self
    }

    /// Adds a function that kernels may call; it sees what the scope knows so far.
    #[must_use]
    pub fn with_func(self, name: &str, text: &str) -> StaticScope {
        let source = SourceText {
            name: name.to_string(),
            file: format!("{name}.py"),
            first_line: 1,
            text: text.to_string(),
        };
        let id = self.names.len() as u64 + 1;
        let func = FuncRef {
            id,
            source,
            scope: Arc::new(self.clone()),
            overloads: Vec::new(),
            gradient: None,
            replay: None,
        };
        self.with(name, External::Func(func))
    }
}

impl Scope for StaticScope {
    fn resolve(&self, path: &[&str]) -> Option<External> {
        if let Some(found) = self.names.get(&path.join(".")) {
            return Some(found.clone());
        }
        match path {
            ["wp" | "warp"] => Some(External::Module("warp".into())),
            ["wp" | "warp", "types"] => Some(External::Module("warp.types".into())),
            ["wp" | "warp", name] => named_type(name)
                .map(|elem| External::Type(Type::Elem(elem)))
                .or_else(|| builtin(name))
                .or_else(|| builtins::named_constant(name).map(External::Float)),
            ["math"] => Some(External::Module("math".into())),
            ["math", name] => math(name),
            [name @ ("int" | "float" | "bool")] => {
                Scalar::from_name(name).map(|s| External::Type(Type::scalar(s)))
            }
            _ => None,
        }
    }

    fn eval_static(&self, expr: &str, known: &[(&str, Const)]) -> Result<External, String> {
        if !known.is_empty() {
            let start = self.clone();
            let names = known.iter().fold(start, |scope, (name, value)| {
                let value = match *value {
                    Const::Bool(value) => External::Bool(value),
                    Const::Int(value) => External::Int(value.into()),
                    Const::Float(value) => External::Float(value),
                };
                scope.with(*name, value)
            });
            return names.eval_static(expr, &[]);
        }
        let parsed = ruff_python_parser::parse_expression(expr).map_err(|e| e.error.to_string())?;
        self.eval(parsed.expr())
    }

    fn annotation(&self, expr: &str) -> Result<Pattern, String> {
        let parsed = ruff_python_parser::parse_expression(expr).map_err(|e| e.error.to_string())?;
        self.type_of(parsed.expr(), true)
    }
}

fn builtin(name: &str) -> Option<External> {
    let known = matches!(
        name,
        "static" | "tid" | "range" | "grad" | "zeros" | "array" | "address_of" | "adjoint"
    ) || builtins::find(name).is_some()
        || library::find(name).is_some();
    known.then(|| External::Builtin(name.to_string()))
}

fn math(name: &str) -> Option<External> {
    use std::f64::consts;
    let value = match name {
        "pi" => consts::PI,
        "e" => consts::E,
        "tau" => consts::TAU,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return builtins::find(name).map(|row| External::Builtin(row.name.to_string())),
    };
    Some(External::Float(value))
}

/// `float64`, `vec3`, `vec3d`, `mat22h`, `quatf`.
fn named_type(name: &str) -> Option<Elem> {
    if let Some(scalar) = Scalar::from_name(name) {
        return Some(Elem::Scalar(scalar));
    }
    let short = |text: &str| match text {
        "" => Some(Scalar::F32),
        _ => TABLE
            .iter()
            .find(|row| row.short == text)
            .map(|row| row.scalar),
    };
    let compound = COMPOUNDS.iter().find_map(|row| {
        let scalar = short(name.strip_prefix(row.name)?)?;
        let fits = scalar.is_float();
        fits.then_some(Elem::Compound(row.compound, scalar))
    });
    if compound.is_some() {
        return compound;
    }
    if let Some(rest) = name.strip_prefix("spatial_vector") {
        return short(rest)
            .filter(|s| s.is_float())
            .map(|scalar| Elem::Vec { len: 6, scalar });
    }
    if let Some(rest) = name.strip_prefix("spatial_matrix") {
        let (rows, cols) = (6, 6);
        return short(rest)
            .filter(|s| s.is_float())
            .map(|scalar| Elem::Mat { rows, cols, scalar });
    }
    let digit = |c: Option<char>| {
        c.and_then(|c| c.to_digit(10))
            .filter(|d| (2..=4).contains(d))
    };
    if let Some(rest) = name.strip_prefix("vec") {
        let len = digit(rest.chars().next())?;
        return short(&rest[1..]).map(|scalar| Elem::Vec { len, scalar });
    }
    let rest = name.strip_prefix("mat")?;
    let mut chars = rest.chars();
    let (rows, cols) = (digit(chars.next())?, digit(chars.next())?);
    let scalar = short(&rest[2..])?;
    (rows == cols).then_some(Elem::Mat { rows, cols, scalar })
}

fn dotted(expr: &Expr) -> Option<Vec<&str>> {
    match expr {
        Expr::Name(it) => Some(vec![it.id.as_str()]),
        Expr::Attribute(it) => {
            let mut path = dotted(&it.value)?;
            path.push(it.attr.as_str());
            Some(path)
        }
        _ => None,
    }
}

/// `array`, `array2d`: the dimensions that the name says.
fn array_dims(name: &str) -> Option<u8> {
    match name.strip_prefix("array")? {
        "" => Some(1),
        rest => {
            let dims = rest.strip_suffix('d')?.parse().ok()?;
            (1..=MAX_NDIM as u8).contains(&dims).then_some(dims)
        }
    }
}

fn argument<'a>(args: &'a Arguments, at: usize, name: &str) -> Option<&'a Expr> {
    let named = args
        .keywords
        .iter()
        .find(|k| k.arg.as_ref().is_some_and(|a| a.as_str() == name));
    named.map(|k| &k.value).or_else(|| args.args.get(at))
}

impl StaticScope {
    fn type_of(&self, expr: &Expr, text_allowed: bool) -> Result<Pattern, String> {
        match expr {
            Expr::NoneLiteral(_) => return Ok(Type::None.into()),
            Expr::StringLiteral(it) if text_allowed => {
                let parsed = ruff_python_parser::parse_expression(it.value.to_str());
                let parsed = parsed.map_err(|e| e.error.to_string())?;
                return self.type_of(parsed.expr(), false);
            }
            Expr::Call(it) => return self.made_type(&it.func, &it.arguments),
            Expr::Subscript(it) => {
                return match dotted(&it.value).as_deref() {
                    Some([.., name]) if array_dims(name).is_some() => {
                        let ndim = array_dims(name).unwrap_or(1);
                        Ok(Pattern::array(self.held(&it.slice)?, ndim))
                    }
                    Some(["wp" | "warp", "ref"]) => match self.type_of(&it.slice, true)? {
                        Pattern::Exact(ty) => Ok(Pattern::Exact(Type::Ref(ty.into()))),
                        _ => Err("a ref says what it refers to".into()),
                    },
                    Some([.., "tuple" | "Tuple"]) => {
                        let items = match &*it.slice {
                            Expr::Tuple(items) => &items.elts[..],
                            one => std::slice::from_ref(one),
                        };
                        let items = items.iter().map(|e| self.type_of(e, true));
                        items.collect::<Result<_, _>>().map(Pattern::tuple)
                    }
                    _ => Err("no type with `[...]` but arrays and tuples".into()),
                };
            }
            _ => {}
        }
        let path = dotted(expr).ok_or("it is no name of a type")?;
        if let [.., "Any"] = path[..] {
            return Ok(Pattern::Any);
        }
        if let ["wp" | "warp", name] = path[..] {
            match name {
                "Function" => return Ok(Type::Function.into()),
                "Float" => return Ok(Pattern::Scalar(Scalars::floats())),
                "Int" => return Ok(Pattern::Scalar(Scalars::ints())),
                "Scalar" => return Ok(Pattern::Scalar(Scalars::floats() | Scalars::ints())),
                _ => {}
            }
        }
        match self.resolve(&path) {
            Some(External::Type(ty)) => Ok(ty.into()),
            None | Some(External::Builtin(_)) if matches!(path[..], [.., name] if array_dims(name).is_some()) => {
                Err("an array says what it holds: wp.array(dtype=float)".into())
            }
            Some(_) => Err(format!("`{}` is no type", path.join("."))),
            None => Err(format!("`{}` is not defined", path.join("."))),
        }
    }

    /// What an array holds.
    fn held(&self, expr: &Expr) -> Result<Pattern, String> {
        match self.type_of(expr, true)? {
            Pattern::Exact(
                ty @ (Type::Array { .. } | Type::Tuple(_) | Type::Function | Type::None),
            )
            | Pattern::Exact(ty @ Type::Str) => {
                Err(format!("{ty} cannot be what an array or vector holds"))
            }
            found => Ok(found),
        }
    }

    /// What the components of a vector or matrix may be.
    fn scalars(&self, expr: Option<&Expr>) -> Result<Scalars, String> {
        match self.held(expr.ok_or("dtype is missing")?)? {
            Pattern::Any => Ok(Scalars::ANY),
            Pattern::Scalar(scalars) => Ok(scalars),
            Pattern::Exact(Type::Elem(Elem::Scalar(scalar))) => Ok(Scalars::one(scalar)),
            other => Err(format!("a vector or matrix holds scalars, not {other}")),
        }
    }

    /// A size; None for any.
    fn size(&self, expr: Option<&Expr>) -> Result<Option<u32>, String> {
        let expr = expr.ok_or("a size is missing")?;
        if let Some([.., "Any"]) = dotted(expr).as_deref() {
            return Ok(None);
        }
        match self.eval(expr)? {
            External::Int(n) => u32::try_from(n)
                .map(Some)
                .map_err(|_| format!("{n} is no size")),
            _ => Err("a size is an integer".into()),
        }
    }

    /// `wp.array(dtype=float, ndim=2)`, `wp.types.vector(length=3, dtype=float)`.
    fn made_type(&self, func: &Expr, args: &Arguments) -> Result<Pattern, String> {
        let path = dotted(func).ok_or("it is no name of a type")?;
        let name = path.last().copied().unwrap_or("");
        if let Some(dims) = array_dims(name) {
            let of = self.held(argument(args, 1, "dtype").ok_or("dtype is missing")?)?;
            let ndim = match argument(args, 9, "ndim") {
                Some(ndim) => self.size(Some(ndim))?.unwrap_or(0),
                None => u32::from(dims),
            };
            return match u8::try_from(ndim) {
                Ok(ndim) if ndim as usize <= MAX_NDIM && ndim > 0 => Ok(Pattern::array(of, ndim)),
                _ => Err(format!(
                    "an array has 1 to {MAX_NDIM} dimensions, not {ndim}"
                )),
            };
        }
        let made = match name {
            "vector" => Pattern::Vec {
                scalars: self.scalars(argument(args, 1, "dtype"))?,
                len: self.size(argument(args, 0, "length"))?,
            },
            "matrix" => {
                let scalars = self.scalars(argument(args, 1, "dtype"))?;
                let Some(Expr::Tuple(shape)) = argument(args, 0, "shape") else {
                    return Err("shape is two sizes: (2, 3)".into());
                };
                let [rows, cols] = &shape.elts[..] else {
                    return Err("shape is two sizes: (2, 3)".into());
                };
                Pattern::Mat {
                    rows: self.size(Some(rows))?,
                    cols: self.size(Some(cols))?,
                    scalars,
                }
            }
            name => {
                let Some(compound) = Compound::made_by(name) else {
                    return Err(format!("`{}` makes no type", path.join(".")));
                };
                Pattern::Compound(compound, self.scalars(argument(args, 0, "dtype"))?)
            }
        };
        Ok(made.simplified())
    }

    /// Arithmetic on numbers and names.
    fn eval(&self, expr: &Expr) -> Result<External, String> {
        match expr {
            Expr::NumberLiteral(it) => match &it.value {
                Number::Int(n) => n
                    .to_string()
                    .parse()
                    .map(External::Int)
                    .map_err(|_| "too large".into()),
                Number::Float(x) => Ok(External::Float(*x)),
                Number::Complex { .. } => Err("complex numbers have no place in kernels".into()),
            },
            Expr::BooleanLiteral(it) => Ok(External::Bool(it.value)),
            Expr::StringLiteral(it) => Ok(External::Str(it.value.to_str().into())),
            Expr::Tuple(it) => it
                .elts
                .iter()
                .map(|e| self.eval(e))
                .collect::<Result<_, _>>()
                .map(External::Tuple),
            Expr::Name(_) | Expr::Attribute(_) => {
                let path = dotted(expr).ok_or("it is no name")?;
                self.resolve(&path)
                    .ok_or_else(|| format!("name '{}' is not defined", path.join(".")))
            }
            Expr::UnaryOp(it) => match (it.op, self.eval(&it.operand)?) {
                (UnaryOp::USub, External::Int(n)) => n
                    .checked_neg()
                    .map(External::Int)
                    .ok_or_else(|| "too large".into()),
                (UnaryOp::USub, External::Float(x)) => Ok(External::Float(-x)),
                (UnaryOp::Not, External::Bool(v)) => Ok(External::Bool(!v)),
                _ => Err("only numbers are evaluated without Python".into()),
            },
            Expr::BinOp(it) => arithmetic(it.op, &self.eval(&it.left)?, &self.eval(&it.right)?),
            _ => Err("only arithmetic is evaluated without Python".into()),
        }
    }
}

fn arithmetic(op: Operator, x: &External, y: &External) -> Result<External, String> {
    let number = |v: &External| match v {
        External::Int(n) => Ok(*n as f64),
        External::Float(x) => Ok(*x),
        _ => Err("only numbers are evaluated without Python".to_string()),
    };
    if let (External::Int(x), External::Int(y)) = (x, y) {
        let exact = match op {
            Operator::Add => x.checked_add(*y),
            Operator::Sub => x.checked_sub(*y),
            Operator::Mult => x.checked_mul(*y),
            Operator::FloorDiv if *y > 0 => x.checked_div_euclid(*y),
            Operator::Mod if *y > 0 => x.checked_rem_euclid(*y),
            Operator::Pow => u32::try_from(*y).ok().and_then(|y| x.checked_pow(y)),
            Operator::LShift => u32::try_from(*y)
                .ok()
                .filter(|y| *y < 64)
                .and_then(|y| x.checked_mul(1 << y)),
            Operator::Div if *y != 0 => return Ok(External::Float(*x as f64 / *y as f64)),
            _ => None,
        };
        return exact
            .map(External::Int)
            .ok_or_else(|| "the result is no number".into());
    }
    let (x, y) = (number(x)?, number(y)?);
    Ok(External::Float(match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        Operator::Mult => x * y,
        Operator::Div => x / y,
        Operator::Pow => x.powf(y),
        _ => return Err("only arithmetic is evaluated without Python".into()),
    }))
}

#[cfg(test)]
mod tests {
    use super::{External, Scope, StaticScope};

    #[test]
    fn annotations_in_every_spelling() {
        let scope = StaticScope::new();
        for (text, ty) in [
            ("float", "float32"),
            ("wp.uint8", "uint8"),
            ("wp.vec3", "vec(3, float32)"),
            ("wp.vec2d", "vec(2, float64)"),
            ("wp.vec4ub", "vec(4, uint8)"),
            ("wp.mat33h", "mat(3x3, float16)"),
            ("wp.quatd", "quat(float64)"),
            ("wp.transform", "transform(float32)"),
            (
                "wp.types.vector(length=5, dtype=wp.float64)",
                "vec(5, float64)",
            ),
            (
                "wp.types.matrix(shape=(2, 3), dtype=float)",
                "mat(2x3, float32)",
            ),
            ("wp.array(dtype=float)", "array(float32, ndim=1)"),
            (
                "wp.array(dtype=wp.vec3, ndim=2)",
                "array(vec(3, float32), ndim=2)",
            ),
            ("wp.array4d(dtype=int)", "array(int32, ndim=4)"),
            ("wp.array[float]", "array(float32, ndim=1)"),
            ("wp.array2d[wp.mat22]", "array(mat(2x2, float32), ndim=2)"),
            ("'wp.array3d(dtype=wp.bool)'", "array(bool, ndim=3)"),
            ("tuple[float, wp.vec2]", "(float32, vec(2, float32))"),
            ("None", "None"),
        ] {
            let found = scope.annotation(text).expect(text);
            assert_eq!(found.to_string(), ty, "{text}");
            assert!(found.exact().is_some(), "{text}");
        }
        for (text, pattern) in [
            ("typing.Any", "Any"),
            ("wp.Float", "Float"),
            ("wp.array(dtype=Any, ndim=2)", "array(Any, ndim=2)"),
            ("wp.array2d[wp.Scalar]", "array(Scalar, ndim=2)"),
            (
                "wp.array(dtype=wp.types.vector(length=Any, dtype=wp.Float))",
                "array(vec(Any, Float), ndim=1)",
            ),
            (
                "wp.types.matrix(shape=(2, Any), dtype=Any)",
                "mat(2 x Any, Any)",
            ),
            ("wp.types.quaternion(dtype=wp.Float)", "quat(Float)"),
            ("tuple[float, Any]", "(float32, Any)"),
        ] {
            let found = scope.annotation(text).expect(text);
            assert_eq!(found.to_string(), pattern, "{text}");
            assert!(found.exact().is_none(), "{text}");
        }
        for text in [
            "wp.array",
            "wp.vec5",
            "wp.mat23",
            "wp.sin",
            "1",
            "wp.array(dtype=float, ndim=5)",
            "x +",
        ] {
            assert!(scope.annotation(text).is_err(), "{text}");
        }
    }

    #[test]
    fn arithmetic_is_exact_on_integers() {
        let scope = StaticScope::new().with("N", External::Int(3));
        let value = |text: &str| format!("{:?}", scope.eval_static(text, &[]));
        assert_eq!(value("N * 2 ** 40 - 1"), "Ok(Int(3298534883327))");
        assert_eq!(value("-7 // 2"), "Ok(Int(-4))");
        assert_eq!(value("N / 2"), "Ok(Float(1.5))");
        assert!(scope.eval_static("10 ** 60", &[]).is_err());
        assert!(scope.eval_static("missing", &[]).is_err());
    }
}
