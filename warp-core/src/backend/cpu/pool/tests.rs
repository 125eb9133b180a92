use super::*;
use std::sync::RwLock;

/// Tests that change the thread count or fork run alone.
static SETTING: RwLock<()> = RwLock::new(());

fn sum(n: i64, chunk: i64) -> i64 {
    let total = AtomicI64::new(0);
    run(n, chunk, &|| (), &|_, b, e| {
        assert!(b < e && e <= n);
        total.fetch_add((b..e).sum(), Relaxed);
    });
    total.into_inner()
}

#[test]
fn every_element_is_visited_once() {
    let _shared = SETTING.read();
    for n in [0, 1, 2, 63, 64, 65, 1000, 10_007] {
        for chunk in [-5, 0, 1, 7, 64, i64::MAX] {
            let seen: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
            run(n, chunk, &|| (), &|_, b, e| {
                for i in b..e {
                    seen[i as usize].fetch_add(1, Relaxed);
                }
            });
            assert!(
                seen.iter().all(|s| s.load(Relaxed) == 1),
                "n {n} chunk {chunk}"
            );
        }
    }
}

#[test]
fn many_threads_launch_at_once_and_within_launches() {
    let _shared = SETTING.read();
    let launches = if cfg!(debug_assertions) { 2000 } else { 10_000 };
    let launch = move |t: i64| {
        for i in 0..launches {
            let n = 1 + (i * 7 + t) % 300;
            assert_eq!(sum(n, 1 + n / 5), n * (n - 1) / 2);
        }
    };
    let all: Vec<_> = (0..16)
        .map(|t| std::thread::spawn(move || launch(t)))
        .collect();
    all.into_iter().for_each(|t| t.join().unwrap());
    let inner = AtomicI64::new(0);
    run(10, 1, &|| (), &|_, b, e| {
        for _ in b..e {
            inner.fetch_add(sum(100, 9), Relaxed);
        }
    });
    assert_eq!(inner.into_inner(), 10 * 4950);
}

#[test]
fn the_thread_count_changes_under_way() {
    let _alone = SETTING.write();
    let other = std::thread::spawn(|| {
        for _ in 0..2000 {
            assert_eq!(sum(500, 10), 500 * 499 / 2);
        }
    });
    for n in (1..6).cycle().take(100) {
        set_threads(n);
        assert_eq!(threads(), n);
        let most = AtomicUsize::new(0);
        run(64, 1, &|| (), &|w, _, _| {
            most.fetch_max(w, Relaxed);
        });
        assert!(most.into_inner() < 6);
    }
    other.join().unwrap();
    set_threads(0);
}

#[test]
fn several_threads_take_part() {
    let _alone = SETTING.write();
    set_threads(3);
    let who: [AtomicBool; 3] = Default::default();
    // Each chunk waits (up to a second) until all three have been seen.
    run(3, 1, &|| (), &|w, _, _| {
        who[w].store(true, Relaxed);
        for _ in 0..1000 {
            if who.iter().all(|w| w.load(Relaxed)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    });
    assert!(who.iter().all(|w| w.load(Relaxed)));
    set_threads(0);
}

#[test]
fn a_panic_surfaces_and_the_pool_goes_on() {
    let _alone = SETTING.write();
    set_threads(2);
    for bad in 0..20 {
        let result = catch_unwind(|| {
            run(20, 1, &|| (), &|_, b, _| {
                if b == bad {
                    resume_unwind(Box::new("asked for"));
                }
            });
        });
        assert!(result.is_err());
        assert_eq!(sum(100, 3), 4950);
    }
    set_threads(0);
}

#[test]
fn a_forked_child_works() {
    let _alone = SETTING.write();
    set_threads(2);
    assert_eq!(sum(1000, 10), 499_500);
    // SAFETY: the child computes, makes its own pool and leaves without unwinding.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let right = (0..50).all(|_| sum(1000, 10) == 499_500);
            libc::_exit(i32::from(!right));
        }
        let mut status = -1;
        for _ in 0..1000 {
            if libc::waitpid(child, &mut status, libc::WNOHANG) == child {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        if status != 0 {
            libc::kill(child, libc::SIGKILL);
        }
        assert_eq!(status, 0, "the child failed or hung");
    }
    assert_eq!(sum(1000, 10), 499_500);
    set_threads(0);
}

#[test]
fn a_child_forked_within_a_task_does_not_wait_for_workers() {
    let _alone = SETTING.write();
    set_threads(2);
    let (begun, child) = (AtomicBool::new(false), AtomicI64::new(-1));
    let fork = || {
        if child.load(Relaxed) < 0 {
            // SAFETY: the child computes, makes its own pool and leaves without unwinding.
            child.store(unsafe { libc::fork() }.into(), Relaxed);
        }
    };
    let complete = run(2, 1, &fork, &|worker, _, _| {
        if worker != 0 {
            begun.store(true, Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        // The other thread must have a chunk.
        while !begun.load(Relaxed) {
            std::thread::yield_now();
        }
    });
    if child.load(Relaxed) == 0 {
        let right = !complete && sum(1000, 10) == 499_500;
        // SAFETY: ends the process.
        unsafe { libc::_exit(i32::from(!right)) }
    }
    assert!(complete && child.load(Relaxed) > 0);
    let mut status = -1;
    // SAFETY: waits for a child of ours.
    unsafe { libc::waitpid(child.load(Relaxed) as i32, &mut status, 0) };
    assert_eq!(status, 0);
    assert_eq!(sum(1000, 10), 499_500);
    set_threads(0);
}
