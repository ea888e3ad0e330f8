; Masked vector accesses: one range per lane, of length 0 where the mask is off.
; RUN: %opt -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
; CHECK-LABEL: define internal <2 x i32> @f.heddle(
; CHECK: %[[A:.*]] = getelementptr i32, ptr %p, i64 0
; CHECK: %[[M:.*]] = extractelement <2 x i1> %m, i64 0
; CHECK: %[[L:.*]] = select i1 %[[M]], i64 4, i64 0
; CHECK: call void @__heddle_read_range(ptr %[[A]], i64 %[[L]], ptr getelementptr inbounds ({{.*}} @__heddle_sites, i32 0, i32 1)
; CHECK: call void @__heddle_read_range(
; CHECK: call <2 x i32> @llvm.masked.load
; CHECK: call void @__heddle_write_range(
; CHECK: call void @__heddle_write_range(
; CHECK: call void @llvm.masked.scatter
; CHECK: call void @__heddle_read16(ptr %p
define <2 x i32> @f(ptr %p, <2 x i1> %m, <2 x ptr> %q) {
  %x = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %m, <2 x i32> zeroinitializer)
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> %x, <2 x ptr> %q, i32 4, <2 x i1> %m)
  %y = load <4 x i32>, ptr %p
  ret <2 x i32> %x
}
declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, i32, <2 x i1>)
