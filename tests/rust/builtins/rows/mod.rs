//! Every row of the builtin table against its own test facts: values against the reference,
//! gradients and second derivatives against central differences.

mod program;
mod rotations;
mod samples;

use program::{ARRAY, derivatives, weight};
pub use program::{Program, finish, gradient, program};
pub use samples::{Choice, Random, Shape, arguments, close, each_overload, given, sample};
use samples::{choices, each, is_exempt};
use std::collections::{BTreeMap, BTreeSet};
use warp_core::builtins::{self, Overload, Row, sig};
use warp_core::dtype::Scalar;
use warp_core::interp;
use warp_core::ir::primitive::Reference;
use warp_core::ir::{Builder, Kind, Op, PRIMITIVES, ParamType};
use warp_core::ty::{Compound, Elem};

fn run(program: &Program, args: &[Elem], x: &[f64]) -> Vec<f64> {
    let (mut memory, all) = given(program.results, args, x);
    interp::run(&program.func, &[1], &all, &mut memory)
        .unwrap_or_else(|fault| panic!("{fault:?}\n{}", program.func));
    memory.read(&all[0])
}

fn weighted(program: &Program, args: &[Elem], x: &[f64]) -> f64 {
    run(program, args, x)
        .iter()
        .enumerate()
        .map(|(k, y)| weight(k) * y)
        .sum()
}

/// Central difference of fourth order; None where two step widths disagree (next to a pole or a
/// kink), so that the difference is no measure.
fn difference(program: &Program, args: &[Elem], x: &[f64], i: usize) -> Option<f64> {
    let estimate = |h: f64| {
        let at = |by: f64| {
            let mut moved = x.to_vec();
            moved[i] += by * h;
            weighted(program, args, &moved)
        };
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
    };
    let h = 2e-4 * x[i].abs().max(1.0);
    let (coarse, fine) = (estimate(h), estimate(0.5 * h));
    close(coarse, fine, 2e-8).then_some(fine)
}

fn check_values(row: &Row, overload: &Overload, args: &[Elem]) {
    let (b, _, results) = program(row, args);
    let ints = results.iter().all(|r| !b.ty(*r).is_float());
    let program = finish(b, &results);
    let mut random = Random(7);
    for _ in 0..40 {
        let x = sample(&mut random, overload, args);
        let expected = match overload.facts.reference {
            Reference::Is(f) => f(&x),
            Reference::IsInt(f) => {
                let x: Vec<i32> = x.iter().map(|x| *x as i32).collect();
                vec![f64::from(f(&x))]
            }
            Reference::Exempt(_) => return,
        };
        let found = run(&program, args, &x);
        let tolerance = if ints { 0.0 } else { 1e-10 };
        let same = found.len() == expected.len()
            && found
                .iter()
                .zip(&expected)
                .all(|(f, e)| close(*f, *e, tolerance));
        assert!(
            same,
            "{}{args:?} at {x:?}: found {found:?}, expected {expected:?}",
            row.name
        );
    }
}

fn check_slopes(row: &Row, overload: &Overload, args: &[Elem]) {
    let (b, _, results) = program(row, args);
    if !results.iter().any(|r| b.ty(*r).is_float()) {
        return;
    }
    let floats: Vec<bool> = args
        .iter()
        .flat_map(|a| vec![a.scalar().is_float(); a.count()])
        .collect();
    let (value, first, second) = derivatives(row, args);
    let mut random = Random(11);
    let (mut checked, mut skipped) = (0, 0);
    for _ in 0..12 {
        let x = sample(&mut random, overload, args);
        for (program, of, what, tolerance) in [
            (&first, &value, "gradient", 1e-7),
            (&second, &first, "second derivative", 1e-6),
        ] {
            let found = run(program, args, &x);
            for i in (0..x.len()).filter(|i| floats[*i]) {
                let Some(expected) = difference(of, args, &x, i) else {
                    skipped += 1;
                    continue;
                };
                checked += 1;
                assert!(
                    close(found[i], expected, tolerance),
                    "{what} of {}{args:?} by component {i} at {x:?}: found {}, expected {expected}",
                    row.name,
                    found[i],
                );
            }
        }
    }
    assert!(
        skipped * 5 <= checked,
        "{}: {skipped} of {checked} skipped",
        row.name
    );
}

#[test]
fn every_row_has_facts() {
    for row in builtins::rows() {
        assert!(
            !row.doc.is_empty() && !row.overloads.is_empty(),
            "{}",
            row.name
        );
        for overload in row.overloads {
            let facts = overload.facts;
            match facts.reference {
                Reference::Exempt(why) => assert!(!why.is_empty(), "{}", row.name),
                _ => assert!(!facts.domain.is_empty(), "{} has no domain", row.name),
            }
        }
    }
}

#[test]
fn every_row_computes_what_its_reference_says() {
    let mut checked = 0;
    each(|row, overload, args| {
        check_values(row, overload, args);
        checked += 1;
    });
    assert!(checked > 100, "only {checked} signatures were checked");
}

#[test]
fn every_row_has_the_gradient_that_differences_show() {
    each(check_slopes);
}

