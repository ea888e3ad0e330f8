#include "tools/hunt_reports.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "src/engine/describe_run.h"
#include "src/engine/descriptor.h"
#include "src/report/junit.h"
#include "src/report/sarif.h"
#include "src/trace/output_file.h"
#include "tools/hunt_arguments.h"
#include "tools/options.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/version.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Where the user's sources are: readers of SARIF want names below the top of the checkout.
fs::path source_root(const fs::path& cwd) {
  std::error_code none;
  for (fs::path folder = cwd; folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / ".git", none)) return folder;
  return cwd;
}

/// A name for a descriptor of ours: it is written behind what is there, never replaced.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = -1;
    if (!path.starts_with(folder)) continue;
    const auto [end, bad] = std::from_chars(path.data() + folder.size(), path.data() + path.size(), number);
    if (bad == std::errc() && end == path.data() + path.size()) return number;
  }
  return std::nullopt;
}

std::unexpected<Error> not_written(const std::string& path, int why) {
  return error(fmt::format("cannot write {}: {}", path, std::strerror(why ? why : EIO)));
}

Status write_descriptor(const std::string& path, int fd, std::string_view text) {
  std::fflush(stdout);
  if (const int why = write_all(fd, text)) return not_written(path, why);
  return {};
}

Status write_in_place(const std::string& path, const std::string& text) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file) return not_written(path, errno);
  if (Status done = write_descriptor(path, file.get(), text); !done) return done;
  if (close(file.release()) != 0) return not_written(path, errno);
  return {};
}

/// Whoever reads it, after a kill too, finds the old file or the new one. Where none can be made beside it (a file that
/// is mounted, a folder that is read-only) it is written in place.
Status write_file(const std::string& path, const std::string& text) {
  if (const auto fd = descriptor_of(path)) return write_descriptor(path, *fd, text);
  std::error_code none;
  const bool is_file = fs::is_regular_file(path, none);
  if (!is_file && fs::exists(path, none)) return write_in_place(path, text);  // a pipe, a device
  auto file = OutputFile::create(path);
  if (!file && is_file) return write_in_place(path, text);
  if (!file) return error(file.error().message);
  if (Status done = file->write(text); !done) return error(done.error().message);
  errno = 0;
  const Status done = file->commit();
  return !done && errno == EBUSY ? write_in_place(path, text) : done;
}

Report report_of(const HuntArguments& arguments, std::vector<ReportedCase> cases, int status) {
  Report report;
  report.heddle_version = kVersion;
  report.command = arguments.reports.command;
  report.program = program_case(arguments).suite;
  report.strategy = arguments.strategy;
  report.seed = arguments.request.seed;
  report.started = arguments.reports.started;
  report.ended = utc_now();
  std::error_code none;
  report.cwd = fs::current_path(none);
  report.source_root = source_root(report.cwd);
  report.exit_status = status;
  report.cases = std::move(cases);
  return report;
}

}  // namespace

void declare_reports(CommandLine& line, HuntReports& reports) {
  reports.started = utc_now();
  line.text("--junit FILE", reports.junit, "also write the answer to FILE as JUnit XML");
  line.text("--sarif FILE", reports.sarif,
            "also write the answer to FILE as SARIF 2.1.0, with the steps of each thread");
}

Status can_write_reports(const HuntReports& reports) {
  for (const std::string& name : {reports.junit, reports.sarif}) {
    if (name.empty()) continue;
    std::error_code none;
    const fs::path path(name), folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (fs::is_directory(path, none)) return error(fmt::format("cannot write {}: it is a folder", name));
    if (!fs::is_directory(folder, none))
      return error(fmt::format("cannot write {}: there is no folder {}", name, folder.string()));
    if (access(fs::exists(path, none) ? path.c_str() : folder.c_str(), W_OK) != 0)
      return error(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
  }
  return {};
}

ReportedCase program_case(const HuntArguments& arguments) {
  const std::vector<std::string>& argv = arguments.request.worker.launch.argv;
  ReportedCase out;
  if (argv.empty()) return out;
  std::vector<std::string> words = argv;
  words.front() = fs::path(argv.front()).filename().string();
  out.suite = words.front();
  out.name = shell_line(words);
  return out;
}

int write_reports(const HuntArguments& arguments, std::vector<ReportedCase> cases, int status) {
  const HuntReports& wanted = arguments.reports;
  if (!wanted.wanted()) return status;
  const Report report = report_of(arguments, std::move(cases), status);
  bool written = true;
  const auto write = [&](const std::string& path, auto text_of) {
    if (path.empty()) return;
    if (Status done = write_file(path, text_of(report)); !done) {
      tell_error("hunt", done.error());
      written = false;
    }
  };
  write(wanted.junit, junit_xml);
  write(wanted.sarif, sarif_log);
  return written || status != kClean ? status : kInconclusive;
}

int report_not_tested(const HuntArguments& arguments, const Error& why) {
  report_error("hunt", why);
  ReportedCase untested = program_case(arguments);
  untested.verdict = Verdict::kNotTested;
  untested.why = why.message;
  write_reports(arguments, {std::move(untested)}, kUsage);
  return kUsage;
}

}  // namespace heddle
