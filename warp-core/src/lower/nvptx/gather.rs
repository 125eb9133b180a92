//! What the threads of a warp have reduced, added up among them, so that one of them changes memory.

use crate::dtype::Scalar;
use crate::ir::AtomicOp;
use crate::lower::body::slots::combine;
use crate::lower::emit::text::{Text, ins, line, register};
use std::fmt::Write;

/// The distances at which threads of a warp exchange what they have.
const DISTANCES: [u32; 5] = [16, 8, 4, 2, 1];

/// Combines what the threads of a warp have; gives the result and whether this thread leads. Where the warp is not whole, each
/// thread leads for itself.
pub fn gather(t: &mut Text, op: AtomicOp, ty: Scalar, mine: String) -> (String, Option<String>) {
    let r = register(ty);
    let [whole, one] = ["whole", "one"].map(|l| t.new_label(l));
    let active = ins!(t, "call i32 @llvm.nvvm.activemask()");
    let all = ins!(t, "icmp eq i32 {active}, -1");
    let alone = t.label.clone();
    line!(t, "br i1 {all}, label %{whole}, label %{one}");
    t.start(&whole);
    let mut sum = mine.clone();
    for distance in DISTANCES {
        let other = shuffled(t, ty, &sum, distance);
        sum = combine(t, op, ty, &sum, &other);
    }
    let lane = ins!(t, "call i32 @llvm.nvvm.read.ptx.sreg.laneid()");
    let first = ins!(t, "icmp eq i32 {lane}, 0");
    let from = t.label.clone();
    line!(t, "br label %{one}");
    t.start(&one);
    let sum = ins!(t, "phi {r} [ {mine}, %{alone} ], [ {sum}, %{from} ]");
    let leads = ins!(t, "phi i1 [ true, %{alone} ], [ {first}, %{from} ]");
    (sum, Some(leads))
}

/// What the thread at this distance has.
fn shuffled(t: &mut Text, ty: Scalar, value: &str, distance: u32) -> String {
    let r = register(ty);
    let shuffle = |t: &mut Text, word: &str| {
        ins!(
            t,
            "call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 {word}, i32 {distance}, i32 31)"
        )
    };
    match r {
        "i32" => shuffle(t, value),
        "float" => {
            let bits = ins!(t, "bitcast float {value} to i32");
            let bits = shuffle(t, &bits);
            ins!(t, "bitcast i32 {bits} to float")
        }
        "i64" | "double" => {
            let halves = ins!(t, "bitcast {r} {value} to <2 x i32>");
            let mut out = "poison".to_string();
            for k in 0..2 {
                let half = ins!(t, "extractelement <2 x i32> {halves}, i32 {k}");
                let half = shuffle(t, &half);
                out = ins!(t, "insertelement <2 x i32> {out}, i32 {half}, i32 {k}");
            }
            ins!(t, "bitcast <2 x i32> {out} to {r}")
        }
        narrow => {
            let wide = ins!(t, "zext {narrow} {value} to i32");
            let wide = shuffle(t, &wide);
            ins!(t, "trunc i32 {wide} to {narrow}")
        }
    }
}
