//! Nodes of graphs.
use super::abi::{
    GraphNodeParams, HostNodeParams, KernelNodeParams, MemAllocNodeParams, Memcpy3D,
    MemcpyNodeParams, MemsetNodeParams,
};
use super::argument::{list, out, required};
use super::copy::from_3d;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::graph::{self, add_node};
use crate::driver::launch::{self, Arguments, Dimensions};
use crate::driver::state::memory::Memset;
use crate::driver::state::{Guard, HostCall, NodeKind, Op};
use std::ffi::c_void;
use std::sync::Arc;

/// The operation of a kernel node.
///
/// # Safety
/// The arguments are as for `cuLaunchKernel`.
pub(super) unsafe fn kernel(g: &Guard, p: &KernelNodeParams) -> Result<Op> {
    let dims = Dimensions {
        grid: p.grid,
        block: p.block,
        shared: p.shared,
    };
    let function = if p.function == 0 {
        p.kernel
    } else {
        p.function
    };
    // SAFETY: the caller's promise.
    let launch = unsafe {
        launch::prepare(
            g,
            function,
            dims,
            &Arguments {
                each: p.params,
                extra: p.extra,
            },
        )
    }?;
    Ok(Op::Kernel(Arc::new(launch)))
}

pub(super) fn memcpy(g: &Guard, p: &MemcpyNodeParams) -> Result<Op> {
    let copy = from_3d(g, &p.copy)?;
    copy.check(&g.memory)?;
    Ok(Op::Memcpy(Arc::new(copy)))
}

pub(super) fn memset(g: &Guard, p: &MemsetNodeParams) -> Result<Op> {
    if !matches!(p.element, 1 | 2 | 4) {
        return Err(Error::INVALID_VALUE);
    }
    let (width, height, pitch) = (p.width as u64, p.height as u64, p.pitch as u64);
    let fill = Memset {
        dst: p.dst,
        value: p.value,
        element: p.element,
        width,
        height,
        pitch,
    };
    fill.check(&g.memory)?;
    Ok(Op::Memset(Arc::new(fill)))
}

fn host(p: &HostNodeParams) -> Result<Op> {
    let function = p.function.ok_or(Error::INVALID_VALUE)?;
    Ok(Op::Host(HostCall::Function {
        function,
        data: p.data,
    }))
}

/// A node of any type. What the driver makes with it, such as an address, is written into `p`.
///
/// # Safety
/// The union holds what the type says.
unsafe fn any(
    g: &mut Guard,
    c: Handle,
    graph: Handle,
    after: &[Handle],
    p: &mut GraphNodeParams,
) -> Result<Handle> {
    // SAFETY: the caller's promise, for each type.
    let op = unsafe {
        match p.kind {
            0 => kernel(g, &p.params.kernel)?,
            1 => memcpy(g, &p.params.memcpy)?,
            2 => memset(g, &p.params.memset)?,
            3 => host(&p.params.host)?,
            4 => return graph::child::add(g, c, graph, after, p.params.graph),
            5 => Op::Empty,
            6 | 7 => {
                let event = p.params.event;
                g.events.get(event).ok_or(Error::INVALID_HANDLE)?;
                if p.kind == 6 {
                    Op::WaitEvent { event }
                } else {
                    Op::Record {
                        event,
                        version: None,
                    }
                }
            }
            10 => return allocate(g, c, graph, after, &mut p.params.allocate),
            11 => return graph::memory::add_free(g, c, graph, after, p.params.free),
            13 => {
                let q = &mut p.params.conditional;
                let made =
                    graph::conditional::add(g, q.context, graph, after, q.handle, q.kind, q.size)?;
                q.bodies = made.1;
                return Ok(made.0);
            }
            8 | 9 | 12 => return Err(Error::NOT_SUPPORTED),
            _ => return Err(Error::INVALID_VALUE),
        }
    };
    let owner = match &op {
        Op::Kernel(launch) => launch.function.module.context,
        _ => c,
    };
    add_node(g, owner, graph, after, NodeKind::Op(op))
}

fn allocate(
    g: &mut Guard,
    c: Handle,
    graph: Handle,
    after: &[Handle],
    p: &mut MemAllocNodeParams,
) -> Result<Handle> {
    if p.pool.location.kind != 1 || p.pool.allocation != 1 || p.bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let (node, address) =
        graph::memory::add_allocation(g, c, graph, after, p.bytes as u64, p.pool.location.id)?;
    p.address = address;
    Ok(node)
}

