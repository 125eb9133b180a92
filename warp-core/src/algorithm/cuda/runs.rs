//! Runs of equal elements: how many begin up to each element, where each begins, and how long that makes them.

use super::element::{Source, declare};
use super::kernel::Kernel;
use super::run::Run;
use super::scan::running;
use super::sort::check;
use super::text::{Text, ptx};
use crate::dtype::Scalar;
use crate::error::Result;

/// As [`crate::algorithm::runs`], on a GPU; the number of runs goes to `count`, an int32.
///
/// # Safety
/// As there, but what is read and written must stay until the stream is done, and be memory of the GPU.
///
/// # Errors
/// There are more elements than 32 bits count; what the driver says.
pub unsafe fn runs(
    run: &Run,
    scalar: Scalar,
    n: usize,
    values: *const u8,
    run_values: *mut u8,
    run_lengths: *mut u8,
    count: *mut u8,
) -> Result<()> {
    let _timed = run.queue.watch("run lengths");
    check(n)?;
    if n == 0 {
        // SAFETY: promised by the caller.
        return unsafe { run.queue.clear(count as u64, 4) };
    }
    // The runs up to each element; then where each begins, and the end behind them.
    let scratch = run.queue.scratch(4 * n + 4 * (n + 1))?;
    let (begun, starts) = (scratch.address(), scratch.address() + 4 * n as u64);
    let (threads, n64) = ((n as u64).div_ceil(256), n as u64);
    let (values, run_values) = (values as u64, run_values as u64);
    // SAFETY: promised by the caller, and the scratch memory has room for both.
    unsafe {
        running(
            run,
            Source::Begins(scalar),
            Scalar::U32,
            true,
            (n, 1),
            values,
            begun,
        )?;
        let params = [values, begun, run_values, starts, count as u64, n64];
        run.launch(Kernel::RunStarts(scalar.size()), threads, &params)?;
        run.launch(
            Kernel::RunLengths,
            threads,
            &[starts, count as u64, run_lengths as u64, n64],
        )
    }
}

/// Text: a thread for each element. The first of a run writes what it is and where; the last element, how many there are.
pub fn starts(name: &str, size: usize) -> String {
    let bits = 8 * size;
    let mut text = Text::new(name, 6);
    let text = &mut text;
    registers(text);
    text.registers(&format!("b{}", bits.max(16)), "v", 1);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.pointer("%c", 2);
    text.pointer("%d0", 3);
    text.pointer("%d1", 4);
    text.wide("%d2", 5);
    text.thread("%d3");
    ptx!(text, "setp.ge.u64 %p0, %d3, %d2; @%p0 bra END;");
    ptx!(
        text,
        "mad.lo.u64 %d4, %d3, 4, %b; ld.global.u32 %r0, [%d4]; setp.ne.u64 %p1, %d3, 0;"
    );
    ptx!(
        text,
        "mov.u32 %r1, 0; @%p1 ld.global.u32 %r1, [%d4+-4]; setp.ne.u32 %p1, %r0, %r1; @!%p1 bra LAST;"
    );
    ptx!(
        text,
        "cvt.u64.u32 %d5, %r1; mad.lo.u64 %d6, %d5, 4, %d0; st.global.u32 [%d6], %d3;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d6, %d3, {size}, %a; ld.global.b{bits} %v0, [%d6];"
    );
    ptx!(
        text,
        "mad.lo.u64 %d6, %d5, {size}, %c; st.global.b{bits} [%d6], %v0;"
    );
    ptx!(
        text,
        "LAST: add.u64 %d3, %d3, 1; setp.ne.u64 %p1, %d3, %d2; @%p1 bra END;"
    );
    ptx!(
        text,
        "cvt.u64.u32 %d5, %r0; mad.lo.u64 %d6, %d5, 4, %d0; st.global.u32 [%d6], %d3; st.global.u32 [%d1], %r0;"
    );
    ptx!(text, "END: ret;");
    text.finish()
}

/// Text: a thread for each run that there may be.
pub fn lengths(name: &str) -> String {
    let mut text = Text::new(name, 4);
    let text = &mut text;
    registers(text);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.pointer("%c", 2);
    text.wide("%d0", 3);
    text.thread("%d1");
    ptx!(
        text,
        "ld.global.u32 %r0, [%b]; cvt.u64.u32 %d2, %r0; min.u64 %d2, %d2, %d0;"
    );
    ptx!(
        text,
        "setp.ge.u64 %p0, %d1, %d2; @%p0 bra END; mad.lo.u64 %d3, %d1, 4, %a;"
    );
    ptx!(
        text,
        "ld.global.u32 %r1, [%d3]; ld.global.u32 %r2, [%d3+4]; sub.u32 %r2, %r2, %r1;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d3, %d1, 4, %c; st.global.u32 [%d3], %r2;"
    );
    ptx!(text, "END: ret;");
    text.finish()
}

fn registers(text: &mut Text) {
    declare(text);
    text.registers("pred", "p", 2);
    text.registers("b32", "r", 4);
    text.registers("b64", "d", 8);
}
