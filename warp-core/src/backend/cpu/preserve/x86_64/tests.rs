//! Every register is as before, whatever the function proper does with it.

use super::Registers;

/// What registers hold, in the order rax, rcx, rdx, rbx, rbp, rsi, rdi, r8 to r15; then vectors of 64 bytes, and masks.
#[repr(C, align(64))]
#[derive(Clone, PartialEq, Debug)]
struct Image {
    integers: [u64; 16],
    vectors: [[u64; 8]; 32],
    masks: [u64; 8],
}

impl Image {
    /// Each word another one. The masks of processors without them stay zero.
    fn new(registers: Registers) -> Image {
        let word = |k: usize| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut image = Image {
            integers: std::array::from_fn(word),
            vectors: [[0; 8]; 32],
            masks: [0; 8],
        };
        let (count, words) = match registers {
            Registers::Sse => (16, 2),
            Registers::Avx => (16, 4),
            Registers::Avx512 => (32, 8),
        };
        for (k, vector) in image.vectors.iter_mut().take(count).enumerate() {
            for (i, at) in vector.iter_mut().take(words).enumerate() {
                *at = word(100 + 8 * k + i);
            }
        }
        if registers == Registers::Avx512 {
            image.masks = std::array::from_fn(|k| word(1000 + k));
        }
        image.integers[15] = 0;
        image
    }
}

/// Changes every register that a call may change, and memory far below its frame.
extern "C" fn wreck() {
    let mut below = [0x55u8; 4096];
    std::hint::black_box(&mut below);
    // SAFETY: what changes is named.
    unsafe {
        std::arch::asm!("nop", out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _, out("r8") _, out("r9") _,
            out("r10") _, out("r11") _);
        std::arch::asm!(
            "mov eax, 7", "mov ecx, eax", "mov edx, eax", "mov esi, eax", "mov edi, eax", "mov r8d, eax", "mov r9d, eax",
            "mov r10d, eax", "mov r11d, eax",
            ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\npcmpeqd xmm\\i, xmm\\i\n.endr",
            out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _, out("r8") _, out("r9") _, out("r10") _,
            out("r11") _, out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
            out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _,
            out("xmm13") _, out("xmm14") _, out("xmm15") _,
        );
        if is_x86_feature_detected!("avx") {
            std::arch::asm!("vzeroall", out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _,
                out("ymm5") _, out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _);
        }
        if is_x86_feature_detected!("avx512bw") {
            std::arch::asm!(
                ".irp i,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\nvpxorq zmm\\i, zmm\\i, zmm\\i\n.endr",
                ".irp i,0,1,2,3,4,5,6,7\nkxorq k\\i, k\\i, k\\i\n.endr",
                clobber_abi("C"),
            );
        }
    }
}

/// Calls `at` with the registers of `before`, `down` bytes further down the stack, and says what they are afterwards.
macro_rules! look {
    ($name:ident, $load:literal, $store:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(
            at: usize,
            before: *const Image,
            after: *mut Image,
            down: usize,
        ) {
            core::arch::naked_asm!(
                "push rbx",
                "push rbp",
                "push r12",
                "push r13",
                "push r14",
                "push r15",
                // A frame of 64 bytes whose end is aligned to 16: where to come back to, what to call, where to write.
                "mov rax, rsp",
                "sub rsp, 72",
                "and rsp, -64",
                "sub rsp, rcx",
                "sub rsp, 64",
                "mov [rsp], rdi",
                "mov [rsp + 8], rdx",
                "mov [rsp + 16], rax",
                "mov r15, rsi",
                $load,
                "mov rax, [r15]",
                "mov rcx, [r15 + 8]",
                "mov rdx, [r15 + 16]",
                "mov rbx, [r15 + 24]",
                "mov rbp, [r15 + 32]",
                "mov rsi, [r15 + 40]",
                "mov rdi, [r15 + 48]",
                "mov r8, [r15 + 56]",
                "mov r9, [r15 + 64]",
                "mov r10, [r15 + 72]",
                "mov r11, [r15 + 80]",
                "mov r12, [r15 + 88]",
                "mov r13, [r15 + 96]",
                "mov r14, [r15 + 104]",
                "mov r15, [r15 + 112]",
                "call [rsp]",
                "mov [rsp + 24], r15",
                "mov r15, [rsp + 8]",
                $store,
                "mov [r15], rax",
                "mov [r15 + 8], rcx",
                "mov [r15 + 16], rdx",
                "mov [r15 + 24], rbx",
                "mov [r15 + 32], rbp",
                "mov [r15 + 40], rsi",
                "mov [r15 + 48], rdi",
                "mov [r15 + 56], r8",
                "mov [r15 + 64], r9",
                "mov [r15 + 72], r10",
                "mov [r15 + 80], r11",
                "mov [r15 + 88], r12",
                "mov [r15 + 96], r13",
                "mov [r15 + 104], r14",
                "mov rax, [rsp + 24]",
                "mov [r15 + 112], rax",
                "mov rsp, [rsp + 16]",
                "cld",
                "pop r15",
                "pop r14",
                "pop r13",
                "pop r12",
                "pop rbp",
                "pop rbx",
                "ret",
            )
        }
    };
}