functions! {
    ctx cuGraphAddKernelNode_v2(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        count: usize,
        params: *const KernelNodeParams,
    ) |g, _c| {
        let place = out(node)?;
        let op = kernel(g, required(params)?)?;
        let owner = match &op { Op::Kernel(launch) => launch.function.module.context, _ => 0 };
        place.set(add_node(g, owner, graph, list(after, count)?, NodeKind::Op(op))?)
    };
    ctx cuGraphAddMemcpyNode(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        count: usize,
        params: *const Memcpy3D,
        owner: usize,
    ) |g, _c| {
        let (place, owner) = (out(node)?, g.named_context(owner)?);
        let op = memcpy(g, &MemcpyNodeParams { flags: 0, reserved: 0, context: owner, copy: *required(params)? })?;
        place.set(add_node(g, owner, graph, list(after, count)?, NodeKind::Op(op))?)
    };
    ctx cuGraphAddMemsetNode(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        count: usize,
        params: *const MemsetNodeParams,
        owner: usize,
    ) |g, _c| {
        let (place, owner) = (out(node)?, g.named_context(owner)?);
        let op = memset(g, required(params)?)?;
        place.set(add_node(g, owner, graph, list(after, count)?, NodeKind::Op(op))?)
    };
    ctx cuGraphAddHostNode(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        count: usize,
        params: *const HostNodeParams,
    ) |g, c| {
        let place = out(node)?;
        let op = host(required(params)?)?;
        place.set(add_node(g, c, graph, list(after, count)?, NodeKind::Op(op))?)
    };
    ctx cuGraphAddEmptyNode(node: *mut usize, graph: usize, after: *const usize, count: usize) |g, c| {
        let place = out(node)?;
        place.set(add_node(g, c, graph, list(after, count)?, NodeKind::Op(Op::Empty))?)
    };
    ctx cuGraphAddChildGraphNode(node: *mut usize, graph: usize, after: *const usize, count: usize, child: usize) |g, c| {
        let place = out(node)?;
        place.set(graph::child::add(g, c, graph, list(after, count)?, child)?)
    };
    ctx cuGraphAddEventRecordNode(node: *mut usize, graph: usize, after: *const usize, count: usize, event: usize) |g, c| {
        let place = out(node)?;
        g.events.get(event).ok_or(Error::INVALID_HANDLE)?;
        place.set(add_node(g, c, graph, list(after, count)?, NodeKind::Op(Op::Record { event, version: None }))?)
    };
    ctx cuGraphAddEventWaitNode(node: *mut usize, graph: usize, after: *const usize, count: usize, event: usize) |g, c| {
        let place = out(node)?;
        g.events.get(event).ok_or(Error::INVALID_HANDLE)?;
        place.set(add_node(g, c, graph, list(after, count)?, NodeKind::Op(Op::WaitEvent { event }))?)
    };
    ctx cuGraphAddMemAllocNode(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        count: usize,
        params: *mut MemAllocNodeParams,
    ) |g, c| {
        let place = out(node)?;
        let params = params.as_mut().ok_or(Error::INVALID_VALUE)?;
        place.set(allocate(g, c, graph, list(after, count)?, params)?)
    };
    ctx cuGraphAddMemFreeNode(node: *mut usize, graph: usize, after: *const usize, count: usize, address: u64) |g, c| {
        let place = out(node)?;
        place.set(graph::memory::add_free(g, c, graph, list(after, count)?, address)?)
    };
    ctx cuGraphMemAllocNodeGetParams(handle: usize, params: *mut MemAllocNodeParams) |g, _c| {
        let NodeKind::Op(Op::Allocate(base)) = graph::find_node(g, handle)?.1.kind else { return Err(Error::INVALID_VALUE) };
        let found = g.memory.at(base).ok_or(Error::INVALID_VALUE)?;
        let params = params.as_mut().ok_or(Error::INVALID_VALUE)?;
        (params.address, params.bytes) = (base, found.bytes as usize);
        Ok(())
    };
    ctx cuGraphMemFreeNodeGetParams(handle: usize, address: *mut u64) |g, _c| match graph::find_node(g, handle)?.1.kind {
        NodeKind::Op(Op::Free(base)) => out(address)?.set(base),
        _ => Err(Error::INVALID_VALUE),
    };
    ctx cuGraphAddNode(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        count: usize,
        params: *mut GraphNodeParams,
    ) |g, c| {
        let place = out(node)?;
        let params = params.as_mut().ok_or(Error::INVALID_VALUE)?;
        place.set(any(g, c, graph, list(after, count)?, params)?)
    };
    ctx cuGraphAddNode_v2(
        node: *mut usize,
        graph: usize,
        after: *const usize,
        edges: *const c_void,
        count: usize,
        params: *mut GraphNodeParams,
    ) |g, c| {
        let place = out(node)?;
        // Data of edges is for programmatic launches.
        if !edges.is_null() && list(edges.cast::<u64>(), count)?.iter().any(|edge| *edge != 0) {
            return Err(Error::NOT_SUPPORTED);
        }
        let params = params.as_mut().ok_or(Error::INVALID_VALUE)?;
        place.set(any(g, c, graph, list(after, count)?, params)?)
    };
}
