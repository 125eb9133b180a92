//! Arrays: how elements lie in memory ([`layout`]), what a kernel sees ([`view`]), what keeps the
//! memory alive ([`owner`]), copying between layouts ([`copy`]) and single values ([`number`]).

pub mod copy;
pub mod layout;
pub mod number;
pub mod owner;
pub mod view;

pub use layout::{Index, Layout};
pub use number::Number;
pub use owner::Owner;
pub use view::View;

#[cfg(test)]
mod tests;

use crate::device::{Allocation, Device};
use crate::error::Result;
use crate::ty::Elem;
use std::sync::Arc;

/// A view and what keeps its memory alive.
#[derive(Clone, Debug)]
pub struct Array {
    /// Where the elements are.
    pub view: View,
    /// What keeps them there.
    pub owner: Owner,
}

impl Array {
    /// A new contiguous array whose content is arbitrary.
    pub fn empty(elem: Elem, shape: &[i64], device: Device) -> Result<Array> {
        Array::allocate(elem, shape, device, Allocation::new)
    }
    /// A new contiguous array full of zeros.
    pub fn zeros(elem: Elem, shape: &[i64], device: Device) -> Result<Array> {
        Array::allocate(elem, shape, device, Allocation::zeroed)
    }
    fn allocate(
        elem: Elem,
        shape: &[i64],
        device: Device,
        with: fn(usize) -> Result<Allocation>,
    ) -> Result<Array> {
        let layout = Layout::contiguous(shape, elem.size())?;
        let memory = with(layout.len() * elem.size())?;
        let view = View::new(memory.data(), layout, elem, device, false);
        Ok(Array {
            view,
            owner: Owner::Own(Arc::new(memory)),
        })
    }
    /// A contiguous copy of `view` in memory of its own.
    ///
    /// # Safety
    /// The memory of `view` must be alive, and nobody may write it meanwhile.
    pub unsafe fn copy_of(view: &View) -> Result<Array> {
        let shape: Vec<i64> = view
            .layout()
            .shape()
            .iter()
            .map(|n| i64::from(*n))
            .collect();
        let out = Array::empty(view.elem, &shape, view.device)?;
        // SAFETY: `out` is new memory with the shape and element of `view`, which is alive.
        unsafe { copy::copy(&out.view, view) };
        Ok(out)
    }
    /// The same memory seen otherwise.
    pub fn with_view(&self, view: View) -> Array {
        Array {
            view,
            owner: self.owner.clone(),
        }
    }
}
