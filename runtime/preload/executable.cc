// Rules of this file: runs before any constructor; the loaded modules are looked at, never called.
#include "runtime/preload/executable.h"

#include <link.h>
#include <sys/syscall.h>

#include "runtime/rt.h"

namespace heddle::rt {
namespace {

bool same(const char* a, const char* b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

bool starts_with(const char* text, const char* start) {
  while (*start && *text == *start) text++, start++;
  return !*start;
}

bool makes_threads(const char* symbol) {
  return same(symbol, "pthread_create") || same(symbol, "thrd_create") ||
         starts_with(symbol, "_ZNSt6thread15_M_start_thread");  // std::thread's, in libstdc++
}

// Libraries that could make threads for others, and that nearly every program has.
bool is_common(const char* path) {
  const char* name = path;
  for (const char* c = path; *c; c++)
    if (*c == '/') name = c + 1;
  static constexpr const char* kCommon[] = {"libc.so",  "libstdc++",  "ld-linux", "libheddle",
                                            "libgcc_s", "libpthread", "libc++",   "linux-vdso"};
  for (const char* common : kCommon)
    if (starts_with(name, common)) return true;
  return false;
}

// Every function that a module uses of another one has a relocation, whatever hash table it has.
bool relocations_ask(const Elf64_Rela* first, uint64_t bytes, const Elf64_Sym* symbols, const char* strings) {
  for (uint64_t i = 0; i < bytes / sizeof *first; i++) {
    const Elf64_Sym& symbol = symbols[ELF64_R_SYM(first[i].r_info)];
    if (symbol.st_shndx == SHN_UNDEF && makes_threads(strings + symbol.st_name)) return true;
  }
  return false;
}

bool asks_for_threads(const link_map& module) {
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const Elf64_Rela *calls = nullptr, *data = nullptr;
  uint64_t call_bytes = 0, data_bytes = 0;
  for (const Elf64_Dyn* d = module.l_ld; d->d_tag != DT_NULL; d++) {  // glibc has made addresses of offsets
    if (d->d_tag == DT_SYMTAB) symbols = (const Elf64_Sym*)d->d_un.d_ptr;
    if (d->d_tag == DT_STRTAB) strings = (const char*)d->d_un.d_ptr;
    if (d->d_tag == DT_JMPREL) calls = (const Elf64_Rela*)d->d_un.d_ptr;
    if (d->d_tag == DT_PLTRELSZ) call_bytes = d->d_un.d_val;
    if (d->d_tag == DT_RELA) data = (const Elf64_Rela*)d->d_un.d_ptr;
    if (d->d_tag == DT_RELASZ) data_bytes = d->d_un.d_val;
  }
  if (!symbols || !strings) return false;
  return (calls && relocations_ask(calls, call_bytes, symbols, strings)) ||
         (data && relocations_ask(data, data_bytes, symbols, strings));
}

bool in_system_folder(const char* path) {
  static constexpr const char* kFolders[] = {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/lib", "/lib"};
  for (const char* folder : kFolders)
    if (starts_with(path, folder)) return true;
  return false;
}

struct Path {
  char text[4096];
};
Path executable_path() {
  Path path = {};
  raw_syscall(SYS_readlink, "/proc/self/exe", path.text, sizeof path.text - 1);
  return path;
}

}  // namespace

bool runs_executable(const char* path) { return same(executable_path().text, path); }

bool can_make_threads() {
  const bool of_the_system = in_system_folder(executable_path().text);
  for (const link_map* module = _r_debug.r_map; module; module = module->l_next) {
    if (of_the_system && in_system_folder(module->l_name)) continue;
    if (!is_common(module->l_name) && asks_for_threads(*module)) return true;
  }
  return false;
}

}  // namespace heddle::rt
