//! What the shared files of lowering ask of the host.

use super::vector::VectorFacts;
use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Intrinsic, ObjectKind, ParamId, Search, Slot, Value};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::body::{Body, Target};
use crate::lower::emit::strip::Strip;
use crate::lower::emit::text::{Text, ins, line};
use std::fmt::Write;

/// What bodies for the host need besides.
pub struct Host<'a> {
    /// The notes of loops and accesses.
    pub vector: &'a VectorFacts,
    /// Whether there is a body that runs gangs.
    pub gangs: bool,
    /// Whether threads run in the order that a launch says.
    pub ordered: bool,
    /// The gangs whose sums a body that runs one thread at a time finds.
    pub gang: Option<SerialGang>,
}

/// Groups of threads whose sums a body finds one thread at a time.
#[derive(Debug)]
pub struct SerialGang {
    /// Lanes of a gang.
    pub width: usize,
    /// The function that runs the threads of a row which fill no gang; none where the last gang of a row may lack lanes.
    pub epilogue: Option<String>,
}

impl Target for Host<'_> {
    fn given(_: &KernelFacts<'_>) -> &'static [&'static str] {
        &["%ctx", "%args"]
    }
    fn enter(body: &mut Body<'_, Self>) {
        body.open_stacks();
        body.open_fuel();
    }
    fn leave(body: &mut Body<'_, Self>) {
        body.close_stacks(false);
        body.close_fuel();
    }
    fn reenter(body: &mut Body<'_, Self>) {
        body.reopen_stacks();
        body.reopen_fuel();
    }
    fn end(body: &mut Body<'_, Self>) {
        body.close_stacks(true);
    }
    fn attributes(body: &Body<'_, Self>) -> &'static str {
        match body.target.vector.dense {
            true => " \"prefer-vector-width\"=\"512\" \"stackrealign\"",
            false => " \"stackrealign\"",
        }
    }
    const COPIES: bool = true;
    const WIDE: bool = false;
    const EXCHANGE: [&'static str; 2] = ["acq_rel", "acquire"];
    fn fence(_: &mut Text) {}
    fn reach(t: &mut Text, address: &str) -> String {
        ins!(t, "inttoptr i64 {address} to ptr")
    }
    fn flags(t: &mut Text) -> String {
        let at = ins!(
            t,
            "getelementptr inbounds i8, ptr %ctx, i64 {}",
            abi::ctx::FLAGS
        );
        ins!(t, "load i32, ptr {at}, align 4")
    }
    fn block_dim(_: &mut Text) -> String {
        "1".into()
    }
    fn first_fault(t: &mut Text, _: &str) -> String {
        // A worker has a context of its own, so nobody else writes in between.
        let old = ins!(t, "load i32, ptr %ctx, align 8");
        ins!(t, "icmp eq i32 {old}, 0")
    }
    fn sign_fault(_: &mut Text) {}
    fn gather(_: &mut Text, _: AtomicOp, _: Scalar, mine: String) -> (String, Option<String>) {
        (mine, None)
    }
    fn record(body: &mut Body<'_, Self>, slot: Slot, values: &[Value]) {
        body.record(slot, values);
    }
    fn replay(body: &mut Body<'_, Self>, slot: Slot, outs: &[Value]) {
        body.replay(slot, outs);
    }
    fn log(body: &mut Body<'_, Self>, ty: Scalar, at: &str, old: &str) {
        body.log(ty, at, old);
    }
    fn mark(body: &mut Body<'_, Self>, out: Value) {
        body.mark(out);
    }
    fn unwind(body: &mut Body<'_, Self>, mark: Value) {
        body.unwind(mark);
    }
    fn spend(body: &mut Body<'_, Self>, work: u64) {
        body.spend(work);
    }
    fn ration(body: &mut Body<'_, Self>, strip: &Strip<'_>, work: u64) -> String {
        body.ration(strip, work)
    }
    fn object(body: &mut Body<'_, Self>, kind: ObjectKind, id: &str) -> String {
        let (call, kind) = (abi::runtime::OBJECT, kind as u8);
        ins!(body.t, "call i64 @{call}(i64 {id}, i32 {kind})")
    }
    fn search(
        body: &mut Body<'_, Self>,
        search: Search,
        [addresses, numbers]: [&str; 2],
        (lanes, width): (&str, usize),
    ) {
        let (call, number) = (abi::runtime::SEARCH, search as u8);
        line!(
            body.t,
            "call void @{call}(i32 {number}, ptr {addresses}, i64 {lanes}, i64 {width}, ptr {numbers})"
        );
    }
    fn shared(_: &mut Body<'_, Self>, _: ParamId, _: &str) -> String {
        unreachable!("kernels with blocks are refused")
    }
    fn together(_: &mut Body<'_, Self>, _: &Intrinsic, _: &[Value], _: &[Value]) {
        unreachable!("kernels with blocks are refused")
    }
    fn print(body: &mut Body<'_, Self>, format: &str, args: &[Value]) {
        body.print(format, args);
    }
}
