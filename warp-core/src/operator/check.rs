//! What is wrong with shapes and extents that a caller gives.

use super::data::Operator;
use crate::error::{Code, Error, Result};
use crate::ty::MAX_NDIM;
use std::fmt::{Arguments, Display};

impl Operator {
    /// Checks the shape of the array for a parameter, which ends in the dimensions of an element. Extents may be symbols;
    /// those of the array itself are not looked at.
    ///
    /// # Errors
    /// [`Code::Value`]: it has another number of dimensions, or other elements.
    pub fn check_shape<T: PartialEq<i64> + Display>(
        &self,
        param: usize,
        shape: &[T],
    ) -> Result<()> {
        let p = &self.parameters[param];
        let inner = p.elem.inner_shape();
        let is_right = shape.len() == p.ndim + inner.len()
            && shape[p.ndim..]
                .iter()
                .zip(&inner)
                .all(|(found, want)| *found == *want as i64);
        if is_right {
            return Ok(());
        }
        let want = (0..p.ndim).map(|_| "n".to_string());
        let want = want.chain(inner.iter().map(ToString::to_string));
        Err(self.wrong(format_args!(
            "argument '{}' has shape {}, expected {} dimensions {} for an array of {}",
            p.name,
            tuple(shape),
            p.ndim + inner.len(),
            tuple(&want.collect::<Vec<_>>()),
            p.elem
        )))
    }

    /// The extents of an array that is made for a parameter, as numbers.
    ///
    /// # Errors
    /// [`Code::Value`]: one is not from 0 to 2147483647.
    pub fn check_extents(&self, param: usize, extents: &[i64]) -> Result<()> {
        match extents.iter().find(|n| !is_extent(**n)) {
            None => Ok(()),
            Some(n) => Err(self.wrong(format_args!(
                "output '{}' has an extent of {n}, expected 0 to {}",
                self.parameters[param].name,
                i32::MAX
            ))),
        }
    }

    /// The launch dimensions as numbers, unused ones 1.
    ///
    /// # Errors
    /// [`Code::Value`]: one is not from 0 to 2147483647, or there are too many threads.
    pub fn check_launch(&self, dims: &[i64]) -> Result<[i32; MAX_NDIM]> {
        let wrong =
            |what: &str| self.wrong(format_args!("launch dimensions {} {what}", tuple(dims)));
        let mut all = [1; MAX_NDIM];
        for (to, n) in all.iter_mut().zip(dims) {
            let extent = i32::try_from(*n).ok().filter(|n| *n >= 0);
            *to = extent.ok_or_else(|| wrong("are out of range: each is 0 to 2147483647"))?;
        }
        let total = dims.iter().try_fold(1i64, |n, d| n.checked_mul(*d));
        total.map_or_else(|| Err(wrong("have more than 2**63 threads")), |_| Ok(all))
    }

    /// What the caller gave does not go together.
    pub(super) fn wrong(&self, what: Arguments<'_>) -> Error {
        Error::new(Code::Value, format!("{}: {what}", self.title))
    }
}

fn is_extent(n: i64) -> bool {
    (0..=i64::from(i32::MAX)).contains(&n)
}

/// A shape as Python writes it.
fn tuple(items: &[impl Display]) -> String {
    let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
    match &texts[..] {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    }
}
