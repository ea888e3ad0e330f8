// std::promise::set_value_at_thread_exit and std::packaged_task::make_ready_at_thread_exit: the state becomes ready in
// a callback of libstdc++.so at the end of the thread, by an atomic store and a reference count that no hook sees. Our
// callback stands before it.
//
//   real:  lock the weak reference, store ready (release), notify, drop the reference
//   ours:  the same point and release that the store in a hooked clone has, and a reference of our own around the real
//   one, so
//          that the last one is dropped where the detector sees it

#include "runtime/sync/model.h"
#include "runtime/real/next.h"

namespace heddle::rt {
namespace {

// libstdc++'s types, as its ABI has them since GLIBCXX_3.4.21.
struct Count {  // std::_Sp_counted_base
  void (**vtable)(Count*);
  int use, weak;
};
struct State {  // std::__future_base::_State_baseV2
  void* vtable;
  void* result;
  unsigned status;
};
struct MakeReady {  // _Make_ready: __at_thread_exit_elt and a weak_ptr
  MakeReady* next;
  void (*callback)(void*);
  State* state;
  Count* count;
};
enum { kDispose = 2, kDestroy = 3 };  // slots of its vtable

void (*real_callback)(void*);

// An atomic read-modify-write with acquire and release, for the detector.
void counted(const int* word) {
  if (detector::on) detector::atomic(*self, word, sizeof *word, HEDDLE_EV_ATOMIC_RMW, __ATOMIC_ACQ_REL, true, nullptr);
}

void drop(Count& c) {
  counted(&c.use);
  if (__atomic_sub_fetch(&c.use, 1, __ATOMIC_ACQ_REL)) return;
  c.vtable[kDispose](&c);
  counted(&c.weak);
  if (__atomic_sub_fetch(&c.weak, 1, __ATOMIC_ACQ_REL) == 0) c.vtable[kDestroy](&c);
}

void become_ready(void* element) {
  MakeReady& m = *static_cast<MakeReady*>(element);
  if (!modelled() || !m.count) return real_callback(element);
  Inside inside;
  State* state = m.state;
  Count& count = *m.count;  // the weak reference keeps it
  point(Op{HEDDLE_EV_ATOMIC_STORE, pc_site(reinterpret_cast<void*>(real_callback)), 0, (uint64_t)&state->status,
           sizeof state->status});
  counted(&count.use);
  if (!__atomic_load_n(&count.use, __ATOMIC_ACQUIRE)) return real_callback(element);
  __atomic_add_fetch(&count.use, 1, __ATOMIC_RELAXED);
  if (detector::on)
    detector::atomic(*self, &state->status, sizeof state->status, HEDDLE_EV_ATOMIC_STORE, __ATOMIC_RELEASE, true,
                     nullptr);
  productive();
  real_callback(element);
  drop(count);
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void make_ready_at_exit(void* element) __asm__(
    "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv");

HEDDLE_EXPORT void make_ready_at_exit(void* element) {
  HEDDLE_NEXT(void (*)(void*), "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv")(element);
  if (!modelled()) return;
  MakeReady& m = *static_cast<MakeReady*>(element);
  real_callback = m.callback;
  m.callback = become_ready;
}
