use super::{Extent, Fill, Operator, OperatorParam, Source, Supply, needs_clearing};
use crate::dtype::Scalar;
use crate::error::Code;
use crate::ty::Elem;

const F32: Elem = Elem::Scalar(Scalar::F32);

fn param(name: &str, ndim: usize, fill: Fill) -> OperatorParam {
    OperatorParam {
        name: name.into(),
        elem: F32,
        ndim,
        fill,
        like: None,
        front: Vec::new(),
        item: None,
    }
}

const fn extent(param: usize, dim: usize) -> Extent {
    Extent { param, dim }
}

const fn of(param: usize, dim: usize) -> Source {
    Source::Of(extent(param, dim))
}

/// `saxpy(a, x, y, out)`: as many threads as `x` has elements; `y` is changed.
fn saxpy(ndim: usize) -> Operator {
    Operator {
        title: "kernel 'saxpy'".into(),
        parameters: vec![
            param("a", 0, Fill::Value),
            param("x", ndim, Fill::Read),
            param("y", ndim, Fill::InOut),
            param("out", ndim, Fill::Out),
        ],
        front: Vec::new(),
        item: Some((0..ndim).map(|dim| extent(1, dim)).collect()),
    }
}

#[test]
fn fills_have_names() {
    for fill in Fill::ALL {
        assert_eq!(Fill::named(fill.name()), Some(fill));
    }
    assert_eq!(Fill::named("zeros"), None);
}

#[test]
fn arguments_and_results_are_in_order() {
    let op = saxpy(1);
    assert_eq!(op.arguments().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(op.results().collect::<Vec<_>>(), [2, 3]);
    assert_eq!(op.outputs().collect::<Vec<_>>(), [3]);
    assert_eq!(op.copied().collect::<Vec<_>>(), [2]);
}

#[test]
fn outputs_have_the_launch_dimensions() {
    let made = saxpy(2).resolve(None, None).unwrap();
    assert_eq!(made.launch, [of(1, 0), of(1, 1)]);
    let out = Supply::New(vec![of(1, 0), of(1, 1)]);
    assert_eq!(
        made.supplies,
        [Supply::Value, Supply::Argument, Supply::Copy, out]
    );
    let given = saxpy(1).resolve(Some(1), None).unwrap();
    assert_eq!(given.launch, [Source::Launch(0)]);
    assert_eq!(given.supplies[3], Supply::New(vec![Source::Launch(0)]));
}

#[test]
fn output_dimensions_follow_each_other() {
    let mut op = saxpy(1);
    op.parameters.push(param("last", 2, Fill::Out));
    assert_eq!(op.output_dims(), 3);
    let made = op.resolve(None, Some(3)).unwrap();
    assert_eq!(made.launch, [of(1, 0)]);
    assert_eq!(made.supplies[3], Supply::New(vec![Source::Output(0)]));
    let last = vec![Source::Output(1), Source::Output(2)];
    assert_eq!(made.supplies[4], Supply::New(last));
}

#[test]
fn a_batch_has_its_extent_in_front() {
    let mut op = saxpy(1);
    op.front = vec![extent(1, 0)];
    op.item = Some(vec![extent(1, 1)]);
    op.parameters[1].ndim = 2;
    op.parameters[3].ndim = 2;
    op.parameters[3].front = vec![extent(1, 0)];
    let made = op.resolve(None, None).unwrap();
    assert_eq!(made.launch, [of(1, 0), of(1, 1)]);
    assert_eq!(made.supplies[3], Supply::New(vec![of(1, 0), of(1, 1)]));
    let given = op.resolve(Some(1), Some(1)).unwrap();
    assert_eq!(given.launch, [of(1, 0), Source::Launch(0)]);
    let out = vec![of(1, 0), Source::Output(0)];
    assert_eq!(given.supplies[3], Supply::New(out));
}

#[test]
fn what_an_adjoint_gets() {
    let mut op = saxpy(1);
    op.parameters[3].fill = Fill::Stand;
    op.parameters[3].like = Some(6);
    op.parameters[2].fill = Fill::Clear;
    op.parameters.push(param("adj_x", 1, Fill::Out));
    op.parameters[4].item = Some(vec![extent(1, 0)]);
    op.parameters.push(param("adj_y", 1, Fill::Absent));
    op.parameters[5].like = Some(3);
    op.parameters.push(param("adj_out", 1, Fill::Read));
    let made = op.resolve(None, None).unwrap();
    let want = [
        Supply::Value,
        Supply::Argument,
        Supply::New(vec![of(2, 0)]),
        Supply::Same(6),
        Supply::New(vec![of(1, 0)]),
        // Through the parameter that stands for another one.
        Supply::Missing(6),
        Supply::Argument,
    ];
    assert_eq!(made.supplies, want);
    // Its gradient has the extents of the array, whatever the caller gives.
    assert_eq!(op.output_dims(), 0);
}

#[test]
fn extents_of_made_arrays_lead_to_arguments() {
    let mut op = saxpy(1);
    op.parameters[3].fill = Fill::Zeros;
    op.parameters[3].item = Some(vec![extent(2, 0)]);
    op.item = Some(vec![extent(3, 0)]);
    assert_eq!(op.launch(None).unwrap(), [of(2, 0)]);
}

#[track_caller]
fn refused(op: &Operator, launch: Option<usize>, outputs: Option<usize>, want: &str) {
    let error = op.resolve(launch, outputs).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Value, want));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mut op = saxpy(1);
    refused(
        &op,
        Some(2),
        None,
        "kernel 'saxpy': output 'out' has 1 dimensions and the launch 2; give output_dims",
    );
    refused(
        &op,
        None,
        Some(2),
        "kernel 'saxpy': output_dims has 2 extents, expected 1 for all outputs together",
    );
    for count in [0, 5] {
        let text = format!("kernel 'saxpy': the launch has {count} dimensions, expected 1 to 4");
        refused(&op, Some(count), Some(1), &text);
    }
    op.item = None;
    let text = "kernel 'saxpy': no input array says how many threads to launch; give launch_dims";
    refused(&op, None, None, text);
    // Where the outputs' extents are given, arrays need no launch.
    assert!(op.supplies(None, Some(1)).is_ok());
}

