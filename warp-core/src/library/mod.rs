//! Functions of kernels that are written in the language of kernels: the queries of objects. Kernels of this library's own, too: the
//! algorithms on GPUs.
//!
//! A file here is text for the front, which parses it when a kernel first calls one of its functions. Its classes are structs.
//! Its functions see those before them, `wp`, and builtins of their own: `wp.object(kind, id)`, the address of the memory of an
//! object, `wp.read(address, index, dtype)`, a number in such memory, and `wp.search`. Functions of one name are overloads. A
//! function whose first parameter is called `id` queries an object: the front checks the id where it is called, and passes the
//! address of the object's memory. Several files may be read as one.

use crate::dtype::Scalar;
use crate::ir::ObjectKind;
use crate::ty::{Elem, Type};

/// A file of functions.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The name of the file.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What kernels may use of it.
    pub names: &'static [&'static str],
    /// The kind of object that a function queries, by the types of its arguments, in the order of its parameters.
    pub queried: fn(&str, &[Option<Type>]) -> ObjectKind,
    /// For a struct that is a query, the function that gives its next item.
    pub next: &'static [(&'static str, &'static str)],
}

/// All of them.
pub const LIBRARIES: &[Library] = &[
    Library {
        file: "hash_grid.py",
        text: include_str!("hash_grid.py"),
        names: &[
            "HashGridQuery",
            "hash_grid_query",
            "hash_grid_query_next",
            "hash_grid_point_id",
        ],
        queried: |function, args| match (function, scalar_of(args, 1)) {
            ("hash_grid_query", Some(Scalar::F16)) => ObjectKind::HashGridHalf,
            ("hash_grid_query", Some(Scalar::F64)) => ObjectKind::HashGridDouble,
            ("hash_grid_query", _) => ObjectKind::HashGridSingle,
            _ => ObjectKind::HashGrid,
        },
        next: &[("HashGridQuery", "hash_grid_query_next")],
    },
    Library {
        file: "bvh.py",
        text: include_str!("bvh.py"),
        names: &[
            "BvhQuery",
            "bvh_query_aabb",
            "bvh_query_sphere",
            "bvh_query_ray",
            "bvh_query_capsule",
            "bvh_query_next",
            "bvh_get_group_root",
            "bvh_query_closest",
        ],
        queried: |_, _| ObjectKind::Bvh,
        next: &[("BvhQuery", "bvh_query_next")],
    },
    Library {
        file: "mesh.py",
        text: concat!(
            include_str!("mesh_nearest.py"),
            include_str!("mesh.py"),
            include_str!("mesh_values.py"),
        ),
        names: &[
            "Mesh",
            "MeshQuery",
            "MeshQueryPoint",
            "MeshQueryRay",
            "mesh_eval_face_normal",
            "mesh_eval_position",
            "mesh_eval_velocity",
            "mesh_get",
            "mesh_get_bvh",
            "mesh_get_group_root",
            "mesh_get_index",
            "mesh_get_point",
            "mesh_get_velocity",
            "mesh_query_aabb",
            "mesh_query_aabb_next",
            "mesh_query_furthest_point_no_sign",
            "mesh_query_next",
            "mesh_query_point",
            "mesh_query_point_no_sign",
            "mesh_query_point_sign_normal",
            "mesh_query_point_sign_parity",
            "mesh_query_point_sign_winding_number",
            "mesh_query_ray",
            "mesh_query_ray_anyhit",
            "mesh_query_ray_count_intersections",
            "mesh_query_sphere",
        ],
        queried: |_, _| ObjectKind::Mesh,
        next: &[("MeshQuery", "mesh_query_next")],
    },
    Library {
        file: "volume.py",
        text: concat!(include_str!("volume_voxels.py"), include_str!("volume.py")),
        names: &[
            "volume_index_to_world",
            "volume_index_to_world_dir",
            "volume_lookup",
            "volume_lookup_f",
            "volume_lookup_i",
            "volume_lookup_index",
            "volume_lookup_v",
            "volume_sample",
            "volume_sample_f",
            "volume_sample_grad",
            "volume_sample_grad_f",
            "volume_sample_grad_index",
            "volume_sample_i",
            "volume_sample_index",
            "volume_sample_v",
            "volume_store",
            "volume_store_f",
            "volume_store_i",
            "volume_store_v",
            "volume_voxel_count",
            "volume_world_to_index",
            "volume_world_to_index_dir",
        ],
        queried: volume_of,
        next: &[],
    },
    Library {
        file: "texture.py",
        text: include_str!("texture.py"),
        names: &["Texture1D", "Texture2D", "Texture3D", "texture_sample"],
        queried: |_, _| ObjectKind::Texture,
        next: &[],
    },
];

