//! Pure operations.

use crate::dtype::Scalar;
use crate::ir::{Const, Op, ParamType, Rule, Value};
use crate::ty::MAX_NDIM;
use crate::verify::scope::{Checker, R, ensure};

impl Checker<'_> {
    /// Checks the types of an operation.
    pub fn op(&self, out: Value, op: Op, args: &[Value]) -> R {
        let types = self.types(args)?;
        let found = *self.func.values.get(out.0 as usize).ok_or("no type")?;
        let arity = |n: usize| ensure(types.len() == n, || format!("{op:?} of {types:?}"));
        let wanted = match op {
            Op::Const(constant) => {
                arity(0)?;
                let fits = match constant {
                    Const::Bool(_) => found == Scalar::Bool,
                    Const::Int(_) => found.is_int(),
                    Const::Float(_) => found.is_float(),
                };
                return ensure(fits, || format!("{constant:?} as {found}"));
            }
            Op::Tid(d) => {
                arity(0)?;
                ensure((d as usize) < MAX_NDIM, || format!("tid {d}"))?;
                Scalar::I32
            }
            Op::BlockDim => {
                arity(0)?;
                Scalar::I32
            }
            Op::Shape(id, d) => {
                arity(0)?;
                let (_, ndim) = self.array(id)?;
                self.passed(id)?;
                ensure(d < ndim, || format!("shape {d} of {ndim} dimensions"))?;
                Scalar::I32
            }
            Op::Param(id, comp) => {
                arity(0)?;
                let param = self.func.params.get(id.0 as usize);
                match param.map(|p| p.ty) {
                    Some(ParamType::Elem(elem)) if (comp as usize) < elem.count() => elem.scalar(),
                    _ => return Err(format!("component {comp} of parameter {}", id.0)),
                }
            }
            Op::Present(id) => {
                arity(0)?;
                self.array(id)?;
                self.passed(id)?;
                Scalar::Bool
            }
            Op::Address(id) => {
                arity(0)?;
                self.array(id)?;
                self.passed(id)?;
                Scalar::U64
            }
            Op::Stride(id, d) => {
                arity(0)?;
                let (_, ndim) = self.array(id)?;
                self.passed(id)?;
                ensure(d < ndim, || format!("stride {d} of {ndim} dimensions"))?;
                Scalar::I64
            }
            Op::Cast => return arity(1),
            Op::Bits => {
                arity(1)?;
                let fits = types[0].bits() == found.bits()
                    && types[0] != Scalar::Bool
                    && found != Scalar::Bool;
                return ensure(fits, || format!("bits of {} as {found}", types[0]));
            }
            Op::Select => {
                arity(3)?;
                let fits = types[0] == Scalar::Bool && types[1] == types[2];
                ensure(fits, || format!("select of {types:?}"))?;
                types[1]
            }
            Op::RangeLen => {
                arity(3)?;
                let fits = types[0].is_int() && types.iter().all(|t| *t == types[0]);
                ensure(fits, || format!("rangelen of {types:?}"))?;
                types[0]
            }
            named => {
                let rule: Option<Rule> = named.rule();
                let result = rule.and_then(|rule| rule.result(&types));
                result.ok_or_else(|| format!("{op:?} of {types:?}"))?
            }
        };
        ensure(found == wanted, || {
            format!("{op:?} gives {wanted}, %{} is {found}", out.0)
        })
    }
}
