// Calls of libc functions whose memory effects are known: mem*, str*, reads and writes of descriptors and files,
// printf.
//
//   before:  strcpy(%d, %s)           after:  __heddle_read_string(%s, limit, stop, @site1)
//                                             __heddle_write_string(%d, %s, limit, 0, @site2)
//                                             strcpy(%d, %s)
//   before:  %n = read(%fd, %b, %c)   after:  %n = read(%fd, %b, %c)
//                                             __heddle_write_range(%b, %n > 0 ? min(%n, %c) : 0, @site)
//
// What a call fills is known when it returns, and only then: what others did until the bytes came was before the write.
#include "abi/events.h"
#include "abi/hooks.h"
#include "pass/instrument.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {
namespace {

enum class Effect : uint8_t {
  kNone,
  kRead,          // `length` (times `unit`) bytes at `pointer`
  kWrite,         // the same
  kReadByte,      // one byte: the rest depends on what is there
  kReadString,    // up to its end, or to the character `other`, or `length` bytes
  kFindByte,      // up to the character `other`, `length` bytes at most; no end of a string
  kReadPrefix,    // as far as strcmp(pointer, other) looks, `length` at most
  kReadFolded,    // as far as strcasecmp looks
  kWriteCopy,     // a copy of the string `other`, `length` characters at most, and its end
  kAppendCopy,    // the same, at the end of the string `pointer`
  kReadVector,    // an iovec of `length` elements
  kReadMessage,   // a msghdr
  // After the call.
  kFilled,        // as many bytes (times `unit`) as it returned, at most `length`
  kFilledString,  // a string, if it did not return null
  kNewString,     // what it returned, if it is not null
  kPrinted,       // what it returned and the end of the string, at most `length`
  kFilledVector,  // as many bytes as it returned, in an iovec of `length` elements
  kFilledMessage,
};

// Arguments by number; -1: none.
struct Part {
  Effect effect = Effect::kNone;
  int8_t pointer = -1, other = -1, length = -1, unit = -1;
};
struct Shape {
  const char* name;
  Part parts[4];
  int8_t format = -1;  // of printf: strings behind it are read
};

using enum Effect;
constexpr Part string(int8_t pointer, int8_t limit = -1) { return {kReadString, pointer, -1, limit}; }
constexpr Shape kShapes[] = {
    {"memcpy", {{kRead, 1, -1, 2}, {kWrite, 0, -1, 2}}},
    {"memmove", {{kRead, 1, -1, 2}, {kWrite, 0, -1, 2}}},
    {"mempcpy", {{kRead, 1, -1, 2}, {kWrite, 0, -1, 2}}},
    {"memset", {{kWrite, 0, -1, 2}}},
    {"__memcpy_chk", {{kRead, 1, -1, 2}, {kWrite, 0, -1, 2}}},
    {"__memmove_chk", {{kRead, 1, -1, 2}, {kWrite, 0, -1, 2}}},
    {"__mempcpy_chk", {{kRead, 1, -1, 2}, {kWrite, 0, -1, 2}}},
    {"__memset_chk", {{kWrite, 0, -1, 2}}},
    {"bzero", {{kWrite, 0, -1, 1}}},
    {"explicit_bzero", {{kWrite, 0, -1, 1}}},
    {"bcopy", {{kRead, 0, -1, 2}, {kWrite, 1, -1, 2}}},
    {"memcmp", {{kRead, 0, -1, 2}, {kRead, 1, -1, 2}}},
    {"bcmp", {{kRead, 0, -1, 2}, {kRead, 1, -1, 2}}},
    {"memchr", {{kFindByte, 0, 1, 2}}},
    {"memrchr", {{kRead, 0, -1, 2}}},
    {"memmem", {{kRead, 0, -1, 1}, {kRead, 2, -1, 3}}},
    {"swab", {{kRead, 0, -1, 2}, {kWrite, 1, -1, 2}}},

    {"strlen", {string(0)}},
    {"strnlen", {string(0, 1)}},
    {"strchr", {{kReadString, 0, 1}}},
    {"index", {{kReadString, 0, 1}}},
    {"strchrnul", {{kReadString, 0, 1}}},
    {"strrchr", {string(0)}},
    {"rindex", {string(0)}},
    {"strstr", {string(0), string(1)}},
    {"strcasestr", {string(0), string(1)}},
    {"strpbrk", {string(0), string(1)}},
    {"strspn", {string(0), string(1)}},
    {"strcspn", {string(0), string(1)}},
    {"strcmp", {{kReadPrefix, 0, 1}, {kReadPrefix, 1, 0}}},
    {"strncmp", {{kReadPrefix, 0, 1, 2}, {kReadPrefix, 1, 0, 2}}},
    {"strcasecmp", {{kReadFolded, 0, 1}, {kReadFolded, 1, 0}}},
    {"strncasecmp", {{kReadFolded, 0, 1, 2}, {kReadFolded, 1, 0, 2}}},
    {"strcoll", {string(0), string(1)}},
    {"strverscmp", {string(0), string(1)}},
    {"strcpy", {string(1), {kWriteCopy, 0, 1}}},
    {"__strcpy_chk", {string(1), {kWriteCopy, 0, 1}}},
    {"stpcpy", {string(1), {kWriteCopy, 0, 1}}},
    {"__stpcpy_chk", {string(1), {kWriteCopy, 0, 1}}},
    {"strncpy", {string(1, 2), {kWrite, 0, -1, 2}}},
    {"__strncpy_chk", {string(1, 2), {kWrite, 0, -1, 2}}},
    {"stpncpy", {string(1, 2), {kWrite, 0, -1, 2}}},
    {"strcat", {string(0), string(1), {kAppendCopy, 0, 1}}},
    {"__strcat_chk", {string(0), string(1), {kAppendCopy, 0, 1}}},
    {"strncat", {string(0), string(1, 2), {kAppendCopy, 0, 1, 2}}},
    {"__strncat_chk", {string(0), string(1, 2), {kAppendCopy, 0, 1, 2}}},
    {"strdup", {string(0), {kNewString}}},
    {"__strdup", {string(0), {kNewString}}},
    {"strndup", {string(0, 1), {kNewString}}},
    {"atoi", {{kReadByte, 0}}},
    {"atol", {{kReadByte, 0}}},
    {"atoll", {{kReadByte, 0}}},
    {"atof", {{kReadByte, 0}}},
    {"strtol", {{kReadByte, 0}}},
    {"strtoul", {{kReadByte, 0}}},
    {"strtoll", {{kReadByte, 0}}},
    {"strtoull", {{kReadByte, 0}}},
    {"strtod", {{kReadByte, 0}}},

    {"printf", {}, 0},
    {"fprintf", {}, 1},
    {"dprintf", {}, 1},
    {"sprintf", {{kPrinted, 0}}, 1},
    {"snprintf", {{kPrinted, 0, -1, 1}}, 2},
    {"vsprintf", {{kPrinted, 0}}},
    {"vsnprintf", {{kPrinted, 0, -1, 1}}},
    {"__printf_chk", {}, 1},
    {"__fprintf_chk", {}, 2},
    {"__sprintf_chk", {{kPrinted, 0}}, 3},
    {"__snprintf_chk", {{kPrinted, 0, -1, 1}}, 4},
    {"__vsprintf_chk", {{kPrinted, 0}}},
    {"__vsnprintf_chk", {{kPrinted, 0, -1, 1}}},
    {"puts", {string(0)}},
    {"fputs", {string(0)}},

    {"read", {{kFilled, 1, -1, 2}}},
    {"__read_chk", {{kFilled, 1, -1, 2}}},
    {"pread", {{kFilled, 1, -1, 2}}},
    {"pread64", {{kFilled, 1, -1, 2}}},
    {"__pread_chk", {{kFilled, 1, -1, 2}}},
    {"__pread64_chk", {{kFilled, 1, -1, 2}}},
    {"readv", {{kFilledVector, 1, -1, 2}}},
    {"preadv", {{kFilledVector, 1, -1, 2}}},
    {"preadv64", {{kFilledVector, 1, -1, 2}}},
    {"recv", {{kFilled, 1, -1, 2}}},
    {"__recv_chk", {{kFilled, 1, -1, 2}}},
    {"recvfrom", {{kFilled, 1, -1, 2}}},
    {"__recvfrom_chk", {{kFilled, 1, -1, 2}}},
    {"recvmsg", {{kFilledMessage, 1}}},
    {"mq_receive", {{kFilled, 1, -1, 2}}},
    {"getrandom", {{kFilled, 0, -1, 1}}},
    {"fread", {{kFilled, 0, -1, -1, 1}}},
    {"fread_unlocked", {{kFilled, 0, -1, -1, 1}}},
    {"__fread_chk", {{kFilled, 0, -1, -1, 2}}},
    {"fgets", {{kFilledString, 0}}},
    {"__fgets_chk", {{kFilledString, 0}}},
    {"write", {{kRead, 1, -1, 2}}},
    {"pwrite", {{kRead, 1, -1, 2}}},
    {"pwrite64", {{kRead, 1, -1, 2}}},
    {"writev", {{kReadVector, 1, -1, 2}}},
    {"pwritev", {{kReadVector, 1, -1, 2}}},
    {"pwritev64", {{kReadVector, 1, -1, 2}}},
    {"send", {{kRead, 1, -1, 2}}},
    {"sendto", {{kRead, 1, -1, 2}}},
    {"sendmsg", {{kReadMessage, 1}}},
    {"mq_send", {{kRead, 1, -1, 2}}},
    {"fwrite", {{kRead, 0, -1, 2, 1}}},
    {"fwrite_unlocked", {{kRead, 0, -1, 2, 1}}},
};

bool is_after(Effect e) { return e >= kFilled; }
bool is_write(Effect e) { return e == kWrite || e == kWriteCopy || e == kAppendCopy || is_after(e); }

class Emitter {
 public:
  Emitter(Work& work, llvm::CallBase& call, llvm::Instruction& at) : work_(work), call_(call), builder_(at) {}

