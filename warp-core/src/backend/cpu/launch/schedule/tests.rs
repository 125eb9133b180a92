use super::*;
use crate::backend::cpu::profile::{Found, Profile};

/// Nanoseconds of taking a chunk, calling the kernel and reading the clock.
const TAKEN: f64 = 150.0;

/// A launch that has been run in made-up time.
struct Run {
    chunks: Vec<(i64, i64)>,
    /// Nanoseconds until the last thread was done.
    took: f64,
}

/// Runs elements of given costs on threads that do not disturb each other.
fn simulate(costs: &[f64], threads: usize, grain: i64) -> Run {
    again(costs, threads, grain, &Profile::new())
}

/// Likewise, after launches that the profile knows.
fn again(costs: &[f64], threads: usize, grain: i64, profile: &Profile) -> Run {
    let mut sums = vec![0.0];
    sums.extend(costs.iter().scan(0.0, |sum, cost| {
        *sum += cost;
        Some(*sum)
    }));
    let n = costs.len() as i64;
    let average = sums[costs.len()] / n as f64;
    let tasks = tasks(n, average, 1, threads) as usize;
    let schedule = Schedule::new(0, n, tasks, grain)
        .divided(average)
        .shaped(profile.shape());
    let found = Found::new(n);
    let first = WorkerState::new(average, average);
    let mut at: Vec<(f64, WorkerState)> = (0..tasks).map(|k| (0.0, first.of(k))).collect();
    let mut chunks = Vec::new();
    loop {
        let (time, state) = (at.iter_mut())
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("somebody works");
        let Some((begin, end)) = schedule.take(state) else {
            break;
        };
        let cost = sums[end as usize] - sums[begin as usize];
        let lasted = Duration::from_nanos(cost as u64);
        state.observe(end - begin, lasted);
        found.note(begin, end, lasted);
        *time += TAKEN + cost;
        chunks.push((begin, end));
    }
    let took = at.iter().map(|(time, _)| *time).fold(0.0, f64::max);
    profile.learn(&found);
    Run { chunks, took }
}

/// A launch of `total` nanoseconds whose elements have costs in these proportions.
fn scaled(total: f64, n: usize, weight: impl Fn(f64) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..n).map(|i| weight(i as f64 / n as f64)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w * total / sum).collect()
}

fn even(_: f64) -> f64 {
    1.0
}
fn rising(x: f64) -> f64 {
    x
}
fn falling(x: f64) -> f64 {
    1.0 - x
}
fn rising_fast(x: f64) -> f64 {
    x * x * x
}
fn falling_fast(x: f64) -> f64 {
    (1.0 - x).powi(3)
}
fn last_tenth(x: f64) -> f64 {
    if x < 0.9 { 1.0 } else { 100.0 }
}
fn first_tenth(x: f64) -> f64 {
    if x >= 0.1 { 1.0 } else { 100.0 }
}
fn middle(x: f64) -> f64 {
    0.01 + (-((x - 0.5) / 0.1).powi(2)).exp()
}
/// One element in a hundred takes a hundred times as long.
fn few(x: f64) -> f64 {
    if (x * 1e6).round() as i64 % 100 == 37 {
        100.0
    } else {
        1.0
    }
}

type Shape = fn(f64) -> f64;

const SHAPES: [(&str, Shape); 9] = [
    ("even", even),
    ("rising", rising),
    ("falling", falling),
    ("rising fast", rising_fast),
    ("falling fast", falling_fast),
    ("last tenth", last_tenth),
    ("first tenth", first_tenth),
    ("middle", middle),
    ("few", few),
];

#[test]
fn uneven_launches_take_as_long_as_an_even_split() {
    for threads in [2, 3, 8, 64] {
        for each in [1e5, 1e6, 3e7] {
            for (name, shape) in SHAPES {
                let costs = scaled(each * threads as f64, 1 << 18, shape);
                let run = simulate(&costs, threads, 1);
                let longest = costs.iter().copied().fold(0.0, f64::max);
                let ratio = run.took / (each + longest);
                assert!(ratio < 1.1, "{name}, {threads} threads, {each} ns: {ratio}");
            }
        }
    }
}

/// Nothing can be known of the first launch of these; the next ones know it.
#[test]
fn a_second_launch_knows_where_the_first_was_dear() {
    let at = |at: f64, width: f64| move |x: f64| if x >= at && x < at + width { 1e4 } else { 1.0 };
    for threads in [2, 8, 64] {
        for (from, width) in [(0.5, 0.01), (0.31, 0.02), (0.99, 0.01), (0.0, 0.01)] {
            let (each, profile) = (3e6, Profile::new());
            let costs = scaled(each * threads as f64, 1 << 18, at(from, width));
            let took = [(); 4].map(|()| again(&costs, threads, 1, &profile).took);
            let worst = took[1..].iter().copied().fold(0.0, f64::max) / each;
            assert!(worst < 1.1, "{threads} threads, {width} at {from}: {worst}");
        }
    }
}

