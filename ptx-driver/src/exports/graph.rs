//! Graphs and executable graphs.
use super::abi::{
    GraphExecUpdateResultInfo, GraphInstantiateParams, KernelNodeParams, MemcpyNodeParams,
    MemsetNodeParams,
};
use super::argument::{list, out, required, set_optional, string, write_list};
use super::graph_node;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::graph::{self, exec};
use crate::driver::launch;
use crate::driver::state::{Guard, NodeKind};
use std::ffi::{c_char, c_void};

fn update(g: &mut Guard, handle: Handle, graph: Handle) -> Result<GraphExecUpdateResultInfo> {
    let mismatch = graph::update_exec(g, handle, graph)?;
    Ok(match mismatch {
        None => GraphExecUpdateResultInfo {
            result: 0,
            error_node: 0,
            error_from_node: 0,
        },
        Some(m) => GraphExecUpdateResultInfo {
            result: m.result as u32,
            error_node: m.node,
            error_from_node: 0,
        },
    })
}

fn refused(info: &GraphExecUpdateResultInfo) -> Result {
    if info.result == 0 {
        Ok(())
    } else {
        Err(Error::GRAPH_EXEC_UPDATE_FAILURE)
    }
}

functions! {
    ctx cuGraphCreate(handle: *mut usize, flags: u32) |g, _c| {
        let place = out(handle)?;
        place.set(graph::create(g, flags)?)
    };
    ctx cuGraphDestroy(handle: usize) |g, _c| graph::destroy(g, handle);
    ctx cuGraphClone(handle: *mut usize, source: usize) |g, _c| {
        let place = out(handle)?;
        place.set(graph::clone(g, source, false)?)
    };
    ctx cuGraphGetNodes(handle: usize, nodes: *mut usize, count: *mut usize) |g, _c| {
        write_list(&graph::nodes(g, handle, false)?, nodes, count)
    };
    ctx cuGraphGetRootNodes(handle: usize, nodes: *mut usize, count: *mut usize) |g, _c| {
        write_list(&graph::nodes(g, handle, true)?, nodes, count)
    };
    ctx cuGraphGetEdges(handle: usize, from: *mut usize, to: *mut usize, count: *mut usize) |g, _c| {
        let (a, b): (Vec<_>, Vec<_>) = graph::edges(g, handle)?.into_iter().unzip();
        if from.is_null() != to.is_null() { return Err(Error::INVALID_VALUE); }
        let mut room = *required(count)?;
        write_list(&a, from, &raw mut room)?;
        write_list(&b, to, count)
    };
    ctx cuGraphAddDependencies(handle: usize, from: *const usize, to: *const usize, count: usize) |g, _c| {
        graph::set_dependencies(g, handle, list(from, count)?, list(to, count)?, false)
    };
    ctx cuGraphRemoveDependencies(handle: usize, from: *const usize, to: *const usize, count: usize) |g, _c| {
        graph::set_dependencies(g, handle, list(from, count)?, list(to, count)?, true)
    };
    ctx cuGraphDestroyNode(node: usize) |g, _c| graph::remove_node(g, node);
    ctx cuGraphNodeGetType(node: usize, kind: *mut u32) |g, _c| out(kind)?.set(graph::find_node(g, node)?.1.kind.code());
    ctx cuGraphNodeGetDependencies(node: usize, nodes: *mut usize, count: *mut usize) |g, _c| {
        let (place, found) = graph::find_node(g, node)?;
        let all = &graph::find(g, place.graph)?.nodes;
        let before: Vec<Handle> = found.dependencies.iter().map(|index| all[*index].handle).collect();
        write_list(&before, nodes, count)
    };
    ctx cuGraphChildGraphNodeGetGraph(node: usize, handle: *mut usize) |g, _c| match graph::find_node(g, node)?.1.kind {
        NodeKind::Child(child) => out(handle)?.set(child),
        _ => Err(Error::INVALID_VALUE),
    };
    ctx cuGraphDebugDotPrint(handle: usize, path: *const c_char, flags: u32) |g, _c| {
        let _ = flags;
        graph::print(g, handle, string(path)?)
    };
    ctx cuGraphInstantiate_v2(
        handle: *mut usize,
        graph: usize,
        node: *mut usize,
        log: *mut c_char,
        room: usize,
    ) |g, _c| {
        let place = out(handle)?;
        set_optional(node, 0);
        if room > 0 { set_optional(log, 0); }
        place.set(exec::instantiate(g, graph, 0)?)
    };
    ctx cuGraphInstantiateWithFlags(handle: *mut usize, graph: usize, flags: u64) |g, _c| {
        let place = out(handle)?;
        place.set(exec::instantiate(g, graph, flags)?)
    };
    ctx cuGraphInstantiateWithParams(handle: *mut usize, graph: usize, params: *mut GraphInstantiateParams) |g, _c| {
        let place = out(handle)?;
        let flags = required(params)?.flags;
        let made = exec::instantiate(g, graph, flags);
        let result = match made {
            Ok(_) => 0,
            Err(Error::INVALID_VALUE) => 2,
            Err(Error::NOT_SUPPORTED) => 3,
            Err(_) => 1,
        };
        set_optional(&raw mut (*params).result, result);
        set_optional(&raw mut (*params).error_node, 0);
        place.set(made?)
    };
    ctx cuGraphExecDestroy(handle: usize) |g, _c| exec::destroy(g, handle);
    ctx cuGraphExecGetFlags(handle: usize, flags: *mut u64) |g, _c| {
        let found = g.execs.get(handle).ok_or(Error::INVALID_HANDLE)?;
        out(flags)?.set(found.flags)
    };
    ctx cuGraphLaunch(handle: usize, stream: usize) |g, c| launch::launch_graph(g, c, handle, stream);
    ctx cuGraphUpload(handle: usize, stream: usize) |g, c| {
        g.resolve_stream(c, stream)?;
        g.execs.get(handle).map(drop).ok_or(Error::INVALID_HANDLE)
    };
    ctx cuGraphExecUpdate_v2(handle: usize, graph: usize, info: *mut GraphExecUpdateResultInfo) |g, _c| {
        let place = out(info)?;
        let result = update(g, handle, graph)?;
        place.set(result)?;
        refused(&result)
    };
    ctx cuGraphExecUpdate(handle: usize, graph: usize, node: *mut usize, result: *mut u32) |g, _c| {
        let place = out(result)?;
        let info = update(g, handle, graph)?;
        set_optional(node, info.error_node);
        place.set(info.result)?;
        refused(&info)
    };
    ctx cuGraphExecKernelNodeSetParams_v2(handle: usize, node: usize, params: *const KernelNodeParams) |g, _c| {
        let op = graph_node::kernel(g, required(params)?)?;
        exec::set_params(g, handle, node, op)
    };
    ctx cuGraphExecMemcpyNodeSetParams(handle: usize, node: usize, params: *const super::abi::Memcpy3D, owner: usize) |g, _c| {
        g.named_context(owner)?;
        let copy = *required(params)?;
        let op = graph_node::memcpy(g, &MemcpyNodeParams { flags: 0, reserved: 0, context: owner, copy })?;
        exec::set_params(g, handle, node, op)
    };
    ctx cuGraphExecMemsetNodeSetParams(handle: usize, node: usize, params: *const MemsetNodeParams, owner: usize) |g, _c| {
        g.named_context(owner)?;
        let op = graph_node::memset(g, required(params)?)?;
        exec::set_params(g, handle, node, op)
    };
    ctx cuGraphConditionalHandleCreate(handle: *mut u64, graph: usize, owner: usize, default: u32, flags: u32) |g, _c| {
        let place = out(handle)?;
        place.set(graph::conditional::create_handle(g, graph, owner, default, flags)?)
    };
    ctx cuUserObjectCreate(handle: *mut usize, data: *mut c_void, destroy: usize, count: u32, flags: u32) |_g, _c| {
        let _ = (handle, data, destroy, count, flags);
        Err(Error::NOT_SUPPORTED)
    };
}
