//! Arrays that addresses lead to: fields of the elements of an array of structs, `wp.array(ptr=..., shape=..., dtype=...)`,
//! and addresses themselves, `a.ptr` and `wp.address_of(a[i])`.
//!
//! A parameter that no launch passes stands for all arrays of one field ([`ParamType::PointerBased`]); which one is meant, an
//! access says. Nothing keeps memory alive that is known by its address alone.

use crate::builtins::{Cut, Element, Operand, Tree, View};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::data::index::Node;
use crate::front::walk::{Noted, Walk};
use crate::ir::{Block, Comp, Const, Op, ParamId, ParamType, Value, Values};
use crate::span::Span;
use crate::ty::{Elem, Leaf, MAX_NDIM, Type, word};
use ruff_python_ast::Arguments;
use std::collections::HashMap;

/// What names of such parameters begin with; the rest is the path to the field.
const POINTER_BASED: char = '*';

impl Walk<'_> {
    /// Name of the parameter that an array is or belongs to, or of the field that it lies in.
    pub fn array_name(&self, view: &View) -> String {
        let name = &self.b.func().param(view.array()).name;
        name.trim_start_matches(POINTER_BASED).to_string()
    }

    /// Notes the parameters that hold descriptions of arrays.
    pub fn note_arrays_in(&mut self, array: ParamId, name: &str, elem: Elem) {
        if let Elem::Struct(s) = elem
            && !s.is_plain()
        {
            let name = name.to_string();
            self.noted.push(Noted { array, name, elem });
        }
    }

    /// Adds the parameters that stand for the arrays in noted ones.
    pub fn declare_noted(&mut self) {
        while let Some(Noted { array, name, elem }) = self.noted.pop() {
            let Elem::Struct(s) = elem else { continue };
            for (n, leaf) in s.stored().iter().enumerate() {
                if let Type::Array { elem, ndim } = leaf.ty {
                    let id = self.pointer_based_param(&format!("{name}.{}", leaf.path), elem, ndim);
                    self.inside.insert(ParamId(array.0 + n as u32), id);
                }
            }
        }
    }

    /// A parameter that stands for arrays that addresses lead to; for arrays of structs one for each leaf, of which it is
    /// the first.
    fn pointer_based_param(&mut self, name: &str, elem: Elem, ndim: u8) -> ParamId {
        let first = ParamId(self.b.func().params.len() as u32);
        let leaves: Vec<(String, Elem, u32)> = match elem {
            Elem::Struct(s) => {
                let each = |leaf: &Leaf| {
                    let path = format!("{name}.{}", leaf.path);
                    (path, leaf.stored_as(), leaf.offset as u32)
                };
                s.stored().iter().map(each).collect()
            }
            elem => vec![(name.to_string(), elem, 0)],
        };
        for (path, elem, offset) in leaves {
            let mut name = format!("{POINTER_BASED}{path}");
            while self.b.func().params.iter().any(|p| p.name == name) {
                name.push('_');
            }
            let ty = ParamType::PointerBased { elem, ndim, offset };
            self.b.param(name, ty);
        }
        self.note_arrays_in(first, name, elem);
        first
    }

    /// The array that an element describes: a field of a struct in memory.
    pub fn described(&mut self, element: &Element, elem: Elem, ndim: u8) -> View {
        // Where the element may be in several arrays, any of their parameters will do: what is read says the rest.
        let array = self.inside[&element.array()];
        let load = |w: &mut Self, n: usize| element.load(&mut w.b, Comp::Fixed(n as u32));
        let mut described: Values = ([word::DATA, word::GRADIENT].iter())
            .map(|n| load(self, *n))
            .collect();
        let ndim_ = usize::from(ndim);
        let shape: Vec<Value> = (0..ndim_.div_ceil(2))
            .map(|n| load(self, word::SHAPE + n))
            .collect();
        for d in 0..ndim_ {
            let mut extent = shape[d / 2];
            if d % 2 == 1 {
                let half = self.b.number(Scalar::U64, 32.0);
                extent = self.b.op(Op::Shr, &[extent, half]);
            }
            described.push(self.b.cast(extent, Scalar::I32));
        }
        for d in 0..ndim_ {
            let stride = load(self, word::STRIDES + d);
            described.push(self.b.cast(stride, Scalar::I64));
        }
        View::pointer_based(array, elem, ndim, described)
    }

    /// `wp.array(ptr=address, shape=n, dtype=float)`, by name or in this order.
    pub fn array_call(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let given = self.arguments(args, None)?;
        let (mut ptr, mut shape, mut dtype, mut grad) = (None, None, None, None);
        for (n, arg) in given.into_iter().enumerate() {
            let slot = match (arg.name, n) {
                (Some("ptr"), _) | (None, 0) => &mut ptr,
                (Some("shape"), _) | (None, 1) => &mut shape,
                (Some("dtype"), _) | (None, 2) => &mut dtype,
                (Some("grad"), _) => &mut grad,
                (name, _) => {
                    let what = match name {
                        Some(name) => format!("`array` has no parameter `{name}` in kernels"),
                        None => {
                            "`array` takes an address, a shape and a dtype in kernels".to_string()
                        }
                    };
                    return Err(Error::at(Code::Argument, arg.span, what).hint(SIGNATURE));
                }
            };
            if slot.replace((arg.tree, arg.span)).is_some() {
                let what = "`array` got an argument twice";
                return Err(Error::at(Code::Argument, arg.span, what).hint(SIGNATURE));
            }
        }
        let missing = |name: &str| {
            let what = format!("`array` is called without its argument `{name}`");
            Error::at(Code::Argument, at, what).hint(SIGNATURE)
        };
        let (ptr, ptr_at) = ptr.ok_or_else(|| missing("ptr"))?;
        let (shape, shape_at) = shape.ok_or_else(|| missing("shape"))?;
        let (dtype, dtype_at) = dtype.ok_or_else(|| missing("dtype"))?;
        let data = address(&ptr, "ptr", ptr_at)?;
        let gradient = (grad.as_ref()).map(|(grad, at)| address(grad, "grad", *at));
        let gradient = gradient.transpose()?;
        let elem = match dtype {
            Tree::Type(Type::Elem(elem)) => {
                crate::builtins::check_size(elem, dtype_at)?;
                elem
            }
            Tree::Type(ty @ Type::Struct(s)) if !s.is_indexed() => {
                self.check_type(&ty, dtype_at)?;
                Elem::Struct(s)
            }
            other => {
                let what = format!(
                    "an array holds scalars, vectors, matrices, quaternions, transforms or structs, not {}",
                    crate::builtins::describe(&other)
                );
                return Err(Error::at(Code::Type, dtype_at, what).hint(SIGNATURE));
            }
        };
        let extents = self.extents(&shape, shape_at)?;
        self.b.span = at;
        if let Some(local) = self.local_addresses.get(&data).cloned() {
            return self.local_at(&local, elem, &extents, at);
        }
        let ndim = extents.len() as u8;
        // At address 0 lies no array, whatever its shape is said to be.
        let (zero, none) = (self.b.i32(0), self.b.number(Scalar::U64, 0.0));
        let there = self.b.op(Op::Ne, &[data, none]);
        let mut described = Values::from_slice(&[data, gradient.unwrap_or(none)]);
        for extent in &extents {
            // Nor do negative extents hold anything.
            let extent = self.b.op(Op::Max, &[*extent, zero]);
            described.push(self.b.select(there, extent, zero));
        }
        let mut stride = self.b.number(Scalar::I64, elem.size() as f64);
        let mut strides = vec![stride];
        for extent in extents[1..].iter().rev() {
            let extent = self.b.cast(*extent, Scalar::I64);
            stride = self.b.op(Op::Mul, &[stride, extent]);
            strides.push(stride);
        }
        described.extend(strides.into_iter().rev());
        let name = format!("array{}", self.b.func().params.len());
        let array = self.pointer_based_param(&name, elem, ndim);
        self.declare_noted();
        Ok(Tree::Array(View::pointer_based(
            array, elem, ndim, described,
        )))
    }

    /// `wp.array(ptr=local.ptr, ...)`: the local array itself, or its first elements.
    fn local_at(&mut self, local: &View, elem: Elem, extents: &[Value], at: Span) -> Result<Tree> {
        let mut same = (local.elem, usize::from(local.ndim)) == (elem, extents.len());
        for (dim, extent) in extents.iter().enumerate() {
            let own = same.then(|| local.extent(&mut self.b, dim));
            let own = own.and_then(|own| self.b.as_const(own));
            same &= match (own, self.b.as_const(*extent)) {
                (Some(Const::Int(own)), Some(Const::Int(n))) if dim == 0 => n <= own,
                // Where it is too large, so is an index.
                _ if dim == 0 => true,
                (own, n) => own.is_some() && own == n,
            };
        }
        if !same {
            let what = "the address of a local array, with another dtype or shape than it has";
            return Err(Error::at(Code::Type, at, what)
                .hint("only its first extent may differ, which may be smaller"));
        }
        let rest = Cut::Slice {
            lower: None,
            upper: None,
            step: None,
        };
        let first = Cut::Slice {
            lower: None,
            upper: Some(extents[0]),
            step: None,
        };
        let mut cuts = vec![rest; extents.len()];
        cuts[0] = first;
        Ok(Tree::Array(local.cut(&mut self.b, &cuts)))
    }

    /// Integers, one for each dimension.
    fn extents(&mut self, shape: &Tree, at: Span) -> Result<Vec<Value>> {
        let items = match shape {
            Tree::Tuple(items) => items.to_vec(),
            // `a.shape` kept in a variable is a vector where it is indexed.
            Tree::Elem(x) if matches!(x.elem, Elem::Vec { .. }) => {
                let scalar = x.elem.scalar();
                let parts = x.parts.iter();
                parts
                    .map(|v| Tree::Elem(Operand::scalar(scalar, *v)))
                    .collect()
            }
            one => vec![one.clone()],
        };
        if items.is_empty() || items.len() > MAX_NDIM {
            let what = format!(
                "an array has 1 to {MAX_NDIM} dimensions, not {}",
                items.len()
            );
            return Err(Error::at(Code::Value, at, what));
        }
        let mut extents = Vec::with_capacity(items.len());
        for item in &items {
            let value = match item {
                Tree::Elem(x) => x.as_scalar().filter(|_| x.elem.scalar().is_int()),
                _ => None,
            };
            let Some(value) = value else {
                let what = format!(
                    "an extent is an integer, not {}",
                    crate::builtins::describe(item)
                );
                return Err(Error::at(Code::Type, at, what).hint(SIGNATURE));
            };
            extents.push(self.b.cast(value, Scalar::I32));
        }
        Ok(extents)
    }

    /// `a.ptr`
    pub fn address_of_array(&mut self, view: &View, at: Span) -> Result<Tree> {
        let candidates = view.candidates.iter();
        if candidates
            .clone()
            .all(|candidate| self.b.func().local(candidate.array).is_some())
        {
            let address = self.b.fresh(Scalar::U64);
            self.local_addresses.insert(address, view.clone());
            return Ok(Tree::Elem(Operand::scalar(Scalar::U64, address)));
        }
        self.refuse_local(candidates.map(|candidate| candidate.array), at)?;
        let address = view.address(&mut self.b);
        Ok(Tree::Elem(Operand::scalar(Scalar::U64, address)))
    }

    /// `wp.address_of(a[i])`
    pub fn address_call(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let ([value], []) = (&args.args[..], &args.keywords[..]) else {
            return Err(Error::at(
                Code::Argument,
                at,
                "`address_of` takes one element of an array",
            )
            .hint(ADDRESS_OF));
        };
        let place = match self.node(value)? {
            Node::Ref(place) => place,
            Node::Tree(other) => {
                let what = format!("{} has no address", other.ty());
                return Err(Error::at(Code::Type, self.span(value), what).hint(ADDRESS_OF));
            }
        };
        self.b.span = at;
        self.refuse_local(place.element.arrays(), at)?;
        let address = place.address(self);
        Ok(Tree::Elem(Operand::scalar(Scalar::U64, address)))
    }

    fn refuse_local(&self, arrays: impl Iterator<Item = ParamId>, at: Span) -> Result<()> {
        let mut arrays = arrays;
        if arrays.any(|id| self.b.func().local(id).is_some()) {
            let what = "a local array has no address: it is the thread's own";
            return Err(
                Error::at(Code::Type, at, what).hint("take the address of an array that is passed")
            );
        }
        Ok(())
    }
}

