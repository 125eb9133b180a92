target triple = "nvptx64-nvidia-cuda"
@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@text = private unnamed_addr constant [4 x i8] c"abc\00"
@ptrs = internal addrspace(1) global [2 x ptr] [ptr @helper, ptr @text]
@sh = internal addrspace(3) global [64 x float] undef, align 16
@dyn = external addrspace(3) global [0 x float], align 16
define internal float @helper(float %x, i64 %n, {i32, double} %s) noinline {
  %d = extractvalue {i32, double} %s, 1
  %f = fptrunc double %d to float
  %y = fadd float %x, %f
  %m = sitofp i64 %n to float
  %z = fmul float %y, %m
  ret float %z
}
define internal { i32, i64 } @two(ptr byval([24 x i8]) align 8 %p) noinline {
  %a = load i32, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %b = load i64, ptr %q
  %r = insertvalue {i32, i64} undef, i32 %a, 0
  %s = insertvalue {i32, i64} %r, i64 %b, 1
  ret {i32, i64} %s
}
define void @k(ptr byval([24 x i8]) align 8 %args, ptr addrspace(1) %out, i32 %n, double %x, half %h, i8 %c) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call {i32, i64} @two(ptr byval([24 x i8]) align 8 %args)
  %a = extractvalue {i32, i64} %r, 0
  %b = extractvalue {i32, i64} %r, 1
  %s0 = insertvalue {i32, double} undef, i32 %a, 0
  %s1 = insertvalue {i32, double} %s0, double %x, 1
  %fp = load ptr, ptr addrspace(1) @ptrs
  %v = call float %fp(float 1.5, i64 %b, {i32, double} %s1)
  %w = call float @helper(float 2.5, i64 %b, {i32, double} %s1)
  %vw = fadd float %v, %w
  %cell = getelementptr float, ptr addrspace(3) @sh, i32 %tid
  store float %vw, ptr addrspace(3) %cell
  %cell2 = getelementptr float, ptr addrspace(3) @dyn, i32 %tid
  store float %vw, ptr addrspace(3) %cell2
  call void @llvm.nvvm.barrier0()
  %neigh = xor i32 %tid, 1
  %cell3 = getelementptr float, ptr addrspace(3) @sh, i32 %neigh
  %u = load float, ptr addrspace(3) %cell3
  switch i32 %n, label %other [ i32 0, label %l0
   i32 1, label %l1
   i32 2, label %l2
   i32 3, label %l3
   i32 4, label %l4 ]
l0: 
  %t0 = call float @llvm.sqrt.f32(float %u)
  br label %done
l1:
  %t1 = call float @llvm.nvvm.ex2.approx.f(float %u)
  br label %done
l2:
  %t2 = fdiv float 1.0, %u
  br label %done
l3:
  %t3 = call float @llvm.minnum.f32(float %u, float 3.0)
  br label %done
l4:
  %t4 = call float @llvm.fma.f32(float %u, float 3.0, float %u)
  br label %done
other:
  call void @llvm.trap()
  unreachable
done:
  %t = phi float [%t0, %l0], [%t1, %l1], [%t2, %l2], [%t3, %l3], [%t4, %l4]
  %p = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %t, ptr addrspace(1) %p
  %old = atomicrmw fadd ptr addrspace(1) %out, float %t monotonic
  %old2 = atomicrmw add ptr addrspace(1) %out, i32 1 seq_cst
  %o3 = atomicrmw fadd ptr addrspace(1) %out, double %x monotonic, align 8
  %cx = cmpxchg ptr addrspace(1) %out, i32 %old2, i32 7 acq_rel monotonic
  %hx = fadd half %h, %h
  %hp = getelementptr half, ptr addrspace(1) %out, i64 9
  store half %hx, ptr addrspace(1) %hp
  %cc = mul i8 %c, %c
  %cd = udiv i8 %cc, 3
  %ce = sext i8 %cd to i16
  %cf = ashr i16 %ce, 2
  %cp = getelementptr i16, ptr addrspace(1) %out, i64 12
  store i16 %cf, ptr addrspace(1) %cp
  %i128 = sext i64 %b to i128
  %j = mul i128 %i128, %i128
  %k = lshr i128 %j, 60
  %l = add i128 %k, %j
  %lp = getelementptr i128, ptr addrspace(1) %out, i64 2
  store i128 %l, ptr addrspace(1) %lp
  %nm = and i32 %neigh, 3
  %cv = getelementptr i32, ptr addrspace(4) @table, i32 %nm
  %cl = load i32, ptr addrspace(4) %cv
  %rev = call i32 @llvm.bitreverse.i32(i32 %cl)
  %pop = call i32 @llvm.ctpop.i32(i32 %rev)
  %ctl = call i64 @llvm.ctlz.i64(i64 %b, i1 false)
  %ct32 = trunc i64 %ctl to i32
  %fsh = call i32 @llvm.fshl.i32(i32 %pop, i32 %ct32, i32 %n)
  %bs = call i32 @llvm.bswap.i32(i32 %fsh)
  %sat = call i32 @llvm.fptosi.sat.i32.f32(float %t)
  %fin = add i32 %bs, %sat
  %fx = sitofp i32 %fin to double
  %rem = frem double %fx, 3.5
  %fl = call double @llvm.floor.f64(double %rem)
  %cps = call double @llvm.copysign.f64(double %fl, double %x)
  %ui = fptoui double %cps to i64
  %bal = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  %sh = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %bal, i32 1, i32 31)
  %sh64 = zext i32 %sh to i64
  %res = add i64 %ui, %sh64
  %rp = getelementptr i64, ptr addrspace(1) %out, i64 8
  store i64 %res, ptr addrspace(1) %rp
  %vec = load <4 x float>, ptr addrspace(1) %out, align 16
  %v2 = fmul <4 x float> %vec, %vec
  store <4 x float> %v2, ptr addrspace(1) %out, align 16
  %hv = load <2 x half>, ptr addrspace(1) %out
  %hv2 = fmul <2 x half> %hv, %hv
  store <2 x half> %hv2, ptr addrspace(1) %out
  %bv = load bfloat, ptr addrspace(1) %out
  %bv2 = fmul bfloat %bv, %bv
  store bfloat %bv2, ptr addrspace(1) %out
  call void @llvm.nvvm.membar.gl()
  ret void
}
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare float @llvm.nvvm.ex2.approx.f(float)
declare void @llvm.trap()
declare void @llvm.nvvm.membar.gl()
declare float @llvm.sqrt.f32(float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.fma.f32(float,float,float)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i32 @llvm.fshl.i32(i32,i32,i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare double @llvm.floor.f64(double)
declare double @llvm.copysign.f64(double,double)
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"maxntidx", i32 128}
