//! Stubs of builtins for type checkers and editors, made from the table.
//!
//! A signature's variables become type variables. Where the result is a type that stands among the parameters, the call
//! gives what it was given: `normalize` of a `vec3d` is a `vec3d`. Another result is computed from the types
//! of the arguments, which type checkers cannot do: such a signature is written once for each type of its components
//! (`forms`), and once with an unknown result for what is left.

mod forms;
mod python;

use crate::builtins::constants::CONSTANTS;
use crate::builtins::rows;
use crate::builtins::signature::row::Row;
use crate::library;
use forms::{Form, forms};
use python::Names;
use std::fmt::Write;

/// Names that are Python's own and no use after `wp.`.
const PYTHON_ONLY: &[&str] = &["len", "print"];

const HEAD: &str = "\
# The first overload that fits is meant; later ones may take more.
# mypy: disable-error-code=\"overload-overlap, overload-cannot-match\"

from collections.abc import Iterator
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, overload

from warp._array import array
from warp._arrays.fabric import fabricarray, fabricarrayarray, indexedfabricarray, indexedfabricarrayarray
from warp._arrays.indexed import indexedarray
from warp._geometry.mesh import Mesh
from warp._geometry.queries import BvhQuery, HashGridQuery, MeshQuery, MeshQueryPoint, MeshQueryRay
from warp._geometry.texture import Texture1D, Texture2D, Texture3D
from warp._value_bases import Composite, Floating, Integer, Matrix, Quaternion, Transform, Vector
from warp._value_types import (
    bfloat16, float16, float64, int8, int16, int64, mat22bf, mat22d, mat22f, mat22h, mat33bf, mat33d, mat33f, mat33h,
    mat44bf, mat44d, mat44f, mat44h, quatbf, quatd, quatf, quath, spatial_matrixd, spatial_matrixf, spatial_matrixh,
    spatial_vectord, spatial_vectorf, spatial_vectorh, transformd, transformf, transformh, uint8, uint16, uint32, uint64,
    vec2bf, vec2d, vec2f, vec2h, vec3bf, vec3d, vec3f, vec3h, vec4bf, vec4d, vec4f, vec4h,
)

class _Threads(int):
    \"\"\"The index of a thread: a number, or one for each dimension.\"\"\"

    def __iter__(self) -> Iterator[int]: ...

_AnyFloat: TypeAlias = float | Floating
_AnyInt: TypeAlias = int | Integer
_AnyNumber: TypeAlias = float | Floating | Integer
_Others: TypeAlias = (
    indexedarray | fabricarray | fabricarrayarray | indexedfabricarray | indexedfabricarrayarray
)
_Condition: TypeAlias = _AnyNumber | array[Any, Any] | _Others
_Class = TypeVar(\"_Class\")
_Element = TypeVar(\"_Element\")
";

/// The body of a `.pyi` file with all builtins.
pub fn stubs() -> String {
    let mut names = Names::default();
    let mut out = String::new();
    for row in rows().filter(|row| !PYTHON_ONLY.contains(&row.name)) {
        stub(&mut out, row, &mut names);
    }
    for name in library::functions() {
        of_library(&mut out, name);
    }
    let mut head = String::from(HEAD);
    for (name, bound) in names.variables() {
        writeln!(head, "{name} = TypeVar(\"{name}\", {bound})").expect("writing to a String");
    }
    head.push('\n');
    for (name, _) in CONSTANTS {
        let lower = name.to_ascii_lowercase();
        writeln!(head, "{name}: float\n{lower}: float").expect("writing to a String");
    }
    format!("{head}\n{out}")
}

/// A function that is written in the language of kernels: parameters and results as its text says.
fn of_library(out: &mut String, name: &str) {
    let signatures = library::signatures(name);
    let overloaded = if signatures.len() > 1 {
        "@overload\n"
    } else {
        ""
    };
    let doc = library::doc(name)
        .replace('\n', "\n    ")
        .replace("\n    \n", "\n\n");
    for signature in signatures {
        let none = || (signature.trim_end_matches(')'), "None");
        let (params, result) = signature.split_once(") -> ").unwrap_or_else(none);
        let params = params.split_once('(').map_or("", |(_, params)| params);
        let params = split(params).map(|param| {
            let (param, ty) = param.split_once(": ").unwrap_or((param, ""));
            let (ty, default) = match ty.split_once(" = ") {
                Some((ty, _)) => (ty, " = ..."),
                None => (ty, ""),
            };
            format!("{param}: {}{default}", library_type(param, ty))
        });
        let params: Vec<String> = params.collect();
        let (params, result) = (params.join(", "), library_type("", result));
        writeln!(
            out,
            "{overloaded}def {name}({params}) -> {result}:\n    \"\"\"{doc}\"\"\""
        )
        .expect("writing to a String");
    }
    out.push('\n');
}

/// Parameters, at the commas that stand in no brackets.
fn split(params: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let each = params.split(move |c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    each.map(str::trim)
}

/// A type of a library's text for type checkers.
fn library_type(param: &str, ty: &str) -> String {
    let inner = ty
        .strip_prefix("wp.ref[")
        .and_then(|ty| ty.strip_suffix(']'));
    match inner.unwrap_or(ty) {
        // An object, or its id.
        _ if param == "id" => "Any".into(),
        "wp.vec3" => "vec3f".into(),
        "wp.vec2" => "vec2f".into(),
        "wp.mat33" => "mat33f".into(),
        // Which has no name of its own.
        ty if ty.starts_with("wp.types.") => "Any".into(),
        "float" => "_AnyFloat".into(),
        "int" if !param.is_empty() && inner.is_none() => "_AnyInt".into(),
        ty => ty.trim_start_matches("wp.").into(),
    }
}

fn stub(out: &mut String, row: &Row, names: &mut Names) {
    let mut found: Vec<Form> = Vec::new();
    for overload in row.overloads {
        for form in forms(row.name, overload.sig, names) {
            // A form that takes the same as an earlier one is never reached.
            if !found.iter().any(|known| known.params == form.params) {
                found.push(form);
            }
        }
    }
    let overloaded = if found.len() > 1 { "@overload\n" } else { "" };
    let doc = row.doc.replace('\\', "\\\\");
    for (i, form) in found.iter().enumerate() {
        // An editor shows the text of the overload that a call means.
        let body = if i == 0 || found.len() <= 8 {
            format!("\n    \"\"\"{doc}\"\"\"")
        } else {
            " ...".into()
        };
        let (name, params, result) = (row.name, &form.params, &form.result);
        writeln!(out, "{overloaded}def {name}({params}) -> {result}:{body}")
            .expect("writing to a String");
    }
    out.push('\n');
}
