// pthread_mutex_lock() and its like, as the table of the run's discipline has them (control/discipline.h). Each is
// reached by a jump, so that the frame below it is the program's.
#pragma once
#include <pthread.h>

namespace heddle::rt {

__attribute__((noinline)) int modelled_mutex_lock(pthread_mutex_t* m);
__attribute__((noinline)) int modelled_mutex_trylock(pthread_mutex_t* m);
__attribute__((noinline)) int modelled_mutex_unlock(pthread_mutex_t* m);
/// Without the baton if possible (parallel/free_steps.h).
int recorded_mutex_lock(pthread_mutex_t* m);
int recorded_mutex_trylock(pthread_mutex_t* m);
int recorded_mutex_unlock(pthread_mutex_t* m);

}  // namespace heddle::rt
