//! What the shared files of lowering ask of a GPU.

use super::gather;
use crate::abi::{grid, object};
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Intrinsic, ObjectKind, ParamId, Search, Slot, Value};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::body::call::STACKS;
use crate::lower::body::{Body, Target};
use crate::lower::emit::strip::Strip;
use crate::lower::emit::text::{Text, ins, line};
use std::fmt::Write;

/// What bodies for GPUs need besides: nothing.
pub struct Grid;

impl Target for Grid {
    fn given(facts: &KernelFacts<'_>) -> &'static [&'static str] {
        match facts.functions_record {
            true => &["%ctx", "%launch", "%args", STACKS],
            false => &["%ctx", "%launch", "%args"],
        }
    }
    fn enter(body: &mut Body<'_, Self>) {
        body.enter_stacks();
    }
    fn leave(body: &mut Body<'_, Self>) {
        body.lend_stacks();
    }
    fn reenter(body: &mut Body<'_, Self>) {
        body.take_stacks();
    }
    fn end(_: &mut Body<'_, Self>) {}
    fn attributes(_: &Body<'_, Self>) -> &'static str {
        ""
    }
    const COPIES: bool = false;
    const WIDE: bool = true;
    // LLVM 19 ignores the order of an exchange for this target and refuses that of a load.
    const EXCHANGE: [&'static str; 2] = ["monotonic", "monotonic"];
    fn fence(t: &mut Text) {
        line!(t, "call void @llvm.nvvm.membar.gl()");
    }
    fn reach(t: &mut Text, address: &str) -> String {
        // Pointers among the arguments lead to global memory, LLVM knows; so do those that these lead to.
        let global = ins!(t, "inttoptr i64 {address} to ptr addrspace(1)");
        ins!(t, "addrspacecast ptr addrspace(1) {global} to ptr")
    }
    fn flags(t: &mut Text) -> String {
        let at = ins!(
            t,
            "getelementptr inbounds i8, ptr %launch, i64 {}",
            grid::FLAGS
        );
        ins!(t, "load i32, ptr {at}, align 4")
    }
    fn block_dim(t: &mut Text) -> String {
        let at = ins!(
            t,
            "getelementptr inbounds i8, ptr %launch, i64 {}",
            grid::BLOCK_DIM
        );
        ins!(t, "load i32, ptr {at}, align 4")
    }
    fn first_fault(t: &mut Text, code: &str) -> String {
        let pair = ins!(
            t,
            "cmpxchg ptr %ctx, i32 0, i32 {code} monotonic monotonic, align 8"
        );
        ins!(t, "extractvalue {{ i32, i1 }} {pair}, 1")
    }
    fn sign_fault(t: &mut Text) {
        let from = ins!(
            t,
            "getelementptr inbounds i8, ptr %launch, i64 {}",
            grid::KERNEL
        );
        let number = ins!(t, "load i32, ptr {from}, align 4");
        let to = ins!(
            t,
            "getelementptr inbounds i8, ptr %ctx, i64 {}",
            grid::FAULT_KERNEL
        );
        line!(t, "store i32 {number}, ptr {to}, align 4");
    }
    fn gather(t: &mut Text, op: AtomicOp, ty: Scalar, mine: String) -> (String, Option<String>) {
        gather::gather(t, op, ty, mine)
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
    fn spend(_: &mut Body<'_, Self>, _: u64) {}
    fn ration(_: &mut Body<'_, Self>, strip: &Strip<'_>, _: u64) -> String {
        strip.to.to_string()
    }
    fn object(body: &mut Body<'_, Self>, kind: ObjectKind, id: &str) -> String {
        let t = &mut body.t;
        let table = ins!(
            t,
            "getelementptr inbounds i8, ptr %launch, i64 {}",
            grid::OBJECTS
        );
        let table = ins!(t, "load i64, ptr {table}, align 8");
        let slot = ins!(t, "and i64 {id}, {}", (1u64 << object::SLOT_BITS) - 1);
        let offset = ins!(t, "mul nuw nsw i64 {slot}, {}", object::ENTRY_SIZE);
        let entry = ins!(t, "add i64 {table}, {offset}");
        let entry = Grid::reach(t, &entry);
        let there = ins!(t, "load i64, ptr {entry}, align 16");
        let at = ins!(
            t,
            "getelementptr inbounds i8, ptr {entry}, i64 {}",
            object::ENTRY_ADDRESS
        );
        let address = ins!(t, "load i64, ptr {at}, align 8");
        let same = ins!(t, "icmp eq i64 {there}, {id}");
        // A kind that is asked for is one of its family, or stands for the family.
        let mask = ((1u64 << object::KIND_BITS) - 1) & u64::from(kind.mask());
        let found = ins!(t, "and i64 {id}, {}", mask << object::SLOT_BITS);
        let asked = u64::from(kind as u8) << object::SLOT_BITS;
        let admitted = ins!(t, "icmp eq i64 {found}, {asked}");
        let both = ins!(t, "and i1 {same}, {admitted}");
        ins!(t, "select i1 {both}, i64 {address}, i64 0")
    }
    fn search(_: &mut Body<'_, Self>, search: Search, _: [&str; 2], _: (&str, usize)) {
        unreachable!(
            "`without_searches` has made a function of `{}`",
            search.name()
        )
    }
    fn shared(body: &mut Body<'_, Self>, id: ParamId, ty: &str) -> String {
        body.shared(id, ty)
    }
    fn together(body: &mut Body<'_, Self>, op: &Intrinsic, args: &[Value], outs: &[Value]) {
        body.together(op, args, outs);
    }
    fn print(body: &mut Body<'_, Self>, format: &str, args: &[Value]) {
        body.print(format, args);
    }
}

/// What the text asks of the device.
pub const DECLARATIONS: &str = "\
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.activemask() convergent
declare void @llvm.nvvm.membar.gl()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) convergent
";
