//! Executable graphs: made of graphs, and changed in one node.
use super::copy::{clone, delete};
use super::flatten::flatten;
use super::query::find;
use super::update::difference;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Exec, ExecNode, ExecNodeKind, Op, State};
use std::sync::Arc;

/// `cuGraphInstantiate`: flags for freeing at launch, upload, launch from the device (refused) and priorities of nodes.
pub fn instantiate(s: &mut State, graph: Handle, flags: u64) -> Result<Handle> {
    if flags & !0xB != 0 {
        return Err(if flags & 4 != 0 {
            Error::NOT_SUPPORTED
        } else {
            Error::INVALID_VALUE
        });
    }
    if find(s, graph)?.capturing {
        return Err(Error::INVALID_VALUE);
    }
    let flat = Arc::new(flatten(s, graph)?);
    let source = clone(s, graph, true)?;
    Ok(s.execs.insert(Exec {
        graph: flat,
        flags,
        launched: false,
        last: None,
        source,
    }))
}

/// `cuGraphExecDestroy`: launches that wait in streams stay.
pub fn destroy(s: &mut State, exec: Handle) -> Result {
    let exec = s.execs.remove(exec).ok_or(Error::INVALID_HANDLE)?;
    delete(s, exec.source);
    Ok(())
}

/// `cuGraphExec...NodeSetParams`: replaces the operation of one node, of the same type.
pub fn set_params(s: &mut State, handle: Handle, node: Handle, op: Op) -> Result {
    let exec = s.execs.get_mut(handle).ok_or(Error::INVALID_HANDLE)?;
    let place = exec
        .graph
        .nodes
        .iter()
        .position(|other| other.node == node)
        .ok_or(Error::INVALID_VALUE)?;
    let old = &exec.graph.nodes[place];
    let new = ExecNode {
        kind: ExecNodeKind::Op(op),
        ..old.clone()
    };
    if difference(old, &new).is_some() {
        return Err(Error::INVALID_VALUE);
    }
    Arc::make_mut(&mut exec.graph).nodes[place] = new;
    Ok(())
}
