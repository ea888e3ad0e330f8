// Threads compile statements against one common description of a table. Each notes in it which columns it refers to
// while it asks for the name, and clears the note afterwards. The note is looked at twice: is there one, and what is in
// it.
//
// parameters: threads statements
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "../kernel.h"

enum { kMost = 32, kColumns = 4 };

struct column_map {
  int referenced[kColumns];
};

static struct {
  pthread_mutex_t lock;
  struct column_map* _Atomic referenced_columns;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};
static const char* const names[kColumns] = {"ID", "NAME", "CITY", "AGE"};
static int statements;

// The length of the name with its columns: TABLE(ID, CITY).
static int object_name_length(void) {
  int length = (int)strlen("TABLE");
  if (table.referenced_columns == NULL) return length;    // BUG:check
  struct column_map* columns = table.referenced_columns;  // BUG:use
  for (int i = 0; i < kColumns; i++)
    if (columns->referenced[i]) length += (int)strlen(names[i]) + 2;  // FAILS
  return length;
}

static int compile(struct column_map* columns) {
#ifdef FIXED
  pthread_mutex_lock(&table.lock);
#endif
  table.referenced_columns = columns;
  int length = object_name_length();
  table.referenced_columns = NULL;  // BUG:null
#ifdef FIXED
  pthread_mutex_unlock(&table.lock);
#endif
  return length;
}

static void* session(void* number) {
  struct column_map columns = {{0}};
  columns.referenced[(intptr_t)number % kColumns] = 1;
  for (int i = 0; i < statements; i++) assert(compile(&columns) >= (int)strlen("TABLE"));
  return 0;
}

int main(int argc, char** argv) {
  int threads = parameter(argc, argv, 1, 4);
  statements = parameter(argc, argv, 2, 2);
  assert(threads <= kMost);
  pthread_t sessions[kMost];
  for (int i = 0; i < threads; i++) pthread_create(&sessions[i], 0, session, (void*)(intptr_t)i);
  for (int i = 0; i < threads; i++) pthread_join(sessions[i], 0);
  return 0;
}
