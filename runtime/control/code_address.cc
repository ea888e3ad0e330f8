// Rules of this file: called at any point, also while another thread is inside the dynamic linker: _dl_find_object()
// only, which takes no lock.
#include "runtime/control/code_address.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "runtime/table.h"

extern "C" {
extern const char program_main[] __asm__("main") __attribute__((weak));
}

namespace heddle::rt {
namespace {

struct Module {
  uint64_t start, end;
  uint64_t origin;  // offsets count from here
  uint64_t identity;
};
Module last;  // mostly the same again

uint64_t hash_bytes(const void* bytes, uint64_t count, uint64_t h) {
  for (uint64_t i = 0; i < count; i++) h = mix_bits(h ^ static_cast<const uint8_t*>(bytes)[i]);
  return h;
}

// 0: none. A note: sizes of name and description, type, name, description, both padded to 4 bytes.
uint64_t hash_of_build_id(uint64_t at, uint64_t bytes) {
  const uint64_t end = at + bytes;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
    const uint64_t name = at + sizeof note, text = name + ((note.n_namesz + 3) & ~3ull);
    if (note.n_type == NT_GNU_BUILD_ID && text + note.n_descsz <= end)
      return hash_bytes(reinterpret_cast<const void*>(text), note.n_descsz, 1);
    at = text + ((note.n_descsz + 3) & ~3ull);
  }
  return 0;
}

uint64_t identity_of(const dl_find_object& found) {
  const link_map& map = *found.dlfo_link_map;
  // The executable: its build-id depends on the folder where it was built, and strategies order what they aim at by
  // these numbers. Equal source, equal seed, equal hunt.
  if (!map.l_name[0]) return 3;
  // Where the linker mapped a file its first page is its header; the kernel does the same for the executable.
  const auto& header = *static_cast<const ElfW(Ehdr)*>(found.dlfo_map_start);
  if (!__builtin_memcmp(header.e_ident, ELFMAG, SELFMAG)) {
    auto* parts = reinterpret_cast<const ElfW(Phdr)*>(static_cast<const char*>(found.dlfo_map_start) + header.e_phoff);
    for (unsigned i = 0; i < header.e_phnum; i++)
      if (uint64_t h =
              parts[i].p_type == PT_NOTE ? hash_of_build_id(map.l_addr + parts[i].p_vaddr, parts[i].p_memsz) : 0)
        return h;
  }
  const char* name = map.l_name;
  for (const char* p = name; *p; p++)
    if (*p == '/') name = p + 1;
  return hash_bytes(name, __builtin_strlen(name), 2);
}

// In an executable that carries this runtime the program's own code lies behind it, so its offset in the file changes
// with every version of the runtime, and with each function that the runtime imports. Its distance from main() does
// not. In plain executables and libraries offsets count from where the module starts, as in traces of older versions.
uint64_t origin_of(const dl_find_object& found) {
  const uint64_t start = reinterpret_cast<uint64_t>(found.dlfo_map_start),
                 end = reinterpret_cast<uint64_t>(found.dlfo_map_end);
  const uint64_t main = reinterpret_cast<uint64_t>(program_main);
  const bool carries_runtime = reinterpret_cast<uint64_t>(&code_key) - start < end - start;
  return carries_runtime && main - start < end - start ? main : start;
}

bool find(uint64_t pc, dl_find_object* found) { return _dl_find_object(reinterpret_cast<void*>(pc), found) == 0; }

}  // namespace

bool in_module(uint64_t pc) {
  dl_find_object found;
  return pc - last.start < last.end - last.start || find(pc, &found);
}

uint64_t code_key(uint64_t pc) {
  if (HEDDLE_UNLIKELY(pc - last.start >= last.end - last.start)) {
    dl_find_object found;
    if (!find(pc, &found)) return pc;
    last = {reinterpret_cast<uint64_t>(found.dlfo_map_start), reinterpret_cast<uint64_t>(found.dlfo_map_end),
            origin_of(found), identity_of(found)};
  }
  return last.identity + (pc - last.origin);
}

}  // namespace heddle::rt
