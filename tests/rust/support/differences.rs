//! Runs a kernel and its adjoint in the interpreter and compares with central differences.

use warp_core::adjoint::{Adjoint, ArrayReport, Class, Data, Options, reverse};
use warp_core::interp::{Arg, Memory, Num, run};
use warp_core::ir::{Func, ParamId};

/// A kernel with arguments. The objective is the sum over all float arrays of content after the
/// launch times a seed.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub func: Func,
    /// How many threads it has along each dimension.
    pub dims: Vec<i32>,
    /// What it is given.
    pub args: Vec<Arg>,
    /// The arrays among that.
    pub memory: Memory,
}

/// How well an adjoint agreed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Derivatives that agreed.
    pub agreed: usize,
    /// Derivatives without meaning: the objective jumps or has a kink there.
    pub kinks: usize,
}

fn buffer(case: &Case, param: ParamId) -> usize {
    match case.args[param.0 as usize] {
        Arg::Array(i) => i,
        _ => panic!("an array is given for each array parameter"),
    }
}

/// A seed that differs from element to element.
fn seed(param: ParamId, at: usize) -> f64 {
    0.5 + ((param.0 as usize * 7 + at * 3) % 11) as f64 / 11.0
}

/// Memory after the kernel.
fn after(case: &Case, memory: &Memory) -> Memory {
    let mut memory = memory.clone();
    if let Err(fault) = run(&case.func, &case.dims, &case.args, &mut memory) {
        panic!("{fault}\n{}", case.func);
    }
    memory
}

fn objective(case: &Case, report: &[ArrayReport], memory: &Memory) -> f64 {
    let memory = after(case, memory);
    let mut sum = 0.0;
    for array in report.iter().filter(|a| a.grad.is_some()) {
        let data = &memory.buffers[buffer(case, array.param)].data;
        for (at, num) in data.iter().enumerate() {
            sum += seed(array.param, at) * num.float();
        }
    }
    sum
}

/// What an adjoint is run on.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What the adjoint is given.
    pub args: Vec<Arg>,
    /// The arrays among that.
    pub memory: Memory,
    /// The gradients, seeds in them, in the order of their parameters.
    pub grads: Vec<Arg>,
}

/// Gives an adjoint what its report asks for. `missing` has no gradient.
pub fn prepare(case: &Case, adjoint: &Adjoint, missing: Option<ParamId>) -> Prepared {
    let done = after(case, &case.memory);
    let mut memory = case.memory.clone();
    let mut args = case.args.clone();
    for array in &adjoint.report.arrays {
        let at = buffer(case, array.param);
        match array.data {
            Data::Same | Data::Before | Data::Scratch | Data::Live => {}
            Data::After => memory.buffers[at] = done.buffers[at].clone(),
            // Nothing may depend on what it holds.
            Data::None => {
                let float = memory.buffers[at].elem.scalar().is_float();
                let junk = if float {
                    Num::Float(f64::NAN)
                } else {
                    Num::Int(1 << 20)
                };
                memory.buffers[at].data.fill(junk);
            }
        }
    }
    let mut grads = Vec::new();
    for array in adjoint.report.arrays.iter().filter(|a| a.grad.is_some()) {
        let source = memory.buffers[buffer(case, array.param)].clone();
        let seeds: Vec<f64> = (0..source.data.len())
            .map(|k| seed(array.param, k))
            .collect();
        let arg = memory.floats(source.elem, &source.shape, &seeds);
        grads.push(arg.clone());
        args.push(if missing == Some(array.param) {
            Arg::Missing
        } else {
            arg
        });
    }
    Prepared {
        args,
        memory,
        grads,
    }
}

