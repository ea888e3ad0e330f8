// expect: clean
// Streams used by several threads: locked by libc, by flockfile, memory streams, temporary files, popen, getline.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE* log_file;
static void* logs(void* name) {
  for (int i = 0; i < 4; i++) {
    flockfile(log_file);
    fputs(name, log_file);
    putc_unlocked(' ', log_file);
    fprintf(log_file, "%d\n", i);
    funlockfile(log_file);
    fprintf(log_file, "%s %d\n", (char*)name, i);
  }
  char* text;
  size_t size;
  FILE* m = open_memstream(&text, &size);
  fprintf(m, "<%s>", (char*)name);
  fclose(m);
  assert(size == strlen(name) + 2 && text[0] == '<');
  free(text);
  return NULL;
}
int main(void) {
  log_file = tmpfile();
  pthread_t t[3];
  char* names[] = {"one", "two", "three"};
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, logs, names[i]);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  rewind(log_file);
  char* line = NULL;
  size_t room = 0;
  int lines = 0, number;
  char word[16];
  while (getline(&line, &room, log_file) > 0) {
    assert(sscanf(line, "%15s %d", word, &number) == 2 && number < 4);
    lines++;
  }
  free(line);
  assert(lines == 24);
  fclose(log_file);
  return 0;
}
