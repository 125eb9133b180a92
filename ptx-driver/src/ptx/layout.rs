//! What a kernel needs, together with all functions that it may call.

use super::code::{Callee, Fill};
use super::module::Module;

/// Fills in what follows from the calls between functions.
pub(crate) fn lay_out(module: &mut Module) {
    for index in 0..module.entries.len() {
        let root = module.entries[index].function;
        let reached = reached(module, root);
        let used = |variable: usize| {
            let mut fills = reached.iter().flat_map(|f| &module.functions[*f].fills);
            fills.any(|(_, fill)| matches!(fill, Fill::Shared(v, _) if *v as usize == variable))
        };
        let mut end = 0;
        let mut shared = vec![None; module.shared.len()];
        for (number, variable) in module.shared.iter().enumerate() {
            if !variable.dynamic && used(number) {
                end = u64::next_multiple_of(end, variable.align);
                shared[number] = Some(end);
                end += variable.bytes;
            }
        }
        // Dynamic memory follows; all variables without length lie at its start.
        let dynamic = (0..shared.len()).filter(|n| module.shared[*n].dynamic && used(*n));
        let dynamic: Vec<_> = dynamic.collect();
        if let Some(align) = dynamic.iter().map(|n| module.shared[*n].align).max() {
            end = end.next_multiple_of(align);
            for number in dynamic {
                shared[number] = Some(end);
            }
        }
        let waits = reached.iter().any(|f| module.functions[*f].waits);
        let fences = reached.iter().any(|f| module.functions[*f].fences);
        let local = depth(module, root, &mut Vec::new());
        let entry = &mut module.entries[index];
        (entry.shared, entry.waits, entry.fences) = (shared, waits, fences);
        module.kernels[index].shared_bytes = end;
        module.kernels[index].local_bytes = local;
    }
}

/// A function and all that it may call; through a pointer it may call any.
fn reached(module: &Module, root: usize) -> Vec<usize> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&function) = found.get(next) {
        next += 1;
        for callee in callees(module, function) {
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
    }
    found
}

fn callees(module: &Module, function: usize) -> Vec<usize> {
    let calls = &module.functions[function].calls;
    let named = calls.iter().filter_map(|call| match call.callee {
        Callee::Function(number) => Some(number as usize),
        Callee::Pointer(_) | Callee::AssertFail | Callee::SetConditional => None,
    });
    let mut found: Vec<_> = named.collect();
    if calls.iter().any(|c| matches!(c.callee, Callee::Pointer(_))) {
        let kernels: Vec<_> = module.entries.iter().map(|e| e.function).collect();
        let others = 0..module.functions.len();
        found.extend(others.filter(|f| !kernels.contains(f)));
    }
    found
}

/// Local memory of the deepest chain of calls.
fn depth(module: &Module, function: usize, path: &mut Vec<usize>) -> u64 {
    if path.contains(&function) {
        return 0;
    }
    path.push(function);
    let callees = callees(module, function);
    let below = callees.into_iter().map(|f| depth(module, f, path)).max();
    path.pop();
    module.functions[function].local.next_multiple_of(16) + below.unwrap_or(0)
}
