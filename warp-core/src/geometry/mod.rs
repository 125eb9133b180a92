//! Objects that kernels query: how they are built, and how they lie in memory. Their queries are in `library`.

mod bvh;
mod described;
mod exchange;
mod hash_grid;
mod memory;
mod mesh;
mod storage;
mod tree;
mod volume;

pub use bvh::{Boxes, Bvh};
pub use described::{Described, named};
pub use exchange::{Inputs, Output};
pub use hash_grid::{HashGrid, Points};
pub use mesh::{Mesh, Places as MeshPlaces, Surface, search_by_id};
pub use volume::{
    Feature, Grid, Leaves, Most, Places, Spec, ValueType, Volume, inverse as inverse_map,
    size as grid_size, unpack_blosc, write as write_grid,
};
