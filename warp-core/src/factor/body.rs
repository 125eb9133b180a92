//! A decomposition or an inverse as a function of IR.

use crate::dtype::Scalar;
use crate::factor::{eig, inverse, qr, svd};
use crate::ir::{Builder, ExprBuilder, Exprs, Factorization, Func, Op, ParamType, Value};
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
    let a: Vec<Value> = (0..n * n)
        .map(|i| b.let_(scalar, Op::Param(id, i), &[]))
        .collect();
    let results = formula(&mut b, of, &a);
    let mut func = b.finish();
    func.body.results = results;
    func
}

fn formula(b: &mut Builder, of: Factorization, a: &[Value]) -> Vec<Value> {
    let scalar = b.ty(a[0]);
    let ty = computed_in(scalar);
    let b = &ExprBuilder::new(b);
    let a: Exprs<'_> = a.iter().map(|x| b.expr(*x).cast(ty)).collect();
    let out = match of {
        Factorization::Svd2 | Factorization::Svd3 => svd::svd(b, &a, of.size()),
        Factorization::Qr3 => qr::qr3(&a),
        Factorization::Eig3 => eig::eig3(b, &a),
        Factorization::Inverse2 | Factorization::Inverse3 | Factorization::Inverse4 => {
            inverse::inverse(&a, of.size())
        }
    };
    out.iter().map(|x| x.cast(scalar).value()).collect()
}

/// The type in which a type is computed.
pub(super) fn computed_in(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F64 => Scalar::F64,
        _ => Scalar::F32,
    }
}
