//! Derivatives of builtins in words and formulas, as the reference states them.

use crate::builtins::signature::row::{Expand, Row};
use crate::builtins::signature::sig::{self, Pattern, ScalarPat};
use crate::dtype::Scalar;
use crate::ir::expr::{Emit, Expr};
use crate::ir::primitive::Derivative;
use crate::ir::{Const, Op, Value};
use std::cell::RefCell;

/// What the reference says of the derivatives of a builtin: a formula where the builtin is one primitive, or else by
/// which arguments there are derivatives. None: there is none, which the documentation of the row says where one
/// would look for it.
pub fn derivative(row: &Row) -> Option<String> {
    let names = differentiable(row);
    let parts: Vec<(&str, Option<String>)> = match formulas(row) {
        Some(formulas) => names.iter().copied().zip(formulas).collect(),
        None => Vec::new(),
    };
    match &parts[..] {
        [(_, Some(formula))] => Some(format!("Derivative: `{formula}`.")),
        [(x, Some(by_x)), (y, Some(by_y))] => {
            Some(format!("Derivative by {x}: `{by_x}`; by {y}: `{by_y}`."))
        }
        _ => {
            let (last, rest) = names.split_last()?;
            let rest = rest.join(", ");
            let and = if rest.is_empty() { "" } else { " and " };
            Some(format!("Differentiable by {rest}{and}{last}."))
        }
    }
}

/// The parameters by which a builtin has derivatives, where these are floats.
pub fn differentiable(row: &Row) -> Vec<&'static str> {
    let mut names = Vec::new();
    if row.doc.contains("No gradient.") {
        return names;
    }
    for overload in row.overloads {
        let (_, result) = sig::split_result(overload.sig);
        let params = sig::parse(overload.sig);
        let changed = params.iter().any(|p| p.updated && is_float(p.pattern));
        if !changed && !result.contains(['F', 'S', 'E']) && !result.contains("float32") {
            continue;
        }
        let used = params.iter().filter(|p| !p.updated && is_float(p.pattern));
        for param in used {
            let flat = format!("The slope by {} is 0.", param.name);
            if !names.contains(&param.name) && !row.doc.contains(&flat) {
                names.push(param.name);
            }
        }
    }
    names
}

/// Whether a pattern fits floats.
fn is_float(pattern: Pattern) -> bool {
    match pattern {
        Pattern::Scalar(s)
        | Pattern::Vec(_, s)
        | Pattern::Mat(_, _, s)
        | Pattern::Compound(_, s)
        | Pattern::Elem(_, s) => match s {
            ScalarPat::Exactly(scalar) => scalar.is_float(),
            ScalarPat::Var(letter) => !matches!(letter, b'I' | b'A'),
        },
        _ => false,
    }
}

/// The derivative by each argument, if a builtin is one primitive of floats with a rule.
fn formulas(row: &Row) -> Option<Vec<Option<String>>> {
    let [overload] = row.overloads else {
        return None;
    };
    let Expand::Primitive(op) = overload.expand else {
        return None;
    };
    let names: Vec<&str> = sig::parse(overload.sig).iter().map(|p| p.name).collect();
    let written = Written::default();
    let given: Vec<Value> = names.iter().map(|name| written.add(name, ATOM)).collect();
    let out = written.add(&format!("{}({})", row.name, names.join(", ")), ATOM);
    let one = written.number(Scalar::F64, 1.0);
    let expr = |value| Expr::new(&written, value);
    match (op.primitive()?.derivative, &given[..]) {
        (Derivative::Unary(rule), [x]) => {
            let by = rule(expr(one), expr(out), expr(*x));
            Some(vec![Some(written.text(by.value(), SUM))])
        }
        (Derivative::Binary(rule), [x, y]) => {
            let by = rule(expr(one), expr(out), expr(*x), expr(*y));
            let text = |part: Option<Expr<'_>>| part.map(|p| written.text(p.value(), SUM));
            Some(by.into_iter().map(text).collect())
        }
        _ => None,
    }
}

/// How tightly a text holds together.
type Level = u8;
const SUM: Level = 0;
const PRODUCT: Level = 1;
const POWER: Level = 2;
const ATOM: Level = 3;

