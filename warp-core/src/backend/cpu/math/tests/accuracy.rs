//! Every function at every width: results near the true ones, and the same bits at all widths.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::reference::{Reference, Sum, library, limit};
use super::samples::{BLOCK, SPECIAL, block, every};
use super::*;

/// Blocks that every run tries of each function.
const FEW: u64 = 8;
/// Blocks of the long run: more than 1e8 arguments.
const MANY: u64 = 24_500;

/// Distance of `got` from the sum of two `want` in units of its last place at precision `ty`.
fn ulps(got: f64, want: Sum, ty: Ty) -> f64 {
    let (high, low) = want;
    let (digits, least, most) = match ty {
        Ty::F32 => (23, -149, f64::from(f32::MAX)),
        _ => (52, -1074, f64::MAX),
    };
    let high = if high.abs() > most {
        high.signum() * f64::INFINITY
    } else {
        high
    };
    if high == 0.0 && got == 0.0 && low == 0.0 {
        let same = high.is_sign_negative() == got.is_sign_negative();
        return if same { 0.0 } else { f64::INFINITY };
    }
    if got.is_nan() || high.is_nan() {
        return if got.is_nan() && high.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got.is_infinite() || high.is_infinite() {
        // One step past the largest number counts as one step.
        let finite = if got.is_infinite() { high } else { got };
        let near = finite.abs() >= most && got.signum() == high.signum();
        return match got == high {
            true => 0.0,
            false if near => 1.0,
            false => f64::INFINITY,
        };
    }
    let exponent = (high.abs().to_bits() >> 52) as i32 - 1023;
    let last = (exponent - digits).max(least);
    let off = ((got - high) - low).abs();
    match last < -1022 {
        // A number of these bits is the power itself.
        true => off / f64::from_bits(1 << (last + 1074)),
        false => off / f64::from_bits(((last + 1023) as u64) << 52),
    }
}

/// The worst of many arguments, and what is wrong.
struct Found {
    worst: f64,
    at: (f64, f64),
    count: u64,
    bad: Option<String>,
}

/// A function at every width.
struct Trial {
    f: Function,
    scalar: Compiled,
    vectors: Vec<(usize, Compiled)>,
    reference: Reference,
}

impl Trial {
    fn new(f: Function) -> Trial {
        Trial {
            f,
            scalar: Compiled::new(f, 1),
            vectors: WIDTHS.iter().map(|w| (*w, Compiled::new(f, *w))).collect(),
            reference: Reference::new(f),
        }
    }

    fn on(&self, x: &[f64], y: &[f64], found: &mut Found) {
        let scalar = self.scalar.run(x, y);
        let wanted = self.reference.of(self.f, x, y, &scalar);
        for (i, want) in wanted.into_iter().enumerate() {
            let u = ulps(scalar[i], want, self.f.ty);
            if u > found.worst {
                (found.worst, found.at) = (u, (x[i], y[i]));
                if u > limit(self.f) {
                    let text = format!(
                        "{}({:e}, {:e}) = {:e} not {:e}: {u} ulp",
                        self.f.stem(),
                        x[i],
                        y[i],
                        scalar[i],
                        want.0
                    );
                    found.bad = Some(text);
                }
            }
        }
        for (w, vector) in &self.vectors {
            let vector = vector.run(x, y);
            let differs = |i: &usize| {
                vector[*i].to_bits() != scalar[*i].to_bits()
                    && !(vector[*i].is_nan() && scalar[*i].is_nan())
            };
            if let Some(i) = (0..x.len()).find(differs) {
                let text = format!(
                    "{} at width {w}: ({:e}, {:e}) is {:e} not {:e}",
                    self.f.stem(),
                    x[i],
                    y[i],
                    vector[i],
                    scalar[i]
                );
                found.bad = Some(text);
            }
        }
        found.count += x.len() as u64;
    }

    /// Tries blocks on some threads.
    fn run(&self, threads: usize, long: bool) -> Found {
        let all = long && self.f.arity == 1 && self.f.ty == Ty::F32;
        let blocks = match (all, long) {
            (true, _) => (1 << 32) / BLOCK as u64,
            (_, true) => MANY,
            _ => FEW,
        };
        let next = AtomicU64::new(0);
        let empty = || Found {
            worst: 0.0,
            at: (0.0, 0.0),
            count: 0,
            bad: None,
        };
        let work = || {
            let mut found = empty();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= blocks || found.bad.is_some() {
                    return found;
                }
                let (x, y) = if all { every(n) } else { block(self.f, n) };
                self.on(&x, &y, &mut found);
            }
        };
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let founds = runs.into_iter().map(|r| r.join().unwrap());
            founds.fold(empty(), |a, b| {
                let count = a.count + b.count;
                let bad = a.bad.clone().or(b.bad.clone());
                let worse = if a.worst >= b.worst { a } else { b };
                Found {
                    count,
                    bad,
                    ..worse
                }
            })
        })
    }
}

