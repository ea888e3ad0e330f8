// A thread of a program that keeps a log: its end is seen, whether the start routine returns or is unwound
// (pthread_exit, cancellation). A file of C, as exceptions pass through.
extern void heddle_logged_thread_ends(void*);
void* heddle_call_logged_thread(void* (*entry)(void*), void* argument) {
  __attribute__((cleanup(heddle_logged_thread_ends))) char here;
  (void)here;
  return entry(argument);
}
