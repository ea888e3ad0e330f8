// Dynamic annotations, as old as the race detectors that came before ThreadSanitizer. Those that mean nothing to
// ThreadSanitizer mean nothing here. Weak: programs carry empty ones of their own.
#include "runtime/detector/detector.h"
#include "runtime/sync/model.h"
#include "runtime/tsan/tsan.h"

using namespace heddle::rt;
using namespace heddle::rt::tsan;

using Text = const char*;
using Line = int;

#define HEDDLE_ANNOTATION(name, ...) HEDDLE_WEAK_EXPORT void name(Text, Line, ##__VA_ARGS__)

HEDDLE_ANNOTATION(AnnotateHappensBefore, void* p) { happens_before(p); }
HEDDLE_ANNOTATION(AnnotateHappensAfter, void* p) { happens_after(p); }
HEDDLE_ANNOTATION(WTFAnnotateHappensBefore, void* p) { happens_before(p); }
HEDDLE_ANNOTATION(WTFAnnotateHappensAfter, void* p) { happens_after(p); }

HEDDLE_ANNOTATION(AnnotateRWLockCreate, void* lock) { lock_destroyed(lock); }
HEDDLE_ANNOTATION(AnnotateRWLockCreateStatic, void*) {}
HEDDLE_ANNOTATION(AnnotateRWLockDestroy, void* lock) { lock_destroyed(lock); }
HEDDLE_ANNOTATION(AnnotateRWLockAcquired, void* lock, long for_writing) { lock_acquired(lock, for_writing != 0); }
HEDDLE_ANNOTATION(AnnotateRWLockReleased, void* lock, long for_writing) { lock_released(lock, for_writing != 0); }

HEDDLE_ANNOTATION(AnnotateIgnoreReadsBegin) {
  if (self) self->detector.ignore_reads++;
}
HEDDLE_ANNOTATION(AnnotateIgnoreReadsEnd) {
  if (self && self->detector.ignore_reads) self->detector.ignore_reads--;
}
HEDDLE_ANNOTATION(AnnotateIgnoreWritesBegin) {
  if (self) self->detector.ignore_writes++;
}
HEDDLE_ANNOTATION(AnnotateIgnoreWritesEnd) {
  if (self && self->detector.ignore_writes) self->detector.ignore_writes--;
}
HEDDLE_ANNOTATION(AnnotateIgnoreSyncBegin) {
  if (self) self->detector.ignore_sync++;
}
HEDDLE_ANNOTATION(AnnotateIgnoreSyncEnd) {
  if (self && self->detector.ignore_sync) self->detector.ignore_sync--;
}
HEDDLE_EXPORT void __tsan_ignore_thread_begin() {
  if (self) self->detector.ignore_reads++, self->detector.ignore_writes++;
}
HEDDLE_EXPORT void __tsan_ignore_thread_end() {
  if (self && self->detector.ignore_reads && self->detector.ignore_writes)
    self->detector.ignore_reads--, self->detector.ignore_writes--;
}

HEDDLE_ANNOTATION(AnnotateBenignRaceSized, void* p, unsigned long n, Text) {
  if (modelled()) detector::benign(p, n);
}
HEDDLE_ANNOTATION(WTFAnnotateBenignRaceSized, void* p, unsigned long n, Text) {
  if (modelled()) detector::benign(p, n);
}
HEDDLE_ANNOTATION(AnnotateBenignRace, void* p, Text) {
  if (modelled()) detector::benign(p, 1);
}
HEDDLE_ANNOTATION(AnnotateExpectRace, void* p, Text) {
  if (modelled()) detector::benign(p, 1);
}
HEDDLE_ANNOTATION(AnnotateNewMemory, void* p, unsigned long n) {
  if (modelled()) detector::allocated(*self, p, n);
}
HEDDLE_ANNOTATION(AnnotateThreadName, Text name) {
  if (!modelled()) return;
  char* label = self->info->label;
  for (size_t i = 0; i + 1 < sizeof self->info->label; i++)
    if (!(label[i] = name[i])) break;
}

HEDDLE_ANNOTATION(AnnotateCondVarSignal, void*) {}
HEDDLE_ANNOTATION(AnnotateCondVarSignalAll, void*) {}
HEDDLE_ANNOTATION(AnnotateCondVarWait, void*, void*) {}
HEDDLE_ANNOTATION(AnnotateMutexIsNotPHB, void*) {}
HEDDLE_ANNOTATION(AnnotateMutexIsUsedAsCondVar, void*) {}
HEDDLE_ANNOTATION(AnnotateTraceMemory, void*) {}
HEDDLE_ANNOTATION(AnnotateFlushState) {}
HEDDLE_ANNOTATION(AnnotateFlushExpectedRaces) {}
HEDDLE_ANNOTATION(AnnotateEnableRaceDetection, int) {}
HEDDLE_ANNOTATION(AnnotateNoOp, void*) {}
HEDDLE_ANNOTATION(AnnotatePCQCreate, void*) {}
HEDDLE_ANNOTATION(AnnotatePCQDestroy, void*) {}
HEDDLE_ANNOTATION(AnnotatePCQGet, void*) {}
HEDDLE_ANNOTATION(AnnotatePCQPut, void*) {}
HEDDLE_ANNOTATION(AnnotatePublishMemoryRange, void*, unsigned long) {}
HEDDLE_ANNOTATION(AnnotateUnpublishMemoryRange, void*, unsigned long) {}
HEDDLE_ANNOTATION(AnnotateMemoryIsInitialized, void*, unsigned long) {}
HEDDLE_ANNOTATION(AnnotateMemoryIsUninitialized, void*, unsigned long) {}

HEDDLE_WEAK_EXPORT int RunningOnValgrind() { return 0; }
HEDDLE_WEAK_EXPORT double ValgrindSlowdown() { return 10.0; }
HEDDLE_WEAK_EXPORT Text ThreadSanitizerQuery(Text) { return "0"; }