/// Runs the adjoint; gives the gradients by parameter, seeds included.
pub fn gradients(case: &Case, adjoint: &Adjoint, missing: Option<ParamId>) -> Vec<Vec<f64>> {
    let Prepared {
        args,
        mut memory,
        grads,
    } = prepare(case, adjoint, missing);
    let given = memory.buffers[..case.memory.buffers.len()].to_vec();
    if let Err(fault) = run(&adjoint.func, &case.dims, &args, &mut memory) {
        panic!("{fault}\n{}\n{}", case.func, adjoint.func);
    }
    assert_eq!(
        memory.buffers[..given.len()],
        given[..],
        "content is left as it was\n{}",
        adjoint.func
    );
    grads.iter().map(|g| memory.read(g)).collect()
}

/// Compares all derivatives with respect to all float arrays, with and without consuming the seeds of arrays
/// that are stored once, and with each gradient missing in turn.
pub fn check(case: &Case) -> Outcome {
    let plain = differentiate(case, &Options::default());
    let once = plain
        .report
        .arrays
        .iter()
        .filter(|a| a.class == Class::StoredOnce);
    let options = Options {
        consume: once.map(|a| a.param).collect(),
        ..Options::default()
    };
    let consuming = differentiate(case, &options);
    let exact = gradients(case, &consuming, None);
    let read_only = gradients(case, &plain, None);
    let report: Vec<ArrayReport> = consuming.report.arrays.clone();
    let floats: Vec<&ArrayReport> = report.iter().filter(|a| a.grad.is_some()).collect();

    let mut outcome = Outcome::default();
    for (k, array) in floats.iter().enumerate() {
        let seeds = (0..exact[k].len()).map(|at| seed(array.param, at));
        if matches!(
            array.class,
            Class::StoredOnce | Class::Added | Class::Extremum
        ) {
            assert!(seeds.eq(read_only[k].iter().copied()), "a seed was written");
        } else {
            assert_eq!(exact[k], read_only[k], "consuming changes other gradients");
        }
        let missing = gradients(case, &consuming, Some(array.param));
        for (other, found) in missing.iter().enumerate() {
            let affects = array.class != Class::Loaded;
            if other != k && !affects {
                assert_eq!(*found, exact[other], "a missing gradient changes others");
            }
        }
        if array.class == Class::Extremum {
            continue;
        }
        for (at, found) in exact[k].iter().enumerate() {
            match compare(case, &report, array.param, at, *found) {
                Ok(true) => outcome.agreed += 1,
                Ok(false) => outcome.kinks += 1,
                Err(what) => panic!(
                    "{what}\n{}\n{}\n{:?}",
                    case.func, consuming.func, consuming.report
                ),
            }
        }
    }
    outcome
}

fn differentiate(case: &Case, options: &Options) -> Adjoint {
    match reverse(&case.func, options) {
        Ok(adjoint) => adjoint,
        Err(error) => panic!("{error}\n{}", case.func),
    }
}

/// True if the derivative agrees with differences of some step; false if there is none.
fn compare(
    case: &Case,
    report: &[ArrayReport],
    param: ParamId,
    at: usize,
    found: f64,
) -> Result<bool, String> {
    let shifted = |h: f64| {
        let mut memory = case.memory.clone();
        let num = &mut memory.buffers[buffer(case, param)].data[at];
        *num = Num::Float(num.float() + h);
        objective(case, report, &memory)
    };
    let mut tried = Vec::new();
    for h in [1e-5, 1e-4, 1e-6, 1e-3, 1e-7] {
        let central = (shifted(h) - shifted(-h)) / (2.0 * h);
        if (central - found).abs() <= 2e-6 * (1.0 + central.abs()) {
            return Ok(true);
        }
        tried.push(central);
    }
    // Where one-sided differences of shrinking steps do not approach each other there is no derivative.
    let here = shifted(0.0);
    let gap = |h: f64| ((shifted(h) - here) / h - (here - shifted(-h)) / h).abs();
    if gap(1e-6) > 1e-3 * (1.0 + found.abs()) && gap(1e-7) > 0.5 * gap(1e-6) {
        return Ok(false);
    }
    let name = &case.func.param(param).name;
    Err(format!(
        "d/d{name}[{at}]: adjoint {found}, differences {tried:?}"
    ))
}
