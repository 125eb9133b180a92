//! Each broken invariant is found.

use super::check;
use crate::ir::read;

fn fails(body: &str, what: &str) {
    let text = format!("kernel k(x: array<float32, 1>, n: int32) {{\n{body}\n}}\n");
    let bug = check(&read(&text).expect("reads")).expect_err(body);
    assert!(bug.0.contains(what), "{bug}");
}

#[test]
fn each_broken_invariant_is_found() {
    fails("%0:float32 = add %1, %1", "before it is defined");
    fails("%0:int32 = tid 0\n%0:int32 = tid 0", "defined twice");
    fails("%0:int32 = tid 0\n%1:float32 = sin %0", "Sin of");
    fails("%0:int32 = tid 4", "tid 4");
    fails("%0:int32 = tid 0\n%1:float32 = load x[%0, %0]", "2 indices");
    fails("%0:int32 = tid 0\nstore x[%0], %0", "int32 is written");
    fails("%0:float32 = param x 0", "component 0");
    fails("%0:int32 = shape x 1", "shape 1");
    fails(
        "%0:bool = const true\nif %0 -> () {\n%1:int32 = tid 0\nyield\n} else {\nyield\n}\n\
         %2:int32 = neg %1",
        "outside its block",
    );
    fails(
        "%0:bool = const true\nif %0 -> (%1:int32) {\nyield %0\n} else {\nyield %0\n}",
        "agree",
    );
}

#[test]
fn matrix_products_have_sizes_and_one_type() {
    let product = |text: &str, what: &str| {
        fails(&format!("%0:int32 = tid 0\n{text}"), what);
    };
    product("%1:int32 = matmul 1x2x1 %0, %0, %0", "2 x 1 matrix");
    product("matmul 0x1x1 %0", "0 x 1 by 1 x 1");
    product("%1:float32 = matmul 1x1x1 %0, %0", "product of");
}

#[test]
fn decompositions_have_sizes_and_one_type() {
    let ints = "%0:int32 = tid 0\n%1:int32, %2:int32, %3:int32, %4:int32, %5:int32, %6:int32, %7:int32, %8:int32, \
                %9:int32, %10:int32 = factor svd2 %0, %0, %0, %0";
    fails(ints, "svd2 of");
    fails(
        "%0:float32 = const 1\n%1:float32 = factor eig3 %0",
        "eig3 of 1 values gives 1",
    );
}

#[test]
fn calls_with_derivatives_take_and_give_the_same() {
    let call = |body: &str, what: &str| {
        let text = format!(
            "kernel k(x: array<float32, 1>, g: gradient<x>) {{\n%0:int32 = tid 0\n%1:float32 = load x[%0]\n\
             custom with (%2:float32 = %1) -> (%3:float32) {{\nyield %2\n{body}}}\n}}\n"
        );
        let outcome = check(&read(&text).expect("reads"));
        match (outcome, what) {
            (Ok(()), "") => {}
            (Err(bug), what) if !what.is_empty() => assert!(bug.0.contains(what), "{bug}"),
            (outcome, _) => panic!("{body}: {outcome:?}"),
        }
    };
    call(
        "} reverse (%4:float32, %5:float32) {\n%6:float32 = load g[%0]\nyield %6\n",
        "",
    );
    call("", "neither");
    call("} replay (%4:float32) {\nyield %0\n", "what a call gives");
    call("} reverse (%4:float32) {\nyield %4\n", "derivative takes");
    call(
        "} reverse (%4:float32, %5:float32) {\nyield \n",
        "derivative gives",
    );
    call(
        "} replay (%4:float32) {\n%6:float32 = load g[%0]\nyield %6\n",
        "outside",
    );
}

#[test]
fn records_and_replays_come_in_pairs() {
    let with = |body: &str| format!("%0:int32 = tid 0\n{body}");
    fails(&with("record 0:0 %0"), "never replayed");
    fails(&with("%1:int32 = replay 0:0"), "before it is recorded");
    let pair = "record 0:0 %0\n%1:int32 = replay 0:0\n";
    fails(&with(&format!("{pair}%2:int32 = replay 0:0")), "twice");
    fails(&with(&format!("record 1:0 %0\n{pair}")), "twice");
    let other = "record 0:0 %0\n%1:int32 = replay 1:0";
    fails(&with(other), "something else");
    let other = "record 0:0 %0\n%1:float32 = replay 0:0";
    fails(&with(other), "something else");
    fails(&with("record 4:0 %0\n%1:int32 = replay 4:0"), "4 stacks");
}

#[test]
fn all_that_is_wrong_is_reported() {
    let text = "kernel k(x: array<float32, 1>) {\n%0:int32 = tid 4\n%1:int32 = neg %7\nstore x[%0], %0\n}\n";
    let bug = check(&read(text).expect("reads")).expect_err("wrong");
    let parts = ["tid 4", "before it is defined", "int32 is written"];
    assert!(parts.iter().all(|part| bug.0.contains(part)), "{bug}");
}