  void before(const Part& p) {
    auto* bytes = room(p);
    if (!bytes) return;
    auto* pointer = argument(p.pointer);
    if (work_.privacy.covers(pointer)) return;
    SiteKey key{static_cast<uint8_t>(HEDDLE_EV_WRITE_RANGE), 0, 0, {}};
    hook("__heddle_will_write", {pointer, bytes, work_.site(call_, key, pointer)});
  }

  void part(const Part& p) {
    auto* pointer = p.effect == kNewString ? &call_ : call_.getArgOperand(static_cast<unsigned>(p.pointer));
    if (work_.privacy.covers(pointer)) {
      ++work_.stats.ranges_skipped;
      return;
    }
    ++work_.stats.ranges;
    SiteKey key{static_cast<uint8_t>(is_write(p.effect) ? HEDDLE_EV_WRITE_RANGE : HEDDLE_EV_READ_RANGE), 0, 0, {}};
    emit(p, pointer, work_.site(call_, key, pointer));
  }

 private:
  void emit(const Part& p, llvm::Value* pointer, llvm::Value* site) {
    auto* limit = number(p.length, ~0ull);
    switch (p.effect) {
      case kNone: break;
      case kRead:
      case kWrite: range(p.effect == kWrite, pointer, times_unit(p, limit), site); break;
      case kReadByte: range(false, pointer, builder_.getInt64(1), site); break;
      case kReadString: hook("__heddle_read_string", {pointer, limit, stops(p.other, false), site}); break;
      case kFindByte: hook("__heddle_read_string", {pointer, limit, stops(p.other, true), site}); break;
      case kReadPrefix:
      case kReadFolded:
        hook("__heddle_read_prefix", {pointer, argument(p.other), limit, flag(p.effect == kReadFolded), site});
        break;
      case kWriteCopy:
      case kAppendCopy:
        hook("__heddle_write_string", {pointer, argument(p.other), limit, flag(p.effect == kAppendCopy), site});
        break;
      case kReadVector: vector(pointer, builder_.getInt64(~0ull >> 1), number(p.length, 0), 0, site); break;
      case kReadMessage: vector(pointer, builder_.getInt64(~0ull >> 1), limit, HEDDLE_VECTOR_MESSAGE, site); break;
      case kFilled: range(true, pointer, filled(p, limit), site); break;
      case kPrinted: range(true, pointer, printed(limit), site); break;
      case kFilledString: filled_string(pointer, site); break;
      case kNewString: filled_string(&call_, site); break;
      case kFilledVector: vector(pointer, result(), number(p.length, 0), HEDDLE_VECTOR_WRITTEN, site); break;
      case kFilledMessage: vector(pointer, result(), limit, HEDDLE_VECTOR_WRITTEN | HEDDLE_VECTOR_MESSAGE, site); break;
    }
  }

