//! Calls that are prohibited during a capture: they are refused, and the capture fails at its end.
use crate::driver::base::thread::{self, CaptureMode};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Capture, State};

/// Makes a capture fail at its end.
pub fn invalidate(s: &mut State, capture: Handle) {
    if let Some(capture) = s.captures.get_mut(capture) {
        capture.invalidated = true;
    }
}

/// Refuses to go on with a capture that was invalidated.
pub fn valid(s: &State, capture: Handle) -> Result<&Capture> {
    let capture = s.captures.get(capture).ok_or(Error::ILLEGAL_STATE)?;
    if capture.invalidated {
        Err(Error::STREAM_CAPTURE_INVALIDATED)
    } else {
        Ok(capture)
    }
}

/// Refuses a call that may not be made while certain captures go on, and invalidates those.
pub fn refuse_unsafe(s: &mut State) -> Result {
    if s.captures.len() == 0 {
        return Ok(());
    }
    let (mode, me) = (thread::mode(), thread::id());
    let mut refused = false;
    for capture in s.captures.values_mut() {
        let prohibits = match mode {
            CaptureMode::Relaxed => false,
            CaptureMode::ThreadLocal => {
                capture.thread == me && capture.mode != CaptureMode::Relaxed
            }
            CaptureMode::Global => {
                capture.mode == CaptureMode::Global
                    || capture.thread == me && capture.mode != CaptureMode::Relaxed
            }
        };
        if prohibits {
            capture.invalidated = true;
            refused = true;
        }
    }
    if refused {
        Err(Error::STREAM_CAPTURE_UNSUPPORTED)
    } else {
        Ok(())
    }
}

/// The captures in which blocking streams of a context take part.
pub fn blocking(s: &State, context: Handle) -> Vec<Handle> {
    if s.captures.len() == 0 {
        return Vec::new();
    }
    s.streams
        .values()
        .filter(|st| st.context == context && st.blocking)
        .filter_map(|st| st.capture)
        .collect()
}

/// Refuses the legacy stream while blocking streams of its context are captured: it would have to wait for them.
pub fn refuse_legacy(s: &mut State, context: Handle) -> Result {
    let captures = blocking(s, context);
    captures.iter().for_each(|capture| invalidate(s, *capture));
    if captures.is_empty() {
        Ok(())
    } else {
        Err(Error::STREAM_CAPTURE_IMPLICIT)
    }
}

/// Refuses to wait for, or to ask about, a stream that is captured.
pub fn refuse_for_stream(s: &mut State, stream: Handle) -> Result {
    let st = s.stream(stream)?;
    let context = st.context;
    if let Some(capture) = st.capture {
        invalidate(s, capture);
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    if st.legacy {
        refuse_legacy(s, context)
    } else {
        Ok(())
    }
}

/// Refuses to wait for a context of which a stream is captured.
pub fn refuse_for_context(s: &mut State, context: Handle) -> Result {
    let captures: Vec<Handle> = s
        .streams
        .values()
        .filter(|st| st.context == context)
        .filter_map(|st| st.capture)
        .collect();
    captures.iter().for_each(|capture| invalidate(s, *capture));
    if captures.is_empty() {
        Ok(())
    } else {
        Err(Error::STREAM_CAPTURE_UNSUPPORTED)
    }
}
