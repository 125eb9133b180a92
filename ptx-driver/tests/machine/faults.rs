//! Faults that tests plant, each found and named with its place; and texts that are refused.

use crate::device::{Device, HEAD, kernel, warp};
use ptx_driver::machine::{Fault, FaultKind, Settings};
use ptx_driver::ptx::{Module, Why};

fn fault(body: &str, threads: [u32; 2], settings: Settings) -> Fault {
    warp(body, threads, settings).expect_err(body)
}

#[test]
fn out_of_bounds_by_one() {
    let mut device = Device::default();
    let data = device.words(&[0; 40]);
    let text = kernel(
        1,
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r1;",
    );
    let fine = device.launch(&text, [1, 40], &[data], Settings::default());
    assert_eq!(fine.map(|r| r.instructions), Ok(6 * 40));
    let fault = device
        .launch(&text, [1, 41], &[data], Settings::default())
        .unwrap_err();
    assert_eq!(
        (fault.kind, fault.thread, fault.block),
        (FaultKind::IllegalAddress, [40, 0, 0], [0; 3])
    );
    let told = format!("write of 4 bytes of global memory at {:#x}", data + 160);
    assert!(fault.text.contains(&told), "{fault}");
    assert!(
        fault.text.ends_with(&format!(
            "PTX line {}: st.global.u32 [%rd1], %r1;",
            fault.line
        )),
        "{fault}"
    );
    let text = text.replace("mul.wide.u32 %rd2, %r1, 4", "mul.wide.u32 %rd2, %r1, 2");
    let fault = device
        .launch(&text, [1, 4], &[data], Settings::default())
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Misaligned);
    assert_eq!(fault.thread[0] % 2, 1);
}

#[test]
fn addresses_of_no_use() {
    let kinds = |body: &str| fault(body, [1, 1], Settings::default()).kind;
    let illegal = FaultKind::IllegalAddress;
    assert_eq!(
        kinds("mov.u64 %rd1, 0; ld.global.u32 %r0, [%rd1];"),
        illegal
    );
    assert_eq!(kinds("mov.u64 %rd1, 4; ld.u32 %r0, [%rd1];"), illegal);
    assert_eq!(
        kinds("mov.u32 %r5, 100000; ld.shared.u32 %r0, [%r5];"),
        illegal
    );
    assert_eq!(
        kinds("mov.u64 %rd1, 64; ld.local.u32 %r0, [%rd1];"),
        illegal
    );
    // An address of shared memory is none of global memory, and the other way round.
    assert_eq!(
        kinds(".shared .b32 s; mov.u64 %rd1, s; ld.global.u32 %r0, [%rd1];"),
        illegal
    );
    assert_eq!(
        kinds(
            ".shared .b32 s; mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; ld.shared.u32 %r0, [%rd1];"
        ),
        illegal
    );
    // Parameters cannot be written.
    assert_eq!(
        kinds("mov.u64 %rd1, p0; cvta.param.u64 %rd1, %rd1; st.u32 [%rd1], 0;"),
        illegal
    );
    assert_eq!(
        kinds("mov.u64 %rd1, p0; ld.param.u64 %rd2, [%rd1+8];"),
        illegal
    );
    let misaligned =
        "ld.param.u64 %rd1, [p0]; add.u64 %rd1, %rd1, 4; ld.global.v2.u32 {%r5, %r6}, [%rd1];";
    assert_eq!(
        fault(misaligned, [1, 4], Settings::default()).kind,
        FaultKind::Misaligned
    );
}

