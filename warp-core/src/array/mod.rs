//! Arrays: how elements lie in memory ([`layout`]), what a kernel sees ([`view`]), what keeps the
//! memory alive ([`owner`], and [`allocation`] for memory of ours), where new memory goes ([`placement`]), copying between layouts ([`copy`]), converting
//! ([`mod@convert`]) and single values ([`number`]). [`tracking`] keeps account of memory of ours.

pub mod allocation;
pub mod convert;
pub mod copy;
pub mod layout;
pub mod lent;
pub mod nested_owners;
pub mod number;
pub mod owner;
pub mod placement;
pub mod tracking;
pub mod view;

pub use allocation::Allocation;
pub use layout::{Index, Layout};
pub use number::Number;
pub use owner::Owner;
pub use placement::Placement;
pub use view::View;

#[cfg(test)]
mod tests;

use crate::backend::Content;
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
    /// No memory, to be filled in.
    pub const EMPTY: Array = Array {
        view: View::EMPTY,
        owner: Owner::Nobody,
    };
    /// A new contiguous array whose content is arbitrary.
    ///
    /// # Errors
    /// As [`Allocation::new`], and [`crate::error::Code::Value`] if the shape is none of an array.
    pub fn empty(elem: Elem, shape: &[i64], at: impl Into<Placement>) -> Result<Array> {
        Array::allocate(elem, shape, at.into(), Content::Any)
    }
    /// A new contiguous array full of zeros.
    ///
    /// # Errors
    /// As [`Array::empty`].
    pub fn zeros(elem: Elem, shape: &[i64], at: impl Into<Placement>) -> Result<Array> {
        Array::allocate(elem, shape, at.into(), Content::Zeros)
    }
    fn allocate(elem: Elem, shape: &[i64], at: Placement, content: Content) -> Result<Array> {
        let layout = Layout::contiguous(shape, elem.size())?;
        let memory = Allocation::new(layout.len() * elem.size(), content, at)?;
        memory.describe(|| {
            let shape: Vec<String> = shape.iter().map(i64::to_string).collect();
            format!("array({elem}, {})", shape.join(" x "))
        });
        let view = View::new(memory.data(), layout, elem, at.device, false);
        Ok(Array {
            view,
            owner: Owner::Own(Arc::new(memory)),
        })
    }
    /// A contiguous copy of `view` in new memory.
    ///
    /// # Safety
    /// The memory of `view` must be alive, and nothing may write it meanwhile.
    ///
    /// # Errors
    /// As [`Array::empty`].
    pub unsafe fn copy_of(view: &View, at: impl Into<Placement>) -> Result<Array> {
        let shape: Vec<i64> = view
            .layout()
            .shape()
            .iter()
            .map(|n| i64::from(*n))
            .collect();
        let out = Array::empty(view.elem, &shape, at)?;
        // SAFETY: `out` is new memory with the shape and element of `view`, which is alive.
        unsafe { copy::copy(&out.view, view) }?;
        Ok(out)
    }
    /// A contiguous copy in new memory, which holds what this one holds.
    ///
    /// # Safety
    /// As [`Array::copy_of`].
    ///
    /// # Errors
    /// As [`Array::empty`].
    pub unsafe fn copy_to(&self, at: impl Into<Placement>) -> Result<Array> {
        // SAFETY: promised by the caller.
        let copy = unsafe { Array::copy_of(&self.view, at) }?;
        nested_owners::hold_copies((&copy.view, &copy.owner), (&self.view, &self.owner));
        Ok(copy)
    }
    /// Takes over the elements of an array of one shape and element, and what it holds.
    ///
    /// # Safety
    /// As [`copy::copy`].
    ///
    /// # Errors
    /// What the device says.
    pub unsafe fn copy_from(&self, from: &Array) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { copy::copy(&self.view, &from.view) }?;
        nested_owners::hold_copies((&self.view, &self.owner), (&from.view, &from.owner));
        Ok(())
    }
    /// The same memory seen otherwise.
    #[inline]
    pub fn with_view(&self, view: View) -> Array {
        Array {
            view,
            owner: self.owner.clone(),
        }
    }
}
