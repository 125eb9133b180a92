//! Threads that wait for each other, where it takes more than a row of the table of forms.

use crate::device::{Device, kernel, warp};
use ptx_driver::machine::{FaultKind, Settings};

#[test]
fn activemask_tells_of_the_lanes_that_are_there() {
    let body = "setp.lt.u32 %p1, %r1, 5; mov.u32 %r0, 0; @!%p1 bra END; activemask.b32 %r0; END:";
    let whole = warp(body, [1, 32], Settings::default()).unwrap();
    assert!(whole[..5].iter().all(|w| *w == 31) && whole[5..].iter().all(|w| *w == 0));
    // Other seeds tell of fewer at times, and always of the lane itself and the same to all of them.
    let mut parted = 0;
    for seed in 1..40 {
        let settings = Settings {
            seed,
            ..Settings::default()
        };
        let words = warp(body, [1, 32], settings).unwrap();
        for lane in 0..5 {
            assert!(words[lane] >> lane & 1 == 1);
            assert!((0..5).all(|o| words[lane] >> o & 1 == 0 || words[o] == words[lane]));
        }
        parted += u32::from(words[0] != 31);
    }
    assert!(parted > 2 && parted < 37, "{parted}");
}

const REVERSE: &str = "shl.b32 %r5, %r1, 2; mov.u32 %r6, buffer; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r1;
    BARRIER
    mov.u32 %r7, %ntid.x; sub.u32 %r7, %r7, %r1; sub.u32 %r7, %r7, 1; shl.b32 %r7, %r7, 2; mov.u32 %r8, buffer;
    add.u32 %r8, %r8, %r7; ld.shared.u32 %r0, [%r8];";

fn reverse(barrier: &str, settings: Settings) -> Result<Vec<u32>, ptx_driver::machine::Fault> {
    let body = format!(
        ".shared .align 4 .b8 buffer[400]; {}",
        REVERSE.replace("BARRIER", barrier)
    );
    warp(&body, [3, 100], settings)
}

#[test]
fn barriers() {
    for seed in 0..8 {
        let settings = Settings {
            seed,
            switch: (seed % 2 == 1).then_some(3),
            races: true,
            ..Settings::default()
        };
        for barrier in [
            "bar.sync 0;",
            "barrier.sync.aligned 3;",
            "barrier.cta.sync 0;",
        ] {
            let words = reverse(barrier, settings).unwrap_or_else(|e| panic!("{e}"));
            assert!((0..300).all(|i| words[i] == 99 - i as u32 % 100));
        }
    }
    let without = Settings {
        races: true,
        ..Settings::default()
    };
    let fault = reverse("", without).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Race);
    assert!(fault.text.contains("shared"), "{fault}");
}

/// The last block to finish adds up what all have written: ordered by fences and an atomic.
#[test]
fn fences_and_an_atomic_order_what_blocks_write() {
    let body = "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd3, %rd2, %rd3; add.u32 %r2, %r1, 10; st.global.u32 [%rd3], %r2; FENCE
        atom.global.inc.u32 %r3, [%rd1], 1000; setp.ne.u32 %p1, %r3, 3; @%p1 bra END; FENCE
        ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2]; add.u32 %r4, %r4, %r5; add.u32 %r6, %r6, %r7; add.u32 %r4, %r4, %r6;
        st.global.u32 [%rd1+4], %r4; END:";
    let sum = |fence: &str| {
        let mut device = Device::default();
        let (state, parts) = (device.words(&[0, 0]), device.words(&[0; 4]));
        let settings = Settings {
            races: true,
            seed: 3,
            ..Settings::default()
        };
        let text = kernel(2, &body.replace("FENCE", fence));
        let done = device.launch(&text, [4, 1], &[state, parts], settings);
        done.map(|_| device.read(state)[1])
    };
    assert_eq!(sum("fence.acq_rel.gpu;"), Ok(46));
    assert_eq!(sum("membar.gl;"), Ok(46));
    assert_eq!(sum("").unwrap_err().kind, FaultKind::Race);
}
