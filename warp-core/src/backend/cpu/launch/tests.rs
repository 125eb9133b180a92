use super::*;
use crate::abi::ChangedArrays;
use std::cell::Cell;
use std::sync::atomic::AtomicI64;

/// Adds the index to each element; element `args[2]` fails.
unsafe extern "C" fn kernel(ctx: *mut Ctx, args: *const u8, begin: i64, end: i64) {
    // SAFETY: the arguments that `block` makes.
    unsafe {
        let args = args.cast::<i64>();
        let data = args.read() as *mut AtomicI64;
        for i in begin..end {
            if i == args.add(1).read() {
                crate::backend::cpu::runtime::fail(ctx, fault::INDEX, 3, i, 0);
                return;
            }
            (*data.add(i as usize)).fetch_add(i + 1, Relaxed);
        }
    }
}

unsafe extern "C" fn slow(_: *mut Ctx, _: *const u8, begin: i64, end: i64) {
    std::thread::sleep(Duration::from_micros(100 * (end - begin) as u64));
}

fn code(entry: Entry) -> Executable {
    // SAFETY: plain functions of the type of entries.
    unsafe { Executable::new(entry, None, ChangedArrays::default()) }
}

fn with<'a>(code: &'a Executable, args: &[i64; 2], n: i64) -> Launch<'a> {
    Launch {
        code,
        args: args.as_ptr().cast(),
        n,
        grain: 1,
        in_order: false,
        overlap: false,
        order: std::ptr::null(),
        interrupted: None,
    }
}

#[test]
fn every_element_runs_once_at_every_size() {
    let code = code(kernel);
    for n in [
        0i64, 1, 5, 16, 17, 100, 5000, 200_000, 1_000_000, 3, 100_000,
    ] {
        for in_order in [false, true] {
            let data: Vec<AtomicI64> = (0..n).map(|_| AtomicI64::new(0)).collect();
            let args = [data.as_ptr() as i64, -1];
            // SAFETY: `kernel` gets the block it expects.
            unsafe {
                run(&Launch {
                    in_order,
                    ..with(&code, &args, n)
                })
            }
            .unwrap();
            assert!(
                data.iter().zip(1..).all(|(d, i)| d.load(Relaxed) == i),
                "{n}"
            );
        }
    }
    assert!(code.cost().is_short(5), "{code:?}");
}

#[test]
fn a_fault_ends_the_launch_and_is_reported() {
    let code = code(kernel);
    for n in [10i64, 1_000_000] {
        let data: Vec<AtomicI64> = (0..n).map(|_| AtomicI64::new(0)).collect();
        let bad = n * 3 / 4;
        let args = [data.as_ptr() as i64, bad];
        // SAFETY: as above.
        let e = unsafe { run(&with(&code, &args, n)) }.unwrap_err();
        assert_eq!((e.code, e.span, e.a), (fault::INDEX, 3, bad));
        assert_eq!(data[bad as usize].load(Relaxed), 0);
    }
}

#[test]
fn a_launch_can_be_cancelled_and_interrupted() {
    let code = code(slow);
    let cancel = AtomicU32::new(0);
    let start = Instant::now();
    let e = std::thread::scope(|s| {
        s.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            cancel.store(1, Relaxed);
        });
        let asked = || cancel.load(Relaxed) != 0;
        let l = Launch {
            interrupted: Some(&asked),
            ..with(&code, &[0, 0], 1 << 20)
        };
        // SAFETY: `slow` reads no arguments.
        unsafe { run(&l) }.unwrap_err()
    });
    assert_eq!(e.code, fault::CANCELLED);
    let stop = || start.elapsed() > Duration::from_millis(100);
    let l = Launch {
        interrupted: Some(&stop),
        ..with(&code, &[0, 0], 1 << 20)
    };
    // SAFETY: as above.
    assert_eq!(unsafe { run(&l) }.unwrap_err().code, fault::CANCELLED);
    assert!(start.elapsed() < Duration::from_secs(5));
}