/// Operations as text: what they would compute, for people.
#[derive(Default)]
struct Written {
    texts: RefCell<Vec<(String, Level, Option<f64>)>>,
}

impl Written {
    fn add(&self, text: &str, level: Level) -> Value {
        self.keep(text.to_string(), level, None)
    }

    fn keep(&self, text: String, level: Level, number: Option<f64>) -> Value {
        let mut texts = self.texts.borrow_mut();
        texts.push((text, level, number));
        Value(u32::try_from(texts.len() - 1).expect("few values"))
    }

    /// The text of a value, in brackets if it holds together less tightly than is asked.
    fn text(&self, value: Value, least: Level) -> String {
        let (text, level, _) = &self.texts.borrow()[value.0 as usize];
        match *level >= least {
            true => text.clone(),
            false => format!("({text})"),
        }
    }

    fn known(&self, value: Value) -> Option<f64> {
        self.texts.borrow()[value.0 as usize].2
    }

    fn infix(&self, args: &[Value], sign: &str, level: Level, right: Level) -> Value {
        let (x, y) = (self.text(args[0], level), self.text(args[1], right));
        self.add(&format!("{x} {sign} {y}"), level)
    }
}

impl Emit for Written {
    fn op(&self, op: Op, args: &[Value]) -> Value {
        let is = |n: usize, x: f64| self.known(args[n]) == Some(x);
        match op {
            Op::Mul if is(0, 1.0) => args[1],
            Op::Mul | Op::Div if is(1, 1.0) => args[0],
            Op::Mul if args[0] == args[1] => {
                self.add(&format!("{} ** 2", self.text(args[0], ATOM)), POWER)
            }
            Op::Mul => self.infix(args, "*", PRODUCT, POWER),
            Op::Div => self.infix(args, "/", PRODUCT, POWER),
            Op::Add => self.infix(args, "+", SUM, SUM),
            Op::Sub => self.infix(args, "-", SUM, PRODUCT),
            Op::Neg => self.add(&format!("-{}", self.text(args[0], PRODUCT)), PRODUCT),
            Op::Pow => {
                let (x, y) = (self.text(args[0], ATOM), self.text(args[1], ATOM));
                self.add(&format!("{x} ** {y}"), POWER)
            }
            // What stands in at a singular point, and elsewhere the rule.
            Op::Select if self.known(args[1]).is_some() => args[2],
            Op::Select if self.known(args[2]).is_some() => args[1],
            _ => {
                let parts: Vec<String> = args.iter().map(|arg| self.text(*arg, SUM)).collect();
                let name = op.name().unwrap_or("?");
                self.add(&format!("{name}({})", parts.join(", ")), ATOM)
            }
        }
    }
    fn number(&self, _: Scalar, value: f64) -> Value {
        let text = format!("{value:.6}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        let level = if value < 0.0 { PRODUCT } else { ATOM };
        self.keep(text.to_string(), level, Some(value))
    }
    fn cast(&self, value: Value, _: Scalar) -> Value {
        value
    }
    fn ty(&self, _: Value) -> Scalar {
        Scalar::F64
    }
    fn as_const(&self, value: Value) -> Option<Const> {
        self.known(value).map(Const::Float)
    }
}

#[cfg(test)]
mod tests {
    use super::derivative;
    use crate::builtins::find;

    #[test]
    fn formulas_are_those_of_the_rules() {
        let of = |name: &str| derivative(find(name).expect("a row")).unwrap_or_default();
        assert_eq!(of("sin"), "Derivative: `cos(x)`.");
        assert_eq!(of("cos"), "Derivative: `-sin(x)`.");
        assert_eq!(of("tan"), "Derivative: `1 + tan(x) ** 2`.");
        assert_eq!(of("asin"), "Derivative: `1 / sqrt(1 - x ** 2)`.");
        assert_eq!(
            of("atan2"),
            "Derivative by y: `1 / (y ** 2 + x ** 2) * x`; by x: `-1 / (y ** 2 + x ** 2) * y`."
        );
        assert_eq!(
            of("pow"),
            "Derivative by x: `x ** (y - 1) * y`; by y: `pow(x, y) * log(x)`."
        );
        assert_eq!(of("floor"), "");
        assert_eq!(of("lerp"), "Differentiable by a, b and t.");
    }
}
