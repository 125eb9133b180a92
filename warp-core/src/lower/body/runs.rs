//! Runs of statements on the components of large composites, as vectors.
//!
//! The IR knows scalars only, so reading a large matrix is hundreds of loads in a row, and adding two of them as many
//! additions. Written out, that is text of which LLVM would first have to find out what it was. So a run of accesses to
//! neighbouring components of one element becomes a few vector operations, and arithmetic on what came of them
//! stays in vectors.

use crate::dtype::Scalar;
use crate::ir::primitive::Code;
use crate::ir::{AtomicOp, Comp, Kind, Op, Place, Stmt, Value};
use crate::lower::body::{Body, Target};
use crate::lower::emit::lane::{LONG, VECTOR, packs, pieces, vector};
use crate::lower::emit::text::{ins, line, register};
use crate::lower::lines;
use crate::span::Span;
use std::fmt::Write;

impl<'a, T: Target> Body<'a, T> {
    /// Writes statements, runs of them as vectors.
    pub(in crate::lower) fn stmts(&mut self, mut stmts: &'a [Stmt]) {
        let outside = self.span;
        while let Some((first, rest)) = stmts.split_first() {
            self.stand(first.span);
            stmts = match self.run(stmts) {
                0 => {
                    let mark = self.fetched.len();
                    first.kind.uses(|v| self.fetch(v));
                    self.stmt(first);
                    self.forget_fetched(mark);
                    rest
                }
                done => &stmts[done..],
            };
        }
        self.locate(outside);
    }

    /// What follows is of a statement that stands there.
    pub(in crate::lower) fn stand(&mut self, span: Span) {
        self.span = span;
        self.locate(span);
    }

    /// Notes for the debugger that what follows is of that place.
    pub(in crate::lower) fn locate(&mut self, span: Span) {
        if self.options.lines.is_some() {
            lines::mark(&mut self.t.code, span);
        }
    }

