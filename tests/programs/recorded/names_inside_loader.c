// expect: clean
// 2026-11-17: who holds the loader's lock (here: a callback of dl_iterate_phdr; as well the constructor of a library) looks names up, beside others
// that look names up and may load a library for it: two locks of libc, always in one order. A recording called this a deadlock.
#define _GNU_SOURCE
#include <assert.h>
#include <grp.h>
#include <iconv.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>

static int group_exists(void) {
  struct group g, *found = 0;
  char text[4096];
  return getgrgid_r(0, &g, text, sizeof text, &found) == 0 && found;
}
static int user_exists(void) {
  struct passwd p, *found = 0;
  char text[4096];
  return getpwuid_r(0, &p, text, sizeof text, &found) == 0 && found;
}
static int look(struct dl_phdr_info* i, size_t n, void* count) {
  (void)i, (void)n;
  *(int*)count += group_exists();
  locale_t l = newlocale(LC_ALL_MASK, "C", 0);
  if (l) freelocale(l);
  return 1;
}
static void* inside(void* count) {
  for (int i = 0; i < 50; i++) dl_iterate_phdr(look, count);
  return 0;
}
static void* beside(void* count) {
  for (int i = 0; i < 50; i++) {
    *(int*)count += user_exists();
    iconv_t c = iconv_open("UTF-8", "UTF-16");
    if (c != (iconv_t)-1) iconv_close(c);
  }
  return 0;
}

int main(void) {
  int count[2] = {0, 0};
  pthread_t t[2];
  assert(group_exists() && user_exists());
  pthread_create(&t[0], 0, inside, &count[0]);
  pthread_create(&t[1], 0, beside, &count[1]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  printf("%d %d\n", count[0], count[1]);
  return 0;
}