/// `work` on each of `of`, on all processors.
fn on_each<T: Send>(of: Vec<T>, threads: usize, work: impl Fn(T) + Sync) {
    let left = Mutex::new(of);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = { left.lock().unwrap().pop() } {
                    work(item);
                }
            });
        }
    });
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// With `WARP_SOAK`: all numbers of single precision for functions of one, 1e8 for the others; `WARP_MATH=sin.f32,pow.f64` takes some.
#[test]
fn accurate_and_equal_at_every_width() {
    let long = std::env::var_os("WARP_SOAK").is_some();
    let some = std::env::var("WARP_MATH").unwrap_or_default();
    let chosen = |f: &Function| some.is_empty() || some.split(',').any(|s| s == f.stem());
    let lines = Mutex::new(Vec::new());
    let bad = Mutex::new(Vec::new());
    // A long run shares the blocks of each function, a short one the functions.
    let (outer, inner) = if long { (1, threads()) } else { (threads(), 1) };
    let of: Vec<Function> = Function::all()
        .filter(|f| f.has_body() && chosen(f))
        .collect();
    on_each(of, outer, |f| {
        let found = Trial::new(f).run(inner, long);
        let line = format!(
            "{:12} {:.3} ulp at ({:e}, {:e}) of {}",
            f.stem(),
            found.worst,
            found.at.0,
            found.at.1,
            found.count
        );
        if long {
            eprintln!("{line}");
        }
        lines.lock().unwrap().push(line);
        bad.lock().unwrap().extend(found.bad);
    });
    let mut lines = lines.into_inner().unwrap();
    lines.sort();
    println!("{}", lines.join("\n"));
    let bad = bad.into_inner().unwrap();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn every_function_has_a_body() {
    let without: Vec<String> = Function::all()
        .filter(|f| !f.has_body())
        .map(Function::stem)
        .collect();
    assert_eq!(without, [""; 0], "without a body in backend::math");
}

/// Zeros, infinities and NaN where the C library has them, and the signs of the first two.
#[test]
fn special_values_are_the_c_library_s() {
    on_each(Function::all().collect(), threads(), |f| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for a in SPECIAL {
            for b in SPECIAL {
                let single = |v: f64| {
                    if f.ty == Ty::F32 {
                        f64::from(v as f32)
                    } else {
                        v
                    }
                };
                x.push(single(a));
                y.push(single(b));
            }
        }
        let (found, of) = (Compiled::new(f, 8).run(&x, &y), library(f.name));
        for (i, got) in found.into_iter().enumerate() {
            let want = of(x[i], y[i]);
            let want = if f.ty == Ty::F32 {
                f64::from(want as f32)
            } else {
                want
            };
            let regular = want != 0.0 && want.is_finite();
            let same = regular || got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(
                same,
                "{}({:e}, {:e}) = {got:e} not {want:e}",
                f.stem(),
                x[i],
                y[i]
            );
        }
    });
}

/// What users expect to the last digit.
#[test]
fn whole_results_are_exact() {
    let exact = [
        ("exp", 0.0, 0.0, 1.0),
        ("exp2", 10.0, 0.0, 1024.0),
        ("exp2", -3.0, 0.0, 0.125),
        ("log", 1.0, 0.0, 0.0),
        ("log2", 8.0, 0.0, 3.0),
        ("log2", 0.25, 0.0, -2.0),
        ("log10", 1.0, 0.0, 0.0),
        ("log10", 1000.0, 0.0, 3.0),
        ("cbrt", 27.0, 0.0, 3.0),
        ("cbrt", -8.0, 0.0, -2.0),
        ("pow", 3.0, 2.0, 9.0),
        ("pow", -2.0, 3.0, -8.0),
        ("pow", -2.0, -2.0, 0.25),
        ("pow", 10.0, 6.0, 1e6),
        ("pow", 4.0, 0.5, 2.0),
        ("pow", 5.0, 0.0, 1.0),
        ("cos", 0.0, 0.0, 1.0),
        ("cosh", 0.0, 0.0, 1.0),
        ("acos", 1.0, 0.0, 0.0),
        ("erfc", 0.0, 0.0, 1.0),
        ("erfcinv", 1.0, 0.0, 0.0),
        ("atan2", 0.0, 5.0, 0.0),
        ("fmod", 7.5, 2.0, 1.5),
        ("fmod", -7.5, 2.0, -1.5),
    ];
    for f in Function::all() {
        let of: Vec<_> = exact.iter().filter(|row| row.0 == f.name).collect();
        let x: Vec<f64> = of.iter().map(|row| row.1).collect();
        let y: Vec<f64> = of.iter().map(|row| row.2).collect();
        let want: Vec<f64> = of.iter().map(|row| row.3).collect();
        // The kernel runs at least once.
        if of.is_empty() {
            continue;
        }
        assert_eq!(Compiled::new(f, 1).run(&x, &y), want, "{}", f.stem());
    }
}
