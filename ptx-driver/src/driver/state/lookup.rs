//! Objects that a call names, with the documented error for what is not there.
use super::{Context, State, Stream};
use crate::driver::base::{Error, Handle, Result, thread};

impl State {
    /// A context.
    pub fn context(&self, context: Handle) -> Result<&Context> {
        self.contexts.get(context).ok_or(Error::INVALID_CONTEXT)
    }

    /// The context that a call names, or the current one for zero.
    pub fn named_context(&self, context: Handle) -> Result<Handle> {
        let handle = if context == 0 {
            thread::current()
        } else {
            context
        };
        self.context(handle).map(|_| handle)
    }

    /// The device of a context.
    pub fn device_of(&self, context: Handle) -> Result<u32> {
        self.context(context).map(|c| c.device)
    }

    /// The sticky error of a context, if it has one.
    pub fn check_sticky_error(&self, context: Handle) -> Result {
        match self.contexts.get(context).and_then(|c| c.error) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// A stream, by the handle that `resolve_stream` gave.
    pub fn stream(&self, stream: Handle) -> Result<&Stream> {
        self.streams.get(stream).ok_or(Error::INVALID_HANDLE)
    }

    /// As `stream`, to change it.
    pub fn stream_mut(&mut self, stream: Handle) -> Result<&mut Stream> {
        self.streams.get_mut(stream).ok_or(Error::INVALID_HANDLE)
    }

    /// Whether a stream is being captured.
    pub fn is_captured(&self, stream: Handle) -> bool {
        self.streams
            .get(stream)
            .is_some_and(|st| st.capture.is_some())
    }

    /// The stream that a handle means in a context: 0 and 1 the legacy default stream, 2 the thread's own.
    pub fn resolve_stream(&mut self, context: Handle, stream: Handle) -> Result<Handle> {
        match stream {
            0 | 1 => self.context(context).map(|c| c.legacy),
            2 => {
                let thread = thread::id();
                let per_thread = &self.context(context)?.per_thread;
                if let Some((_, handle)) = per_thread.iter().find(|(t, _)| *t == thread) {
                    return Ok(*handle);
                }
                let id = self.next_id();
                let handle = self.streams.insert(Stream::new(context, true, id));
                if let Some(c) = self.contexts.get_mut(context) {
                    c.per_thread.push((thread, handle));
                }
                Ok(handle)
            }
            _ => match self.streams.get(stream) {
                Some(found) if !found.destroyed && !found.legacy => Ok(stream),
                _ => Err(Error::INVALID_HANDLE),
            },
        }
    }
}
