//! From an operator to a call of XLA's: which buffers the call has, and what its attributes say.

use super::launch_plan::{BufferBinding, Dim, LaunchPlan};
use std::collections::HashMap;
use warp_core::error::{Code, Error, Result};
use warp_core::operator::{Operator, Source, Supply};

/// A call of an operator, but for the buffers of its arguments: one for each argument that is no value known here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoweredCall {
    /// How parameters are filled.
    pub plan: LaunchPlan,
    /// The bytes of all values that are known here; never empty, as XLA has no attribute for an array of nothing.
    pub values: Vec<u8>,
    /// For each result buffer, the parameter whose array it is: first what is returned, then temporary buffers.
    pub results: Vec<usize>,
    /// Argument buffers that may be one with a result buffer, since they are copied there.
    pub aliases: Vec<(usize, usize)>,
}

impl LoweredCall {
    /// The call of an operator with these launch dimensions of an item, so many output dimensions, and the bytes of the
    /// values that are known.
    ///
    /// # Errors
    /// As [`Operator::resolve`].
    pub fn of(
        operator: &Operator,
        launch: Option<&[i32]>,
        outputs: Option<usize>,
        known: &HashMap<usize, Vec<u8>>,
    ) -> Result<LoweredCall> {
        let resolved = operator.resolve(launch.map(<[i32]>::len), outputs)?;
        let dynamic = operator.arguments().filter(|i| !known.contains_key(i));
        let args: HashMap<usize, usize> = dynamic.enumerate().map(|(k, i)| (i, k)).collect();
        let mut results: Vec<usize> = operator.results().collect();
        for (i, supply) in resolved.supplies.iter().enumerate() {
            let has_buffer = matches!(supply, Supply::Copy | Supply::New(_));
            if has_buffer && !operator.parameters[i].binding.is_result() {
                results.push(i);
            }
        }
        let rets: HashMap<usize, usize> =
            results.iter().enumerate().map(|(k, i)| (*i, k)).collect();
        let (mut values, mut aliases) = (Vec::new(), Vec::new());
        let bind = |(i, supply): (usize, &Supply)| match supply {
            Supply::Value => match known.get(&i) {
                Some(bytes) => {
                    let at = values.len();
                    values.extend_from_slice(bytes);
                    BufferBinding::Value(at)
                }
                None => BufferBinding::Given(args[&i]),
            },
            Supply::Argument => BufferBinding::Read(args[&i]),
            Supply::Copy => {
                let (arg, ret) = (args[&i], rets[&i]);
                aliases.push((arg, ret));
                BufferBinding::Copy { arg, ret }
            }
            Supply::New(_) => BufferBinding::Out(rets[&i]),
            Supply::Same(like) => BufferBinding::Stand(*like),
            Supply::Missing(like) => BufferBinding::Absent(*like),
        };
        let bindings = resolved.supplies.iter().enumerate().map(bind).collect();
        let dims = resolved.launch.iter();
        let dims = dims.map(|source| dim(operator, *source, launch));
        let dims = dims.collect::<Result<_>>()?;
        if values.is_empty() {
            values.push(0);
        }
        Ok(LoweredCall {
            plan: LaunchPlan {
                block_dim: 0,
                dims,
                bindings,
            },
            values,
            results,
            aliases,
        })
    }
}

fn dim(operator: &Operator, source: Source, launch: Option<&[i32]>) -> Result<Dim> {
    match (source, launch) {
        (Source::Of(extent), _) => Ok(Dim::Of {
            param: extent.param,
            dim: extent.dim,
        }),
        (Source::Launch(at), Some(launch)) => Ok(Dim::Fixed(launch[at])),
        _ => Err(Error::new(
            Code::Bug,
            format!("{}: a launch dimension comes from nowhere", operator.title),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{BufferBinding, Dim, LoweredCall};
    use std::collections::HashMap;
    use warp_core::dtype::Scalar;
    use warp_core::operator::{Binding, Extent, Operator, OperatorParam};
    use warp_core::ty::Elem;

    fn param(name: &str, ndim: usize, binding: Binding) -> OperatorParam {
        OperatorParam {
            name: name.into(),
            elem: Elem::Scalar(Scalar::F32),
            ndim,
            binding,
            like: None,
            front: Vec::new(),
            item: None,
        }
    }

    #[test]
    fn buffers_are_numbered() {
        let operator = Operator {
            title: "kernel 'k'".into(),
            parameters: vec![
                param("a", 0, Binding::Value),
                param("work", 1, Binding::Work),
                param("b", 0, Binding::Value),
                param("x", 1, Binding::Read),
                param("y", 1, Binding::InOut),
                param("out", 1, Binding::Out),
            ],
            front: Vec::new(),
            item: Some(vec![Extent { param: 3, dim: 0 }]),
        };
        let known = HashMap::from([(2, vec![1, 2, 3, 4])]);
        let call = LoweredCall::of(&operator, None, None, &known).unwrap();
        assert_eq!(call.plan.dims, [Dim::Of { param: 3, dim: 0 }]);
        let bindings = [
            BufferBinding::Given(0),
            BufferBinding::Copy { arg: 1, ret: 2 },
            BufferBinding::Value(0),
            BufferBinding::Read(2),
            BufferBinding::Copy { arg: 3, ret: 0 },
            BufferBinding::Out(1),
        ];
        assert_eq!(call.plan.bindings, bindings);
        assert_eq!(call.values, [1, 2, 3, 4]);
        assert_eq!(call.results, [4, 5, 1]);
        assert_eq!(call.aliases, [(1, 2), (3, 0)]);
        let given = LoweredCall::of(&operator, Some(&[9]), None, &HashMap::new()).unwrap();
        assert_eq!(given.plan.dims, [Dim::Fixed(9)]);
        assert_eq!(given.values, [0]);
    }
}
