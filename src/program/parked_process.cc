#include "src/program/parked_process.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::testing {
namespace {

constexpr unsigned kSlots = 16;
constexpr int kDescriptor = 9;

// As seen by both sides; the C text of it is in kParkSource.
struct Shared {
  std::uint32_t ready;  // futex: number of parked threads
  std::uint32_t unused;
  HeddleRegs regs[kSlots];
  std::uint64_t address[kSlots];
};

constexpr const char* kParkSource = R"(
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
struct Regs { uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11; };
struct Shared { uint32_t ready, unused; struct Regs regs[16]; uint64_t address[16]; };
static struct Shared* shared;
__attribute__((constructor)) static void map_shared(void) {
  shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, 9, 0);
}
static void save(unsigned slot, const ucontext_t* u) {
  const greg_t* g = u->uc_mcontext.gregs;
  struct Regs r = {g[REG_RIP], g[REG_RSP], g[REG_RBP], g[REG_RBX], g[REG_R12], g[REG_R13], g[REG_R14], g[REG_R15], g[REG_RAX],
                   g[REG_RCX], g[REG_RDX], g[REG_RSI], g[REG_RDI], g[REG_R8], g[REG_R9], g[REG_R10], g[REG_R11]};
  shared->regs[slot] = r;
  __atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &shared->ready, 1, 64, 0, 0, 0);
  for (;;) pause();
}
void publish(unsigned slot, const void* address) { shared->address[slot] = (uint64_t)address; }
__attribute__((noinline)) void park(unsigned slot) {
  ucontext_t u;
  getcontext(&u);
  save(slot, &u);
}
static unsigned fault_slot;
static void on_fault(int n, siginfo_t* i, void* context) { (void)n; (void)i; save(fault_slot, context); }
void park_on_fault(unsigned slot) {
  static char stack[65536];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  fault_slot = slot;
  sigaltstack(&alternate, 0);
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGABRT, &action, 0);
}
)";

void write_file(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

int run(const std::string& command) { return std::system(command.c_str()); }

}  // namespace

const char* const kParkDeclarations =
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid park(unsigned); void park_on_fault(unsigned); "
    "void publish(unsigned, const void*);\n#ifdef __cplusplus\n}\n#endif\n";

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string();
  if (::mkdtemp(name.data())) path_ = std::filesystem::canonical(name);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path compile(const ScratchFolder& folder, const std::string& name, const std::string& source,
                              const std::string& compiler_and_flags) {
  const auto file = folder.path() / name, program = folder.path() / (file.stem().string() + ".out"),
             park = folder.path() / "park.o";
  write_file(file, source);
  if (!std::filesystem::exists(park)) {
    write_file(folder.path() / "park.c", kParkSource);
    EXPECT_EQ(run(fmt::format("cd {} && gcc -O1 -c park.c -o park.o", folder.path().string())), 0);
  }
  const bool library = compiler_and_flags.find("-shared") != std::string::npos;
  const int status = run(fmt::format("cd {} && {} {} {} -o {}", folder.path().string(), compiler_and_flags, name,
                                     library ? "" : "park.o", program.string()));
  EXPECT_EQ(status, 0) << "cannot compile " << name;
  return status == 0 ? program : std::filesystem::path();
}

unsigned line_of(const std::string& source, const std::string& mark) {
  const auto at = source.find(mark);
  if (at == std::string::npos) return 0;
  return 1 + static_cast<unsigned>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

ParkedProcess::ParkedProcess(const std::filesystem::path& program, unsigned slots) {
  const int fd = ::memfd_create("parked", 0);
  if (program.empty() || fd < 0 || ::ftruncate(fd, sizeof(Shared)) != 0) return;
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return;
  shared_ = memory;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(fd, kDescriptor);
    ::personality(ADDR_NO_RANDOMIZE);
    ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(fd);
  std::atomic_ref<std::uint32_t> ready(static_cast<Shared*>(shared_)->ready);
  for (int i = 0; i < 1000 && ready < slots; ++i) {  // bounded: 10 s, and a program that dies is noticed
    const std::uint32_t seen = ready;
    const timespec slice{0, 10'000'000};
    if (seen < slots) ::syscall(SYS_futex, shared_, FUTEX_WAIT, seen, &slice, nullptr, 0);
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) return;
  }
  ok_ = ready >= slots;
}

ParkedProcess::~ParkedProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (shared_) ::munmap(shared_, sizeof(Shared));
}

const HeddleRegs& ParkedProcess::regs(unsigned slot) const { return static_cast<const Shared*>(shared_)->regs[slot]; }
std::uint64_t ParkedProcess::address(unsigned slot) const { return static_cast<const Shared*>(shared_)->address[slot]; }

}  // namespace heddle::testing
