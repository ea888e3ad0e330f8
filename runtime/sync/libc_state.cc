// Functions of libc with a state that threads share behind the program's back: whose call comes first decides what they
// return.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/environment.h"
#include "runtime/sync/libc_lock.h"

namespace heddle::rt {

namespace {

void libc_lock(Thread& t, void* object, uint32_t site) {
  Inside inside;
  Object& o = object_at(object, HEDDLE_EV_MUTEX_LOCK);
  if (o.owner != t.index + 1) {
    const WithoutSignals here(t);
    point(Op{HEDDLE_EV_MUTEX_LOCK, site, o.id, (uint64_t)object}, word_is_zero, &o.owner);
    set_owner(o, &t);
    discipline.word_taken(&o.owner);
  }
  o.depth++;
}

uint32_t caller_site(void* caller) {
  Inside inside;
  return pc_site(caller);
}

}  // namespace

bool model_lock_libc(void* object, void* caller) {
  libc_lock(*self, object, caller_site(caller));
  return true;
}

bool model_try_lock_libc(void* object, void* caller) {
  Inside inside;
  const Object* o = find_object(object);
  if (o && o->owner && o->owner != self->index + 1) return false;
  return model_lock_libc(object, caller);
}

void model_unlock_libc(void* object) {
  Inside inside;
  Object* o = find_object(object);
  if (!o || o->owner != self->index + 1 || --o->depth) return;  // closed meanwhile
  set_owner(*o, nullptr);
  discipline.word_freed(&o->owner);
}

// Between the length and the copy there is an allocation, which may be a step.
static char* duplicate_string(const char* string, size_t limit) {
  read_string_again(string, limit);
  for (size_t n = strnlen(string, limit);;) {
    char* copy = static_cast<char*>(malloc(n + 1));
    if (!copy) return nullptr;
    read_string_again(string, limit);
    const size_t now = strnlen(string, limit);
    if (now == n) {
      memcpy(copy, string, n);
      copy[n] = 0;
      return copy;
    }
    free(copy);  // may be a step: the next round looks again
    n = now;
  }
}

bool model_duplicate(const char* string, size_t limit, char** copy) {
  *copy = duplicate_string(string, limit);
  return true;
}

char* model_snapshot(const void* p, size_t bytes) {
  constexpr size_t kMost = 1 << 20;
  char* copy = bytes <= kMost ? static_cast<char*>(malloc(bytes)) : nullptr;
  if (!copy) return nullptr;
  read_again(p, bytes);
  return static_cast<char*>(__builtin_memcpy(copy, p, bytes));
}

char libc_loader;

namespace {
char random_state, random48_state, time_zone, environment;  // their addresses name the locks
}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_LIBC_CALL(int, rand, (), (), &random_state)
HEDDLE_LIBC_CALL(long, random, (), (), &random_state)
HEDDLE_LIBC_CALL(void, srand, (unsigned seed), (seed), &random_state)
HEDDLE_LIBC_CALL(void, srandom, (unsigned seed), (seed), &random_state)
HEDDLE_LIBC_CALL(double, drand48, (), (), &random48_state)
HEDDLE_LIBC_CALL(long, lrand48, (), (), &random48_state)
HEDDLE_LIBC_CALL(long, mrand48, (), (), &random48_state)
HEDDLE_LIBC_CALL(void, srand48, (long seed), (seed), &random48_state)
HEDDLE_LIBC_CALL(tm*, localtime, (const time_t* t), (t), &time_zone)
HEDDLE_LIBC_CALL(tm*, gmtime, (const time_t* t), (t), &time_zone)
HEDDLE_LIBC_CALL(tm*, localtime_r, (const time_t* t, tm* out), (t, out), &time_zone)
HEDDLE_LIBC_CALL(time_t, mktime, (tm * t), (t), &time_zone)
HEDDLE_LIBC_CALL(char*, ctime, (const time_t* t), (t), &time_zone)
HEDDLE_LIBC_CALL(char*, ctime_r, (const time_t* t, char* out), (t, out), &time_zone)
HEDDLE_LIBC_CALL(tm*, gmtime_r, (const time_t* t, tm* out), (t, out), &time_zone)
HEDDLE_LIBC_CALL(time_t, timegm, (tm * t), (t), &time_zone)
HEDDLE_LIBC_CALL(time_t, timelocal, (tm * t), (t), &time_zone)
HEDDLE_LIBC_CALL(void, tzset, (), (), &time_zone)
HEDDLE_LIBC_CALL(size_t, strftime, (char* to, size_t n, const char* format, const tm* t), (to, n, format, t),
                 &time_zone)
HEDDLE_LIBC_CALL(size_t, strftime_l, (char* to, size_t n, const char* format, const tm* t, locale_t l),
                 (to, n, format, t, l), &time_zone)
HEDDLE_WEAK char* getenv(const char* name) {
  LibcCall call(&environment, __builtin_return_address(0));
  note_environment_read(name);
  return HEDDLE_NEXT(char* (*)(const char*), "getenv")(name);
}
HEDDLE_WEAK char* secure_getenv(const char* name) {
  LibcCall call(&environment, __builtin_return_address(0));
  note_environment_read(name);
  return HEDDLE_NEXT(char* (*)(const char*), "secure_getenv")(name);
}
HEDDLE_LIBC_CALL(int, setenv, (const char* name, const char* value, int replace),
                 (name, Snapshot(value).string(), replace), &environment)
HEDDLE_LIBC_CALL(int, unsetenv, (const char* name), (name), &environment)
HEDDLE_LIBC_CALL(int, putenv, (char* text), (text), &environment)
HEDDLE_LIBC_CALL(int, dlclose, (void* handle), (handle), &libc_loader)

// It looks at its caller, for the folders to search: passed on by a jump where nothing is recorded.
HEDDLE_WEAK void* dlopen(const char* name, int flags) {
  auto* const function = HEDDLE_NEXT(void* (*)(const char*, int), "dlopen");
  if (!modelled() || !discipline.lock_libc(&libc_loader, __builtin_return_address(0))) return function(name, flags);
  void* const library = function(name, flags);
  if (modelled()) discipline.unlock_libc(&libc_loader);
  return library;
}

HEDDLE_WEAK char* strdup(const char* string) {
  char* copy;
  if (modelled() && discipline.duplicate(string, ~(size_t)0 >> 1, &copy)) return copy;
  return HEDDLE_NEXT(char* (*)(const char*), "strdup")(string);
}
HEDDLE_WEAK char* strndup(const char* string, size_t limit) {
  char* copy;
  if (modelled() && discipline.duplicate(string, limit, &copy)) return copy;
  return HEDDLE_NEXT(char* (*)(const char*, size_t), "strndup")(string, limit);
}
