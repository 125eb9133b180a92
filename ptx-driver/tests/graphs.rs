//! Captures and graphs.
#![allow(clippy::undocumented_unsafe_blocks, clippy::macro_metavars_in_unsafe)]
mod common;
use common::*;
use ptx_driver::exports::abi::{GraphNodeParams, MemsetNodeParams};
use std::collections::HashSet;

#[test]
fn a_captured_fork_and_join_runs_at_each_launch() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let (p, q, e, f) = (alloc(4), alloc(4), event(), event());
    begin(a);
    set(p, 1, a);
    record(e, a);
    wait(b, e);
    copy(q, p, b);
    record(f, b);
    wait(a, f);
    let (code, graph) = end(a);
    assert_eq!(code, 0);
    assert_eq!(get(p, a), POISON, "nothing ran while it was captured");
    let mut n = 0;
    ok!(cuGraphGetNodes(graph, std::ptr::null_mut(), &mut n));
    assert_eq!(n, 2);
    let mut nodes = vec![0; n];
    ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut n));
    let mut kind = 0;
    ok!(cuGraphNodeGetType(nodes[1], &mut kind));
    assert_eq!(kind, 1);
    let exec = instantiate(graph);
    ok!(cuGraphDestroy(graph));
    ok!(cuGraphLaunch(exec, a));
    assert_eq!(get(q, a), 1);
    ok!(cuGraphExecDestroy(exec));
}

#[test]
fn nodes_without_edges_run_in_any_order() {
    let mut seen = HashSet::new();
    for seed in 1..40 {
        let _d = fresh(&[("SEED", &seed.to_string())]);
        let mut graph = 0;
        ok!(cuGraphCreate(&mut graph, 0));
        let p = alloc(4);
        for value in 0..3 {
            let params = MemsetNodeParams {
                dst: p,
                pitch: 0,
                value,
                element: 4,
                width: 1,
                height: 1,
            };
            ok!(cuGraphAddMemsetNode(
                &mut 0,
                graph,
                std::ptr::null(),
                0,
                &params,
                0
            ));
        }
        let exec = instantiate(graph);
        ok!(cuGraphLaunch(exec, 0));
        seen.insert(get(p, 0));
    }
    assert_eq!(seen.len(), 3);
}

#[test]
fn work_that_is_not_joined_is_refused() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let (p, e) = (alloc(4), event());
    begin(a);
    record(e, a);
    wait(b, e);
    set(p, 1, b);
    assert_eq!(end(a), (904, 0));
    // Both streams are as before.
    assert_eq!(get(p, b), POISON);
}

#[test]
fn waiting_for_a_captured_stream_spoils_the_capture() {
    let _d = fresh(&[]);
    let a = stream(true);
    begin(a);
    assert_eq!(cu!(cuStreamSynchronize(a)), 900);
    let mut status = 0;
    ok!(cuStreamIsCapturing(a, &mut status));
    assert_eq!(status, 2);
    let p = 0;
    assert_eq!(cu!(cuMemFreeAsync(p, a)), 1);
    assert_eq!(cu!(cuEventRecord(event(), a)), 901);
    assert_eq!(end(a), (901, 0));
    assert_eq!(end(a).0, 401);
}

#[test]
fn unsafe_calls_are_refused_by_mode() {
    let d = fresh(&[]);
    let a = stream(true);
    begin(a);
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 4)), 900);
    assert_eq!(end(a).0, 901);
    // A capture of one thread does not keep another from allocating, unless it is global.
    for (mode, expected) in [(0, 900), (1, 0), (2, 0)] {
        ok!(cuStreamBeginCapture_v2(a, mode));
        std::thread::scope(|s| {
            s.spawn(|| {
                ok!(cuCtxSetCurrent(d.context));
                assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 4)), expected);
            });
        });
        assert_eq!(end(a).0, if expected == 0 { 0 } else { 901 });
    }
    begin(a);
    let mut mode = 2;
    ok!(cuThreadExchangeStreamCaptureMode(&mut mode));
    assert_eq!(mode, 0);
    alloc(4);
    ok!(cuThreadExchangeStreamCaptureMode(&mut mode));
    assert_eq!((mode, end(a).0), (2, 0));
}

#[test]
fn the_legacy_stream_and_captures() {
    let _d = fresh(&[]);
    let (a, p, e) = (stream(false), alloc(4), event());
    assert_eq!(cu!(cuStreamBeginCapture_v2(0, 0)), 900);
    begin(a);
    assert_eq!(cu!(cuMemsetD32_v2(p, 1, 1)), 906);
    assert_eq!(end(a).0, 901);
    begin(a);
    record(e, a);
    assert_eq!(cu!(cuStreamWaitEvent(0, e, 0)), 906);
    assert_eq!(end(a).0, 901);
    begin(a);
    assert_eq!(cu!(cuStreamIsCapturing(0, &mut 0)), 906);
    assert_eq!(end(a).0, 0);
}

#[test]
fn captures_are_isolated_from_one_another() {
    let d = fresh(&[]);
    let (a, b, e, f) = (stream(true), stream(true), event(), event());
    record(f, b);
    begin(a);
    assert_eq!(cu!(cuStreamWaitEvent(a, f, 0)), 905);
    assert_eq!(end(a).0, 901);
    begin(a);
    begin(b);
    record(e, a);
    assert_eq!(cu!(cuEventSynchronize(e)), 907);
    assert_eq!((end(a).0, end(b).0), (901, 0));
    begin(a);
    begin(b);
    record(e, a);
    assert_eq!(cu!(cuStreamWaitEvent(b, e, 0)), 902);
    assert_eq!((end(a).0, end(b).0), (901, 901));
    begin(a);
    record(e, a);
    wait(b, e);
    assert_eq!(end(b).0, 903);
    assert_eq!(end(a).0, 901);
    begin(a);
    std::thread::scope(|s| {
        s.spawn(|| {
            ok!(cuCtxSetCurrent(d.context));
            assert_eq!(end(a).0, 908);
        });
    });
    assert_eq!(end(a).0, 0);
}