/// What the reference says: by which arguments there are derivatives.
#[test]
fn every_row_is_differentiable_by_the_arguments_that_it_states() {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    each(|row, overload, args| {
        let (b, _, results) = program(row, args);
        let moving = found.entry(row.name).or_default();
        if !results.iter().any(|r| b.ty(*r).is_float()) {
            return;
        }
        let (_, first, _) = derivatives(row, args);
        let params = sig::parse(overload.sig);
        let mut random = Random(5);
        for _ in 0..60 {
            let x = sample(&mut random, overload, args);
            let mut slopes = run(&first, args, &x).into_iter();
            for (param, elem) in params.iter().zip(args) {
                let own: Vec<f64> = slopes.by_ref().take(elem.count()).collect();
                if own.iter().any(|slope| *slope != 0.0) {
                    moving.insert(param.name);
                }
            }
        }
    });
    let wrong = found.iter().filter_map(|(name, moving)| {
        let stated = builtins::differentiable(builtins::find(name).expect("a row"));
        let stated: BTreeSet<&str> = stated.into_iter().collect();
        (stated != *moving).then(|| format!("{name}: stated {stated:?}, found {moving:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_expands_for_every_float_type() {
    for row in builtins::rows() {
        for overload in row.overloads.iter().filter(|o| !is_exempt(o)) {
            for float in [Scalar::F16, Scalar::BF16, Scalar::F32] {
                for choice in choices(overload) {
                    let choice = Choice {
                        float,
                        number: float,
                        ..choice
                    };
                    let (b, _, results) = program(row, &arguments(overload, choice));
                    finish(b, &results);
                }
            }
        }
    }
}

#[test]
fn gradients_at_singular_points() {
    let at = |name: &str, elems: &[Elem], x: &[f64]| {
        let (_, first, second) = derivatives(builtins::find(name).expect("a row"), elems);
        let bends = run(&second, elems, x);
        assert!(
            bends.iter().all(|x| !x.is_nan()),
            "{name} at {x:?}: {bends:?}"
        );
        run(&first, elems, x)
    };
    let slopes = |name: &str, elems: &[Elem], x: &[f64]| {
        run(
            &derivatives(builtins::find(name).expect("a row"), elems).1,
            elems,
            x,
        )
    };
    let f = Elem::Scalar(Scalar::F64);
    let v = Elem::Vec {
        len: 3,
        scalar: Scalar::F64,
    };
    assert_eq!(at("length", &[v], &[0.0; 3]), [0.0; 3]);
    assert_eq!(at("normalize", &[v], &[0.0; 3]), [0.0; 3]);
    assert_eq!(at("abs", &[f], &[0.0]), [1.0]);
    assert_eq!(at("pow", &[f, f], &[0.0, 2.0]), [0.0, 0.0]);
    assert_eq!(at("pow", &[f, f], &[-3.0, 2.0]), [-6.0, 0.0]);
    assert_eq!(at("pow", &[f, f], &[0.0, 1.0]), [1.0, 0.0]);
    assert_eq!(at("pow", &[f, f], &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(
        slopes("pow", &[f, f], &[0.0, -1.0]),
        [f64::NEG_INFINITY, 0.0]
    );
    assert_eq!(slopes("asin", &[f], &[1.0]), [f64::INFINITY]);
    assert_eq!(at("atan2", &[f, f], &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at("min", &[f, f], &[2.0, 2.0]), [1.0, 0.0]);
    assert_eq!(at("max", &[f, f], &[2.0, 2.0]), [1.0, 0.0]);
    let q = Elem::Compound(Compound::Quat, Scalar::F64);
    assert_eq!(at("normalize", &[q], &[0.0; 4]), [0.0; 4]);
}

/// Operations that rows do not reach, or reach with one type only.
#[test]
fn primitives_without_a_row() {
    let slope = |op: Op, from: Scalar, to: Scalar, x: f64| {
        let mut b = Builder::new("k");
        b.param("out", ARRAY);
        let id = b.param("x", ParamType::Elem(Elem::Scalar(from)));
        let input = b.let_(from, Op::Param(id, 0), &[]);
        let result = b.let_(to, op, &[input]);
        let value = finish(b, &[result]);
        let (mut b, slopes) = gradient(&value.func, &[input], &[result]);
        assert!(from.is_int() || b.ty(slopes[0]) == from, "{op:?}");
        let wide = b.cast(slopes[0], Scalar::F64);
        run(&finish(b, &[wide]), &[Elem::Scalar(from)], &[x])[0]
    };
    let exp2 = slope(Op::Exp2, Scalar::F64, Scalar::F64, 1.5);
    assert!(close(exp2, 1.5f64.exp2() * 2f64.ln(), 1e-12), "{exp2}");
    assert_eq!(slope(Op::Cast, Scalar::F64, Scalar::F32, 0.1), 1.0);
    assert_eq!(slope(Op::Cast, Scalar::F32, Scalar::F64, 0.5), 1.0);
    assert_eq!(slope(Op::Cast, Scalar::I32, Scalar::F64, 2.0), 0.0);
}

/// A rule for an operation that no test here reaches would be a rule nobody has checked.
#[test]
fn rows_reach_every_float_operation() {
    let mut reached: Vec<Op> = vec![Op::Exp2];
    each(|row, _, args| {
        let (b, _, results) = program(row, args);
        let program = finish(b, &results);
        for stmt in &program.func.body.stmts {
            if let Kind::Let { op, .. } = stmt.kind {
                reached.push(op);
            }
        }
    });
    for row in PRIMITIVES {
        let (name, arity) = (row.name, row.rule.arity());
        let float = row.rule.result(&[Scalar::F64, Scalar::F64][..arity]) == Some(Scalar::F64);
        assert!(
            !float || reached.contains(&row.op),
            "no row reaches `{name}`"
        );
    }
}
