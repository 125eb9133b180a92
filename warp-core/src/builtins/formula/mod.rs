//! Arithmetic that rows and operators are made of, on [expressions](crate::ir::Expr).

pub mod algebra;
pub mod fold;
pub mod noise;
pub mod poisson;
pub mod random;
pub mod rigid;
pub mod simplices;
