// The file of a log: its name, its size, room on the disk, what stands at its start.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/log/state.h"

namespace heddle::rt::log {
namespace {

constexpr uint64_t kLeast = kChunksAt + kAhead;
constexpr uint32_t kFiles = 99;

// What the executable and its libraries are does not change by a fork; libc's list of them must not be asked then.
struct Known {
  HeddleLogModule modules[HEDDLE_LOG_MODULES];
  uint32_t count;
} * known;  // not static: pages that controlled runs need would lie further apart

}  // namespace

void say(const char* why, const char* path, long error) {
  char line[900];
  size_t n = 0;
  const char* const parts[] = {"heddle: no log: ",
                               why,
                               path,
                               error ? ": " : "",
                               error ? strerrordesc_np((int)-error) : "",
                               "; the program runs without one\n"};
  for (const char* part : parts)
    for (; part && *part && n < sizeof line; part++) line[n++] = *part;
  raw_syscall(SYS_write, 2, line, n);
}

bool make_ready(uint64_t until) {
  if (until <= state->ready) return true;
  if (!state->ahead) return false;
  uint64_t goal = until + kAhead < state->limit ? until + kAhead : state->limit;
  for (; goal >= until; goal = goal > until ? until : 0) {
    if (raw_syscall(SYS_madvise, state->base + state->ready, goal - state->ready, kPopulateWrite) == 0)
      return state->ready = goal, true;
  }
  return false;
}

namespace {

// PATH, then PATH.2 ...: a log is never overwritten.
long create(char* name) {
  long fd = -EEXIST;
  const size_t length = __builtin_strlen(settings.path);
  for (uint32_t i = 1; i <= kFiles && fd == -EEXIST; i++) {
    __builtin_memcpy(name, settings.path, length + 1);
    if (i > 1) {
      char* p = name + length;
      *p++ = '.';
      if (i >= 10) *p++ = (char)('0' + i / 10);
      *p++ = (char)('0' + i % 10);
      *p = 0;
    }
    fd = raw_syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  return fd;
}

struct Found {
  HeddleLogHeader* header;
  HeddleLogModule* modules;
};

void read_build_id(HeddleLogModule& m, const char* at, size_t bytes) {
  while (bytes > sizeof(ElfW(Nhdr))) {
    const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* name = at + sizeof note;
    const char* data = name + ((note.n_namesz + 3) & ~3u);
    const char* next = data + ((note.n_descsz + 3) & ~3u);
    if (next < at || next > at + bytes) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !__builtin_memcmp(name, "GNU", 4) &&
        note.n_descsz <= sizeof m.build_id) {
      m.build_id_bytes = note.n_descsz;
      __builtin_memcpy(m.build_id, data, note.n_descsz);
      return;
    }
    bytes -= (size_t)(next - at);
    at = next;
  }
}

int add_module(dl_phdr_info* info, size_t, void* data) {
  const Found& f = *static_cast<const Found*>(data);
  const uint32_t number = f.header->module_count;
  if (number == HEDDLE_LOG_MODULES) return 1;
  HeddleLogModule& m = f.modules[number];
  m.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const uint64_t low = info->dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_LOAD && low + p.p_memsz > m.end) m.end = low + p.p_memsz;
    if (p.p_type == PT_NOTE) read_build_id(m, (const char*)low, p.p_memsz);
  }
  if (number == 0)
    raw_syscall(SYS_readlink, "/proc/self/exe", m.path, sizeof m.path - 1);
  else
    for (size_t i = 0; i + 1 < sizeof m.path && info->dlpi_name && info->dlpi_name[i]; i++)
      m.path[i] = info->dlpi_name[i];
  m.check = heddle_log_hash(&m, sizeof m - sizeof m.check);
  __atomic_store_n(&f.header->module_count, number + 1, __ATOMIC_RELEASE);
  return 0;
}

