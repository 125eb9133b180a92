//! Elements of several components that lie where a GPU reads two or four of them at once.

use crate::ir::{ParamId, ParamType};
use crate::lower::analysis::facts::KernelFacts;

/// The most bytes that one instruction reads.
const MOST: usize = 16;

/// Bytes at whose multiples all elements of an array must lie so that its components are read together; None if they are read one by
/// one anyway, or the array is a field of structs, which may lie anywhere.
pub fn alignment(facts: &KernelFacts<'_>, id: ParamId) -> Option<usize> {
    let param = facts.func.param(id);
    if !matches!(param.ty, ParamType::Array { .. }) || param.part.is_some() {
        return None;
    }
    let (size, elem) = (param.step(), param.ty.elem());
    // The largest power of two that divides it.
    let wide = (size & size.wrapping_neg()).min(MOST);
    let together = elem.count() > 1 && wide >= 2 * elem.scalar().size();
    (together && facts.accesses.contains_key(&id)).then_some(wide)
}
