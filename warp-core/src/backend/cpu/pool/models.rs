//! The pool's protocol in every order of steps, up to a bound on how often a thread is interrupted.

use super::*;
use loom::thread;

/// A pool with this many workers.
fn pool(workers: usize) -> (&'static Pool, Vec<thread::JoinHandle<()>>) {
    let pool: &'static Pool = Box::leak(Box::new(Pool::new()));
    let threads = (1..=workers).map(|number| thread::spawn(move || pool.serve(number)));
    (pool, threads.collect())
}

/// One task of the owner's: each chunk adds to what it alone may touch.
fn task(pool: &Pool, chunks: i64) {
    assert!(!pool.owned.swap(true, SeqCst));
    let seen: Vec<_> = (0..chunks)
        .map(|_| loom::cell::UnsafeCell::new(0))
        .collect();
    let seen = Shared(seen);
    let work = |_: usize, begin: i64, _: i64| {
        // SAFETY: loom checks that no other thread is here.
        seen.at(begin).with_mut(|n| unsafe { *n += 1 });
    };
    assert!(pool.run(chunks, 1, chunks, &|| (), &work));
    for i in 0..chunks {
        // SAFETY: as above.
        assert_eq!(seen.at(i).with(|n| unsafe { *n }), 1);
    }
}

struct Shared(Vec<loom::cell::UnsafeCell<i32>>);

// SAFETY: loom checks every access.
unsafe impl Sync for Shared {}

impl Shared {
    fn at(&self, i: i64) -> &loom::cell::UnsafeCell<i32> {
        &self.0[i as usize]
    }
}

fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(f);
}

#[test]
fn loom_tasks_one_after_the_other() {
    model(3, || {
        let (pool, threads) = pool(1);
        task(pool, 2);
        task(pool, 2);
        pool.retire();
        threads
            .into_iter()
            .for_each(|t| t.join().expect("no panic"));
    });
}

#[test]
fn loom_two_workers() {
    model(2, || {
        let (pool, threads) = pool(2);
        task(pool, 3);
        pool.retire();
        threads
            .into_iter()
            .for_each(|t| t.join().expect("no panic"));
    });
}

#[test]
fn loom_retired_during_a_task() {
    model(3, || {
        let (pool, threads) = pool(1);
        let other = thread::spawn(|| pool.retire());
        task_if_free(pool);
        other.join().expect("no panic");
        threads
            .into_iter()
            .for_each(|t| t.join().expect("no panic"));
    });
}

/// A task unless another thread owns the pool.
fn task_if_free(pool: &Pool) {
    if !pool.owned.swap(true, SeqCst) {
        let total = AtomicI64::new(0);
        let work = |_: usize, begin: i64, end: i64| {
            total.fetch_add(end - begin, Relaxed);
        };
        assert!(pool.run(2, 1, 2, &|| (), &work));
        assert_eq!(total.load(Relaxed), 2);
    }
}
