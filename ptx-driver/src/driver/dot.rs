//! `cuGraphDebugDotPrint`: a graph in the language of Graphviz.
use super::error::{Error, Result};
use super::graph;
use super::handle::Handle;
use super::state::State;
use super::work::Op;
use std::fmt::Write;

fn label(kind: &graph::NodeKind) -> String {
    match kind {
        graph::NodeKind::Op(op) => match op {
            Op::Kernel(kernel) => format!("KERNEL {}", kernel.function.name()),
            Op::Copy(copy) => format!("MEMCPY {} bytes", copy.bytes()),
            Op::Fill(fill) => format!("MEMSET {} bytes at {:#x}", fill.bytes(), fill.dst),
            Op::Host(_) => "HOST".into(),
            Op::Nothing => "EMPTY".into(),
            Op::WaitEvent { .. } => "WAIT_EVENT".into(),
            Op::Record { .. } => "EVENT_RECORD".into(),
            Op::Allocate(base) => format!("MEM_ALLOC {base:#x}"),
            Op::Free(base) => format!("MEM_FREE {base:#x}"),
        },
        graph::NodeKind::Child(_) => "GRAPH".into(),
        graph::NodeKind::Conditional { repeat: true, .. } => "CONDITIONAL WHILE".into(),
        graph::NodeKind::Conditional { repeat: false, .. } => "CONDITIONAL IF".into(),
    }
}

/// Writes the graph to a file.
pub fn print(s: &State, graph: Handle, path: &str) -> Result {
    let graph = graph::find(s, graph)?;
    let mut text = String::from("digraph {\n");
    for (index, node) in graph.present() {
        let _ = writeln!(text, "  n{index} [label=\"{}\"];", label(&node.kind));
        for before in &node.after {
            let _ = writeln!(text, "  n{before} -> n{index};");
        }
    }
    text.push_str("}\n");
    std::fs::write(path, text).map_err(|_| Error::OPERATING_SYSTEM)
}
