use super::{
    Binding, Callee, Caller, Dims, Extent, Extents, Operator, OperatorParam, Source, Supply, Take,
    needs_clearing,
};
use crate::abi::{ArrayArg, BlockLayout};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::launch::Block;
use crate::ty::Elem;

const F32: Elem = Elem::Scalar(Scalar::F32);

fn param(name: &str, ndim: usize, binding: Binding) -> OperatorParam {
    OperatorParam {
        name: name.into(),
        elem: F32,
        ndim,
        binding,
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
            param("a", 0, Binding::Value),
            param("x", ndim, Binding::Read),
            param("y", ndim, Binding::InOut),
            param("out", ndim, Binding::Out),
        ],
        front: Vec::new(),
        item: Some((0..ndim).map(|dim| extent(1, dim)).collect()),
    }
}

#[test]
fn fills_have_names() {
    for binding in Binding::ALL {
        assert_eq!(Binding::named(binding.name()), Some(binding));
    }
    assert_eq!(Binding::named("zeros"), None);
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
    op.parameters.push(param("last", 2, Binding::Out));
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
    op.parameters[3].binding = Binding::Stand;
    op.parameters[3].like = Some(6);
    op.parameters[2].binding = Binding::Clear;
    op.parameters.push(param("adj_x", 1, Binding::Out));
    op.parameters[4].item = Some(vec![extent(1, 0)]);
    op.parameters.push(param("adj_y", 1, Binding::Absent));
    op.parameters[5].like = Some(3);
    op.parameters.push(param("adj_out", 1, Binding::Read));
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
    op.parameters[3].binding = Binding::Zeros;
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
    alone.parameters[2].binding = Binding::Stand;
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

/// Arrays of as many elements as `sizes` says, at addresses that are ten times their parameter; new ones have 1 more.
#[derive(Default)]
struct Counting {
    sizes: Vec<i64>,
    asked: Vec<String>,
}

fn at(address: usize, extent: i64) -> ArrayArg {
    let mut arg = ArrayArg {
        data: address as *mut u8,
        ..ArrayArg::MISSING
    };
    arg.shape[0] = extent as i32;
    arg
}

impl Caller for Counting {
    type Error = Error;

    fn error(&self, error: Error) -> Error {
        error
    }
    fn given(&mut self, param: usize, take: Take) -> Result<(Extents, Option<ArrayArg>)> {
        self.asked.push(format!("{take:?} {param}"));
        let extent = self.sizes[param];
        let arg = (take != Take::Extents).then(|| at(10 * param, extent));
        Ok((Extents::from_slice(&[extent]), arg))
    }
    fn make(&mut self, param: usize, extents: &[i64], zero: bool) -> Result<ArrayArg> {
        self.asked.push(format!("make {param} {extents:?} {zero}"));
        Ok(at(10 * param + 1, extents[0]))
    }
    fn value(&mut self, param: usize, block: &mut Block, offset: usize) -> Result<()> {
        self.asked.push(format!("value {param}"));
        block.write(offset, &7i32.to_ne_bytes());
        Ok(())
    }
}

#[test]
fn a_call_fills_every_parameter() {
    let mut op = saxpy(1);
    op.parameters.push(param("sum", 1, Binding::Clear));
    op.parameters.push(param("like", 1, Binding::Stand));
    op.parameters.push(param("none", 1, Binding::Absent));
    (op.parameters[5].like, op.parameters[6].like) = (Some(3), Some(4));
    let layout = BlockLayout {
        offsets: (0..7).map(|i| 16 + 56 * i).collect(),
        size: 16 + 56 * 7,
    };
    let covered = [false, false, false, true, true, false, false];
    let pack = |sizes: &[i64], launch: Option<&[i64]>| {
        let resolved = op.resolve(launch.map(<[i64]>::len), None).unwrap();
        let callee = Callee {
            operator: &op,
            resolved: &resolved,
            layout: &layout,
            covered: &covered,
        };
        let (sizes, asked) = (sizes.to_vec(), Vec::new());
        let mut caller = Counting { sizes, asked };
        let given = Dims {
            launch,
            outputs: None,
        };
        let mut block = Block::default();
        let dims = callee.pack(&mut caller, given, &mut block)?;
        Ok::<_, Error>((dims, block, caller.asked))
    };
    let (dims, block, asked) = pack(&[0, 5, 5, 0, 3], None).unwrap();
    assert_eq!(dims, [5, 1, 1, 1]);
    // The kernel writes all of `out`, but not of `sum`, over which it is not launched.
    let wanted = [
        "Array 1",
        "Copy 2",
        "Extents 4",
        "make 3 [5] false",
        "make 4 [3] true",
        "value 0",
    ];
    assert_eq!(asked, wanted);
    let array = |i: usize| *block.array(layout.offsets[i]);
    assert_eq!(block.bytes(16, 4), 7i32.to_ne_bytes());
    assert_eq!(
        [array(1), array(2), array(3)],
        [at(10, 5), at(20, 5), at(31, 5)]
    );
    assert_eq!([array(4), array(5)], [at(41, 3), at(31, 5)]);
    assert_eq!(array(6), at(0, 3), "no memory, and the extents of `sum`");
    let (dims, _, asked) = pack(&[0, 5, 5, 0, 3], Some(&[2])).unwrap();
    assert_eq!((dims, &*asked[3]), ([2, 1, 1, 1], "make 3 [2] false"));
    let refused = pack(&[0, 5, 5, 0, 3], Some(&[-1])).unwrap_err();
    assert!(
        refused.message.contains("launch dimensions (-1,)"),
        "{refused}"
    );
    let refused = pack(&[0, 5, 5, 0, 1 << 40], None).unwrap_err();
    assert!(
        refused.message.contains("'sum' has an extent of"),
        "{refused}"
    );
}
