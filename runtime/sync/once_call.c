// Runs the program's initialiser; it may throw or be cancelled: the cleanup then makes the once runnable again.
// C, compiled with -fexceptions: __gcc_personality_v0 is there in C programs too.
struct Call {
  void* object;
  int done;
};

void heddle_once_abandoned(void* object);

static void leave(struct Call* call) {
  if (!call->done) heddle_once_abandoned(call->object);
}

void heddle_run_once(void (*routine)(void), void* object) {
  struct Call call __attribute__((cleanup(leave))) = {object, 0};
  routine();
  call.done = 1;
}
