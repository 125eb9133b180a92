//! Arithmetic of floats, and functions of them.

use crate::ptx::body::Body;
use crate::ptx::code::{Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::approx::{self, Function};
use crate::ptx::value::float32::{self, Test};
use crate::ptx::value::float64;
use crate::ptx::value::half::{Kind, Operation};
use crate::ptx::value::integer::Plain;
use crate::ptx::value::{Binary, Modes, Round, Unary};

impl Body<'_, '_> {
    pub(super) fn float_arithmetic(&mut self, form: &mut Form, ty: Type) -> Res<()> {
        let op = match ty {
            Type::F32 => arithmetic32(form)?,
            Type::F64 => arithmetic64(form)?,
            _ => return self.half_arithmetic(form, ty),
        };
        form.finish()?;
        self.plain(op, ty, ty, ty)
    }

    fn half_arithmetic(&mut self, form: &mut Form, ty: Type) -> Res<()> {
        let kind = match form.opcode {
            "add" => Kind::Add,
            "sub" => Kind::Sub,
            "mul" => Kind::Mul,
            "fma" => Kind::Fma,
            "neg" => Kind::Neg,
            "abs" => Kind::Abs,
            "min" => Kind::Min,
            "max" => Kind::Max,
            _ => return Err(form.unknown()),
        };
        let sums = matches!(kind, Kind::Add | Kind::Sub | Kind::Mul | Kind::Fma);
        let extreme = matches!(kind, Kind::Min | Kind::Max);
        if sums && !form.take("rn") && kind == Kind::Fma {
            return Err(form.unknown());
        }
        let operation = Operation {
            kind,
            round: Round::Near,
            brain: ty.brain(),
            pair: ty.packed(),
            flush: !ty.brain() && form.take("ftz"),
            saturate: sums && !ty.brain() && form.take("sat"),
            relu: kind == Kind::Fma && form.take("relu"),
            nan_wins: extreme && form.take("NaN"),
        };
        form.finish()?;
        let operands = match kind {
            Kind::Neg | Kind::Abs => 1,
            Kind::Fma => 3,
            _ => 2,
        };
        self.halves(operation, ty, operands)
    }

    fn halves(&mut self, operation: Operation, ty: Type, operands: usize) -> Res<()> {
        let d = self.destination(ty)?;
        let mut sources = [SINK; 4];
        for source in &mut sources[..operands] {
            *source = self.then(ty)?;
        }
        self.emit(Op::Half(operation), d, sources);
        Ok(())
    }

    /// `rcp`, `sqrt` and the functions that only exist as approximations.
    pub(super) fn function_of_float(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty()?;
        let function = match form.opcode {
            "rcp" => Function::Rcp,
            "sqrt" => Function::Sqrt,
            "rsqrt" => Function::Rsqrt,
            "sin" => Function::Sin,
            "cos" => Function::Cos,
            "lg2" => Function::Log2,
            "ex2" => Function::Exp2,
            _ => Function::Tanh,
        };
        let approximate = form.take("approx");
        let flush = form.take("ftz");
        let op = match (ty, approximate, function) {
            (Type::F32, true, _) => approx::of_f32(function, flush),
            (Type::F64, true, Function::Rcp) if flush => approx::rcp64,
            (Type::F64, true, Function::Rsqrt) if flush => approx::rsqrt64::<true>,
            (Type::F64, true, Function::Rsqrt) => approx::rsqrt64::<false>,
            (Type::F32 | Type::F64, false, Function::Rcp | Function::Sqrt) => {
                exact(form, ty, function, flush)?
            }
            (_, true, Function::Exp2 | Function::Tanh) if ty.half() => {
                // The bf16 form of exp2 is spelled with `.ftz`, that of f16 may be.
                form.finish()?;
                let operation = Operation {
                    kind: Kind::Approx(function),
                    round: Round::Near,
                    brain: ty.brain(),
                    pair: ty.packed(),
                    flush,
                    saturate: false,
                    relu: false,
                    nan_wins: false,
                };
                return self.halves(operation, ty, 1);
            }
            _ => return Err(form.unknown()),
        };
        form.finish()?;
        self.plain(Plain::Unary(op), ty, ty, ty)
    }

    pub(super) fn copysign(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&[Type::F32, Type::F64])?;
        form.finish()?;
        let op: Binary = match ty {
            Type::F32 => float32::copysign,
            _ => float64::copysign,
        };
        self.plain(Plain::Binary(op), ty, ty, ty)
    }

    pub(super) fn testp(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&[Type::F32, Type::F64])?;
        let tests = [
            ("finite", Test::Finite),
            ("infinite", Test::Infinite),
            ("number", Test::Number),
            ("notanumber", Test::NotANumber),
            ("normal", Test::Normal),
            ("subnormal", Test::Subnormal),
        ];
        let test = form.one_of(&tests).ok_or_else(|| form.unknown())?;
        form.finish()?;
        let op = match ty {
            Type::F32 => float32::testing(test),
            _ => float64::testing(test),
        };
        self.plain(Plain::Unary(op), Type::Pred, ty, ty)
    }
}

