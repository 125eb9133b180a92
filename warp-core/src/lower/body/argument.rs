//! What a body takes from the argument block, loaded once, in its head.

use crate::abi;
use crate::ir::ParamId;
use crate::lower::analysis::alignment::alignment;
use crate::lower::analysis::variant::Variant;
use crate::lower::body::{Body, Target};
use crate::lower::emit::text::{self, line};
use std::fmt::Write;

impl<T: Target> Body<'_, T> {
    /// Name of a value in the args block, loaded in the head.
    fn argument(&mut self, name: String, ty: &str, offset: usize, tail: &str) -> String {
        self.once(name, |b, name| {
            line!(
                b.head,
                "{name}.at = getelementptr inbounds i8, ptr %args, i64 {offset}"
            );
            line!(
                b.head,
                "{name} = load {ty}, ptr {name}.at{tail}, !invariant.load !5"
            );
        })
    }

    /// Data pointer of an array. A local one lies on the stack.
    pub fn data(&mut self, id: ParamId) -> String {
        if let Some(shape) = self.facts.func.fixed_shape(id) {
            let elem = self.facts.func.param(id).ty.elem();
            let count = shape.iter().product::<u32>() as usize * elem.count();
            let ty = text::memory(elem.scalar());
            if self.facts.func.local(id).is_none() {
                return T::shared(self, id, &format!("[{count} x {ty}]"));
            }
            return self.once(format!("%a{}.local", id.0), |b, name| {
                line!(b.head, "{name} = alloca [{count} x {ty}], align 16");
            });
        }
        let at = self.offsets[id.0 as usize] + abi::array::DATA;
        let name = self.argument(format!("%a{}.data", id.0), "ptr", at, ", align 8");
        if let Some(wide) = self.alignment(id) {
            self.once(format!("{name}.aligned"), |b, _| {
                line!(
                    b.head,
                    "call void @llvm.assume(i1 true) [\"align\"(ptr {name}, i64 {wide})]"
                );
            });
        }
        name
    }
    /// Extent of a dimension as i32.
    pub fn extent(&mut self, id: ParamId, dim: usize) -> String {
        if let Some(shape) = self.facts.func.fixed_shape(id) {
            return shape[dim].to_string();
        }
        let at = self.offsets[id.0 as usize] + abi::array::SHAPE + 4 * dim;
        let tail = ", align 4, !range !4";
        self.argument(format!("%a{}.n{dim}", id.0), "i32", at, tail)
    }
    /// Extent of a dimension as i64.
    pub fn extent_wide(&mut self, id: ParamId, dim: usize) -> String {
        let narrow = self.extent(id, dim);
        if self.facts.func.fixed_shape(id).is_some() {
            return narrow;
        }
        self.once(format!("{narrow}.wide"), |b, name| {
            line!(b.head, "{name} = zext nneg i32 {narrow} to i64");
        })
    }
    /// Byte stride of a dimension.
    pub fn stride(&mut self, id: ParamId, dim: usize) -> String {
        if let Some(shape) = self.facts.func.fixed_shape(id) {
            let inner = shape[dim + 1..].iter().product::<u32>() as usize;
            return (inner * self.facts.func.param(id).ty.elem().size()).to_string();
        }
        let at = self.offsets[id.0 as usize] + abi::array::STRIDES + 8 * dim;
        let stride = self.argument(format!("%a{}.s{dim}", id.0), "i64", at, ", align 8");
        let Some(wide) = self.alignment(id) else {
            return stride;
        };
        // It is one, which LLVM sees of this alone.
        self.once(format!("{stride}.multiple"), |b, name| {
            line!(b.head, "{name} = and i64 {stride}, -{wide}");
        })
    }
    /// What [`alignment`] says, where this body may count on it.
    fn alignment(&self, id: ParamId) -> Option<usize> {
        let counts = T::WIDE && self.variant.is_dense();
        counts.then(|| alignment(self.facts, id)).flatten()
    }
    /// A launch dimension as i64.
    pub fn dim(&mut self, dim: usize) -> String {
        let tail = ", align 4, !range !4";
        let at = abi::DIMS_OFFSET + 4 * dim;
        let narrow = self.argument(format!("%dim{dim}.narrow"), "i32", at, tail);
        self.once(format!("%dim{dim}"), |b, name| {
            line!(b.head, "{name} = zext nneg i32 {narrow} to i64");
        })
    }
    /// A component of a parameter that is passed by value.
    pub(in crate::lower) fn component(&mut self, id: ParamId, comp: u32) -> String {
        let ty = self.facts.func.param(id).ty.elem().scalar();
        let at = self.offsets[id.0 as usize] + comp as usize * ty.size();
        let key = format!("%p{}.{comp}", id.0);
        if let Some(name) = self.once.get(&key) {
            return name.clone();
        }
        line!(
            self.head,
            "{key}.at = getelementptr inbounds i8, ptr %args, i64 {at}"
        );
        let tail = format!(", align {}, !invariant.load !5", ty.size());
        line!(
            self.head,
            "{key} = load {}, ptr {key}.at{tail}",
            text::memory(ty)
        );
        let name = self.head.unpack(ty, key.clone());
        self.once.insert(key, name.clone());
        name
    }
    pub(in crate::lower) fn present(&mut self, id: ParamId) -> String {
        if self.variant == Variant::Full {
            return "true".into();
        }
        let data = self.data(id);
        self.once(format!("%a{}.present", id.0), |b, name| {
            line!(b.head, "{name} = icmp ne ptr {data}, null");
        })
    }
}