  llvm::Value* argument(int number) { return call_.getArgOperand(static_cast<unsigned>(number)); }
  llvm::Value* number(int number, uint64_t otherwise) {
    return number < 0 ? builder_.getInt64(otherwise)
                      : builder_.CreateZExtOrTrunc(argument(number), builder_.getInt64Ty());
  }
  llvm::Value* flag(bool on) { return builder_.getInt32(on); }
  llvm::Value* result() { return builder_.CreateSExtOrTrunc(&call_, builder_.getInt64Ty()); }
  llvm::Value* at_most(llvm::Value* a, llvm::Value* b) {
    return builder_.CreateSelect(builder_.CreateICmpULT(a, b), a, b);
  }
  llvm::Value* times_unit(const Part& p, llvm::Value* count) {
    return p.unit < 0 ? count : builder_.CreateMul(count, number(p.unit, 1));
  }

  llvm::Value* filled(const Part& p, llvm::Value* limit) {
    auto* none = builder_.getInt64(0);
    auto* bytes = at_most(times_unit(p, result()), limit);
    return builder_.CreateSelect(builder_.CreateICmpSGT(result(), none), bytes, none);
  }
  llvm::Value* printed(llvm::Value* limit) {
    auto* none = builder_.getInt64(0);
    auto* bytes = at_most(builder_.CreateAdd(result(), builder_.getInt64(1)), limit);
    return builder_.CreateSelect(builder_.CreateICmpSGE(result(), none), bytes, none);
  }
  void filled_string(llvm::Value* pointer, llvm::Value* site) {
    auto* none = llvm::Constant::getNullValue(call_.getType());
    auto* limit = builder_.getInt64(~0ull);
    auto* made = builder_.CreateSelect(builder_.CreateICmpNE(&call_, none), pointer, none);
    hook("__heddle_write_string", {made, made, limit, flag(false), site});
  }
  // Two characters at which the search ends: the end of the string and the one that is looked for.
  llvm::Value* stops(int argument_number, bool only_that) {
    if (argument_number < 0) return builder_.getInt32(0);
    auto* wanted =
        builder_.CreateAnd(builder_.CreateZExtOrTrunc(argument(argument_number), builder_.getInt32Ty()), 255);
    return only_that ? builder_.CreateMul(wanted, builder_.getInt32(0x101)) : wanted;
  }
  void range(bool write, llvm::Value* pointer, llvm::Value* bytes, llvm::Value* site) {
    hook(write ? "__heddle_write_range" : "__heddle_read_range", {pointer, bytes, site});
  }
  void vector(llvm::Value* pointer, llvm::Value* bytes, llvm::Value* count, uint32_t flags, llvm::Value* site) {
    hook("__heddle_vector", {pointer, count, bytes, builder_.getInt32(flags), site});
  }
  // The most that the call may write there.
  llvm::Value* room(const Part& p) {
    constexpr uint64_t kUnknown = 128;  // sprintf
    switch (p.effect) {
      case kPrinted: return number(p.length, kUnknown);
      case kFilledString: return number(p.pointer + 1, kUnknown);
      case kFilled:
        return p.unit < 0 ? nullptr
                          : builder_.CreateMul(number(p.unit, 1),
                                               number(p.unit + 1, 1));  // fread; system calls see to it themselves
      default: return nullptr;
    }
  }
  void hook(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments) {
    work_.hooks.call(builder_, name, arguments);
  }

