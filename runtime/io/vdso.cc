// As rr does: the entry points are overwritten by   mov $number, %eax; syscall; ret
#include "runtime/io/vdso.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/rt.h"

namespace heddle::rt {
namespace {

struct Entry {
  const char* name;
  uint32_t number;
};
constexpr Entry entries[] = {{"__vdso_clock_gettime", SYS_clock_gettime},
                             {"__vdso_gettimeofday", SYS_gettimeofday},
                             {"__vdso_time", SYS_time},
                             {"__vdso_getcpu", SYS_getcpu},
                             {"__vdso_getrandom", 0}};

bool same(const char* a, const char* b) {
  for (; *a && *a == *b; a++) b++;
  return *a == *b;
}

struct Image {
  uint64_t bias = 0, end = 0;
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  uint32_t count = 0;
};

uint32_t symbols_in_gnu_hash(const uint32_t* h) {
  const uint32_t buckets = h[0], first = h[1], bloom = h[2];
  const uint32_t* bucket = h + 4 + bloom * 2;
  const uint32_t* chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; i++)
    if (bucket[i] > last) last = bucket[i];
  if (last < first) return first;
  while (!(chain[last - first] & 1)) last++;
  return last + 1;
}

Image parse(const char* base) {
  Image image;
  const Elf64_Ehdr* header = reinterpret_cast<const Elf64_Ehdr*>(base);
  const Elf64_Phdr* programs = reinterpret_cast<const Elf64_Phdr*>(base + header->e_phoff);
  const Elf64_Dyn* dynamic = nullptr;
  for (int i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr& p = programs[i];
    if (p.p_type == PT_LOAD)
      image.bias = (uint64_t)base + p.p_offset - p.p_vaddr, image.end = (uint64_t)base + p.p_memsz;
    if (p.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(base + p.p_offset);
  }
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    uint64_t at = image.bias + dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_SYMTAB) image.symbols = (const Elf64_Sym*)at;
    if (dynamic->d_tag == DT_STRTAB) image.strings = (const char*)at;
    if (dynamic->d_tag == DT_HASH) image.count = ((const uint32_t*)at)[1];
    if (dynamic->d_tag == DT_GNU_HASH && !image.count) image.count = symbols_in_gnu_hash((const uint32_t*)at);
  }
  return image;
}

void write_call(uint64_t at, uint32_t number) {
  unsigned char code[] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3};
  __builtin_memcpy(code + 1, &number, sizeof number);
  // getrandom keeps its state in the process: "not supported" makes libc use the system call.
  static constexpr unsigned char unsupported[] = {0x48, 0xc7, 0xc0, 0xda,
                                                  0xff, 0xff, 0xff, 0xc3};  // mov $-38, %rax; ret
  __builtin_memcpy((void*)at, number ? code : unsupported, sizeof code);
}

}  // namespace

bool vdso_patch() {
  const char* base = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (!base) return false;
  Image image = parse(base);
  if (!image.symbols || !image.strings) return false;
  uint64_t bytes = (image.end - (uint64_t)base + 4095) & ~4095ull;
  if (raw_syscall(SYS_mprotect, base, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  for (uint32_t i = 0; i < image.count; i++)
    for (const Entry& e : entries)
      if (same(image.strings + image.symbols[i].st_name, e.name))
        write_call(image.bias + image.symbols[i].st_value, e.number);
  raw_syscall(SYS_mprotect, base, bytes, PROT_READ | PROT_EXEC);
  return true;
}

}  // namespace heddle::rt
