//! Structs: named fields side by side, as `@wp.struct` declares them.
//!
//! Only the front of the compiler knows structs. A parameter that is a struct, or an array of structs, is passed as
//! its leaves: the scalars, vectors, matrices and arrays that its fields are made of, in order. In memory a struct lies
//! as C lays it out, and NumPy with `align=True`; an array is an array descriptor there.
//!
//! A leaf is named by the path to it (`scene.floor`). An array of structs is passed as one array for each leaf: all lie on
//! the same memory, with the struct's size as their stride, and they follow each other in the parameter list, so that a
//! field's number is the first one's plus the leaf's. What a kernel does not use of a struct costs nothing. Lowering is
//! told one thing, [`crate::ir::Part`]: where the field is expected to lie. The dense body then takes the struct's size for
//! the stride, and the entry point treats fields of one array as one array when it asks whether buffers overlap.
//!
//! [`Elem::Struct`] exists on the host only. Views, copies and indexing treat it as so many bytes; every conversion to another
//! framework refuses it. A struct type lives for ever.

use super::array_descriptor::ARRAY_DESCRIPTOR;
use super::types::{Definition, Elem, Extent, Field, Leaf, MAX_NDIM, Struct, Type};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// More leaves than this are no parameter that a launch passes in reasonable time.
pub const MAX_LEAVES: usize = 1024;

impl Struct {
    /// The struct with these fields. `key` distinguishes structs of the same name; `name` stands in messages.
    ///
    /// # Errors
    /// [`Code::Type`] if a field is of a type that no field can have.
    pub fn new(key: &str, name: &str, fields: Vec<(String, Type)>) -> Result<Struct> {
        type Declared = HashMap<(String, Vec<(String, Type)>), Struct>;
        static DECLARED: Mutex<Option<Declared>> = Mutex::new(None);
        let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
        let declared = declared.get_or_insert_with(HashMap::new);
        let key = (key.to_string(), fields);
        if let Some(found) = declared.get(&key) {
            return Ok(*found);
        }
        let mut definition = define(name, &key.1)?;
        definition.is_indexed = key.0 == INDEXED;
        // Never freed: types are as many as a program declares, and everything may hold one.
        let made = Struct(Box::leak(Box::new(definition)));
        declared.insert(key, made);
        Ok(made)
    }
    /// An indexed array as the struct that kernels are passed: its data, then an array of indices for each dimension.
    ///
    /// # Errors
    /// [`Code::Type`] if there are no such arrays.
    pub fn indexed(elem: Elem, ndim: u8) -> Result<Struct> {
        let index = Type::Array {
            elem: Elem::Scalar(Scalar::I32),
            ndim: 1,
        };
        let mut fields = vec![("data".to_string(), Type::Array { elem, ndim })];
        fields.extend((0..ndim).map(|d| (format!("index{d}"), index.clone())));
        Struct::new(
            INDEXED,
            &format!("indexedarray({elem}, ndim={ndim})"),
            fields,
        )
    }
}

/// The key of indexed arrays; those of declared structs are names.
const INDEXED: &str = "";

/// What a parameter is passed as: its leaves where it is a struct or an array of structs, else itself.
pub fn leaves(name: &str, ty: &Type) -> Vec<Leaf> {
    let under = |leaf: &Leaf| format!("{name}.{}", leaf.path);
    match ty {
        Type::Struct(s) => {
            let each = s.leaves().iter().map(|leaf| Leaf {
                path: under(leaf),
                ..leaf.clone()
            });
            each.collect()
        }
        Type::Array {
            elem: Elem::Struct(s),
            ndim,
        } => {
            let each = s.stored().iter().map(|leaf| Leaf {
                path: under(leaf),
                ty: Type::Array {
                    elem: leaf.stored_as(),
                    ndim: *ndim,
                },
                offset: leaf.offset,
            });
            each.collect()
        }
        other => vec![Leaf {
            path: name.to_string(),
            ty: other.clone(),
            offset: 0,
        }],
    }
}

