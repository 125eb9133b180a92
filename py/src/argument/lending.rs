//! What a launch may store descriptors of: the arrays among its arguments, and those that these lead to.

use super::pack::Owners;
use super::spread::Root;
use crate::kernel::{Kernel, Ready};
use crate::object::Array;
use crate::object::error::Mismatch;
use crate::object::nested_arrays::{may_hold, require_own};
use crate::object::queried;
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::array::lent::Lent;
use warp_core::array::nested_owners::Lending;
use warp_core::array::{Array as Core, Owner, View};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ir::ParamType;
use warp_core::launch::Block;
use warp_core::ty::{ARRAY_DESCRIPTOR, Elem, Type};
use warp_dlpack::{reference, referent};

/// What a launch of a kernel that stores descriptors lends to the arrays that it stores them in.
///
/// # Errors
/// Such an array has memory that cannot keep others alive.
#[cold]
pub fn lending(
    kernel: &Kernel,
    ready: &Ready,
    (args, roots): (&[Bound<'_, PyAny>], &[Root<'_>]),
    (device, block, owners): (Device, &Block, &Owners),
) -> PyResult<Lending> {
    let (mut to, mut lent) = (Vec::new(), Lent::default());
    let types = pointer_based(ready);
    for root in roots {
        lend(&root.array, &mut lent);
    }
    let of_roots = roots.iter().map(|root| root.array.get().core.view.elem);
    let params = kernel
        .params
        .iter()
        .filter(|param| param.ndim > 0 || is_struct(param.elem));
    if let Some(py) = args.first().map(Bound::py)
        && params.map(|param| param.elem).chain(of_roots).any(has_ids)
    {
        // Which ids lie there is not known: any object may be meant.
        for array in queried::each().iter().flat_map(|object| object.arrays(py)) {
            if array.get().core.view.device == device {
                lend(&array, &mut lent);
            }
        }
    }
    for (at, (param, arg)) in kernel.params.iter().zip(args).enumerate() {
        if let Some(object) = queried::find(arg) {
            let arrays = object.arrays(arg.py()).into_iter();
            arrays.for_each(|array| lend(&array, &mut lent));
        }
        let array = arg.cast::<Array>().ok();
        if param.elem == ARRAY_DESCRIPTOR {
            let Some(array) = array else { continue };
            let core = &array.get().core;
            if ready.writes[at] {
                let own = require_own(&core.owner, &[(0, Owner::Nobody)]);
                own.map_err(|e| kernel.refuse(Mismatch(e), &param.name))?;
                to.push((core.view, core.owner.clone()));
            }
            if ready.compiled.access[at].loads {
                lend_held(arg.py(), core, &mut lent);
            }
        } else if has_part(&types, param.elem, param.ndim) {
            match (array, owners.iter().find(|(of, _)| *of == at)) {
                (Some(array), _) => lend(array, &mut lent),
                (None, Some((_, owner))) => {
                    let view = View {
                        arg: *block.array(ready.compiled.program.layout.offsets[at]),
                        elem: param.elem,
                        ndim: param.ndim,
                        read_only: false,
                        device,
                    };
                    lent.add(&view, owner.clone());
                }
                (None, None) => {}
            }
        }
    }
    let arrays = Arc::new(lent);
    Ok(Lending { to, arrays })
}

/// Whether values of a type may be, or have, ids of objects.
fn has_ids(elem: Elem) -> bool {
    let id = Elem::Scalar(Scalar::U64);
    match elem {
        Elem::Struct(s) => s.stored().iter().any(|leaf| leaf.ty == Type::Elem(id)),
        _ => elem == id,
    }
}

const fn is_struct(elem: Elem) -> bool {
    matches!(elem, Elem::Struct(_))
}

/// Element and number of dimensions of the arrays that descriptors may name.
fn pointer_based(ready: &Ready) -> Vec<(Elem, u8)> {
    let params = ready.compiled.program.func.params.iter();
    let each = params.filter_map(|param| match param.ty {
        ParamType::PointerBased { elem, ndim, .. } => Some((elem, ndim)),
        _ => None,
    });
    each.collect()
}

/// Whether an array, or a part of it with fewer dimensions, is of one of these types.
fn has_part(types: &[(Elem, u8)], elem: Elem, ndim: u8) -> bool {
    types.iter().any(|(of, n)| *of == elem && *n <= ndim)
}

fn lend(array: &Bound<'_, Array>, lent: &mut Lent) {
    let owner = reference(array.clone().into_any());
    lent.add(&array.get().core.view, owner);
}

/// Lends the arrays that one holds, and those that these hold.
fn lend_held(py: Python<'_>, core: &Core, lent: &mut Lent) {
    let mut nested = Vec::new();
    let mut each = |owner: &Owner| {
        if let Some(object) = referent(owner)
            && let Ok(array) = object.bind(py).cast::<Array>()
        {
            nested.push(array.clone());
        }
    };
    core.owner.lend_held(&mut each, lent);
    for array in nested {
        lend(&array, lent);
        let core = &array.get().core;
        if may_hold(core.view.elem) {
            lend_held(py, core, lent);
        }
    }
}
