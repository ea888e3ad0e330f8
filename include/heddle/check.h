/* For programs under test. Works in every build: without Heddle's runtime both are no-ops.
 *
 *   heddle_check(balance >= 0);   a condition that Heddle reports as a failure of kind "check" and replays;
 *                                 unlike assert() the program goes on where nobody controls it
 *   heddle_init_done();           initialisation is over: with HEDDLE_OPTIONS=fork_at_mark=1 every run of a hunt starts
 *                                 here, so that a long start-up is paid for once.
 *                                 Call it before the first thread is created.
 */
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#ifdef __cplusplus
extern "C" {
#define HEDDLE_CHECK_NOTHROW noexcept
#else
#define HEDDLE_CHECK_NOTHROW
#endif

__attribute__((weak)) void heddle_check_failed(const char* expression, const char* file, int line,
                                               const char* function) HEDDLE_CHECK_NOTHROW;
__attribute__((weak)) void heddle_init_done(void) HEDDLE_CHECK_NOTHROW;

#ifdef __cplusplus
}
#endif

#define heddle_check(condition)                                                          \
  ((condition)           ? (void)0                                                       \
   : heddle_check_failed ? heddle_check_failed(#condition, __FILE__, __LINE__, __func__) \
                         : (void)0)

#define heddle_init_done() (heddle_init_done ? heddle_init_done() : (void)0)

#endif
