// expect: clean
// Functions of libc that have locks inside, called by four threads at the same time: who meets whom there is up to chance, and leaves no
// trace in a recording, or is put in order.
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static int nowhere, counted[4];
static int counts(struct dl_phdr_info* i, size_t n, void* p) {
  (void)i, (void)n;
  ++*(int*)p;
  return 0;
}
static int once(int k) {
  char text[200];
  struct tm t = {.tm_year = 100 + k};
  time_t now = 1000000 * k;
  switch (k % 10) {
    case 0: return (int)strftime(text, sizeof text, "%c %Z", &t);
    case 1: return tzset(), (int)(mktime(&t) & 1);
    case 2: return dprintf(nowhere, "%d\n", k);
    case 3: {
      FILE* f = fopen("/dev/null", "w");
      if (k % 4 == 3) fflush(NULL);
      return fclose(f);
    }
    case 4: {
      struct passwd p, *out;
      return getpwnam_r("root", &p, text, sizeof text, &out) == 0 && out;
    }
    case 5: {
      locale_t l = newlocale(LC_ALL_MASK, "C.UTF-8", 0);
      if (l) freelocale(l);
      return 1;
    }
    case 6: {
      iconv_t c = iconv_open("UTF-16", "UTF-8");
      return c == (iconv_t)-1 ? 0 : 1 + iconv_close(c);
    }
    case 7: {
      int modules = 0;
      dl_iterate_phdr(counts, &modules);
      return modules > 0;
    }
    case 8: {
      struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *out = 0;
      int n = getaddrinfo("127.0.0.1", "80", &hints, &out);
      if (!n) freeaddrinfo(out);
      return n;
    }
    default: return (int)strlen(ctime_r(&now, text));
  }
}
static void* calls(void* p) {
  for (int k = 0; k < 100; k++) counted[(long)p] += once(k + (int)(long)p);
  return 0;
}
int main(void) {
  pthread_t t[4];
  nowhere = open("/dev/null", O_WRONLY);
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, calls, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("%d %d %d %d\n", counted[0], counted[1], counted[2], counted[3]);
  return 0;
}
