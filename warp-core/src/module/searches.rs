//! What searches of meshes are on GPUs: functions in the language of kernels, `library/mesh_search*.py`.

use crate::dtype::Scalar;
use crate::error::Bug;
use crate::front::{self, Reading, SourceText};
use crate::ir::{Func, Kind, Op, Search};
use crate::pass::{self, inline::inline_all};
use std::sync::OnceLock;

/// A function that does a search: it takes values, and its body gives the result.
///
/// # Errors
/// A bug of the library or of a pass.
pub fn body(search: Search) -> Result<Func, Bug> {
    static KNOWN: [OnceLock<Result<Func, Bug>>; Search::ALL.len()] =
        [const { OnceLock::new() }; Search::ALL.len()];
    KNOWN[search as usize].get_or_init(|| build(search)).clone()
}

fn build(search: Search) -> Result<Func, Bug> {
    let name = search.name();
    let bug = |what: &dyn std::fmt::Display| Bug(format!("search `{name}`: {what}"));
    let numbers = search
        .arguments()
        .enumerate()
        .map(|(n, scalar)| match scalar {
            Scalar::I32 => format!(", a{n}: int"),
            _ => format!(", a{n}: float"),
        });
    let given: String = (0..search.arguments().len())
        .map(|n| format!(", a{n}"))
        .collect();
    let text = format!(
        "def search(mesh: wp.uint64{}, out: wp.array(dtype=int)):\n    out[0] = {name}(mesh{given})\n",
        numbers.collect::<String>()
    );
    let source = SourceText {
        name: "search".into(),
        file: "warp/mesh_search.py".into(),
        first_line: 1,
        text,
    };
    let built = front::build(source, front::searches(), Reading::default()).map_err(|e| bug(&e))?;
    let mut func = pass::front(built.func)?.into_func();
    inline_all(&mut func);
    pass::renumber(&mut func);
    // What a launch would pass becomes what is taken, and what would be written what is given.
    let count = 1 + search.arguments().len();
    let mut params = vec![None; count];
    let body = &mut func.body;
    body.stmts.retain(|stmt| match &stmt.kind {
        Kind::Let {
            out,
            op: Op::Param(id, _),
            ..
        } => {
            params[id.0 as usize] = Some(*out);
            false
        }
        _ => true,
    });
    let Some(Kind::Store { value, .. }) = body.stmts.pop().map(|stmt| stmt.kind) else {
        return Err(bug(&"it writes nothing at its end"));
    };
    body.results = vec![value];
    let mut fresh = |scalar| {
        func.values.push(scalar);
        crate::ir::Value(func.values.len() as u32 - 1)
    };
    let types = std::iter::once(Scalar::U64).chain(search.arguments());
    body.params = params
        .into_iter()
        .zip(types)
        .map(|(known, scalar)| known.unwrap_or_else(|| fresh(scalar)))
        .collect();
    func.params.clear();
    Ok(func)
}
