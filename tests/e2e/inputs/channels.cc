// Pipes, sockets, epoll, eventfd, timeouts between threads; prints per thread are sorted by the test.
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
int main() {
  int p[2];
  pipe(p);
  std::string got, got2;
  {
    std::thread w([&] {
      for (int i = 0; i < 5; i++) {
        std::string s = "msg" + std::to_string(i) + ";";
        write(p[1], s.data(), s.size());
      }
      std::string big(300000, 'x');
      long n = write(p[1], big.data(), big.size());
      printf("big write %ld\n", n);
      close(p[1]);
    });
    std::thread r([&] {
      char b[64];
      long n;
      long total = 0;
      while ((n = read(p[0], b, 64)) > 0) {
        if (got.size() < 25) got.append(b, n);
        total += n;
      }
      printf("pipe total %ld\n", total);
    });
    w.join();
    r.join();
    printf("pipe %.25s\n", got.c_str());
  }
  int ls = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(ls, (sockaddr*)&a, sizeof a);
  listen(ls, 5);
  socklen_t len = sizeof a;
  getsockname(ls, (sockaddr*)&a, &len);
  printf("port %d\n", ntohs(a.sin_port));
  std::thread server([&] {
    sockaddr_in peer;
    socklen_t l = sizeof peer;
    int c = accept(ls, (sockaddr*)&peer, &l);
    printf("peer %s:%d\n", inet_ntoa(peer.sin_addr), ntohs(peer.sin_port));
    char b[100];
    iovec v{b, 100};
    msghdr m{};
    m.msg_iov = &v;
    m.msg_iovlen = 1;
    long n = recvmsg(c, &m, 0);
    printf("server got %.*s\n", (int)n, b);
    send(c, "reply", 5, 0);
    close(c);
  });
  std::thread client([&] {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    printf("connect %d\n", connect(s, (sockaddr*)&a, sizeof a));
    send(s, "request", 7, 0);
    pollfd f{s, POLLIN, 0};
    printf("poll %d\n", poll(&f, 1, -1));
    char b[100];
    long n = recv(s, b, 100, 0);
    printf("client got %.*s\n", (int)n, b);
    close(s);
  });
  server.join();
  client.join();
  int ep = epoll_create1(0), ev = eventfd(0, 0);
  epoll_event e{EPOLLIN, {.u64 = 77}};
  epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e);
  std::thread kick([&] {
    usleep(1000);
    uint64_t one = 1;
    write(ev, &one, 8);
  });
  epoll_event out[4];
  int n = epoll_wait(ep, out, 4, -1);
  printf("epoll %d %lu\n", n, (unsigned long)out[0].data.u64);
  kick.join();
  uint64_t val;
  read(ev, &val, 8);
  printf("eventfd %lu\n", val);
  printf("epoll timeout %d\n", epoll_wait(ep, out, 4, 20));
  fd_set s;
  FD_ZERO(&s);
  FD_SET(ev, &s);
  timeval tv{0, 20000};
  printf("select %d\n", select(ev + 1, &s, 0, 0, &tv));
  tv = {3600, 0};
  printf("select sleep %d\n", select(0, 0, 0, 0, &tv));
  printf("poll sleep %d\n", poll(0, 0, 3600000));
  hostent* h = gethostbyname("localhost");
  printf("host %s\n", h ? h->h_name : "?");
  addrinfo* ai;
  printf("gai %d\n", getaddrinfo("127.0.0.1", "80", 0, &ai));
}
