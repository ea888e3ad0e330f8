// Agents order tickets: each asks for the next number, writes the ticket, and moves the number on. Two that ask at the
// same time sell the same ticket.
//
// parameters: agents tickets-per-agent
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 32, kTickets = 8192 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_ticket, each;
static int buyers[kTickets];

static int next_number(void) {
  pthread_mutex_lock(&lock);
  int number = next_ticket;  // BUG:read
#ifdef FIXED
  next_ticket++;
#endif
  pthread_mutex_unlock(&lock);
  return number;
}

static void sell(int number, int agent) {
  pthread_mutex_lock(&lock);
  buyers[number] = agent;  // BUG:write
#ifndef FIXED
  next_ticket = number + 1;  // BUG:next
#endif
  pthread_mutex_unlock(&lock);
}

static void* agent(void* number) {
  for (int i = 0; i < each; i++) sell(next_number(), (int)(intptr_t)number);
  return 0;
}

int main(int argc, char** argv) {
  int agents = parameter(argc, argv, 1, 10);
  each = parameter(argc, argv, 2, 1);
  assert(agents <= kMost && agents * each <= kTickets);
  pthread_t threads[kMost];
  for (int i = 0; i < agents; i++) pthread_create(&threads[i], 0, agent, (void*)(intptr_t)(i + 1));
  for (int i = 0; i < agents; i++) pthread_join(threads[i], 0);
  int sold[kMost + 1] = {0}, complete = 0;
  for (int i = 0; i < agents * each; i++) sold[buyers[i]]++;
  for (int i = 1; i <= agents; i++) complete += sold[i] == each;
  assert(complete == agents);  // FAILS
  return 0;
}
