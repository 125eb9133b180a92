//! Layouts, copies and owners against their definitions.

use super::layout::{Index, Layout, resolve_shape};
use super::owner::{Counts, Owner, Places};
use super::{Array, Number, copy};
use crate::device::Device;
use crate::dtype::Scalar;
use crate::interop::{Desc, MAX_FOREIGN_NDIM};
use crate::ty::{Elem, MAX_NDIM};
use proptest::prelude::*;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Byte offsets of all elements in index order.
fn offsets(l: &Layout) -> Vec<i64> {
    let mut all = vec![0];
    for (n, s) in l.shape().iter().zip(l.strides()) {
        all = all
            .iter()
            .flat_map(|o| (0..i64::from(*n)).map(move |i| o + i * s))
            .collect();
    }
    all
}

fn shapes() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(0..5i64, 1..5)
}

fn any_layout() -> impl Strategy<Value = Layout> {
    shapes().prop_flat_map(|shape| {
        let n = shape.len();
        prop::collection::vec(-6..7i64, n).prop_map(move |s| {
            Layout::strided(&shape, &s.iter().map(|s| s * 4).collect::<Vec<_>>()).unwrap()
        })
    })
}

proptest! {
    #[test]
    fn contiguous_elements_follow_each_other(shape in shapes(), size in 1usize..9) {
        let l = Layout::contiguous(&shape, size).unwrap();
        let want: Vec<i64> = (0..l.len() as i64).map(|i| i * size as i64).collect();
        prop_assert_eq!(offsets(&l), want);
        prop_assert!(l.is_contiguous(size));
        prop_assert!(!l.overlaps_itself(size));
    }

    #[test]
    fn what_is_contiguous_lies_in_order(l in any_layout()) {
        let dense: Vec<i64> = (0..l.len() as i64).map(|i| i * 4).collect();
        prop_assert_eq!(l.is_contiguous(4), offsets(&l) == dense);
    }

    #[test]
    fn the_byte_range_is_tight(l in any_layout()) {
        let all = offsets(&l);
        let r = l.byte_range(4);
        prop_assert_eq!(r.start, all.iter().copied().min().unwrap_or(0));
        prop_assert_eq!(r.end, all.iter().map(|o| o + 4).max().unwrap_or(0));
    }

    #[test]
    fn overlap_is_never_denied_wrongly(l in any_layout()) {
        let mut seen = HashMap::new();
        let meets = offsets(&l).iter().any(|o| seen.insert(*o, ()).is_some());
        prop_assert!(!meets || l.overlaps_itself(4));
    }

    #[test]
    fn parts_hold_the_elements_that_their_indices_name(
        l in any_layout(),
        picks in prop::collection::vec((0..3u8, 0..4i64, 1..4i64), 0..5),
    ) {
        let mut indices = Vec::new();
        let mut per_dim: Vec<Vec<i64>> = Vec::new();
        let mut bad = picks.len() > l.ndim as usize;
        for (d, (kind, at, step)) in picks.iter().enumerate().take(l.ndim as usize) {
            let n = i64::from(l.shape[d]);
            match kind {
                0 => {
                    bad |= *at >= n;
                    indices.push(Index::At(*at));
                    per_dim.push(vec![*at]);
                }
                1 => {
                    bad |= *at + 1 > n;
                    indices.push(Index::At(-at - 1));
                    per_dim.push(vec![n - at - 1]);
                }
                _ => {
                    let start = (*at).min(n);
                    let len = (n - start + step - 1) / step;
                    indices.push(Index::Range { start, step: *step, len });
                    per_dim.push((0..len).map(|i| start + i * step).collect());
                }
            }
        }
        if picks.len() > l.ndim as usize {
            indices.resize(l.ndim as usize + 1, Index::At(0));
        }
        match l.index(&indices) {
            Err(_) => prop_assert!(bad),
            Ok((offset, part)) => {
                prop_assert!(!bad);
                let mut want = vec![0i64];
                for d in 0..l.ndim as usize {
                    let whole: Vec<i64> = (0..i64::from(l.shape[d])).collect();
                    let at = per_dim.get(d).unwrap_or(&whole);
                    want = want.iter().flat_map(|o| at.iter().map(|i| o + i * l.strides[d]).collect::<Vec<_>>()).collect();
                }
                let got = part.map_or(vec![0], |p| offsets(&p));
                let got: Vec<i64> = got.iter().map(|o| o + offset).collect();
                prop_assert_eq!(got, want);
            }
        }
    }

    #[test]
    fn new_dimensions_have_one_element(l in any_layout(), at in 0..4usize) {
        let at = at.min(l.ndim as usize);
        let whole = |d: usize| Index::Range { start: 0, step: 1, len: i64::from(l.shape[d]) };
        let mut indices: Vec<Index> = (0..at).map(whole).collect();
        indices.push(Index::New);
        match l.index(&indices) {
            Err(_) => prop_assert_eq!(l.ndim as usize, MAX_NDIM),
            Ok((offset, part)) => {
                let part = part.expect("the new dimension");
                let mut shape = l.shape().to_vec();
                shape.insert(at, 1);
                prop_assert_eq!((offset, part.shape()), (0, &shape[..]));
                prop_assert_eq!(offsets(&part), offsets(&l));
            }
        }
    }

    #[test]
    fn shapes_are_resolved_or_refused(shape in prop::collection::vec(-2..5i64, 1..5), len in 0usize..40) {
        if let Ok(out) = resolve_shape(&shape, len) {
            prop_assert_eq!(out.iter().product::<i64>(), len as i64);
            prop_assert!(shape.iter().zip(&out).all(|(a, b)| a == b || (*a == -1 && *b >= 0)));
        } else {
            let fixed: i64 = shape.iter().filter(|n| **n != -1).product();
            let open = shape.iter().filter(|n| **n == -1).count();
            let fits = shape.iter().all(|n| *n >= -1)
                && match open {
                    0 => fixed == len as i64,
                    1 => fixed > 0 && len as i64 % fixed == 0,
                    _ => false,
                };
            prop_assert!(!fits);
        }
    }

    #[test]
    fn any_description_is_refused_or_stays_in_bounds(
        shape in prop::collection::vec(prop_oneof![0..5i64, any::<i64>()], 0..8),
        strides in prop::collection::vec(prop_oneof![-40..40i64, any::<i64>()], 8),
        null in any::<bool>(),
        vec in any::<bool>(),
    ) {
        let mut desc = Desc {
            data: if null { std::ptr::null_mut() } else { 64 as *mut u8 },
            ndim: shape.len().min(MAX_FOREIGN_NDIM),
            shape: [1; MAX_FOREIGN_NDIM],
            strides: [0; MAX_FOREIGN_NDIM],
            scalar: Scalar::F32,
            device: Device::Cpu,
            read_only: false,
        };
        desc.shape[..desc.ndim].copy_from_slice(&shape[..desc.ndim]);
        desc.strides[..desc.ndim].copy_from_slice(&strides[..desc.ndim]);
        let elem = vec.then_some(Elem::Vec { len: 3, scalar: Scalar::F32 });
        if let Ok(view) = desc.view(elem) {
            let l = view.layout();
            prop_assert!((1..=4).contains(&l.ndim));
            prop_assert!(l.is_empty() || (!null && l.strides.iter().all(|s| s % 4 == 0)));
            let r = l.byte_range(view.elem.size());
            prop_assert!(r.start <= r.end);
            prop_assert_eq!(l.shape().iter().map(|n| i64::from(*n)).collect::<Vec<_>>(),
                if desc.ndim == usize::from(vec) { vec![1] } else { desc.shape()[..desc.ndim - usize::from(vec)].to_vec() });
        }
    }

    #[test]
    fn copies_put_every_element_in_its_place(l in any_layout(), to in any_layout(), wide in any::<bool>()) {
        let elem = if wide { Elem::Vec { len: 3, scalar: Scalar::I32 } } else { Elem::Scalar(Scalar::I32) };
        let scale = elem.count() as i64;
        let spread = |l: &Layout, shape: &[i32]| {
            let mut out = Layout::contiguous(&shape.iter().map(|n| i64::from(*n)).collect::<Vec<_>>(), elem.size()).unwrap();
            for d in 0..shape.len() {
                out.strides[d] = l.strides[d] * scale;
            }
            out
        };
        let (from, to) = (spread(&l, l.shape()), spread(&to, l.shape()));
        prop_assume!(!to.overlaps_itself(elem.size()));
        let buffer = Array::zeros(Elem::Scalar(Scalar::I32), &[20_000], Device::Cpu).unwrap();
        let base = buffer.view.arg.data.wrapping_add(40_000);
        // SAFETY: the buffer is ours, and every offset is within 40,000 bytes of its middle.
        unsafe {
            for i in 0..20_000 {
                buffer.view.arg.data.cast::<i32>().add(i).write(i as i32);
            }
            let read = |at: i64| base.offset(at as isize).cast::<i32>().read();
            let (a, b) = (super::View::new(base, to, elem, Device::Cpu, false), super::View::new(base, from, elem, Device::Cpu, false));
            let parts = |l: &Layout| offsets(l).iter().flat_map(|o| (0..scale).map(move |k| o + 4 * k)).collect::<Vec<_>>();
            let want: Vec<i32> = parts(&from).iter().map(|o| read(*o)).collect();
            copy::copy(&a, &b).expect("on the host");
            prop_assert_eq!(parts(&to).iter().map(|o| read(*o)).collect::<Vec<_>>(), want);
            copy::fill(&a, &[7; 12][..elem.size()]).expect("on the host");
            prop_assert!(parts(&to).iter().all(|o| read(*o) == 0x0707_0707));
        }
    }

    #[test]
    fn casts_are_those_of_the_language(v in any::<i64>(), f in any::<f64>()) {
        prop_assert_eq!(Number::Int(v.into()).cast(Scalar::I8), Number::Int((v as i8).into()));
        prop_assert_eq!(Number::Int(v.into()).cast(Scalar::U32), Number::Int((v as u32).into()));
        prop_assert_eq!(Number::Int(v.into()).cast(Scalar::F64), Number::Float(v as f64));
        prop_assert_eq!(Number::Float(f).cast(Scalar::Bool), Number::Bool(f != 0.0));
    }
}