  Work& work_;
  llvm::CallBase& call_;
  BuilderBefore builder_;
};

// The strings that a printf with a constant format reads. A format with positions (%1$s) or a precision is left alone:
// what does not end in 0 may be printed so.
void printed_strings(llvm::CallBase& call, unsigned format, llvm::function_ref<void(unsigned)> visit) {
  llvm::StringRef text;
  if (format >= call.arg_size() || !llvm::getConstantStringInfo(call.getArgOperand(format), text)) return;
  unsigned argument = format + 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    bool precision = false, wide = false;
    for (++i; i < text.size() && llvm::StringRef("0123456789+-# 'hlLjztq.*I").contains(text[i]); ++i) {
      precision |= text[i] == '.';
      wide |= text[i] == 'l';
      argument += text[i] == '*';
    }
    if (i >= text.size() || text[i] == '$') return;
    if (text[i] == '%' || text[i] == 'm') continue;
    if (text[i] == 's' && !precision && !wide && argument < call.arg_size() &&
        call.getArgOperand(argument)->getType()->isPointerTy())
      visit(argument);
    ++argument;
  }
}

bool is_pointer(const llvm::CallBase& call, int argument) {
  if (argument < 0 || static_cast<unsigned>(argument) >= call.arg_size()) return false;
  auto* type = call.getArgOperand(static_cast<unsigned>(argument))->getType();
  return type->isPointerTy() && type->getPointerAddressSpace() == 0;
}
bool is_number(const llvm::CallBase& call, int argument) {
  return argument < 0 || (static_cast<unsigned>(argument) < call.arg_size() &&
                          call.getArgOperand(static_cast<unsigned>(argument))->getType()->isIntegerTy());
}

