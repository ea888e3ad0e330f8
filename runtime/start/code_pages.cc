// fork() leaves the page tables of file mappings behind that were never written to: a run takes 23 page faults, 9 % of
// its time, only to find libc's, the loader's and our own code again. A mapping with one page of its own (written to,
// here with the byte that is there already) is copied with all its pages.
#include "runtime/start/code_pages.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/rt.h"
#include "runtime/real/real.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMost = 4 << 20;  // of a program with more code than that, start-up touches too much

void keep_segment(int memory, uint64_t from, uint64_t to) {
  if (from >= to || to - from > kMost) return;
  char byte = *(const volatile char*)from;
  raw_syscall(SYS_pwrite64, memory, &byte, 1, from);  // whatever comes of it: slower at worst
}

bool has(const dl_phdr_info& info, uint64_t address) {
  for (int i = 0; i < info.dlpi_phnum; i++) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - info.dlpi_addr - part.p_vaddr < part.p_memsz) return true;
  }
  return false;
}

// The read-only segments of what every run uses: our own module, libc, the loader.
int keep_module(dl_phdr_info* info, size_t, void* memory) {
  if (!has(*info, (uint64_t)&keep_code_mapped) && !has(*info, (uint64_t)HEDDLE_REAL(pthread_create)) &&
      !has(*info, getauxval(AT_BASE)))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || part.p_flags & PF_W) continue;
    const uint64_t from = info->dlpi_addr + part.p_vaddr;
    keep_segment((int)(long)memory, from & -kPage, (from + part.p_memsz + kPage - 1) & -kPage);
  }
  return 0;
}

}  // namespace

void keep_code_mapped() {
  const long memory = raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0) return;
  dl_iterate_phdr(keep_module, (void*)memory);
  raw_syscall(SYS_close, memory);
}

}  // namespace heddle::rt
