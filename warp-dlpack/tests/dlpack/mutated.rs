//! Descriptors with anything in any field: what is accepted reads the right elements, what is refused is wrong, and
//! either way each is deleted once.
//!
//! Whether a descriptor is right is decided here a second time, in wider numbers and without the code under test.

use crate::made::{Context, Kind, ROOM, import};
use proptest::prelude::*;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use warp_core::array::View;
use warp_core::dtype::{Class, Scalar, TABLE};
use warp_core::interop::Desc;
use warp_core::ty::Elem;
use warp_dlpack::ffi::{DLDataType, DLDevice, DLPackVersion, DLTensor, FLAG_READ_ONLY};

/// The memory that most descriptors point into; they start in its middle, so that strides may be negative.
const BYTES: usize = 8192;
const BIG: i128 = i64::MAX as i128;

/// A descriptor as data: what is drawn, and shrunk when a test fails.
#[derive(Clone, Debug)]
struct Draft {
    /// None: no memory.
    data: Option<u64>,
    byte_offset: u64,
    device: (i32, i32),
    ndim: i32,
    dtype: (u8, u8, u16),
    shape: Option<[i64; ROOM]>,
    strides: Option<[i64; ROOM]>,
    /// None: from before versions.
    version: Option<(u32, u32)>,
    flags: u64,
    /// Components to look for, as rows and columns; 0 for none.
    inner: (u32, u32),
}

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
        (t.code, t.bits, t.lanes)
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

/// What a right descriptor means.
#[derive(Debug, PartialEq)]
struct Meaning {
    first: i128,
    elem: Elem,
    /// Elements and bytes per dimension, at least one of them.
    dims: Vec<(i128, i128)>,
    read_only: bool,
}

impl Draft {
    fn elem(&self, scalar: Scalar) -> Elem {
        match self.inner {
            (0, 0) => Elem::Scalar(scalar),
            (n, 0) | (0, n) => Elem::Vec { len: n, scalar },
            (rows, cols) => Elem::Mat { rows, cols, scalar },
        }
    }

    /// The scalar, by what DLPack says of codes.
    fn scalar(&self) -> Option<Scalar> {
        let (code, bits, lanes) = self.dtype;
        let class = match code {
            0 => Class::Int,
            1 => Class::UInt,
            2 => Class::Float,
            4 => Class::BFloat,
            6 => Class::Bool,
            _ => return None,
        };
        let row = TABLE
            .iter()
            .find(|r| r.class == class && r.bits == bits && lanes == 1)?;
        Some(row.scalar)
    }

