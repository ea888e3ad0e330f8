#include "src/trace/call_name.h"

#include <sys/syscall.h>

#include "abi/inputs.h"

namespace heddle {

std::string_view call_name(std::uint64_t word) {
  if (word == 0) return {};
  switch (HEDDLE_CALL_OF(word)) {
    case SYS_read: return "read()";
    case SYS_pread64: return "pread()";
    case SYS_readv: case SYS_preadv: case SYS_preadv2: return "readv()";
    case SYS_write: return "write()";
    case SYS_pwrite64: return "pwrite()";
    case SYS_writev: case SYS_pwritev: case SYS_pwritev2: return "writev()";
    case SYS_recvfrom: return "recv()";
    case SYS_recvmsg: return "recvmsg()";
    case SYS_recvmmsg: return "recvmmsg()";
    case SYS_sendto: return "send()";
    case SYS_sendmsg: return "sendmsg()";
    case SYS_sendmmsg: return "sendmmsg()";
    case SYS_sendfile: return "sendfile()";
    case SYS_splice: return "splice()";
    case SYS_tee: return "tee()";
    case SYS_vmsplice: return "vmsplice()";
    case SYS_open: case SYS_openat: case SYS_creat: return "open()";
    case SYS_accept: case SYS_accept4: return "accept()";
    case SYS_connect: return "connect()";
    case SYS_poll: case SYS_ppoll: return "poll()";
    case SYS_select: case SYS_pselect6: return "select()";
    case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2: return "epoll_wait()";
    case SYS_wait4: case SYS_waitid: return "wait()";
    case SYS_flock: return "flock()";
    case SYS_fcntl: return "fcntl()";
    case SYS_msgsnd: return "msgsnd()";
    case SYS_msgrcv: return "msgrcv()";
    case SYS_semop: case SYS_semtimedop: return "semop()";
    case SYS_mq_timedsend: return "mq_send()";
    case SYS_mq_timedreceive: return "mq_receive()";
    case SYS_pause: return "pause()";
    case SYS_rt_sigsuspend: return "sigsuspend()";
    case SYS_rt_sigtimedwait: return "sigwait()";
    default: return {};
  }
}

}  // namespace heddle
