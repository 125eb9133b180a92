//! Along which launch dimensions a launch may be cut into several, each on its part of the arrays, without any thread
//! seeing a difference: how sharded arrays stay where they are.
//!
//! A thread may use its index only to index, each dimension of an array is indexed by one and the same launch dimension
//! or by none, and whatever is written is written at the thread's own place. Elementwise kernels are so in every
//! dimension, a product of matrices in none but its rows and columns.

use crate::ir::{Block, Func, Kind, Op, ParamId, ParamType, Place, Value};
use std::collections::HashMap;

/// For each dimension of an array the launch dimension along which it is cut.
pub type Cut = Vec<Option<u8>>;

/// How arrays are cut: one entry per parameter, empty for values. Nothing is done with the parameters marked in `absent`.
pub fn cuts(func: &Func, absent: &[bool]) -> Vec<Cut> {
    let ndim = |ty| match ty {
        ParamType::Array { ndim, .. } => usize::from(ndim),
        ParamType::Elem(_)
        | ParamType::Local { .. }
        | ParamType::Shared { .. }
        | ParamType::Gradient { .. }
        | ParamType::PointerBased { .. } => 0,
    };
    let dims = func.params.iter().map(|p| vec![Use::Never; ndim(p.ty)]);
    let mut walk = Walk {
        tids: HashMap::new(),
        spoiled: 0,
        uses: dims.collect(),
        extents: Vec::new(),
        written: vec![false; func.params.len()],
        absent,
    };
    func.blocks().for_each(|block| walk.block(block));
    walk.cuts()
}

/// What indexes a dimension of an array.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Nothing.
    Never,
    /// Always this thread index.
    Tid(u8),
    /// Anything else.
    Other,
}