#[test]
fn memory_that_a_graph_allocates() {
    let _d = fresh(&[]);
    let a = stream(true);
    let q = alloc(4);
    begin(a);
    let p = alloc_async(4, a);
    set(p, 3, a);
    copy(q, p, a);
    ok!(cuMemFreeAsync(p, a));
    let (code, graph) = end(a);
    assert_eq!(code, 0);
    let exec = instantiate(graph);
    for _ in 0..2 {
        ok!(cuGraphLaunch(exec, a));
        assert_eq!(get(q, a), 3);
    }
    // Not freed in the graph: the next launch needs it freed, or instantiation that frees.
    begin(a);
    let p = alloc_async(4, a);
    set(p, 4, a);
    let (_, graph) = end(a);
    let exec = instantiate(graph);
    ok!(cuGraphLaunch(exec, a));
    assert_eq!(get(p, a), 4);
    assert_eq!(cu!(cuGraphLaunch(exec, a)), 1);
    ok!(cuMemFreeAsync(p, a));
    ok!(cuGraphLaunch(exec, a));
    assert_eq!(get(p, a), 4);
    let mut freeing = 0;
    ok!(cuGraphInstantiateWithFlags(&mut freeing, graph, 1));
    ok!(cuGraphLaunch(freeing, a));
    ok!(cuGraphLaunch(freeing, a));
    ok!(cuStreamSynchronize(a));
}

#[test]
fn an_update_takes_parameters_but_no_other_form() {
    let _d = fresh(&[]);
    let (a, p) = (stream(true), alloc(4));
    let captured = |values: &[u32]| {
        begin(a);
        values.iter().for_each(|value| set(p, *value, a));
        end(a).1
    };
    let exec = instantiate(captured(&[1]));
    let mut info =
        unsafe { std::mem::zeroed::<ptx_driver::exports::abi::GraphExecUpdateResultInfo>() };
    ok!(cuGraphExecUpdate_v2(exec, captured(&[2]), &mut info));
    ok!(cuGraphLaunch(exec, a));
    assert_eq!(get(p, a), 2);
    assert_eq!(
        cu!(cuGraphExecUpdate_v2(exec, captured(&[1, 2]), &mut info)),
        910
    );
    assert_eq!(info.result, 2);
}

#[test]
fn a_graph_launched_in_a_capture_becomes_a_child() {
    let _d = fresh(&[]);
    let (a, p, q) = (stream(true), alloc(4), alloc(4));
    begin(a);
    set(p, 5, a);
    let inner = instantiate(end(a).1);
    begin(a);
    ok!(cuGraphLaunch(inner, a));
    copy(q, p, a);
    let (code, graph) = end(a);
    assert_eq!(code, 0);
    let exec = instantiate(graph);
    ok!(cuGraphExecDestroy(inner));
    ok!(cuGraphLaunch(exec, a));
    assert_eq!(get(q, a), 5);
}

#[test]
fn circles_are_refused() {
    let _d = fresh(&[]);
    let (mut graph, mut x, mut y) = (0, 0, 0);
    ok!(cuGraphCreate(&mut graph, 0));
    ok!(cuGraphAddEmptyNode(&mut x, graph, std::ptr::null(), 0));
    ok!(cuGraphAddEmptyNode(&mut y, graph, &x, 1));
    ok!(cuGraphAddDependencies(graph, &y, &x, 1));
    assert_eq!(cu!(cuGraphInstantiateWithFlags(&mut 0, graph, 0)), 1);
}

#[test]
fn a_body_runs_while_its_value_is_set() {
    let _d = fresh(&[]);
    let (mut graph, mut handle, mut node) = (0, 0, 0);
    let (p, q) = (alloc(4), alloc(4));
    ok!(cuMemsetD32_v2(p, 0, 1));
    ok!(cuMemsetD32_v2(q, 0, 1));
    ok!(cuGraphCreate(&mut graph, 0));
    ok!(cuGraphConditionalHandleCreate(&mut handle, graph, 0, 1, 1));
    let mut params: GraphNodeParams = unsafe { std::mem::zeroed() };
    params.kind = 13;
    (
        params.params.conditional.handle,
        params.params.conditional.kind,
    ) = (handle, 1);
    params.params.conditional.size = 1;
    ok!(cuGraphAddNode_v2(
        &mut node,
        graph,
        std::ptr::null(),
        std::ptr::null(),
        0,
        &mut params
    ));
    let body = unsafe { *params.params.conditional.bodies };
    // The body ends the loop, as cudaGraphSetConditional(handle, 0) in a kernel would: a store to the handle.
    let set = |dst, value| MemsetNodeParams {
        dst,
        pitch: 0,
        value,
        element: 4,
        width: 1,
        height: 1,
    };
    ok!(cuGraphAddMemsetNode(
        &mut 0,
        body,
        std::ptr::null(),
        0,
        &set(q, 8),
        0
    ));
    ok!(cuGraphAddMemsetNode(
        &mut 0,
        body,
        std::ptr::null(),
        0,
        &set(handle, 0),
        0
    ));
    ok!(cuGraphAddMemsetNode(&mut 0, graph, &node, 1, &set(p, 9), 0));
    let exec = instantiate(graph);
    for _ in 0..2 {
        ok!(cuMemsetD32_v2(q, 0, 1));
        ok!(cuGraphLaunch(exec, 0));
        assert_eq!((get(q, 0), get(p, 0)), (8, 9));
    }
}
