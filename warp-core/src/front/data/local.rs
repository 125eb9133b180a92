//! Local arrays: `wp.zeros(shape, dtype)` is an array that a thread has for itself. Assigning one to a name copies it.

use crate::builtins::{Axis, Tree, View};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Comp, Const, ParamId, ParamType, Place, Values};
use crate::span::Span;
use crate::ty::{Elem, Leaf, MAX_NDIM, Type};
use ruff_python_ast::{Arguments, Expr};

/// More bytes than this are no array for a thread's stack.
const MAX_BYTES: usize = 1 << 16;
/// Nor are more in all local arrays of a kernel.
const MAX_ALL: usize = 1 << 18;

impl Walk<'_> {
    /// `wp.zeros(shape, dtype)`
    pub fn zeros_call(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let given = self.arguments(args, None)?;
        let (mut shape, mut dtype) = (None, None);
        for (n, arg) in given.into_iter().enumerate() {
            let slot = match (arg.name, n) {
                (None, 0) | (Some("shape"), _) => &mut shape,
                (None, 1) | (Some("dtype"), _) => &mut dtype,
                (Some(name), _) => {
                    let what = format!("`zeros` has no parameter `{name}` in kernels");
                    return Err(Error::at(Code::Argument, arg.span, what).hint(SIGNATURE));
                }
                (None, _) => {
                    let what = "`zeros` takes a shape and a dtype in kernels";
                    return Err(Error::at(Code::Argument, arg.span, what).hint(SIGNATURE));
                }
            };
            if slot.replace((arg.tree, arg.span)).is_some() {
                let what = "`zeros` got an argument twice";
                return Err(Error::at(Code::Argument, arg.span, what).hint(SIGNATURE));
            }
        }
        let Some((shape, shape_at)) = shape else {
            let what = "`zeros` is called without its argument `shape`";
            return Err(Error::at(Code::Argument, at, what).hint(SIGNATURE));
        };
        let elem = match dtype {
            None => Elem::Scalar(Scalar::F32),
            Some((Tree::Type(Type::Elem(elem)), at)) => {
                crate::builtins::check_size(elem, at)?;
                elem
            }
            Some((Tree::Type(Type::Struct(s)), at)) => {
                self.check_type(
                    &Type::Array {
                        elem: Elem::Struct(s),
                        ndim: 1,
                    },
                    at,
                )?;
                let leaf = s
                    .stored()
                    .iter()
                    .find(|leaf| !matches!(leaf.ty, Type::Elem(_)));
                if let Some(leaf) = leaf {
                    let what = format!("a local array of {s}, whose `{}` is an array", leaf.path);
                    return Err(Error::at(Code::Type, at, what).hint(
                        "local arrays hold structs of scalars, vectors, matrices and structs",
                    ));
                }
                Elem::Struct(s)
            }
            Some((other, at)) => {
                let what = format!(
                    "a local array holds scalars, vectors, matrices, quaternions, transforms or structs, not {}",
                    crate::builtins::describe(&other)
                );
                return Err(Error::at(Code::Type, at, what).hint(SIGNATURE));
            }
        };
        let shape = self.local_shape(&shape, shape_at)?;
        self.b.span = at;
        let leaves = self.local_leaves(elem, &shape, at)?;
        for (id, _) in &leaves {
            self.b.clear(*id);
        }
        Ok(Tree::Array(View::whole(
            leaves[0].0,
            elem,
            shape.len() as u8,
        )))
    }

    /// An array that is none: without elements, and false where a kernel asks. None of structs that hold arrays.
    pub fn no_array(&mut self, elem: Elem, ndim: u8) -> Option<View> {
        if matches!(elem, Elem::Struct(s) if !s.is_plain()) {
            return None;
        }
        let shape = [1; MAX_NDIM];
        let leaves = self.local_leaves(elem, &shape[..ndim as usize], Span::default());
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let first = leaves.ok()?[0].0;
        self.absent.insert(first);
        let mut view = View::whole(first, elem, ndim);
        view.candidates[0].axes.fill(Axis::Part {
            start: zero,
            step: one,
            len: zero,
        });
        Some(view)
    }

    /// A local array that holds nothing yet: one for each leaf of a struct, in a row, as parameters lie.
    fn local_leaves(
        &mut self,
        elem: Elem,
        shape: &[u32],
        at: Span,
    ) -> Result<Vec<(ParamId, Elem)>> {
        let elems = match elem {
            Elem::Struct(s) => s.stored().iter().map(Leaf::stored_as).collect(),
            elem => vec![elem],
        };
        let each = |elem: Elem| Ok((self.local_memory(elem, shape, at)?, elem));
        elems.into_iter().map(each).collect()
    }

    /// Extents that are known when compiling.
    pub fn local_shape(&self, shape: &Tree, at: Span) -> Result<Vec<u32>> {
        let items = match shape {
            Tree::Tuple(items) => items.to_vec(),
            one => vec![one.clone()],
        };
        let mut extents = Vec::with_capacity(items.len());
        for item in &items {
            let known = match item {
                Tree::Elem(x) => x.as_scalar().and_then(|v| self.b.as_const(v)),
                _ => None,
            };
            let Some(Const::Int(n)) = known else {
                let what = "the shape of a local array must be known when compiling";
                return Err(Error::at(Code::Value, at, what)
                    .hint("literals, constants or `wp.static(...)`: every thread has such an array on its stack"));
            };
            match u32::try_from(n) {
                Ok(n) if n > 0 => extents.push(n),
                _ => {
                    let what = format!("a local array has an extent of {n}, expected at least 1");
                    return Err(Error::at(Code::Value, at, what));
                }
            }
        }
        if extents.is_empty() || extents.len() > MAX_NDIM {
            let what = format!(
                "an array has 1 to {MAX_NDIM} dimensions, not {}",
                extents.len()
            );
            return Err(Error::at(Code::Value, at, what));
        }
        Ok(extents)
    }

    /// A local array that holds nothing yet.
    fn local_memory(&mut self, elem: Elem, shape: &[u32], at: Span) -> Result<ParamId> {
        let bytes = |elem: Elem, shape: &[u32]| {
            let extents = shape.iter().map(|n| *n as usize);
            extents.fold(elem.size(), usize::saturating_mul)
        };
        let new = bytes(elem, shape);
        let params = self.b.func().params.iter().enumerate();
        let known = params.map(|(n, param)| {
            let local = self.b.func().local(ParamId(n as u32));
            local.map_or(0, |shape| bytes(param.ty.elem(), shape))
        });
        let all = known.fold(new, usize::saturating_add);
        if new > MAX_BYTES || all > MAX_ALL {
            let what = match new > MAX_BYTES {
                true => format!("a local array of {new} bytes: at most {MAX_BYTES} are possible"),
                false => {
                    format!("local arrays of {all} bytes in all: at most {MAX_ALL} are possible")
                }
            };
            return Err(Error::at(Code::Value, at, what)
                .hint("pass an array with a part for each thread, and slice it"));
        }
        let mut number = self.b.func().params.len();
        let taken = |name: &str| self.b.func().params.iter().any(|p| p.name == name);
        while taken(&format!("local{number}")) {
            number += 1;
        }
        let mut extents = [1; MAX_NDIM];
        extents[..shape.len()].copy_from_slice(shape);
        let ty = ParamType::Local {
            elem,
            ndim: shape.len() as u8,
            shape: extents,
        };
        Ok(self.b.param(format!("local{number}"), ty))
    }

    /// What a name gets that is assigned the value of an expression: a copy where that is the name of a local array.
    pub fn copied(&mut self, tree: Tree, value: &Expr) -> Result<Tree> {
        if matches!(value, Expr::Call(_)) {
            return Ok(tree);
        }
        match &tree {
            Tree::Array(view) => match self.whole_local(view) {
                Some(shape) => self.copy_local(view, &shape, self.span(value)),
                None => Ok(tree),
            },
            Tree::Tuple(items) => {
                let items = items.iter().map(|item| self.copied(item.clone(), value));
                Ok(Tree::Tuple(items.collect::<Result<_>>()?))
            }
            _ => Ok(tree),
        }
    }

    /// The extents of a view of all of a local array.
    pub fn whole_local(&self, view: &View) -> Option<Vec<u32>> {
        let shape = self.b.func().local(view.array())?.to_vec();
        let mut candidates = view.candidates.iter();
        let all = candidates.all(|candidate| {
            candidate.is_whole() && self.b.func().local(candidate.array) == Some(&shape)
        });
        all.then_some(shape)
    }

    fn copy_local(&mut self, view: &View, shape: &[u32], at: Span) -> Result<Tree> {
        self.b.span = at;
        let leaves = self.local_leaves(view.elem, shape, at)?;
        let first = leaves[0].0;
        self.b
            .each_element(shape, &mut Values::new(), &mut |b, index| {
                let whole = view.element(b, index);
                for (number, (array, elem)) in leaves.iter().enumerate() {
                    let element = whole.leaf(number);
                    for comp in 0..elem.count() as u32 {
                        let (array, comp) = (*array, Comp::Fixed(comp));
                        let value = element.load(b, comp);
                        let index = index.clone();
                        b.store(Place { array, index, comp }, value);
                    }
                }
            });
        Ok(Tree::Array(View::whole(first, view.elem, view.ndim)))
    }
}

const SIGNATURE: &str = "wp.zeros(shape=(3, 4), dtype=float)";
