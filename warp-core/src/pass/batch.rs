//! Makes of a kernel one that does the same for every item of a batch, in one launch.

use crate::dtype::Scalar;
use crate::ir::{Block, Func, Kind, Op, ParamId, ParamType, Place, Stmt, Value};
use crate::pass::inline::inline_all;
use crate::span::Span;
use crate::ty::MAX_NDIM;

/// The launch and the arrays marked in `arrays` get a dimension in front, the item of the batch; the
/// other arrays are shared by all items. None if that makes more dimensions than there can be.
pub fn batch(func: &Func, arrays: &[bool]) -> Option<Func> {
    let mut out = func.clone();
    inline_all(&mut out);
    let batched: Vec<bool> = (0..out.params.len())
        .map(|i| {
            let id = ParamId(i as u32);
            let array = func.gradient_of(id).unwrap_or(id);
            arrays.get(array.0 as usize).is_some_and(|b| *b)
        })
        .collect();
    for (param, batched) in out.params.iter_mut().zip(&batched) {
        if let ParamType::Array { ndim, .. } | ParamType::Gradient { ndim, .. } = &mut param.ty
            && *batched
        {
            *ndim = (usize::from(*ndim) < MAX_NDIM).then_some(*ndim + 1)?;
        }
    }
    let item = Value(out.values.len() as u32);
    out.values.push(Scalar::I32);
    let mut pass = Pass {
        arrays: &batched,
        item,
        values: std::mem::take(&mut out.values),
    };
    let mut body = std::mem::take(&mut out.body);
    pass.block(&mut body)?;
    out.values = pass.values;
    let op = Op::Tid(0);
    let kind = Kind::Let {
        out: item,
        op,
        args: Default::default(),
    };
    body.stmts.insert(
        0,
        Stmt {
            kind,
            span: Span::default(),
        },
    );
    out.body = body;
    super::renumber(&mut out);
    Some(out)
}

struct Pass<'a> {
    arrays: &'a [bool],
    item: Value,
    values: Vec<Scalar>,
}

impl Pass<'_> {
    fn batched(&self, id: ParamId) -> bool {
        self.arrays.get(id.0 as usize).is_some_and(|b| *b)
    }

    fn place(&self, place: &mut Place) {
        if self.batched(place.array) {
            place.index.insert(0, self.item);
        }
    }

    fn fresh(&mut self, ty: Scalar) -> Value {
        self.values.push(ty);
        Value(self.values.len() as u32 - 1)
    }

    /// The address of an item of a batched array, as `out`.
    fn address_of_item(&mut self, id: ParamId, out: Value) -> [Kind; 6] {
        let [start, bytes] = [(); 2].map(|()| self.fresh(Scalar::U64));
        let [item, stride, along] = [(); 3].map(|()| self.fresh(Scalar::I64));
        let let_ = |out, op, args: &[Value]| Kind::Let {
            out,
            op,
            args: args.iter().copied().collect(),
        };
        [
            let_(start, Op::Address(id), &[]),
            let_(stride, Op::Stride(id, 0), &[]),
            let_(item, Op::Cast, &[self.item]),
            let_(along, Op::Mul, &[item, stride]),
            let_(bytes, Op::Cast, &[along]),
            let_(out, Op::Add, &[start, bytes]),
        ]
    }

    fn block(&mut self, block: &mut Block) -> Option<()> {
        for stmt in &mut block.stmts {
            match &mut stmt.kind {
                Kind::Let { op: Op::Tid(d), .. } => {
                    *d = (usize::from(*d) + 1 < MAX_NDIM).then_some(*d + 1)?;
                }
                Kind::Let {
                    op: Op::Shape(id, d) | Op::Stride(id, d),
                    ..
                } if self.batched(*id) => *d += 1,
                Kind::Load { place, .. }
                | Kind::Store { place, .. }
                | Kind::Atomic { place, .. } => self.place(place),
                _ => {}
            }
            for inner in stmt.kind.blocks_mut() {
                self.block(inner)?;
            }
        }
        // Strides that come in now are those of the batch itself.
        let mut at = 0;
        while let Some(stmt) = block.stmts.get(at) {
            if let Kind::Let {
                out,
                op: Op::Address(id),
                ..
            } = stmt.kind
                && self.batched(id)
            {
                let span = stmt.span;
                let each = self.address_of_item(id, out);
                let each = each.map(|kind| Stmt { kind, span });
                at += each.len();
                block.stmts.splice(at - each.len()..=at - each.len(), each);
            } else {
                at += 1;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::batch;
    use crate::ir::read;

    const TEXT: &str = "\
kernel k(x: array<float32, 1>, t: array<float32, 2>, n: int32, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:int32 = shape y 0
  %2:bool = lt %0, %1
  if %2 -> () {
    %3:float32 = load x[%0]
    %4:float32 = load t[%0, %1]
    %5:float32 = mul %3, %4
    store y[%0], %5
    yield 
  } else {
    yield 
  }
}
";

    #[test]
    fn launch_and_marked_arrays_get_a_dimension() {
        let func = read(TEXT).expect("reads");
        let out = batch(&func, &[true, false, false, true]).expect("fits");
        crate::verify::check(&out).expect("is right");
        let want = "\
kernel k(x: array<float32, 2>, t: array<float32, 2>, n: int32, y: array<float32, 2>) {
  %0:int32 = tid 0
  %1:int32 = tid 1
  %2:int32 = shape y 1
  %3:bool = lt %1, %2
  if %3 -> () {
    %4:float32 = load x[%0, %1]
    %5:float32 = load t[%1, %2]
    %6:float32 = mul %4, %5
    store y[%0, %1], %6
    yield 
  } else {
    yield 
  }
}
";
        assert_eq!(out.to_string(), want);
    }

    #[test]
    fn more_than_four_dimensions_are_none() {
        let func = read(&TEXT.replace("tid 0", "tid 3")).expect("reads");
        assert!(batch(&func, &[true, false, false, true]).is_none());
        let func = read("kernel k(x: array<float32, 4>) {\n}\n").expect("reads");
        assert!(batch(&func, &[true]).is_none());
        assert!(batch(&func, &[false]).is_some());
    }
}
