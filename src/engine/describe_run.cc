#include "src/engine/describe_run.h"

#include <ctime>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace heddle {

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return text;
}

Meta describe_run(const ProgramInfo& program, const Launch& launch, std::string heddle_version) {
  Meta meta;
  meta.heddle_version = std::move(heddle_version);
  meta.program = program.path.string();
  meta.build_id = program.build_id;
  meta.cwd = launch.cwd.string();
  meta.argv = launch.argv;
  meta.environment = launch.environment;
  meta.created = utc_now();
  utsname machine{};
  if (uname(&machine) == 0) meta.machine = fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine);
  return meta;
}

}  // namespace heddle
