//! Additions that multipliers do.
//!
//! Processors of the Zen family have two floating-point units that add and two that multiply, alone or with an addition.
//! A loop with many more sums than products leaves half of them idle. `a + b` is `fma(a, 1, b)`, to the last bit: the
//! product is exact, and both round once. So some of the sums of such a loop are written so, as many as make both equally
//! busy. (On Zen 4 a loop of 16 sums and 5 products takes 0.7 of the time.)
//!
//! A fused operation takes a cycle longer than a sum, which costs nothing where the iterations of the loop are independent
//! of each other, since the processor then has several of them in flight. Loops that carry floats from iteration to
//! iteration are left alone.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use crate::backend::llvm::context::Module;

/// How many sums more than products a loop has, for some to be moved.
const LEAST: usize = 4;

/// Moves sums to the multipliers in the loops of a module. It is the last thing done to the module: optimisers that run
/// after it may not see through its operations.
pub fn balance(module: &Module<'_>) {
    for function in module.functions() {
        // SAFETY: the function belongs to the module, which is alive; blocks are neither added nor removed.
        unsafe {
            for block in items(LLVMGetFirstBasicBlock(function), LLVMGetNextBasicBlock) {
                balance_block(module, block);
            }
        }
    }
}

/// The items of one of LLVM's lists.
///
/// # Safety
/// The function goes with the list, and the items are alive while the iterator is used.
unsafe fn items<T>(
    first: *mut T,
    next: unsafe extern "C" fn(*mut T) -> *mut T,
) -> impl Iterator<Item = *mut T> {
    let some = |item: *mut T| (!item.is_null()).then_some(item);
    // SAFETY: as the caller says.
    std::iter::successors(some(first), move |item| some(unsafe { next(*item) }))
}

/// Moves sums of one block, where it is a loop that gains.
///
/// # Safety
/// The block belongs to the module.
unsafe fn balance_block(module: &Module<'_>, block: LLVMBasicBlockRef) {
    // SAFETY: the block is alive; only sums are replaced, after the list of them is made.
    unsafe {
        let Some(before) = entrance(block) else {
            return;
        };
        let (mut sums, mut products) = (Vec::new(), 0);
        for i in items(LLVMGetFirstInstruction(block), LLVMGetNextInstruction) {
            if !is_float_vector(LLVMTypeOf(i)) {
                continue;
            }
            match LLVMGetInstructionOpcode(i) {
                LLVMOpcode::LLVMFAdd | LLVMOpcode::LLVMFSub => sums.push(i),
                // Most calls are fused operations; of others it is not known what they occupy.
                LLVMOpcode::LLVMFMul | LLVMOpcode::LLVMCall => products += 1,
                _ => {}
            }
        }
        if sums.len() < products + LEAST {
            return;
        }
        let (count, moved) = (sums.len(), (sums.len() - products).div_ceil(2));
        let mut one = One { before, made: None };
        for (k, sum) in sums.into_iter().enumerate() {
            // Evenly spread: so many of the first k, and of the first k + 1.
            if k * moved / count != (k + 1) * moved / count {
                one.fuse(module, sum);
            }
        }
    }
}

/// The block before a loop of this block alone whose iterations are independent of each other.
///
/// # Safety
/// The block belongs to a module that is alive.
unsafe fn entrance(block: LLVMBasicBlockRef) -> Option<LLVMBasicBlockRef> {
    let mut before = None;
    let mut repeats = false;
    // SAFETY: as the caller says.
    unsafe {
        for i in items(LLVMGetFirstInstruction(block), LLVMGetNextInstruction) {
            if LLVMGetInstructionOpcode(i) != LLVMOpcode::LLVMPHI {
                break;
            }
            if !matches!(
                LLVMGetTypeKind(LLVMTypeOf(i)),
                LLVMTypeKind::LLVMIntegerTypeKind | LLVMTypeKind::LLVMPointerTypeKind
            ) {
                return None;
            }
            for k in 0..LLVMCountIncoming(i) {
                let from = LLVMGetIncomingBlock(i, k);
                repeats |= from == block;
                if from != block && *before.get_or_insert(from) != from {
                    return None;
                }
            }
        }
    }
    before.filter(|_| repeats)
}

/// Whether it is a vector of floats that the units take.
///
/// # Safety
/// The type is alive.
unsafe fn is_float_vector(ty: LLVMTypeRef) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVectorTypeKind
            && matches!(
                LLVMGetTypeKind(LLVMGetElementType(ty)),
                LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind
            )
    }
}

/// A vector of ones that LLVM knows nothing of, or it would make the fused operations sums again: a volatile load.
struct One {
    /// The block at whose end it is made.
    before: LLVMBasicBlockRef,
    made: Option<(LLVMTypeRef, LLVMValueRef)>,
}