fn define(name: &str, declared: &[(String, Type)]) -> Result<Definition> {
    let refuse = |what: String| Error::new(Code::Type, format!("struct '{name}': {what}"));
    let (mut fields, mut all, mut stored) = (Vec::new(), Vec::<Leaf>::new(), Vec::<Leaf>::new());
    let mut extent = Extent { size: 0, align: 1 };
    for (at, (field, ty)) in declared.iter().enumerate() {
        if declared[..at].iter().any(|(other, _)| other == field) {
            return Err(refuse(format!("two fields are called '{field}'")));
        }
        let own = memory(ty).map_err(|what| refuse(format!("field '{field}' {what}")))?;
        let offset = extent.size.next_multiple_of(own.align);
        extent = Extent {
            size: offset + own.size,
            align: extent.align.max(own.align),
        };
        let (leaf, first) = (all.len(), stored.len());
        let at = |leaf: Leaf| Leaf {
            offset: offset + leaf.offset,
            ..leaf
        };
        all.extend(leaves(field, ty).into_iter().map(at));
        stored.extend(stored_leaves(field, ty).into_iter().map(at));
        fields.push(Field {
            name: field.clone(),
            ty: ty.clone(),
            offset,
            leaf,
            leaves: all.len() - leaf,
            stored: first,
        });
    }
    if all.len() > MAX_LEAVES {
        return Err(refuse(format!(
            "it has {} values and arrays, {MAX_LEAVES} are possible",
            all.len()
        ))
        .hint("keep many values of one type in an array"));
    }
    Ok(Definition {
        name: name.to_string(),
        fields,
        leaves: all,
        stored,
        is_indexed: false,
        layout: Extent {
            // Without fields it takes a byte, as in C++.
            size: extent.size.next_multiple_of(extent.align).max(1),
            align: extent.align,
        },
    })
}

/// The leaves of a field in memory.
fn stored_leaves(name: &str, ty: &Type) -> Vec<Leaf> {
    match ty {
        Type::Struct(s) => {
            let each = s.stored().iter().map(|leaf| Leaf {
                path: format!("{name}.{}", leaf.path),
                ..leaf.clone()
            });
            each.collect()
        }
        other => vec![Leaf {
            path: name.to_string(),
            ty: other.clone(),
            offset: 0,
        }],
    }
}