    /// What it means, or what is wrong with it. `base` is where memory at 0 is.
    fn meaning(&self, base: i128) -> Result<Meaning, &'static str> {
        if self.version.is_some_and(|v| v.0 != 1) {
            return Err("version");
        }
        let scalar = self.scalar().ok_or("dtype")?;
        if !matches!(self.device.0, 1 | 3) {
            return Err("device");
        }
        let ndim = usize::try_from(self.ndim).map_err(|_| "negative ndim")?;
        if ndim > 6 {
            return Err("ndim");
        }
        if ndim > 0 && self.shape.is_none() {
            return Err("no shape");
        }
        let shape: Vec<i128> = self.shape.map_or(vec![], |s| {
            s[..ndim].iter().map(|n| i128::from(*n)).collect()
        });
        let size = scalar.size() as i128;
        let strides: Vec<i128> = match self.strides {
            Some(s) => s[..ndim].iter().map(|s| i128::from(*s) * size).collect(),
            // An empty dimension counts as one, as everywhere; nothing is read then.
            None => (0..ndim)
                .map(|d| {
                    shape[d + 1..]
                        .iter()
                        .fold(size, |a, n| a.saturating_mul((*n).max(1)))
                })
                .collect(),
        };
        if self.strides.is_some() && strides.iter().any(|s| i64::try_from(*s).is_err()) {
            return Err("stride");
        }
        let elem = self.elem(scalar);
        let inner: Vec<i128> = elem.inner_shape().iter().map(|n| *n as i128).collect();
        let outer = ndim
            .checked_sub(inner.len())
            .ok_or("too few dimensions for the components")?;
        if shape[outer..] != inner[..] {
            return Err("other components");
        }
        let mut want = size;
        for d in (outer..ndim).rev() {
            if strides[d] != want && shape[d] != 1 {
                return Err("components apart");
            }
            want = want.saturating_mul(shape[d]);
        }
        if outer > 4 {
            return Err("dimensions");
        }
        let dims: Vec<(i128, i128)> = (0..outer).map(|d| (shape[d], strides[d])).collect();
        let mut copy = elem.size() as i128;
        for (n, stride) in &dims {
            if !(0..=i128::from(i32::MAX)).contains(n) {
                return Err("extent");
            }
            // What we allow along one dimension is less than DLPack could say, and far more than there is.
            if (n - 1).max(0).saturating_mul(*stride).saturating_abs() > BIG / 16 {
                return Err("span");
            }
            copy = copy.saturating_mul((*n).max(1));
        }
        if copy > BIG {
            return Err("size of a copy");
        }
        let empty = dims.iter().any(|d| d.0 == 0);
        let mut first = 0;
        if let Some(data) = self.data {
            first = base + i128::from(data) + i128::from(self.byte_offset);
            // Null memory with an offset is null.
            if base + i128::from(data) == 0 {
                first = 0;
            } else if first > i128::from(u64::MAX) {
                return Err("offset");
            }
        }
        if !empty {
            if first == 0 {
                return Err("no memory");
            }
            let ends = |pick: fn(i128, i128) -> i128| -> i128 {
                dims.iter().map(|(n, s)| pick((n - 1) * s, 0)).sum()
            };
            let (low, high) = (first + ends(i128::min), first + ends(i128::max));
            if low <= 0 || high + elem.size() as i128 > BIG {
                return Err("addresses");
            }
            if first % size != 0 || dims.iter().any(|(_, s)| s % size != 0) {
                return Err("alignment");
            }
        }
        Ok(Meaning {
            first,
            elem,
            dims: if dims.is_empty() {
                vec![(1, elem.size() as i128)]
            } else {
                dims
            },
            read_only: self.version.is_some() && self.flags & FLAG_READ_ONLY != 0,
        })
    }
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
            kind: draft.device.0,
            id: draft.device.1,
        },
        ndim: draft.ndim,
        dtype: DLDataType { code, bits, lanes },
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
            flags: draft.flags,
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

#[test]
fn nothing_is_as_right_as_it_looks() {
    // The judge itself, on cases whose answer is known.
    let plain = Draft {
        data: Some(0),
        byte_offset: 8,
        device: (1, 0),
        ndim: 2,
        dtype: (2, 32, 1),
        shape: Some([2, 3, 1, 1, 1, 1, 1, 1, 1, 1]),
        strides: None,
        version: Some((1, 3)),
        flags: 1,
        inner: (0, 0),
    };
    let right = plain.meaning(4096).unwrap();
    assert_eq!((right.first, right.read_only), (4104, true));
    assert_eq!(right.dims, [(2, 12), (3, 4)]);
    let vec = Draft {
        inner: (3, 0),
        ..plain.clone()
    };
    assert_eq!(vec.meaning(4096).unwrap().dims, [(2, 12)]);
    let wrong = [
        Draft {
            data: None,
            ..plain.clone()
        },
        Draft {
            byte_offset: 6,
            ..plain.clone()
        },
        Draft {
            dtype: (2, 32, 2),
            ..plain.clone()
        },
        Draft {
            device: (2, 0),
            ..plain.clone()
        },
        Draft {
            version: Some((2, 0)),
            ..plain.clone()
        },
        Draft {
            shape: None,
            ..plain.clone()
        },
        Draft {
            ndim: 7,
            ..plain.clone()
        },
        Draft {
            inner: (4, 0),
            ..plain
        },
    ];
    for draft in wrong {
        assert!(draft.meaning(4096).is_err(), "{draft:?}");
    }
    assert_eq!(Desc::EMPTY.shape(), [0i64; 0]);
}
