// heddle_sites_resolve [--trace TRACE | --calls TRACE] [--function NAME] ELF...
//
// Checks that each site of the ELF files names exactly one instruction of the bitcode that they carry, with the same
// function, place, kind and size. With --trace: each site of the trace that has a reference, and that accesses of
// record clones are found by their places. With --calls: that calls of pthread functions in the trace of a C program
// are, too. With --function: lists the instructions of the sites in functions of that name. Closing line: 'N sites
// resolved, M breaches'. Exit status: 0 no breach.
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "abi/record_hooks.h"
#include "src/bitcode/bitcode.h"
#include "src/program/function_name.h"
#include "src/program/program.h"
#include "src/trace/container.h"

namespace heddle {
namespace {

constexpr int kBreachesShown = 10;

bool calls(const llvm::Instruction& instruction, const char* name) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

/// Of these kinds an instruction has one site. (A memcpy has two, a printf one for each string.)
bool is_single(const SiteRecord& site) {
  return site.kind != HEDDLE_EV_READ_RANGE && site.kind != HEDDLE_EV_WRITE_RANGE && site.kind != HEDDLE_EV_NONE;
}

/// A head of an array, which is no program point.
bool is_head(const SiteRecord& site) { return site.kind == HEDDLE_EV_NONE && site.line == 0 && site.module == 0; }

/// One that the optimiser left a place: code that it moved has the line of its function, and no column.
bool is_record_site(const SiteRecord& site) {
  return !(site.id & HEDDLE_SITE_PC) && (site.id & HEDDLE_SITE_RECORD) && site.column != 0;
}

std::string text_of(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream(text) << instruction;
  return text;
}

class Check {
 public:
  explicit Check(std::string function) : function_(std::move(function)) {}

  /// An empty build id: of no file that could be read.
  std::string add_file(const char* path) {
    auto bitcode = Bitcode::open(path);
    auto build_id = build_id_of(path);
    if (!bitcode || !build_id) {
      breach(bitcode ? build_id.error().message : bitcode.error().message);
      return {};
    }
    files_.emplace(*build_id, std::move(*bitcode));
    return *build_id;
  }

  void add_sites(const char* path) {
    const auto table = read_sites(path);
    if (!table) return breach(table.error().message);
    for (const SiteRecord& site : table->sites) {
      if (is_head(site)) continue;
      std::optional<SiteRef> ref;
      if (site.module && site.module <= table->bitcode.size())
        ref = {table->build_id, table->bitcode[site.module - 1], site.ordinal};
      add(site, ref);
    }
  }

  void add_trace(const char* path) {
    const auto trace = TraceReader::open(path);
    if (!trace) return breach(trace.error().message);
    for (const SiteRecord& site : trace->head().sites)
      if (const auto ref = site_ref(trace->head(), site))
        add(site, ref);
      else if (is_record_site(site))
        find(site, nullptr);
  }

  /// Each lock and thread operation of a C program is a call of that function.
  void add_calls(const char* path) {
    static const std::map<std::uint8_t, std::string> kCallees = {{HEDDLE_EV_THREAD_CREATE, "pthread_create"},
                                                                 {HEDDLE_EV_THREAD_JOIN, "pthread_join"},
                                                                 {HEDDLE_EV_MUTEX_LOCK, "pthread_mutex_lock"},
                                                                 {HEDDLE_EV_MUTEX_UNLOCK, "pthread_mutex_unlock"}};
    const auto trace = TraceReader::open(path);
    if (!trace) return breach(trace.error().message);
    std::map<std::uint32_t, std::string> callees;
    const auto read = trace->for_each_block([&](std::span<const HeddleEvent> events) {
      for (const HeddleEvent& event : events)
        if (const auto callee = kCallees.find(event.kind); callee != kCallees.end())
          callees[event.site] = callee->second;
      return true;
    });
    if (!read) return breach(read.error().message);
    for (const SiteRecord& site : trace->head().sites)
      if (const auto callee = callees.find(site.id); callee != callees.end() && site.line != 0)  // 0: called by libc
        find(site, callee->second.c_str());
  }

  int close() const {
    fmt::print("{} sites resolved, {} breaches\n", resolved_, breaches_);
    return breaches_ ? 1 : 0;
  }

 private:
  void breach(const std::string& text) {
    if (++breaches_ <= kBreachesShown) fmt::print("breach: {}\n", text);
  }

  void breach(const SiteRecord& site, const std::string& text) {
    breach(fmt::format("site {} (kind {}, {} bytes, {}:{}:{} in {}): {}", site.id, site.kind, site.size, site.file,
                       site.line, site.column, site.function, text));
  }

  void add(const SiteRecord& site, const std::optional<SiteRef>& ref) {
    if (!ref) return breach(site, "no reference");
    const auto file = files_.find(ref->build_id);
    if (file == files_.end()) return breach(site, fmt::format("of an unknown build {}", ref->build_id));
    const auto found = file->second.instruction(*ref);
    if (!found) return breach(site, found.error().message);
    const llvm::Instruction& instruction = **found;
    const SourcePlace place = place_of(instruction);
    if (place.line != site.line || place.column != site.column || place.file != site.file)
      return breach(site, fmt::format("its instruction is at {}:{}:{}:{}", place.file, place.line, place.column,
                                      text_of(instruction)));
    if (readable_function(place.function) != site.function)
      return breach(site, fmt::format("its instruction is in {}", place.function));
    if (!fits(site, instruction)) return breach(site, fmt::format("its instruction is{}", text_of(instruction)));
    if (is_single(site) && !taken_.insert(&instruction).second) return breach(site, "another site has its instruction");
    ++resolved_;
    if (site.function == function_)
      fmt::print("{}:{} kind {}:{}\n", site.line, site.column, site.kind, text_of(instruction));
  }

  /// Without a reference. `callee`: of the call that it has to be; null: it is no call.
  void find(const SiteRecord& site, const char* callee) {
    for (auto& [_, bitcode] : files_) {
      const auto found = bitcode.find(site);
      if (!found) return breach(site, found.error().message);
      if (callee && !calls(**found, callee))
        return breach(site, fmt::format("calls {} in{}", callee, text_of(**found)));
      ++resolved_;
    }
  }

  std::string function_;
  std::map<std::string, Bitcode> files_;  // by build id
  std::set<const llvm::Instruction*> taken_;
  unsigned resolved_ = 0, breaches_ = 0;
};

int run(int argc, char** argv) {
  const char *trace = nullptr, *calls = nullptr;
  std::string function;
  std::vector<const char*> files;
  for (int i = 1; i < argc; ++i) {
    if (i + 1 < argc && !std::strcmp(argv[i], "--trace"))
      trace = argv[++i];
    else if (i + 1 < argc && !std::strcmp(argv[i], "--calls"))
      calls = argv[++i];
    else if (i + 1 < argc && !std::strcmp(argv[i], "--function"))
      function = argv[++i];
    else
      files.push_back(argv[i]);
  }
  Check check(function);
  for (const char* file : files)
    if (!check.add_file(file).empty() && !trace && !calls) check.add_sites(file);
  if (trace) check.add_trace(trace);
  if (calls) check.add_calls(calls);
  return check.close();
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::run(argc, argv); }
