// Plain loads and stores.
//
//   before:  %x = load i32, ptr %p          after:  call void @__heddle_read4(ptr %p, ptr @site)
//                                                   %x = load i32, ptr %p
#include "abi/events.h"
#include "abi/site.h"
#include "pass/instrument.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"

namespace heddle {
namespace {

bool has_hook_of(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8 || size == 16; }

bool has_vptr_tbaa(const llvm::Instruction& access) {
  auto* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  return tag && tag->isTBAAVtableAccess();
}

// Without TBAA (-O0): the stored value points into a vtable.
bool stores_vtable(const llvm::Value* stored) {
  const auto* object = llvm::getUnderlyingObject(stored);
  return llvm::isa<llvm::GlobalVariable>(object) && object->getName().starts_with("_ZTV");
}

// Without TBAA (-O0): the loaded value is indexed as an array of pointers, and what is found there is called.
bool loads_vtable(const llvm::LoadInst& load) {
  for (const auto* user : load.users()) {
    const auto* slot = llvm::dyn_cast<llvm::GEPOperator>(user);
    if (slot && !(slot->getSourceElementType()->isPointerTy() && slot->hasAllConstantIndices())) continue;
    const llvm::Value* address = slot ? static_cast<const llvm::Value*>(slot) : &load;
    for (const auto* use : address->users())
      if (const auto* entry = llvm::dyn_cast<llvm::LoadInst>(use); entry && entry != &load)
        for (const auto* call : entry->users())
          if (const auto* base = llvm::dyn_cast<llvm::CallBase>(call);
              base && base->getCalledOperand() == entry && slot)
            return true;
  }
  return false;
}

bool is_vptr(const llvm::Instruction& access) {
  if (has_vptr_tbaa(access)) return true;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) return stores_vtable(store->getValueOperand());
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
  return load && load->getType()->isPointerTy() && loads_vtable(*load);
}

}  // namespace

bool hook_access(Work& work, llvm::Instruction& access) {
  auto* pointer = llvm::getLoadStorePointerOperand(&access);
  if (!pointer) return false;
  if (pointer->getType()->getPointerAddressSpace() != 0) return true;  // fs:, gs:
  bool write = llvm::isa<llvm::StoreInst>(access);
  auto size = work.layout().getTypeStoreSize(llvm::getLoadStoreType(&access));
  uint32_t flags = flag_if(access.isVolatile(), HEDDLE_SITE_VOLATILE) | flag_if(is_vptr(access), HEDDLE_SITE_VPTR);
  if (size.isScalable()) {
    ++work.stats.unhandled;
    return true;
  }
  if (!has_hook_of(size)) {
    auto* length = llvm::ConstantInt::get(llvm::Type::getInt64Ty(access.getContext()), size.getFixedValue());
    emit_range(work, access, write, pointer, length, flags);
    return true;
  }
  if (work.privacy.covers(pointer)) {
    ++work.stats.accesses_skipped;
    return true;
  }
  ++work.stats.accesses;
  auto bytes = static_cast<uint8_t>(size.getFixedValue());
  SiteKey key{static_cast<uint8_t>(write ? HEDDLE_EV_WRITE : HEDDLE_EV_READ), bytes, flags, {}};
  BuilderBefore builder(access);
  auto name = (llvm::Twine(write ? "__heddle_write" : "__heddle_read") + llvm::Twine(unsigned{bytes})).str();
  auto* hook = work.hooks.call(builder, name, {pointer, work.site(access, key, pointer)});
  if (access.isVolatile()) keep(hook);
  return true;
}

}  // namespace heddle