impl One {
    /// The ones of a type.
    ///
    /// # Safety
    /// The type is one that [`is_float_vector`], of the module of the block.
    unsafe fn of(&mut self, module: &Module<'_>, ty: LLVMTypeRef) -> LLVMValueRef {
        if let Some((_, one)) = self.made.filter(|(made, _)| *made == ty) {
            return one;
        }
        // SAFETY: everything belongs to the module; the builder is disposed of.
        unsafe {
            let (element, lanes) = (LLVMGetElementType(ty), LLVMGetVectorSize(ty));
            let global = LLVMAddGlobal(module.raw(), element, c"one".as_ptr());
            LLVMSetInitializer(global, LLVMConstReal(element, 1.0));
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(ty));
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(self.before));
            let number = LLVMBuildLoad2(builder, element, global, c"".as_ptr());
            LLVMSetVolatile(number, 1);
            let index = LLVMInt32TypeInContext(LLVMGetTypeContext(ty));
            let first = LLVMConstInt(index, 0, 0);
            let one =
                LLVMBuildInsertElement(builder, LLVMGetPoison(ty), number, first, c"".as_ptr());
            let everywhere = LLVMConstNull(LLVMVectorType(index, lanes));
            let one =
                LLVMBuildShuffleVector(builder, one, LLVMGetPoison(ty), everywhere, c"".as_ptr());
            LLVMDisposeBuilder(builder);
            self.made = Some((ty, one));
            one
        }
    }

    /// Replaces a sum or a difference by a fused operation.
    ///
    /// # Safety
    /// It belongs to the module, and nothing else holds it.
    unsafe fn fuse(&mut self, module: &Module<'_>, sum: LLVMValueRef) {
        // SAFETY: as the caller says; the builder is disposed of.
        unsafe {
            let mut ty = LLVMTypeOf(sum);
            let one = self.of(module, ty);
            let name = "llvm.fma";
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let fma = LLVMGetIntrinsicDeclaration(module.raw(), id, &mut ty, 1);
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(ty));
            LLVMPositionBuilderBefore(builder, sum);
            let [a, b] = [0, 1].map(|k| LLVMGetOperand(sum, k));
            let [factor, term] = if LLVMGetInstructionOpcode(sum) == LLVMOpcode::LLVMFSub {
                [LLVMBuildFNeg(builder, b, c"".as_ptr()), a]
            } else {
                [a, b]
            };
            let function = LLVMGlobalGetValueType(fma);
            let mut args = [factor, one, term];
            let fused = LLVMBuildCall2(builder, function, fma, args.as_mut_ptr(), 3, c"".as_ptr());
            LLVMDisposeBuilder(builder);
            LLVMReplaceAllUsesWith(sum, fused);
            LLVMInstructionEraseFromParent(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::llvm::context::Context;

    /// A loop over vectors of four, with these instructions from `%v` to `%w`, and this one more at its head.
    fn text(body: &str, head: &str) -> String {
        format!(
            r#"
define void @k(ptr %p, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  {head}
  %at = getelementptr <4 x float>, ptr %p, i64 %i
  %v = load <4 x float>, ptr %at
{body}
  store <4 x float> %w, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
"#
        )
    }

    /// How many sums and differences, and how many fused operations a module has.
    fn count(text: &str) -> (usize, usize) {
        let context = Context::new();
        let module = context.parse(text).unwrap();
        balance(&module);
        let after = module.text();
        context.parse(&after).unwrap();
        let of = |what: &str| after.matches(what).count();
        (
            of(" = fadd ") + of(" = fsub "),
            of("call <4 x float> @llvm.fma.v4f32"),
        )
    }

    const SUMS: &str = "
  %a = fadd <4 x float> %v, %v
  %b = fsub <4 x float> %a, %v
  %c = fadd <4 x float> %b, %a
  %d = fsub <4 x float> %c, %a
  %e = fadd <4 x float> %d, %a
  %f = fadd <4 x float> %e, %d";

    #[test]
    fn half_of_the_sums_are_moved() {
        let body = format!("{SUMS}\n  %w = fadd <4 x float> %f, %d");
        assert_eq!(count(&text(&body, "")), (3, 4));
    }

    #[test]
    fn products_count() {
        let body = format!("{SUMS}\n  %w = fmul <4 x float> %f, %d");
        assert_eq!(count(&text(&body, "")), (3, 3));
        let body = format!(
            "{SUMS}\n%x = fmul <4 x float> %f, %d\n%y = fmul <4 x float> %x, %x\n%w = fmul <4 x float> %x, %y"
        );
        assert_eq!(count(&text(&body, "")), (6, 0));
    }

    #[test]
    fn what_the_next_round_waits_for_is_left_alone() {
        let body = format!("{SUMS}\n  %w = fadd <4 x float> %f, %last");
        let head = "%last = phi <4 x float> [ zeroinitializer, %entry ], [ %w, %loop ]";
        assert_eq!(count(&text(&body, head)), (7, 0));
    }
}
