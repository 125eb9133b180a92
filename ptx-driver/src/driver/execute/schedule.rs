//! The order of work that streams and events allow.
//!
//! Dependencies are followed with a stack of our own: a chain of a million events is no deeper for the machine than one.
use super::{graph, operation};
use crate::driver::base::Handle;
use crate::driver::base::settings::Order;
use crate::driver::state::{Action, Guard, Stream, Work};

/// What has to happen before a stream has done its item with a certain number.
enum Next {
    Done,
    /// Another thread executes the stream's first item.
    Busy,
    /// Other streams come first.
    After(Vec<(Handle, u64)>),
    /// The first item can be executed.
    Ready,
}

fn done(g: &Guard, stream: Handle, number: u64) -> bool {
    g.streams.get(stream).is_none_or(|st| st.done >= number)
}

fn next(g: &Guard, stream: Handle, number: u64) -> Next {
    let Some(st) = g.streams.get(stream).filter(|st| st.done < number) else {
        return Next::Done;
    };
    if st.running {
        return Next::Busy;
    }
    let Some(work) = st.queue.front() else {
        return Next::Done;
    };
    let open: Vec<_> = work
        .dependencies
        .iter()
        .copied()
        .filter(|(s, n)| !done(g, *s, *n))
        .collect();
    if open.is_empty() {
        Next::Ready
    } else {
        Next::After(open)
    }
}

fn calls_host(g: &Guard, stream: Handle) -> bool {
    g.streams
        .get(stream)
        .and_then(|st| st.queue.front())
        .is_some_and(|work| work.action.calls_host())
}

/// Executes at most `steps` items towards a stream's item. Without `host`, stops before functions of the program are called.
fn advance(g: &mut Guard, stream: Handle, number: u64, steps: u64, host: bool) {
    let mut left = steps;
    let mut stack = vec![(stream, number)];
    while let Some(&(stream, number)) = stack.last() {
        match next(g, stream, number) {
            Next::Done => {
                stack.pop();
            }
            Next::Busy if steps == u64::MAX && host => g.wait(),
            Next::Busy => return,
            Next::After(mut open) => {
                if g.settings.order != Order::Eager {
                    let k = g.random.index(open.len());
                    open.rotate_left(k);
                }
                stack.append(&mut open);
            }
            Next::Ready => {
                if left == 0 || !host && calls_host(g, stream) {
                    return;
                }
                left -= 1;
                execute_first(g, stream);
            }
        }
    }
}

/// The streams whose first item can be executed now.
fn ready(g: &Guard, host: bool) -> Vec<Handle> {
    let mut ready: Vec<Handle> = g
        .streams
        .iter()
        .filter(|(handle, st)| {
            matches!(next(g, *handle, st.last), Next::Ready) && (host || !calls_host(g, *handle))
        })
        .map(|(handle, _)| handle)
        .collect();
    ready.sort_unstable();
    ready
}

/// Executes some item of any stream that is ready, by chance.
fn step_anywhere(g: &mut Guard, host: bool) -> bool {
    let ready = ready(g, host);
    if ready.is_empty() {
        return false;
    }
    let k = g.random.index(ready.len());
    execute_first(g, ready[k]);
    true
}

/// Executes a stream up to an item, and of other streams what that waits for; in random order also what it does not.
pub fn finish(g: &mut Guard, stream: Handle, number: u64) {
    if g.settings.order == Order::Random {
        while !done(g, stream, number) {
            if !step_anywhere(g, true) {
                // What is left is being executed by another thread.
                match next(g, stream, number) {
                    Next::Done => return,
                    _ => g.wait(),
                }
            }
        }
        return;
    }
    advance(g, stream, number, u64::MAX, true);
}

/// One item towards a stream's item, for queries.
pub fn step(g: &mut Guard, stream: Handle, number: u64) {
    advance(g, stream, number, 1, true);
}

/// Executes what may be executed on a thread that only enqueues: all of it, or some by chance, but no function of the program.
pub fn after_enqueue(g: &mut Guard, stream: Handle, number: u64) {
    match g.settings.order {
        Order::Lazy => {}
        Order::Eager => advance(g, stream, number, u64::MAX, false),
        Order::Random => while g.random.below(2) == 0 && step_anywhere(g, false) {},
    }
}

/// Executes what is left in streams that `which` chooses, one after the other in an order drawn by chance.
fn finish_where(g: &mut Guard, which: impl Fn(&Stream) -> bool, host: bool) {
    let handles = g.streams.handles();
    let mut chosen: Vec<(Handle, u64)> = handles
        .into_iter()
        .filter_map(|handle| {
            g.streams
                .get(handle)
                .filter(|st| which(st))
                .map(|st| (handle, st.last))
        })
        .collect();
    while !chosen.is_empty() {
        let k = if g.settings.order == Order::Eager {
            0
        } else {
            g.random.index(chosen.len())
        };
        let (stream, last) = chosen.remove(k);
        if host {
            finish(g, stream, last);
        } else {
            advance(g, stream, last, u64::MAX, false);
        }
    }
}

/// Executes all work of a context.
pub fn finish_context(g: &mut Guard, context: Handle) {
    finish_where(g, |st| st.context == context && st.done < st.last, true);
}

/// Executes all work of all contexts, except functions of the program and what waits for them.
pub fn finish_device_work(g: &mut Guard) {
    finish_where(g, |st| st.done < st.last, false);
}

/// Executes the first item of a stream; nothing else may be executing it.
fn execute_first(g: &mut Guard, stream: Handle) {
    let Some(st) = g.streams.get_mut(stream) else {
        return;
    };
    let Some(Work {
        number,
        ticket,
        action,
        ..
    }) = st.queue.pop_front()
    else {
        return;
    };
    st.running = true;
    let context = st.context;
    match action {
        Action::Op(op) => operation::run(g, context, ticket, &op),
        Action::Graph(exec) => graph::run(g, context, ticket, exec),
    }
    if let Some(st) = g.streams.get_mut(stream) {
        st.running = false;
        st.done = st.done.max(number);
        if st.queue.is_empty() {
            // A fault drops what was queued.
            st.done = st.last;
        }
        if st.destroyed && st.queue.is_empty() {
            g.streams.remove(stream);
        }
    }
    g.notify();
}
