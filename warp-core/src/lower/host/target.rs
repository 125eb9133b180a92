//! What the shared files of lowering ask of the host.

use super::collect::Collected;
use super::vector::VectorFacts;
use crate::dtype::Scalar;
use crate::ir::{Kind, Slot, Value};
use crate::lower::body::{Body, Target};
use crate::lower::strip::Strip;
use crate::span::Span;
use std::collections::BTreeMap;

/// What bodies for the host need besides.
pub struct Host<'a> {
    /// The notes of loops and accesses.
    pub vector: &'a VectorFacts,
    /// The operations that are collected in registers.
    pub collected: &'a Collected<'a>,
    /// Where they stand in the user's text, by register.
    pub spans: BTreeMap<usize, Span>,
}

impl Target for Host<'_> {
    fn collects(body: &mut Body<'_, Self>, kind: &Kind, value: &str) -> bool {
        body.collect(kind, value)
    }
    fn would_collect(body: &Body<'_, Self>, kind: &Kind) -> bool {
        body.target.collected.slot(kind).is_some()
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
    fn print(body: &mut Body<'_, Self>, format: &str, args: &[Value]) {
        body.print(format, args);
    }
}
