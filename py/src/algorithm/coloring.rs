//! Colours of graphs, for `warp/_arrays/coloring.py`, which reads and writes the arrays.

use crate::object::error::{Code, error};
use pyo3::prelude::*;
use warp_core::algorithm::{Graph, Order};

/// The graph of edges, two numbers each.
fn graph(place: &str, nodes: usize, edges: &[i32]) -> PyResult<Graph> {
    let (pairs, _) = edges.as_chunks::<2>();
    Graph::new(nodes, pairs).map_err(|wrong| {
        let [a, b] = pairs[wrong];
        let text = format!(
            "{place}: edge {wrong} is of the nodes {a} and {b}; node_colors is for {nodes} nodes, numbered from 0 on"
        );
        error(Code::ArrayValue, text)
    })
}

/// A colour for each node.
#[pyfunction]
fn _color_graph(py: Python<'_>, nodes: usize, edges: Vec<i32>, greedy: bool) -> PyResult<Vec<i32>> {
    let order = if greedy { Order::Degree } else { Order::Search };
    let graph = graph("graph_coloring_assign", nodes, &edges)?;
    Ok(py.detach(|| graph.color(order)))
}

/// Colours of which the largest has fewer nodes, by how many times that has more than the smallest, and how many nodes moved.
#[pyfunction]
fn _balance_colors(
    py: Python<'_>,
    edges: Vec<i32>,
    mut colors: Vec<i32>,
    count: usize,
    ratio: f64,
    moves: usize,
) -> PyResult<(Vec<i32>, f64, usize)> {
    let place = "graph_coloring_balance";
    let graph = graph(place, colors.len(), &edges)?;
    let wrong = |text: String| Err(error(Code::ArrayValue, format!("{place}: {text}")));
    let known = |color: &&i32| usize::try_from(**color).is_ok_and(|c| c < count);
    if let Some(color) = colors.iter().find(|color| !known(color)) {
        return wrong(format!(
            "node_colors has the colour {color}; with color_count={count} there are those from 0 on"
        ));
    }
    if let Some((a, b)) = graph.conflict(&colors) {
        return wrong(format!(
            "the neighbours {a} and {b} have one colour, {}",
            colors[a]
        ));
    }
    let (got, made) = py.detach(|| graph.balance(&mut colors, count, ratio, moves));
    Ok((colors, got, made))
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_color_graph, m)?)?;
    m.add_function(wrap_pyfunction!(_balance_colors, m)?)
}
