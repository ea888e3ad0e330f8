// What code of -fsanitize=thread keeps of a thread: `tsan` in Thread.
#pragma once

namespace heddle::rt {

struct TsanFiber;  // fibers.cc

struct TsanState {
  TsanFiber* fiber;  // the context that it carries; null: it has never switched
};

}  // namespace heddle::rt
