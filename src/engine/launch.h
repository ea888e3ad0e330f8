// Starting the program under test: the same address space, environment, descriptors and limits in every run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/result/result.h"

namespace heddle {

enum class Network {
  kOwn,   // a namespace with nothing but a loopback device: ports of one worker do not meet those of another
  kHost,  // the machine's
};

/// What to start, as the user means it. A plain value; part of a trace's meta.
struct Launch {
  std::filesystem::path program;         // absolute path that is executed
  std::vector<std::string> argv;         // argv[0] as the user typed it
  std::vector<std::string> environment;  // "K=V", without our own variables
  std::filesystem::path cwd;
  Network network = Network::kOwn;
  bool fork_at_mark = false;  // runs begin at heddle_init_done(), not before main
  /// The runtime as a library, for a program that does not carry it. Empty: it does.
  std::filesystem::path preload;
  /// Not this executable (a script's interpreter, env, timeout ...) but what it starts is meant. Empty: the program is.
  std::filesystem::path follow;
};

/// Descriptors that the program gets as 0, 1, 2; owned by the caller.
struct StandardStreams {
  int in = -1, out = -1, err = -1;
};

/// The environment block that is given to the program: `environment` without HEDDLE_*, HEDDLE_REGION=<number>, and as
/// many HEDDLE_PAD entries as make the number of strings and their total size (with argv and the executable's name)
/// round. So the initial stack pointer does not move when a variable or a path changes a little. The runtime removes
/// HEDDLE_* before main.
std::vector<std::string> padded_environment(const Launch& launch, int region_number);

/// The number under which the program finds the region, unless its limit of open files is lower.
inline constexpr int kRegionNumber = 200;

struct Spawned {
  pid_t pid = 0;
  bool aslr_off = false;
  bool own_network = false;
};

/// Starts the program in a session of its own with ASLR off, only descriptors 0-2 and the region open, default signal
/// dispositions, no core dumps, and a network of its own where the kernel allows it; it dies with the calling THREAD
/// and adopts its orphaned descendants. Errors: what exec says.
Result<Spawned> spawn(const Launch& launch, const StandardStreams& streams, int region_fd);

/// This process becomes the program, prepared as by spawn() but in its session: for debuggers, which start programs
/// themselves. Returns only if it cannot.
Error become(const Launch& launch, const StandardStreams& streams, int region_fd);

}  // namespace heddle
