//! Compounds as values: what their product is, and what makes one.

use crate::builtins::formula::{algebra, rigid};
use crate::builtins::value::Operand;
use crate::dtype::Scalar;
use crate::ir::{Expr, Exprs};
use crate::ty::{Compound, Elem, Form};

/// Components of a product, from those of its factors.
pub type Product = for<'s> fn(&[Expr<'s>], &[Expr<'s>]) -> Exprs<'s>;

/// The product of two of one kind; None where there is none.
pub fn product(compound: Compound) -> Option<Product> {
    match compound {
        Compound::Quat => Some(algebra::quat_mul),
        Compound::Transform => Some(rigid::transform_mul),
    }
}

/// What a list of arguments is to a compound: all of its parts, or one of its other constructors, whose rest comes with it. None if it is
/// neither.
pub fn way(compound: Compound, scalar: Scalar, args: &[&Operand]) -> Option<&'static [f64]> {
    let row = compound.row();
    let fits = |(form, x): (Form, &&Operand)| match form {
        // Literals become components of any type.
        Form::Number => x.as_scalar().is_some(),
        _ => x.elem == Elem::part(form, scalar),
    };
    let all = |forms: &mut dyn ExactSizeIterator<Item = Form>| {
        forms.len() == args.len() && forms.zip(args).all(fits)
    };
    if all(&mut row.parts.iter().map(|part| part.1)) {
        return Some(&[]);
    }
    let mut constructors = row.constructors.iter();
    let found = constructors.find(|constructor| all(&mut constructor.forms.iter().copied()));
    found.map(|constructor| constructor.rest)
}
