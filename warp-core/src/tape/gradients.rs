//! Gradients of a Rust program's arrays, found by their memory.

use crate::array::{Array, View};
use crate::error::{Code, Error, Result};
use std::sync::{Mutex, PoisonError};

/// Arrays and their gradients. A part of an array has the same part of the gradient.
#[derive(Default)]
pub struct Gradients(Mutex<Vec<(Array, Array)>>);

impl Gradients {
    /// Gives an array a gradient, or another one.
    ///
    /// # Errors
    /// The gradient has another type, shape or device, or the array holds no floating point numbers.
    pub fn set(&self, array: &Array, gradient: &Array) -> Result<()> {
        let (own, new) = (&array.view, &gradient.view);
        let shape = |view: &View| view.layout().shape().to_vec();
        if !own.elem.has_floats() {
            let text = format!("gradient: {} has none: it holds no floats", own.elem);
            return Err(Error::new(Code::Type, text));
        }
        if (own.elem, own.device, shape(own)) != (new.elem, new.device, shape(new)) {
            let text = format!(
                "gradient: the array is {}{:?} on \"{}\", the gradient {}{:?} on \"{}\"; give them the same type, shape and device",
                own.elem,
                shape(own),
                own.device,
                new.elem,
                shape(new),
                new.device
            );
            return Err(Error::new(Code::Value, text));
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| known.view.strided() != own.strided());
        all.push((array.clone(), gradient.clone()));
        Ok(())
    }

    /// The gradient of an array, or of a part of one.
    pub fn of(&self, view: &View) -> Option<Array> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rev().find_map(|(array, gradient)| {
            let whole = &array.view;
            if whole.arg == view.arg && whole.elem == view.elem {
                return Some(gradient.clone());
            }
            // Elsewhere in memory by as much as the part is, if both lie alike.
            let (bytes, part) = (whole.addresses(), view.addresses());
            let inside = bytes.start <= part.start && part.end <= bytes.end;
            let alike = whole.arg.strides == gradient.view.arg.strides;
            if !inside || !alike || whole.device != view.device || part.is_empty() {
                return None;
            }
            let offset = view.arg.data as isize - whole.arg.data as isize;
            let mut found = *view;
            found.arg.data = gradient.view.arg.data.wrapping_offset(offset);
            found.read_only = gradient.view.read_only;
            Some(gradient.with_view(found))
        })
    }

    /// All gradients.
    pub fn all(&self) -> Vec<Array> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(_, gradient)| gradient.clone()).collect()
    }
}
