#include "src/program/symbolizer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/program/code_index.h"
#include "src/program/data_index.h"
#include "src/program/function_name.h"
#include "src/program/loaded_modules.h"
#include "src/program/process_maps.h"
#include "src/program/unwinder.h"

namespace heddle {
namespace {

bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

bool is_system_file(std::string_view file) {
  static constexpr std::array<std::string_view, 4> kFolders = {"/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-",
                                                               "/usr/lib/clang/"};
  return starts_with_any(file, kFolders);
}

/// Judged by the name alone, for code without debug info: start-up code and instances of the C++ library's templates.
bool is_system_name(std::string_view function) {
  static constexpr std::array<std::string_view, 15> kPrefixes = {
      "std::",    "__gnu_cxx::", "__cxxabiv1::", "__libc_",      "__cxa_",
      "_Unwind_", "__gthread_",  "operator new", "__assert_",    "__stack_chk",
      "__tsan_",  "__asan_",     "__ubsan_",     "__sanitizer_", "operator delete"};
  return starts_with_any(function, kPrefixes) || function == "_start" || function == "_init" || function == "_fini";
}

bool is_runtime_name(const Frame& frame) {
  for (const char* runtime :
       {"heddle::rt::", "heddle_raw_syscall", "heddle_restore_rt", "heddle_blocking_", "__sanitizer::", "__asan",
        "__ubsan", "__lsan", "__interception", "__interceptor_", "___interceptor_"})
    if (frame.function.starts_with(runtime)) return true;  // ours and the sanitizers', linked into the executable
  if (frame.function == "asan_thread_start") return true;
  return frame.linkage.starts_with("__heddle_");
}

/// Our runtime lies in the executable: its files are known by debug info; without that, by its names and by the names
/// of library functions that it defines anew.
bool is_system(const Frame& frame, const LoadedModule& module, LoadedModules& modules) {
  if (module.system_library || is_runtime_name(frame)) return true;
  if (!frame.file.empty()) return is_system_file(frame.file) || module.code->is_runtime_file(frame.file);
  return module.system_directory || is_system_name(frame.function) || frame.linkage.starts_with("heddle_") ||
         modules.is_library_function(frame.linkage);
}

/// The symbol around `address`, for functions that DWARF does not know or has no linkage name for.
std::string symbol_at(const LoadedModule& module, std::uint64_t address) {
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* name = dwfl_module_addrinfo(module.dwfl, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name ? std::string(name) : std::string();
}

void name_by_symbol(Frame& frame, const LoadedModule& module, std::uint64_t address) {
  if (!frame.linkage.empty()) return;
  const std::string symbol(strip_suffixes(symbol_at(module, address)));
  if (!frame.function.empty() && !symbol.starts_with("_Z")) {
    frame.linkage = frame.function;  // C
    return;
  }
  frame.linkage = symbol;
  frame.function = readable_function(symbol);
}

Stack describe(LoadedModules& modules, LoadedModule& module, std::uint64_t address) {
  if (!module.code) {
    Dwarf_Addr bias = 0;
    module.code =
        std::make_unique<CodeIndex>(module.system_library ? nullptr : dwfl_module_getdwarf(module.dwfl, &bias));
  }
  if (!module.names)
    module.names = std::make_unique<CodeNames>(module.system_library ? CodeNames{} : read_code_names(module.path));
  Stack stack = module.code->frames(address - module.bias);
  if (stack.empty()) stack.emplace_back();
  name_by_symbol(stack.back(), module, address);
  for (Frame& frame : stack) {
    frame.module = module.name;
    frame.offset = address - module.bias;
    if (frame.linkage.empty()) frame.linkage = frame.function;
    frame.system = is_system(frame, module, modules);
    frame.wrapper = !frame.system && module.names->wrappers.contains(frame.linkage);
    if (frame.system &&
        module.code->is_runtime_file(frame.file)) {  // stands for libc's function, which has no lines here
      frame.file.clear();
      frame.line = frame.column = 0;
    }
  }
  return stack;
}

/// Code that lies in no module: nobody's, so not the user's.
Frame unknown_frame(std::uint64_t address) {
  Frame frame;
  frame.offset = address;
  frame.system = true;
  return frame;
}

}  // namespace

struct Symbolizer::Impl {
  LoadedModules modules;
  Unwinder unwinder{modules};
  std::unordered_map<std::uint64_t, Stack> known;      // by the address that was looked up
  std::unordered_map<std::uint64_t, bool> dispatcher;  // the same
  std::uint64_t generation = 0;

  bool is_in_dispatcher(std::uint64_t address) {
    keep_valid();
    if (const auto it = dispatcher.find(address); it != dispatcher.end()) return it->second;
    LoadedModule* module = modules.find(address);
    const bool is =
        module && !module->system_library && LoadedModules::is_dispatcher(*module, symbol_at(*module, address));
    return dispatcher[address] = is;
  }

  /// What was derived from modules that are gone must go.
  void keep_valid() {
    constexpr std::size_t kMaxKnown = 1 << 16;
    if (std::exchange(generation, modules.generation()) == modules.generation() && known.size() <= kMaxKnown &&
        dispatcher.size() <= kMaxKnown)
      return;
    known.clear();
    dispatcher.clear();
  }

