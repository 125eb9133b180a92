//! Values that are lanes of a vector.
//!
//! They have no names of their own: a statement that reads one has it fetched before. Only floats are packed: nothing
//! looks through their definitions for names.

use crate::dtype::Scalar;
use crate::ir::Value;
use crate::lower::body::{Body, Target};
use crate::lower::emit::lane::{Lane, vector};
use crate::lower::emit::text::{ins, register};
use std::fmt::Write;
use std::rc::Rc;

impl<'a, T: Target> Body<'a, T> {
    /// Gives a value that is a lane a name of its own, until [`Body::forget_fetched`].
    pub(in crate::lower) fn fetch(&mut self, value: Value) {
        let at = value.0 as usize;
        if !self.names[at].is_empty() {
            return;
        }
        if let Some(lane) = self.lanes.get(&value).cloned() {
            self.names[at] = self.extract(&lane, self.ty(value));
            self.fetched.push(value);
        }
    }

    /// [`Body::fetch`] of several.
    pub(in crate::lower) fn fetch_all(&mut self, values: &[Value]) {
        values.iter().for_each(|v| self.fetch(*v));
    }

    /// What was fetched since the mark is a lane again: the name may not reach what follows.
    pub(in crate::lower) fn forget_fetched(&mut self, mark: usize) {
        for value in self.fetched.drain(mark..) {
            self.names[value.0 as usize].clear();
        }
    }

    fn extract(&mut self, lane: &Lane, ty: Scalar) -> String {
        let vector = vector(ty, lane.lanes);
        ins!(
            self.t,
            "extractelement {vector} {}, i64 {}",
            lane.vector,
            lane.at
        )
    }

    /// Values, in order, are the lanes of a vector, or one value where there is one.
    pub(in crate::lower) fn unpack(&mut self, values: &[Value], name: String) {
        if let [value] = values {
            self.names[value.0 as usize] = name;
            return;
        }
        let vector: Rc<str> = name.into();
        for (at, value) in values.iter().enumerate() {
            let (vector, lanes) = (Rc::clone(&vector), values.len());
            self.lanes.insert(*value, Lane { vector, lanes, at });
        }
    }

    /// The vector of which values are all the lanes, in some order: where each lane's value stands in the list.
    pub(in crate::lower) fn whole(&self, values: &[Value]) -> Option<Vec<usize>> {
        let first = self.lanes.get(values.first()?)?;
        let mut order = vec![usize::MAX; first.lanes];
        if values.len() != first.lanes {
            return None;
        }
        for (i, value) in values.iter().enumerate() {
            let lane = self.lanes.get(value)?;
            if !Rc::ptr_eq(&lane.vector, &first.vector) {
                return None;
            }
            order[lane.at] = i;
        }
        order.iter().all(|i| *i != usize::MAX).then_some(order)
    }

    /// Whether one instruction or none makes a vector of values.
    pub(in crate::lower) fn is_cheap(&self, values: &[Value]) -> bool {
        values.len() == 1
            || self.whole(values).is_some()
            || values.iter().all(|v| v == &values[0])
            || values.iter().all(|v| self.is_literal(*v))
    }

    fn is_literal(&self, value: Value) -> bool {
        let name = &self.names[value.0 as usize];
        !name.is_empty() && !name.starts_with('%')
    }

    /// A vector of values, or the one value.
    pub(in crate::lower) fn pack(&mut self, values: &[Value]) -> String {
        let ty = self.ty(values[0]);
        let (lanes, r) = (values.len(), register(ty));
        let v = vector(ty, lanes);
        if let Some(order) = self.whole(values) {
            let name = self.lanes[&values[0]].vector.to_string();
            if order.iter().enumerate().all(|(at, i)| at == *i) {
                return name;
            }
            let from: Vec<String> = values
                .iter()
                .map(|v| format!("i32 {}", self.lanes[v].at))
                .collect();
            let from = from.join(", ");
            return ins!(
                self.t,
                "shufflevector {v} {name}, {v} poison, <{lanes} x i32> <{from}>"
            );
        }
        let mark = self.fetched.len();
        values.iter().for_each(|v| self.fetch(*v));
        let names: Vec<String> = values.iter().map(|v| self.name(*v)).collect();
        self.forget_fetched(mark);
        if lanes == 1 {
            return names[0].clone();
        }
        if values.iter().all(|v| self.is_literal(*v)) {
            let each: Vec<String> = names.iter().map(|name| format!("{r} {name}")).collect();
            return format!("<{}>", each.join(", "));
        }
        if names.iter().all(|name| *name == names[0]) {
            return self.t.splat(ty, lanes, &names[0]);
        }
        let mut all = "poison".to_string();
        for (at, name) in names.iter().enumerate() {
            all = ins!(self.t, "insertelement {v} {all}, {r} {name}, i64 {at}");
        }
        all
    }

    /// The results of a block, those together that are the lanes of one vector, in the order of lanes: where in the list
    /// they stand.
    pub(in crate::lower) fn groups_of(&self, results: &[Value]) -> Vec<Vec<usize>> {
        let mut groups = Vec::new();
        let mut at = 0;
        while at < results.len() {
            let lanes = self.lanes.get(&results[at]).map_or(1, |lane| lane.lanes);
            let list = results.get(at..at + lanes);
            let order = list.and_then(|list| self.whole(list)).unwrap_or(vec![0]);
            let end = at + order.len();
            groups.push(order.into_iter().map(|i| at + i).collect());
            at = end;
        }
        groups
    }
}