thread_local! {
    /// Elements that `takes` has run on this thread.
    static DONE: Cell<i64> = const { Cell::new(0) };
}

/// Each element takes `args[0]` microseconds.
unsafe extern "C" fn takes(_: *mut Ctx, args: *const u8, begin: i64, end: i64) {
    // SAFETY: the arguments are two numbers.
    let each = unsafe { args.cast::<u64>().read() };
    if each > 0 {
        std::thread::sleep(Duration::from_micros(each * (end - begin) as u64));
        DONE.with(|done| done.set(done.get() + end - begin));
    }
}

/// Within a second, in work of the thread that asks: a busy machine makes the clock run on, and no element.
#[test]
fn a_launch_far_dearer_than_the_last_can_be_interrupted() {
    let code = code(takes);
    for _ in 0..3 {
        // SAFETY: `takes` gets the two numbers that it expects.
        unsafe { run(&with(&code, &[0, 0], 1 << 24)) }.unwrap();
    }
    let each = Duration::from_micros(200);
    let args = [each.as_micros() as i64, 0];
    let start = Instant::now();
    let stop = || start.elapsed() > Duration::from_millis(50);
    let l = Launch {
        interrupted: Some(&stop),
        ..with(&code, &args, 1 << 24)
    };
    // SAFETY: as above.
    assert_eq!(unsafe { run(&l) }.unwrap_err().code, fault::CANCELLED);
    let worked = each * DONE.get() as u32;
    assert!(worked < Duration::from_secs(1), "{worked:?}");
}

#[test]
fn a_small_kernel_whose_first_launch_was_slow_is_short_again() {
    for n in [1i64, 5, 16] {
        let code = code(kernel);
        let cost = code.cost();
        cost.observe(n, 100 * INLINE);
        assert!(!cost.is_short(n));
        let data: Vec<AtomicI64> = (0..n).map(|_| AtomicI64::new(0)).collect();
        let args = [data.as_ptr() as i64, -1];
        for _ in 0..3 {
            // SAFETY: `kernel` gets the block it expects.
            unsafe { run(&with(&code, &args, n)) }.unwrap();
        }
        assert!(cost.is_short(n), "{cost:?}");
    }
}

/// What took the place of `slow` while that ran is run by later chunks, and what it cost is not believed of it.
#[test]
fn a_launch_goes_on_with_a_faster_function() {
    let code = code(slow);
    let mut whom = None;
    code.await_faster(|awaiting| {
        whom = Some(awaiting);
        || ()
    });
    let whom = whom.expect("just said");
    let start = Instant::now();
    std::thread::scope(|s| {
        s.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            // SAFETY: `takes` is given a time of 0, and so does as little as is asked of it.
            unsafe { whom.replace(takes, Box::new(())) };
        });
        // SAFETY: neither function reads more than the numbers.
        unsafe { run(&with(&code, &[0, 0], 1 << 20)) }.unwrap();
    });
    // `slow` would take minutes.
    assert!(start.elapsed() < Duration::from_secs(20));
    let cost = code.cost().ns_per_element();
    assert!(cost.is_none_or(|ns| ns < 50_000.0), "{cost:?}");
}

#[test]
fn one_slow_launch_is_doubted_and_two_are_believed() {
    let us = Duration::from_micros;
    let cost = crate::backend::cpu::Cost::new();
    assert!(!cost.is_short(1), "nothing is known");
    cost.observe(100, us(4));
    assert!(cost.is_short(200) && !cost.is_short(300));
    cost.observe(100, us(400));
    assert!(
        cost.is_short(200) && cost.is_sampled(),
        "a preempted thread"
    );
    cost.observe(100, us(4));
    cost.observe(100, us(400));
    cost.observe(100, us(400));
    assert!(!cost.is_short(3), "a kernel that takes longer now");
    cost.observe(100, us(1));
    assert!(cost.is_short(900), "and less again");
    cost.observe(1, us(1));
    assert!(cost.is_short(900), "the clock is no news");
}