/// An argument that is an address.
fn address(given: &Tree, name: &str, at: Span) -> Result<Value> {
    match given {
        Tree::Elem(x) if x.elem == Elem::Scalar(Scalar::U64) => Ok(x.parts[0]),
        other => {
            let what = format!(
                "`{name}` is {}, expected an address, which is uint64",
                other.ty()
            );
            Err(Error::at(Code::Type, at, what)
                .hint("declare the parameter as `p: wp.uint64` and pass `a.ptr`, or convert with `wp.uint64(...)`"))
        }
    }
}

/// Refuses kernels that do more with the address of a local array than `wp.array(ptr=...)` does.
///
/// # Errors
/// Where one does.
pub(in crate::front) fn check_local_addresses(
    known: &HashMap<Value, View>,
    block: &Block,
) -> Result<()> {
    if known.is_empty() {
        return Ok(());
    }
    let refuse = |span: Span| {
        let what = "a kernel cannot compute with the address of a local array";
        Error::at(Code::Type, span, what)
            .hint("pass it unchanged, as in `wp.array(ptr=local.ptr, shape=n, dtype=...)`")
    };
    for stmt in &block.stmts {
        let mut used = false;
        stmt.kind.uses(|value| used |= known.contains_key(&value));
        let blocks = stmt.kind.blocks();
        let mut results = blocks.iter().flat_map(|inner| &inner.results);
        if used || results.any(|value| known.contains_key(value)) {
            return Err(refuse(stmt.span));
        }
        for inner in blocks {
            check_local_addresses(known, inner)?;
        }
    }
    Ok(())
}

const SIGNATURE: &str = "wp.array(ptr=address, shape=(n, 3), dtype=float)";
const ADDRESS_OF: &str = "wp.address_of(a[i])";
