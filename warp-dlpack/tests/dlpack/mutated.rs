//! Descriptors with anything in any field: what is accepted reads the right elements, what is refused is wrong, and
//! either way each is deleted once.
//!
//! Whether a descriptor is right is decided a second time, in `meaning`.

use crate::foreign::{Context, Kind, ROOM, import};
use crate::meaning::{Draft, Meaning};
use proptest::prelude::*;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use warp_core::array::View;
use warp_core::dtype::TABLE;
use warp_dlpack::ffi::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLPackVersion, DLTensor, DlpackFlags,
};

/// The memory that most descriptors point into; they start in its middle, so that strides may be negative.
const BYTES: usize = 8192;

/// The commonest first, so that most drafts have few faults.
fn mostly<T: Clone + std::fmt::Debug + 'static>(
    common: impl Strategy<Value = T> + 'static,
    rare: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = T> {
    prop_oneof![12 => common, 1 => rare]
}

fn edges() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(i64::MIN),
        Just(i64::MIN + 1),
        Just(i64::MAX),
        Just(i64::from(i32::MAX)),
        Just(i64::from(i32::MAX) + 1),
        Just(-1),
        Just(0),
        (0u32..63).prop_map(|bit| 1 << bit),
        (0u32..63).prop_map(|bit| -(1 << bit)),
        any::<i64>(),
    ]
}

fn numbers(common: std::ops::Range<i64>) -> impl Strategy<Value = [i64; ROOM]> {
    proptest::collection::vec(mostly(common, edges()), ROOM)
        .prop_map(|v| v.try_into().expect("as many as asked for"))
}

fn dtypes() -> impl Strategy<Value = (u8, u8, u16)> {
    let known = (0..TABLE.len()).prop_map(|i| {
        let t = warp_dlpack::dtype_of(TABLE[i].scalar);
        (t.code.0, t.bits, t.lanes)
    });
    let odd = prop_oneof![
        (
            0u8..18,
            prop_oneof![
                Just(1u8),
                Just(4),
                Just(8),
                Just(16),
                Just(32),
                Just(64),
                Just(128)
            ],
            0u16..3
        ),
        any::<(u8, u8, u16)>(),
    ];
    mostly(known, odd)
}

fn drafts() -> impl Strategy<Value = Draft> {
    let place = (
        mostly(
            Just(Some(0)),
            prop_oneof![Just(None), any::<u64>().prop_map(Some)],
        ),
        mostly(
            (0u64..64).prop_map(|n| n * 8),
            prop_oneof![0u64..512, any::<u64>(), Just(1 << 63)],
        ),
        mostly(
            Just((1, 0)),
            prop_oneof![Just((3, 1)), (0..18, -1..9), any::<(i32, i32)>()],
        ),
    );
    let layout = (
        mostly(0..5, prop_oneof![5..10, any::<i32>(), Just(-1)]),
        dtypes(),
        mostly(numbers(0..5).prop_map(Some), Just(None)),
        prop_oneof![6 => numbers(-30..31).prop_map(Some), 1 => Just(None)],
    );
    let rest = (
        prop_oneof![
            1 => Just(None),
            2 => mostly((Just(1), 0u32..9), any::<(u32, u32)>()).prop_map(Some),
        ],
        mostly(0u64..4, any::<u64>()),
        prop_oneof![2 => Just((0, 0)), 1 => (0u32..5, 0u32..5)],
    );
    (place, layout, rest).prop_map(
        |((data, byte_offset, device), (ndim, dtype, shape, strides), (version, flags, inner))| {
            Draft {
                data,
                byte_offset,
                device,
                ndim,
                dtype,
                shape,
                strides,
                version,
                flags,
                inner,
            }
        },
    )
}

/// Every element's address, by plain arithmetic.
fn addresses(dims: &[(i128, i128)], first: i128) -> Vec<i128> {
    if dims.iter().any(|(n, _)| *n == 0) {
        return vec![];
    }
    dims.iter().fold(vec![first], |at, (n, stride)| {
        at.iter()
            .flat_map(|a| (0..*n).map(move |i| a + i * stride))
            .collect()
    })
}

/// Every element's first byte, read through the view.
fn read(view: &View) -> Vec<u8> {
    let layout = view.layout();
    let mut out = Vec::new();
    let mut index = vec![0i64; layout.shape().len()];
    for _ in 0..layout.len() {
        let offset: i64 = index.iter().zip(layout.strides()).map(|(i, s)| i * s).sum();
        // SAFETY: the caller has seen that all elements are in its memory.
        out.push(unsafe { view.arg.data.offset(offset as isize).read() });
        for d in (0..index.len()).rev() {
            index[d] += 1;
            if index[d] < i64::from(layout.shape()[d]) {
                break;
            }
            index[d] = 0;
        }
    }
    out
}

