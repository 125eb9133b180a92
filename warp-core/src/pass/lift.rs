//! Makes of values that a kernel is passed arrays of one element: these have gradients, and may differ between the items
//! of a batch.

use crate::dtype::Scalar;
use crate::ir::{Block, Comp, Const, Func, Kind, Op, ParamId, ParamType, Place, Stmt, Value};
use crate::pass::inline::inline_all;
use crate::span::Span;

/// Each parameter marked in `values` becomes an array in one dimension, whose first element is the value.
pub fn lift(func: &Func, values: &[bool]) -> Func {
    let mut out = func.clone();
    inline_all(&mut out);
    for (param, marked) in out.params.iter_mut().zip(values) {
        if let ParamType::Elem(elem) = param.ty
            && *marked
        {
            param.ty = ParamType::Array { elem, ndim: 1 };
        }
    }
    let first = Value(out.values.len() as u32);
    out.values.push(Scalar::I32);
    let marked = |id: ParamId| values.get(id.0 as usize).is_some_and(|m| *m);
    let is_lifted = |id| marked(id) && matches!(func.params[id.0 as usize].ty, ParamType::Elem(_));
    let mut body = std::mem::take(&mut out.body);
    block(&mut body, first, &is_lifted);
    let kind = Kind::Let {
        out: first,
        op: Op::Const(Const::Int(0)),
        args: Default::default(),
    };
    let span = Span::default();
    body.stmts.insert(0, Stmt { kind, span });
    out.body = body;
    super::renumber(&mut out);
    out
}

fn block(b: &mut Block, first: Value, is_lifted: &dyn Fn(ParamId) -> bool) {
    for stmt in &mut b.stmts {
        if let Kind::Let {
            out,
            op: Op::Param(array, component),
            ..
        } = stmt.kind
            && is_lifted(array)
        {
            let place = Place {
                array,
                index: smallvec::smallvec![first],
                comp: Comp::Fixed(component),
            };
            stmt.kind = Kind::Load { out, place };
        }
        for inner in stmt.kind.blocks_mut() {
            block(inner, first, is_lifted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lift;
    use crate::ir::read;

    #[test]
    fn a_marked_value_is_loaded() {
        let text = "\
kernel k(s: float32, v: vec<2, float32>, n: int32, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = param s 0
  %2:float32 = param v 1
  %3:float32 = mul %1, %2
  store y[%0], %3
}
";
        let func = read(text).expect("reads");
        let out = lift(&func, &[false, true, false, true]);
        crate::verify::check(&out).expect("is right");
        let want = "\
kernel k(s: float32, v: array<vec<2, float32>, 1>, n: int32, y: array<float32, 1>) {
  %0:int32 = const 0
  %1:int32 = tid 0
  %2:float32 = param s 0
  %3:float32 = load v[%0].1
  %4:float32 = mul %2, %3
  store y[%1], %4
}
";
        assert_eq!(out.to_string(), want);
    }
}
