//! Every register is as before, whatever the function proper does with it.

/// What x0 to x15 hold, then the vectors.
#[repr(C, align(16))]
#[derive(Clone, PartialEq, Debug)]
struct Image {
    integers: [u64; 16],
    vectors: [[u64; 2]; 32],
}

impl Image {
    /// Each word another one.
    fn new() -> Image {
        let word = |k: usize| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Image {
            integers: std::array::from_fn(word),
            vectors: std::array::from_fn(|k| [word(100 + 2 * k), word(101 + 2 * k)]),
        }
    }
}

/// Changes every register that a call may change, and memory far below its frame.
extern "C" fn wreck() {
    let mut below = [0x55u8; 4096];
    std::hint::black_box(&mut below);
    // SAFETY: what changes is named. The lower halves of v8 to v15 are a function's own to keep: only their upper halves change.
    unsafe {
        std::arch::asm!(
            ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\nmov x\\i, 7\n.endr",
            ".irp i,0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\nmovi v\\i\\().2d, 0\n.endr",
            ".irp i,8,9,10,11,12,13,14,15\nmov v\\i\\().d[1], xzr\n.endr",
            clobber_abi("C"),
        );
    }
}

/// Calls `at` with the registers of `before`, and says what they are afterwards.
#[unsafe(naked)]
unsafe extern "C" fn look(at: usize, before: *const Image, after: *mut Image) {
    core::arch::naked_asm!(
        "stp x29, x30, [sp, -112]!",
        "stp x19, x20, [sp, 16]",
        "stp d8, d9, [sp, 32]",
        "stp d10, d11, [sp, 48]",
        "stp d12, d13, [sp, 64]",
        "stp d14, d15, [sp, 80]",
        "mov x29, sp",
        "mov x16, x0",
        "mov x19, x1",
        "mov x20, x2",
        ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nldr x\\i, [x19, 8*\\i]\n.endr",
        ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
         ldr q\\i, [x19, 128 + 16*\\i]\n.endr",
        "blr x16",
        ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nstr x\\i, [x20, 8*\\i]\n.endr",
        ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
         str q\\i, [x20, 128 + 16*\\i]\n.endr",
        "ldp x19, x20, [sp, 16]",
        "ldp d8, d9, [sp, 32]",
        "ldp d10, d11, [sp, 48]",
        "ldp d12, d13, [sp, 64]",
        "ldp d14, d15, [sp, 80]",
        "ldp x29, x30, [sp], 112",
        "ret",
    )
}

#[test]
fn every_register_is_as_before() {
    let before = Image::new();
    let blank = Image {
        integers: [1; 16],
        vectors: [[1; 2]; 32],
    };
    let mut after = blank.clone();
    // SAFETY: the function takes no arguments, and both images are alive.
    unsafe { look(preserving!(Registers::Neon, wreck), &before, &mut after) };
    assert_eq!(after, before);
    // The function itself leaves next to nothing as it was.
    let mut after = blank;
    // SAFETY: as above.
    unsafe { look(wreck as *const () as usize, &before, &mut after) };
    assert!((0..16).all(|k| after.integers[k] != before.integers[k]));
    assert!((0..32).all(|k| after.vectors[k] != before.vectors[k]));
}
