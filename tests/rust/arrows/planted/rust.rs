//! Circles of Rust files.

use super::circles;
use crate::rust::Crate;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    circles(&Crate::new(files).graph())
}

/// `a.rs` with `code`, beside a `b.rs` that needs what `a.rs` defines.
fn found_in(code: &str) -> Vec<String> {
    found(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", &format!("pub struct A; {code}")),
        (
            "b.rs",
            "use crate::a::A; pub struct B; pub enum E { One } pub fn f(_: A) {} pub mod inner { pub fn g() {} } \
             macro_rules! m { () => {} } pub(crate) use m;",
        ),
        ("c.rs", "pub use crate::b::B; pub use crate::b;"),
    ])
}

#[test]
fn two_files_are_found_in_every_spelling() {
    for code in [
        "use crate::b::B;",
        "use super::b::B as Other;",
        "use crate::b::{self, B};",
        "use crate::b; fn g() { b::f(A) }",
        "use crate::b as other; fn g() { other::f(A) }",
        "use crate::b::*; fn g(_: B) {}",
        "use crate::b::*; fn g() { f(A) }",
        "use crate::b::E::*;",
        "fn g(_: crate::b::B) {}",
        "fn g(_: Vec<Option<crate::b::B>>) {}",
        "fn g() { use super::b; b::f(A) }",
        "fn g() { super::b::E::One; }",
        "fn g() { assert!(crate::b::f(A)) }",
        "fn g() { assert!({ use super::b::{f, B}; f(A) }) }",
        "impl Drop for crate::b::B { fn drop(&mut self) {} }",
        "fn g() { crate::b::inner::g() }",
        "mod deep { fn g() { super::super::b::f(super::A) } }",
        "macro_rules! n { () => { $crate::b::f($crate::a::A) } }",
        "use crate::b::m; fn g() { m!() }",
        "fn g() { m!() }",
        // Through a re-export, of an item and of a module.
        "use crate::c::B;",
        "use crate::c; fn g(_: c::B) {}",
        "fn g() { crate::c::b::f(A) }",
    ] {
        let circles = found_in(code);
        // What re-exports something from beside itself points there too, so `c.rs` may be in it.
        assert!(circles == ["a.rs b.rs"], "{code}: {circles:?}");
    }
}

#[test]
fn three_files_are_found() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub struct A; use crate::b::B;"),
        ("b.rs", "pub struct B; use crate::c::C;"),
        ("c.rs", "pub struct C; use crate::a::A;"),
    ];
    assert_eq!(found(&files), ["a.rs b.rs c.rs"]);
    let apart = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "pub struct A; use crate::b::B;"),
        ("b.rs", "pub struct B; use crate::a::A; use crate::c::C;"),
        ("c.rs", "pub struct C; use crate::d::D;"),
        ("d.rs", "pub struct D; use crate::c::C;"),
    ];
    assert_eq!(found(&apart), ["a.rs b.rs", "c.rs d.rs"]);
}

#[test]
fn a_circle_through_the_parent_is_found() {
    for parent in [
        "mod child; pub struct P; fn f() { child::g() }",
        "mod child; pub struct P; use child::g;",
        "mod child; pub struct P; pub use child::g; fn f() { g() }",
        "mod child; pub struct P; pub use child::*; fn f() { g() }",
    ] {
        let files = [
            ("lib.rs", "mod p;"),
            ("p/mod.rs", parent),
            ("p/child.rs", "use super::P; pub fn g() -> P { P }"),
        ];
        assert_eq!(found(&files), ["p/child.rs p/mod.rs"], "{parent}");
    }
    // Two children that meet by names of their parent.
    let files = [
        ("lib.rs", "mod p;"),
        ("p/mod.rs", "mod a; mod b; use a::A; pub use b::B;"),
        ("p/a.rs", "use super::B; pub struct A;"),
        ("p/b.rs", "pub struct B(super::A);"),
    ];
    assert_eq!(found(&files), ["p/a.rs p/b.rs"]);
}

#[test]
fn what_macros_define_is_found_through_re_exports() {
    let files = [
        ("lib.rs", "mod p; mod q;"),
        ("p/mod.rs", "mod op; pub use op::*;"),
        (
            "p/op.rs",
            "macro_rules! ops { ($($n:ident)*) => {} } ops! { Add Mul } use crate::q::Q;",
        ),
        ("q.rs", "pub struct Q; use crate::p::Add;"),
    ];
    assert_eq!(found(&files), ["p/op.rs q.rs"]);
}

#[test]
fn what_is_no_circle_is_left_alone() {
    for code in [
        "",
        "/* See [`crate::b::B`]. */ // crate::b::f(A)",
        "const S: &str = \"crate::b::B\";",
        "/// [`crate::b::f`]\nfn g() {}",
        "use crate::b;",
        "#[cfg(test)] mod tests { use crate::b::B; }",
        "#[cfg(test)] use crate::b::B;",
        "#[cfg(test)] fn g() { crate::b::f(A) }",
        "#[test] fn g() { crate::b::f(A) }",
        "mod b { pub fn f() {} } fn g() { b::f() }",
        "mod b { pub fn f() {} } fn g() { self::b::f() }",
        "fn g() { struct B; let b = B; drop(b) }",
        "use ::b::f;",
        "struct S { f: u8 } impl S { fn f(&self) -> u8 { self.f } }",
    ] {
        assert_eq!(found_in(code), [""; 0], "{code}");
    }
    // A parent that declares and re-exports its children, whatever they take from it.
    let faces = [
        ("lib.rs", "mod p; pub use p::{a::A, P};"),
        (
            "p/mod.rs",
            "pub mod a; mod b; pub struct P; pub(crate) use a::A; pub use b::*;",
        ),
        ("p/a.rs", "pub struct A(super::P);"),
        ("p/b.rs", "use super::{A, P}; pub struct B(A, P);"),
    ];
    assert_eq!(found(&faces), [""; 0]);
    // A variable that is called as something that is re-exported.
    let variable = [
        ("lib.rs", "mod p;"),
        (
            "p/mod.rs",
            "mod a; pub struct P; pub use a::plan; fn f(plan: u8) { let x = plan; assert_eq!(x, plan); }",
        ),
        ("p/a.rs", "use super::P; pub fn plan() -> P { P }"),
    ];
    assert_eq!(found(&variable), [""; 0]);
    // A helper of tests in a file of its own.
    let helper = [
        ("lib.rs", "mod a; #[cfg(test)] mod helper;"),
        ("a.rs", "pub struct A;"),
        ("helper.rs", "use crate::a::A; pub struct H;"),
        ("tests.rs", "use crate::a::A; pub struct T;"),
    ];
    assert_eq!(found(&helper), [""; 0]);
}

#[test]
fn a_circle_names_its_arrows() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::{B, f}; pub struct A;"),
        ("b.rs", "pub struct B; pub fn f(_: crate::a::A) {}"),
    ];
    let circles = Crate::new(&files).graph().circles();
    assert_eq!(
        circles[0].to_string(),
        "  circle of 2 files: a.rs, b.rs\n    a.rs -> b.rs: B, f\n    b.rs -> a.rs: A\n"
    );
}