#[test]
fn threads_that_wait_for_ever() {
    let d = Settings::default;
    let early = fault(
        "setp.eq.u32 %p1, %r1, 7; @%p1 exit;\nbar.sync 0;",
        [1, 64],
        d(),
    );
    assert_eq!(early.kind, FaultKind::Deadlock);
    assert!(
        early.text.contains("63 of the block wait, 1 have ended"),
        "{early}"
    );
    let parted = fault(
        "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\nbar.sync 0;\nbra END;\nLOW: bar.sync 0;\nEND:",
        [1, 32],
        d(),
    );
    assert_eq!(parted.kind, FaultKind::Deadlock);
    assert!(parted.text.contains("barrier divergence"), "{parted}");
    let gone = fault(
        "setp.eq.u32 %p1, %r1, 7; @%p1 exit;\nbar.warp.sync -1;",
        [1, 32],
        d(),
    );
    assert_eq!(gone.kind, FaultKind::Deadlock);
    assert!(gone.text.contains("lane 7"), "{gone}");
    let elsewhere = fault(
        "setp.eq.u32 %p1, %r1, 7; @%p1 bra OTHER;\nshfl.sync.idx.b32 %r0, %r1, 0, 31, -1;\nOTHER: bar.sync 0;",
        [1, 32],
        d(),
    );
    assert_eq!(elsewhere.kind, FaultKind::Deadlock);
    assert!(elsewhere.text.contains("waits at PTX line"), "{elsewhere}");
    let unnamed = fault("shfl.sync.idx.b32 %r0, %r1, 0, 31, 1;", [1, 32], d());
    assert_eq!(unnamed.kind, FaultKind::IllegalInstruction);
    let never = fault("vote.sync.ballot.b32 %r0, %p1, -1;", [1, 20], d());
    assert_eq!(never.kind, FaultKind::Deadlock);
}

#[test]
fn races_name_both_threads() {
    let body = "ld.param.u64 %rd1, [p0];\nld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1;\nst.global.u32 [%rd1], %r5; exit;";
    let races = Settings {
        races: true,
        ..Settings::default()
    };
    let fault_text = fault(body, [2, 2], races);
    assert_eq!(fault_text.kind, FaultKind::Race);
    let text = &fault_text.text;
    assert!(
        text.contains("thread") && text.contains("at PTX line") && text.contains("0x7000"),
        "{text}"
    );
    // Luck hides it without the check; chance shows it.
    let counts = |switch| {
        let mut device = Device::default();
        let place = device.words(&[0]);
        let settings = Settings {
            seed: 1,
            switch,
            ..Settings::default()
        };
        let body = body.replace(" exit;", "");
        device
            .launch(&kernel(1, &body), [1, 256], &[place], settings)
            .unwrap();
        device.read(place)[0]
    };
    assert_eq!(counts(None), 256);
    assert!(counts(Some(3)) < 250);
}

#[test]
fn ends_that_are_asked_for() {
    assert_eq!(
        fault("trap;", [1, 1], Settings::default()).kind,
        FaultKind::LaunchFailed
    );
    assert_eq!(
        fault("brkpt;", [1, 1], Settings::default()).kind,
        FaultKind::LaunchFailed
    );
    let limited = Settings {
        instruction_limit: Some(1000),
        ..Settings::default()
    };
    let endless = fault("LOOP: bra LOOP;", [1, 1], limited);
    assert_eq!(endless.kind, FaultKind::Limit);
    assert!(
        endless.text.contains("more than 1000 instructions"),
        "{endless}"
    );
    let waiting = fault(
        ".shared .b32 s; st.shared.u32 [s], 0; LOOP: ld.volatile.shared.u32 %r5, [s]; setp.eq.u32 %p1, %r5, 0; @%p1 bra LOOP;",
        [1, 2],
        limited,
    );
    assert_eq!(waiting.kind, FaultKind::Limit);
    assert_eq!(
        fault("bar.sync 16;", [1, 1], Settings::default()).kind,
        FaultKind::IllegalInstruction
    );
}

fn refused(body: &str) -> Why {
    let text = kernel(1, &format!("\n\n{body}\n"));
    let refusal = Module::parse(&text).expect_err(body);
    assert_eq!(refusal.line, 10, "{refusal}");
    refusal.why
}

