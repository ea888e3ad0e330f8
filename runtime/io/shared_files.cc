// Rules of this file: hashes are over the bytes of the file only, not over what fills its last page. Whatever decides
// whether something is compared is in the record, so that a replay asks the kernel nothing.
#include "runtime/io/shared_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/io/line.h"
#include "runtime/table.h"

namespace heddle::rt {

uint32_t shared_files;

namespace {

constexpr uint32_t kMostFiles = 256, kParts = 16;
constexpr uint64_t kPage = 4096, kMostSynced = 256ull << 20;

struct SharedFile {
  uint64_t low, bytes;  // the file's own bytes
  uint64_t device, inode, offset;
  bool foreign;         // others write there, too: nothing can be said
  char name[56];
};
SharedFile* files;

// In parts, so that a difference can be placed.
struct SharedContents {
  uint64_t offset, bytes;  // in the file; bytes 0: not compared
  uint64_t hash[kParts];
  char name[56];
};

uint64_t at_most(uint64_t a, uint64_t b) { return a < b ? a : b; }
uint64_t part_bytes(uint64_t bytes) { return (bytes / kParts / kPage + 1) * kPage; }

uint64_t hash_of(uint64_t address, uint64_t bytes) {
  static uint64_t words[kPage / 8];
  uint64_t hash = bytes;
  for (uint64_t part; bytes; address += part, bytes -= part) {
    part = at_most(bytes, sizeof words);
    if (part < sizeof words) __builtin_memset(words, 0, sizeof words);
    if (!read_program(words, address, part)) return 0;
    for (uint64_t i = 0; i < (part + 7) / 8; i++) hash = mix_bits(hash ^ words[i]) + 0x9e3779b97f4a7c15ull;
  }
  return hash;
}

SharedContents contents_of(const SharedFile& f, uint64_t low, uint64_t high) {
  SharedContents out{};
  out.offset = f.offset + (low - f.low);
  __builtin_memcpy(out.name, f.name, sizeof out.name);
  out.bytes = high - low;
  const uint64_t part = part_bytes(out.bytes);
  for (uint64_t i = 0; i < kParts && i * part < out.bytes; i++)
    out.hash[i] = hash_of(low + i * part, at_most(part, out.bytes - i * part));
  return out;
}

void differs(uint32_t site, const char* how, const SharedContents& expected, const SharedContents& actual) {
  char text[128], other[128];
  Line wanted(text, sizeof text), got(other, sizeof other);
  const uint64_t part = part_bytes(expected.bytes);
  uint64_t i = 0;
  while (i + 1 < kParts && expected.hash[i] == actual.hash[i]) i++;
  const bool whole = expected.bytes != actual.bytes || expected.offset != actual.offset;
  uint32_t length = 0;
  while (length < sizeof expected.name && expected.name[length]) length++;
  auto describe = [&](Line& line, const SharedContents& c) {
    line.put(how).put(": shared mapping of ").quoted(expected.name, length, false);
    if (whole)
      line.put(", ").number(c.bytes).put(" bytes from ").number(c.offset);
    else
      line.put(", bytes ")
          .number(c.offset + i * part)
          .put(" to ")
          .number(c.offset + at_most((i + 1) * part, c.bytes) - 1)
          .put(" (hash ")
          .number(c.hash[i] >> 32, 16)
          .put(")");
  };
  describe(wanted, expected), describe(got, actual);
  diverge_output(site, text, other);
}

bool same(const SharedContents& a, const SharedContents& b) {
  return a.bytes == b.bytes && a.offset == b.offset && __builtin_memcmp(a.hash, b.hash, sizeof a.hash) == 0;
}

// `t` null: the end of the process.
void one_leaves(Thread* t, uint32_t site, long number, const SharedFile& f, uint64_t low, uint64_t high,
                uint32_t flags) {
  const char* how = t ? policy_of(number).name : "end of the process";
  static uint64_t synced;
  if (!feeding()) {
    const bool often = t && number == SYS_msync && (synced += high - low) > kMostSynced;
    if (often)
      note(
          "msync is called for more than 256 MiB: what lies in shared mappings of files is compared from here on only "
          "when they go, or at the end");
    SharedContents c{};
    if (!f.foreign && !often) c = contents_of(f, low, high);
    RecordWriter out;
    out.append(&c, sizeof c);
    if (t)
      out.commit(*t, HEDDLE_IN_MMAP, (uint16_t)number, 0, kInputShared | flags);
    else
      out.commit(kEndStream, HEDDLE_IN_MMAP, (uint16_t)number, 0, kInputShared);
    return;
  }
  const HeddleInput* r = t ? stream_peek(io_of(*t)) : stream_at_end();
  if (!r && !t) return;  // the recording ended in another way, which is said elsewhere
  if (!r || r->kind != HEDDLE_IN_MMAP || !(r->flags & kInputShared) || r->number != number ||
      r->size != sizeof(SharedContents))
    input_mismatch(t ? *t : *self, t ? policy_of(number).name : "the end of the process", r);
  SharedContents expected;
  __builtin_memcpy(&expected, data_of(*r), sizeof expected);
  expected.name[sizeof expected.name - 1] = 0;
  if (t) stream_consume(*t, io_of(*t));
  if (!expected.bytes) return;
  SharedContents actual = contents_of(f, low, high);
  __builtin_memcpy(actual.name, expected.name, sizeof actual.name);
  if (same(expected, actual)) return;
  if (!stream_in_other_order()) differs(site, how, expected, actual);
  __builtin_memcpy(const_cast<char*>(data_of(*r)), &actual, sizeof actual);
}

void take_out(uint32_t i) { files[i] = files[--shared_files]; }

bool add(const SharedFile& f) {
  if (!files) files = static_cast<SharedFile*>(arena_allocate_cold(sizeof(SharedFile) * kMostFiles));
  if (shared_files == kMostFiles) return false;
  files[shared_files++] = f;
  return true;
}

// The mapping is still there to both sides of what goes.
void cut(uint64_t low, uint64_t high) {
  for (uint32_t i = shared_files; i-- > 0;) {
    const SharedFile f = files[i];
    if (f.low >= high || f.low + f.bytes <= low) continue;
    take_out(i);
    if (f.low < low) {
      SharedFile left = f;
      left.bytes = low - f.low;
      add(left);
    }
    if (f.low + f.bytes > high) {
      SharedFile right = f;
      right.low = high, right.bytes = f.low + f.bytes - high, right.offset = f.offset + (high - f.low);
      if (!add(right))
        note("more than %u shared mappings of files: what is written through one of them is not compared", kMostFiles);
    }
  }
}

// Memory with a name, not a file: what others see of it is theirs to compare.
bool is_memory(const char* path) {
  return __builtin_strncmp(path, "/memfd:", 7) == 0 || __builtin_strncmp(path, "/dev/shm/", 9) == 0 ||
         __builtin_strncmp(path, "/SYSV", 5) == 0 || __builtin_strncmp(path, "/dev/zero", 9) == 0;
}

void keep_name(SharedFile& f, const char* path, long length) {
  const long most = sizeof f.name - 1, first = length > most ? length - most : 0;  // the end says more
  for (long i = first; i < length; i++) f.name[i - first] = path[i];
}

void say_foreign(SharedFile& f, const char* why) {
  if (f.foreign) return;
  f.foreign = true;
  note("what the program writes to the shared mapping of %s is not compared in a replay: %s", f.name, why);
}

bool identify(long fd, struct stat* st) { return raw_syscall(SYS_fstat, fd, st) == 0 && S_ISREG(st->st_mode); }

}  // namespace

bool shared_file_mapped(const Call& c, uint64_t address, uint64_t bytes) {
  struct stat st;
  if (!(c.a[3] & MAP_SHARED) || !bytes || !identify(c.a[4], &st)) return false;
  if ((raw_syscall(SYS_fcntl, c.a[4], F_GETFL) & O_ACCMODE) != O_RDWR) return false;  // nobody can store there
  char link[32], path[512] = {};
  Line(link, sizeof link).put("/proc/self/fd/").number((uint32_t)c.a[4]);
  const long length = raw_syscall(SYS_readlink, link, path, sizeof path - 1);
  if (is_memory(path)) return false;
  SharedFile f{address, bytes, st.st_dev, st.st_ino, (uint64_t)c.a[5], false, {}};
  keep_name(f, length > 0 ? path : "a file", length > 0 ? length : 6);
  for (uint32_t i = 0; i < shared_files; i++)
    if (files[i].device == f.device && files[i].inode == f.inode && files[i].offset < f.offset + f.bytes &&
        f.offset < files[i].offset + files[i].bytes)
      say_foreign(files[i], "it is mapped twice"), say_foreign(f, "it is mapped twice");
  if (add(f)) return true;
  note("more than %u shared mappings of files: what is written through one of them is not compared", kMostFiles);
  return false;
}

void shared_file_fed(const Call& c, uint64_t address, uint64_t bytes) {
  add(SharedFile{address, bytes, 0, 0, (uint64_t)c.a[5], false, {}});
}

void own_shared(Thread& t, uint64_t low, uint64_t high) {
  for (uint32_t i = 0; i < shared_files; i++) {
    const uint64_t from = files[i].low > low ? files[i].low : low, to = at_most(files[i].low + files[i].bytes, high);
    if (from < to && !files[i].foreign) discipline.own(t, from, to - from, false);
  }
}

void shared_leaves(const Call& c, uint64_t low, uint64_t high, bool gone, uint32_t flags) {
  for (uint32_t i = 0; i < shared_files; i++) {
    const uint64_t from = files[i].low > low ? files[i].low : low, to = at_most(files[i].low + files[i].bytes, high);
    if (from < to) one_leaves(&c.thread, c.site, c.number, files[i], from, to, flags);
  }
  if (gone) cut(low, high);
}

SharedMove shared_at(uint64_t address) {
  SharedMove out;
  for (uint32_t i = 0; i < shared_files; i++) {
    const SharedFile& f = files[i];
    if (address < f.low || address >= f.low + f.bytes) continue;
    out.known = true, out.bytes = f.low + f.bytes - address, out.device = f.device, out.inode = f.inode,
    out.offset = f.offset + (address - f.low), out.foreign = f.foreign;
    __builtin_memcpy(out.name, f.name, sizeof out.name);
    break;
  }
  return out;
}

void shared_moved(const SharedMove& moved, uint64_t address, uint64_t length) {
  if (!moved.known) return;
  SharedFile f{address, at_most(moved.bytes, length), moved.device, moved.inode, moved.offset, moved.foreign, {}};
  __builtin_memcpy(f.name, moved.name, sizeof f.name);
  add(f);
}

void shared_file_written(const Call& c, long result) {
  if (failed(result)) return;
  long fd = -1;
  switch (c.number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_sendfile:
      fd = c.a[0];
      break;
    case SYS_copy_file_range: case SYS_splice: fd = c.a[2]; break;
    case SYS_open:
    case SYS_openat:
    case SYS_creat:
      fd = result && (c.number == SYS_creat || (c.a[c.number == SYS_openat ? 2 : 1] & O_TRUNC)) ? result : -1;
      break;
    default: return;
  }
  struct stat st;
  if (fd < 0 || !identify(fd, &st)) return;
  for (uint32_t i = 0; i < shared_files; i++)
    if (files[i].device == st.st_dev && files[i].inode == st.st_ino)
      say_foreign(files[i], "the program changes the file by system calls, too");
}

void shared_files_inherited() {
  for (uint32_t i = 0; i < shared_files; i++) say_foreign(files[i], "a child process has it, too");
}

void io_own_shared_at_end() {
  if (HEDDLE_UNLIKELY(shared_files) && self && raw_syscall(SYS_getpid) == real_pid) own_shared(*self, 0, ~0ull);
}

void io_shared_at_end(uint32_t site, bool in_handler) {
  if (HEDDLE_LIKELY(!shared_files) || !self || raw_syscall(SYS_getpid) != real_pid) return;
  if (in_handler) {
    if (discipline.others_run()) return;  // they store while we look
    const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);
    raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, 0, 8);
  }
  for (uint32_t i = 0; i < shared_files; i++)
    one_leaves(nullptr, site, SYS_exit_group, files[i], files[i].low, files[i].low + files[i].bytes, 0);
  shared_files = 0;
}

}  // namespace heddle::rt
