#include "src/bitcode/bitcode.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include "src/program/function_name.h"
#include "src/program/program.h"

namespace heddle {
namespace {

struct ParsedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<const llvm::Instruction*> instructions;  // by ordinal - 1
};

using ByPlace = std::unordered_map<std::uint64_t, std::vector<const llvm::Instruction*>>;

std::uint64_t place_key(std::uint64_t line, std::uint64_t column) {
  return line << 16 | std::min<std::uint64_t>(column, 0xffff);
}

bool calls(const llvm::Instruction& instruction, const char* name) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

bool has_size(const llvm::Instruction& access, unsigned size) {
  const auto bytes = access.getModule()->getDataLayout().getTypeStoreSize(
      llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access)));
  return !bytes.isScalable() && bytes.getFixedValue() == size;
}

std::string absolute(const llvm::DIFile* file) {
  if (!file) return {};
  llvm::SmallString<256> path(file->getFilename());
  if (!llvm::sys::path::is_absolute(path) && !file->getDirectory().empty()) {
    path = file->getDirectory();
    llvm::sys::path::append(path, file->getFilename());
  }
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

}  // namespace

struct Bitcode::Impl {
  std::filesystem::path path;
  std::string build_id;
  std::vector<BitcodeModule> frames;
  llvm::LLVMContext context;                                // outlives the modules
  std::unordered_map<std::uint64_t, ParsedModule> modules;  // by hash
  std::optional<ByPlace> by_place;                          // all instructions of all modules

  Result<ParsedModule> parse(const BitcodeModule& frame) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size());
    auto module = llvm::parseBitcodeFile({bytes, path.string()}, context);
    if (!module)
      return error(fmt::format("cannot read the bitcode of {}: {}", path.string(), llvm::toString(module.takeError())));
    ParsedModule parsed{std::move(*module), {}};
    for (const llvm::Function& f : *parsed.module)
      for (const llvm::Instruction& instruction : llvm::instructions(f))
        if (!llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) parsed.instructions.push_back(&instruction);
    if (parsed.instructions.size() != frame.instructions)
      return error(fmt::format("the bitcode of {} has {} instructions for this LLVM, and had {} when it was written",
                               path.string(), parsed.instructions.size(), frame.instructions),
                   "build the program again with this version of Heddle");
    return parsed;
  }

  Result<const ParsedModule*> module(std::uint64_t hash) {
    if (const auto known = modules.find(hash); known != modules.end()) return &known->second;
    // Frames with the same hash are the same bitcode: one object that was linked twice.
    const auto frame = std::ranges::find(frames, hash, &BitcodeModule::hash);
    if (frame == frames.end()) return error(fmt::format("{} has no bitcode module {:016x}", path.string(), hash));
    auto parsed = parse(*frame);
    if (!parsed) return std::unexpected(parsed.error());
    return &modules.emplace(hash, std::move(*parsed)).first->second;
  }

  Status index_places() {
    if (by_place) return {};
    ByPlace index;
    for (const BitcodeModule& frame : frames) {
      if (&frame != &*std::ranges::find(frames, frame.hash, &BitcodeModule::hash)) continue;  // the same again
      auto parsed = module(frame.hash);
      if (!parsed) return std::unexpected(parsed.error());
      for (const llvm::Instruction* instruction : (*parsed)->instructions)
        if (const llvm::DILocation* location = instruction->getDebugLoc().get())
          index[place_key(location->getLine(), location->getColumn())].push_back(instruction);
    }
    by_place = std::move(index);
    return {};
  }
};

Bitcode::Bitcode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Bitcode::Bitcode(Bitcode&&) noexcept = default;
Bitcode& Bitcode::operator=(Bitcode&&) noexcept = default;
Bitcode::~Bitcode() = default;

Result<Bitcode> Bitcode::open(const std::filesystem::path& elf) {
  auto build_id = build_id_of(elf);
  if (!build_id) return std::unexpected(build_id.error());
  auto frames = read_bitcode(elf);
  if (!frames) return std::unexpected(frames.error());
  if (frames->empty()) return error(fmt::format("{} carries no bitcode", elf.string()), "build it with heddle cc");
  auto impl = std::make_unique<Impl>();
  impl->path = elf;
  impl->build_id = std::move(*build_id);
  impl->frames = std::move(*frames);
  return Bitcode(std::move(impl));
}