/// The functions that are rounded exactly; they must say how.
fn exact(form: &mut Form, ty: Type, function: Function, flush: bool) -> Res<Unary> {
    let round = form.round().ok_or_else(|| form.unknown())?;
    let modes = Modes {
        round,
        flush,
        saturate: false,
    };
    Ok(match (ty, function) {
        (Type::F64, _) if flush => return Err(form.unknown()),
        (Type::F64, Function::Rcp) => float64::inverting(round),
        (Type::F64, _) => float64::rooting(round),
        (_, Function::Rcp) => float32::inverting(modes),
        (_, _) => float32::rooting(modes),
    })
}

fn arithmetic32(form: &mut Form) -> Res<Plain> {
    let opcode = form.opcode;
    Ok(match opcode {
        "neg" if form.take("ftz") => Plain::Unary(float32::neg::<true>),
        "neg" => Plain::Unary(float32::neg::<false>),
        "abs" if form.take("ftz") => Plain::Unary(float32::abs::<true>),
        "abs" => Plain::Unary(float32::abs::<false>),
        "min" | "max" => Plain::Binary(match (opcode, form.take("ftz"), form.take("NaN")) {
            ("min", false, false) => float32::min::<false, false>,
            ("min", false, true) => float32::min::<false, true>,
            ("min", true, false) => float32::min::<true, false>,
            ("min", true, true) => float32::min::<true, true>,
            (_, false, false) => float32::max::<false, false>,
            (_, false, true) => float32::max::<false, true>,
            (_, true, false) => float32::max::<true, false>,
            (_, true, true) => float32::max::<true, true>,
        }),
        "div" => {
            // Both approximations are answered with the exact quotient.
            let approximate = form.take("approx") || form.take("full");
            let round = form.round();
            if approximate == round.is_some() {
                return Err(form.unknown());
            }
            Plain::Binary(float32::dividing(Modes {
                round: round.unwrap_or(Round::Near),
                flush: form.take("ftz"),
                saturate: false,
            }))
        }
        "add" => Plain::Binary(float32::adding(form.modes())),
        "sub" => Plain::Binary(float32::subtracting(form.modes())),
        "mul" => Plain::Binary(float32::multiplying(form.modes())),
        "fma" | "mad" => {
            let round = form.round().ok_or_else(|| form.unknown())?;
            Plain::Ternary(float32::fusing(Modes {
                round,
                ..form.modes()
            }))
        }
        _ => return Err(form.unknown()),
    })
}

fn arithmetic64(form: &mut Form) -> Res<Plain> {
    let opcode = form.opcode;
    match opcode {
        "neg" => return Ok(Plain::Unary(float64::neg)),
        "abs" => return Ok(Plain::Unary(float64::abs)),
        "min" => return Ok(Plain::Binary(float64::min)),
        "max" => return Ok(Plain::Binary(float64::max)),
        _ => {}
    }
    let round = form.round();
    if round.is_none() && matches!(opcode, "div" | "fma" | "mad") {
        return Err(form.unknown());
    }
    let round = round.unwrap_or(Round::Near);
    Ok(match opcode {
        "add" => Plain::Binary(float64::adding(round)),
        "sub" => Plain::Binary(float64::subtracting(round)),
        "mul" => Plain::Binary(float64::multiplying(round)),
        "div" => Plain::Binary(float64::dividing(round)),
        "fma" | "mad" => Plain::Ternary(float64::fusing(round)),
        _ => return Err(form.unknown()),
    })
}