look!(
    look_sse,
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups xmm\\i, [r15 + 128 + 64*\\i]\n.endr",
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups [r15 + 128 + 64*\\i], xmm\\i\n.endr"
);
look!(
    look_avx,
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovups ymm\\i, [r15 + 128 + 64*\\i]\n.endr",
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovups [r15 + 128 + 64*\\i], ymm\\i\n.endr\nvzeroupper"
);
look!(
    look_avx512,
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
     vmovups zmm\\i, [r15 + 128 + 64*\\i]\n.endr\n\
     .irp i,0,1,2,3,4,5,6,7\nkmovq k\\i, [r15 + 2176 + 8*\\i]\n.endr",
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
     vmovups [r15 + 128 + 64*\\i], zmm\\i\n.endr\n\
     .irp i,0,1,2,3,4,5,6,7\nkmovq [r15 + 2176 + 8*\\i], k\\i\n.endr\nvzeroupper"
);

#[test]
fn every_register_is_as_before() {
    let mut all = vec![Registers::Sse];
    if is_x86_feature_detected!("avx") {
        all.push(Registers::Avx);
    }
    if is_x86_feature_detected!("avx512bw") {
        all.push(Registers::Avx512);
    }
    for registers in all {
        let at = preserving!(registers, wreck);
        let before = Image::new(registers);
        for down in [0, 16, 32, 48] {
            let mut after = before.clone();
            after.integers.fill(1);
            after.vectors.iter_mut().for_each(|v| v.fill(1));
            // What is not stored stays as it is.
            let mut wanted = before.clone();
            for (k, (want, got)) in wanted.vectors.iter_mut().zip(&after.vectors).enumerate() {
                let words = match registers {
                    Registers::Sse if k < 16 => 2,
                    Registers::Avx if k < 16 => 4,
                    Registers::Avx512 => 8,
                    _ => 0,
                };
                want[words..].copy_from_slice(&got[words..]);
            }
            wanted.integers[15] = 1;
            // SAFETY: the function takes no arguments, and both images are alive.
            unsafe {
                match registers {
                    Registers::Sse => look_sse(at, &before, &mut after, down),
                    Registers::Avx => look_avx(at, &before, &mut after, down),
                    Registers::Avx512 => look_avx512(at, &before, &mut after, down),
                }
            }
            assert_eq!(after, wanted, "{registers:?}, {down} bytes down");
        }
        // The function itself leaves next to nothing as it was.
        let mut after = before.clone();
        // SAFETY: as above.
        unsafe {
            match registers {
                Registers::Sse => look_sse(wreck as *const () as usize, &before, &mut after, 0),
                Registers::Avx => look_avx(wreck as *const () as usize, &before, &mut after, 0),
                Registers::Avx512 => {
                    look_avx512(wreck as *const () as usize, &before, &mut after, 0)
                }
            }
        }
        let count = if registers == Registers::Avx512 {
            32
        } else {
            16
        };
        assert!((0..count).all(|k| after.vectors[k] != before.vectors[k]));
        for scratch in [0, 1, 2, 5, 6, 7, 8, 9, 10] {
            assert_ne!(after.integers[scratch], before.integers[scratch]);
        }
        if registers == Registers::Avx512 {
            assert!((0..8).all(|k| after.masks[k] != before.masks[k]));
        }
    }
}