#[test]
fn functions_stand_before_their_callers_and_see_nothing_else() {
    let wrong = |functions: &str, what: &str| {
        let text = format!(
            "kernel k(x: array<float32, 1>) {{\n%0:int32 = tid 0\n%1:int32 = call f %0\n}}\n{functions}"
        );
        let outcome = check(&read(&text).expect("reads"));
        match (outcome, what) {
            (Ok(()), "") => {}
            (Err(bug), what) if !what.is_empty() => assert!(bug.0.contains(what), "{bug}"),
            (outcome, _) => panic!("{functions}: {outcome:?}"),
        }
    };
    wrong("function f(%2:int32) {\nyield %2\n}\n", "");
    wrong(
        "function f(%2:int32) {\nyield %0\n}\n",
        "used before it is defined",
    );
    wrong(
        "function f(%2:bool) {\n%3:int32 = cast %2\nyield %3\n}\n",
        "arguments and parameters",
    );
    wrong("function f(%2:int32) {\nyield \n}\n", "results of a call");
    wrong(
        "function f(%2:int32) {\n%3:int32 = call f %2\nyield %3\n}\n",
        "does not stand before",
    );
    wrong(
        "function f(%2:int32) {\nrecord 0:0 %2\nyield %2\n}\n",
        "never replayed",
    );
}

/// What is wrong with a kernel whose threads form blocks of 64 along dimension 1.
fn in_blocks(body: &str) -> Result<(), String> {
    let text = format!(
        "kernel k(x: array<float32, 1>, n: int32, s: shared<float32, 64>) block of 64 along 1 {{\n\
         %0:int32 = tid 0\n%1:int32 = tid 1\n%2:int32 = param n 0\n{body}}}\n"
    );
    check(&read(&text).expect("reads")).map_err(|bug| bug.0)
}

#[test]
fn barriers_stand_where_all_threads_come_to_them() {
    let within = |cond: &str, what: &str| {
        format!("{cond}if %3 -> () {{\n{what}\nyield\n}} else {{\nyield\n}}\n")
    };
    let (of_block, of_thread) = ("%3:bool = lt %0, %2\n", "%3:bool = lt %1, %2\n");
    for ballot in ["barrier block", "barrier warp", "%9:uint32 = ballot %3"] {
        assert_eq!(in_blocks(&within(of_block, ballot)), Ok(()), "{ballot}");
        let wrong = in_blocks(&within(of_thread, ballot)).expect_err(ballot);
        assert!(wrong.contains("that not all threads of a"), "{wrong}");
    }
    // What is loaded may differ in every thread.
    let loaded = "%4:float32 = load s[%0]\n%3:bool = eq %4, %4\n";
    assert!(in_blocks(&within(loaded, "barrier block")).is_err());
    // The number of the warp is the same for all of its threads, not for the block.
    let of_warp = "%4:int32 = const 32\n%5:int32 = div %1, %4\n%3:bool = lt %5, %2\n";
    assert_eq!(in_blocks(&within(of_warp, "barrier warp")), Ok(()));
    assert!(in_blocks(&within(of_warp, "barrier block")).is_err());
    let of_less = "%4:int32 = const 16\n%5:int32 = div %1, %4\n%3:bool = lt %5, %2\n";
    assert!(in_blocks(&within(of_less, "barrier warp")).is_err());
}

#[test]
fn loops_around_barriers_are_the_same_for_all_threads() {
    let body = |stop: &str, next: &str| {
        format!(
            "%3:int32 = const 0\n%4:int32 = const 1\n\
             for %5:int32 in range(%3, {stop}, %4) with (%6:int32 = %2) -> (%7:int32) {{\n\
             %8:bool = lt %6, %2\nif %8 -> () {{\nbarrier block\nyield\n}} else {{\nyield\n}}\n\
             yield {next}\n}}\n"
        )
    };
    assert_eq!(in_blocks(&body("%2", "%5")), Ok(()));
    assert!(in_blocks(&body("%1", "%5")).is_err(), "the end differs");
    assert!(
        in_blocks(&body("%2", "%1")).is_err(),
        "what is carried does"
    );
}

#[test]
fn blocks_have_their_sizes() {
    let refused = |head: &str, body: &str, what: &str| {
        let text = format!("kernel k{head} {{\n{body}}}\n");
        let bug = check(&read(&text).expect("reads")).expect_err(&text);
        assert!(bug.0.contains(what), "{bug}");
    };
    refused("()", "barrier block\n", "threads without blocks");
    refused("(s: shared<float32, 4>)", "", "threads without blocks");
    refused("() block of 2000 along 0", "", "a block of 2000");
    refused("() block of 40 along 0", "barrier warp\n", "no whole warps");
    refused(
        "() block of 32 along 0",
        "%0:int32 = tid 1\n",
        "beyond that in a block",
    );
    let large = "(s: shared<float64, 100 x 100>) block of 32 along 0";
    refused(large, "", "shares 80000 bytes");
}
