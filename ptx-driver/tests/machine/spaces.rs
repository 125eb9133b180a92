//! Memory in all its spaces, calls, branches by tables, special registers.

use crate::device::{Device, HEAD, REGISTERS, kernel, warp};
use ptx_driver::machine::{Grid, Settings, run};
use ptx_driver::ptx::{Module, Space};

#[test]
fn dynamic_shared_memory_follows_the_variables() {
    let text = format!(
        "{HEAD}.extern .shared .align 16 .b8 dyn[]; .shared .align 4 .b8 fixed[20]; .shared .b32 unused[99];
        .visible .entry k(.param .u64 p0) {{ {REGISTERS} mov.u32 %r1, fixed; mov.u32 %r2, dyn; st.shared.u32 [dyn+60], %r2;
        ld.param.u64 %rd1, [p0]; sub.u32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3; mov.u32 %r4, %dynamic_smem_size;
        st.global.u32 [%rd1+4], %r4; ret; }}"
    );
    assert_eq!(Module::parse(&text).unwrap().kernels[0].shared_bytes, 32);
    let mut device = Device::default();
    let out = device.words(&[0; 2]);
    device
        .launch(&text, [1, 1], &[out], Settings::default())
        .unwrap();
    assert_eq!(device.read(out), [32, 64]);
}

#[test]
fn variables_and_their_addresses() {
    let text = format!(
        "{HEAD}.func (.param .b32 r) f(.param .b32 a); .visible .const .align 4 .b32 c[3] = {{1, 2, -3}}; .global .align 8 .u64 pointers[2] = {{generic(c)+8, f}};
        .global .f32 x = 0f3F800000; .global .b8 zeros[5];
        .func (.param .b32 r) f(.param .b32 a) {{ .reg .b32 %a; ld.param.u32 %a, [a]; add.u32 %a, %a, 5; st.param.b32 [r], %a; ret; }}
        .visible .entry k(.param .u64 p0) {{ {REGISTERS} ld.param.u64 %rd1, [p0]; ld.global.u64 %rd2, [pointers]; ld.const.u32 %r1, [c+4];
        ld.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; ld.global.u64 %rd3, [pointers+8];
        {{ .param .b32 a; .param .b32 r; st.param.b32 [a+0], %r2; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (r), %rd3, (a), proto; ld.param.b32 %r3, [r+0]; }} st.global.u32 [%rd1+8], %r3; ret; }}"
    );
    let module = Module::parse(&text).unwrap();
    let globals = &module.globals;
    assert_eq!(
        (globals[0].space, globals[0].size, globals[0].align),
        (Space::Const, 12, 4)
    );
    assert_eq!(globals[1].links, [(0, 0, 8)]);
    assert_eq!(globals[2].init, 1f32.to_le_bytes());
    assert_eq!(globals[3].init, [0; 5]);
    let mut device = Device::default();
    let out = device.words(&[0; 3]);
    device
        .launch(&text, [1, 1], &[out], Settings::default())
        .unwrap();
    assert_eq!(device.read(out), [2, -3i32 as u32, 2]);
}

#[test]
fn calls() {
    let text = format!(
        "{HEAD}.func (.param .b64 result) fib (.param .b32 n)
        ;
        .func (.param .b64 result) fib (.param .b32 n) {{
            .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
            ld.param.u32 %r1, [n]; cvt.u64.u32 %rd1, %r1; setp.lt.u32 %p1, %r1, 2; @%p1 bra $done;
            {{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b64 retval0; sub.u32 %r2, %r1, 1;
            st.param.b32 [param0+0], %r2; call.uni (retval0), fib, (param0); ld.param.b64 %rd1, [retval0+0]; }}
            {{ .param .b32 param0; .param .b64 retval0; sub.u32 %r2, %r1, 2;
            st.param.b32 [param0+0], %r2; call.uni (retval0), fib, (param0); ld.param.b64 %rd2, [retval0+0]; }}
            add.u64 %rd1, %rd1, %rd2;
            $done: st.param.b64 [result+0], %rd1; ret; }}
        .visible .entry k(.param .u64 p0) .maxntid 8, 2, 1 {{ {REGISTERS} ld.param.u64 %rd1, [p0];
        {{ .param .b32 param0; .param .b64 retval0; st.param.b32 [param0+0], 15; call.uni (retval0), fib, (param0);
        ld.param.b64 %rd2, [retval0+0]; }} st.global.u64 [%rd1], %rd2; ret; }}"
    );
    let mut device = Device::default();
    let out = device.words(&[0; 2]);
    device
        .launch(&text, [1, 1], &[out], Settings::default())
        .unwrap();
    assert_eq!(device.read(out), [610, 0]);
    let kernel = &Module::parse(&text).unwrap().kernels[0];
    assert_eq!(
        (kernel.max_threads, kernel.param_bytes, kernel.name.as_str()),
        (Some(16), 8, "k")
    );
    assert!(kernel.local_bytes >= 24 && kernel.registers > 32);
    let endless = text.replace("setp.lt.u32 %p1, %r1, 2;", "setp.ne.u32 %p1, %r1, %r1;");
    let fault = device
        .launch(&endless, [1, 1], &[out], Settings::default())
        .unwrap_err();
    assert!(
        fault.text.contains("too deep") && fault.text.contains("in fib"),
        "{fault}"
    );
}