/// What another launch of the kernel was like makes this one no worse.
#[test]
fn a_launch_may_be_unlike_the_last() {
    let (each, threads) = (1e6, 4);
    for (_, before) in SHAPES {
        for (name, now) in SHAPES {
            let profile = Profile::new();
            again(&scaled(each * 4.0, 1 << 18, before), threads, 1, &profile);
            let costs = scaled(each * 4.0, 1 << 18, now);
            let run = again(&costs, threads, 1, &profile);
            let longest = costs.iter().copied().fold(0.0, f64::max);
            let ratio = run.took / (each + longest);
            assert!(ratio < 1.1, "{name}: {ratio}");
        }
    }
}

#[test]
fn every_element_is_in_one_chunk() {
    for n in [1, 2, 63, 64, 65, 1000, 10_007, 1 << 18] {
        for (threads, grain) in [(1, 1), (2, 1), (3, 7), (64, 1000)] {
            let run = simulate(&scaled(1e6, n, rising), threads, grain);
            let mut at = 0;
            let mut chunks = run.chunks;
            chunks.sort_unstable();
            for (begin, end) in chunks {
                assert!(begin == at && end > begin, "{n} {threads} {grain}");
                at = end;
            }
            assert_eq!(at, n as i64);
        }
    }
}

#[test]
fn chunks_are_worth_taking() {
    // Cheap elements: chunks of more than a microsecond, and few of them.
    for (threads, each) in [(1, 1e5), (2, 2e4), (2, 1e5), (2, 1e7), (64, 1e6)] {
        let costs = scaled(each * threads as f64, 1 << 20, even);
        let chunks = simulate(&costs, threads, 1).chunks;
        let shortest = chunks.iter().rev().skip(1).map(|(b, e)| e - b).min();
        let ns = costs[0] * shortest.unwrap_or(i64::MAX) as f64;
        assert!(ns > 0.9 * SHORTEST, "{threads} threads, {each} ns: {ns}");
        let per_thread = chunks.len() as f64 / threads as f64;
        assert!(per_thread * TAKEN < 0.06 * each, "{per_thread}");
    }
    // Expensive ones: one by one, and at most a millisecond of others.
    let expensive = simulate(&scaled(1e9, 100, even), 2, 1).chunks;
    assert!(expensive.iter().all(|(b, e)| e - b == 1));
    let long = simulate(&scaled(1e9, 1 << 18, even), 1, 1).chunks;
    let longest = long.iter().map(|(b, e)| e - b).max().unwrap_or(0);
    assert!(longest as f64 * 1e9 / f64::from(1 << 18) < 1.1 * LONGEST);
}

#[test]
fn chunks_are_whole_rows_or_gangs() {
    let inner = |chunks: &[(i64, i64)], unit: i64| {
        let ends = chunks[..chunks.len() - 1].iter().map(|(_, end)| end % unit);
        ends.filter(|rest| *rest != 0).count()
    };
    let costs = scaled(1e7, 1000 * 1000, even);
    assert_eq!(inner(&simulate(&costs, 4, 1).chunks, LANES), 0);
    let rows = simulate(&costs, 4, 100).chunks;
    assert_eq!(inner(&rows, 100), 0);
    // A launch that begins within a row comes back to rows.
    let schedule = Schedule::new(16, 1 << 20, 2, 1 << 10);
    let (_, end) = schedule
        .take(&mut WorkerState::new(1.0, 1.0))
        .expect("there are elements");
    assert_eq!(end % (1 << 10), 0);
    // Portions are whole gangs: one that is not full takes as long.
    let portions = Schedule::new(32, 132, 2, 1).in_gangs(32).divided(1.0);
    let mut second = WorkerState::new(1.0, 1.0).of(1);
    assert_eq!(portions.take(&mut second), Some((64, 132)));
}

#[test]
fn short_launches_wake_few_threads() {
    assert_eq!(tasks(1, 1e9, 1, 8), 1);
    assert_eq!(tasks(2, 1e9, 1, 8), 2);
    assert_eq!(tasks(1 << 20, 1e4, 1, 8), 8);
    assert_eq!(tasks(12_000, 1.0, 1, 8), 3);
    assert_eq!(tasks(100, 1e9, 32, 8), 4);
    assert_eq!(tasks(20, 1e9, 32, 8), 1);
}

/// In short launches each thread takes what it took in the last one, and others only what is left at the end.
#[test]
fn threads_keep_to_their_portions() {
    let n = 100_000;
    let schedule = Schedule::new(0, n, 4, 1).divided(0.1);
    let first = WorkerState::new(0.1, 0.1);
    for (worker, begin) in [(2, 50_000), (0, 0), (3, 75_000), (1, 25_000)] {
        let (at, end) = schedule
            .take(&mut first.of(worker))
            .expect("nothing is taken");
        assert!(
            (begin - at).abs() < LANES && end - at > 10_000,
            "{worker}: {at}..{end}"
        );
    }
    // One thread that is alone takes all.
    let mut state = first.of(6);
    let mut taken = vec![];
    while let Some(chunk) = schedule.take(&mut state) {
        taken.push(chunk);
    }
    assert!(taken[0].0 > 50_000 && taken[0].0 < 75_000, "{taken:?}");
    let before: i64 = taken.iter().map(|(begin, end)| end - begin).sum();
    assert!(before < n - 40_000 && taken.iter().any(|(_, end)| *end == n));
    assert_eq!(schedule.take(&mut first.of(1)), None);
}