/// How GPUs search meshes: a function for each [`crate::ir::Search`], of its name. Kernels have none of these names. The files are read as
/// one.
pub const SEARCHES: Library = Library {
    file: "mesh_search.py",
    text: concat!(
        include_str!("mesh_search.py"),
        include_str!("mesh_search_closest.py"),
        include_str!("mesh_search_rays.py"),
        include_str!("mesh_search_winding.py"),
    ),
    names: &[],
    queried: |_, _| ObjectKind::Mesh,
    next: &[],
};

/// Kernels of algorithms on GPUs; `algorithm/cuda/kernel.rs` says what their names mean.
pub const ALGORITHMS: Library = Library {
    file: "algorithm.py",
    text: include_str!("algorithm.py"),
    names: &[],
    queried: |_, _| ObjectKind::Mesh,
    next: &[],
};

/// The number type of an argument.
fn scalar_of(args: &[Option<Type>], n: usize) -> Option<Scalar> {
    match args.get(n)? {
        Some(Type::Elem(elem)) => Some(elem.scalar()),
        _ => None,
    }
}

/// The kind of volume that a function looks up; of types that volumes do not have, one that no volume is.
fn volume_of(function: &str, args: &[Option<Type>]) -> ObjectKind {
    let single = Elem::Scalar(Scalar::F32);
    let vector = |len, scalar| Elem::Vec { len, scalar };
    let given = |n: usize| match args.get(n) {
        Some(Some(Type::Elem(elem))) => Some(*elem),
        _ => None,
    };
    let value = match function {
        "volume_sample" => given(3),
        "volume_sample_grad" | "volume_lookup" | "volume_store" => given(4),
        "volume_sample_f" | "volume_sample_grad_f" | "volume_lookup_f" | "volume_store_f" => {
            Some(single)
        }
        "volume_sample_v" | "volume_lookup_v" | "volume_store_v" => Some(vector(3, Scalar::F32)),
        "volume_sample_i" | "volume_lookup_i" | "volume_store_i" => Some(Elem::Scalar(Scalar::I32)),
        _ => return ObjectKind::Volume,
    };
    value
        .and_then(ObjectKind::volume_of)
        .unwrap_or(ObjectKind::VolumeNone)
}

/// The library that has a name for kernels.
pub fn find(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|it| it.names.contains(&name))
}

/// The functions that kernels may call.
pub fn functions() -> impl Iterator<Item = &'static str> {
    let names = LIBRARIES.iter().flat_map(|it| it.names);
    names.copied().filter(|name| !is_struct(name))
}

/// The structs that kernels may name.
pub fn structs() -> impl Iterator<Item = &'static str> {
    let names = LIBRARIES.iter().flat_map(|it| it.names);
    names.copied().filter(|name| is_struct(name))
}

/// Whether a name is that of a struct.
pub fn is_struct(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether None stands, in arguments, for a value of a struct of this name whose fields are all zero.
pub fn may_be_none(name: &str) -> bool {
    matches!(name, "Texture1D" | "Texture2D" | "Texture3D")
}

/// The signatures of a function, one for each overload, as `name(a: int) -> bool`.
pub fn signatures(name: &str) -> Vec<String> {
    let begin = format!("\ndef {name}(");
    let each = find(name).map_or("", |it| it.text).split(&begin).skip(1);
    // A head may have several lines, which end with commas; the last one ends with a colon.
    let heads = each.filter_map(|text| text.split_once(":\n"));
    let one_line = heads.map(|(head, _)| {
        let words: Vec<&str> = head.split_whitespace().collect();
        words.join(" ").replace(", )", ")")
    });
    one_line
        .map(|head| format!("{name}({}", head.trim_start()))
        .collect()
}

/// The documentation of a function or struct: what stands in its first definition.
pub fn doc(name: &str) -> String {
    let text = find(name).map_or("", |it| it.text);
    let kind = if is_struct(name) { "class" } else { "def" };
    let after = [':', '('].map(|c| format!("{kind} {name}{c}"));
    let begin = after.iter().find_map(|begin| text.find(begin.as_str()));
    let body = begin.map_or("", |at| &text[at..]);
    let body = body.split("\n\n\n").next().unwrap_or("");
    let mut parts = body.split("\"\"\"");
    let lines = parts.nth(1).unwrap_or("").lines().map(str::trim);
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}