/// What a field takes in memory. Refuses what no field can be.
fn memory(ty: &Type) -> std::result::Result<Extent, String> {
    let of = |elem: Elem| Extent {
        size: elem.size(),
        align: elem.align(),
    };
    match ty {
        Type::Elem(elem) => Ok(of(*elem)),
        Type::Struct(s) => Ok(s.0.layout),
        Type::Array {
            elem: Elem::Struct(s),
            ..
        } if s.stored().is_empty() => {
            Err(format!("is an array of {}, which has no fields", s.name()))
        }
        Type::Array { ndim, .. } => match *ndim as usize {
            1..=MAX_NDIM => Ok(of(ARRAY_DESCRIPTOR)),
            _ => Err(format!(
                "has {ndim} dimensions, 1 to {MAX_NDIM} are possible"
            )),
        },
        other => Err(format!("cannot be {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ty::describe_array;

    fn fields(list: &[(&str, Type)]) -> Vec<(String, Type)> {
        list.iter()
            .map(|(n, t)| (n.to_string(), t.clone()))
            .collect()
    }
    const F32: Type = Type::scalar(Scalar::F32);
    const F64: Type = Type::scalar(Scalar::F64);
    const BOOL: Type = Type::scalar(Scalar::Bool);

    #[test]
    fn the_layout_is_that_of_c() {
        let inner = fields(&[("flag", BOOL), ("x", F64)]);
        let inner = Struct::new("a", "Inner", inner).unwrap();
        assert_eq!((inner.size(), inner.align()), (16, 8));
        let vec3 = Type::Elem(Elem::Vec {
            len: 3,
            scalar: Scalar::F32,
        });
        let outer = fields(&[("v", vec3), ("inner", Type::Struct(inner)), ("b", BOOL)]);
        let outer = Struct::new("a", "Outer", outer).unwrap();
        let offsets: Vec<_> = outer
            .leaves()
            .iter()
            .map(|l| (&*l.path, l.offset))
            .collect();
        assert_eq!(
            offsets,
            [("v", 0), ("inner.flag", 16), ("inner.x", 24), ("b", 32)]
        );
        assert_eq!((outer.size(), outer.align()), (40, 8));
        let (at, field) = outer.field("inner").unwrap();
        assert_eq!((at, field.leaf, field.leaves, field.offset), (1, 1, 2, 16));
    }

    #[test]
    fn the_same_declaration_is_the_same_type() {
        let make = |key, ty| Struct::new(key, "S", fields(&[("x", ty)])).unwrap();
        assert_eq!(make("one", F32), make("one", F32));
        assert_ne!(make("one", F32), make("one", F64));
        assert_ne!(make("one", F32), make("two", F32));
        assert_eq!(make("one", F64).describe(), "S(x: float64)");
    }

    #[test]
    fn arrays_of_structs_are_passed_field_by_field() {
        let p = Struct::new("p", "P", fields(&[("x", F32), ("m", F64)])).unwrap();
        let array = Type::Array {
            elem: Elem::Struct(p),
            ndim: 2,
        };
        let s = Struct::new("p", "S", fields(&[("n", BOOL), ("ps", array)])).unwrap();
        assert!(!s.is_plain());
        let all = leaves("s", &Type::Struct(s));
        let texts: Vec<_> = all
            .iter()
            .map(|l| format!("{}: {}", l.path, l.ty))
            .collect();
        assert_eq!(
            texts,
            [
                "s.n: bool",
                "s.ps.x: array(float32, ndim=2)",
                "s.ps.m: array(float64, ndim=2)"
            ]
        );
    }

    #[test]
    fn an_array_in_memory_is_its_description() {
        let array = |elem, ndim| Type::Array { elem, ndim };
        let a = array(Elem::Scalar(Scalar::F32), 2);
        let inner = Struct::new("d", "Inner", fields(&[("b", BOOL), ("a", a)])).unwrap();
        assert_eq!(
            (inner.size(), inner.align(), inner.is_plain()),
            (80, 8, false)
        );
        let many = array(Elem::Struct(inner), 1);
        let list = fields(&[
            ("x", F32),
            ("inner", Type::Struct(inner)),
            ("many", many.clone()),
        ]);
        let outer = Struct::new("d", "Outer", list).unwrap();
        let stored: Vec<_> = outer
            .stored()
            .iter()
            .map(|l| (&*l.path, l.stored_as(), l.offset))
            .collect();
        assert_eq!(
            stored,
            [
                ("x", Elem::Scalar(Scalar::F32), 0),
                ("inner.b", Elem::Scalar(Scalar::Bool), 8),
                ("inner.a", ARRAY_DESCRIPTOR, 16),
                ("many", ARRAY_DESCRIPTOR, 88),
            ]
        );
        let (_, field) = outer.field("many").unwrap();
        assert_eq!((field.leaf, field.leaves, field.stored), (3, 2, 3));
        let passed: Vec<_> = leaves("o", &array(Elem::Struct(outer), 1))
            .iter()
            .map(|l| l.ty.to_string())
            .collect();
        let described = "array(vec(9, uint64), ndim=1)";
        assert_eq!(
            passed,
            [
                "array(float32, ndim=1)",
                "array(bool, ndim=1)",
                described,
                described
            ]
        );
        let words = describe_array(8, 0, &[2, 3, -1], &[12, 4, 1]);
        assert_eq!(words[2..4], [2 | 3 << 32, 0xffff_ffff]);
        assert_eq!((words[5], words[8]), (4, 3));
    }

    #[test]
    fn an_indexed_array_is_its_data_and_its_indices() {
        let elem = Elem::Scalar(Scalar::F64);
        let s = Struct::indexed(elem, 2).unwrap();
        assert_eq!(s, Struct::indexed(elem, 2).unwrap());
        assert_eq!(s.as_indexed(), Some((elem, 2)));
        assert_eq!(s.to_string(), "indexedarray(float64, ndim=2)");
        let all = leaves("a", &Type::Struct(s));
        let texts: Vec<_> = all
            .iter()
            .map(|l| format!("{}: {}", l.path, l.ty))
            .collect();
        assert_eq!(
            texts,
            [
                "a.data: array(float64, ndim=2)",
                "a.index0: array(int32, ndim=1)",
                "a.index1: array(int32, ndim=1)"
            ]
        );
        let plain = Struct::new("i", "S", fields(&[("x", F32)])).unwrap();
        assert!(!plain.is_indexed());
        assert!(Struct::indexed(elem, 5).is_err());
    }

    #[test]
    fn what_no_struct_can_be_is_refused() {
        let empty = Struct::new("r", "E", fields(&[])).unwrap();
        assert_eq!((empty.size(), empty.stored().len()), (1, 0));
        for (list, says) in [
            (
                vec![(
                    "x".into(),
                    Type::Array {
                        elem: Elem::Struct(empty),
                        ndim: 1,
                    },
                )],
                "an array of E, which has no fields",
            ),
            (fields(&[("x", F32), ("x", F32)]), "two fields"),
            (fields(&[("x", Type::Str)]), "cannot be str"),
        ] {
            let error = Struct::new("r", "Bad", list).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let many: Vec<_> = (0..=MAX_LEAVES).map(|n| (format!("f{n}"), F32)).collect();
        assert!(Struct::new("r", "Many", many).is_err());
    }
}
