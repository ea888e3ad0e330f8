// Functions of libc that look names up, in files and in the network, or load locales and converters: they hold locks of
// their own while they read. Two threads that meet there are put in order as the rest of libc's state is
// (libc_state.cc).
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdarg.h>
#include <syslog.h>

#include "runtime/sync/libc_lock.h"

using namespace heddle::rt;

namespace {

char hosts, names, locales, log_socket;  // their addresses name the locks; those for hosts may wait for the network

// May load a library. The loader's lock comes first: who holds it already may be in a constructor of a library, which
// calls these, too. `loaded`: the first call only; one that waits for the network must not keep others from making
// threads.
class LoadingCall {
 public:
  LoadingCall(void* caller, void* object, bool* loaded = nullptr)
      : loader_(loaded && *loaded ? nullptr : &libc_loader, caller), call_(object, caller), loaded_(loaded) {}
  ~LoadingCall() {
    if (loaded_) *loaded_ = true;
  }
  LoadingCall(const LoadingCall&) = delete;

 private:
  LibcCall loader_, call_;
  bool* loaded_;
};

bool hosts_loaded, addresses_loaded;

}  // namespace

#define HEDDLE_LOADING_CALL(result, name, parameters, arguments, ...)  \
  HEDDLE_WEAK result name parameters {                                 \
    using Function = result(*) parameters;                             \
    LoadingCall call(__builtin_return_address(0), __VA_ARGS__);        \
    return HEDDLE_NEXT(Function, #name) arguments;                     \
  }

HEDDLE_LOADING_CALL(int, getaddrinfo, (const char* node, const char* service, const addrinfo* hints, addrinfo** out),
                    (node, service, hints, out), &hosts, &hosts_loaded)
HEDDLE_LOADING_CALL(int, getnameinfo,
                    (const sockaddr* a, socklen_t n, char* host, socklen_t hn, char* service, socklen_t sn, int flags),
                    (a, n, host, hn, service, sn, flags), &hosts, &addresses_loaded)
HEDDLE_LOADING_CALL(hostent*, gethostbyname, (const char* name), (name), &hosts, &hosts_loaded)
HEDDLE_LOADING_CALL(hostent*, gethostbyaddr, (const void* a, socklen_t n, int type), (a, n, type), &hosts,
                    &addresses_loaded)
HEDDLE_LOADING_CALL(servent*, getservbyname, (const char* name, const char* protocol), (name, protocol), &names)
HEDDLE_LOADING_CALL(protoent*, getprotobyname, (const char* name), (name), &names)
HEDDLE_LOADING_CALL(passwd*, getpwnam, (const char* name), (name), &names)
HEDDLE_LOADING_CALL(passwd*, getpwuid, (uid_t id), (id), &names)
HEDDLE_LOADING_CALL(int, getpwnam_r, (const char* name, passwd* p, char* b, size_t n, passwd** out),
                    (name, p, b, n, out), &names)
HEDDLE_LOADING_CALL(int, getpwuid_r, (uid_t id, passwd* p, char* b, size_t n, passwd** out), (id, p, b, n, out), &names)
HEDDLE_LOADING_CALL(group*, getgrnam, (const char* name), (name), &names)
HEDDLE_LOADING_CALL(group*, getgrgid, (gid_t id), (id), &names)
HEDDLE_LOADING_CALL(int, getgrnam_r, (const char* name, group* g, char* b, size_t n, group** out), (name, g, b, n, out),
                    &names)
HEDDLE_LOADING_CALL(int, getgrgid_r, (gid_t id, group* g, char* b, size_t n, group** out), (id, g, b, n, out), &names)
HEDDLE_LOADING_CALL(int, getgrouplist, (const char* user, gid_t first, gid_t* out, int* n), (user, first, out, n),
                    &names)

HEDDLE_LIBC_CALL(char*, setlocale, (int category, const char* name), (category, name), &locales)
HEDDLE_LIBC_CALL(locale_t, newlocale, (int mask, const char* name, locale_t base), (mask, name, base), &locales)
HEDDLE_LIBC_CALL(locale_t, duplocale, (locale_t l), (l), &locales)
HEDDLE_LIBC_CALL(void, freelocale, (locale_t l), (l), &locales)
HEDDLE_LOADING_CALL(iconv_t, iconv_open, (const char* to, const char* from), (to, from), &locales)
HEDDLE_LOADING_CALL(int, iconv_close, (iconv_t c), (c), &locales)
HEDDLE_LIBC_CALL(char*, dcgettext, (const char* domain, const char* text, int category), (domain, text, category),
                 &locales)
HEDDLE_LIBC_CALL(char*, dgettext, (const char* domain, const char* text), (domain, text), &locales)
HEDDLE_LIBC_CALL(char*, gettext, (const char* text), (text), &locales)
HEDDLE_LIBC_CALL(char*, textdomain, (const char* domain), (domain), &locales)
HEDDLE_LIBC_CALL(char*, bindtextdomain, (const char* domain, const char* folder), (domain, folder), &locales)

HEDDLE_LIBC_CALL(void, openlog, (const char* ident, int option, int facility), (ident, option, facility), &log_socket)
HEDDLE_LIBC_CALL(void, closelog, (), (), &log_socket)
HEDDLE_LIBC_CALL(void, vsyslog, (int priority, const char* format, va_list a), (priority, format, a), &log_socket)
HEDDLE_LIBC_CALL(void, __vsyslog_chk, (int priority, int flag, const char* format, va_list a),
                 (priority, flag, format, a), &log_socket)
HEDDLE_WEAK void syslog(int priority, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(&log_socket, __builtin_return_address(0));
  vsyslog(priority, format, a);
  va_end(a);
}
HEDDLE_WEAK void __syslog_chk(int priority, int flag, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(&log_socket, __builtin_return_address(0));
  __vsyslog_chk(priority, flag, format, a);
  va_end(a);
}

// It calls back with the loader's lock held.
HEDDLE_LIBC_CALL(int, dl_iterate_phdr, (int (*callback)(dl_phdr_info*, size_t, void*), void* data), (callback, data),
                 &libc_loader)
