#include "pass/sites.h"

#include "abi/events.h"
#include "abi/site.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle {
namespace {

struct Place {
  std::string file;
  uint32_t line = 0;
  uint16_t column = 0;
};

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

// The innermost location. Code without one (or with line 0: made by the compiler) is reported at its function's line.
Place place_of(const llvm::Instruction& at) {
  if (const llvm::DILocation* location = at.getDebugLoc().get(); location && location->getLine() != 0)
    return {absolute(location->getFile()), location->getLine(),
            static_cast<uint16_t>(std::min(location->getColumn(), 0xffffu))};
  if (const auto* subprogram = at.getFunction()->getSubprogram())
    return {absolute(subprogram->getFile()), subprogram->getLine(), 0};
  return {};
}

// Atomics and branches are counted anyway, or by their flags.
uint32_t initial_state(const SiteKey& key) {
  const bool plain = key.kind == HEDDLE_EV_READ || key.kind == HEDDLE_EV_WRITE || key.kind == HEDDLE_EV_READ_RANGE ||
                     key.kind == HEDDLE_EV_WRITE_RANGE;
  return flag_if(plain && (key.flags & HEDDLE_SITE_VOLATILE), HEDDLE_SITE_COUNTED);
}

}  // namespace

llvm::StructType* Sites::type() {
  auto& context = module_.getContext();
  auto *i8 = llvm::Type::getInt8Ty(context), *i16 = llvm::Type::getInt16Ty(context),
       *i32 = llvm::Type::getInt32Ty(context);
  return llvm::StructType::get(context, {i32, i32, i32, i32, i32, i16, i8, i8, i32, i32});
}

llvm::Constant* Sites::text(llvm::StringRef string) {
  auto& global = strings_[string];
  if (global) return global;
  auto* bytes = llvm::ConstantDataArray::getString(module_.getContext(), string);
  global = new llvm::GlobalVariable(module_, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes,
                                    "__heddle_text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(1));
  return global;
}

// text - &array[index].field: a link-time constant, so the table needs no run-time relocation.
llvm::Constant* Sites::relative(llvm::StringRef string, llvm::GlobalVariable* array, unsigned index, unsigned field) {
  auto& context = module_.getContext();
  auto *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  if (string.empty()) return number(32, 0);
  auto* address = llvm::ConstantExpr::getInBoundsGetElementPtr(
      array->getValueType(), array,
      llvm::ArrayRef<llvm::Constant*>{number(32, 0), number(32, index), number(32, field)});
  auto* distance = llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(text(string), i64),
                                              llvm::ConstantExpr::getPtrToInt(address, i64));
  return llvm::ConstantExpr::getTrunc(distance, i32);
}

llvm::Constant* Sites::number(unsigned bits, uint64_t value) {
  return llvm::ConstantInt::get(llvm::Type::getIntNTy(module_.getContext(), bits), value);
}

// HeddleSiteHead, in the fields of HeddleSite.
llvm::Constant* Sites::head(llvm::GlobalVariable* array, llvm::StringRef function, uint32_t flags) {
  return llvm::ConstantStruct::get(
      type(), {number(32, 0), relative(function, array, 0, 1), number(32, *bitcode_ & 0xffffffffu),
               number(32, *bitcode_ >> 32), number(32, pending_.size()), number(16, 0), number(8, 0), number(8, 0),
               number(32, flags | HEDDLE_SITE_HEAD), number(32, 0)});
}

llvm::Constant* Sites::element(llvm::GlobalVariable* array, unsigned index, const Pending& site) {
  return llvm::ConstantStruct::get(
      type(), {number(32, initial_state(site.key)), relative(site.function, array, index, 1),
               relative(site.file, array, index, 2), relative(site.key.variable, array, index, 3),
               number(32, site.line), number(16, site.column), number(8, site.key.kind), number(8, site.key.size),
               number(32, site.key.flags), number(32, site.key.ordinal)});
}

// Without ordinals: those of two modules differ, and either names an instruction of this function.
std::string Sites::array_name(llvm::StringRef function, uint32_t head_flags) const {
  std::string content;
  llvm::raw_string_ostream out(content);
  out << HEDDLE_SITE_ABI << ' ' << head_flags << '\n';
  for (const auto& site : pending_)
    out << site.file << ':' << site.line << ':' << site.column << ' ' << unsigned{site.key.kind} << ' '
        << unsigned{site.key.size} << ' ' << site.key.flags << ' ' << site.key.variable << '\n';
  return ("__heddle_sites." + function + "." + llvm::utohexstr(llvm::xxh3_64bits(out.str()))).str();
}

llvm::Constant* Sites::make(const llvm::Instruction& at, llvm::StringRef function, const SiteKey& key) {
  auto place = place_of(at);
  auto* placeholder = new llvm::GlobalVariable(module_, type(), false, llvm::GlobalValue::ExternalLinkage, nullptr);
  pending_.push_back({placeholder, function.str(), place.file, place.line, place.column, key});
  ++count_;
  return placeholder;
}

SiteArray Sites::finish(llvm::Function& clone, llvm::StringRef function, uint32_t head_flags) {
  if (pending_.empty() && !head_flags) return {};
  auto* array_type = llvm::ArrayType::get(type(), pending_.size() + (bitcode_ ? 1 : 0));  // with the head
  bool merged = clone.hasLinkOnceODRLinkage();
  auto* array = new llvm::GlobalVariable(
      module_, array_type, false, merged ? llvm::GlobalValue::LinkOnceODRLinkage : llvm::GlobalValue::PrivateLinkage,
      nullptr, merged ? array_name(function, head_flags) : "__heddle_sites");
  if (merged) {
    array->setVisibility(llvm::GlobalValue::HiddenVisibility);
    array->setComdat(module_.getOrInsertComdat(array->getName()));
  }
  array->setDSOLocal(true);
  array->setSection(section_);
  array->setAlignment(llvm::Align(sizeof(HeddleSite)));
  // Descriptors that no hook refers to are read by the host all the same.
  if (llvm::all_of(pending_, [](const Pending& site) { return site.placeholder->use_empty(); }))
    llvm::appendToCompilerUsed(module_, {array});
  llvm::SmallVector<llvm::Constant*> elements;
  if (bitcode_) elements.push_back(head(array, function, head_flags));
  for (const auto& site : pending_) {
    const auto index = static_cast<unsigned>(elements.size());
    llvm::Constant* indices[] = {number(32, 0), number(32, index)};
    elements.push_back(element(array, index, site));
    site.placeholder->replaceAllUsesWith(llvm::ConstantExpr::getInBoundsGetElementPtr(array_type, array, indices));
    site.placeholder->eraseFromParent();
  }
  array->setInitializer(llvm::ConstantArray::get(array_type, elements));
  pending_.clear();
  return {array, static_cast<unsigned>(elements.size())};
}

}  // namespace heddle
