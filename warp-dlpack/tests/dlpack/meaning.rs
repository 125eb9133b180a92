//! What a descriptor means, or what is wrong with it: decided in wider numbers and without the code under test.

use crate::foreign::ROOM;
use warp_core::dtype::{Class, Scalar, TABLE};
use warp_core::ty::Elem;
use warp_dlpack::ffi::DlpackFlags;

const BIG: i128 = i64::MAX as i128;

/// A descriptor as data: what is drawn, and shrunk when a test fails.
#[derive(Clone, Debug)]
pub struct Draft {
    /// None: no memory.
    pub data: Option<u64>,
    pub byte_offset: u64,
    pub device: (i32, i32),
    pub ndim: i32,
    pub dtype: (u8, u8, u16),
    pub shape: Option<[i64; ROOM]>,
    pub strides: Option<[i64; ROOM]>,
    /// None: from before versions.
    pub version: Option<(u32, u32)>,
    pub flags: u64,
    /// Components to look for, as rows and columns; 0 for none.
    pub inner: (u32, u32),
}

/// What a right descriptor means.
#[derive(Debug, PartialEq)]
pub struct Meaning {
    pub first: i128,
    pub elem: Elem,
    /// Elements and bytes per dimension, at least one of them.
    pub dims: Vec<(i128, i128)>,
    pub read_only: bool,
}

impl Draft {
    pub fn elem(&self, scalar: Scalar) -> Elem {
        match self.inner {
            (0, 0) => Elem::Scalar(scalar),
            (n, 0) | (0, n) => Elem::Vec { len: n, scalar },
            (rows, cols) => Elem::Mat { rows, cols, scalar },
        }
    }

    /// The scalar, by what DLPack says of codes.
    pub fn scalar(&self) -> Option<Scalar> {
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
    pub fn meaning(&self, base: i128) -> Result<Meaning, &'static str> {
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
            if strides[d] != want && shape[d] != 1 && !shape[..outer].contains(&0) {
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
        let first = self.first(base, &dims, elem)?;
        Ok(Meaning {
            first,
            elem,
            dims: if dims.is_empty() {
                vec![(1, elem.size() as i128)]
            } else {
                dims
            },
            read_only: self.version.is_some() && self.flags & DlpackFlags::READ_ONLY.bits() != 0,
        })
    }

    /// The address of the first element, 0 where no element is and no memory.
    fn first(&self, base: i128, dims: &[(i128, i128)], elem: Elem) -> Result<i128, &'static str> {
        let size = elem.scalar().size() as i128;
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
        Ok(first)
    }
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
}
