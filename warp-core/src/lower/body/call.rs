//! Calls of a kernel's functions, and these functions, one for each body of the kernel.
//!
//! A function takes what every body has at hand (context, argument block), the thread's indices and its arguments. It gives its
//! results and, before them, whether the thread ends there: a fault was noted, or the launch is to stop.

use crate::ir::{Callee, CalleeId, Value};
use crate::lower::body::{Body, Target};
use crate::lower::emit::text::{Text, ins, line, register};
use std::fmt::Write;

/// Where a function finds the recording stacks of its thread, if these are not in the context.
pub(in crate::lower) const STACKS: &str = "%stacks";

impl<'a, T: Target> Body<'a, T> {
    /// `call`.
    pub(in crate::lower) fn call(&mut self, callee: CalleeId, args: &[Value], outs: &[Value]) {
        self.settle(None);
        let args: Vec<(String, String)> = (args.iter())
            .map(|arg| (register(self.ty(*arg)).to_string(), self.name(*arg)))
            .collect();
        let types: Vec<String> = (outs.iter().map(|out| register(self.ty(*out)).into())).collect();
        let results = self.call_with(callee, &args, &types);
        for (out, result) in outs.iter().zip(results) {
            self.names[out.0 as usize] = result;
        }
    }

    /// Calls a function with arguments of these types; its results, of these types.
    pub(in crate::lower) fn call_with(
        &mut self,
        callee: CalleeId,
        args: &[(String, String)],
        types: &[String],
    ) -> Vec<String> {
        T::leave(self);
        let tids = (0..self.facts.dims).map(|d| ("i32".to_string(), format!("%tid{d}")));
        let given: Vec<String> = (T::given(self.facts)
            .iter()
            .map(|name| format!("ptr {name}")))
        .chain(tids.map(|(ty, name)| format!("{ty} {name}")))
        .chain(args.iter().map(|(ty, name)| format!("{ty} {name}")))
        .collect();
        let (gives, name) = (gives(types), self.function_name(callee));
        let all = ins!(self.t, "call {gives} @{name}({})", given.join(", "));
        let ends = ins!(self.t, "extractvalue {gives} {all}, 0");
        let go = self.t.new_label("called");
        line!(self.t, "br i1 {ends}, label %bail, label %{go}, !prof !6");
        self.bails = true;
        self.t.start(&go);
        T::reenter(self);
        (1..=types.len())
            .map(|n| ins!(self.t, "extractvalue {gives} {all}, {n}"))
            .collect()
    }

    fn function_name(&self, callee: CalleeId) -> String {
        format!("{}.f{}", self.symbol, callee.0)
    }

    /// Writes a function that runs one thread.
    pub(in crate::lower) fn callee(mut self, id: CalleeId, callee: &'a Callee) -> Text {
        let block = &callee.block;
        let params: Vec<(String, String)> = (block.params.iter())
            .map(|param| {
                let name = format!("%in{}", param.0);
                self.names[param.0 as usize].clone_from(&name);
                (register(self.ty(*param)).to_string(), name)
            })
            .collect();
        self.open_callee();
        self.block(block);
        let results: Vec<(String, String)> = (block.results.iter())
            .map(|v| (register(self.ty(*v)).to_string(), self.name(*v)))
            .collect();
        self.close_callee(id, &params, &results)
    }

    /// Where a function begins.
    pub(in crate::lower) fn open_callee(&mut self) {
        T::enter(self);
        self.open_overlap();
        self.open_copies();
        for d in 0..self.facts.dims {
            line!(self.head, "%tid{d}.wide = zext nneg i32 %tid{d} to i64");
        }
        self.t.start("start");
    }

    /// Where a function ends: gives its results, and puts head and body together.
    pub(in crate::lower) fn close_callee(
        mut self,
        id: CalleeId,
        params: &[(String, String)],
        results: &[(String, String)],
    ) -> Text {
        T::leave(&mut self);
        let types: Vec<String> = results.iter().map(|(ty, _)| ty.clone()).collect();
        let gives = gives(&types);
        let mut all = ins!(self.t, "insertvalue {gives} poison, i1 false, 0");
        for (n, (ty, name)) in results.iter().enumerate() {
            all = ins!(self.t, "insertvalue {gives} {all}, {ty} {name}, {}", n + 1);
        }
        line!(self.t, "ret {gives} {all}");
        self.close_faults();
        if self.bails {
            self.t.start("bail");
            T::end(&mut self);
            let ended = ins!(self.t, "insertvalue {gives} poison, i1 true, 0");
            line!(self.t, "ret {gives} {ended}");
        }
        let name = self.function_name(id);
        let given = T::given(self.facts).iter().map(|name| match *name {
            "%ctx" | STACKS => format!("ptr noalias {name}"),
            name => format!("ptr noalias readonly {name}"),
        });
        let tids = (0..self.facts.dims).map(|d| format!("i32 %tid{d}"));
        let given: Vec<String> = given
            .chain(tids)
            .chain(params.iter().map(|(ty, name)| format!("{ty} {name}")))
            .collect();
        let attributes = T::attributes(&self);
        let mut whole = self.t;
        let code = std::mem::take(&mut whole.code);
        let _ = writeln!(
            whole.code,
            "define internal {gives} @{name}({}) nounwind noinline{attributes} {{\nentry:",
            given.join(", ")
        );
        whole.code += &self.head.code;
        line!(whole, "br label %start");
        whole.code += &code;
        whole.code += "}\n";
        whole
    }
}

/// The type of what a function gives.
fn gives(types: &[String]) -> String {
    let types = types.iter().map(|ty| format!(", {ty}"));
    format!("{{ i1{} }}", types.collect::<String>())
}
