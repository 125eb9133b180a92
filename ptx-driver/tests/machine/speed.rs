//! How fast instructions run. Not checked, since it says more of the computer than of the machine:
//! `cargo test --release -p ptx-driver --test machine -- --ignored --nocapture speed`

use crate::device::{Device, kernel};
use ptx_driver::machine::Settings;

/// What this thread has used of a processor, whatever else runs on it.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn rate(name: &str, threads: [u32; 2], body: &str) {
    let mut device = Device::default();
    let (x, y) = (
        device.words(&vec![0x3f80_0000; 1 << 16]),
        device.words(&vec![0; 1 << 16]),
    );
    let settings = Settings {
        instruction_limit: Some(u64::MAX),
        ..Settings::default()
    };
    let start = processor_seconds();
    let report = device
        .launch(&kernel(2, body), threads, &[x, y], settings)
        .unwrap();
    let seconds = processor_seconds() - start;
    println!(
        "{name}: {:.0} M instructions/s",
        report.instructions as f64 / seconds / 1e6
    );
}

#[test]
#[ignore = "measures"]
fn speed() {
    let head = "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
        mad.lo.s32 %r1, %r2, %r3, %r1; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;";
    let saxpy = format!(
        "{head} ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f3, %f1, 0f40000000, %f2; st.global.f32 [%rd2], %f3;"
    );
    rate("saxpy", [256, 256], &saxpy);
    rate("saxpy", [256, 256], &saxpy);
    let looped = format!(
        "{head} mov.u32 %r4, 0; mov.f32 %f3, 0f00000000; LOOP: ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, 0f3F000000; add.f32 %f3, %f3, %f2;
        setp.gt.f32 %p1, %f3, 0f42C80000; selp.f32 %f3, 0f00000000, %f3, %p1; add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 1000; @%p2 bra LOOP;
        st.global.f32 [%rd2], %f3;"
    );
    rate("loop", [16, 256], &looped);
    rate(
        "loop with barriers",
        [16, 256],
        &looped
            .replace("add.s32 %r4, %r4, 1;", "add.s32 %r4, %r4, 1; bar.sync 0;")
            .replace("1000", "100"),
    );
}