fn tensor(draft: &Draft, base: *mut u8) -> DLTensor {
    let present = |there: bool| {
        if there {
            std::ptr::dangling_mut()
        } else {
            std::ptr::null_mut()
        }
    };
    let (code, bits, lanes) = draft.dtype;
    DLTensor {
        data: match draft.data {
            None => std::ptr::null_mut(),
            Some(at) => base.wrapping_add(at as usize).cast::<c_void>(),
        },
        device: DLDevice {
            device_type: DLDeviceType(draft.device.0.cast_unsigned()),
            device_id: draft.device.1,
        },
        ndim: draft.ndim,
        dtype: DLDataType::new(DLDataTypeCode(code), bits, lanes),
        shape: present(draft.shape.is_some()),
        strides: present(draft.strides.is_some()),
        byte_offset: draft.byte_offset,
    }
}

fn check(draft: &Draft, memory: &mut [u64]) -> Result<(), TestCaseError> {
    let start = memory.as_mut_ptr().cast::<u8>();
    let base = start.wrapping_add(BYTES / 2);
    let inside = |at: i128, size: usize| {
        at >= start as i128 && at + size as i128 <= start as i128 + BYTES as i128
    };
    let deleted = Arc::new(AtomicUsize::new(0));
    let context = Context {
        shape: draft.shape.unwrap_or([1; ROOM]),
        strides: draft.strides.unwrap_or([1; ROOM]),
        deleted: deleted.clone(),
    };
    let kind = match draft.version {
        None => Kind::Legacy,
        Some((major, minor)) => Kind::Versioned {
            version: DLPackVersion { major, minor },
            flags: DlpackFlags::from_bits_retain(draft.flags),
        },
    };
    // Drafts without memory at an address of their own wrap round as pointers do.
    let wrapped = draft.data.map(|at| (base as u64).wrapping_add(at));
    let plain = Draft {
        data: wrapped,
        ..draft.clone()
    };
    let meaning = plain.meaning(0);

    let imported = import(tensor(draft, base), kind, context);
    let elem = (draft.inner != (0, 0))
        .then(|| draft.scalar().map(|s| draft.elem(s)))
        .flatten();
    let found = match &imported {
        Ok((desc, _)) => desc.view(elem),
        Err(e) => Err(e.clone()),
    };
    match (found, meaning) {
        (Err(e), Err(_)) => prop_assert!(!e.message.is_empty()),
        (Ok(view), Ok(meaning)) => {
            let dims: Vec<(i128, i128)> = (view.layout().shape().iter())
                .zip(view.layout().strides())
                .map(|(n, s)| (i128::from(*n), i128::from(*s)))
                .collect();
            let found = Meaning {
                first: view.arg.data as usize as i128,
                elem: view.elem,
                dims,
                read_only: view.read_only,
            };
            prop_assert_eq!(&found, &meaning);
            if view.layout().len() <= BYTES {
                let addresses = addresses(&meaning.dims, meaning.first);
                if addresses.iter().all(|at| inside(*at, meaning.elem.size())) {
                    let bytes: Vec<u8> = addresses
                        .iter()
                        // SAFETY: inside the memory.
                        .map(|at| unsafe { (*at as usize as *const u8).read() })
                        .collect();
                    prop_assert_eq!(read(&view), bytes);
                }
            }
        }
        (found, meaning) => prop_assert!(false, "found {:?}, wanted {:?}", found, meaning),
    }
    let kept = imported.is_ok();
    prop_assert_eq!(deleted.load(Ordering::SeqCst), usize::from(!kept));
    drop(imported);
    prop_assert_eq!(deleted.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn fifty_thousand_descriptors() {
    let cases = if std::env::var_os("WARP_SOAK").is_some() {
        2_000_000
    } else {
        50_000
    };
    let mut memory: Vec<u64> = (0..BYTES as u64 / 8)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let memory = std::cell::RefCell::new(&mut memory);
    let right = std::cell::Cell::new(0usize);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&drafts(), |draft| {
        let base = memory.borrow().as_ptr() as i128 + BYTES as i128 / 2;
        right.set(right.get() + usize::from(draft.meaning(base).is_ok()));
        check(&draft, &mut memory.borrow_mut())
    });
    outcome.unwrap();
    let right = right.get() as f64 / f64::from(cases);
    assert!(
        (0.1..0.9).contains(&right),
        "{right} of the descriptors are right: both kinds must be tried"
    );
}
