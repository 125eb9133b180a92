//! Elements of local arrays. The arrays of a gang are one: the same number of all lanes lies side by side.

use super::Access;
use crate::dtype::Scalar;
use crate::ir::{Comp, ParamId, Place};
use crate::lower::emit::text::{ins, line, memory};
use crate::lower::host::lanes::gang::GangBody;
use std::fmt::Write;

impl GangBody<'_> {
    /// Where lanes access a place of a local array. All indices are checked.
    pub(super) fn local(&mut self, place: &Place, shape: &[u32]) -> Access {
        let elem = self.body.facts.func.param(place.array).ty.elem();
        let (mem, count, lanes) = (memory(elem.scalar()), elem.count(), self.width);
        let mut at = self.local_data(place.array);
        // What differs between lanes, in numbers.
        let mut apart: Option<String> = None;
        for (dim, index) in place.index.iter().enumerate() {
            let inner: u32 = shape[dim + 1..].iter().product();
            let numbers = inner as usize * count;
            if self.is_uniform(*index) {
                let i = self.body.index(place, dim, *index);
                at = self.local_row(&at, mem, numbers, &i);
                continue;
            }
            let positions = self.positions(place, dim, *index);
            apart = Some(self.local_sum(apart, positions, numbers));
        }
        match place.comp {
            Comp::At(value) if !self.is_uniform(value) => {
                let positions = self.component(value, count);
                apart = Some(self.local_sum(apart, positions, 1));
            }
            _ => {
                let comp = self.body.comp(place, count);
                at = self.local_row(&at, mem, 1, &comp);
            }
        }
        let Some(apart) = apart else {
            return Access::Local(at);
        };
        let (v, each) = (self.vector_type(Scalar::I32), self.steps(Scalar::I32, 1));
        let rows = ins!(self.body.t, "mul {v} {apart}, splat (i32 {lanes})");
        let numbers = ins!(self.body.t, "add {v} {rows}, {each}");
        Access::Offset(at, (mem.into(), Scalar::I32, numbers))
    }

    /// The address that is so many times some numbers further on, in all lanes.
    fn local_row(&mut self, at: &str, mem: &str, numbers: usize, times: &str) -> String {
        if times == "0" {
            return at.into();
        }
        let row = numbers * self.width;
        ins!(
            self.body.t,
            "getelementptr [{row} x {mem}], ptr {at}, i64 {times}"
        )
    }

    /// A sum of products, in 32 bits: no local array is as large.
    fn local_sum(
        &mut self,
        sum: Option<String>,
        (ty, positions): (Scalar, String),
        times: usize,
    ) -> String {
        let v = self.vector_type(Scalar::I32);
        let mut one = positions;
        if ty == Scalar::I64 {
            let wide = self.vector_type(ty);
            one = ins!(self.body.t, "trunc {wide} {one} to {v}");
        }
        if times != 1 {
            one = ins!(self.body.t, "mul {v} {one}, splat (i32 {times})");
        }
        match sum {
            None => one,
            Some(sum) => ins!(self.body.t, "add {v} {sum}, {one}"),
        }
    }

    /// The memory of a local array of all lanes.
    fn local_data(&mut self, id: ParamId) -> String {
        let elem = self.body.facts.func.param(id).ty.elem();
        let shape = self.body.facts.func.local(id).expect("it is local");
        let count = shape.iter().product::<u32>() as usize * elem.count() * self.width;
        let mem = memory(elem.scalar());
        self.body.once(format!("%a{}.local", id.0), |body, name| {
            line!(body.head, "{name} = alloca [{count} x {mem}], align 64");
        })
    }
}