Result<const llvm::Instruction*> Bitcode::instruction(const SiteRef& site) {
  if (site.build_id != impl_->build_id)
    return error(
        fmt::format("{} is another build ({} instead of {})", impl_->path.string(), impl_->build_id, site.build_id));
  auto module = impl_->module(site.module);
  if (!module) return std::unexpected(module.error());
  const auto& instructions = (*module)->instructions;
  if (site.ordinal == 0 || site.ordinal > instructions.size())
    return error(fmt::format("bitcode module {:016x} of {} has no instruction {}", site.module, impl_->path.string(),
                             site.ordinal));
  return instructions[site.ordinal - 1];
}

Result<const llvm::Instruction*> Bitcode::find(const SiteRecord& site) {
  if (Status indexed = impl_->index_places(); !indexed) return std::unexpected(indexed.error());
  const std::string file = std::filesystem::path(site.file).lexically_normal();
  // By linkage name. Modules may have copies of one function: those of the first one will do.
  std::map<std::string, std::vector<const llvm::Instruction*>> all, of_its_name;
  const auto at_place = impl_->by_place->find(place_key(site.line, site.column));
  if (site.line != 0 && at_place != impl_->by_place->end())
    for (const llvm::Instruction* instruction : at_place->second) {
      const SourcePlace place = place_of(*instruction);
      if (place.file != file || !fits(site, *instruction)) continue;
      auto& found = all[place.function];
      if (found.empty() || found.front()->getModule() == instruction->getModule()) found.push_back(instruction);
    }
  for (const auto& [function, found] : all)
    if (readable_function(function) == site.function) of_its_name.emplace(function, found);
  const auto& candidates = of_its_name.empty() ? all : of_its_name;
  if (candidates.size() == 1 && candidates.begin()->second.size() == 1) return candidates.begin()->second.front();
  return error(fmt::format("{} instruction at {}:{}:{} can be that of the site",
                           candidates.empty() ? "no" : "more than one", site.file, site.line, site.column));
}

bool fits(const SiteRecord& site, const llvm::Instruction& instruction) {
  const bool is_load = llvm::isa<llvm::LoadInst>(instruction), is_store = llvm::isa<llvm::StoreInst>(instruction);
  const bool is_atomic = instruction.isAtomic(), is_call = llvm::isa<llvm::CallBase>(instruction);
  switch (site.kind) {
    case HEDDLE_EV_READ:
      return is_load && !is_atomic && has_size(instruction, site.size);
    case HEDDLE_EV_WRITE:
      return is_store && !is_atomic && has_size(instruction, site.size);
    case HEDDLE_EV_READ_RANGE:
      return is_load || is_call;
    case HEDDLE_EV_WRITE_RANGE:
      return is_store || is_call;
    case HEDDLE_EV_ATOMIC_LOAD:
      return (is_load && is_atomic && has_size(instruction, site.size)) || calls(instruction, "__atomic_load");
    case HEDDLE_EV_ATOMIC_STORE:
      return (is_store && is_atomic && has_size(instruction, site.size)) || calls(instruction, "__atomic_store");
    case HEDDLE_EV_ATOMIC_RMW:
      return llvm::isa<llvm::AtomicRMWInst>(instruction) || calls(instruction, "__atomic_exchange");
    case HEDDLE_EV_ATOMIC_CAS:
      return llvm::isa<llvm::AtomicCmpXchgInst>(instruction) || calls(instruction, "__atomic_compare_exchange");
    case HEDDLE_EV_FENCE:
      return llvm::isa<llvm::FenceInst>(instruction);
    case HEDDLE_EV_BRANCH:
      return llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::IndirectBrInst, llvm::InvokeInst>(instruction);
    case HEDDLE_EV_INPUT:
      return llvm::isa<llvm::IntrinsicInst>(instruction);
    case HEDDLE_EV_CALL:
    case HEDDLE_EV_NONE:  // a call
      return is_call && !llvm::isa<llvm::IntrinsicInst>(instruction);
    default:
      return false;
  }
}

SourcePlace place_of(const llvm::Instruction& instruction) {
  SourcePlace place{.function = instruction.getFunction()->getName().str(), .file = {}};
  if (const llvm::DILocation* location = instruction.getDebugLoc().get(); location && location->getLine() != 0) {
    place.file = absolute(location->getFile());
    place.line = location->getLine();
    place.column = std::min(location->getColumn(), 0xffffu);
  } else if (const auto* subprogram = instruction.getFunction()->getSubprogram()) {
    place.file = absolute(subprogram->getFile());
    place.line = subprogram->getLine();
  }
  return place;
}

}  // namespace heddle
