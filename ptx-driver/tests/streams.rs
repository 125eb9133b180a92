//! Streams, events, and what is executed when.
#![allow(clippy::undocumented_unsafe_blocks, clippy::macro_metavars_in_unsafe)]
mod common;
use common::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn without_an_event_the_other_stream_reads_poison() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let p = alloc(4);
    set(p, 7, a);
    assert_eq!(get(p, b), POISON);
    assert_eq!(get(p, a), 7);
}

#[test]
fn with_an_event_it_reads_what_was_written() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let (p, e) = (alloc(4), event());
    set(p, 7, a);
    record(e, a);
    wait(b, e);
    assert_eq!(get(p, b), 7);
}

#[test]
fn in_eager_order_the_missing_event_goes_unnoticed() {
    let _d = fresh(&[("ORDER", "eager")]);
    let (a, b) = (stream(true), stream(true));
    let p = alloc(4);
    set(p, 7, a);
    assert_eq!(get(p, b), 7);
}

#[test]
fn random_order_shows_both_outcomes_and_repeats_with_its_seed() {
    let run = |seed: u32| {
        let _d = fresh(&[("ORDER", "random"), ("SEED", &seed.to_string())]);
        let (a, b) = (stream(true), stream(true));
        let p = alloc(4);
        set(p, 7, a);
        get(p, b)
    };
    let all: Vec<u32> = (0..32).map(run).collect();
    assert!(all.contains(&7) && all.contains(&POISON), "{all:?}");
    assert_eq!(all, (0..32).map(run).collect::<Vec<_>>());
}

#[test]
fn an_event_stands_for_what_was_recorded_when_the_wait_was_made() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let (p, e) = (alloc(4), event());
    set(p, 1, a);
    record(e, a);
    wait(b, e);
    set(p, 2, a);
    record(e, a);
    assert_eq!(get(p, b), 1);
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_they_for_it() {
    let _d = fresh(&[]);
    let (a, n) = (stream(false), stream(true));
    let p = alloc(4);
    set(p, 7, a);
    assert_eq!(get(p, 0), 7);
    ok!(cuMemsetD32_v2(p, 8, 1));
    assert_eq!(get(p, a), 8);
    set(p, 9, n);
    assert_eq!(get(p, 1), 8, "a non-blocking stream is not waited for");
    ok!(cuMemsetD32_v2(p, 10, 1));
    assert_eq!(get(p, n), 9, "nor does it wait");
}

#[test]
fn each_thread_has_a_default_stream_of_its_own() {
    let d = fresh(&[]);
    let p = alloc(4);
    set(p, 7, 2);
    let (mine, other) = (&mut 0u64, &mut 0u64);
    ok!(cuStreamGetId(2, mine));
    std::thread::scope(|s| {
        s.spawn(|| {
            ok!(cuCtxSetCurrent(d.context));
            ok!(cuStreamGetId(2, other));
            assert_eq!(get(p, 2), POISON);
        });
    });
    assert_ne!(mine, other);
    assert_eq!(get(p, 2), 7);
}

#[test]
fn queries_make_one_step_of_progress() {
    let _d = fresh(&[]);
    let a = stream(true);
    let p = alloc(4);
    set(p, 1, a);
    set(p, 2, a);
    assert_eq!(cu!(cuStreamQuery(a)), 600);
    assert_eq!(cu!(cuStreamQuery(a)), 600);
    assert_eq!(cu!(cuStreamQuery(a)), 0);
    let e = event();
    assert_eq!(cu!(cuEventQuery(e)), 0, "never recorded");
    record(e, a);
    assert_eq!(cu!(cuEventQuery(e)), 600);
    assert_eq!(cu!(cuEventQuery(e)), 0);
}

#[test]
fn pageable_sources_are_read_at_once_and_pinned_ones_late() {
    let _d = fresh(&[]);
    let a = stream(true);
    let (p, q) = (alloc(4), alloc(4));
    let mut pageable = 1u32;
    let pinned = pinned(1);
    pinned[0] = 1;
    ok!(cuMemcpyHtoDAsync_v2(p, &raw const pageable as u64, 4, a));
    ok!(cuMemcpyHtoDAsync_v2(q, pinned.as_ptr() as u64, 4, a));
    pageable += 1;
    pinned[0] += 1;
    assert_eq!((get(p, a), get(q, a)), (1, 2), "{pageable}");
}

#[test]
fn a_copy_to_the_host_lands_when_the_stream_gets_there() {
    let _d = fresh(&[]);
    let a = stream(true);
    let p = alloc(4);
    set(p, 7, a);
    let host = pinned(1);
    ok!(cuMemcpyDtoHAsync_v2(host.as_ptr() as u64, p, 4, a));
    assert_eq!(host[0], POISON);
    ok!(cuStreamSynchronize(a));
    assert_eq!(unsafe { host.as_ptr().read_volatile() }, 7);
}

