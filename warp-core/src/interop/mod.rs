//! Memory of other frameworks: what an adapter states, and the one path from there to an array.
//!
//! An adapter describes ([`Desc`]) and owns; which element the memory holds, which dimensions are
//! the components of a vector or matrix, and every check stand here, once.
//!
//! [`Desc::view`] is the only place that turns foreign memory into an array. An adapter also states facts about gradients
//! ([`Autograd`]), and [`import_gradient`] makes arrays of them, the same way for torch and paddle. `Elem::Struct` never
//! passes: no other framework has such elements.

mod components;
mod gradient;
mod regroup;
pub mod typestr;

pub use gradient::{Autograd, Gradient, Want, import_gradient, import_gradient_into};
pub use regroup::regrouped;

use crate::abi::ArrayArg;
use crate::array::{Array, Owner, View};
use crate::device::Device;
use crate::dtype::{Class, Row, Scalar, TABLE};
use crate::error::{Code, Error, Result};
use crate::ty::{Elem, MAX_NDIM};
use std::ops::Range;

/// The most dimensions a foreign array may have: an array's own and those of a matrix.
pub const MAX_FOREIGN_NDIM: usize = MAX_NDIM + 2;

/// The most bytes between the first and the last element along one dimension.
const MAX_SPAN: u64 = i64::MAX as u64 / 16;

/// What a framework says about memory. Nothing in it has been checked.
#[derive(Clone, Copy, Debug)]
pub struct Desc {
    /// The first element.
    pub data: *mut u8,
    /// How many of the dimensions count.
    pub ndim: usize,
    /// Elements per dimension.
    pub shape: [i64; MAX_FOREIGN_NDIM],
    /// Bytes per dimension.
    pub strides: [i64; MAX_FOREIGN_NDIM],
    /// What each element is.
    pub scalar: Scalar,
    /// Where the memory is.
    pub device: Device,
    /// Must not be written.
    pub read_only: bool,
}

impl Desc {
    /// Nothing, to be filled in. Adapters fill it in place: a `Desc` is not moved.
    pub const EMPTY: Desc = Desc {
        data: std::ptr::null_mut(),
        ndim: 0,
        shape: [1; MAX_FOREIGN_NDIM],
        strides: [0; MAX_FOREIGN_NDIM],
        scalar: Scalar::U8,
        device: Device::Cpu,
        read_only: false,
    };

    /// The dimensions in use.
    pub fn shape(&self) -> &[i64] {
        &self.shape[..self.ndim]
    }

    /// The addresses from the first byte of any element to the last of any; none where there are no elements. What is too large
    /// for any number ends at the largest.
    pub fn bytes(&self) -> Range<i128> {
        let first = self.data as usize as i128;
        if self.shape().contains(&0) {
            return first..first;
        }
        let mut bytes = first..first + self.scalar.size() as i128;
        for (n, stride) in self.shape().iter().zip(&self.strides) {
            let span = (i128::from(*n) - 1) * i128::from(*stride);
            bytes.start = bytes.start.saturating_add(span.min(0));
            bytes.end = bytes.end.saturating_add(span.max(0));
        }
        bytes
    }

    /// Takes the elements for those of `elem` where the bits mean nearly the same: integers of either sign, and truth values
    /// as bytes.
    #[inline]
    pub fn read_as(&mut self, elem: Option<Elem>) {
        let Some(wanted) = elem.map(Elem::scalar).filter(|s| *s != self.scalar) else {
            return;
        };
        let integers = wanted.is_int() && (self.scalar.is_int() || self.scalar == Scalar::Bool);
        if integers && wanted.bits() == 8 * self.scalar.size() as u32 {
            self.scalar = wanted;
        }
    }

    /// The elements as an array of `elem`, or as scalars where `elem` is `None`.
    ///
    /// The last dimensions of a vector or matrix array are its components; they must match and be
    /// without gaps. An array without dimensions becomes one of a single element.
    ///
    /// # Errors
    /// [`Code::Type`] if the elements are not `elem`, [`Code::Value`] if a kernel cannot address them.
    #[inline(always)]
    pub fn view(&self, elem: Option<Elem>) -> Result<View> {
        let mut view = View::EMPTY;
        self.view_into(elem, &mut view)?;
        Ok(view)
    }

    /// [`view`](Desc::view), written where it shall stay. After an error it is without meaning.
    ///
    /// # Errors
    /// As [`Desc::view`].
    #[inline(always)]
    pub fn view_into(&self, elem: Option<Elem>, view: &mut View) -> Result<()> {
        let scalar = match elem {
            None => Some(self.scalar),
            Some(Elem::Scalar(scalar)) => Some(scalar),
            Some(_) => None,
        };
        // Scalars apart: copying an element whose two bytes were just written makes the processor wait.
        if let Some(scalar) = scalar {
            view.ndim = self.arg_into(Elem::Scalar(scalar), &mut view.arg)?;
            view.elem = Elem::Scalar(scalar);
        } else if let Some(elem) = elem {
            view.ndim = self.arg_into(elem, &mut view.arg)?;
            view.elem = elem;
        }
        view.device = self.device;
        view.read_only = self.read_only;
        Ok(())
    }

