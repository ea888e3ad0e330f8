// Functions behind ours of the same name. dlsym() takes the loader's lock, beside which another thread may be at a
// step: for a recording and its replay they are looked up before the program begins, else when they are first called.
#pragma once

namespace heddle::rt {

struct NextFunction {
  const char* name;
  void* address;
};

void look_up(NextFunction& function);
void look_up_all();

}  // namespace heddle::rt

/// The next definition of `symbol`, as a pointer to a function of this type. Not in templates or inline functions.
#define HEDDLE_NEXT(type, symbol)                                                                          \
  ([] {                                                                                                    \
    __attribute__((section("heddle_next"), used)) static ::heddle::rt::NextFunction next{symbol, nullptr}; \
    if (__builtin_expect(!next.address, 0)) ::heddle::rt::look_up(next);                                   \
    return reinterpret_cast<type>(next.address);                                                           \
  }())
