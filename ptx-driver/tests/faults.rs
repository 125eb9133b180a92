//! What a fault breaks, and what it does not; threads; settings.
#![allow(clippy::undocumented_unsafe_blocks, clippy::macro_metavars_in_unsafe)]
mod common;
use common::*;

#[test]
fn a_fault_ends_its_context_and_no_other() {
    let d = fresh(&[("DEVICES", "2")]);
    let mut other = 0;
    ok!(cuDevicePrimaryCtxRetain(&mut other, 1));
    let (a, e) = (stream(true), event());
    let f = function(load(PTX).1, "stop");
    assert_eq!(launch(f, 0, a), 0);
    let p = alloc(4);
    for value in 0..5 {
        set(p, value, a);
    }
    record(e, a);
    ok!(cuCtxSetCurrent(other));
    let (b, q) = (stream(true), alloc(4));
    wait(b, e);
    set(q, 1, b);
    assert_eq!(
        get(q, b),
        1,
        "what a broken context owes does not hold others up"
    );
    ok!(cuCtxSetCurrent(d.context));
    assert_eq!(cu!(cuStreamSynchronize(a)), 719);
    assert_eq!(cu!(cuMemFree_v2(p)), 719);
    assert_eq!(cu!(cuEventQuery(e)), 719);
    assert_eq!(counts().pending, 0);
}

#[test]
fn a_reset_of_the_primary_context_heals() {
    let _d = fresh(&[]);
    assert_eq!(launch(function(load(PTX).1, "stop"), 0, 0), 0);
    assert_eq!(cu!(cuCtxSynchronize()), 719);
    ok!(cuDevicePrimaryCtxReset_v2(0));
    let mut context = 0;
    ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok!(cuCtxSetCurrent(context));
    let p = alloc(4);
    set(p, 1, 0);
    assert_eq!(get(p, 0), 1);
}

#[test]
fn a_fault_in_a_graph_ends_the_graph() {
    let _d = fresh(&[]);
    let (a, p) = (stream(true), alloc(4));
    let f = function(load(PTX).1, "stop");
    begin(a);
    set(p, 1, a);
    assert_eq!(launch(f, 0, a), 0);
    set(p, 2, a);
    let exec = instantiate(end(a).1);
    ok!(cuGraphLaunch(exec, a));
    assert_eq!(cu!(cuStreamSynchronize(a)), 719);
    assert!(last_fault().contains("kernel stop"), "{}", last_fault());
}

#[test]
fn many_threads_use_the_driver_at_once() {
    for order in ["lazy", "eager", "random"] {
        let d = fresh(&[("ORDER", order)]);
        let (shared, f) = (stream(true), function(load(PTX).1, "inc"));
        let p = alloc(4);
        set(p, 0, shared);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    ok!(cuCtxSetCurrent(d.context));
                    let own = stream(true);
                    for i in 0..200 {
                        assert_eq!(launch(f, p, shared), 0);
                        let q = alloc_async(64, own);
                        set(q, i, own);
                        if i % 8 == 0 {
                            ok!(cuStreamSynchronize(shared));
                        }
                        assert_eq!(get(q, own), i);
                        ok!(cuMemFreeAsync(q, own));
                    }
                    ok!(cuStreamSynchronize(own));
                    ok!(cuStreamDestroy_v2(own));
                });
            }
        });
        assert_eq!(get(p, shared), 800);
        let now = counts();
        assert_eq!(
            (now.kernels, now.allocations, now.streams, now.pending),
            (800, 1, 1, 0)
        );
    }
}

#[test]
fn an_unknown_setting_of_the_environment_stops_the_driver() {
    let _d = fresh(&[]);
    ptx_driver_reset();
    // SAFETY: tests of this file run one at a time while they hold the driver.
    unsafe { std::env::set_var("PTX_DRIVER_ODER", "eager") };
    let code = cu!(cuInit(0));
    // SAFETY: as above.
    unsafe { std::env::remove_var("PTX_DRIVER_ODER") };
    assert_eq!(code, 1);
    ok!(cuInit(0));
}
