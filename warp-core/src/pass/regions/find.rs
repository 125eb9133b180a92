//! Finding the indices of accesses in a kernel.

use super::{Accesses, How, Node, Place, Regions};
use crate::dtype::Scalar;
use crate::ir::{self, Block, Const, Func, Kind, Op, ParamType, Value};
use crate::ty::MAX_NDIM;
use std::collections::HashMap;

/// The most expressions of a kernel; indices beyond are not followed.
const MOST: usize = 96;
/// The most accesses to an array that are distinguished.
const ACCESSES: usize = 12;
/// The most definitions that an index goes through.
const DEPTH: u32 = 16;

/// How a value comes about, as far as it may be an index.
#[derive(Clone, Copy)]
enum Def<'a> {
    Let(Op, &'a [Value]),
    Loop([Value; 3]),
    Either(Value, Value),
    Other,
}

impl Regions {
    /// The indices of a kernel, of which there are several forms. What only an adjoint does, in a derivative that an author wrote,
    /// is counted in.
    pub fn of(forms: &[&Func]) -> Regions {
        let mut found = Found::default();
        let mut pointer_based = false;
        for func in forms {
            let mut defs = vec![Def::Other; func.values.len()];
            func.blocks().for_each(|block| define(block, &mut defs));
            let mut search = Search {
                func,
                defs,
                known: HashMap::new(),
                found: &mut found,
            };
            func.blocks().for_each(|block| search.block(block));
            // What addresses in memory lead to may be any array.
            let mut params = func.params.iter();
            pointer_based |= params.any(|p| matches!(p.ty, ParamType::PointerBased { .. }));
        }
        let is_known = |a: &Accesses| {
            let mut places = a.loads.iter().chain(&a.stores);
            !a.any && places.any(|place| place.iter().any(Option::is_some))
        };
        Regions {
            unknown: pointer_based || !found.accesses.iter().any(is_known),
            nodes: found.nodes,
            accesses: found.accesses,
        }
    }
}

/// What was found of a kernel's forms.
#[derive(Default)]
struct Found {
    nodes: Vec<(How, Scalar)>,
    /// Equal expressions are one.
    numbers: HashMap<(How, Scalar), Node>,
    accesses: Vec<Accesses>,
}

impl Found {
    fn accesses(&mut self, at: usize) -> &mut Accesses {
        if self.accesses.len() <= at {
            self.accesses.resize_with(at + 1, Accesses::default);
        }
        &mut self.accesses[at]
    }

    fn number(&mut self, how: How, ty: Scalar) -> Option<Node> {
        if let Some(known) = self.numbers.get(&(how, ty)) {
            return Some(*known);
        }
        if self.nodes.len() == MOST {
            return None;
        }
        let next = self.nodes.len() as Node;
        self.nodes.push((how, ty));
        self.numbers.insert((how, ty), next);
        Some(next)
    }
}

fn define<'a>(block: &'a Block, defs: &mut [Def<'a>]) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Let { out, op, args } => defs[out.0 as usize] = Def::Let(*op, args),
            Kind::For {
                start,
                stop,
                step,
                body,
                ..
            } => defs[body.params[0].0 as usize] = Def::Loop([*start, *stop, *step]),
            Kind::If {
                then, els, outs, ..
            } => {
                for (k, out) in outs.iter().enumerate() {
                    defs[out.0 as usize] = Def::Either(then.results[k], els.results[k]);
                }
            }
            _ => {}
        }
        for inner in stmt.kind.blocks() {
            define(inner, defs);
        }
    }
}

struct Search<'a> {
    func: &'a Func,
    defs: Vec<Def<'a>>,
    /// What was found of a value, and with how many definitions to go.
    known: HashMap<Value, (Option<Node>, u32)>,
    found: &'a mut Found,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Load { place, .. } => self.access(place, true, false),
                Kind::Store { place, .. } => self.access(place, false, true),
                Kind::Atomic { place, .. } => self.access(place, true, true),
                // What is done by address is not known.
                Kind::Let {
                    op: Op::Address(id),
                    ..
                } => self.found.accesses(id.0 as usize).any = true,
                kind => kind.blocks().into_iter().for_each(|b| self.block(b)),
            }
        }
    }

    fn access(&mut self, place: &ir::Place, loads: bool, stores: bool) {
        let at = place.array.0 as usize;
        let ParamType::Array { ndim, .. } = self.func.params[at].ty else {
            return;
        };
        let mut found: Place = [None; MAX_NDIM];
        let indices = place.index.iter().take(ndim.into());
        for (found, index) in found.iter_mut().zip(indices) {
            *found = self.node(*index, DEPTH);
        }
        let accesses = self.found.accesses(at);
        let lists = [(loads, &mut accesses.loads), (stores, &mut accesses.stores)];
        for (is, list) in lists {
            if is && !list.contains(&found) {
                accesses.any |= list.len() == ACCESSES;
                list.push(found);
            }
        }
    }

    /// The expression of a value; None if there is none.
    fn node(&mut self, value: Value, depth: u32) -> Option<Node> {
        match self.known.get(&value) {
            Some((found @ Some(_), _)) => return *found,
            // With no more to go, no more is found.
            Some((None, before)) if *before >= depth => return None,
            _ => {}
        }
        let found = self.expression(value, depth);
        self.known.insert(value, (found, depth));
        found
    }

    fn expression(&mut self, value: Value, depth: u32) -> Option<Node> {
        let ty = self.func.ty(value);
        let depth = depth.checked_sub(1).filter(|_| ty.is_int())?;
        let def = self.defs[value.0 as usize];
        let mut of = |value: &Value| self.node(*value, depth);
        let how = match def {
            Def::Let(op, args) => match (op, args) {
                (Op::Const(Const::Int(n)), _) => How::Known(n),
                (Op::Tid(dim), _) => How::Thread(dim),
                (Op::Shape(array, dim), _) => match self.func.params[array.0 as usize].ty {
                    ParamType::Array { .. } => How::Extent(array, dim),
                    _ => return None,
                },
                (Op::Param(param, component), _) => How::Value(param, component),
                (Op::Add, [a, b]) => How::Add(of(a)?, of(b)?),
                (Op::Sub, [a, b]) => How::Subtract(of(a)?, of(b)?),
                (Op::Mul, [a, b]) => How::Multiply(of(a)?, of(b)?),
                (Op::Neg, [a]) => How::Negate(of(a)?),
                (Op::Div | Op::FloorDiv, [a, b]) => How::Divide(of(a)?, of(b)?),
                (Op::Mod, [a, b]) => How::Rest(of(a)?, of(b)?),
                (Op::Min, [a, b]) => How::Least(of(a)?, of(b)?),
                (Op::Max, [a, b]) => How::Greatest(of(a)?, of(b)?),
                (Op::Select, [_, a, b]) => How::Either(of(a)?, of(b)?),
                (Op::Cast, [a]) => How::Cast(of(a)?),
                _ => return None,
            },
            Def::Loop([start, stop, step]) => How::Loop(of(&start)?, of(&stop)?, of(&step)?),
            Def::Either(a, b) => How::Either(of(&a)?, of(&b)?),
            Def::Other => return None,
        };
        self.found.number(how, ty)
    }
}
