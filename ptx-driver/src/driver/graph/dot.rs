//! `cuGraphDebugDotPrint`: a graph in the language of Graphviz.
use super::query::find;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{NodeKind, Op, State};
use std::fmt::Write;

fn label(kind: &NodeKind) -> String {
    match kind {
        NodeKind::Op(op) => match op {
            Op::Kernel(kernel) => format!("KERNEL {}", kernel.function.name()),
            Op::Memcpy(copy) => format!("MEMCPY {} bytes", copy.bytes()),
            Op::Memset(fill) => format!("MEMSET {} bytes at {:#x}", fill.bytes(), fill.dst),
            Op::Host(_) => "HOST".into(),
            Op::Empty => "EMPTY".into(),
            Op::WaitEvent { .. } => "WAIT_EVENT".into(),
            Op::Record { .. } => "EVENT_RECORD".into(),
            Op::Allocate(base) => format!("MEM_ALLOC {base:#x}"),
            Op::Free(base) => format!("MEM_FREE {base:#x}"),
        },
        NodeKind::Child(_) => "GRAPH".into(),
        NodeKind::Conditional { repeat: true, .. } => "CONDITIONAL WHILE".into(),
        NodeKind::Conditional { repeat: false, .. } => "CONDITIONAL IF".into(),
    }
}

/// Writes the graph to a file.
pub fn print(s: &State, graph: Handle, path: &str) -> Result {
    let graph = find(s, graph)?;
    let mut text = String::from("digraph {\n");
    for (index, node) in graph.present() {
        let _ = writeln!(text, "  n{index} [label=\"{}\"];", label(&node.kind));
        for before in &node.dependencies {
            let _ = writeln!(text, "  n{before} -> n{index};");
        }
    }
    text.push_str("}\n");
    std::fs::write(path, text).map_err(|_| Error::OPERATING_SYSTEM)
}
