//! Puts the bodies of calls with derivatives of their own in their places: what runs knows of no such derivative.

use crate::ir::{Block, Func, Kind, Op, ParamId, ParamType, Place, Stmt, Value};
use crate::pass::renumber;
use std::collections::HashMap;

/// Whether a function has calls with derivatives of their own.
pub fn has_customs(func: &Func) -> bool {
    func.any(&|kind| matches!(kind, Kind::Custom { .. }))
}

/// Puts bodies in the places of their calls. Gradients are no parameters any more.
pub fn splice(func: &mut Func) {
    let mut same = HashMap::new();
    (func.blocks_mut()).for_each(|body| block(body, &mut same));
    let mut to = Vec::with_capacity(func.params.len());
    let mut kept = 0;
    for param in &func.params {
        to.push(ParamId(kept));
        kept += u32::from(!is_gradient(param.ty));
    }
    if (kept as usize) < func.params.len() {
        func.params.retain(|p| !is_gradient(p.ty));
        (func.blocks_mut()).for_each(|body| rename(body, &to));
    }
    renumber(func);
}

fn is_gradient(ty: ParamType) -> bool {
    matches!(ty, ParamType::Gradient { .. })
}

/// `same`: what stands for parameters and results of calls.
fn block(block_: &mut Block, same: &mut HashMap<Value, Value>) {
    let mut stmts = Vec::with_capacity(block_.stmts.len());
    for mut stmt in std::mem::take(&mut block_.stmts) {
        stmt.kind.uses_mut(|v| apply(v, same));
        match &mut stmt.kind {
            Kind::Custom {
                ins, body, outs, ..
            } => {
                same.extend(body.params.iter().copied().zip(ins.iter().copied()));
                block(body, same);
                stmts.append(&mut body.stmts);
                same.extend(outs.iter().copied().zip(body.results.iter().copied()));
            }
            kind => {
                for inner in kind.blocks_mut() {
                    block(inner, same);
                }
                stmts.push(stmt);
            }
        }
    }
    block_.stmts = stmts;
    block_.results.iter_mut().for_each(|r| apply(r, same));
}

fn apply(value: &mut Value, same: &HashMap<Value, Value>) {
    if let Some(known) = same.get(value) {
        *value = *known;
    }
}

fn rename(block: &mut Block, to: &[ParamId]) {
    let rename_place = |place: &mut Place| place.array = to[place.array.0 as usize];
    for Stmt { kind, .. } in &mut block.stmts {
        match kind {
            Kind::Let {
                op:
                    Op::Shape(id, _)
                    | Op::Present(id)
                    | Op::Param(id, _)
                    | Op::Address(id)
                    | Op::Stride(id, _),
                ..
            } => *id = to[id.0 as usize],
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                rename_place(place);
            }
            _ => {}
        }
        for inner in kind.blocks_mut() {
            rename(inner, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{has_customs, splice};
    use crate::ir::read;

    #[test]
    fn bodies_stand_in_the_places_of_calls() {
        let text = "\
kernel k(x: array<float32, 1>, g: gradient<x>, l: local<float32, 2>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  custom with (%2:float32 = %1) -> (%3:float32) {
    custom with (%4:float32 = %2) -> (%5:float32) {
      %6:float32 = sin %4
      yield %6
    } replay (%7:float32) {
      yield %7
    }
    store l[%0], %5
    yield %5
  } reverse (%8:float32, %9:float32) {
    atomic add g[%0], %9
    yield %9
  }
  store x[%0], %3
}
";
        let mut func = read(text).expect("reads");
        assert_eq!(func.to_string(), text);
        crate::verify::check(&func).expect("is right");
        assert!(has_customs(&func));
        splice(&mut func);
        crate::verify::check(&func).expect("still valid");
        let want = "\
kernel k(x: array<float32, 1>, l: local<float32, 2>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = sin %1
  store l[%0], %2
  store x[%0], %2
}
";
        assert_eq!(func.to_string(), want);
    }
}