void write_header(bool find_modules, const HeddleLogModule* old_modules, uint32_t old_count) {
  HeddleLogHeader& h = *state->header;
  h.version = HEDDLE_LOG_VERSION;
  h.header_bytes = sizeof h;
  h.chunk_bytes = kChunk;
  h.flags = settings.ring_bytes ? HEDDLE_LOG_RING : 0;
  h.ring_bytes = state->ring_chunks * kChunk;
  h.limit = state->limit;
  h.modules_at = kModulesAt;
  h.chunks_at = kChunksAt;
  h.realtime_ns = nanoseconds(CLOCK_REALTIME);
  h.monotonic_ns = nanoseconds(CLOCK_MONOTONIC);
  h.tsc = now();
  h.pid = (uint32_t)raw_syscall(SYS_getpid);
  h.parent_pid = (uint32_t)raw_syscall(SYS_getppid);
  auto* modules = reinterpret_cast<HeddleLogModule*>(state->base + kModulesAt);
  Found f{&h, modules};
  if (find_modules) {
    dl_iterate_phdr(add_module, &f);
  } else {
    __builtin_memcpy(modules, old_modules, old_count * sizeof *modules);
    h.module_count = old_count;
  }
  state->directory = chunk_at(0);
  h.chunk_count = 1;
  begin_chunk(*state->directory, HEDDLE_LOG_DIRECTORY, 0, 0, state->directory_number = 1);
  h.magic = HEDDLE_LOG_MAGIC;
  h.check = heddle_log_hash(&h, offsetof(HeddleLogHeader, check));
}

long map_file(long fd) {
  rlimit limit{};
  raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit);
  uint64_t bytes = settings.limit < kLeast ? kLeast : settings.limit;
  if (limit.rlim_cur < bytes) bytes = limit.rlim_cur;  // a file that grew beyond would cost the process its life
  bytes &= ~(kPage - 1);
  if (bytes < kChunksAt + 2 * kChunk) return -EFBIG;
  if (raw_syscall(SYS_lseek, fd, 0, SEEK_END) != 0) return -EEXIST;  // somebody gave a file that is not empty
  if (const long failed = raw_syscall(SYS_ftruncate, fd, bytes)) return failed;
  long p;
  while ((p = raw_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == -ENOMEM &&
         bytes / 2 >= kLeast) {
    bytes = bytes / 2 & ~(kPage - 1);
    raw_syscall(SYS_ftruncate, fd, bytes);
  }
  if (p < 0 && p > -4096) return p;
  raw_syscall(SYS_madvise, p, bytes, MADV_DONTFORK);
  state->base = (char*)p;
  state->header = reinterpret_cast<HeddleLogHeader*>(p);
  state->limit = bytes;
  const long first = raw_syscall(SYS_fallocate, fd, 0, 0, bytes < kLeast ? bytes : kLeast);
  if (first && first != -EOPNOTSUPP) return first;
  const long ready = raw_syscall(SYS_madvise, p, bytes < kLeast ? bytes : kLeast, kPopulateWrite);
  if (ready == -EINVAL) {  // an old kernel: all room now, or a full disk would be a fault
    state->ready = bytes;
    return raw_syscall(SYS_fallocate, fd, 0, 0, bytes);
  }
  if (ready) return -ENOSPC;
  state->ahead = true;
  state->ready = bytes < kLeast ? bytes : kLeast;
  return 0;
}

}  // namespace

void open_log(bool quietly) {
  char name[sizeof settings.path + 4] = {};
  const bool given = settings.descriptor >= 0;
  const long fd = given ? settings.descriptor : create(name);
  if (fd < 0) {
    if (!quietly) say("cannot create ", name, fd);
    return;
  }
  if (const uint64_t chunks = (settings.ring_bytes + kChunk - 1) / kChunk; settings.ring_bytes)
    state->ring_chunks = chunks < 2 ? 2 : (uint32_t)chunks;
  const long failed = map_file(fd);
  raw_syscall(SYS_close, fd);
  if (failed) {
    if (state->base) raw_syscall(SYS_munmap, state->base, state->limit);
    if (!given) raw_syscall(SYS_unlink, name);
    if (!quietly) say("cannot write ", given ? "log_fd" : name, failed);
    return;
  }
  if (!quietly) {
    const long p = raw_syscall(SYS_mmap, 0, sizeof(Known), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p < 0 && p > -4096) return say("no memory", "", p);
    known = (Known*)p;
  }
  write_header(!quietly, known->modules, known->count);
  if (!quietly) {
    known->count = state->header->module_count;
    __builtin_memcpy(known->modules, state->base + kModulesAt, sizeof known->modules);
  }
  state->on = true;
}

}  // namespace heddle::rt::log