struct Walk<'a> {
    /// Values that are thread indices.
    tids: HashMap<Value, u8>,
    /// Launch dimensions, as bits, whose index is used for more than indexing.
    spoiled: u32,
    uses: Vec<Vec<Use>>,
    /// Dimensions of arrays whose extent is asked for.
    extents: Vec<(ParamId, u8)>,
    written: Vec<bool>,
    absent: &'a [bool],
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
            for inner in stmt.kind.blocks() {
                self.block(inner);
            }
        }
        block.results.iter().for_each(|v| self.spoil(*v));
    }

    fn stmt(&mut self, kind: &Kind) {
        match kind {
            Kind::Let { out, op, args } => match op {
                Op::Tid(d) => {
                    self.tids.insert(*out, *d);
                }
                Op::Shape(param, d) => self.extents.push((*param, *d)),
                _ => args.iter().for_each(|v| self.spoil(*v)),
            },
            Kind::Load { place, .. } => self.place(place),
            Kind::Store { place, value, .. } | Kind::Atomic { place, value, .. } => {
                self.place(place);
                self.spoil(*value);
                if let Kind::Atomic { op, .. } = kind {
                    op.compare().into_iter().for_each(|v| self.spoil(v));
                }
                let passed = !self.uses[place.array.0 as usize].is_empty();
                self.written[place.array.0 as usize] |= passed && self.is_there(place);
            }
            kind => kind.uses(|v| self.spoil(v)),
        }
    }

    fn is_there(&self, place: &Place) -> bool {
        !self.absent.get(place.array.0 as usize).is_some_and(|a| *a)
    }

    fn place(&mut self, place: &Place) {
        if !self.is_there(place) {
            return;
        }
        // A local array is no part of what is cut.
        if self.uses[place.array.0 as usize].is_empty() {
            place.index.iter().for_each(|v| self.spoil(*v));
            return;
        }
        for (d, index) in place.index.iter().enumerate() {
            let now = match self.tids.get(index) {
                Some(tid) => Use::Tid(*tid),
                None => Use::Other,
            };
            let before = &mut self.uses[place.array.0 as usize][d];
            match *before {
                Use::Never => *before = now,
                same if same == now => {}
                other => {
                    // Some threads would look for their own element in another part.
                    *before = Use::Other;
                    self.spoil_dim(other);
                    self.spoil_dim(now);
                }
            }
        }
        if let crate::ir::Comp::At(value) = place.comp {
            self.spoil(value);
        }
    }

    fn spoil(&mut self, value: Value) {
        if let Some(d) = self.tids.get(&value) {
            self.spoiled |= 1 << d;
        }
    }

    fn spoil_dim(&mut self, used: Use) {
        if let Use::Tid(d) = used {
            self.spoiled |= 1 << d;
        }
    }

    fn cuts(mut self) -> Vec<Cut> {
        for (param, d) in std::mem::take(&mut self.extents) {
            self.spoil_dim(self.uses[param.0 as usize][usize::from(d)]);
        }
        for (uses, written) in self.uses.clone().iter().zip(self.written.clone()) {
            let mut by = 0u32;
            for used in uses {
                let Use::Tid(d) = *used else { continue };
                // The diagonal of an array has no parts that are arrays.
                if by & 1 << d != 0 {
                    self.spoil_dim(*used);
                }
                by |= 1 << d;
            }
            if written {
                self.spoiled |= !by;
            }
        }
        let cut = |used: Use| match used {
            Use::Tid(d) if self.spoiled & 1 << d == 0 => Some(d),
            _ => None,
        };
        let arrays = self.uses.iter();
        arrays
            .map(|uses| uses.iter().map(|u| cut(*u)).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::cuts;

    fn of(params: &str, body: &str) -> Vec<Vec<Option<u8>>> {
        let text =
            format!("kernel k({params}) {{\n  %0:int32 = tid 0\n  %1:int32 = tid 1\n{body}}}\n");
        cuts(&crate::ir::read(&text).expect("reads"), &[])
    }

    const TWO: &str = "x: array<float32, 2>, y: array<float32, 2>";

    #[test]
    fn elementwise() {
        let both = vec![vec![Some(0), Some(1)]; 2];
        let body = "  %2:float32 = load x[%0, %1]\n  store y[%0, %1], %2\n";
        assert_eq!(of(TWO, body), both);
        let turned = "  %2:float32 = load x[%1, %0]\n  store y[%0, %1], %2\n";
        assert_eq!(of(TWO, turned)[0], [Some(1), Some(0)]);
    }

    #[test]
    fn rows_of_a_product() {
        let params = "x: array<float32, 2>, z: array<float32, 1>, y: array<float32, 2>, n: int32";
        let body = "  %2:int32 = param n 0\n  %3:float32 = load x[%0, %2]\n  %4:float32 = load z[%1]\n  \
                    store y[%0, %1], %3\n";
        let want = [
            vec![Some(0), None],
            vec![Some(1)],
            vec![Some(0), Some(1)],
            vec![],
        ];
        assert_eq!(of(params, body), want);
    }

    #[test]
    fn what_sees_its_place_is_not_cut() {
        let none = vec![vec![None, Some(1)]; 2];
        for body in [
            // The index as a number, an index that is computed, an extent.
            "  %2:float32 = cast %0\n  store y[%0, %1], %2\n",
            "  %2:int32 = add %0, %0\n  %3:float32 = load x[%2, %1]\n  store y[%0, %1], %3\n",
            "  %2:int32 = shape y 0\n  %3:float32 = load x[%0, %1]\n  store y[%0, %1], %3\n",
        ] {
            assert_eq!(of(TWO, body)[1], none[1], "{body}");
        }
        // A neighbour in the same column.
        let body = "  %2:int32 = const 0\n  %3:float32 = load x[%0, %1]\n  %4:float32 = load x[%2, %1]\n  \
                    store y[%0, %1], %4\n";
        assert_eq!(of(TWO, body), none);
    }

    #[test]
    fn what_is_written_together_is_not_cut() {
        let params = "x: array<float32, 2>, y: array<float32, 1>";
        let body = "  %2:float32 = load x[%0, %1]\n  atomic add y[%0], %2\n";
        assert_eq!(of(params, body), [vec![Some(0), None], vec![Some(0)]]);
        let body = "  %2:float32 = load x[%0, %0]\n  store y[%0], %2\n";
        assert_eq!(of(params, body), [vec![None, None], vec![None]]);
    }

    #[test]
    fn what_is_absent_is_not_written() {
        let text = "\
kernel k(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 0
  %2:float32 = load x[%0]
  atomic add y[%1], %2
}
";
        let func = crate::ir::read(text).expect("reads");
        assert_eq!(cuts(&func, &[])[0], [None]);
        assert_eq!(cuts(&func, &[false, true]), [[Some(0)], [None]]);
    }

    #[test]
    fn an_index_that_leaves_a_branch_is_a_number() {
        let body = "  %2:bool = const true\n  if %2 -> (%3:int32) {\n    yield %0\n  } else {\n    yield %1\n  }\n  \
                    %4:float32 = load x[%3, %1]\n  store y[%0, %1], %4\n";
        let made = of(TWO, body);
        assert_eq!(made, vec![vec![None, None]; 2]);
    }
}
