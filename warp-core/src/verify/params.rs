//! Parameters.

use crate::ir::ParamType;
use crate::ir::data::MAX_LOCAL;
use crate::ty::{Elem, MAX_NDIM};
use crate::verify::scope::{Checker, R, ensure};

impl Checker<'_> {
    /// Checks each parameter.
    pub fn params(&self) -> R {
        for (i, param) in self.func.params.iter().enumerate() {
            let first = self.func.params.iter().position(|p| p.name == param.name) == Some(i);
            ensure(first, || {
                format!("two parameters are named `{}`", param.name)
            })?;
            ensure(!matches!(param.ty.elem(), Elem::Struct(_)), || {
                format!("`{}` is a struct, not its leaves", param.name)
            })?;
            ensure(param.ty.elem().count() > 0, || {
                format!("`{}` has no components", param.name)
            })?;
            ensure(
                param.part.is_none_or(|part| {
                    part.size as usize >= part.offset as usize + param.ty.elem().size()
                }),
                || format!("`{}` is larger than what it is part of", param.name),
            )?;
            let locals = i >= self.func.arguments().len();
            ensure(locals != param.ty.is_passed(), || {
                format!("`{}` stands behind what is not passed", param.name)
            })?;
            if let ParamType::Gradient { of, elem, ndim } = param.ty {
                let before = self.func.params[..i].get(of.0 as usize).map(|p| p.ty);
                let fits = match before {
                    Some(
                        ParamType::Array { elem: e, ndim: n }
                        | ParamType::Local {
                            elem: e, ndim: n, ..
                        },
                    ) => (elem, ndim) == (e, n),
                    _ => false,
                };
                ensure(fits, || format!("`{}` is not like its array", param.name))?;
            }
            if let ParamType::Local { ndim, shape, .. } = param.ty {
                let all = shape.iter().try_fold(1u32, |all, n| all.checked_mul(*n));
                let fits = all.is_some_and(|n| (1..=MAX_LOCAL).contains(&n));
                let fits = fits && shape[ndim as usize..].iter().all(|n| *n == 1);
                ensure(fits, || {
                    format!("`{}` has the extents {shape:?}", param.name)
                })?;
            }
            if let ParamType::Shared { ndim, shape, .. } = param.ty {
                let (own, rest) = shape.split_at((ndim as usize).min(MAX_NDIM));
                let fits = own.iter().all(|n| *n > 0) && rest.iter().all(|n| *n == 1);
                ensure(fits, || {
                    format!("`{}` has the extents {shape:?}", param.name)
                })?;
            }
            if let ParamType::Array { ndim, .. }
            | ParamType::Local { ndim, .. }
            | ParamType::Shared { ndim, .. }
            | ParamType::PointerBased { ndim, .. } = param.ty
            {
                let fits = (1..=MAX_NDIM).contains(&(ndim as usize));
                ensure(fits, || format!("`{}` has {ndim} dimensions", param.name))?;
            }
        }
        Ok(())
    }
}
