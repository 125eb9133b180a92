//! Array -> DLPack -> Array gives the same array, for every element, layout and number of dimensions, on every way.

use proptest::prelude::*;
use std::sync::Arc;
use warp_core::array::{Array, Index, Owner};
use warp_core::device::Device;
use warp_core::dtype::TABLE;
use warp_core::error::{Code, Result};
use warp_core::interop::Desc;
use warp_core::ty::{Compound, Elem};
use warp_dlpack::ffi::{DLDevice, DLTensor, DlpackFlags};
use warp_dlpack::{ShapeStrides, export, export_legacy, hold, hold_legacy, lend};

fn elems() -> impl Strategy<Value = Elem> {
    let scalar = (0..TABLE.len()).prop_map(|i| TABLE[i].scalar);
    (scalar, 0..5, 1u32..5, 1u32..5).prop_map(|(scalar, kind, rows, cols)| match kind {
        0 | 1 => Elem::Scalar(scalar),
        2 => Elem::Vec { len: rows, scalar },
        3 => Elem::Mat { rows, cols, scalar },
        _ => Elem::Compound(Compound::Quat, scalar),
    })
}

/// One dimension: elements in memory, the step between those taken and whether from behind, and how it is spread out.
#[derive(Clone, Copy, Debug)]
struct Side {
    len: i64,
    step: i64,
    broadcast: bool,
}

fn sides() -> impl Strategy<Value = Vec<Side>> {
    let step = prop_oneof![Just(1), Just(1), Just(-1), Just(2), Just(-3)];
    let side = (0i64..5, step, 0..8).prop_map(|(len, step, chance)| Side {
        len,
        step,
        broadcast: chance == 0,
    });
    proptest::collection::vec(side, 1..5)
}

/// An array with content, seen through steps, broadcasts and a permutation.
fn array(elem: Elem, sides: &[Side], order: usize, read_only: bool) -> Array {
    let shape: Vec<i64> = sides.iter().map(|s| s.len).collect();
    let whole = Array::zeros(elem, &shape, Device::Cpu).expect("small");
    let bytes = whole.view.layout().len() * elem.size();
    for i in 0..bytes {
        // SAFETY: the array has this many bytes.
        unsafe { *whole.view.arg.data.add(i) = (i * 37 % 251) as u8 };
    }
    let indices: Vec<Index> = sides
        .iter()
        .map(|s| {
            let start = if s.step < 0 { (s.len - 1).max(0) } else { 0 };
            let len = (s.len + s.step.abs() - 1) / s.step.abs();
            Index::Range {
                start,
                step: s.step,
                len,
            }
        })
        .collect();
    let (offset, layout) = whole.view.layout().index(&indices).expect("in range");
    let mut layout = layout.expect("ranges keep their dimensions");
    for (d, side) in sides.iter().enumerate() {
        if side.broadcast && layout.shape[d] > 0 {
            layout.strides[d] = 0;
        }
    }
    let mut axes: Vec<usize> = (0..sides.len()).collect();
    axes.rotate_left(order % sides.len());
    let mut view = whole
        .view
        .at(offset, layout.transpose(&axes).expect("a permutation"));
    view.read_only = read_only;
    whole.with_view(view)
}

fn users(owner: &Owner) -> usize {
    match owner {
        Owner::Own(memory) => Arc::strong_count(memory),
        other => panic!("not ours: {other:?}"),
    }
}

/// What comes back by a way, and who owns it.
type Way = fn(&Array) -> Result<(Desc, Option<Owner>)>;

const WAYS: [(&str, Way); 3] = [
    ("legacy", |a| {
        let managed = export_legacy(a)?;
        // SAFETY: valid, and handed over.
        let (desc, owner) = unsafe { hold_legacy(managed.into_raw()) }?;
        Ok((desc, Some(owner)))
    }),
    ("versioned", |a| {
        let managed = export(a, DlpackFlags::IS_COPIED)?;
        // SAFETY: valid, and handed over.
        let (desc, owner) = unsafe { hold(managed.into_raw()) }?;
        Ok((desc, Some(owner)))
    }),
    ("exchange", |a| {
        let mut numbers = ShapeStrides::default();
        let mut tensor = lend(&a.view, &mut numbers)?;
        tensor.shape = numbers[0].as_mut_ptr();
        tensor.strides = numbers[1].as_mut_ptr();
        let mut desc = Desc::EMPTY;
        // SAFETY: the numbers are there.
        unsafe { warp_dlpack::describe(&tensor, false, &mut desc) }?;
        Ok((desc, None))
    }),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn arrays_come_back_as_they_were(
        elem in elems(),
        sides in sides(),
        order in 0usize..4,
        read_only in proptest::bool::weighted(0.2),
    ) {
        let array = array(elem, &sides, order, read_only);
        let before = users(&array.owner);
        for (name, way) in WAYS {
            match way(&array) {
                Err(e) => {
                    prop_assert!(read_only && name != "versioned", "{}: {}", name, e);
                    prop_assert_eq!(e.code, Code::Buffer);
                }
                Ok((desc, owner)) => {
                    prop_assert!(!read_only || name == "versioned");
                    let view = desc.view(Some(elem)).expect(name);
                    prop_assert_eq!(view, array.view, "{}", name);
                    prop_assert_eq!(users(&array.owner), before + usize::from(owner.is_some()));
                    // Without being told about components, they are dimensions.
                    let inner = elem.inner_shape().len();
                    prop_assert_eq!(desc.ndim, sides.len() + inner);
                    prop_assert_eq!(desc.view(None).is_ok(), desc.ndim <= 4);
                    drop(owner);
                }
            }
            prop_assert_eq!(users(&array.owner), before, "{}", name);
        }
        let unused = export(&array, DlpackFlags::empty()).expect("every array of ours has DLPack strides");
        prop_assert_eq!(users(&array.owner), before + 1);
        drop(unused);
        prop_assert_eq!(users(&array.owner), before);
    }

    #[test]
    fn allocations_are_what_was_asked_for(
        scalar in (0..TABLE.len()).prop_map(|i| TABLE[i].scalar),
        mut shape in proptest::collection::vec(0i64..5, 0..7),
    ) {
        let prototype = DLTensor {
            device: DLDevice::CPU,
            dtype: warp_dlpack::dtype_of(scalar),
            ndim: shape.len() as i32,
            shape: shape.as_mut_ptr(),
            ..DLTensor::default()
        };
        // SAFETY: the shape is there.
        let managed = unsafe { warp_dlpack::allocate(&prototype) }.expect("small");
        // SAFETY: valid, and handed over.
        let (desc, owner) = unsafe { hold(managed.into_raw()) }.expect("ours");
        prop_assert_eq!(desc.shape(), &shape[..]);
        prop_assert_eq!((desc.scalar, desc.read_only), (scalar, false));
        let bytes = scalar.size() * shape.iter().product::<i64>() as usize;
        // SAFETY: it must have room for so many bytes.
        unsafe { std::ptr::write_bytes(desc.data, 1, bytes) };
        drop(owner);
    }
}