#[test]
fn descriptions_without_sense_are_bugs() {
    let bug = |op: &Operator| op.resolve(None, None).unwrap_err().code == Code::Bug;
    let mut circle = saxpy(1);
    circle.parameters[3].item = Some(vec![extent(3, 0)]);
    assert!(bug(&circle));
    let mut alone = saxpy(1);
    alone.parameters[2].fill = Fill::Stand;
    assert!(bug(&alone));
    alone.parameters[2].like = Some(2);
    assert!(bug(&alone));
    alone.parameters[2].like = Some(0);
    assert!(bug(&alone));
    let mut short = saxpy(1);
    short.item = Some(vec![extent(1, 1)]);
    assert!(bug(&short));
}

#[test]
fn shapes_end_in_elements() {
    let mut op = saxpy(1);
    op.parameters[1].elem = Elem::Vec {
        len: 3,
        scalar: Scalar::F32,
    };
    op.check_shape(1, &[7i64, 3]).unwrap();
    op.check_shape(2, &[0i64]).unwrap();
    let text = |param, shape: &[i64]| op.check_shape(param, shape).unwrap_err().message;
    assert_eq!(
        text(1, &[4, 2]),
        "kernel 'saxpy': argument 'x' has shape (4, 2), expected 2 dimensions (n, 3) for an array of vec(3, float32)"
    );
    assert_eq!(
        text(2, &[]),
        "kernel 'saxpy': argument 'y' has shape (), expected 1 dimensions (n,) for an array of float32"
    );
}

#[test]
fn extents_are_int32() {
    let op = saxpy(1);
    assert_eq!(op.check_launch(&[2, 0]).unwrap(), [2, 0, 1, 1]);
    let text = |dims: &[i64]| op.check_launch(dims).unwrap_err().message;
    assert_eq!(
        text(&[-1]),
        "kernel 'saxpy': launch dimensions (-1,) are out of range: each is 0 to 2147483647"
    );
    assert!(text(&[1 << 31]).contains("are out of range"));
    assert!(text(&[1 << 30; 4]).ends_with("have more than 2**63 threads"));
    op.check_extents(3, &[0, i64::from(i32::MAX)]).unwrap();
    assert_eq!(
        op.check_extents(3, &[1, -2]).unwrap_err().message,
        "kernel 'saxpy': output 'out' has an extent of -2, expected 0 to 2147483647"
    );
}

#[test]
fn what_a_launch_covers_is_not_cleared() {
    assert!(!needs_clearing(true, &[3, 2], &[3, 2, 1, 1]));
    // Further threads write it all again.
    assert!(!needs_clearing(true, &[3], &[3, 2, 1, 1]));
    assert!(needs_clearing(true, &[3], &[3, 0, 1, 1]));
    assert!(needs_clearing(true, &[3], &[2, 1, 1, 1]));
    assert!(needs_clearing(false, &[3], &[3, 1, 1, 1]));
}