    /// What a kernel is given for an array of `elem`; returns the number of dimensions. Number by number, because reading
    /// together what was just written apart makes the processor wait.
    ///
    /// # Errors
    /// As [`Desc::view`].
    #[inline(always)]
    pub fn arg_into(&self, elem: Elem, arg: &mut ArrayArg) -> Result<u8> {
        let outer = match elem {
            Elem::Scalar(s) if s == self.scalar => self.ndim,
            _ => self.fold(elem)?,
        };
        if outer > MAX_NDIM {
            return Err(too_many(outer));
        }
        *arg = ArrayArg {
            data: self.data,
            shape: [1; MAX_NDIM],
            strides: [0; MAX_NDIM],
        };
        let (mut low, mut high, mut empty) = (0i64, 0i64, false);
        let mut bytes = elem.size() as i64;
        // The lowest bits of the address and of every step.
        let mut bits = self.data as usize;
        for d in 0..outer {
            let (n, stride) = (self.shape[d], self.strides[d]);
            arg.shape[d] = i32::try_from(n)
                .ok()
                .filter(|n| *n >= 0)
                .ok_or_else(|| self.bad_shape())?;
            arg.strides[d] = stride;
            bits |= stride as usize;
            empty |= n == 0;
            // Bounded so that neither the sums over all dimensions nor anything computed later can overflow.
            let span = (n - 1)
                .max(0)
                .checked_mul(stride)
                .filter(|s| s.unsigned_abs() <= MAX_SPAN)
                .ok_or_else(|| self.bad_shape())?;
            low += span.min(0);
            high += span.max(0);
            // What a copy would take; strides may be 0, so that the array itself takes less.
            bytes = bytes
                .checked_mul(n.max(1))
                .ok_or_else(|| self.bad_shape())?;
        }
        if outer == 0 {
            arg.strides[0] = elem.size() as i64;
        }
        if !empty {
            self.check_address(bits, low, high + elem.size() as i64)?;
        }
        Ok(outer.max(1) as u8)
    }

    /// How many dimensions are left when the last ones are the components of `elem`.
    #[cold]
    fn fold(&self, elem: Elem) -> Result<usize> {
        if let Elem::Struct(s) = elem {
            return Err(Error::new(
                Code::Type,
                format!("the elements are {}, not the struct {s}", self.scalar),
            )
            .hint(format!("arrays of {s} are made of NumPy's records")));
        }
        if elem.scalar() != self.scalar {
            return Err(Error::new(
                Code::Type,
                format!("the elements are {}, not {elem}", self.scalar),
            ));
        }
        let inner = elem.inner_shape();
        if !self.ends_in(elem) {
            return Err(Error::new(
                Code::Type,
                format!(
                    "an array of {elem} ends in the dimensions {:?}, this one has the shape {:?}",
                    inner.as_slice(),
                    self.shape()
                ),
            ));
        }
        let outer = self.ndim - inner.len();
        // What has no elements may have any strides.
        let empty = self.shape[..outer].contains(&0);
        let mut want = self.scalar.size() as i64;
        for d in (outer..self.ndim).rev() {
            if self.strides[d] != want && self.shape[d] != 1 && !empty {
                return Err(Error::new(
                    Code::Value,
                    format!("the components of each {elem} must be contiguous in memory"),
                )
                .hint("make the array contiguous first"));
            }
            want *= self.shape[d];
        }
        Ok(outer)
    }

    /// Whether the last dimensions are the components of `elem`.
    pub fn ends_in(&self, elem: Elem) -> bool {
        let inner = elem.inner_shape();
        let last = self
            .ndim
            .checked_sub(inner.len())
            .map(|at| &self.shape[at..self.ndim]);
        last.is_some_and(|last| last.iter().copied().eq(inner.iter().map(|n| *n as i64)))
    }

    /// The bytes from `low` to `high`, relative to the first element, must be addresses, and aligned.
    #[inline]
    fn check_address(&self, bits: usize, low: i64, high: i64) -> Result<()> {
        if self.data.is_null() {
            return Err(Error::new(
                Code::Value,
                "the array has elements but no memory (a fake, functional or wrapper tensor?)",
            ));
        }
        let at = self.data as i64;
        if at <= 0 || at + low <= 0 || at.checked_add(high).is_none() {
            return Err(self.bad_shape());
        }
        let size = self.scalar.size();
        // Sizes of scalars are powers of two.
        if bits & (size - 1) != 0 {
            return Err(Error::new(
                Code::Value,
                format!(
                    "elements of {} bytes do not start at multiples of {size} bytes",
                    size
                ),
            )
            .hint("copy the array first"));
        }
        Ok(())
    }