#[test]
fn overflowing_shapes_are_refused() {
    let max = i64::from(i32::MAX);
    assert!(Layout::contiguous(&[max; 4], 4).is_err());
    assert!(Layout::contiguous(&[0, max, max, max], 4).is_err());
    assert!(Layout::contiguous(&[max + 1], 1).is_err());
    assert!(Layout::strided(&[2, 2], &[i64::MAX, i64::MAX]).is_err());
    assert!(Layout::strided(&[2], &[i64::MIN]).is_err());
    assert!(Layout::strided(&[2, 2], &[4]).is_err());
}

static RELEASED: AtomicUsize = AtomicUsize::new(0);

unsafe fn count(_: *mut c_void) {
    RELEASED.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn a_foreign_owner_releases_once() {
    // SAFETY: counting is sound anywhere.
    let owner = unsafe { Owner::foreign(std::ptr::null_mut(), count) };
    let copies: Vec<Owner> = (0..8).map(|_| owner.clone()).collect();
    drop(owner);
    let threads: Vec<_> = copies
        .into_iter()
        .map(|o| std::thread::spawn(move || drop(o)))
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    assert_eq!(RELEASED.load(Ordering::Relaxed), 1);
}

static COUNT: AtomicUsize = AtomicUsize::new(1);

unsafe fn one_more(_: *mut c_void) {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

unsafe fn one_less(_: *mut c_void) {
    COUNT.fetch_sub(1, Ordering::Relaxed);
}

static FIXED: Counts = Counts::of_fixed(one_more, one_less);

unsafe fn nothing(_: *mut c_void) {}

static WATCHED: Counts = Counts {
    retain: nothing,
    release: nothing,
    places: Places { data: 1, size: 3 },
    moved: "the tensor moved",
};

#[test]
fn a_watched_owner_sees_that_its_memory_was_replaced() {
    let words: [AtomicU64; 4] = [0, 100, 0, 8].map(AtomicU64::new);
    // SAFETY: counting nothing is sound anywhere; the words outlive the owners.
    let owner = unsafe { Owner::watched(std::ptr::null_mut(), &WATCHED, words.as_ptr()) };
    let set = |at: usize, to: u64| words[at].store(to, Ordering::Relaxed);
    set(0, 1);
    set(2, 1);
    assert!(owner.is_current());
    set(1, 101);
    assert!(!owner.is_current());
    // What a copy remembers is what the first one saw.
    assert!(!owner.clone().is_current());
    assert_eq!(owner.moved().message, "the tensor moved");
    set(1, 100);
    set(3, 4);
    assert!(!owner.is_current());
    set(3, 8);
    assert!(owner.clone().is_current());
}

#[test]
fn only_watched_owners_can_lose_their_memory() {
    // SAFETY: nothing is given back.
    let foreign = unsafe { Owner::foreign(std::ptr::null_mut(), nothing) };
    // SAFETY: as above.
    let counted = unsafe { Owner::counted(std::ptr::null_mut(), &WATCHED) };
    assert!(
        [foreign, counted, Owner::Nobody]
            .iter()
            .all(Owner::is_current)
    );
}

#[test]
fn a_counted_owner_gives_back_every_count() {
    // SAFETY: counting is sound anywhere.
    let owner = unsafe { Owner::counted(std::ptr::null_mut(), &FIXED) };
    let copies: Vec<Owner> = (0..8).map(|_| owner.clone()).collect();
    assert_eq!(COUNT.load(Ordering::Relaxed), 9);
    drop(owner);
    for t in copies
        .into_iter()
        .map(|o| std::thread::spawn(move || drop(o)))
    {
        t.join().unwrap();
    }
    assert_eq!(COUNT.load(Ordering::Relaxed), 0);
}

#[test]
fn the_bytes_of_the_largest_descriptions_do_not_overflow() {
    let mut desc = Desc::EMPTY;
    desc.data = 64 as *mut u8;
    desc.ndim = MAX_FOREIGN_NDIM;
    for (n, stride) in [
        (i64::MAX, i64::MAX),
        (i64::MIN, i64::MAX),
        (i64::MAX, i64::MIN),
    ] {
        desc.shape = [n; MAX_FOREIGN_NDIM];
        desc.strides = [stride; MAX_FOREIGN_NDIM];
        let (bytes, up) = (desc.bytes(), (n > 0) == (stride > 0));
        assert_eq!(bytes.end == i128::MAX, up);
        assert_eq!(bytes.start == i128::MIN, !up);
        assert!(desc.view(None).is_err());
    }
}