    /// Writes a run of statements as vectors; how many. 0: there is none.
    fn run(&mut self, stmts: &'a [Stmt]) -> usize {
        match &stmts[0].kind {
            Kind::Let { .. } => self.run_of_lets(stmts).unwrap_or(0),
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                self.run_of_accesses(place, stmts).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// One operation on all lanes of a vector.
    fn run_of_lets(&mut self, stmts: &'a [Stmt]) -> Option<usize> {
        let Kind::Let { out, op, args } = &stmts[0].kind else {
            return None;
        };
        let ty = self.ty(*out);
        let code = match op.primitive()?.float_code {
            Code::Instruction(name) => name,
            _ if *op == Op::Neg => "fneg",
            _ => return None,
        };
        let lanes = args.iter().find_map(|a| Some(self.lanes.get(a)?.lanes))?;
        if !packs(ty) || stmts.len() < lanes {
            return None;
        }
        let mut outs = Vec::with_capacity(lanes);
        let mut operands = vec![Vec::with_capacity(lanes); args.len()];
        for stmt in &stmts[..lanes] {
            match &stmt.kind {
                Kind::Let {
                    out,
                    op: same,
                    args,
                } if same == op => {
                    outs.push(*out);
                    for (all, arg) in operands.iter_mut().zip(args) {
                        all.push(*arg);
                    }
                }
                _ => return None,
            }
        }
        if operands.iter().flatten().any(|arg| outs.contains(arg)) {
            return None;
        }
        let order = operands.iter().find_map(|all| self.whole(all))?;
        let sort = |all: &[Value]| -> Vec<Value> { order.iter().map(|i| all[*i]).collect() };
        let names: Vec<String> = operands.iter().map(|all| self.pack(&sort(all))).collect();
        let v = vector(ty, lanes);
        let name = ins!(self.t, "{code} {v} {}", names.join(", "));
        self.unpack(&sort(&outs), name);
        Some(lanes)
    }

    /// Accesses to neighbouring components of one element.
    fn run_of_accesses(&mut self, place: &'a Place, stmts: &'a [Stmt]) -> Option<usize> {
        let elem = self.facts.func.param(place.array).ty.elem();
        let ty = elem.scalar();
        if !packs(ty) || elem.count() < LONG || stmts.len() < LONG {
            return None;
        }
        let mut run = Run::new(ty, place, elem.count());
        for stmt in stmts {
            if !self.belongs(&stmt.kind, &stmts[0].kind) || !run.add(&stmt.kind) {
                break;
            }
        }
        let (first, values) = run.neighbours()?;
        self.settle(Some(place.array));
        let place = Place {
            comp: Comp::Fixed(first as u32),
            ..place.clone()
        };
        let base = self.address(&place);
        match &stmts[0].kind {
            Kind::Load { .. } => {
                for (start, lanes) in pieces(ty, values.len()) {
                    let name = self.load_piece(ty, &base, start, lanes);
                    self.unpack(&values[start..start + lanes], name);
                }
            }
            Kind::Store { .. } => {
                for (start, lanes) in pieces(ty, values.len()) {
                    let name = self.pack(&values[start..start + lanes]);
                    let at = self.t.component(ty, &base, start);
                    let (v, size, notes) = (vector(ty, lanes), ty.size(), self.notes);
                    line!(self.t, "store {v} {name}, ptr {at}, align {size}{notes}");
                }
            }
            _ => self.add_run(ty, &place, &base, &values),
        }
        Some(values.len())
    }

    fn load_piece(&mut self, ty: Scalar, base: &str, start: usize, lanes: usize) -> String {
        let at = self.t.component(ty, base, start);
        let (v, size, notes) = (vector(ty, lanes), ty.size(), self.notes);
        ins!(self.t, "load {v}, ptr {at}, align {size}{notes}")
    }

    /// Whether a statement does the same as the first one of a run, and nothing but that.
    fn belongs(&self, kind: &Kind, first: &Kind) -> bool {
        match (kind, first) {
            (Kind::Load { .. }, Kind::Load { .. })
            | (Kind::Store { log: false, .. }, Kind::Store { .. }) => true,
            (
                Kind::Atomic {
                    out,
                    op: AtomicOp::Add,
                    log: false,
                    ..
                },
                Kind::Atomic { .. },
            ) => {
                !out.is_some_and(|v| self.facts.used[v.0 as usize])
                    && self.reductions.slot(kind).is_none()
            }
            _ => false,
        }
    }

    /// Adds to the components from `base` on, as [`Body::atomic`] would to each.
    fn add_run(&mut self, ty: Scalar, place: &Place, base: &str, values: &[Value]) {
        let pieces = pieces(ty, values.len());
        let packed: Vec<(usize, usize, String)> = pieces
            .into_iter()
            .map(|(start, lanes)| (start, lanes, self.pack(&values[start..start + lanes])))
            .collect();
        if self.variant.is_dense() && self.facts.is_non_atomic(place.array) {
            self.add_alone(ty, base, &packed);
        } else if self.facts.non_atomic.contains(&place.array) {
            let [alone, shared, both] = ["alone", "shared", "both"].map(|l| self.t.new_label(l));
            line!(self.t, "br i1 %overlap, label %{shared}, label %{alone}");
            self.t.start(&alone);
            self.add_alone(ty, base, &packed);
            line!(self.t, "br label %{both}");
            self.t.start(&shared);
            self.add_shared(ty, base, &packed, values.len());
            line!(self.t, "br label %{both}");
            self.t.start(&both);
        } else {
            self.add_shared(ty, base, &packed, values.len());
        }
    }

    fn add_alone(&mut self, ty: Scalar, base: &str, packed: &[(usize, usize, String)]) {
        for (start, lanes, name) in packed {
            let old = self.load_piece(ty, base, *start, *lanes);
            let v = vector(ty, *lanes);
            let new = ins!(self.t, "fadd {v} {old}, {name}");
            let at = self.t.component(ty, base, *start);
            let (size, notes) = (ty.size(), self.notes);
            line!(self.t, "store {v} {new}, ptr {at}, align {size}{notes}");
        }
    }

    /// A function adds them one after the other, from memory.
    fn add_shared(
        &mut self,
        ty: Scalar,
        base: &str,
        packed: &[(usize, usize, String)],
        count: usize,
    ) {
        let elems = self.facts.func.params.iter().map(|p| p.ty.elem());
        let bytes = elems
            .filter(|e| packs(e.scalar()))
            .map(|e| e.size())
            .max()
            .unwrap_or(0);
        let run = self.once("%run".into(), |body, name| {
            line!(body.head, "{name} = alloca [{bytes} x i8], align {VECTOR}");
        });
        for (start, lanes, name) in packed {
            let at = self.t.component(ty, &run, *start);
            line!(
                self.t,
                "store {} {name}, ptr {at}, align {}",
                vector(ty, *lanes),
                ty.size()
            );
        }
        let name = format!("w.add.run.{ty}");
        let (r, size) = (register(ty), ty.size());
        self.t.helper(
            &name,
            &format!(
                "\
define internal void @{name}(ptr %to, ptr %from, i64 %n) nounwind noinline {{
entry:
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %next, %each ]
  %x.at = getelementptr inbounds {r}, ptr %from, i64 %i
  %x = load {r}, ptr %x.at, align {size}
  %at = getelementptr inbounds {r}, ptr %to, i64 %i
  %old = atomicrmw fadd ptr %at, {r} %x monotonic, align {size}
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %each, label %done
done:
  ret void
}}
"
            ),
        );
        line!(
            self.t,
            "call void @{name}(ptr {base}, ptr {run}, i64 {count})"
        );
    }
}

/// Accesses in a row to components of one element.
struct Run<'a> {
    place: &'a Place,
    /// By component: the value that is read or written.
    values: Vec<Option<Value>>,
    count: usize,
}

impl<'a> Run<'a> {
    fn new(ty: Scalar, place: &'a Place, components: usize) -> Run<'a> {
        debug_assert!(packs(ty));
        Run {
            place,
            values: vec![None; components],
            count: 0,
        }
    }

    /// Takes a statement in, if it names another component of the same element.
    fn add(&mut self, kind: &Kind) -> bool {
        let (place, value) = match kind {
            Kind::Load { out, place } => (place, out),
            Kind::Store { place, value, .. } | Kind::Atomic { place, value, .. } => (place, value),
            _ => return false,
        };
        let same = place.array == self.place.array && place.index == self.place.index;
        let Comp::Fixed(at) = place.comp else {
            return false;
        };
        let slot = &mut self.values[at as usize];
        let fits = same && slot.is_none();
        if fits {
            *slot = Some(*value);
            self.count += 1;
        }
        fits
    }

    /// The first component and the values from there on, if the run is long and leaves none out.
    fn neighbours(self) -> Option<(usize, Vec<Value>)> {
        let first = self.values.iter().position(Option::is_some)?;
        let values: Vec<Value> = self.values[first..].iter().map_while(|v| *v).collect();
        (values.len() >= LONG && values.len() == self.count).then_some((first, values))
    }
}
