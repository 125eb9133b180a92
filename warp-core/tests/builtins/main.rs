//! The builtin table: what rows compute, and how calls, operators and components resolve.

mod calls;
mod rows;
