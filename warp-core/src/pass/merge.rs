//! Makes parameters one that were given the same array, so that analyses see what is the same memory.

use crate::ir::{Block, Func, Kind, Op, ParamId, ParamType};

/// Every access to parameter `i` becomes one to parameter `stands[i]`, which has the same type.
/// Parameters keep their places; those that were merged away are no longer used.
pub fn merge(func: &mut Func, stands: &[u32]) {
    (func.blocks_mut()).for_each(|body| block(body, stands));
    for param in &mut func.params {
        if let ParamType::Gradient { of, .. } = &mut param.ty
            && let Some(stand) = stands.get(of.0 as usize)
        {
            *of = ParamId(*stand);
        }
    }
}

fn block(block_: &mut Block, stands: &[u32]) {
    let rename = |id: &mut ParamId| {
        if let Some(stand) = stands.get(id.0 as usize) {
            *id = ParamId(*stand);
        }
    };
    for stmt in &mut block_.stmts {
        match &mut stmt.kind {
            Kind::Let {
                op: Op::Shape(id, _) | Op::Present(id) | Op::Address(id) | Op::Stride(id, _),
                ..
            } => rename(id),
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                rename(&mut place.array);
            }
            _ => {}
        }
        for inner in stmt.kind.blocks_mut() {
            block(inner, stands);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::merge;
    use crate::ir::read;

    #[test]
    fn accesses_move_to_the_parameter_that_stands() {
        let text = "\
kernel k(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  store y[%0], %1
}
";
        let mut func = read(text).expect("reads");
        merge(&mut func, &[0, 0]);
        assert_eq!(func.to_string(), text.replace("store y", "store x"));
    }
}