#[test]
fn what_is_not_known_is_named() {
    for form in [
        "wgmma.fence.sync.aligned",
        "add.rna.f32 %f0, %f1, %f2",
        "add.f128 %f0, %f1, %f2",
        "mul.s32 %r0, %r1, %r2",
        "div.f32 %f0, %f1, %f2",
        "fma.f32 %f0, %f1, %f2, %f3",
        "cvt.f32.s32 %f0, %r1",
        "cvt.s32.f32 %r0, %f1",
        "cvt.rn.f64.f32 %fd0, %f1",
        "cvt.rna.tf32.f32 %r0, %f1",
        "setp.ltu.s32 %p0, %r1, %r2",
        "ld.global.L3::x.u32 %r0, [%rd1]",
        "ld.global.f16 %rs0, [%rd1]",
        "st.const.u32 [%rd1], %r0",
        "atom.global.sub.u32 %r0, [%rd1], %r1",
        "atom.global.add.f16 %rs0, [%rd1], %rs1",
        "atom.shared::cluster.add.u32 %r0, [%rd1], %r1",
        "shfl.idx.b32 %r0, %r1, 0, 31",
        "vote.ballot.b32 %r0, %p1",
        "cp.async.wait_all",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0}, {%r1}, {%r2}, {%f3}",
    ] {
        let opcode = form.split(' ').next().unwrap();
        assert_eq!(refused(&format!("{form};")), Why::Unknown(opcode.into()));
    }
    assert_eq!(
        refused("mov.u32 %r0, %cluster_ctaid.x;"),
        Why::Unknown("%cluster_ctaid.x".into())
    );
    assert_eq!(refused(".weird 5;"), Why::Unknown(".weird".into()));
}

#[test]
fn what_does_not_fit_is_said() {
    for statement in [
        "add.s32 %r0, %r1;",
        "add.s32 %r0, %r1, %r2, %r3;",
        "add.s32 %rd0, %r1, %r2;",
        "add.s32 %r0, %p1, %r2;",
        "add.f32 %f0, %f1, 1;",
        "mov.u32 %r0, nothing;",
        "mov.u16 %rs0, %r1;",
        "bra NOWHERE;",
        "ld.global.v2.u32 {%r0, %r1, %r2}, [%rd1];",
        "ld.global.u64 %r0, [%rd1];",
        "call nobody;",
        "@%r1 bra NOWHERE;",
    ] {
        assert!(matches!(refused(statement), Why::Syntax(_)), "{statement}");
    }
    for text in ["", ".version 8.0", "nonsense", "/* never", ".version x"] {
        assert!(Module::parse(text).is_err());
    }
    let elsewhere = Module::parse(&format!("{HEAD}.extern .global .b32 x;")).unwrap_err();
    assert_eq!(elsewhere.why, Why::Unknown(".extern".into()));
    assert!(Module::parse(&kernel(0, ".local .b8 stack[600000];")).is_err());
    let long = format!("{HEAD}.visible .entry k() {{ ");
    assert!(Module::parse(&long).is_err());
    let external = format!(
        "{HEAD}.extern .func f (.param .b32 a); .entry k() {{ .param .b32 x; call f, (x); ret; }}"
    );
    let refusal = Module::parse(&external).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "line 4: `call of external function f` is not known"
    );
}

/// As NVIDIA's assembler has it.
#[test]
fn parameters_beyond_what_a_version_takes_are_refused() {
    let of = |version: &str, target: u32, bytes: u32| {
        Module::parse(&format!(
            ".version {version}\n.target sm_{target}\n.address_size 64\n.visible .entry k(.param .b8 a[{bytes}]) {{ ret; }}"
        ))
    };
    assert!(of("7.8", 90, 4352).is_ok());
    assert!(of("8.1", 70, 32_764).is_ok());
    for (version, target, bytes) in [("8.0", 90, 4353), ("8.1", 61, 4353), ("8.4", 90, 32_768)] {
        let refusal = of(version, target, bytes).unwrap_err().to_string();
        assert!(refusal.contains("of parameter space"), "{refusal}");
    }
}

/// No text makes the parser panic.
#[test]
fn broken_texts_are_refused() {
    let text = include_str!("llvm/wide.90.ptx");
    for at in (0..text.len()).step_by(7) {
        let _ = Module::parse(&text[..at]);
        let mut broken = text.to_string();
        broken.replace_range(at..at + 1, ";");
        let _ = Module::parse(&broken);
    }
}
