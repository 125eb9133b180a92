//! Numbers of elements, and elements by their numbers.

use super::kernel::Kernel;
use super::run::Run;
use super::text::{Text, ptx};
use crate::error::Result;

/// Writes the numbers below `n` as uint32.
///
/// # Safety
/// There is room for them.
pub unsafe fn iota(run: &Run, to: u64, n: usize) -> Result<()> {
    let n = n as u64;
    // SAFETY: promised by the caller.
    unsafe { run.launch(Kernel::Iota, n.div_ceil(256), &[to, n]) }
}

/// Writes element `order[i]` of `from` as element `i` of `to`, for `n` elements of `size` bytes.
///
/// # Safety
/// The elements are there, `to` has room for them, and overlaps neither.
pub unsafe fn gather(
    run: &Run,
    to: u64,
    from: u64,
    order: u64,
    n: usize,
    size: usize,
) -> Result<()> {
    // The largest unit at which everything starts.
    let unit = 1u64 << (to | from | size as u64 | 8).trailing_zeros();
    let units = size as u64 / unit;
    let params = [from, order, to, n as u64, units];
    // SAFETY: promised by the caller.
    unsafe {
        run.launch(
            Kernel::Gather(unit as usize),
            (n as u64).div_ceil(256),
            &params,
        )
    }
}

/// Text: a thread for each number.
pub fn iota_text(name: &str) -> String {
    let mut text = Text::new(name, 2);
    super::element::declare(&mut text);
    text.registers("pred", "p", 1);
    text.registers("b64", "d", 4);
    text.pointer("%a", 0);
    text.wide("%d0", 1);
    text.thread("%d1");
    ptx!(
        text,
        "setp.ge.u64 %p0, %d1, %d0; @%p0 bra END; mad.lo.u64 %d2, %d1, 4, %a; st.global.u32 [%d2], %d1;"
    );
    ptx!(text, "END: ret;");
    text.finish()
}

/// Text: a thread for each element.
pub fn gather_text(name: &str, unit: usize) -> String {
    let bits = 8 * unit;
    // Registers have 16 bits or more.
    let register = bits.max(16);
    let mut text = Text::new(name, 5);
    super::element::declare(&mut text);
    text.registers("pred", "p", 2);
    text.registers(&format!("b{register}"), "v", 1);
    text.registers("b64", "d", 8);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.pointer("%c", 2);
    text.wide("%d0", 3);
    text.wide("%d1", 4);
    text.thread("%d2");
    ptx!(text, "setp.ge.u64 %p0, %d2, %d0; @%p0 bra END;");
    ptx!(
        text,
        "mad.lo.u64 %d3, %d2, 4, %b; ld.global.u32 %lb, [%d3]; cvt.u64.u32 %d3, %lb; mul.lo.u64 %d4, %d1, {unit};"
    );
    ptx!(
        text,
        "mad.lo.u64 %d3, %d3, %d4, %a; mad.lo.u64 %d5, %d2, %d4, %c; mov.u64 %d6, 0;"
    );
    ptx!(
        text,
        "UNITS: setp.ge.u64 %p1, %d6, %d1; @%p1 bra END; ld.global.b{bits} %v0, [%d3]; st.global.b{bits} [%d5], %v0;"
    );
    ptx!(
        text,
        "add.u64 %d3, %d3, {unit}; add.u64 %d5, %d5, {unit}; add.u64 %d6, %d6, 1; bra UNITS;"
    );
    ptx!(text, "END: ret;");
    text.finish()
}
