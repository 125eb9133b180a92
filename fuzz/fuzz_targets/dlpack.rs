//! DLPack descriptors with anything in any field: no panic, no overflow, and what is accepted lies where the descriptor says.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::ptr::{null_mut, without_provenance_mut};
use warp_core::dtype::Scalar;
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::Elem;
use warp_dlpack::ffi::{DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLTensor};

/// A DLTensor as data.
#[derive(Arbitrary, Debug)]
struct Draft {
    data: u64,
    byte_offset: u64,
    device: (u8, i32),
    ndim: i8,
    dtype: (u8, u8, u8),
    shape: Option<[i64; MAX_FOREIGN_NDIM]>,
    strides: Option<[i64; MAX_FOREIGN_NDIM]>,
    read_only: bool,
    /// Rows and columns of the components to look for; 0 for none.
    inner: (u8, u8),
}

fn elem((rows, cols): (u8, u8), scalar: Scalar) -> Option<Elem> {
    let (rows, cols) = (u32::from(rows), u32::from(cols));
    match (rows, cols) {
        (0, 0) => None,
        (len, 0) | (0, len) => Some(Elem::Vec { len, scalar }),
        _ => Some(Elem::Mat { rows, cols, scalar }),
    }
}

/// The smallest and the largest address of any element.
fn ends(data: i128, dims: impl Iterator<Item = (i128, i128)> + Clone) -> [i128; 2] {
    let last = dims.map(|(n, stride)| (n - 1) * stride);
    [
        data + last.clone().map(|l| l.min(0)).sum::<i128>(),
        data + last.map(|l| l.max(0)).sum::<i128>(),
    ]
}

fuzz_target!(|draft: Draft| {
    let (mut shape, mut strides) = (draft.shape, draft.strides);
    let tensor = DLTensor {
        data: without_provenance_mut(draft.data as usize),
        device: DLDevice {
            device_type: DLDeviceType(draft.device.0.into()),
            device_id: draft.device.1,
        },
        ndim: draft.ndim.into(),
        dtype: DLDataType::new(
            DLDataTypeCode(draft.dtype.0),
            draft.dtype.1,
            draft.dtype.2.into(),
        ),
        shape: shape.as_mut().map_or(null_mut(), |s| s.as_mut_ptr()),
        strides: strides.as_mut().map_or(null_mut(), |s| s.as_mut_ptr()),
        byte_offset: draft.byte_offset,
    };
    let mut desc = Desc::EMPTY;
    // SAFETY: there is room for as many dimensions as are read.
    if let Err(e) = unsafe { warp_dlpack::describe(&tensor, draft.read_only, &mut desc) } {
        return assert!(!e.message.is_empty());
    }
    let _ = desc.bytes();
    let view = match desc.view(elem(draft.inner, desc.scalar)) {
        Ok(view) => view,
        Err(e) => return assert!(!e.message.is_empty()),
    };
    let layout = view.layout();
    if layout.is_empty() {
        return;
    }
    let dims = (layout.shape().iter().zip(layout.strides()))
        .map(|(n, s)| (i128::from(*n), i128::from(*s)));
    let [low, high] = ends(view.arg.data as usize as i128, dims);
    assert!(low > 0 && high + view.elem.size() as i128 <= i64::MAX as i128);
    let told = ends(
        i128::from(draft.data) + i128::from(draft.byte_offset),
        (desc.shape().iter().zip(&desc.strides)).map(|(n, s)| (i128::from(*n), i128::from(*s))),
    );
    // With components, the last element of ours ends where the last number of the descriptor does.
    assert_eq!(low, told[0]);
    assert_eq!(
        high + view.elem.size() as i128,
        told[1] + desc.scalar.size() as i128
    );
    assert_eq!(view.read_only, draft.read_only);
    let bytes = desc.bytes();
    assert_eq!(
        [bytes.start, bytes.end],
        [low, high + view.elem.size() as i128]
    );
    let again = Desc::of(&view);
    assert_eq!(again.data, desc.data);
});