#[test]
fn branches_by_tables() {
    let body = "targets: .branchtargets L0, L1, L2; mov.u32 %r0, 9; rem.u32 %r5, %r1, 3; brx.idx %r5, targets;
        L0: mov.u32 %r0, 10; bra END; L1: mov.u32 %r0, 11; bra.uni END; L2: mov.u32 %r0, 12; END:";
    let words = warp(body, [1, 6], Settings::default()).unwrap();
    assert_eq!(words, [10, 11, 12, 10, 11, 12]);
    let beyond = body.replace("rem.u32 %r5, %r1, 3", "mov.u32 %r5, 3");
    assert!(warp(&beyond, [1, 1], Settings::default()).is_err());
}

#[test]
fn special_registers_in_three_dimensions() {
    let names = ["tid", "ntid", "ctaid", "nctaid"];
    let mut body = String::from(
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.z; setp.ne.u32 %p1, %r1, 1; @%p1 exit; mov.u32 %r1, %ctaid.y; setp.ne.u32 %p1, %r1, 2; @%p1 exit; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 1; @%p1 exit;\n",
    );
    for (k, name) in names.iter().enumerate() {
        for (a, axis) in ["x", "y", "z"].iter().enumerate() {
            body += &format!(
                "mov.u32 %r2, %{name}.{axis}; st.global.u32 [%rd1+{}], %r2;\n",
                k * 12 + a * 4
            );
        }
    }
    body += "mov.u32 %r2, %laneid; st.global.u32 [%rd1+48], %r2; mov.u32 %r2, %warpid; st.global.u32 [%rd1+52], %r2;
        mov.u64 %rd3, %clock64; mov.u32 %r3, %clock; mov.u64 %rd4, %globaltimer; mov.u32 %r3, %nsmid; mov.u32 %r4, %smid; nanosleep.u32 20;";
    let mut device = Device::default();
    let out = device.words(&[0; 14]);
    let module = Module::parse(&kernel(1, &body)).unwrap();
    let grid = Grid {
        grid: [1, 3, 1],
        block: [2, 1, 2],
        dynamic_shared: 0,
    };
    run(
        &module,
        0,
        &[],
        &grid,
        &out.to_le_bytes(),
        &device,
        &Settings::default(),
    )
    .unwrap();
    assert_eq!(device.read(out), [1, 0, 1, 2, 1, 2, 0, 2, 0, 1, 3, 1, 3, 0]);
}

#[test]
fn parameters_are_placed_by_their_alignment() {
    let text = format!(
        "{HEAD}.entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u16 c, .param .u64 .ptr .global .align 4 d) {{ ret; }}"
    );
    let module = Module::parse(&text).unwrap();
    let places: Vec<_> = module.kernels[0]
        .params
        .iter()
        .map(|p| (p.offset, p.size, p.align))
        .collect();
    assert_eq!(places, [(0, 1, 1), (8, 12, 8), (20, 2, 2), (24, 8, 8)]);
    assert_eq!(module.kernels[0].param_bytes, 32);
    assert_eq!((module.version, module.target), ((8, 0), 90));
}

#[test]
fn failed_assertions_say_what_failed() {
    let text = format!(
        "{HEAD}.global .b8 message[4] = {{120, 62, 48}}; .global .b8 file[3] = {{102, 46}}; .global .b8 name[2] = {{107}};
        .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
        .entry k(.param .u64 p0) {{ {REGISTERS} {{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
        mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1; mov.u64 %rd1, file; st.param.b64 [b], %rd1;
        st.param.b32 [c], 12; mov.u64 %rd1, name; st.param.b64 [d], %rd1; st.param.b64 [e], 1;
        call.uni __assertfail, (a, b, c, d, e); }} ret; }}"
    );
    let fault = Device::default()
        .launch(&text, [1, 1], &[0], Settings::default())
        .unwrap_err();
    assert_eq!(fault.kind, ptx_driver::machine::FaultKind::Assert);
    assert!(
        fault
            .text
            .starts_with("assertion `x>0` failed at f.:12 in k"),
        "{fault}"
    );
}