// Or another function of that name.
bool fits(const llvm::CallBase& call, const Part& p) {
  bool from_result = p.effect == kNewString || p.effect == kFilledString;
  if (from_result && !call.getType()->isPointerTy()) return false;
  if (is_after(p.effect) && !from_result && !call.getType()->isIntegerTy()) return false;
  bool searches = p.effect == kReadString || p.effect == kFindByte;
  bool other = p.other < 0 || (searches ? is_number(call, p.other) : is_pointer(call, p.other));
  return (p.effect == kNewString || is_pointer(call, p.pointer)) && other && is_number(call, p.length) &&
         is_number(call, p.unit);
}

const Shape* shape_of(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return nullptr;
  for (const auto& shape : kShapes)
    if (callee->getName() == shape.name) return &shape;
  return nullptr;
}

// A sanitizer's own free() does not say who called it.
bool hook_sanitized_free(Work& work, llvm::CallBase& call) {
  static constexpr const char* kFrees[] = {"free", "realloc", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || !is_pointer(call, 0)) return false;
  if (llvm::none_of(kFrees, [&](const char* name) { return callee->getName() == name; })) return false;
  BuilderBefore builder(call);
  if (call.getFunction()->hasFnAttribute(llvm::Attribute::SanitizeAddress))
    work.hooks.call(builder, "__heddle_freeing", {call.getArgOperand(0)});
  return true;
}

}  // namespace

bool hook_library(Work& work, llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call && hook_sanitized_free(work, *call)) return true;
  const auto* shape = call ? shape_of(*call) : nullptr;
  if (!shape) return false;
  for (const auto& part : shape->parts) {
    if (part.effect == kNone || !fits(*call, part)) continue;
    auto* at = is_after(part.effect) ? behind(*call) : call;
    if (!at) continue;
    if (is_after(part.effect)) Emitter(work, *call, *call).before(part);
    Emitter(work, *call, *at).part(part);
  }
  if (shape->format >= 0)
    printed_strings(*call, static_cast<unsigned>(shape->format), [&](unsigned argument) {
      Emitter(work, *call, *call).part(string(static_cast<int8_t>(argument)));
    });
  return true;
}

}  // namespace heddle