#[test]
fn a_long_chain_of_events_is_no_deep_recursion() {
    let _d = fresh(&[]);
    let streams: Vec<usize> = (0..64).map(|_| stream(true)).collect();
    let p = alloc(4);
    set(p, 1, streams[0]);
    for i in 0..200_000 {
        let e = event();
        record(e, streams[i % 64]);
        wait(streams[(i + 1) % 64], e);
        ok!(cuEventDestroy_v2(e));
    }
    assert_eq!(get(p, streams[200_000 % 64]), 1);
}

#[test]
fn the_work_of_a_destroyed_stream_is_done_when_something_waits_for_it() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let (p, e) = (alloc(4), event());
    set(p, 7, a);
    record(e, a);
    ok!(cuStreamDestroy_v2(a));
    assert_eq!(cu!(cuStreamSynchronize(a)), 400);
    wait(b, e);
    assert_eq!(get(p, b), 7);
}

static CALLS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn try_the_driver(_: *mut c_void) {
    let mut p = 0;
    CALLS.store(cu!(cuMemAlloc_v2(&mut p, 4)), Ordering::SeqCst);
    let mut n = 0;
    assert_eq!(cu!(cuDeviceGetCount(&mut n)), 0);
}

#[test]
fn a_host_function_may_not_allocate() {
    let _d = fresh(&[]);
    ok!(cuLaunchHostFunc(0, Some(try_the_driver), 0));
    assert_eq!(CALLS.load(Ordering::SeqCst), 0);
    ok!(cuStreamSynchronize(0));
    assert_eq!(CALLS.load(Ordering::SeqCst), 800);
}

static GO: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn wait_for_go(_: *mut c_void) {
    GO.store(1, Ordering::SeqCst);
    while GO.load(Ordering::SeqCst) != 2 {
        std::thread::yield_now();
    }
}

#[test]
fn a_host_function_that_waits_holds_no_other_thread_up() {
    let d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    ok!(cuLaunchHostFunc(a, Some(wait_for_go), 0));
    std::thread::scope(|s| {
        s.spawn(|| {
            ok!(cuCtxSetCurrent(d.context));
            ok!(cuStreamSynchronize(a));
        });
        while GO.load(Ordering::SeqCst) != 1 {
            std::thread::yield_now();
        }
        let p = alloc(4);
        set(p, 3, b);
        assert_eq!(get(p, b), 3);
        GO.store(2, Ordering::SeqCst);
    });
}

#[test]
fn time_advances_with_work() {
    let _d = fresh(&[]);
    let a = stream(true);
    let (x, y, p) = (event(), event(), alloc(1 << 20));
    record(x, a);
    ok!(cuMemsetD8Async(p, 0, 1 << 20, a));
    record(y, a);
    let mut ms = 0.0;
    assert_eq!(cu!(cuEventElapsedTime(&mut ms, x, y)), 600);
    ok!(cuEventSynchronize(y));
    ok!(cuEventElapsedTime(&mut ms, x, y));
    assert!(ms > 0.0);
}

#[test]
fn wrong_handles_are_refused() {
    let _d = fresh(&[]);
    let (a, e) = (stream(true), event());
    assert_eq!(cu!(cuStreamSynchronize(e)), 400);
    assert_eq!(cu!(cuEventRecord(a, a)), 400);
    assert_eq!(cu!(cuStreamCreate(std::ptr::null_mut(), 0)), 1);
    assert_eq!(cu!(cuStreamCreate(&mut 0, 2)), 1);
    assert_eq!(cu!(cuEventCreate(&mut 0, 4)), 1, "interprocess, but timed");
    ok!(cuCtxSetCurrent(0));
    assert_eq!(cu!(cuStreamSynchronize(a)), 201);
}

#[test]
fn copies_to_pageable_memory_wait_if_they_are_told_to() {
    for (setting, expected) in [("late", 0), ("wait", 7)] {
        let _d = fresh(&[("PAGEABLE", setting)]);
        let (a, p) = (stream(true), alloc(4));
        let mut host = 0u32;
        let at = &raw mut host;
        set(p, 7, a);
        ok!(cuMemcpyDtoHAsync_v2(at as u64, p, 4, a));
        assert_eq!(unsafe { at.read_volatile() }, expected);
        ok!(cuStreamSynchronize(a));
        assert_eq!(unsafe { at.read_volatile() }, 7);
    }
}
