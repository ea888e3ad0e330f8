// A library refers to the hooks weakly: it links with -z defs, runs in a plain host, and is registered in a hooked one.
// RUN: %cc -g -O2 -fPIC -shared -Wl,-z,defs -Wl,-z,text -DLIBRARY %s -o %t.so
// RUN: %cc -g -O2 -fPIC -shared -Wl,-z,defs -Wl,-z,text -fuse-ld=lld -DLIBRARY %s -o %t.lld.so
// RUN: clang %s -DHOST=\"%t.so\" -o %t.host && %t.host 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: clang %s -DHOST=\"%t.lld.so\" -o %t.host && %t.host 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %cc %s -DHOST=\"%t.so\" -o %t.hooked && %t.hooked 2>&1 | FileCheck %s
// RUN: %cc %s -DHOST=\"%t.lld.so\" -no-pie -fno-pic -o %t.hooked && %t.hooked 2>&1 | FileCheck %s
// RUN: readelf -d %t.so | FileCheck %s --check-prefix=DYNAMIC
// RUN: readelf -SW %t.so | FileCheck %s --check-prefix=SECTIONS
// DYNAMIC-NOT: TEXTREL
// SECTIONS-DAG: heddle_sites {{.*}} WA
// SECTIONS-DAG: .note.gnu.build-id
// SECTIONS-DAG: .llvmcmd {{ *}}PROGBITS {{ *}}0000000000000000
// PLAIN-NOT: hook
// PLAIN: value 1
// CHECK: module 1
// CHECK: module 2
// CHECK: hook WRITE {{.*}} library [state]
// CHECK: value 1
#ifdef LIBRARY
int state;
int library(void) { return ++state; }
#else
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void* handle = dlopen(HOST, RTLD_NOW);
  if (!handle) return puts(dlerror()), 1;
  int (*library)(void) = (int (*)(void))dlsym(handle, "library");
  fprintf(stderr, "value %d\n", library());
}
#endif
