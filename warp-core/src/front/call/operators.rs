//! Operators on structs: functions of these names, which the author defines, as `@wp.func def mul(a: Dual, b: Dual)` for `a * b`.

use crate::builtins::{self, Arg, BinaryOp, Tree, UnaryOp};
use crate::error::{Code, Error, Result};
use crate::front::source::scope::External;
use crate::front::walk::Walk;
use crate::span::Span;

/// What the function of an operator is called.
fn name_of(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul | BinaryOp::MatMul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::FloorDiv => "floordiv",
        BinaryOp::Mod => "mod",
        BinaryOp::Pow => "pow",
        BinaryOp::Shl => "lshift",
        BinaryOp::Shr => "rshift",
        BinaryOp::BitOr => "bit_or",
        BinaryOp::BitXor => "bit_xor",
        BinaryOp::BitAnd => "bit_and",
    }
}

impl Walk<'_> {
    /// `left op right`, of which one may be a struct.
    pub fn binary_of(&mut self, op: BinaryOp, operands: [&Tree; 2], at: Span) -> Result<Tree> {
        match operands.map(is_struct) {
            [false, false] => {
                let [left, right] = operands;
                builtins::binary(&mut self.b, op, left, right, at)
            }
            _ => self.own_operator(name_of(op), &operands, at),
        }
    }

    /// `op operand`, which may be a struct.
    pub fn unary_of(&mut self, op: UnaryOp, operand: &Tree, at: Span) -> Result<Tree> {
        let name = match op {
            UnaryOp::Neg => "neg",
            UnaryOp::Pos => "pos",
            UnaryOp::Invert => "invert",
            UnaryOp::Not => "",
        };
        match is_struct(operand) && !name.is_empty() {
            true => self.own_operator(name, &[operand], at),
            false => builtins::unary(&mut self.b, op, operand, at),
        }
    }

    fn own_operator(&mut self, name: &str, operands: &[&Tree], at: Span) -> Result<Tree> {
        let arg = |tree: &&Tree| Arg {
            name: None,
            tree: (*tree).clone(),
            span: at,
        };
        let args: Vec<Arg<'_>> = operands.iter().map(arg).collect();
        if let Some(External::Func(func)) = self.lookup(&[name]) {
            return Ok(self.call_function(&func, &args, at)?.result);
        }
        let types: Vec<String> = args.iter().map(|a| a.tree.ty().to_string()).collect();
        let what = format!("there is no arithmetic on structs: {}", types.join(" and "));
        let params = ["a", "b"]
            .iter()
            .zip(&types)
            .map(|(n, ty)| format!("{n}: {ty}"));
        let params = params.collect::<Vec<_>>().join(", ");
        Err(Error::at(Code::Type, at, what).hint(format!(
            "write a function for the operator, `@wp.func def {name}({params})`, or compute with the fields"
        )))
    }
}

fn is_struct(tree: &Tree) -> bool {
    matches!(tree, Tree::Struct(..))
}
