//! Arrows and circles planted in made-up sources: the checker finds each, and leaves alone what is none.

mod python;
mod rust;
mod sizes;
mod tables;

use crate::graph::Graph;

/// The files of each circle.
fn circles(graph: &Graph) -> Vec<String> {
    graph
        .circles()
        .iter()
        .map(|c| c.files().join(" "))
        .collect()
}
