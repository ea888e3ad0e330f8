#include "pass/sites.h"

#include "abi/site.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Path.h"

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

}  // namespace

llvm::StructType* Sites::type() {
  auto& context = module_.getContext();
  auto *i8 = llvm::Type::getInt8Ty(context), *i16 = llvm::Type::getInt16Ty(context), *i32 = llvm::Type::getInt32Ty(context);
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

// text - &site.field: a link-time constant, so the table needs no run-time relocation.
llvm::Constant* Sites::relative(llvm::StringRef string, llvm::GlobalVariable* site, unsigned field) {
  auto &context = module_.getContext();
  auto *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  if (string.empty()) return llvm::ConstantInt::get(i32, 0);
  auto* address = llvm::ConstantExpr::getInBoundsGetElementPtr(
      type(), site, llvm::ArrayRef<llvm::Constant*>{llvm::ConstantInt::get(i64, 0), llvm::ConstantInt::get(i32, field)});
  auto* distance = llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(text(string), i64),
                                              llvm::ConstantExpr::getPtrToInt(address, i64));
  return llvm::ConstantExpr::getTrunc(distance, i32);
}

llvm::Constant* Sites::make(const llvm::Instruction& at, llvm::StringRef function, const SiteKey& key) {
  auto& context = module_.getContext();
  auto number = [&](unsigned bits, uint64_t value) -> llvm::Constant* {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context, bits), value);
  };
  auto* site = new llvm::GlobalVariable(module_, type(), false, llvm::GlobalValue::PrivateLinkage, nullptr, "__heddle_site");
  auto place = place_of(at);
  site->setInitializer(llvm::ConstantStruct::get(
      type(), {number(32, 0), relative(function, site, 1), relative(place.file, site, 2), relative(key.variable, site, 3),
               number(32, place.line), number(16, place.column), number(8, key.kind), number(8, key.size),
               number(32, key.flags), number(32, 0)}));
  site->setSection(HEDDLE_SITE_SECTION);
  site->setAlignment(llvm::Align(sizeof(HeddleSite)));
  site->setDSOLocal(true);
  if (auto* comdat = const_cast<llvm::Comdat*>(at.getFunction()->getComdat())) site->setComdat(comdat);
  ++count_;
  return site;
}

}  // namespace heddle
