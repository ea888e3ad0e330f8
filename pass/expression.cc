#include "pass/expression.h"

#include "llvm/BinaryFormat/Dwarf.h"

namespace heddle {
namespace {

using llvm::DICompositeType;
using llvm::DIDerivedType;
using llvm::DIType;

constexpr int kMaxDepth = 32;

const DIType* strip(const DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_restrict_type:
      case llvm::dwarf::DW_TAG_atomic_type: type = derived->getBaseType(); break;
      default: return type;
    }
  }
  return type;
}

bool is_reference(const DIType* type) {
  return type && (type->getTag() == llvm::dwarf::DW_TAG_reference_type ||
                  type->getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type);
}

const DIType* pointee(const DIType* type) {
  const auto* derived = llvm::dyn_cast_or_null<DIDerivedType>(type);
  return derived && (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type || is_reference(type))
             ? derived->getBaseType()
             : nullptr;
}

const DICompositeType* array_of(const DIType* type) {
  const auto* composite = llvm::dyn_cast_or_null<DICompositeType>(type);
  return composite && composite->getTag() == llvm::dwarf::DW_TAG_array_type ? composite : nullptr;
}

uint64_t size_of(const DIType* type) {
  type = strip(type);
  return type ? type->getSizeInBits() / 8 : 0;
}

// The member or base class of `type` that holds byte `offset`.
const DIDerivedType* member_at(const DIType* type, uint64_t offset) {
  const auto* composite = llvm::dyn_cast_or_null<DICompositeType>(type);
  if (!composite || array_of(type)) return nullptr;
  for (const auto* element : composite->getElements()) {
    const auto* member = llvm::dyn_cast<DIDerivedType>(element);
    if (!member || member->isStaticMember()) continue;
    if (member->getTag() != llvm::dwarf::DW_TAG_member && member->getTag() != llvm::dwarf::DW_TAG_inheritance) continue;
    if (member->getTag() == llvm::dwarf::DW_TAG_inheritance && member->isVirtual()) continue;
    auto first = member->getOffsetInBits() / 8;
    auto size = std::max<uint64_t>(size_of(member->getBaseType()), (member->getSizeInBits() + 7) / 8);
    // An empty base occupies byte 0 together with the first member: size 1 and no members of its own.
    const auto* base = llvm::dyn_cast_or_null<DICompositeType>(strip(member->getBaseType()));
    if (member->getTag() == llvm::dwarf::DW_TAG_inheritance && base && size <= 1 && !member_at(base, 0)) continue;
    if (offset >= first && offset < first + size) return member;
  }
  return nullptr;
}

}  // namespace

Expression Expression::member(llvm::StringRef name, const DIType* member_type) const {
  if (name.empty()) return {text, member_type, through_pointer, false};  // base class, anonymous struct or union
  auto object = text.starts_with("*") ? "(" + text + ")" : text;
  return {object + (through_pointer ? "->" : ".") + name.str(), member_type, false, false};
}

Expression Expression::loaded() const {
  if (!known()) return {};
  if (hidden_pointer) return {text, type, false, false};
  const auto* stored = strip(type);
  return {str(), pointee(stored), !is_reference(stored), false};
}

Expression Expression::indexed() const {
  if (!known()) return {};
  const auto* array = array_of(strip(type));
  const auto* element = array && !through_pointer ? array->getBaseType() : type;
  if (llvm::StringRef(text).ends_with("[]")) return {text, element, false, false};
  return {(text.starts_with("*") ? "(" + text + ")" : text) + "[]", element, false, false};
}

Expression Expression::at(uint64_t offset) const {
  Expression place = *this;
  for (int depth = 0; depth < kMaxDepth && offset != 0; ++depth) {
    const auto* type = strip(place.type);
    if (const auto* array = array_of(type)) {
      auto element = size_of(array->getBaseType());
      if (element == 0) return place.indexed();
      auto inner = place;
      if (inner.through_pointer) inner = {"(*" + inner.text + ")", inner.type, false, false};
      place = inner.indexed();
      offset %= element;
    } else if (const auto* member = member_at(type, offset)) {
      offset -= member->getOffsetInBits() / 8;
      auto name = member->getTag() == llvm::dwarf::DW_TAG_inheritance ? llvm::StringRef() : member->getName();
      place = place.member(name, member->getBaseType());
    } else {
      return place.through_pointer && type && offset >= size_of(type) && size_of(type) ? place.indexed() : place;
    }
  }
  return place;
}

Expression Expression::narrowed(uint64_t size) const {
  Expression place = *this;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const auto* type = strip(place.type);
    const auto* member = member_at(type, 0);
    if (array_of(type) && !place.through_pointer) {
      place = place.indexed();
    } else if (member && llvm::isa<DICompositeType>(type)) {
      if (size == 0 || size > size_of(member->getBaseType())) return place;
      auto name = member->getTag() == llvm::dwarf::DW_TAG_inheritance ? llvm::StringRef() : member->getName();
      place = place.member(name, member->getBaseType());
    } else {
      return place;
    }
  }
  return place;
}

}  // namespace heddle
