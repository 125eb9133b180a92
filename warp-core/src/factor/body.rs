//! A decomposition or an inverse as a function of IR.

use crate::dtype::Scalar;
use crate::factor::expression::Formula;
use crate::ir::{Builder, Factorization, Func, Op, ParamType, Value};
use crate::ty::Elem;

/// The function that takes a matrix of floats as its parameter and whose body gives the components of the results. No kernel:
/// those give nothing.
pub fn body(of: Factorization, scalar: Scalar) -> Func {
    let n = of.size() as u32;
    let mut b = Builder::new(of.name());
    let elem = Elem::Mat {
        rows: n,
        cols: n,
        scalar,
    };
    let id = b.param("a", ParamType::Elem(elem));
    let ty = computed_in(scalar);
    let a: Vec<Value> = (0..n * n)
        .map(|i| b.let_(scalar, Op::Param(id, i), &[]))
        .collect();
    let a: Vec<Value> = a.into_iter().map(|x| b.cast(x, ty)).collect();
    let mut f = Formula { b: &mut b, ty };
    let out = match of {
        Factorization::Svd2 | Factorization::Svd3 => f.svd(&a, of.size()),
        Factorization::Qr3 => f.qr3(&a),
        Factorization::Eig3 => f.eig3(&a),
        Factorization::Inverse2 | Factorization::Inverse3 | Factorization::Inverse4 => {
            f.inverse(&a, of.size())
        }
    };
    let out: Vec<Value> = out.into_iter().map(|x| b.cast(x, scalar)).collect();
    let mut func = b.finish();
    func.body.results = out;
    func
}

/// The type in which a type is computed.
pub(super) fn computed_in(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F64 => Scalar::F64,
        _ => Scalar::F32,
    }
}