  const Stack& frames_at(std::uint64_t address) {
    keep_valid();
    auto [it, is_new] = known.try_emplace(address);
    if (!is_new) return it->second;
    if (LoadedModule* module = modules.find(address))
      it->second = describe(modules, *module, address);
    else
      it->second = {unknown_frame(address)};
    return it->second;
  }
};

Symbolizer::Symbolizer() : impl_(std::make_unique<Impl>()) {}
Symbolizer::~Symbolizer() = default;

Status Symbolizer::attach(pid_t pid) { return impl_->modules.refresh(pid); }
Status Symbolizer::attach(std::string_view maps) { return impl_->modules.refresh(parse_maps(maps)); }

Stack Symbolizer::frames(std::uint64_t pc, bool is_return_address) {
  // A dispatcher whose call is no tail call is a second frame of a function that the clone's frame already shows.
  if (is_return_address && impl_->is_in_dispatcher(pc - 1)) return {};
  Stack stack = impl_->frames_at(pc - (is_return_address ? 1 : 0));
  for (Frame& frame : stack) frame.offset += is_return_address ? 1 : 0;
  return stack;
}

Stack Symbolizer::unwind(pid_t pid, const HeddleRegs& regs, std::size_t limit) {
  Stack stack;
  for (const CodeAddress& code : impl_->unwinder.walk(pid, regs, limit)) {
    std::ranges::move(frames(code.pc, code.is_return_address), std::back_inserter(stack));
    if (stack.size() >= limit) break;
  }
  if (stack.size() > limit) stack.resize(limit);
  return stack;
}

// Locks of libc are modelled by variables of our runtime (runtime/sync/libc_lock.h): what they stand for says more than
// their names.
static ObjectName what_it_stands_for(const std::string& name) {
  if (!name.starts_with("heddle::rt::")) return {name, NameOrigin::kProgram};
  constexpr std::pair<std::string_view, const char*> kWords[] = {
      {"libc_loader", "libc's loader"},
      {"random_state", "libc's random numbers"},
      {"random48_state", "libc's random numbers"},
      {"time_zone", "libc's time zone"},
      {"environment", "libc's environment"},
  };
  for (const auto& [ending, words] : kWords)
    if (name.ends_with(ending)) return {words, NameOrigin::kLibc};
  return {"inside heddle's runtime", NameOrigin::kRuntime};
}

ObjectName Symbolizer::data(std::uint64_t address) {
  LoadedModule* module = impl_->modules.find(address);
  if (!module || module->system_library) return {};
  if (!module->data) module->data = std::make_unique<DataIndex>(module->dwfl);
  return what_it_stands_for(module->data->name(address));
}

/// "this->lock" in "Queue::push" -> "Queue::lock"
static std::string in_class(std::string expression, const Frame& frame) {
  // What a lock is made of is the library's.
  for (const char* part : {".__", "._M_", "->__", "->_M_"}) expression = expression.substr(0, expression.find(part));
  constexpr std::string_view kThis = "this->";
  const std::size_t end = frame.function.rfind("::");
  if (!expression.starts_with(kThis) || end == std::string::npos) return expression;
  return frame.function.substr(0, end + 2) + expression.substr(kThis.size());
}

std::string Symbolizer::object_name(std::span<const std::uint64_t> return_addresses) {
  std::string name;
  for (const std::uint64_t pc : return_addresses) {
    const LoadedModule* module = impl_->modules.find(pc - 1);
    for (const Frame& frame : frames(pc, true)) {
      if (frame.system || !module || !module->names) continue;
      const auto call = module->names->calls.find({frame.file, frame.line, frame.column});
      if (call == module->names->calls.end()) return name;
      name = in_class(call->second, frame);
      if (!frame.wrapper) return name;
    }
  }
  return name;
}

bool Symbolizer::can_read(pid_t pid, std::uint64_t address) {
  std::uint64_t word = 0;
  return read_memory(pid, address, &word, sizeof word);
}

void leave_out_runtime(Stack& stack) {
  std::erase_if(stack, [](const Frame& f) {
    if (!f.system || f.linkage.starts_with("heddle_check")) return false;
    return f.function.starts_with("heddle::rt::") || f.linkage.starts_with("heddle_") ||
           f.linkage.starts_with("__heddle_");
  });
}

const Frame* user_frame(std::span<const Frame> stack) {
  const auto is_users = [](const Frame& f) { return !f.system; };
  const auto is_no_wrapper = [](const Frame& f) { return !f.system && !f.wrapper && !f.function.empty(); };
  const auto is_instance = [](const Frame& f) {
    return f.file.empty() && f.function.starts_with("std::") && !f.module.starts_with("lib");
  };
  if (const auto it = std::ranges::find_if(stack, is_users); it != stack.end()) {
    const auto caller = it->wrapper ? std::ranges::find_if(it, stack.end(), is_no_wrapper) : it;
    return caller != stack.end() ? &*caller : &*it;
  }
  if (const auto it = std::ranges::find_if(stack, is_instance); it != stack.end()) return &*it;
  return stack.empty() ? nullptr : &stack.front();
}

}  // namespace heddle
