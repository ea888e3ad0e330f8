// The clean module rides along: framed, not loaded, concatenated, readable, before any hook.
// RUN: %c++ -g -O2 -I%inputs %s %inputs/other.cc -o %t && %frames %t | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -fuse-ld=lld -Wl,--gc-sections %s %inputs/other.cc -o %t && %frames %t | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -flto -fuse-ld=lld -Wl,--gc-sections %s %inputs/other.cc -o %t && %frames %t | FileCheck %s
// RUN: strip %t && rm -rf %t.d && mkdir %t.d && %frames %t %t.d | FileCheck %s
// RUN: llvm-dis %t.d/0.bc -o - | FileCheck %s --check-prefix=IR
// RUN: opt -passes=verify -disable-output %t.d/1.bc && llvm-link %t.d/0.bc %t.d/1.bc -o %t.d/all.bc
// RUN: readelf -SW %t | grep llvmcmd | grep -v " A "
// GNU ar and nm must not take our objects for bitcode, even with LLVM's plugin installed.
// RUN: %c++ -g -O2 -I%inputs -c %inputs/other.cc -o %t.o && rm -f %t.a && ar rcs %t.a %t.o && nm -s %t.a | grep "_Z5otherv in"
// RUN: %c++ -g -I%inputs %s %t.a -o %t && %off %t
// CHECK: frame 0 instructions {{[1-9]}}
// CHECK: frame 1 instructions {{[1-9]}}
// IR-NOT: __heddle
// IR: define {{.*}} @main
// IR-NOT: __heddle
#include "inline.h"
int main() { return other() - 41; }
