//! Which arrays a function reads, writes and changes: the launch refuses a read-only array that
//! is written, the tape records what is.

use crate::ir::{Block, Func, Intrinsic, Kind, Op};

/// What a function does with one parameter. All false for what it never touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// An element is read, or the parameter's own value.
    pub loads: bool,
    /// An element is overwritten.
    pub stores: bool,
    /// An element is changed atomically.
    pub atomics: bool,
    /// An element is changed by a derivative that its author wrote: while a gradient runs.
    pub backward: bool,
}

impl Access {
    /// Whether memory is changed.
    pub const fn writes(self) -> bool {
        self.stores || self.atomics
    }
}

/// One entry per parameter, in order.
pub fn of(func: &Func) -> Vec<Access> {
    let mut out = vec![Access::default(); func.params.len()];
    func.blocks().for_each(|block| visit(block, &mut out));
    out
}

/// Whether a function prints.
pub fn prints(func: &Func) -> bool {
    func.any(&|kind| matches!(kind.intrinsic(), Some(Intrinsic::Print(_))))
}

/// Whether a function queries objects.
pub fn queries(func: &Func) -> bool {
    func.any(&|kind| matches!(kind.intrinsic(), Some(Intrinsic::Object(_))))
}

/// Whether threads of the function write down values to take them up again later, for which a launch on a GPU makes memory.
pub fn records(func: &Func) -> bool {
    func.any(&|kind| match kind {
        Kind::Store { log, .. } | Kind::Atomic { log, .. } => *log,
        kind => matches!(kind.intrinsic(), Some(Intrinsic::Record(_))),
    })
}

fn visit(block: &Block, out: &mut [Access]) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Load { place, .. } => out[place.array.0 as usize].loads = true,
            Kind::Store { place, .. } => out[place.array.0 as usize].stores = true,
            Kind::Atomic {
                place, out: old, ..
            } => {
                let access = &mut out[place.array.0 as usize];
                access.atomics = true;
                access.loads |= old.is_some();
            }
            Kind::Let {
                op: Op::Param(id, _),
                ..
            } => out[id.0 as usize].loads = true,
            kind => kind.blocks_run().into_iter().for_each(|b| visit(b, out)),
        }
        if let Kind::Custom { rules, .. } = &stmt.kind
            && let Some(reverse) = &rules.reverse
        {
            let mut inside = vec![Access::default(); out.len()];
            visit(reverse, &mut inside);
            for (access, inside) in out.iter_mut().zip(inside) {
                access.backward |= inside.writes() || inside.backward;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, of, prints};

    #[test]
    fn each_way_of_touching_is_told_apart() {
        let text = "\
kernel k(x: array<float32, 1>, y: array<float32, 1>, z: array<int32, 1>, u: array<int32, 1>, n: int32) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:bool = lt %0, %1
  if %2 -> () {
    %3:float32 = load x[%0]
    store y[%0], %3
    yield 
  } else {
    %4:int32 = atomic add z[%0], %1
    yield 
  }
}
";
        let read = crate::ir::read(text).expect("reads");
        let [loads, stores, atomics] = [
            [true, false, false],
            [false, true, false],
            [true, false, true],
        ]
        .map(|[loads, stores, atomics]| Access {
            loads,
            stores,
            atomics,
            backward: false,
        });
        assert!(!prints(&read));
        let text = text.replace("    store y", "    print \"%d\" %0\n    store y");
        assert!(prints(&crate::ir::read(&text).expect("reads")));
        assert_eq!(
            of(&read),
            [loads, stores, atomics, Access::default(), loads]
        );
    }
}
