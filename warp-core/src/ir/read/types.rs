//! The types of parameters in the text form.

use super::words::{R, scalar, split_top};
use crate::ir::data::{ParamType, Part};
use crate::ir::thread_block::ThreadBlock;
use crate::ty::{Compound, Elem, MAX_NDIM};

/// `offset of size in group`.
pub(super) fn part(text: &str) -> R<Part> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |n: &str| {
        n.parse()
            .map_err(|_| "expected a number of bytes".to_string())
    };
    match words[..] {
        [offset, "of", size, "in", group] => Ok(Part {
            size: number(size)?,
            offset: number(offset)?,
            group: number(group)?,
        }),
        _ => Err("expected `offset of size in group`".into()),
    }
}

/// `256 along 1`.
pub(super) fn thread_block(text: &str) -> R<ThreadBlock> {
    let numbers = text.split_once(" along ").and_then(|(threads, dim)| {
        let (threads, dim) = (threads.parse().ok()?, dim.parse().ok()?);
        Some(ThreadBlock { threads, dim })
    });
    numbers.ok_or_else(|| format!("expected `threads along dimension`, found `{text}`"))
}

/// What stands between `name<` and `>`.
fn inside<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(name)?.strip_prefix('<')?;
    rest.strip_suffix('>')
}

/// An element and extents that are known, as local and shared arrays have them.
fn fixed(inner: &str) -> R<(Elem, u8, [u32; MAX_NDIM])> {
    let [e, extents] = split_top(inner)[..] else {
        return Err("expected an element and extents".into());
    };
    let mut shape = [1; MAX_NDIM];
    let list: Vec<&str> = extents.split(" x ").collect();
    if list.len() > MAX_NDIM {
        return Err("too many extents".into());
    }
    for (extent, text) in shape.iter_mut().zip(&list) {
        *extent = text.parse().map_err(|_| "expected an extent")?;
    }
    Ok((elem(e)?, list.len() as u8, shape))
}

pub(super) fn param_type(text: &str) -> R<(ParamType, Option<Part>)> {
    if let Some(inner) = inside(text, "local") {
        let (elem, ndim, shape) = fixed(inner)?;
        return Ok((ParamType::Local { elem, ndim, shape }, None));
    }
    if let Some(inner) = inside(text, "shared") {
        let (elem, ndim, shape) = fixed(inner)?;
        return Ok((ParamType::Shared { elem, ndim, shape }, None));
    }
    if let Some(inner) = inside(text, "pointer_based") {
        let [e, ndim, offset] = split_top(inner)[..] else {
            return Err("expected `pointer_based<element, ndim, offset>`".into());
        };
        let bad = |_| "expected a number".to_string();
        let ty = ParamType::PointerBased {
            elem: elem(e)?,
            ndim: ndim.parse().map_err(bad)?,
            offset: offset.parse().map_err(bad)?,
        };
        return Ok((ty, None));
    }
    match inside(text, "array") {
        Some(inner) => match split_top(inner)[..] {
            [e, ndim, ref rest @ ..] if rest.len() <= 1 => {
                let part = rest.first().map(|text| part(text)).transpose()?;
                let ndim = ndim
                    .parse()
                    .map_err(|_| "expected a number of dimensions")?;
                let elem = elem(e)?;
                Ok((ParamType::Array { elem, ndim }, part))
            }
            _ => Err("expected `array<element, ndim>`".into()),
        },
        None => Ok((ParamType::Elem(elem(text)?), None)),
    }
}

pub(super) fn elem(text: &str) -> R<Elem> {
    let Some((kind, inner)) = text.strip_suffix('>').and_then(|t| t.split_once('<')) else {
        return Ok(Elem::Scalar(scalar(text)?));
    };
    let number = |t: &str| {
        t.parse::<u32>()
            .map_err(|_| format!("expected a number, found `{t}`"))
    };
    match (kind, &split_top(inner)[..]) {
        ("vec", [len, s]) => Ok(Elem::Vec {
            len: number(len)?,
            scalar: scalar(s)?,
        }),
        ("mat", [r, c, s]) => Ok(Elem::Mat {
            rows: number(r)?,
            cols: number(c)?,
            scalar: scalar(s)?,
        }),
        (name, [s]) if let Some(compound) = Compound::named(name) => {
            Ok(Elem::Compound(compound, scalar(s)?))
        }
        _ => Err(format!("no type `{text}`")),
    }
}
