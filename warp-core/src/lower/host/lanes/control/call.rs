//! Calls of a kernel's functions for all lanes, and these functions: what lanes share is one number, the rest are vectors, and a mask
//! says which lanes run.

use crate::dtype::Scalar;
use crate::ir::{Callee, CalleeId, Value};
use crate::lower::emit::text::{Text, register};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::report::Costly;
use crate::span::Span;

impl<'a> GangBody<'a> {
    /// `call`.
    pub(in crate::lower::host::lanes) fn call(
        &mut self,
        callee: CalleeId,
        args: &[Value],
        outs: &[Value],
    ) {
        let block = &self.body.facts.func.callee(callee).block;
        let mut given = vec![(self.vector_type(Scalar::Bool), self.running())];
        for (param, arg) in block.params.iter().zip(args) {
            given.push(self.form(*param, *arg));
        }
        let types: Vec<String> = outs.iter().map(|out| self.type_of(*out)).collect();
        let results = self.body.call_with(callee, &given, &types);
        for (out, result) in outs.iter().zip(results) {
            self.name(*out, result);
        }
    }

    /// The type of a value in the form that it has.
    fn type_of(&self, value: Value) -> String {
        let ty = self.body.ty(value);
        match self.has_scalar(value) {
            true => register(ty).into(),
            false => self.vector_type(ty),
        }
    }

    /// A value in the form that another one has.
    fn form(&mut self, like: Value, value: Value) -> (String, String) {
        let name = match self.has_scalar(like) {
            true => self.body.name(value),
            false => self.vector(value),
        };
        (self.type_of(like), name)
    }

    fn name(&mut self, value: Value, name: String) {
        match self.has_scalar(value) {
            true => self.body.names[value.0 as usize] = name,
            false => self.vectors[value.0 as usize] = name,
        }
    }

    /// Writes a function that runs a gang. Besides what costs time in it.
    pub fn callee(mut self, id: CalleeId, callee: &'a Callee) -> (Text, Vec<(Costly, Span)>) {
        let block = &callee.block;
        let mut params = vec![(self.vector_type(Scalar::Bool), "%mask".to_string())];
        for param in &block.params {
            let name = format!("%in{}", param.0);
            params.push((self.type_of(*param), name.clone()));
            self.name(*param, name);
        }
        self.mask = Some("%mask".into());
        self.body.partial = true;
        self.body.open_callee();
        self.block(block);
        let results: Vec<(String, String)> =
            (block.results.iter()).map(|v| self.form(*v, *v)).collect();
        let notes = std::mem::take(&mut self.notes);
        (self.body.close_callee(id, &params, &results), notes)
    }
}