    #[cold]
    fn bad_shape(&self) -> Error {
        Error::new(
            Code::Value,
            format!(
                "shape {:?} with byte strides {:?} is out of range: dimensions are 0 to {}, and all elements \
                 must have addresses",
                self.shape(),
                &self.strides[..self.ndim],
                i32::MAX
            ),
        )
    }

    /// An array's memory with the components of its elements as dimensions: what a framework sees.
    pub fn of(view: &View) -> Desc {
        let mut desc = Desc {
            data: view.arg.data,
            ndim: view.ndim as usize,
            shape: [1; MAX_FOREIGN_NDIM],
            strides: [0; MAX_FOREIGN_NDIM],
            scalar: view.elem.scalar(),
            device: view.device,
            read_only: view.read_only,
        };
        for d in 0..desc.ndim {
            desc.shape[d] = i64::from(view.arg.shape[d]);
            desc.strides[d] = view.arg.strides[d];
        }
        let inner = view.elem.inner_shape();
        let mut stride = desc.scalar.size() as i64;
        for (d, n) in inner.iter().enumerate().rev() {
            desc.shape[desc.ndim + d] = *n as i64;
            desc.strides[desc.ndim + d] = stride;
            stride *= *n as i64;
        }
        desc.ndim += inner.len();
        desc
    }
}

#[cold]
fn too_many(ndim: usize) -> Error {
    Error::new(
        Code::Value,
        format!("an array has at most {MAX_NDIM} dimensions, this one {ndim}"),
    )
}

/// Finds the scalar with this class and width, as other systems describe types.
pub fn scalar_of(class: Class, bits: usize) -> Option<Scalar> {
    TABLE
        .iter()
        .find(|r: &&Row| r.class == class && r.bits as usize == bits)
        .map(|r| r.scalar)
}

/// What an adapter states about its framework. The control flow around it is the caller's, once.
pub trait Framework {
    /// As users know it.
    const NAME: &'static str;
    /// Whether its arrays can be marked as not to be written.
    const READ_ONLY: bool;
    /// Whether its arrays can run backwards through memory.
    const NEGATIVE_STRIDES: bool;
    /// What reaching its objects needs, such as Python's lock.
    type Cx<'a>: Copy;
    /// Its arrays.
    type Tensor<'a>;
    /// What its functions raise.
    type Error;

    /// Raises one of our errors the framework's way.
    fn raise(cx: Self::Cx<'_>, error: Error) -> Self::Error;
    /// Describes memory for the duration of a call.
    ///
    /// # Errors
    /// What the framework raises, and memory that cannot be described.
    fn describe(t: &Self::Tensor<'_>, out: &mut Desc) -> Result<(), Self::Error>;
    /// Describes memory and keeps it alive.
    ///
    /// # Errors
    /// As [`Framework::describe`].
    fn hold(t: &Self::Tensor<'_>, out: &mut Desc) -> Result<Owner, Self::Error>;
    /// An object of the framework's on an array's memory, which it keeps alive. See [`export`].
    ///
    /// # Errors
    /// What the framework raises.
    fn wrap<'a>(cx: Self::Cx<'a>, array: &Array) -> Result<Self::Tensor<'a>, Self::Error>;
}

/// The one import path: an array of `elem` (or of the tensor's own scalars) on a tensor's memory.
///
/// # Errors
/// Those of [`Framework::hold`] and [`Desc::view`].
#[inline(always)]
pub fn import<'a, F: Framework>(
    cx: F::Cx<'a>,
    tensor: &F::Tensor<'a>,
    elem: Option<Elem>,
) -> Result<Array, F::Error> {
    let mut desc = Desc::EMPTY;
    let owner = F::hold(tensor, &mut desc)?;
    desc.read_as(elem);
    let view = desc.view(elem).map_err(|e| F::raise(cx, e))?;
    Ok(Array { view, owner })
}

/// The one export path: an object of the framework's on an array's memory, which it keeps alive.
///
/// # Errors
/// [`Code::Buffer`] if the framework has no such arrays, and what it raises.
#[inline]
pub fn export<'a, F: Framework>(cx: F::Cx<'a>, array: &Array) -> Result<F::Tensor<'a>, F::Error> {
    let view = &array.view;
    if (view.read_only && !F::READ_ONLY)
        || (!F::NEGATIVE_STRIDES && view.layout().strides().iter().any(|s| *s < 0))
    {
        return Err(F::raise(cx, not_exported(F::NAME, view)));
    }
    F::wrap(cx, array)
}

#[cold]
fn not_exported(name: &str, view: &View) -> Error {
    if view.read_only {
        let text =
            format!("a read-only array cannot become a tensor: {name} has no read-only tensors");
        return Error::new(Code::Buffer, text).hint("pass a.clone()");
    }
    let text = format!("{name} has no tensors with negative strides");
    Error::new(Code::Buffer, text).hint("pass a.contiguous()")
}
